//! Orders to a holder, over one connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::hold::{Hold, Kind};
use repose_core::ids::{AskId, DecisionId, SessionId};
use repose_core::repo::Event;
use repose_core::session::{Fact, Freeze, Lease, NotNow, Params, Verdict};
use repose_core::time::Awake;
use repose_hold::{CallError, Client, GREETS_WITHIN, Submitted};
use repose_sys::ProcessId;
use repose_sys::clock::now;
use tokio::sync::{Mutex, mpsc};

use crate::actor::Wake;

/// A holder that doesn't answer an order within this is stuck or stopped. It looks at files and at its tree
/// for some of them, and takes some milliseconds. At it the connection is given up, and the order as
/// [`Errand::give_up`] says.
pub(super) const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// A holder that doesn't end its tree within this is ended itself, and the tree after it. It may take the
/// engine's own time to end and two seconds more.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// While no connection stands to a holder that lives, an order that somebody waits for has so long before it
/// is given up: by then one that answers would have greeted.
const HEARD_WITHIN: Duration = GREETS_WITHIN;

/// An order to a holder. They are carried out one after the other, and again if the connection broke before
/// the answer: none does more the second time.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Submit { ask: AskId, text: String },
    Interrupt,
    Decide { decision: DecisionId, choice: String },
    Freeze(Freeze),
    Thaw,
    End(Option<Awake>),
    Lease(Lease, bool),
    Params(Params),
    Evict(Excess),
    Commit(u64),
}

impl Op {
    fn answered_within(&self) -> Duration {
        match self {
            Self::End(_) => ENDS_WITHIN,
            Self::Submit { .. }
            | Self::Interrupt
            | Self::Decide { .. }
            | Self::Freeze(_)
            | Self::Thaw
            | Self::Lease(..)
            | Self::Params(_)
            | Self::Evict(_)
            | Self::Commit(_) => ANSWERS_WITHIN,
        }
    }

    /// Somebody waits for what comes of it.
    fn is_waited_for(&self) -> bool {
        match self {
            Self::Freeze(_) | Self::End(_) => true,
            Self::Submit { .. }
            | Self::Interrupt
            | Self::Decide { .. }
            | Self::Thaw
            | Self::Lease(..)
            | Self::Params(_)
            | Self::Evict(_)
            | Self::Commit(_) => false,
        }
    }
}

#[derive(Debug)]
pub(super) struct Orders {
    queue: mpsc::UnboundedReceiver<Op>,
    /// Sent, and not answered yet.
    sent: Option<Op>,
    /// Given up, and carried out all the same once the holder answers: the last of each kind.
    aside: Vec<Op>,
}

impl Orders {
    pub(super) fn new(queue: mpsc::UnboundedReceiver<Op>) -> Self {
        Self { queue, sent: None, aside: Vec::new() }
    }

    async fn next(&mut self) -> Option<Op> {
        let op = match self.sent.take() {
            Some(op) => op,
            None => self.queue.recv().await?,
        };
        self.sent = Some(op.clone());
        Some(op)
    }

    fn put_aside(&mut self, op: Op) {
        let kind = std::mem::discriminant(&op);
        self.aside.retain(|other| std::mem::discriminant(other) != kind);
        self.aside.push(op);
    }
}

/// Why orders are carried out no more over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parted {
    /// It closed, or nobody orders anything any more.
    Over,
    /// The holder doesn't answer.
    Unanswered,
}

/// What carries them out.
pub(super) struct Errand {
    /// `None`: no connection stands.
    pub(super) client: Option<Arc<Client>>,
    pub(super) session: SessionId,
    pub(super) dir: PathBuf,
    pub(super) holder: Option<ProcessId>,
    pub(super) actor: mpsc::UnboundedSender<Wake>,
}

impl Errand {
    /// Carries out orders until the connection closes, the holder leaves one unanswered, or nobody orders
    /// anything any more.
    pub(super) async fn run(self, orders: Arc<Mutex<Orders>>) -> Parted {
        let mut orders = orders.lock().await;
        let Some(client) = self.client.clone() else { return self.run_refusing(&mut orders).await };
        while let Some(op) = orders.aside.first().cloned() {
            match self.answered(&client, op).await {
                Some(Err(CallError::Closed)) => return Parted::Over,
                Some(done) => self.note(done),
                None => return Parted::Unanswered,
            }
            orders.aside.remove(0);
        }
        while let Some(op) = orders.next().await {
            match self.answered(&client, op.clone()).await {
                Some(Err(CallError::Closed)) => return Parted::Over,
                Some(done) => self.note(done),
                None => {
                    self.give_up(op, &mut orders).await;
                    return Parted::Unanswered;
                }
            }
            orders.sent = None;
        }
        Parted::Over
    }

    /// A holder lives and doesn't answer: whoever orders something gets to know that all the same.
    async fn run_refusing(&self, orders: &mut Orders) -> Parted {
        while let Some(op) = orders.next().await {
            if op.is_waited_for() {
                tokio::time::sleep(HEARD_WITHIN).await;
            }
            self.give_up(op, orders).await;
        }
        Parted::Over
    }

    /// `None`: there was no answer in time.
    async fn answered(&self, client: &Client, op: Op) -> Option<Result<(), CallError>> {
        tokio::time::timeout(op.answered_within(), self.carry_out(client, op)).await.ok()
    }

    fn note(&self, done: Result<(), CallError>) {
        if let Err(error) = done {
            tracing::warn!(session = %self.session, %error, "an order to the holder was not carried out");
        }
    }

    /// What becomes of an order that isn't answered.
    async fn give_up(&self, op: Op, orders: &mut Orders) {
        tracing::debug!(session = %self.session, ?op, "a holder doesn't answer");
        match op {
            // Typed once at most, however often it is sent.
            Op::Submit { .. } | Op::Params(_) | Op::Commit(_) | Op::Thaw => orders.put_aside(op),
            // Later they would mean something else; a lease is renewed once the holder answers.
            Op::Interrupt | Op::Decide { .. } | Op::Lease(..) | Op::Evict(_) => {}
            Op::Freeze(freeze) => {
                let _ = self.actor.send(Wake::NoVerdict(self.session.clone(), freeze));
                // It may still hear of the freeze.
                orders.put_aside(Op::Thaw);
            }
            Op::End(_) => self.end_holder().await,
        }
        orders.sent = None;
    }

    async fn end_holder(&self) {
        let listens = super::holder::listens(&self.dir, &self.session).await;
        let Some(holder) = self.holder.filter(|holder| holder.alive()).or(listens) else {
            tracing::error!(session = %self.session, "the holder doesn't end, and isn't found");
            return;
        };
        tracing::error!(session = %self.session, "the holder doesn't end; it is ended");
        // One that has ended in this moment is what is wanted.
        let _ = repose_sys::end::kill_exact(holder);
    }

    async fn carry_out(&self, client: &Client, op: Op) -> Result<(), CallError> {
        match op {
            Op::Submit { ask, text } => self.submit(client, ask, &text).await,
            Op::Interrupt => client.interrupt().await,
            Op::Decide { decision, choice } => {
                let decided = client.decide(&decision, &choice).await;
                if matches!(decided, Err(CallError::Closed)) {
                    return decided.map(drop);
                }
                // A holder of another build may not know how.
                let stood = decided.unwrap_or_default();
                self.tell(Event::Decided { decision, stood });
                Ok(())
            }
            Op::Freeze(freeze) => {
                let verdict = client.freeze(freeze).await?;
                self.tell(Event::Judged { session: self.session.clone(), verdict });
                Ok(())
            }
            Op::Thaw => client.thaw().await,
            Op::End(freeze) => match client.end(freeze).await {
                Err(error) if error.is_thawed() => {
                    self.tell(Event::Thawed { session: self.session.clone() });
                    Ok(())
                }
                // How it ended, another version tells in words of its own.
                Err(CallError::Strange { .. }) => Ok(()),
                ended => ended.map(drop),
            },
            Op::Lease(lease, held) => client.lease(lease, held).await,
            Op::Params(params) => client.params(params).await,
            Op::Evict(over) => client.evict(over).await,
            Op::Commit(seq) => client.commit(seq).await,
        }
    }

    async fn submit(&self, client: &Client, ask: AskId, text: &str) -> Result<(), CallError> {
        match client.submit(&ask, text).await {
            Ok(Submitted::Accepted) => Ok(()),
            Ok(Submitted::NotNow(why)) => {
                self.tell(Event::NotNow { ask, why });
                Ok(())
            }
            Ok(Submitted::Unfit(words)) => {
                // What can't be typed was refused before; another build of the holder may see it otherwise.
                tracing::warn!(session = %self.session, %words, "the holder refused an ask");
                self.tell(Event::Fact { session: self.session.clone(), fact: Fact::NotTaken { ask } });
                Ok(())
            }
            Err(CallError::Closed) => Err(CallError::Closed),
            Err(error) => {
                self.tell(Event::NotNow { ask, why: NotNow::LettingGo });
                Err(error)
            }
        }
    }

    fn tell(&self, event: Event) {
        let _ = self.actor.send(Wake::Event(event));
    }
}

/// Nobody knows what an end would lose.
pub(crate) fn no_verdict() -> Verdict {
    let words = format!("no answer from the process that keeps it for {} s", HEARD_WITHIN.as_secs());
    Verdict::Held(vec![Hold { since: now().wall, kind: Kind::Unknown(words) }])
}
