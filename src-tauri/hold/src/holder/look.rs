//! Looking at the engine: its level, its screen while it opens, its transcript, its processes, their memory.
//!
//! What the engine says through its hooks comes by itself. Everything here is looked at when something changed, and
//! now and then in case that a change was missed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use repose_core::hold::{Because, Kind, Resident};
use repose_core::ids::ConversationId;
use repose_core::session::{Activity, Event, Look};
use repose_core::signal::{Author, Level, Said, Signal, Source, Wait};
use repose_core::time::{Now, Wall};
use repose_engine::engine::Speaks;
use repose_engine::told::Reading;
use repose_engine::transcript::{Answer, Asked, LastTurn};
use repose_sys::ProcessId;
use repose_sys::clock::now;
use repose_sys::memory::{self, Memory};
use repose_sys::tree::{self, Member};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::ending::Phase;
use super::session::{Holder, is_idle};

/// While the engine opens, or a turn waits for its last word, it is looked at so often. A look reads one small file.
const CLOSELY: Duration = Duration::from_millis(100);

/// A level that isn't watched is looked at so often.
const UNWATCHED: Duration = Duration::from_secs(2);

/// The tree is scanned so often: 1 ms each time on a machine with 100 processes.
const SCAN: Duration = Duration::from_secs(5);

/// And so often until the engine's level is found.
const OPENING_SCAN: Duration = Duration::from_millis(500);

/// A file that was read while it was written is read again at once, so often, and then after [`CLOSELY`].
const READS: usize = 5;

/// A process that used more than a tenth of a processor between two scans works. Furniture (a language server that
/// waits, a file watcher) uses a hundredth at most.
const BUSY_SHARE: u32 = 10;

/// Two scans that are closer say nothing about who is busy: the kernel counts in steps of 10 ms.
const BUSY_APART: Duration = Duration::from_millis(500);

/// Memory in a state is no older. Measuring costs 15 ms for each GB, once for all who ask at the same time.
const MEMORY_FRESH: Duration = Duration::from_millis(500);

/// A turn whose engine is idle and hasn't said how it ended gets so long for its hook before the transcript is asked.
const HOOK_FIRST: Duration = Duration::from_secs(2);

/// A hook that had the spool open when it was put aside has written it by then: it waits for nothing in between.
const SPOOL_SETTLES: Duration = Duration::from_millis(200);

/// What a command wrote is on the screen within this after it is over, and so is what a shell's own command says after
/// the shell's first sign.
const SHELL_SETTLES: Duration = Duration::from_millis(150);

/// A shell gives its first sign of a line within this: it ends the line on the screen. On a busy machine that takes long;
/// one that shows nothing at all has answered nothing by then.
const SHELL_ECHOES: Duration = Duration::from_secs(2);

/// What has the terminal of an engine that says nothing of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    /// Nobody has looked yet.
    Unseen,
    /// The engine itself, which waits for a line.
    Engine,
    /// Something that it started.
    Command,
    /// The engine again, which may not have shown all that came of a line. It has by then.
    Settling(Instant),
}

/// What was seen last.
#[derive(Debug)]
pub(super) struct Looks {
    watched: Arc<Notify>,
    watcher: Option<RecommendedWatcher>,
    pub(super) tree: Vec<ProcessId>,
    /// The screen changed since the last look for a dialog.
    pub(super) drawn: bool,
    dialog: Option<Wait>,
    /// The process that keeps a level, and what was in its file.
    level: Option<(u32, Vec<u8>)>,
    torn: bool,
    next: Instant,
    next_scan: Instant,
    scanned: Option<(Instant, Vec<Member>)>,
    /// Since when a process of the tree is known to work.
    residents: HashMap<ProcessId, Resident>,
    /// What was there when the engine got ready.
    baseline: Vec<ProcessId>,
    memory: Option<(Instant, Memory, Wall)>,
    transcript_bytes: u64,
    /// The last prompt that a person wrote.
    pub(super) prompt: Option<String>,
    /// The engine is idle, with a turn that hasn't its last word, since then.
    silent: Option<Instant>,
    job: Job,
}

impl Looks {
    /// The screen changed.
    pub(super) fn drew(&mut self) {
        self.drawn = true;
        if let Job::Settling(by) = &mut self.job {
            *by = (*by).min(Instant::now() + SHELL_SETTLES);
        }
    }

    /// Something is at work in the terminal, or was a moment ago.
    fn job_goes_on(&self) -> bool {
        match self.job {
            Job::Command | Job::Settling(_) => true,
            Job::Unseen | Job::Engine => false,
        }
    }

    pub(super) fn new(watched: Arc<Notify>) -> Self {
        let now = Instant::now();
        Self {
            watched,
            watcher: None,
            tree: Vec::new(),
            drawn: false,
            dialog: None,
            level: None,
            torn: false,
            next: now,
            next_scan: now,
            scanned: None,
            residents: HashMap::new(),
            baseline: Vec::new(),
            memory: None,
            transcript_bytes: 0,
            prompt: None,
            silent: None,
            job: Job::Unseen,
        }
    }

    pub(super) fn watching(&self) -> bool {
        self.watcher.is_some()
    }
}

impl Holder {
    /// The engine's process runs.
    pub(super) fn begin_looking(&mut self) {
        self.scan(false);
        if self.engine.speaks() == Speaks::Nothing {
            self.says(Said::Started { source: Source::New, transcript: None });
            self.says(Said::Level(Level::Idle));
            self.looks.job = Job::Engine;
        }
    }

    /// When to look next.
    pub(super) fn looks_at(&self, _now: Now) -> Instant {
        match self.phase {
            Phase::Live => self.looks.next.min(self.looks.next_scan),
            Phase::Ending(_) | Phase::Over(_) => Instant::now() + SCAN,
        }
    }

    /// Called at every wake.
    pub(super) fn pass_time(&mut self) {
        self.go_on_ending();
        if !matches!(self.phase, Phase::Live) {
            return;
        }
        self.feed(Event::Tick);
        let at = Instant::now();
        if at >= self.looks.next_scan && matches!(self.phase, Phase::Live) {
            self.looks.next_scan = at + SCAN;
            let idle = is_idle(&self.session.view(now()));
            let residents = self.scan(idle);
            if idle {
                self.feed(Event::Residents(residents));
            }
            self.screen.rest();
            self.hear_spooled(at);
            crate::folder::bound_log(&self.dir);
            self.look_at_level();
            self.child_ended(); // should its signal have been missed
        }
        if at >= self.looks.next && matches!(self.phase, Phase::Live) {
            self.look_closely();
        }
    }

    /// What hooks told while this holder took nothing: a machine that swaps can stop it for longer than they wait.
    fn hear_spooled(&mut self, at: Instant) {
        let (events, more) = crate::hook::take_spooled(&self.dir);
        if more {
            self.looks.next_scan = at + SPOOL_SETTLES;
        }
        for (told, payload) in events {
            self.hook(told, &payload);
        }
    }

    /// The level, if it changed.
    pub(super) fn look_at_level(&mut self) {
        if !matches!(self.phase, Phase::Live) {
            return;
        }
        let before = self.looks.level.as_ref().map(|(_, content)| content.clone());
        let Some(signal) = self.read_level() else { return };
        if self.looks.level.as_ref().map(|(_, content)| content) != before.as_ref() {
            self.signal(signal);
            // How a turn ended may have to be looked for.
            self.looks.next = self.looks.next.min(Instant::now() + CLOSELY);
        }
    }

    /// A look before an end is judged.
    pub(super) fn look(&mut self) -> Look {
        if let Some((_, content)) = &mut self.looks.level {
            content.clear();
        }
        if self.engine.speaks() == Speaks::Nothing {
            self.look_at_job();
        }
        Look { level: self.read_level(), residents: self.scan(true), resumable: self.resumable() }
    }

    /// Scans the tree. With `residents`: those of its processes that work and weren't there when the engine got ready.
    pub(super) fn scan(&mut self, residents: bool) -> Vec<Resident> {
        let Some(own) = ProcessId::own() else { return Vec::new() };
        let tree = tree::below(own);
        let ids = tree.ids();
        if ids != self.looks.tree {
            // With a full disk the runner looks by the mark alone.
            let _ = crate::folder::write_tree(&self.dir, &ids);
            self.looks.tree.clone_from(&ids);
        }
        let at = Instant::now();
        let near = self.looks.scanned.as_ref().is_some_and(|(then, _)| at - *then < BUSY_APART);
        let found = if residents { self.residents(&tree.members, at, near) } else { Vec::new() };
        if !near {
            self.looks.scanned = Some((at, tree.members));
        }
        found
    }

    /// What is in the tree now is no work of the session's: servers of the engine's own.
    pub(super) fn take_baseline(&mut self) {
        self.scan(false);
        self.looks.baseline.clone_from(&self.looks.tree);
    }

    /// Memory of the tree, measured now.
    pub(super) fn measure(&mut self) -> Memory {
        let tree = ProcessId::own().map(|own| tree::below(own).ids()).unwrap_or_default();
        let measured = memory::of(&tree);
        self.looks.memory = Some((Instant::now(), measured, now().wall));
        measured
    }

    /// Memory of the tree, measured a moment ago.
    pub(super) fn memory(&mut self) -> Option<(Memory, Wall)> {
        self.child.as_ref()?;
        if self.looks.memory.is_none_or(|(at, ..)| at.elapsed() >= MEMORY_FRESH) {
            self.measure();
        }
        self.looks.memory.map(|(_, memory, at)| (memory, at))
    }

    /// Where the current conversation's transcript is, if it is there.
    pub(super) fn transcript_path(&self) -> Option<PathBuf> {
        let told = self.transcript.as_ref().map(PathBuf::from);
        let would =
            |id: &ConversationId| self.engine.transcript_path(&self.env, Path::new(&self.spec.cwd), id);
        told.or_else(|| self.conversation.as_ref().and_then(would)).filter(|path| path.is_file())
    }

    /// A prompt was sent to an engine that won't say that it took it: it reads a line as soon as that is ended.
    pub(super) fn sent(&mut self, text: String) {
        if self.engine.speaks() == Speaks::Nothing {
            self.looks.job = Job::Settling(Instant::now() + SHELL_ECHOES);
            self.looks.next = Instant::now() + CLOSELY;
            self.says(Said::PromptTaken { prompt: None, text, author: Author::Person });
        }
    }

    /// A conversation that was asked for and has at least one turn in its transcript.
    fn resumable(&self) -> bool {
        let last = |path: PathBuf| self.engine.tail(&path).ok().map(|tail| tail.last_turn);
        self.engine.keeps_conversations()
            && self.transcript_path().and_then(last).is_some_and(|turn| turn != LastTurn::None)
    }

    fn look_closely(&mut self) {
        let view = self.session.view(now());
        let opening = !self.confirmed;
        let turn = view.holds.iter().any(|hold| matches!(hold.kind, Kind::Turn));
        let silent = is_idle(&view) && turn;
        let closely = opening || silent || self.looks.torn || self.looks.job_goes_on();
        self.looks.next = Instant::now() + if closely { CLOSELY } else { UNWATCHED };
        match self.engine.speaks() {
            Speaks::Nothing => self.look_at_job(),
            Speaks::HooksAndLevel => {
                self.watch();
                if closely || !self.looks.watching() {
                    self.look_at_level();
                }
                if opening {
                    if self.looks.level.is_none() {
                        // The process that keeps it may be one that the engine's launcher is about to start.
                        self.looks.next_scan = self.looks.next_scan.min(Instant::now() + OPENING_SCAN);
                    }
                    self.look_for_dialog();
                }
                self.look_at_transcript(silent, matches!(view.activity, Activity::Working { .. }));
            }
        }
    }

    fn look_for_dialog(&mut self) {
        if !std::mem::take(&mut self.looks.drawn) {
            return;
        }
        let dialog = self.engine.opening_dialog(&self.screen.text());
        if dialog != self.looks.dialog {
            self.looks.dialog.clone_from(&dialog);
            self.feed(Event::Dialog(dialog));
        }
    }

    /// The transcript grows: a sign of life. And it tells how a turn ended where no hook did.
    fn look_at_transcript(&mut self, silent: bool, working: bool) {
        if !silent {
            self.looks.silent = None;
        }
        if !(silent || working) {
            return;
        }
        let Some(path) = self.transcript_path() else { return };
        let bytes = fs::metadata(&path).map_or(0, |meta| meta.len());
        let grown = std::mem::replace(&mut self.looks.transcript_bytes, bytes) != bytes;
        if working && grown {
            self.says(Said::ToolUsed);
        }
        if !silent {
            return;
        }
        let since = *self.looks.silent.get_or_insert_with(Instant::now);
        let Ok(tail) = self.engine.tail(&path) else { return };
        match tail.last_turn {
            LastTurn::Interrupted => self.says(Said::Interrupted),
            LastTurn::Answered | LastTurn::Failed if since.elapsed() >= HOOK_FIRST => self.last_word(&path),
            // One that is interrupted before its first word leaves no mark: Claude Code 2.1.332 takes its prompt back.
            LastTurn::None | LastTurn::Open if since.elapsed() >= HOOK_FIRST => self.says(Said::TakenBack),
            LastTurn::Answered | LastTurn::Failed | LastTurn::None | LastTurn::Open | LastTurn::Unknown => {}
        }
    }

    /// The hook that would have told was lost.
    fn last_word(&mut self, transcript: &Path) {
        let Some(text) = self.looks.prompt.clone() else { return };
        let Ok(answer) = self.engine.answer_to(transcript, Asked::Text(&text)) else { return };
        match answer {
            Answer::Answered(text) => {
                self.says(Said::Stopped { prompt: None, text, background: Vec::new(), wakeups: Vec::new() });
            }
            Answer::Failed(error) => self.says(Said::Failed { error }),
            Answer::Interrupted => self.says(Said::Interrupted),
            Answer::NotAsked | Answer::Open => {}
        }
    }

    /// An engine that says nothing of itself works while something else than itself has its terminal.
    fn look_at_job(&mut self) {
        let Some(pty) = &self.pty else { return };
        let Some(engine) = self.engine_id else { return };
        let works = pty.foreground().is_some_and(|group| group != engine.pid);
        let now = Instant::now();
        match (self.looks.job, works) {
            (Job::Unseen | Job::Engine, true) => {
                self.looks.job = Job::Command;
                self.says(Said::Level(Level::Busy));
            }
            (Job::Command | Job::Settling(_), true) => {
                self.looks.job = Job::Command;
                self.says(Said::ToolUsed);
            }
            (Job::Command, false) => self.looks.job = Job::Settling(now + SHELL_SETTLES),
            (Job::Settling(by), false) if now >= by => {
                self.looks.job = Job::Engine;
                let text = self.screen.last_words();
                self.says(Said::Stopped { prompt: None, text, background: Vec::new(), wakeups: Vec::new() });
                self.says(Said::Level(Level::Idle));
            }
            (Job::Unseen | Job::Engine | Job::Settling(_), false) => {}
        }
    }

    /// What follows from what was seen, as if the engine had said it.
    fn says(&mut self, said: Said) {
        let conversation = match self.engine.speaks() {
            Speaks::Nothing => None,
            Speaks::HooksAndLevel => self.conversation.clone(),
        };
        self.signal(Signal { conversation, at: now().wall, said });
    }

    /// Reads the level. The process that keeps it is the engine's, or where that is a wrapper, one below it.
    fn read_level(&mut self) -> Option<Signal> {
        let known = self.looks.level.as_ref().map(|(pid, _)| *pid);
        let pids: Vec<u32> = match known {
            Some(pid) => vec![pid],
            None => {
                let below = self.looks.tree.iter().map(|process| process.pid);
                self.engine_id.iter().map(|engine| engine.pid).chain(below).collect()
            }
        };
        for pid in pids {
            let path = self.engine.level_file(&self.env, pid)?;
            for read in 1..=READS {
                let Ok(content) = fs::read(&path) else { break };
                self.looks.torn = false;
                match self.engine.level(&content) {
                    Reading::Torn => {
                        self.looks.torn = read == READS;
                        if self.looks.torn {
                            self.looks.next = Instant::now() + CLOSELY;
                        }
                    }
                    Reading::NotYet => return None,
                    Reading::Level(standing) if standing.pid == pid => {
                        self.looks.level = Some((pid, content));
                        return Some(standing.signal);
                    }
                    Reading::Level(_) => break,
                }
            }
        }
        None
    }

    /// Watches the folder of the level, once it is there.
    fn watch(&mut self) {
        if self.looks.watcher.is_some() {
            return;
        }
        let Some(engine) = self.engine_id else { return };
        let Some(folder) = self.engine.level_file(&self.env, engine.pid) else { return };
        let Some(folder) = folder.parent().filter(|folder| folder.is_dir()) else { return };
        let watched = Arc::clone(&self.looks.watched);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // To read the level is an event too: looking again because of it would never end.
            if !event.is_ok_and(|event| is_reading(event.kind)) {
                watched.notify_one();
            }
        });
        let Ok(mut watcher) = watcher else { return };
        if watcher.watch(folder, RecursiveMode::NonRecursive).is_ok() {
            self.looks.watcher = Some(watcher);
        }
    }

    fn residents(&mut self, members: &[Member], at: Instant, near: bool) -> Vec<Resident> {
        let engine =
            [self.engine_id.map(|engine| engine.pid), self.looks.level.as_ref().map(|(pid, _)| *pid)];
        let new: Vec<&Member> = members
            .iter()
            .filter(|member| {
                !engine.contains(&Some(member.id.pid)) && !self.looks.baseline.contains(&member.id)
            })
            .collect();
        let ids: Vec<ProcessId> = new.iter().map(|member| member.id).collect();
        let ports: HashMap<ProcessId, u16> = repose_sys::sockets::listening(&ids)
            .unwrap_or_default()
            .into_iter()
            .map(|socket| (socket.process, socket.address.port()))
            .collect();
        let busy = self.busy(members, at, near);
        let wall = now().wall;
        let known = std::mem::take(&mut self.looks.residents);
        for member in new {
            let was = known.get(&member.id);
            let because = match ports.get(&member.id) {
                Some(&port) => Because::Listens(port),
                None if busy.contains(&member.id) => Because::Busy,
                // Two scans too near to each other change nothing about who is busy.
                None if near && was.is_some_and(|was| was.because == Because::Busy) => Because::Busy,
                None => continue,
            };
            let command =
                if member.command.is_empty() { member.name.clone() } else { member.command.join(" ") };
            let since = was.map_or(wall, |was| was.since);
            self.looks.residents.insert(member.id, Resident { pid: member.id.pid, command, since, because });
        }
        let mut residents: Vec<Resident> = self.looks.residents.values().cloned().collect();
        residents.sort_by_key(|resident| resident.pid);
        residents
    }

    fn busy(&self, members: &[Member], at: Instant, near: bool) -> Vec<ProcessId> {
        let Some((then, before)) = self.looks.scanned.as_ref().filter(|_| !near) else { return Vec::new() };
        let enough = (at - *then) / BUSY_SHARE;
        // One that has just come has had less time for it. What its start alone uses is forgotten at the next scan.
        let enough_for_new = BUSY_APART / BUSY_SHARE;
        tree::busy(before, members)
            .into_iter()
            .filter(|(id, used)| {
                let known = before.iter().any(|member| member.id == *id);
                *used >= if known { enough } else { enough_for_new }
            })
            .map(|(id, _)| id)
            .collect()
    }
}

/// Whether somebody only read. The end of a write is none.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}
