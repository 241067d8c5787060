//! The connection to a session's holder: it receives news, sends orders, and finds out how the session ended.
//!
//! A broken connection isn't an end: it is made again, and the journal has what was missed. A session is over
//! only when its holder's process is gone.

mod holder;
mod orders;

use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use repose_core::ids::SessionId;
use repose_core::session::{Activity, View};
use repose_core::time::Wall;
use repose_hold::{CallError, Client, ConnectError, Entry, Journal, Numbered, PROTOCOL, Pushed, State};
use repose_sys::ProcessId;
use tokio::sync::{Mutex, mpsc};
use tokio::task::{JoinHandle, JoinSet};

use self::holder::{holder_of, journal_rest, listens};
use self::orders::{ANSWERS_WITHIN, Errand, Orders, Parted};
use crate::actor::Wake;

pub(crate) use self::holder::{end_leftovers, named};
pub(crate) use self::orders::{Op, unseen};

/// A new holder that doesn't listen within this is ended. It usually listens within 20 ms; a machine that
/// swaps can need seconds.
const LISTENS_WITHIN: Duration = Duration::from_secs(15);

/// The pause between two attempts to connect.
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// The pause between two attempts to connect to a holder that is alive and doesn't answer, because it is
/// stopped for example.
const TRY_LATER: Duration = Duration::from_secs(1);

/// A live holder is unresponsive after this many failed attempts to connect. If its socket was removed, it
/// has made a new one by then.
const TRIES_UNTIL_UNRESPONSIVE: u32 = 10;

/// Memory is measured this often, and whenever the engine becomes idle, since opening and turns change it
/// most. Measuring takes 15 ms per GB.
const MEMORY_EVERY: Duration = Duration::from_secs(10);

/// An engine that reports ready or done still takes up or gives back memory for this long. Until then no
/// number is better than one that is far too low.
const MEMORY_SETTLES: Duration = Duration::from_secs(1);

/// How often to ask whether the session of a holder of another version still lives, since this version can't
/// read its news.
const FOREIGN_LOOKED_AT: Duration = Duration::from_secs(1);

/// News of a session.
#[derive(Debug)]
pub(crate) enum News {
    /// The connection was made.
    Linked(Box<State>),
    /// A connection was made to a holder of another version, whose news can't be read.
    Foreign {
        /// The holder's build.
        build: String,
        /// The process id of its engine.
        engine_pid: Option<u32>,
    },
    /// An entry of the journal, each once and in order.
    Entry(Numbered),
    /// Entries were lost; this is the present state.
    Gap(Box<State>),
    /// The session's view changed.
    View(Box<View>),
    /// The holder is alive and doesn't answer.
    Unresponsive,
    /// The holder's state, requested regularly.
    State(Box<State>),
    /// What the engine's hooks wrote for a dead holder: the time and the bytes of each.
    Spooled(Vec<(Wall, Vec<u8>)>),
    /// The holder died without recording an end, and its tree was ended after it. The processes that couldn't
    /// be ended, as names.
    Died(Vec<String>),
    /// The holder is gone, after it reported the end.
    Over,
}

/// What a link starts from.
#[derive(Debug)]
pub(crate) enum Begin {
    /// A holder that was just started.
    Started(Child),
    /// A holder that was found.
    Found,
}

/// The sending end of a link.
#[derive(Debug)]
pub(crate) struct Link {
    ops: mpsc::UnboundedSender<Op>,
}

impl Link {
    /// Follows the session in this folder, from the journal's entries after `seq`.
    pub(crate) fn follow(
        session: SessionId,
        dir: PathBuf,
        build: String,
        seq: u64,
        begin: Begin,
        actor: mpsc::UnboundedSender<Wake>,
    ) -> Self {
        let (ops, orders) = mpsc::unbounded_channel();
        let orders = Arc::new(Mutex::new(Orders::new(orders)));
        let follower =
            Follower { session, dir, build, seq, actor, orders, refusing: None, holder: None, begun: false };
        tokio::spawn(follower.run(begin));
        Self { ops }
    }

    /// Sends an order. If the holder is gone the order is lost with it, and the end is reported.
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
    /// The task that handles orders while the holder doesn't answer.
    refusing: Option<JoinHandle<Parted>>,
    holder: Option<ProcessId>,
    /// Whether the holder has answered.
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
        let mut apart = 0;
        loop {
            // Something accepts connections there, but its identity isn't known yet.
            let answers = match Client::connect(&self.dir, &self.build).await {
                Ok((client, news)) => {
                    apart = 0;
                    ended |= self.connected(Arc::new(client), news).await;
                    if self.refusing.is_some() && !self.actor.is_closed() {
                        continue;
                    }
                    self.holder.is_none()
                }
                Err(ConnectError::Gone { .. }) if self.begins(&mut child, started) && !ended => {
                    tokio::time::sleep(TRY_AGAIN).await;
                    continue;
                }
                Err(ConnectError::Gone { .. }) => {
                    self.give_up_beginner(&mut child);
                    if child.is_none() && self.holder.is_none() && !ended {
                        // If the socket was removed, the holder that listened there makes a new one.
                        let (dir, session) = (self.dir.clone(), self.session.clone());
                        let found = tokio::task::spawn_blocking(move || holder_of(&dir, &session)).await;
                        self.holder = found.ok().flatten();
                    }
                    false
                }
                Err(error @ (ConnectError::Stranger { .. } | ConnectError::Mute { .. })) => {
                    tracing::warn!(session = %self.session, %error, "a holder is not heard");
                    self.holder = match self.holder {
                        Some(holder) => Some(holder),
                        None => listens(&self.dir, &self.session).await,
                    };
                    self.begin_refusing(ended);
                    self.holder.is_none()
                }
            };
            if self.actor.is_closed() {
                self.stop_refusing();
                return;
            }
            if !ended && (answers || self.holder_lives(&mut child)) {
                apart += 1;
                if apart >= TRIES_UNTIL_UNRESPONSIVE {
                    self.begin_refusing(ended);
                }
                tokio::time::sleep(TRY_LATER).await;
                continue;
            }
            break;
        }
        self.stop_refusing();
        self.gone(ended, child).await;
    }

    /// Reports that the live holder doesn't answer, and begins to handle orders without it.
    fn begin_refusing(&mut self, ended: bool) {
        if ended || self.refusing.is_some() {
            return;
        }
        self.tell(News::Unresponsive);
        self.refusing = Some(tokio::spawn(self.errand(None).run(Arc::clone(&self.orders))));
    }

    fn stop_refusing(&mut self) {
        if let Some(refusing) = self.refusing.take() {
            refusing.abort();
        }
    }

    /// Follows one connection until it closes. Returns whether the session's end was reported.
    async fn connected(&mut self, client: Arc<Client>, mut news: mpsc::Receiver<Pushed>) -> bool {
        if client.protocol() != PROTOCOL {
            return self.foreign(client, news).await;
        }
        let stands = async { (client.journal_from(self.seq).await, client.state().await) };
        let Ok(stands) = tokio::time::timeout(ANSWERS_WITHIN, stands).await else {
            self.begin_refusing(false);
            return false;
        };
        self.stop_refusing();
        let (journal, state) = match stands {
            (Ok(journal), Ok(state)) => (journal, state),
            // The holder claims this version's build, but its answers don't fit.
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
        let (mut idle, opens) = (state.view.activity.is_idle(), opens(&state.view));
        self.tell(News::View(Box::new(state.view)));
        let mut orders = self.carry_out(&client);
        let mut memory = tokio::time::interval(MEMORY_EVERY);
        memory.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        if opens {
            memory.reset();
        }
        let mut asked = JoinSet::new();
        let mut ordered = true;
        let mut answers = true;
        while answers {
            tokio::select! {
                parted = &mut orders, if ordered => {
                    ordered = false;
                    answers = ended || parted.is_ok_and(|parted| parted == Parted::Over);
                }
                Some(answered) = asked.join_next() => answers = ended || answered.unwrap_or(true),
                pushed = news.recv() => match pushed {
                    Some(Pushed::Journal(entry)) => ended |= self.entry(entry),
                    Some(Pushed::View(view)) => {
                        let was_idle = std::mem::replace(&mut idle, view.activity.is_idle());
                        if idle && !was_idle {
                            memory.reset_after(MEMORY_SETTLES);
                        }
                        self.tell(News::View(Box::new(view)));
                    }
                    None => break,
                },
                _ = memory.tick(), if !ended && asked.is_empty() => {
                    asked.spawn(self.ask_state(&client));
                }
            }
        }
        orders.abort();
        if !answers {
            self.begin_refusing(ended);
        }
        ended
    }

    /// Follows a holder of another version. Only whether its session lives can be known, and it takes the
    /// orders that end it. Its files show the result, as far as this version can read them.
    async fn foreign(&mut self, client: Arc<Client>, mut news: mpsc::Receiver<Pushed>) -> bool {
        let Ok(standing) = tokio::time::timeout(ANSWERS_WITHIN, client.standing()).await else {
            self.begin_refusing(false);
            return false;
        };
        self.stop_refusing();
        let Ok(standing) = standing else { return false };
        self.holder = standing.holder_pid.and_then(ProcessId::of).or(self.holder);
        self.begun = true;
        let build = client.build().to_owned();
        tracing::warn!(session = %self.session, build, protocol = client.protocol(), "a holder of another version");
        self.tell(News::Foreign { build, engine_pid: standing.engine_pid });
        let mut orders = self.carry_out(&client);
        let over = async {
            loop {
                match tokio::time::timeout(ANSWERS_WITHIN, client.standing()).await {
                    Ok(Ok(standing)) if !standing.ended => tokio::time::sleep(FOREIGN_LOOKED_AT).await,
                    Ok(Ok(_) | Err(_)) => break,
                    Err(_) => return true,
                }
            }
            // The holder waits until its end has been stored. If it doesn't know this order, it exits a
            // little later.
            let _ = tokio::time::timeout(ANSWERS_WITHIN, client.commit(u64::MAX)).await;
            false
        };
        let closed = async { while news.recv().await.is_some() {} };
        let unordered = async {
            if !matches!((&mut orders).await, Ok(Parted::Unanswered)) {
                std::future::pending::<()>().await;
            }
        };
        let unanswered = tokio::select! {
            () = closed => false,
            unanswered = over => unanswered,
            () = unordered => true,
        };
        orders.abort();
        if unanswered {
            self.begin_refusing(false);
        }
        false
    }

    /// Requests the holder's state while news keeps arriving: the answer comes after the news that is on its
    /// way, which must be read first. Resolves to whether an answer came in time.
    fn ask_state(&self, client: &Arc<Client>) -> impl Future<Output = bool> + use<> {
        let (client, session, actor) = (Arc::clone(client), self.session.clone(), self.actor.clone());
        async move {
            let state = tokio::time::timeout(ANSWERS_WITHIN, client.state()).await;
            if let Ok(Ok(state)) = &state {
                let _ = actor.send(Wake::News(session, News::State(Box::new(state.clone()))));
            }
            state.is_ok()
        }
    }

    /// Starts to send orders over this connection, until it closes.
    fn carry_out(&self, client: &Arc<Client>) -> JoinHandle<Parted> {
        tokio::spawn(self.errand(Some(Arc::clone(client))).run(Arc::clone(&self.orders)))
    }

    fn errand(&self, client: Option<Arc<Client>>) -> Errand {
        Errand {
            client,
            session: self.session.clone(),
            dir: self.dir.clone(),
            holder: self.holder,
            actor: self.actor.clone(),
        }
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

    /// The holder's process is gone: reads what it wrote and nobody read, and ends what it left behind.
    async fn gone(mut self, mut ended: bool, child: Option<Child>) {
        if let Some(mut child) = child {
            // The child has ended or is about to: its socket is gone.
            let _ = tokio::task::spawn_blocking(move || child.wait()).await;
        }
        if ended {
            self.tell(News::Over);
            return;
        }
        let dir = self.dir.clone();
        let seq = self.seq;
        let rest = tokio::task::spawn_blocking(move || journal_rest(&dir, seq)).await.unwrap_or_default();
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

    /// Whether the holder was started just now and doesn't listen yet.
    fn begins(&self, child: &mut Option<Child>, started: tokio::time::Instant) -> bool {
        !self.begun && started.elapsed() < LISTENS_WITHIN && child_lives(child)
    }

    /// Ends a new holder that never listened, since nobody could ever pause what it starts.
    fn give_up_beginner(&self, child: &mut Option<Child>) {
        if let Some(child) = child.as_mut().filter(|_| !self.begun) {
            // It may have ended in the meantime.
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

/// Whether the engine has confirmed nothing yet, so that its memory is far below what it will be.
pub(crate) fn opens(view: &View) -> bool {
    match view.activity {
        Activity::Opening { .. } => true,
        Activity::Idle { .. } | Activity::Working { .. } | Activity::Waiting { .. } => false,
    }
}

fn child_lives(child: &mut Option<Child>) -> bool {
    child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None)))
}
