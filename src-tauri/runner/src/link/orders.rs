//! Orders to a holder over one connection.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::decision::Pick;
use repose_core::hold::{Hold, Kind};
use repose_core::ids::{AskId, DecisionId, SessionId};
use repose_core::repo::Event;
use repose_core::session::{EndIf, Fact, Freeze, Lease, NotNow, Params};
use repose_hold::{CallError, Client, GREETS_WITHIN, Submitted};
use repose_sys::ProcessId;
use repose_sys::clock::now;
use tokio::sync::{Mutex, mpsc};

use super::News;
use crate::actor::Wake;

/// A holder that doesn't answer an order within this is stuck or stopped. Some orders make it look at files
/// and at its tree, which takes milliseconds. After this the connection is given up, and the order is handled
/// by [`Errand::give_up`].
pub(super) const ANSWERS_WITHIN: Duration = Duration::from_secs(10);

/// A holder that doesn't end its tree within this is ended itself, and its tree after it. The engine has its
/// own time to end, and its tree two seconds more.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// Without a connection to a live holder, an order that somebody waits for is given up after this: a holder
/// that answers would have sent its greeting by then.
const HEARD_WITHIN: Duration = GREETS_WITHIN;

/// An order to a holder. Orders are carried out one after the other, and again if the connection broke before
/// the answer: none has a further effect the second time.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Submit {
        ask: AskId,
        text: String,
    },
    Interrupt,
    Decide {
        decision: DecisionId,
        pick: Pick,
    },
    Freeze(Freeze),
    Thaw,
    End(EndIf),
    Lease(Lease, bool),
    Params(Params),
    Evict(Excess),
    Commit(u64),
    /// Look at the engine's processes now, and say when the resulting view has been heard.
    Scan(mpsc::UnboundedSender<()>),
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
            | Self::Commit(_)
            | Self::Scan(_) => ANSWERS_WITHIN,
        }
    }

    /// Whether somebody waits for the result.
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
            | Self::Commit(_)
            | Self::Scan(_) => false,
        }
    }
}

#[derive(Debug)]
pub(super) struct Orders {
    queue: mpsc::UnboundedReceiver<Op>,
    /// The order that was sent and isn't answered yet.
    sent: Option<Op>,
    /// Orders that were given up and are carried out once the holder answers: the last of each kind.
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

/// Why no more orders are carried out over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parted {
    /// The connection was closed, or nobody sends orders any more.
    Over,
    /// The holder doesn't answer.
    Unanswered,
}

/// Carries out orders over one connection.
pub(super) struct Errand {
    /// The connection. `None`: there is none.
    pub(super) client: Option<Arc<Client>>,
    pub(super) session: SessionId,
    pub(super) dir: PathBuf,
    pub(super) holder: Option<ProcessId>,
    pub(super) actor: mpsc::UnboundedSender<Wake>,
}

impl Errand {
    /// Carries out orders until the connection closes, the holder leaves one unanswered, or nobody sends
    /// orders any more.
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

    /// Answers orders on behalf of a live holder that doesn't answer.
    async fn run_refusing(&self, orders: &mut Orders) -> Parted {
        while let Some(op) = orders.next().await {
            if op.is_waited_for() {
                tokio::time::sleep(HEARD_WITHIN).await;
            }
            self.give_up(op, orders).await;
        }
        Parted::Over
    }

    /// Sends an order and waits for the answer. `None`: none came in time.
    async fn answered(&self, client: &Client, op: Op) -> Option<Result<(), CallError>> {
        tokio::time::timeout(op.answered_within(), self.carry_out(client, op)).await.ok()
    }

    fn note(&self, done: Result<(), CallError>) {
        match done {
            Ok(()) => {}
            // It crossed the end, whose report comes next: a lease given up because an ask was cut off, say.
            Err(error) if error.is_over() => {
                tracing::debug!(session = %self.session, "an order came after the session's end");
            }
            Err(error) => {
                tracing::warn!(session = %self.session, %error, "an order to the holder was not carried out");
            }
        }
    }

    /// Handles an order that isn't answered.
    async fn give_up(&self, op: Op, orders: &mut Orders) {
        tracing::debug!(session = %self.session, ?op, "a holder doesn't answer");
        match op {
            // An ask is typed once at most, however many times it is sent.
            Op::Submit { .. } | Op::Params(_) | Op::Commit(_) | Op::Thaw => orders.put_aside(op),
            // Later these would mean something else; a lease is renewed once the holder answers.
            Op::Interrupt | Op::Decide { .. } | Op::Lease(..) | Op::Evict(_) | Op::Scan(_) => {}
            Op::Freeze(freeze) => {
                let _ = self.actor.send(Wake::NoVerdict(self.session.clone(), freeze));
                // The holder may still hear of the freeze.
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
        // If it has just ended, that is what is wanted.
        let _ = repose_sys::end::kill_exact(holder);
    }

    async fn carry_out(&self, client: &Client, op: Op) -> Result<(), CallError> {
        match op {
            Op::Submit { ask, text } => self.submit(client, ask, &text).await,
            Op::Interrupt => client.interrupt().await,
            Op::Decide { decision, pick } => {
                let decided = client.decide(&decision, &pick).await;
                if matches!(decided, Err(CallError::Closed)) {
                    return decided.map(drop);
                }
                // A holder of another build may not know this order.
                let stood = decided.unwrap_or_default();
                self.tell(Event::Decided { decision, pick, stood });
                Ok(())
            }
            Op::Freeze(freeze) => {
                let verdict = client.freeze(freeze).await?;
                self.tell(Event::Judged { session: self.session.clone(), verdict });
                Ok(())
            }
            Op::Thaw => client.thaw().await,
            Op::End(end_if) => match client.end(end_if).await {
                Err(error) if error.is_thawed() => {
                    self.tell(Event::Thawed { session: self.session.clone() });
                    Ok(())
                }
                // Another version reports the end in a form that this one can't read.
                Err(CallError::Strange { .. }) => Ok(()),
                ended => ended.map(drop),
            },
            Op::Lease(lease, held) => client.lease(lease, held).await,
            Op::Params(params) => client.params(params).await,
            Op::Evict(over) => client.evict(over).await,
            Op::Commit(seq) => client.commit(seq).await,
            Op::Scan(seen) => {
                client.scan().await?;
                let view = Box::new(client.state().await?.view);
                let _ = self.actor.send(Wake::News(self.session.clone(), News::View(view)));
                let _ = self.actor.send(Wake::Scanned(seen));
                Ok(())
            }
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
                // Text that can't be typed was refused before; a holder of another build may decide
                // differently.
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

/// The hold without a holder that answers: it is unknown what an end would lose.
pub(crate) fn unseen() -> Hold {
    let why = format!("the process that keeps it gave no answer for {} s", HEARD_WITHIN.as_secs());
    Hold::new(now().wall, Kind::Unseen(why))
}
