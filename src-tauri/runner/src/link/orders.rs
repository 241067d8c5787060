//! Orders to a holder, over one connection.

use std::sync::Arc;
use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::hold::{Hold, Kind};
use repose_core::ids::{AskId, DecisionId, SessionId};
use repose_core::repo::Event;
use repose_core::session::{Fact, Freeze, Lease, NotNow, Params, Verdict};
use repose_hold::{CallError, Client, Submitted};
use repose_sys::ProcessId;
use repose_sys::clock::now;
use tokio::sync::{Mutex, mpsc};

use crate::actor::Wake;

/// A holder that doesn't judge within this is stuck or stopped: an order that may lose no work is refused. It looks at files and at its tree
/// for that, and takes some milliseconds.
const JUDGES_WITHIN: Duration = Duration::from_secs(10);

/// A holder that doesn't end its tree within this is ended itself, and the tree after it. It may take the engine's own
/// time to end and two seconds more.
const ENDS_WITHIN: Duration = Duration::from_secs(30);

/// An order to a holder. They are carried out one after the other, and again if the connection broke before the answer:
/// none does more the second time.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Submit { ask: AskId, text: String },
    Interrupt,
    Decide { decision: DecisionId, choice: String },
    Freeze(Freeze),
    Thaw,
    End,
    Lease(Lease, bool),
    Params(Params),
    Evict(Excess),
    Commit(u64),
}

#[derive(Debug)]
pub(super) struct Orders {
    pub(super) queue: mpsc::UnboundedReceiver<Op>,
    /// Sent, and not answered yet.
    pub(super) sent: Option<Op>,
}

/// What carries them out.
pub(super) struct Errand {
    pub(super) client: Arc<Client>,
    pub(super) session: SessionId,
    pub(super) holder: Option<ProcessId>,
    pub(super) actor: mpsc::UnboundedSender<Wake>,
}

impl Errand {
    /// Carries out orders until the connection closes or nobody orders anything any more.
    pub(super) async fn run(self, orders: Arc<Mutex<Orders>>) {
        let mut orders = orders.lock().await;
        loop {
            let op = match orders.sent.take() {
                Some(op) => op,
                None => match orders.queue.recv().await {
                    Some(op) => op,
                    None => return,
                },
            };
            orders.sent = Some(op.clone());
            match self.carry_out(op).await {
                Ok(()) => {}
                Err(CallError::Closed) => return,
                Err(error) => {
                    tracing::warn!(session = %self.session, %error, "an order to the holder was not carried out");
                }
            }
            orders.sent = None;
        }
    }

    async fn carry_out(&self, op: Op) -> Result<(), CallError> {
        match op {
            Op::Submit { ask, text } => self.submit(ask, &text).await,
            Op::Interrupt => self.client.interrupt().await,
            Op::Decide { decision, choice } => {
                let decided = self.client.decide(&decision, &choice).await;
                if matches!(decided, Err(CallError::Closed)) {
                    return decided.map(drop);
                }
                // A holder of another build may not know how.
                let stood = decided.unwrap_or_default();
                self.tell(Event::Decided { decision, stood });
                Ok(())
            }
            Op::Freeze(freeze) => {
                let verdict = match tokio::time::timeout(JUDGES_WITHIN, self.client.freeze(freeze)).await {
                    Ok(verdict) => verdict?,
                    // On a person's word it goes on: the end is bounded too.
                    Err(_) if freeze.interrupt => Verdict::Frozen(Vec::new()),
                    Err(_) => no_verdict(),
                };
                self.tell(Event::Judged { session: self.session.clone(), verdict });
                Ok(())
            }
            Op::Thaw => self.client.thaw().await,
            Op::End => {
                let ended = tokio::time::timeout(ENDS_WITHIN, self.client.end()).await;
                match (ended, self.holder) {
                    // How it ended, another version tells in words of its own.
                    (Ok(Err(CallError::Strange { .. })), _) => Ok(()),
                    (Ok(ended), _) => ended.map(drop),
                    (Err(_), Some(holder)) => {
                        tracing::error!(session = %self.session, "the holder doesn't end; it is ended");
                        // One that has ended in this moment is what is wanted.
                        let _ = repose_sys::end::kill_exact(holder);
                        Ok(())
                    }
                    (Err(_), None) => Ok(()),
                }
            }
            Op::Lease(lease, held) => self.client.lease(lease, held).await,
            Op::Params(params) => self.client.params(params).await,
            Op::Evict(over) => self.client.evict(over).await,
            Op::Commit(seq) => self.client.commit(seq).await,
        }
    }

    async fn submit(&self, ask: AskId, text: &str) -> Result<(), CallError> {
        match self.client.submit(&ask, text).await {
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
fn no_verdict() -> Verdict {
    let words = format!("no answer from the process that keeps it for {} s", JUDGES_WITHIN.as_secs());
    Verdict::Held(vec![Hold { since: now().wall, kind: Kind::Unknown(words) }])
}
