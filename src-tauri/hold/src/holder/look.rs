//! Looking at the engine: its level, its screen while it opens, its transcript, its processes and their
//! memory.
//!
//! The engine's hooks report on their own. Everything here is looked at when something changed, and at
//! intervals in case a change was missed.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use repose_core::hold::Resident;
use repose_core::ids::ConversationId;
use repose_core::session::{Activity, Event, Look};
use repose_core::signal::{Level, Said, Signal, Wait};
use repose_core::time::{Now, Wall};
use repose_engine::engine::{LevelBy, TurnsBy};
use repose_engine::told::Reading;
use repose_engine::transcript::{Answer, Asked, LastTurn, Place};
use repose_sys::ProcessId;
use repose_sys::clock::now;
use repose_sys::memory::{self, Memory};
use repose_sys::tree::{self, Member};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::ending::Phase;
use super::job::Job;
use super::residents::BUSY_APART;
use super::session::Holder;

/// How often to look while the engine opens or a turn waits for its outcome. A look reads one small file.
pub(super) const CLOSELY: Duration = Duration::from_millis(100);

/// An engine that isn't open yet and draws nothing for this long waits for somebody: for the answer to a
/// dialog, or a login. It is then looked at as rarely as an open one, until it draws again.
const STILL_AFTER: Duration = Duration::from_secs(10);

/// How often to look at a level that isn't watched.
const UNWATCHED: Duration = Duration::from_secs(2);

/// How often to scan the tree. A scan takes 1 ms on a machine with 100 processes.
const SCAN: Duration = Duration::from_secs(5);

/// How often to scan the tree until the engine's level is found.
pub(super) const OPENING_SCAN: Duration = Duration::from_millis(500);

/// How many times to read a file at once that is being written; after that it is read after [`CLOSELY`].
const READS: usize = 5;

/// The greatest age of memory in a state. Measuring takes 15 ms per GB, once for all who ask at the same
/// time.
const MEMORY_FRESH: Duration = Duration::from_millis(500);

/// How long to wait for the hook of a turn whose engine is idle and hasn't reported how it ended, before the
/// transcript is read.
const HOOK_FIRST: Duration = Duration::from_secs(2);

/// How long a hook that had the spool open when it was put aside may take to write: it waits for nothing in
/// between.
const SPOOL_SETTLES: Duration = Duration::from_millis(200);

/// What was last seen of the engine.
#[derive(Debug)]
pub(super) struct Looks {
    watched: Arc<Notify>,
    watcher: Option<RecommendedWatcher>,
    pub(super) tree: Vec<ProcessId>,
    /// When the title last said that the engine is idle, and when it had said so before the present turn.
    pub(super) rested: Wall,
    pub(super) rested_before: Wall,
    /// When a prompt was last sent, and when that of the present turn was, if it was sent from here.
    pub(super) sent: Option<Wall>,
    pub(super) asked: Option<Wall>,
    /// Whether the screen changed since the last look for a dialog.
    drawn: bool,
    drew: Instant,
    dialog: Option<Wait>,
    /// The process that keeps a level, and the last content of its file.
    pub(super) level: Option<(ProcessId, Vec<u8>)>,
    torn: bool,
    pub(super) next: Instant,
    pub(super) next_scan: Instant,
    pub(super) scanned: Option<(Instant, Vec<Member>)>,
    /// The processes of the tree that are known to work, with since when.
    pub(super) residents: HashMap<ProcessId, Resident>,
    /// The processes that existed when the engine became ready.
    pub(super) baseline: Vec<ProcessId>,
    /// Whether the engine became ready, or was given work before that could be seen.
    pub(super) ready: bool,
    memory: Option<(Instant, Memory, Wall)>,
    transcript_bytes: u64,
    /// The last prompt that a person wrote.
    pub(super) prompt: Option<String>,
    /// Since when the engine has been idle during a turn without an outcome.
    silent: Option<Instant>,
    pub(super) job: Job,
    /// Whether the engine edits its lines itself: it has taken keys while it waited for one.
    pub(super) edits: bool,
    /// The level that the title shows, and when it began or was last reported.
    pub(super) titled: Option<(Instant, Level)>,
}

impl Looks {
    /// The screen changed.
    pub(super) fn drew(&mut self) {
        let now = Instant::now();
        if self.is_still(now) {
            self.next = self.next.min(now + CLOSELY);
        }
        self.drew = now;
        self.drawn = true;
        self.job.drew();
    }

    pub(super) fn new(watched: Arc<Notify>) -> Self {
        let now = Instant::now();
        Self {
            watched,
            watcher: None,
            tree: Vec::new(),
            rested: Wall(0),
            rested_before: Wall(0),
            sent: None,
            asked: None,
            drawn: false,
            drew: now,
            dialog: None,
            level: None,
            torn: false,
            next: now,
            next_scan: now,
            scanned: None,
            residents: HashMap::new(),
            baseline: Vec::new(),
            ready: false,
            memory: None,
            transcript_bytes: 0,
            prompt: None,
            silent: None,
            job: Job::Unseen,
            edits: false,
            titled: None,
        }
    }

    /// Whether nothing has been drawn for a long time.
    pub(super) fn is_still(&self, now: Instant) -> bool {
        self.still_for(now) >= STILL_AFTER
    }

    /// How long nothing has been drawn.
    pub(super) fn still_for(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.drew)
    }

    pub(super) fn watching(&self) -> bool {
        self.watcher.is_some()
    }
}

impl Holder {
    /// The engine's process has started.
    pub(super) fn begin_looking(&mut self) {
        self.scan(false);
        self.look_whether_open();
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
            let idle = self.session.view(now()).activity.is_idle();
            let residents = self.scan(idle);
            if idle {
                self.feed(Event::Residents(residents));
            }
            self.screen.rest();
            self.hear_spooled(at);
            crate::folder::bound_log(&self.dir);
            self.look_at_level();
            self.child_ended(); // in case its signal was missed
        }
        if at >= self.looks.next && matches!(self.phase, Phase::Live) {
            self.look_closely();
        }
    }

    /// Takes in what hooks spooled while this holder didn't respond: a swapping machine can stop it for
    /// longer than they wait.
    fn hear_spooled(&mut self, at: Instant) {
        let (events, more) = crate::hook::take_spooled(&self.dir);
        if more {
            self.looks.next_scan = at + SPOOL_SETTLES;
        }
        for (told, payload) in events {
            self.hook(told, &payload);
        }
    }

    /// Reports the level if it changed.
    pub(super) fn look_at_level(&mut self) {
        if !matches!(self.phase, Phase::Live) {
            return;
        }
        let before = self.looks.level.as_ref().map(|(_, content)| content.clone());
        let Some(signal) = self.read_level() else { return };
        if self.looks.level.as_ref().map(|(_, content)| content) != before.as_ref() {
            self.signal(signal);
            // How the turn ended may have to be looked for.
            self.looks.next = self.looks.next.min(Instant::now() + CLOSELY);
        }
    }

    /// Looks at the engine before an end is judged.
    pub(super) fn look(&mut self) -> Look {
        if let Some((_, content)) = &mut self.looks.level {
            content.clear();
        }
        match self.engine.speaks().level {
            LevelBy::Foreground => self.look_at_job(),
            LevelBy::File | LevelBy::Title | LevelBy::Events => {}
        }
        let loss = self.engine.would_lose(&self.env, Path::new(&self.spec.cwd));
        let level = self.read_level().or_else(|| self.feed_lost_level());
        Look { level, residents: self.scan(true), resumable: self.resumable(), loss }
    }

    /// Scans the tree. With `residents`, returns its processes that work and didn't exist when the engine
    /// became ready.
    pub(super) fn scan(&mut self, residents: bool) -> Vec<Resident> {
        let Some(own) = ProcessId::own() else { return Vec::new() };
        let tree = tree::below(own);
        let ids = tree.ids();
        if ids != self.looks.tree {
            // On a full disk the runner has to rely on the mark.
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

    /// The memory of the tree, measured now.
    pub(super) fn measure(&mut self) -> Memory {
        let tree = ProcessId::own().map(|own| tree::below(own).ids()).unwrap_or_default();
        let measured = memory::of(&tree);
        self.looks.memory = Some((Instant::now(), measured, now().wall));
        measured
    }

    /// The memory of the tree, measured a moment ago.
    pub(super) fn memory(&mut self) -> Option<(Memory, Wall)> {
        self.child.as_ref()?;
        if self.looks.memory.is_none_or(|(at, ..)| at.elapsed() >= MEMORY_FRESH) {
            self.measure();
        }
        self.looks.memory.map(|(_, memory, at)| (memory, at))
    }

    /// The path of the current conversation's transcript, if it exists.
    pub(super) fn transcript_path(&self) -> Option<PathBuf> {
        let told = self.transcript.as_ref().map(PathBuf::from);
        let would =
            |id: &ConversationId| self.engine.transcript_path(&self.env, Path::new(&self.spec.cwd), id);
        told.or_else(|| self.conversation().and_then(would)).filter(|path| path.is_file())
    }

    /// Whether the conversation was asked something and has at least one turn in its transcript.
    fn resumable(&self) -> bool {
        let last = |path: PathBuf| {
            let place = Place { path: &path, id: self.conversation()? };
            self.engine.tail(place).ok().map(|tail| tail.last_turn)
        };
        self.engine.keeps_conversations()
            && self.transcript_path().and_then(last).is_some_and(|turn| turn != LastTurn::None)
    }

    fn look_closely(&mut self) {
        let view = self.session.view(now());
        let opening = !self.session.is_confirmed();
        let silent = self.session.awaits_outcome();
        let opens_now = opening && !self.looks.is_still(Instant::now());
        let closely = opens_now || silent || self.looks.torn || self.looks.job.goes_on();
        self.looks.next = Instant::now() + if closely { CLOSELY } else { UNWATCHED };
        if opening {
            self.look_whether_open();
            self.look_for_dialog();
        }
        match self.engine.speaks().level {
            LevelBy::Foreground => self.look_at_job(),
            LevelBy::Title | LevelBy::Events => {
                self.look_at_transcript(silent, matches!(view.activity, Activity::Working { .. }))
            }
            LevelBy::File => {
                self.watch();
                if closely || !self.looks.watching() {
                    self.look_at_level();
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

    /// A growing transcript is a sign of life. It also tells how a turn ended if no hook did.
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
        let Some(id) = self.conversation().cloned() else { return };
        if self.follow(&id) {
            return;
        }
        let place = Place { path: &path, id: &id };
        if !self.is_in(place) {
            return;
        }
        let Ok(tail) = self.engine.tail(place) else { return };
        let first = match self.engine.speaks().turns {
            TurnsBy::Hooks | TurnsBy::Events => HOOK_FIRST,
            TurnsBy::Transcript | TurnsBy::Screen => Duration::ZERO,
        };
        match tail.last_turn {
            LastTurn::Interrupted => self.says(Said::Interrupted),
            LastTurn::Answered | LastTurn::Failed if since.elapsed() >= first => self.last_word(place),
            // The engine is idle, and no outcome was reported.
            LastTurn::None | LastTurn::Open if since.elapsed() >= HOOK_FIRST => {
                let back = self.engine.gives_prompts_back();
                self.says(if back { Said::TakenBack } else { Said::Interrupted });
            }
            LastTurn::Answered | LastTurn::Failed | LastTurn::None | LastTurn::Open | LastTurn::Unknown => {}
        }
    }

    /// Whether the transcript has the present turn, where only the title has shown it so far: the turn before
    /// says nothing about this one.
    fn is_in(&self, transcript: Place<'_>) -> bool {
        match self.engine.speaks().turns {
            TurnsBy::Hooks | TurnsBy::Events | TurnsBy::Screen => true,
            TurnsBy::Transcript => {
                let turned = self.turned(transcript.id, &[]);
                turned.is_some_and(|turned| self.engine.asked_in(transcript, &turned).unwrap_or(false))
            }
        }
    }

    /// Takes the turn's outcome from the transcript, since the hook was lost.
    fn last_word(&mut self, transcript: Place<'_>) {
        let Some(text) = self.looks.prompt.clone() else { return };
        let since = self.turned(transcript.id, &[]).map_or(Wall(0), |turned| turned.since());
        let asked = match self.engine.speaks().turns {
            TurnsBy::Transcript if !text.is_empty() => Asked::TextSince(&text, since),
            TurnsBy::Hooks | TurnsBy::Events | TurnsBy::Screen if !text.is_empty() => Asked::Text(&text),
            TurnsBy::Transcript | TurnsBy::Hooks | TurnsBy::Events | TurnsBy::Screen => Asked::Last,
        };
        let Ok(answer) = self.engine.answer_to(transcript, asked) else { return };
        match answer {
            Answer::Answered(text) => {
                self.says(Said::Stopped { prompt: None, text, background: None, wakeups: None });
            }
            Answer::Failed(error) => self.says(Said::Failed { error }),
            Answer::Interrupted => self.says(Said::Interrupted),
            Answer::NotAsked | Answer::Open => {}
        }
    }

    /// Reads the level. The process that keeps it is the engine's, or one below it if that is a wrapper.
    fn read_level(&mut self) -> Option<Signal> {
        let known = self.looks.level.as_ref().map(|(process, _)| *process);
        let processes: Vec<ProcessId> = match known {
            Some(process) => vec![process],
            None => self.engine_id.iter().chain(&self.looks.tree).copied().collect(),
        };
        for process in processes {
            let path = self.engine.level_file(&self.env, process.pid)?;
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
                    Reading::Level(standing) if standing.is_of(process) => {
                        self.looks.level = Some((process, content));
                        return Some(standing.signal);
                    }
                    // Left behind by an earlier process with the same pid.
                    Reading::Level(_) => break,
                }
            }
        }
        None
    }

    /// Watches the level's folder, once it exists.
    fn watch(&mut self) {
        if self.looks.watcher.is_some() {
            return;
        }
        let Some(engine) = self.engine_id else { return };
        let Some(folder) = self.engine.level_file(&self.env, engine.pid) else { return };
        let Some(folder) = folder.parent().filter(|folder| folder.is_dir()) else { return };
        let watched = Arc::clone(&self.looks.watched);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading the level is an event too: reacting to it would never end.
            if !event.is_ok_and(|event| is_reading(event.kind)) {
                watched.notify_one();
            }
        });
        let Ok(mut watcher) = watcher else { return };
        if watcher.watch(folder, RecursiveMode::NonRecursive).is_ok() {
            self.looks.watcher = Some(watcher);
        }
    }
}

/// Whether the file was only read. Closing it after a write doesn't count.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}
