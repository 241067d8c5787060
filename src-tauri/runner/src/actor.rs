//! The actor of one repo, its only owner. It feeds the core's state machine everything that happens, and
//! carries out the returned effects.

mod askers;
mod happened;
mod session;
mod show;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use repose_core::ask::Ask;
use repose_core::budget::Excess;
use repose_core::conversation::Conversation;
use repose_core::decision::Pick;
use repose_core::ids::{AskId, ConversationId, DecisionId, SessionId};
use repose_core::repo::{Adopted, Answer, Change, Effect, Effects, Event, ReplyTo, Repo, Stored};
use repose_core::session::{Activity, Freeze, NotNow, View};
use repose_core::time::{Now, Wall};
use repose_core::trouble::{Code, Trouble};
use repose_core::work::OnWork;
use repose_engine::EngineRef;
use repose_hold::State;
use repose_sys::clock::now;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use self::askers::{Asker, Settling};
use self::session::Behind;
use self::show::Branch;
use crate::check::Facts;
use crate::link::{Begin, Link, News, Op};
use crate::shared::Shared;
use crate::shown::{AskShown, Happened, Live, LogWhat, Memory};
use crate::store::SessionRow;

/// How often leases are renewed: three times within the minute that they last.
const LEASE_RENEWED: Duration = Duration::from_secs(20);

/// The most clients to track through which people use one repo at the same time. Further clients aren't
/// tracked.
const USERS_MAX: usize = 64;

/// Everything that wakes an actor.
#[derive(Debug)]
pub(crate) enum Wake {
    /// Somebody orders something.
    Order(Order, oneshot::Sender<Answer>),
    /// Somebody wants to attach a terminal.
    Attach(oneshot::Sender<Result<PathBuf, Trouble>>),
    /// An event for the state machine.
    Event(Event),
    /// A holder was started, or couldn't be.
    Spawned(SessionId, Result<(Child, String), Trouble>),
    /// News of a session.
    News(SessionId, News),
    /// The branch that is checked out in the repo's folder.
    Branch(Option<String>),
    /// A session's holder was ordered to freeze and judge, and doesn't answer.
    NoVerdict(SessionId, Freeze),
    /// Somebody wants the details of the live session.
    Live(oneshot::Sender<Option<Box<Live>>>),
    /// All asks that aren't over.
    Asks(oneshot::Sender<Vec<AskShown>>),
    /// Somebody wants to know what holds the live engine now, and is told once that is shown. Dropped if
    /// nothing is live.
    Scan(mpsc::UnboundedSender<()>),
    /// Its processes were looked at, and what holds it is shown.
    Scanned(mpsc::UnboundedSender<()>),
    /// Let the engine go early, if it is idle and nothing holds it.
    Evict(Excess),
    /// A person uses the repo through this client until this moment; `None`: no longer.
    Used(String, Option<Instant>),
    /// The settings changed.
    Settings,
    /// The runner stops; holders stay.
    Leave,
}

/// An order from a person or program.
#[derive(Debug)]
pub(crate) enum Order {
    Ensure,
    EnsureWhenFree,
    Fork(Option<ConversationId>),
    Ask { ask: Ask, wait: bool },
    Await(AskId),
    Withdraw(AskId),
    Pause(OnWork),
    Resume(Option<ConversationId>),
    Lift,
    Fresh(OnWork),
    Stop(OnWork),
    Remove(OnWork),
    Interrupt,
    Decide { decision: DecisionId, pick: Pick },
    Pin(bool),
    Switch { engine: EngineRef, conversation: Option<Conversation> },
}

/// The leases that the session's holder was last told of, and when to renew them.
#[derive(Debug)]
pub(crate) struct Leases {
    ask: bool,
    client: bool,
    due: Instant,
}

impl Leases {
    /// Leases of which the holder has been told nothing yet.
    fn new() -> Self {
        Self { ask: false, client: false, due: Instant::now() + LEASE_RENEWED }
    }

    fn due(&self) -> Option<Instant> {
        (self.ask || self.client).then_some(self.due)
    }
}

/// A session's connection, or the orders to send once there is one.
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
    /// Sessions whose journals hold entries that the store doesn't have yet.
    behind: HashMap<SessionId, Behind>,
    askers: HashMap<u64, Asker>,
    settling: Vec<Settling>,
    next_reply: u64,
    /// The last known state of the live session's holder.
    held: Option<Box<State>>,
    memory: Option<Memory>,
    pub(crate) last: Option<Happened>,
    branch: Branch,
    leases: Leases,
    /// Clients through which a person uses the repo, each with the moment until which that counts.
    users: HashMap<String, Instant>,
    /// A session from before this runner whose news is still arriving, and whoever waits for that.
    adopting: Option<(SessionId, Option<oneshot::Sender<()>>)>,
    removed: bool,
    /// Rows that the store hasn't taken into its log yet, oldest first.
    pub(crate) unlogged: VecDeque<(LogWhat, Wall)>,
    /// The trouble that was logged last, until everything is written again.
    pub(crate) refused_for: Option<LogWhat>,
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

/// How far an actor's start has come.
#[derive(Debug)]
pub(crate) struct Begins {
    /// The repo is among those that are shown.
    pub(crate) shown: oneshot::Receiver<()>,
    /// The news of its session from before has arrived, or there is none.
    pub(crate) caught_up: oneshot::Receiver<()>,
}

impl Actor {
    /// Starts an actor, whose start the receivers follow.
    pub(crate) fn begin(
        facts: Facts,
        shared: Arc<Shared>,
        stored: Stored,
        gate_closed: bool,
        before: Option<SessionRow>,
    ) -> (Handle, Begins) {
        shared.give_place(&facts.id);
        let (myself, mailbox) = mpsc::unbounded_channel();
        let handle = Handle { mailbox: myself.clone() };
        let (shows, shown) = oneshot::channel();
        let (catches_up, caught_up) = oneshot::channel();
        let policy = shared.settings().policy;
        let repo = Repo::new(&facts.name, facts.engine.described(), policy, stored);
        let actor = Self {
            facts,
            shared,
            myself,
            mailbox,
            repo,
            lines: HashMap::new(),
            behind: HashMap::new(),
            askers: HashMap::new(),
            settling: Vec::new(),
            next_reply: 0,
            held: None,
            memory: None,
            last: None,
            branch: Branch::default(),
            leases: Leases::new(),
            users: HashMap::new(),
            unlogged: VecDeque::new(),
            refused_for: None,
            adopting: None,
            removed: false,
        };
        tokio::spawn(async move {
            let actor = actor.starts(gate_closed, before, catches_up).await;
            let _ = shows.send(());
            actor.run().await;
        });
        (handle, Begins { shown, caught_up })
    }

    async fn starts(
        mut self,
        gate_closed: bool,
        before: Option<SessionRow>,
        caught_up: oneshot::Sender<()>,
    ) -> Self {
        self.last = self.happened_before().await;
        self.begin_branch().await;
        if gate_closed {
            self.feed(Event::Gate(true)).await;
        }
        match before {
            Some(row) => self.adopt(row, caught_up).await,
            None => {
                self.feed(Event::CaughtUp(self.shared.absence)).await;
                let _ = caught_up.send(());
            }
        }
        self
    }

    async fn run(mut self) {
        // The last session of a removed repo is followed to its end.
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

    /// Takes over a session from before: from now on it is this repo's process, and its news follows.
    async fn adopt(&mut self, row: SessionRow, caught_up: oneshot::Sender<()>) {
        let SessionRow { session, plan, begun, confirmed, committed, .. } = row;
        let dir = self.shared.session_dir(&session);
        let build = self.shared.programs.build();
        let myself = self.myself.clone();
        let link = Link::follow(session.clone(), dir, build, committed, Begin::Found, myself);
        self.lines.insert(session.clone(), Line::Linked(link));
        self.adopting = Some((session.clone(), Some(caught_up)));
        let view = not_seen_yet(now());
        self.feed(Event::Adopted(Adopted { session, plan, begun, view, confirmed })).await;
    }

    async fn wake(&mut self, wake: Wake) {
        match wake {
            Wake::Order(order, reply) => {
                self.forget_the_gone().await;
                let asker = if opens(&order) { Asker::Opener(reply) } else { Asker::Surface(reply) };
                let to = self.asker(asker);
                let switched =
                    if let Order::Switch { engine, .. } = &order { Some(Arc::clone(engine)) } else { None };
                self.feed(event(order, to)).await;
                if let Some(engine) = switched.filter(|engine| engine.described() == *self.repo.engine()) {
                    self.facts.engine = engine;
                    self.publish();
                }
            }
            Wake::Attach(reply) => {
                self.forget_the_gone().await;
                self.attach(reply).await;
            }
            Wake::Event(event) => drop(self.feed(event).await),
            Wake::Spawned(session, spawned) => self.spawned(session, spawned).await,
            Wake::News(session, news) => self.news(session, news).await,
            Wake::Branch(branch) => self.branch(branch),
            Wake::NoVerdict(session, freeze) => self.no_verdict(session, freeze).await,
            Wake::Used(client, until) => {
                match until {
                    // Clients that are already tracked hold the engine.
                    Some(_) if self.users.len() >= USERS_MAX && !self.users.contains_key(&client) => None,
                    Some(until) => self.users.insert(client, until),
                    None => self.users.remove(&client),
                };
                self.renew_leases();
            }
            Wake::Scan(seen) => self.scan(seen),
            Wake::Scanned(seen) => drop(seen.send(())),
            Wake::Live(reply) => drop(reply.send(self.live().map(Box::new))),
            Wake::Asks(reply) => drop(reply.send(self.repo.asks().map(|ask| self.ask(ask)).collect())),
            Wake::Settings => {
                let policy = self.shared.settings().policy;
                self.feed(Event::Policy(policy)).await;
                self.send_params();
            }
            Wake::Evict(over) => self.evict(over),
            Wake::Leave => {}
        }
    }

    /// Feeds the state machine an event and carries out the effects. Returns whether everything could be
    /// written.
    pub(crate) async fn feed(&mut self, event: Event) -> bool {
        let (mut written, mut takes) = (true, false);
        let (mut replies, mut notices) = (Vec::new(), Vec::new());
        let (before, mut told) = (self.before(&event), Vec::new());
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let Effects { changes, then } = self.repo.handle(event, now());
            if !changes.is_empty() {
                let changes: Arc<[Change]> = changes.into();
                if let Err(trouble) = self.persist(Arc::clone(&changes)).await {
                    written = false;
                    let undone = Effects { changes: changes.to_vec(), then };
                    events.push_back(Event::StoreFailed { trouble, undone });
                    continue;
                }
                takes = true;
                if changes.contains(&Change::Removed) {
                    self.removed = true;
                    self.shared.hide(&self.facts.id);
                }
                if changes.iter().any(|change| matches!(change, Change::Pinned(_))) {
                    self.send_params();
                }
            }
            for effect in then {
                match effect {
                    Effect::Reply(to, answer) => replies.push((to, answer)),
                    Effect::Notice(notice) => notices.push(notice),
                    Effect::Log(logged) => told.push(logged.into()),
                    effect @ Effect::Check { .. } => {
                        // Without a live engine, the engine's present settings apply from here on.
                        self.facts = self.shared.with_engine(self.facts.clone());
                        events.push_back(Event::Described(self.facts.engine.described()));
                        self.carry_out(effect);
                    }
                    effect @ (Effect::Spawn { .. }
                    | Effect::LookAhead { .. }
                    | Effect::Submit { .. }
                    | Effect::Interrupt(_)
                    | Effect::Decide { .. }
                    | Effect::Freeze(..)
                    | Effect::Thaw(_)
                    | Effect::End(..)) => self.carry_out(effect),
                }
            }
        }
        told.extend(self.differs(&before));
        self.happened(&notices);
        self.renew_leases();
        self.read_branch();
        self.publish();
        self.settle();
        // Last, so that whoever gets a reply sees the repo as it is after the event.
        for (to, answer) in replies {
            self.answer(to, answer);
        }
        for what in told {
            self.log(what).await;
        }
        for notice in notices {
            self.notice(notice).await;
        }
        if takes {
            self.write_log().await;
            if self.repo.is_written() {
                self.refused_for = None;
            }
        }
        if !self.behind.is_empty() && self.repo.is_written() {
            self.catch_up().await;
        }
        written
    }

    async fn persist(&self, changes: Arc<[Change]>) -> Result<(), Trouble> {
        let (store, repo) = (self.shared.store.clone(), self.facts.id.clone());
        let applied = tokio::task::spawn_blocking(move || store.apply(&repo, &changes, now().wall)).await;
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

    fn wakes_at(&self) -> Instant {
        let now = now();
        let machine = self.repo.next_wake(now).map(|at| Instant::now() + at.since(now.awake));
        let leases = self.leases.due().into_iter().chain(self.users.values().copied());
        let settling = self.settling.iter().map(|settling| settling.until);
        machine
            .into_iter()
            .chain(leases)
            .chain(settling)
            .min()
            .unwrap_or_else(|| Instant::now() + Duration::from_secs(3_600))
    }
}

/// Whether the order is answered once an engine is open.
fn opens(order: &Order) -> bool {
    match order {
        Order::Ensure | Order::EnsureWhenFree | Order::Fork(_) | Order::Resume(_) | Order::Fresh(_) => true,
        Order::Ask { .. }
        | Order::Await(_)
        | Order::Withdraw(_)
        | Order::Pause(_)
        | Order::Lift
        | Order::Stop(_)
        | Order::Remove(_)
        | Order::Interrupt
        | Order::Decide { .. }
        | Order::Pin(_)
        | Order::Switch { .. } => false,
    }
}

fn event(order: Order, to: ReplyTo) -> Event {
    match order {
        Order::Ensure => Event::Ensure(to),
        Order::EnsureWhenFree => Event::EnsureWhenFree(to),
        Order::Fork(conversation) => Event::Fork(to, conversation),
        Order::Ask { ask, wait } => Event::Ask { reply: to, ask, wait },
        Order::Await(ask) => Event::Await(to, ask),
        Order::Withdraw(ask) => Event::Withdraw(to, ask),
        Order::Pause(on_work) => Event::Pause(to, on_work),
        Order::Resume(conversation) => Event::Resume(to, conversation),
        Order::Lift => Event::Lift(to),
        Order::Fresh(on_work) => Event::Fresh(to, on_work),
        Order::Stop(on_work) => Event::Stop(to, on_work),
        Order::Remove(on_work) => Event::Remove(to, on_work),
        Order::Interrupt => Event::Interrupt(to),
        Order::Decide { decision, pick } => Event::Decide { reply: to, decision, pick },
        Order::Pin(pinned) => Event::Pin(to, pinned),
        Order::Switch { engine, conversation } => {
            Event::Switch { reply: to, engine: engine.described(), conversation }
        }
    }
}

/// The view of a session from before, until its holder has been heard.
fn not_seen_yet(now: Now) -> View {
    View {
        activity: Activity::Opening { since: now },
        conversation: None,
        decision: None,
        holds: Vec::new(),
        reap_at: None,
        ready_for_ask: Err(NotNow::Opening),
        interaction: now.wall,
        used: Some(now.awake),
        frozen: false,
        trouble: None,
    }
}
