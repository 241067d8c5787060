//! The connection to a session's holder: news in, orders out, and what to make of it when it ends.
//!
//! A connection that breaks is not an end: it is made again, and the journal has what was missed. Only a holder whose
//! process is gone is over.

mod orders;

use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use repose_core::ids::SessionId;
use repose_core::session::{Activity, View};
use repose_core::time::Wall;
use repose_hold::journal::{self, Since};
use repose_hold::{CallError, Client, ConnectError, Entry, Journal, Numbered, PROTOCOL, Pushed, State};
use repose_sys::ProcessId;
use repose_sys::tree::marked;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

use self::orders::{Errand, Orders};
use crate::actor::Wake;

pub(crate) use self::orders::Op;

/// A holder that was started and doesn't listen by then is ended. It listens within 20 ms; a machine that swaps can need
/// seconds.
const LISTENS_WITHIN: Duration = Duration::from_secs(15);

/// Between two tries to connect.
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// Between two tries to connect to a holder that lives and doesn't answer, a stopped one for example.
const TRY_LATER: Duration = Duration::from_secs(1);

/// Memory is asked for this often, and once the engine has got idle: an opening and a turn are what changes it most.
/// Measuring costs 15 ms for each GB.
const MEMORY_EVERY: Duration = Duration::from_secs(10);

/// An engine that says that it is ready, or done, still fills or gives back memory for so long. No number before that is
/// better than one that is far too low.
const MEMORY_SETTLES: Duration = Duration::from_secs(1);

/// A holder of another version is asked this often whether its session lasts: its news say nothing to this one.
const FOREIGN_LOOKED_AT: Duration = Duration::from_secs(1);

/// What is left of a dead holder's tree is ended within this.
const LEFTOVERS_END_WITHIN: Duration = Duration::from_secs(3);

/// News of a session.
#[derive(Debug)]
pub(crate) enum News {
    /// The connection stands.
    Linked(Box<State>),
    /// The connection stands, to a holder of another version. Its news can't be understood.
    Foreign {
        /// The build that it is of.
        build: String,
        /// Its engine's process.
        engine_pid: Option<u32>,
    },
    /// An entry of the journal, each once and in order.
    Entry(Numbered),
    /// Entries are lost; this is how things stand.
    Gap(Box<State>),
    /// It looks different.
    View(Box<View>),
    /// How it stands, asked for now and then.
    State(Box<State>),
    /// What its engine's hooks told, and the dead holder never heard: when, and what.
    Spooled(Vec<(Wall, Vec<u8>)>),
    /// The holder is gone and left no end. Its tree was ended after it; these could not be.
    Died(Vec<String>),
    /// The holder is gone after its end was told.
    Over,
}

/// How a link begins.
#[derive(Debug)]
pub(crate) enum Begin {
    /// A holder that was just started.
    Started(Child),
    /// A holder that was found.
    Found,
}

/// The orders' end of a link.
#[derive(Debug)]
pub(crate) struct Link {
    ops: mpsc::UnboundedSender<Op>,
}

impl Link {
    /// Follows the session of this folder, from the journal's entry after `seq`.
    pub(crate) fn follow(
        session: SessionId,
        dir: PathBuf,
        build: String,
        seq: u64,
        begin: Begin,
        actor: mpsc::UnboundedSender<Wake>,
    ) -> Self {
        let (ops, orders) = mpsc::unbounded_channel();
        let orders = Arc::new(Mutex::new(Orders { queue: orders, sent: None }));
        let follower = Follower { session, dir, build, seq, actor, orders, holder: None, begun: false };
        tokio::spawn(follower.run(begin));
        Self { ops }
    }

    /// Sends an order. One to a holder that is gone is lost with it; its end is told.
    pub(crate) fn send(&self, op: Op) {
        let _ = self.ops.send(op);
    }
}

struct Follower {
    session: SessionId,
    dir: PathBuf,
    build: String,
    seq: u64,
    actor: mpsc::UnboundedSender<Wake>,
    orders: Arc<Mutex<Orders>>,
    holder: Option<ProcessId>,
    /// It has answered.
    begun: bool,
}

impl Follower {
    async fn run(mut self, begin: Begin) {
        let mut child = match begin {
            Begin::Started(child) => {
                self.holder = ProcessId::of(child.id());
                Some(child)
            }
            Begin::Found => None,
        };
        let started = tokio::time::Instant::now();
        let mut ended = false;
        loop {
            // Somebody accepts connections there, and who it is isn't known yet.
            let answers = match Client::connect(&self.dir, &self.build).await {
                Ok((client, news)) => {
                    ended |= self.connected(Arc::new(client), news).await;
                    self.holder.is_none()
                }
                Err(ConnectError::Gone { .. }) if self.begins(&mut child, started) && !ended => {
                    tokio::time::sleep(TRY_AGAIN).await;
                    continue;
                }
                Err(ConnectError::Gone { .. }) => {
                    self.give_up_beginner(&mut child);
                    if child.is_none() && self.holder.is_none() && !ended {
                        // A socket that was removed is made again by the holder that listened there.
                        let (dir, session) = (self.dir.clone(), self.session.clone());
                        let found = tokio::task::spawn_blocking(move || holder_of(&dir, &session)).await;
                        self.holder = found.ok().flatten();
                    }
                    false
                }
                Err(error @ (ConnectError::Stranger { .. } | ConnectError::Mute { .. })) => {
                    tracing::warn!(session = %self.session, %error, "a holder is not heard");
                    true
                }
            };
            if self.actor.is_closed() {
                return;
            }
            if !ended && (answers || self.holder_lives(&mut child)) {
                tokio::time::sleep(TRY_LATER).await;
                continue;
            }
            break;
        }
        self.gone(ended, child).await;
    }

    /// Follows one connection until it closes. True: the session's end was told.
    async fn connected(&mut self, client: Arc<Client>, mut news: mpsc::Receiver<Pushed>) -> bool {
        if client.protocol() != PROTOCOL {
            return self.foreign(client, news).await;
        }
        let (journal, state) = match (client.journal_from(self.seq).await, client.state().await) {
            (Ok(journal), Ok(state)) => (journal, state),
            // It calls itself of this version, and isn't.
            (Err(CallError::Strange { .. }), _) | (_, Err(CallError::Strange { .. })) => {
                return self.foreign(client, news).await;
            }
            (Err(_), _) | (_, Err(_)) => return false,
        };
        self.holder = ProcessId::of(state.holder_pid).or(self.holder);
        self.begun = true;
        let state = Box::new(state);
        let mut ended = false;
        self.tell(News::Linked(state.clone()));
        match journal {
            Journal::Entries(entries) => {
                for entry in entries {
                    ended |= self.entry(entry);
                }
            }
            Journal::Gap(gap) => {
                self.seq = gap.last_seq;
                ended |= gap.ended.is_some();
                self.tell(News::Gap(gap));
            }
        }
        let (mut idle, opens) = (is_idle(&state.view), opens(&state.view));
        self.tell(News::View(Box::new(state.view)));
        let orders = self.carry_out(&client);
        let mut memory = tokio::time::interval(MEMORY_EVERY);
        memory.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        if opens {
            memory.reset();
        }
        let mut asked: Option<JoinHandle<()>> = None;
        loop {
            tokio::select! {
                pushed = news.recv() => match pushed {
                    Some(Pushed::Journal(entry)) => ended |= self.entry(entry),
                    Some(Pushed::View(view)) => {
                        let was_idle = std::mem::replace(&mut idle, is_idle(&view));
                        if idle && !was_idle {
                            memory.reset_after(MEMORY_SETTLES);
                        }
                        self.tell(News::View(Box::new(view)));
                    }
                    None => break,
                },
                _ = memory.tick(), if !ended && asked.as_ref().is_none_or(JoinHandle::is_finished) => {
                    asked = Some(self.ask_state(&client));
                }
            }
        }
        orders.abort();
        asked.inspect(JoinHandle::abort);
        ended
    }

    /// Follows a holder of another version: whether its session lasts is all that can be told. It takes the orders that
    /// end it. What came of it, its files say, as far as they can be read.
    async fn foreign(&mut self, client: Arc<Client>, mut news: mpsc::Receiver<Pushed>) -> bool {
        let Ok(standing) = client.standing().await else { return false };
        self.holder = standing.holder_pid.and_then(ProcessId::of).or(self.holder);
        self.begun = true;
        let build = client.build().to_owned();
        tracing::warn!(session = %self.session, build, protocol = client.protocol(), "a holder of another version");
        self.tell(News::Foreign { build, engine_pid: standing.engine_pid });
        let orders = self.carry_out(&client);
        let over = async {
            while client.standing().await.is_ok_and(|standing| !standing.ended) {
                tokio::time::sleep(FOREIGN_LOOKED_AT).await;
            }
            // It waits for somebody to store its end. One that knows no such order goes a little later.
            let _ = client.commit(u64::MAX).await;
        };
        let unheard = async { while news.recv().await.is_some() {} };
        tokio::select! {
            () = unheard => {}
            () = over => {}
        }
        orders.abort();
        false
    }

    /// Asks how the holder stands, beside the news: its answer comes behind those that are on their way, and they have
    /// to be heard for it to come.
    fn ask_state(&self, client: &Arc<Client>) -> JoinHandle<()> {
        let (client, session, actor) = (Arc::clone(client), self.session.clone(), self.actor.clone());
        tokio::spawn(async move {
            if let Ok(state) = client.state().await {
                let _ = actor.send(Wake::News(session, News::State(Box::new(state))));
            }
        })
    }

    /// Begins to carry out what is ordered. It ends with the connection.
    fn carry_out(&self, client: &Arc<Client>) -> JoinHandle<()> {
        let errand = Errand {
            client: Arc::clone(client),
            session: self.session.clone(),
            holder: self.holder,
            actor: self.actor.clone(),
        };
        tokio::spawn(errand.run(Arc::clone(&self.orders)))
    }

    fn entry(&mut self, entry: Numbered) -> bool {
        if entry.seq <= self.seq {
            return false;
        }
        self.seq = entry.seq;
        let ended = matches!(entry.entry, Entry::Ended(_));
        self.tell(News::Entry(entry));
        ended
    }

    /// The holder's process is gone: what it wrote and nobody heard, and what it left.
    async fn gone(mut self, mut ended: bool, child: Option<Child>) {
        if let Some(mut child) = child {
            // It has ended, or is about to: its socket is gone.
            let _ = tokio::task::spawn_blocking(move || child.wait()).await;
        }
        if ended {
            self.tell(News::Over);
            return;
        }
        let dir = self.dir.clone();
        let seq = self.seq;
        let rest = tokio::task::spawn_blocking(move || unheard(&dir, seq)).await.unwrap_or_default();
        for entry in rest {
            ended |= self.entry(entry);
        }
        if ended {
            self.tell(News::Over);
            return;
        }
        let dir = self.dir.clone();
        let spooled = tokio::task::spawn_blocking(move || repose_hold::hook::spooled(&dir)).await;
        match spooled {
            Ok(Ok(events)) if events.is_empty() => {}
            Ok(Ok(events)) => self.tell(News::Spooled(events)),
            Ok(Err(error)) => tracing::warn!(session = %self.session, %error, "a spool can't be read"),
            Err(error) => tracing::warn!(session = %self.session, %error, "reading a spool ended in a fault"),
        }
        let (dir, session) = (self.dir.clone(), self.session.clone());
        let left =
            tokio::task::spawn_blocking(move || end_leftovers(&dir, &session)).await.unwrap_or_default();
        self.tell(News::Died(left));
    }

    /// It was started just now, and hasn't listened yet.
    fn begins(&self, child: &mut Option<Child>, started: tokio::time::Instant) -> bool {
        !self.begun && started.elapsed() < LISTENS_WITHIN && child_lives(child)
    }

    /// One that never listened is no holder: nobody could ever pause what it starts.
    fn give_up_beginner(&self, child: &mut Option<Child>) {
        if let Some(child) = child.as_mut().filter(|_| !self.begun) {
            // It may have ended in this moment.
            let _ = child.kill();
        }
    }

    fn holder_lives(&self, child: &mut Option<Child>) -> bool {
        match child {
            Some(_) => child_lives(child),
            None => self.holder.is_some_and(ProcessId::alive),
        }
    }

    fn tell(&self, news: News) {
        let _ = self.actor.send(Wake::News(self.session.clone(), news));
    }
}

/// It has confirmed nothing yet, and its memory is far below what it will be.
pub(crate) fn opens(view: &View) -> bool {
    match view.activity {
        Activity::Opening { .. } => true,
        Activity::Idle { .. } | Activity::Working { .. } | Activity::Waiting { .. } => false,
    }
}

fn is_idle(view: &View) -> bool {
    match view.activity {
        Activity::Idle { .. } => true,
        Activity::Opening { .. } | Activity::Working { .. } | Activity::Waiting { .. } => false,
    }
}

fn child_lives(child: &mut Option<Child>) -> bool {
    child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
}

/// The living holder of this session, found by what it holds.
fn holder_of(dir: &Path, session: &SessionId) -> Option<ProcessId> {
    let parents = marked(session.as_str()).into_iter().filter_map(|member| ProcessId::of(member.parent));
    parents.into_iter().find(|parent| {
        let command = parent.command().unwrap_or_default();
        matches!(command.as_slice(), [.., verb, held] if verb == "hold" && Path::new(held) == dir)
    })
}

/// What a dead holder's journal has after `seq`.
fn unheard(dir: &Path, seq: u64) -> Vec<Numbered> {
    match journal::read(dir, seq) {
        Ok(Since::Entries(entries) | Since::Gap(entries)) => entries,
        Err(error) => {
            tracing::warn!(dir = %dir.display(), %error, "a journal can't be read");
            Vec::new()
        }
    }
}

/// Ends what is left of a dead holder's tree, and says what could not be ended.
pub(crate) fn end_leftovers(dir: &Path, session: &SessionId) -> Vec<String> {
    let deadline = std::time::Instant::now() + LEFTOVERS_END_WITHIN;
    loop {
        let mut ids = repose_hold::leftovers(dir);
        ids.extend(marked(session.as_str()).into_iter().map(|member| member.id));
        if ids.is_empty() {
            return Vec::new();
        }
        let rest = deadline.saturating_duration_since(std::time::Instant::now());
        let _ = repose_sys::end::these(&ids, rest);
        if rest.is_zero() {
            return named(&ids);
        }
    }
}

/// Processes as people know them; those that are gone are left out.
pub(crate) fn named(ids: &[ProcessId]) -> Vec<String> {
    let name = |id: &ProcessId| Some(format!("pid {} (`{}`)", id.pid, id.command()?.join(" ")));
    ids.iter().filter_map(name).collect()
}
