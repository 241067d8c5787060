//! The actor of one repo: its only owner. It feeds the core's machine everything that happens, and does what comes back.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use repose_core::ask::Ask;
use repose_core::ids::{AskId, ConversationId, SessionId};
use repose_core::repo::{Adopted, Answer, Effect, Event, Intent, ReplyTo, Repo, Stored};
use repose_core::session::{Activity, Fact, Lease, NotNow, Params, View};
use repose_core::time::Now;
use repose_core::trouble::{Code, Trouble};
use repose_hold::{Entry, Numbered, State};
use repose_sys::clock::now;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::check::Facts;
use crate::link::{Begin, Link, News, Op};
use crate::shared::Shared;
use crate::shown::{Live, Memory, Shown};
use crate::store::SessionRow;

/// Leases are renewed this often: three times in the minute that they last.
const LEASE_RENEWED: Duration = Duration::from_secs(20);

/// Everything that wakes an actor.
#[derive(Debug)]
pub(crate) enum Wake {
    /// Somebody orders something.
    Order(Order, oneshot::Sender<Answer>),
    /// Somebody wants to attach a terminal.
    Attach(oneshot::Sender<Result<PathBuf, Trouble>>),
    /// Something happened that the machine must know.
    Event(Event),
    /// A holder was started, or couldn't be.
    Spawned(SessionId, Result<(Child, String), Trouble>),
    /// News of a session.
    News(SessionId, News),
    /// Somebody wants to know about the live session.
    Live(oneshot::Sender<Option<Box<Live>>>),
    /// The settings changed.
    Settings,
    /// The runner goes; holders stay.
    Leave,
}

/// What people order.
#[derive(Debug)]
pub(crate) enum Order {
    Ensure,
    Ask { ask: Ask, wait: bool },
    Await(AskId),
    Withdraw(AskId),
    Pause { interrupt: bool },
    Resume(Option<ConversationId>),
    Lift,
    Fresh { interrupt: bool },
    Stop { interrupt: bool },
    Remove { interrupt: bool },
    Interrupt,
    Pin(bool),
}

/// Who waits for a reply.
#[derive(Debug)]
enum Asker {
    Surface(oneshot::Sender<Answer>),
    /// A terminal that wants to attach: it waits for a holder, and only a refusal is its reply.
    Terminal(oneshot::Sender<Result<PathBuf, Trouble>>),
}

/// A session's connection, or what is to be sent over it once it stands.
#[derive(Debug)]
enum Line {
    Pending(Vec<Op>),
    Linked(Link),
}

/// The actor.
pub(crate) struct Actor {
    pub(crate) facts: Facts,
    pub(crate) shared: Arc<Shared>,
    pub(crate) myself: mpsc::UnboundedSender<Wake>,
    mailbox: mpsc::UnboundedReceiver<Wake>,
    pub(crate) repo: Repo,
    lines: HashMap<SessionId, Line>,
    askers: HashMap<u64, Asker>,
    next_reply: u64,
    /// How the live session's holder stood last.
    held: Option<Box<State>>,
    memory: Option<Memory>,
    leased: bool,
    leases_due: Instant,
    /// A session from before this runner, whose news are still coming in; and who waits for that.
    adopting: Option<(SessionId, Option<oneshot::Sender<()>>)>,
    removed: bool,
}

/// The mailbox of an actor.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    mailbox: mpsc::UnboundedSender<Wake>,
}

impl Handle {
    pub(crate) fn send(&self, wake: Wake) {
        let _ = self.mailbox.send(wake);
    }

    /// The answer to an order. `None`: the repo is gone.
    pub(crate) async fn order(&self, order: Order) -> Option<Answer> {
        let (reply, answer) = oneshot::channel();
        self.send(Wake::Order(order, reply));
        answer.await.ok()
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.mailbox.is_closed()
    }
}

impl Actor {
    /// Begins an actor. With a session from before, the receiver says when its news are in.
    pub(crate) fn begin(
        facts: Facts,
        shared: Arc<Shared>,
        stored: Stored,
        gate_closed: bool,
        before: Option<SessionRow>,
    ) -> (Handle, oneshot::Receiver<()>) {
        let (myself, mailbox) = mpsc::unbounded_channel();
        let handle = Handle { mailbox: myself.clone() };
        let (begun, begins) = oneshot::channel();
        let policy = shared.settings().policy;
        let repo = Repo::new(facts.engine.described(), policy, stored);
        let actor = Self {
            facts,
            shared,
            myself,
            mailbox,
            repo,
            lines: HashMap::new(),
            askers: HashMap::new(),
            next_reply: 0,
            held: None,
            memory: None,
            leased: false,
            leases_due: Instant::now() + LEASE_RENEWED,
            adopting: None,
            removed: false,
        };
        tokio::spawn(actor.run(gate_closed, before, begun));
        (handle, begins)
    }

    async fn run(mut self, gate_closed: bool, before: Option<SessionRow>, begun: oneshot::Sender<()>) {
        if gate_closed {
            self.feed(Event::Gate(true)).await;
        }
        match before {
            Some(row) => self.adopt(row, begun).await,
            None => {
                self.feed(Event::Begun).await;
                let _ = begun.send(());
            }
        }
        // A removed repo's last session is followed to its end.
        while !(self.removed && self.lines.is_empty()) {
            let wakes_at = self.wakes_at();
            let wake = tokio::select! {
                wake = self.mailbox.recv() => wake,
                () = tokio::time::sleep_until(wakes_at) => {
                    self.feed(Event::Tick).await;
                    continue;
                }
            };
            match wake {
                None | Some(Wake::Leave) => return,
                Some(wake) => self.wake(wake).await,
            }
        }
    }

    /// Takes over a session from before: it is this repo's process from the first moment, and its news follow.
    async fn adopt(&mut self, row: SessionRow, begun: oneshot::Sender<()>) {
        let SessionRow { session, plan, confirmed, committed, .. } = row;
        let dir = self.shared.session_dir(&session);
        let build = self.shared.programs.build();
        let myself = self.myself.clone();
        let link = Link::follow(session.clone(), dir, build, committed, Begin::Found, myself);
        self.lines.insert(session.clone(), Line::Linked(link));
        self.adopting = Some((session.clone(), Some(begun)));
        let view = not_seen_yet(now());
        self.feed(Event::Adopted(Adopted { session, plan, view, confirmed })).await;
    }

    async fn wake(&mut self, wake: Wake) {
        match wake {
            Wake::Order(order, reply) => {
                let to = self.asker(Asker::Surface(reply));
                self.feed(event(order, to)).await;
            }
            Wake::Attach(reply) => self.attach(reply).await,
            Wake::Event(event) => drop(self.feed(event).await),
            Wake::Spawned(session, spawned) => self.spawned(session, spawned).await,
            Wake::News(session, news) => self.news(session, news).await,
            Wake::Live(reply) => drop(reply.send(self.live().map(Box::new))),
            Wake::Settings => {
                let policy = self.shared.settings().policy;
                self.feed(Event::Policy(policy)).await;
                self.send_params();
            }
            Wake::Leave => {}
        }
    }

    /// Feeds the machine and does what it wants. False: something could not be written.
    pub(crate) async fn feed(&mut self, event: Event) -> bool {
        let mut written = true;
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let mut effects = VecDeque::from(self.repo.handle(event, now()));
            while let Some(effect) = effects.pop_front() {
                if let Effect::Notice(notice) = effect {
                    self.notice(notice).await;
                    continue;
                }
                let Effect::Persist(change) = effect else {
                    self.carry_out(effect);
                    continue;
                };
                if let Err(trouble) = self.persist(change.clone()).await {
                    written = false;
                    let undone = [Effect::Persist(change)].into_iter().chain(effects.drain(..)).collect();
                    events.push_back(Event::StoreFailed { trouble, undone });
                    break;
                }
                if change == repose_core::repo::Change::Removed {
                    self.removed = true;
                    self.shared.hide(&self.facts.id);
                }
                if let repose_core::repo::Change::Pinned(_) = change {
                    self.send_params();
                }
            }
        }
        self.renew_leases();
        self.publish();
        written
    }

    async fn persist(&self, change: repose_core::repo::Change) -> Result<(), Trouble> {
        let (store, repo) = (self.shared.store.clone(), self.facts.id.clone());
        let applied = tokio::task::spawn_blocking(move || store.apply(&repo, &change, now().wall)).await;
        match applied {
            Ok(applied) => applied.map_err(|error| {
                tracing::error!(%error, "a change was not written");
                error.trouble()
            }),
            Err(error) => Err(Trouble::new(
                Code::Internal,
                format!("Writing a change ended in a fault ({error})."),
                ["Ask again.", "If it comes back, report it."],
            )),
        }
    }

    pub(crate) fn answer(&mut self, to: ReplyTo, answer: Answer) {
        match self.askers.remove(&to.0) {
            Some(Asker::Surface(reply)) => drop(reply.send(answer)),
            Some(Asker::Terminal(reply)) => match answer {
                Answer::Refused(trouble) => drop(reply.send(Err(trouble))),
                // The engine is open, so its holder is there.
                _ => match self.attachable() {
                    Some(dir) => drop(reply.send(Ok(dir))),
                    None => drop(reply.send(Err(not_open()))),
                },
            },
            None => {}
        }
    }

    /// Sends an order to a session's holder, now or once it is linked.
    pub(crate) fn send(&mut self, session: &SessionId, op: Op) {
        match self.lines.get_mut(session) {
            Some(Line::Linked(link)) => link.send(op),
            Some(Line::Pending(ops)) => ops.push(op),
            None => {}
        }
    }

    /// A holder is being started: orders to it wait.
    pub(crate) fn expect(&mut self, session: SessionId) {
        self.lines.insert(session, Line::Pending(Vec::new()));
    }

    pub(crate) fn params(&self) -> Params {
        Params { policy: self.shared.settings().policy, pinned: self.repo.pinned() }
    }

    fn asker(&mut self, asker: Asker) -> ReplyTo {
        self.next_reply += 1;
        self.askers.insert(self.next_reply, asker);
        ReplyTo(self.next_reply)
    }

    /// A terminal needs a holder, and not that its engine has confirmed anything: it may be there to answer the dialog
    /// that keeps the engine from it.
    async fn attach(&mut self, reply: oneshot::Sender<Result<PathBuf, Trouble>>) {
        if let Err(trouble) = self.repo.attachable() {
            let _ = reply.send(Err(trouble));
            return;
        }
        if let Some(dir) = self.attachable() {
            let _ = reply.send(Ok(dir));
            return;
        }
        let to = self.asker(Asker::Terminal(reply));
        self.feed(Event::Ensure(to)).await;
    }

    /// The folder of the session whose holder answers.
    fn attachable(&self) -> Option<PathBuf> {
        let session = self.repo.session()?;
        let linked = self.held.as_ref().is_some_and(|held| held.session == *session && held.ended.is_none());
        linked.then(|| self.shared.session_dir(session))
    }

    fn attach_those_who_wait(&mut self) {
        let Some(dir) = self.attachable() else { return };
        let waiting: Vec<u64> = self
            .askers
            .iter()
            .filter_map(|(number, asker)| matches!(asker, Asker::Terminal(_)).then_some(*number))
            .collect();
        for number in waiting {
            if let Some(Asker::Terminal(reply)) = self.askers.remove(&number) {
                let _ = reply.send(Ok(dir.clone()));
            }
        }
    }

    async fn spawned(&mut self, session: SessionId, spawned: Result<(Child, String), Trouble>) {
        let pending = match self.lines.remove(&session) {
            Some(Line::Pending(ops)) => ops,
            Some(Line::Linked(_)) | None => Vec::new(),
        };
        let (child, build) = match spawned {
            Ok(spawned) => spawned,
            Err(trouble) => {
                self.not_spawned(session, trouble).await;
                return;
            }
        };
        let dir = self.shared.session_dir(&session);
        let begin = Begin::Started(child);
        let link = Link::follow(session.clone(), dir, build, 0, begin, self.myself.clone());
        self.leased = false;
        link.send(Op::Params(self.params()));
        pending.into_iter().for_each(|op| link.send(op));
        self.lines.insert(session, Line::Linked(link));
        self.renew_leases();
    }

    async fn not_spawned(&mut self, session: SessionId, trouble: Trouble) {
        self.forget(&session);
        // Somebody may have ordered its end in the meantime: that has come, then.
        let ordered =
            matches!(self.repo.intent(), Intent::Leaving { session: leaving, .. } if *leaving == session);
        if ordered {
            let how = repose_core::repo::How::Exited { words: trouble.sentence, conversation_unknown: false };
            let report = repose_core::repo::Report { how, freed: None, left: Vec::new() };
            self.feed(Event::Ended { session, report }).await;
        } else {
            self.feed(Event::SpawnFailed { session, trouble }).await;
        }
    }

    async fn news(&mut self, session: SessionId, news: News) {
        let current = self.repo.session() == Some(&session);
        match news {
            News::Linked(state) => {
                if !current {
                    return;
                }
                self.shared.engine_runs(&session, state.engine_pid);
                self.held = Some(state);
                self.leased = false;
                self.renew_leases();
                self.attach_those_who_wait();
            }
            News::State(state) => {
                if current {
                    self.measured(&state);
                    self.held = Some(state);
                    self.publish();
                }
            }
            News::View(view) => {
                self.feed(Event::View { session: session.clone(), view: *view }).await;
                self.caught_up(&session).await;
            }
            News::Entry(entry) => self.entry(session, entry).await,
            News::Gap(state) => self.gap(session, *state).await,
            News::Died(left) => {
                let how = repose_core::repo::How::HolderDied;
                let report = repose_core::repo::Report { how, freed: None, left };
                self.feed(Event::Ended { session: session.clone(), report }).await;
                self.over(&session).await;
            }
            News::Over => self.over(&session).await,
        }
    }

    async fn entry(&mut self, session: SessionId, Numbered { seq, at: _, entry }: Numbered) {
        let reads =
            matches!(entry, Entry::Fact(Fact::Confirmed { .. } | Fact::Moved { .. } | Fact::TurnOver { .. }));
        let event = match entry {
            Entry::Fact(fact) => Event::Fact { session: session.clone(), fact },
            Entry::Ended(ended) => {
                let report = crate::adopt::report(self.facts.engine, &ended);
                Event::Ended { session: session.clone(), report }
            }
        };
        if !self.feed(event).await {
            return; // it stays in the journal, for a time when it can be written
        }
        self.commit(&session, seq).await;
        if reads {
            self.read_conversation();
        }
    }

    async fn gap(&mut self, session: SessionId, state: State) {
        let seq = state.last_seq;
        let confirmed = !matches!(self.repo.state(), repose_core::repo::State::Opening);
        let facts = crate::adopt::rebuilt(&self.repo, &self.facts, &state, confirmed);
        for fact in facts {
            self.feed(Event::Fact { session: session.clone(), fact }).await;
        }
        if let Some(ended) = &state.ended {
            let report = crate::adopt::report(self.facts.engine, ended);
            self.feed(Event::Ended { session: session.clone(), report }).await;
        }
        self.commit(&session, seq).await;
    }

    async fn commit(&mut self, session: &SessionId, seq: u64) {
        let (store, id) = (self.shared.store.clone(), session.clone());
        let stored = tokio::task::spawn_blocking(move || store.committed(&id, seq)).await;
        if let Ok(Ok(())) = stored {
            self.send(session, Op::Commit(seq));
        }
    }

    /// The holder is gone, and all that it told is in the store.
    async fn over(&mut self, session: &SessionId) {
        self.forget(session);
        let dir = self.shared.session_dir(session);
        let removed = tokio::task::spawn_blocking(move || crate::adopt::remove(&dir)).await;
        if let Err(error) = removed {
            tracing::warn!(%error, "a session's folder was not removed");
        }
        self.caught_up(session).await;
        self.publish();
    }

    fn forget(&mut self, session: &SessionId) {
        self.lines.remove(session);
        self.shared.engine_runs(session, None);
        if self.held.as_ref().is_some_and(|held| held.session == *session) {
            self.held = None;
            self.memory = None;
        }
    }

    async fn caught_up(&mut self, session: &SessionId) {
        if self.adopting.as_ref().is_none_or(|(adopting, _)| adopting != session) {
            return;
        }
        if let Some((_, begun)) = self.adopting.take() {
            self.feed(Event::Begun).await;
            self.read_conversation();
            if let Some(begun) = begun {
                let _ = begun.send(());
            }
        }
    }

    /// Reads the current conversation anew, beside everything else.
    fn read_conversation(&self) {
        let Some(id) = self.repo.conversation().map(|conversation| conversation.id.clone()) else { return };
        let (facts, shared, myself) = (self.facts.clone(), Arc::clone(&self.shared), self.myself.clone());
        tokio::spawn(async move {
            let env = shared.env_for(&facts).await;
            let read =
                tokio::task::spawn_blocking(move || crate::check::read(&facts, &shared, &env, &id)).await;
            match read {
                Ok(Ok(Some(conversation))) => drop(myself.send(Wake::Event(Event::Read(conversation)))),
                Ok(Ok(None)) => {}
                Ok(Err(trouble)) => {
                    tracing::warn!(sentence = trouble.sentence, "a conversation can't be read")
                }
                Err(error) => tracing::warn!(%error, "reading a conversation ended in a fault"),
            }
        });
    }

    fn measured(&mut self, state: &State) {
        if let Some((memory, at)) = state.memory {
            self.memory = Some(crate::adopt::memory(memory, at));
        }
    }

    fn send_params(&mut self) {
        let params = self.params();
        if let Some(session) = self.repo.session().cloned() {
            self.send(&session, Op::Params(params));
        }
    }

    fn renew_leases(&mut self) {
        let Some(session) = self.repo.session().cloned() else {
            self.leased = false;
            return;
        };
        let wanted = self.repo.ask_lease();
        let due = wanted && Instant::now() >= self.leases_due;
        if wanted != self.leased || due {
            self.leased = wanted;
            self.leases_due = Instant::now() + LEASE_RENEWED;
            self.send(&session, Op::Lease(Lease::Ask, wanted));
        }
    }

    fn wakes_at(&self) -> Instant {
        let now = now();
        let machine = self.repo.next_wake(now).map(|at| Instant::now() + at.since(now.awake));
        let leases = self.leased.then_some(self.leases_due);
        machine.into_iter().chain(leases).min().unwrap_or_else(|| Instant::now() + Duration::from_secs(3_600))
    }

    pub(crate) fn publish(&self) {
        if self.removed {
            return;
        }
        let view = self.repo.view();
        self.shared.show(Shown {
            id: self.facts.id.clone(),
            name: self.facts.name.clone(),
            path: self.facts.path.clone(),
            engine: self.facts.engine_name(),
            state: self.repo.state(),
            continuity: self.repo.continuity().cloned(),
            conversation: self.repo.conversation().cloned(),
            memory: self.memory,
            freed: self.repo.freed(),
            holds: view.map(|view| view.holds.clone()).unwrap_or_default(),
            reap_at: view.and_then(|view| view.reap_at),
            pinned: self.repo.pinned(),
            queued: self.repo.queued(),
            trouble: self.repo.trouble().cloned(),
            branch: crate::add::branch(&self.facts.path),
        });
    }

    fn live(&self) -> Option<Live> {
        let held = self.held.as_ref()?;
        let view = self.repo.view().unwrap_or(&held.view);
        Some(Live {
            repo: self.facts.id.clone(),
            name: self.facts.name.clone(),
            session: held.session.clone(),
            holder_pid: held.holder_pid,
            build: held.build.clone(),
            same_build: held.build == self.shared.programs.build(),
            engine_pid: held.engine_pid,
            activity: view.activity.clone(),
            holds: view.holds.clone(),
            since: held.started,
            memory: self.memory,
            tree: held.tree.iter().map(|process| process.pid).collect(),
            watching: held.watching,
            terminals: held.terminals,
            journal_trouble: held.journal_trouble.clone(),
        })
    }
}

fn event(order: Order, to: ReplyTo) -> Event {
    match order {
        Order::Ensure => Event::Ensure(to),
        Order::Ask { ask, wait } => Event::Ask { reply: to, ask, wait },
        Order::Await(ask) => Event::Await(to, ask),
        Order::Withdraw(ask) => Event::Withdraw(to, ask),
        Order::Pause { interrupt } => Event::Pause(to, interrupt),
        Order::Resume(conversation) => Event::Resume(to, conversation),
        Order::Lift => Event::Lift(to),
        Order::Fresh { interrupt } => Event::Fresh(to, interrupt),
        Order::Stop { interrupt } => Event::Stop(to, interrupt),
        Order::Remove { interrupt } => Event::Remove(to, interrupt),
        Order::Interrupt => Event::Interrupt(to),
        Order::Pin(pinned) => Event::Pin(to, pinned),
    }
}

/// How a session from before looks until its holder has been heard.
fn not_seen_yet(now: Now) -> View {
    View {
        activity: Activity::Opening { since: now },
        conversation: None,
        holds: Vec::new(),
        reap_at: None,
        ready_for_ask: Err(NotNow::Opening),
        interaction: now.wall,
        frozen: false,
        trouble: None,
    }
}

fn not_open() -> Trouble {
    Trouble::new(Code::StillOpening, "The engine is not there yet.", ["Try again in a moment."])
}
