//! The session that a holder holds: feeds the core's state machine every event, and carries out its effects.

use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use repose_core::decision::{Decision, Pick, Question};
use repose_core::ids::{ConversationId, DecisionId};
use repose_core::session::{Effect, EndReason, Event, Fact, NotNow, Session, TurnOutcome, View};
use repose_core::signal::{Author, Level, Said, Signal};
use repose_core::time::{Awake, Wall};
use repose_core::typing::{Front, Line};
use repose_engine::{EngineRef, Env};
use repose_sys::ProcessId;
use repose_sys::clock::now;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Wake;
use super::clients::{ClientId, Clients, FromClient, Outgoing};
use super::ending::Phase;
use super::feed::Listening;
use super::keys::Typing;
use super::look::Looks;
use crate::folder::Spec;
use crate::hook;
use crate::journal::Journal;
use crate::pty::{Program, Pty};
use crate::screen::Screen;
use crate::wire::{Entry, How, Push, Size};

/// The most bytes to queue for an engine that doesn't read. The rest is dropped, as by a terminal whose
/// program doesn't read; four prompts of the maximum length fit.
const OUTBOX_MAX: usize = 1024 * 1024;

/// The most bytes of an answer. A longer one is cut and ends in `…`. Models write a hundredth of that; the
/// transcript has all of it.
const ANSWER_MAX: usize = 1024 * 1024;

/// A change of the time of letting go that is smaller than this, in milliseconds, isn't reported: it comes
/// from reading two clocks one after the other.
const SAME_HOUR: u64 = 1_000;

/// The session and everything that belongs to it.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) dir: PathBuf,
    pub(super) spec: Spec,
    pub(super) engine: EngineRef,
    pub(super) env: Env,
    pub(super) session: Session,
    pub(super) journal: Journal,
    pub(super) journal_trouble: Option<String>,
    pub(super) screen: Screen,
    pub(super) pty: Option<Pty>,
    pub(super) outbox: VecDeque<u8>,
    pub(super) child: Option<Child>,
    pub(super) engine_id: Option<ProcessId>,
    pub(super) started: Wall,
    pub(super) transcript: Option<String>,
    pub(super) clients: Clients,
    pub(super) looks: Looks,
    /// The connection to an engine that reports on a port.
    pub(super) listening: Option<Listening>,
    pub(super) phase: Phase,
    /// The terminal that determined the size of the screen.
    pub(super) sized_by: Option<ClientId>,
    /// The prompt that is being typed.
    pub(super) typing: Option<Typing>,
    /// Hooks that wait to be told a decision.
    pub(super) deciders: HashMap<DecisionId, Decider>,
    /// How many decisions were offered; gives each one its id.
    decisions: u64,
    /// The client that waits for the end that is about to begin.
    pub(super) end_asked_by: Option<(ClientId, u64)>,
    /// The client that waits for the verdict on the session.
    pub(super) freeze_asked_by: Option<(ClientId, u64)>,
    pub(super) exit_status: Option<ExitStatus>,
    told: Option<View>,
}

/// A hook that waits for a decision.
#[derive(Debug)]
pub(super) struct Decider {
    client: ClientId,
    out: Outgoing,
    payload: Vec<u8>,
    /// What was picked so far and not taken back.
    picks: Vec<Pick>,
}

/// The state machine's immediate answer to whoever ordered something.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    None,
    /// The ask isn't typed now.
    NotNow(NotNow),
    /// Whether the decision reached the engine.
    Decided(bool),
    /// The session isn't ended: the freeze that was named has lapsed.
    Thawed,
}

impl Holder {
    pub(super) fn open(dir: &Path, spec: Spec, engine: EngineRef, watched: Arc<Notify>) -> io::Result<Self> {
        let now = now();
        let env = Env::new(spec.env.iter().cloned());
        let habits = engine.habits(&env, Path::new(&spec.cwd));
        Ok(Self {
            dir: dir.to_owned(),
            env,
            session: Session::new(&spec.name, engine.described(), habits, spec.params, now),
            journal: Journal::open(dir)?,
            journal_trouble: None,
            screen: Screen::new(spec.cols, spec.rows),
            pty: None,
            outbox: VecDeque::new(),
            child: None,
            engine_id: None,
            started: now.wall,
            transcript: None,
            clients: Clients::default(),
            looks: Looks::new(watched),
            listening: None,
            phase: Phase::Live,
            sized_by: None,
            typing: None,
            deciders: HashMap::new(),
            decisions: 0,
            end_asked_by: None,
            freeze_asked_by: None,
            exit_status: None,
            told: None,
            engine,
            spec,
        })
    }

    /// Starts the engine. If it can't be started, the session has ended.
    pub(super) fn start(&mut self) {
        let mut env = self.spec.env.clone();
        let mut set = |name: &str, value: OsString| env.push((name.into(), value));
        set(repose_sys::tree::MARK, self.spec.session.as_str().into());
        set(hook::FOLDER_VARIABLE, self.dir.clone().into());
        set(hook::SOCKET_VARIABLE, crate::folder::socket_path(&self.dir).into());
        let (cols, rows) = self.screen.size();
        let program = Program {
            program: &self.spec.program,
            args: &self.spec.args,
            env: &env,
            cwd: &self.spec.cwd,
            cols,
            rows,
        };
        match Pty::spawn(&program) {
            Ok((pty, child)) => {
                self.engine_id = ProcessId::of(child.id());
                self.pty = Some(pty);
                self.child = Some(child);
                self.started = now().wall;
                self.feed(Event::Columns(cols));
                self.begin_looking();
            }
            Err(error) => {
                let words =
                    format!("{} couldn't be started: {error}", Path::new(&self.spec.program).display());
                self.begin_end(How::Failed { words });
            }
        }
    }

    pub(super) fn wake(&mut self, wake: Wake, output: &[u8]) {
        match wake {
            Wake::Output(Ok(read)) if read > 0 => self.output(&output[..read]),
            // On Linux, the closing of the other end is an error.
            Wake::Output(_) => self.pty = None,
            Wake::Writable => self.write_out(),
            Wake::Client(id, what) => self.client(id, what),
            Wake::Child => self.child_ended(),
            Wake::Terminate => {
                if matches!(self.phase, Phase::Live) {
                    self.feed(Event::Terminated);
                }
            }
            Wake::Watched => self.look_at_level(),
            Wake::Heard(news) => self.hear(news),
            Wake::Time => {}
        }
        while let Some((id, scrollback)) = self.clients.lacks() {
            let snapshot = self.screen.snapshot(scrollback);
            self.clients.show_anew(id, &snapshot, scrollback);
        }
        self.go_on_typing();
        self.pass_time();
    }

    /// Sends everyone the session's view, if it changed.
    pub(super) fn tell_view(&mut self) {
        let view = self.session.view(now());
        if self.told.as_ref().is_some_and(|told| same(told, &view)) {
            return;
        }
        self.clients.push(&Push::View(view.clone()));
        self.told = Some(view);
    }

    /// The conversation that the engine is in. Until it has confirmed one: the one that it was told to open.
    pub(super) fn conversation(&self) -> Option<&ConversationId> {
        match self.session.is_confirmed() {
            true => self.session.conversation(),
            false => self.spec.conversation.as_ref(),
        }
    }

    /// The latest moment at which it has something to do.
    pub(super) fn wakes_at(&self) -> Instant {
        let now = now();
        let after = |at: Awake| Instant::now() + at.since(now.awake);
        let own = [self.phase.wakes_at(), self.clients.wakes_at(), Some(self.looks_at(now)), self.types_at()];
        let machine = match self.phase {
            Phase::Live => self.session.next_wake(now).map(after),
            Phase::Ending(_) | Phase::Over(_) => None,
        };
        own.into_iter()
            .flatten()
            .chain(machine)
            .min()
            .unwrap_or_else(|| Instant::now() + Duration::from_secs(1))
    }

    /// Feeds the state machine an event, and carries out the effects.
    pub(super) fn feed(&mut self, event: Event) -> Reply {
        let mut reply = Reply::None;
        let mut effects = VecDeque::from(self.session.handle(event, now()));
        // Whoever hears that a turn is over must know by then that the engine is idle.
        self.tell_view();
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Tell(fact) => self.tell(fact),
                Effect::Type(keys) => self.type_keys(keys),
                Effect::StopTyping => self.stop_typing(),
                Effect::ReadHabits => {
                    let habits = self.engine.habits(&self.env, Path::new(&self.spec.cwd));
                    effects.extend(self.session.handle(Event::Habits(habits), now()));
                }
                Effect::Write(bytes) => self.write(&bytes),
                Effect::Look => {
                    let look = self.look();
                    effects.extend(self.session.handle(Event::Looked(look), now()));
                }
                Effect::Judged(verdict) => self.judged(verdict),
                Effect::Decide { decision, pick } => {
                    let reached = self.reply(&decision, &pick);
                    reply = Reply::Decided(
                        reached.unwrap_or_else(|| self.decided(&decision, |picks| picks.push(pick))),
                    );
                }
                Effect::TakeBack(decision) => {
                    reply = Reply::Decided(self.decided(&decision, |picks| drop(picks.pop())));
                }
                Effect::LeaveToTerminal(decision) => drop(self.deciders.remove(&decision)),
                Effect::DecidedBefore => reply = Reply::Decided(true),
                Effect::Undecided => reply = Reply::Decided(false),
                Effect::NotNow { ask: _, why } => reply = Reply::NotNow(why),
                Effect::LetGo { idle } => {
                    if self.journal_trouble.is_none() || self.clients.any_runner() {
                        self.begin_end(How::Reaped { idle });
                    } else {
                        effects.extend(self.session.handle(Event::Unrecorded, now()));
                    }
                }
                Effect::End(reason) => {
                    let how = match reason {
                        EndReason::Ordered => How::Ended,
                        EndReason::Exited => self.exit(),
                    };
                    self.begin_end(how);
                }
                Effect::Thawed => reply = Reply::Thawed,
            }
        }
        reply
    }

    /// Takes in a signal of the engine. The engine's words for a prompt may differ from those typed.
    pub(super) fn signal(&mut self, mut signal: Signal) {
        if let Said::PromptTaken { text, author: Author::Person, .. } = &mut signal.said {
            self.looks.prompt = Some(text.clone());
            if let Some(asked) = self.session.awaits_proof_of()
                && self.engine.same_prompt(asked, text)
            {
                *text = asked.to_owned();
            }
        }
        let rests = matches!(signal.said, Said::Level(Level::Idle));
        self.feed(Event::Signal(signal));
        if rests && self.session.is_confirmed() {
            self.got_ready();
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        if self.pty.is_some() && self.outbox.len() + bytes.len() <= OUTBOX_MAX {
            self.outbox.extend(bytes);
        }
    }

    pub(super) fn record(&mut self, entry: Entry) {
        let (numbered, written) = self.journal.append(entry, now().wall);
        self.journal_trouble = written.err().map(|error| error.to_string());
        self.clients.push(&Push::Journal(numbered));
    }

    pub(super) fn resize(&mut self, id: ClientId, Size { cols, rows }: Size) {
        self.sized_by = Some(id);
        if self.screen.size() == (cols, rows) {
            return;
        }
        let (cols, rows) = self.screen.resize(cols, rows);
        self.feed(Event::Columns(cols));
        if let Some(pty) = &self.pty {
            // A closed terminal has no size.
            let _ = pty.resize(cols, rows);
        }
    }

    pub(super) fn output(&mut self, bytes: &[u8]) {
        let fed = self.screen.feed(bytes);
        self.write(&fed.answers);
        self.clients.show(&fed.shown);
        self.looks.drew();
        self.hear_titles(&fed.titles);
    }

    fn tell(&mut self, mut fact: Fact) {
        if let Fact::TurnOver { outcome: TurnOutcome::Answered(text) | TurnOutcome::Failed(text), .. } =
            &mut fact
            && text.len() > ANSWER_MAX
        {
            text.truncate(text.floor_char_boundary(ANSWER_MAX));
            text.push('…');
        }
        match &fact {
            Fact::Confirmed { transcript, .. } => {
                self.transcript.clone_from(transcript);
                // Somebody waits for this: it is sent before the tree is looked at.
                self.record(Entry::Fact(fact));
                self.take_baseline();
                return;
            }
            Fact::Moved { transcript, .. } => self.transcript.clone_from(transcript),
            Fact::Taken { .. } => {
                self.looks.ready = true;
                // The hook that would have reported it may be silent.
                if let Some(typing) = self.typing.take() {
                    self.looks.prompt = Some(typing.text);
                }
            }
            Fact::NotTaken { .. } | Fact::GivenBack { .. } => {
                self.take_out();
                self.forget_typing();
            }
            Fact::TurnOver { .. } | Fact::LettingGo { .. } => {}
        }
        self.record(Entry::Fact(fact));
    }

    fn write_out(&mut self) {
        let Some(pty) = &self.pty else { return };
        self.outbox.make_contiguous();
        match pty.write_now(self.outbox.as_slices().0) {
            Ok(written) => drop(self.outbox.drain(..written)),
            Err(_) => self.outbox.clear(), // the terminal is closed
        }
    }

    fn client(&mut self, id: ClientId, what: FromClient) {
        match what {
            FromClient::Orders(out) => self.clients.add_runner(id, out),
            FromClient::Terminal(attach, out) => {
                if self.sized_by.is_none() {
                    self.resize(id, Size { cols: attach.cols, rows: attach.rows });
                }
                let later = attach.scrollback && self.screen.scrollback().1 > 0;
                let snapshot = self.screen.snapshot(attach.scrollback && !later);
                self.clients.add_terminal(id, attach, out, &snapshot, later);
            }
            FromClient::Ask(asked, op) => self.order(id, asked, op),
            FromClient::Input(bytes) => {
                let Some(terminal) = self.clients.terminals.get(&id) else { return };
                let size = terminal.size;
                if typed(&bytes) && self.sized_by != Some(id) {
                    self.resize(id, size);
                }
                self.feed(Event::CursorRow(self.screen.cursor_row()));
                let bytes = bytes.to_vec();
                self.feed(if self.waits_for_room() { Event::Aside(bytes) } else { Event::Input(bytes) });
            }
            FromClient::Report(bytes) => {
                if self.clients.terminals.contains_key(&id) {
                    self.feed(Event::Report(bytes.to_vec()));
                }
            }
            FromClient::Resize(size) => {
                let Some(terminal) = self.clients.terminals.get_mut(&id) else { return };
                terminal.size = size;
                if self.sized_by == Some(id) {
                    self.resize(id, size);
                }
            }
            FromClient::Ack(total) => self.clients.acked(id, total),
            FromClient::Hook(body) => {
                if let Some((at, payload)) = hook::event(&body) {
                    self.hook(at, payload);
                }
            }
            FromClient::Decides(body, out) => {
                if let Some((at, payload)) = hook::event(&body) {
                    self.hook(at, payload);
                }
                self.decides(id, &body, out);
            }
            FromClient::Gone => {
                let hook = self.deciders.iter().find(|(_, decider)| decider.client == id);
                if let Some(decision) = hook.map(|(decision, _)| decision.clone()) {
                    self.deciders.remove(&decision);
                    self.feed(Event::DecisionGone(decision));
                }
                self.clients.gone(id);
                if self.sized_by == Some(id) {
                    self.sized_by = None;
                }
            }
        }
    }

    /// A hook waits for a decision. One that can't be told anything learns at once that no answer will come.
    fn decides(&mut self, client: ClientId, body: &[u8], out: Outgoing) {
        let Some((_, payload)) = hook::event(body) else { return };
        let decider = Decider { client, out, payload: payload.to_owned(), picks: Vec::new() };
        let Some(question) = self.engine.question(payload, &[]) else { return };
        self.decides_next(decider, question);
    }

    /// An id for the next decision.
    pub(super) fn decision_id(&mut self) -> DecisionId {
        self.decisions += 1;
        DecisionId::new(format!("{}.{}", self.spec.session, self.decisions))
    }

    fn decides_next(&mut self, decider: Decider, question: Question) {
        let id = self.decision_id();
        self.deciders.insert(id.clone(), decider);
        self.feed(Event::Decides(Decision { id, question }));
    }

    /// Tells the hook, or asks what else it needs to know, after this change of what was picked. Returns
    /// whether the hook is still there.
    fn decided(&mut self, decision: &DecisionId, picks: impl FnOnce(&mut Vec<Pick>)) -> bool {
        let Some(mut decider) = self.deciders.remove(decision) else { return false };
        picks(&mut decider.picks);
        if let Some(question) = self.engine.question(&decider.payload, &decider.picks) {
            self.decides_next(decider, question);
            return true;
        }
        let Some(words) = self.engine.decided(&decider.payload, &decider.picks) else { return false };
        decider.out.print(&words);
        true
    }

    /// Takes in what one of the engine's hooks was told, and when.
    pub(super) fn hook(&mut self, at: Wall, payload: &[u8]) {
        // What can't be read is ignored: level and transcript still tell the truth.
        if let Ok(Some(signal)) = self.engine.signal(payload, at) {
            self.signal(signal);
        }
    }
}

/// Whether two views differ in nothing that anybody would see.
fn same(told: &View, view: &View) -> bool {
    let near = match (told.reap_at, view.reap_at) {
        (Some(a), Some(b)) => a.0.abs_diff(b.0) < SAME_HOUR,
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    near && *told == View { reap_at: told.reap_at, ..view.clone() }
}

/// Whether a person sent these bytes, rather than the terminal on its own.
fn typed(bytes: &[u8]) -> bool {
    Line::default().feed(bytes, Front::Line, Awake(0)).by_person
}
