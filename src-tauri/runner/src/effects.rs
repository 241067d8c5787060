//! Carries out the state machine's effects. Whatever takes time runs beside the actor and comes back as a
//! wake.

use std::sync::Arc;

use repose_core::continuity::Plan;
use repose_core::ids::{ConversationId, SessionId};
use repose_core::repo::{Checked, Effect, Event, Notice};
use repose_core::trouble::{Code, Trouble};

use crate::actor::{Actor, Wake};
use crate::check::{Facts, check};
use crate::env::may_help;
use crate::link::Op;
use crate::shared::Shared;
use crate::shown::LogWhat;
use crate::spawn::{Opening, spawn};

/// The most rows of the log to keep for a store that refuses: more than happens in a repo while a disk is
/// full. Beyond that the oldest are dropped.
const UNLOGGED_MAX: usize = 200;

impl Actor {
    /// Carries out any effect except replies, notices and rows of the log.
    pub(crate) fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Notice(_) | Effect::Log(_) | Effect::Reply(..) => {}
            Effect::Check { check, conversation } => self.check(check, conversation, true),
            Effect::LookAhead { check, conversation } => self.check(check, conversation, false),
            Effect::Spawn { session, plan, new_conversation } => self.spawn(session, plan, new_conversation),
            Effect::Submit { session, ask, text } => self.send(&session, Op::Submit { ask, text }),
            Effect::Interrupt(session) => self.send(&session, Op::Interrupt),
            Effect::Decide { session, decision, pick } => {
                self.send(&session, Op::Decide { decision, pick });
            }
            Effect::Freeze(session, freeze) => {
                self.renew_leases(); // an ask that is over must not hold the engine
                self.send(&session, Op::Freeze(freeze));
            }
            Effect::Thaw(session) => self.send(&session, Op::Thaw),
            Effect::End(session, end_if) => self.send(&session, Op::End(end_if)),
        }
    }

    /// Runs a check. With `admit`, the open takes a place among the engines that may be live.
    fn check(&self, number: u64, conversation: Option<ConversationId>, admit: bool) {
        let (facts, shared, myself) = (self.facts.clone(), Arc::clone(&self.shared), self.myself.clone());
        let (admitted, id) = (Arc::clone(&self.shared), self.facts.id.clone());
        tokio::spawn(async move {
            let looked = || looked_at(&facts, &shared, conversation.clone());
            let checked = match looked().await {
                Err(trouble) if may_help(&trouble, shared.describes(&facts)) => {
                    shared.env.look_again().await;
                    looked().await
                }
                checked => checked,
            };
            let result = match checked {
                Ok(checked) if admit => admitted.admit(&id).await.map(|()| checked),
                result => result,
            };
            if myself.send(Wake::Event(Event::Checked { check: number, result })).is_err() && admit {
                admitted.room.leaves(&id); // the repo was removed in the meantime
            }
        });
    }

    fn spawn(&mut self, session: SessionId, plan: Plan, new_conversation: ConversationId) {
        self.expect(session.clone());
        let (facts, shared, myself) = (self.facts.clone(), Arc::clone(&self.shared), self.myself.clone());
        let opening = Opening { session: session.clone(), plan, new_conversation, params: self.params() };
        tokio::spawn(async move {
            let env = shared.env_for(&facts).await;
            let settings = shared.engine_settings(&facts);
            let spawned = tokio::task::spawn_blocking(move || {
                let child = spawn(&facts, &shared, &env, &settings, &opening)?;
                Ok((child, shared.programs.build()))
            });
            let spawned = spawned.await.unwrap_or_else(|error| Err(fault(&error)));
            let _ = myself.send(Wake::Spawned(session, spawned));
        });
    }

    /// Writes a notice to the log, if it belongs there, and tells everybody.
    pub(crate) async fn notice(&mut self, notice: Notice) {
        if let Some(what) = self.logged(&notice)
            && self.is_news(&what)
        {
            self.log(what).await;
        }
        let repo = &self.facts.id;
        if let Notice::Reaped { idle, over, freed } = &notice {
            let bytes = freed.map(|freed| freed.bytes);
            tracing::info!(
                repo = self.facts.name,
                idle_s = idle.as_secs(),
                freed = bytes,
                over = ?over,
                "let an idle engine go"
            );
        }
        self.shared.notice(repo, notice);
    }

    /// Whether it isn't the trouble that was logged last. For as long as not everything can be written, one event after
    /// the other is refused for the same reason, which is one row.
    fn is_news(&mut self, what: &LogWhat) -> bool {
        let trouble = matches!(what, LogWhat::Trouble { .. });
        if trouble && self.refused_for.as_ref() == Some(what) {
            return false;
        }
        if trouble {
            self.refused_for = Some(what.clone());
        }
        true
    }

    pub(crate) async fn log(&mut self, what: LogWhat) {
        if self.unlogged.len() == UNLOGGED_MAX {
            self.unlogged.pop_front();
        }
        self.unlogged.push_back((what, repose_sys::clock::now().wall));
        self.write_log().await;
    }

    /// Writes the rows that the log doesn't have yet. Rows that the store refuses are tried again after the
    /// next change that it takes.
    pub(crate) async fn write_log(&mut self) {
        while let Some((what, wall)) = self.unlogged.front().cloned() {
            let (store, repo) = (self.shared.store.clone(), self.facts.id.clone());
            let noted = tokio::task::spawn_blocking(move || store.note(&repo, &what, wall)).await;
            if let Ok(Err(error)) = noted {
                tracing::warn!(%error, "an event is not logged yet");
                return;
            }
            self.unlogged.pop_front();
        }
    }

    /// The log entry of a notice, if any. Asks and answers are logged with the ask itself.
    fn logged(&self, notice: &Notice) -> Option<LogWhat> {
        Some(match notice {
            Notice::Reaped { idle, over, freed } => {
                LogWhat::Reaped { idle: *idle, over: *over, freed: *freed }
            }
            Notice::Paused(freed) => LogWhat::Paused(*freed),
            Notice::Stopped(freed) => LogWhat::Stopped(*freed),
            Notice::Opened(continuity) => LogWhat::Opened {
                continuity: continuity.clone(),
                conversation: self.repo.conversation().map(|conversation| conversation.id.clone()),
            },
            Notice::Moved(conversation) => LogWhat::Moved(conversation.clone()),
            Notice::EndedByItself(words) => LogWhat::Ended { words: words.clone() },
            Notice::OrderDropped { purpose, work } => {
                LogWhat::OrderDropped { purpose: purpose.code().into(), work: work.clone() }
            }
            Notice::Trouble(trouble) => {
                LogWhat::Trouble { code: trouble.code.as_str().into(), sentence: trouble.sentence.clone() }
            }
            Notice::TurnOver { .. } => return None,
        })
    }
}

/// Everything that an open needs, looked at in a task that may block.
async fn looked_at(
    facts: &Facts,
    shared: &Arc<Shared>,
    conversation: Option<ConversationId>,
) -> Result<Checked, Trouble> {
    shared.look_at_folder(facts).await?;
    let env = shared.env_for(facts).await;
    let settings = shared.engine_settings(facts);
    let (facts, shared) = (facts.clone(), Arc::clone(shared));
    let look = move || check(&facts, &shared, &env, &settings, conversation.as_ref());
    tokio::task::spawn_blocking(look).await.unwrap_or_else(|error| Err(fault(&error)))
}

fn fault(error: &tokio::task::JoinError) -> Trouble {
    Trouble::new(
        Code::Internal,
        format!("A step of the open ended in a fault ({error}). Nothing was started."),
        ["Ask again.", "If it comes back, report it."],
    )
}
