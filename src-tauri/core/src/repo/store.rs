//! How a repo deals with a store that refuses: what isn't on disk isn't done, and is written again later.

use super::orders::Switched;
use super::{Answer, Change, Effect, Effects, Intent, Notice, Process, Purpose, REWRITE_AFTER, Repo};
use crate::ask::Stage;
use crate::ids::SessionId;
use crate::time::Now;
use crate::trouble::Trouble;

impl Repo {
    /// The store refused an event's changes: none were written and no effect was carried out, so the repo
    /// takes them back. Facts about the world remain true, and so do answers that report them.
    pub(super) fn store_failed(&mut self, trouble: &Trouble, undone: Effects, now: Now, out: &mut Effects) {
        let Effects { changes, then } = undone;
        let is_pause = |change: &Change| matches!(change, Change::Intent(Intent::Paused { .. }));
        let unpaused = changes.iter().any(is_pause);
        self.unsay_intents(&changes);
        self.rewrite_at = Some(now.awake.after(REWRITE_AFTER));
        for change in changes {
            self.unwritten.push(change.clone());
            self.not_changed(change, trouble, out);
        }
        let mut opens = false;
        let mut ends = None;
        for effect in then {
            match effect {
                Effect::Reply(reply, Answer::Paused(_)) if unpaused => out.refuse(reply, trouble.clone()),
                Effect::Notice(Notice::Paused(_)) if unpaused => {}
                Effect::Reply(reply, answer) => out.push(Effect::Reply(reply, unwritten(answer, trouble))),
                Effect::Spawn { .. } | Effect::Check { .. } => opens = true,
                Effect::LookAhead { check, .. } => self.looked_ahead(check, Err(trouble.clone()), now, out),
                Effect::Freeze(ref session, _) | Effect::End(ref session, _) => {
                    ends = Some((session.clone(), effect));
                }
                Effect::Submit { ask, .. } => self.not_submitted(&ask, now),
                // None of these needs the disk, and a notice and the log report something that has happened.
                effect @ (Effect::Interrupt(_)
                | Effect::Decide { .. }
                | Effect::Thaw(_)
                | Effect::Notice(_)
                | Effect::Log(_)) => out.push(effect),
            }
        }
        if opens {
            self.process = Process::None;
            self.fail_unwritten(trouble, out);
        }
        if let Some((session, effect)) = ends {
            self.unordered(session, effect, trouble, now, out);
        }
        out.push(Effect::Notice(Notice::Trouble(trouble.clone())));
    }

    fn not_changed(&mut self, change: Change, trouble: &Trouble, out: &mut Effects) {
        match change {
            Change::Ask(ask) if ask.stage == Stage::Waiting => self.not_written(&ask.id, trouble, out),
            // That the wish is over follows from an open, which stays valid.
            Change::FreshNext(true) => self.fresh_next = false,
            // It may not have been named to anybody: the next statement names it too.
            Change::Continuity(told) => self.interrupted.extend(told.interrupted),
            Change::AskGone(_) => {
                if let Some((at, ask)) = self.withdrawn.take() {
                    self.asks.insert(at.min(self.asks.len()), ask);
                }
            }
            Change::Pinned(pinned) => self.pinned = !pinned,
            Change::Removed => self.removed = false,
            Change::Engine(_) => {
                if let Some(Switched { engine, conversation, continuity, freed }) = self.switched.take() {
                    (self.engine, self.conversation) = (engine, conversation);
                    (self.continuity, self.freed) = (continuity, freed);
                }
            }
            Change::Intent(_)
            | Change::Current(_)
            | Change::Known(_)
            | Change::Untold(_)
            | Change::Interrupted(_)
            | Change::FreshNext(false)
            | Change::Forked(_)
            | Change::Ask(_)
            | Change::SessionBegins { .. }
            | Change::SessionOver { .. } => {}
        }
    }

    fn unsay_intents(&mut self, undone: &[Change]) {
        let unsaid = undone.iter().filter(|change| matches!(change, Change::Intent(_))).count();
        let said = self.replaced.len().saturating_sub(unsaid);
        if let Some(intent) = self.replaced.drain(said..).next() {
            self.intent = intent;
        }
        // The disk has an order that was dropped. Nobody may carry it out later.
        if !matches!(self.process, Process::Ending { .. }) && matches!(self.intent, Intent::Ending { .. }) {
            self.intent = Intent::Open;
        }
    }

    /// Drops an end that couldn't be written. An end that was ordered before this runner started is carried
    /// out.
    fn unordered(
        &mut self,
        session: SessionId,
        effect: Effect,
        trouble: &Trouble,
        now: Now,
        out: &mut Effects,
    ) {
        let Process::Ending { order, .. } = &self.process else { return };
        if matches!(self.intent, Intent::Paused { .. }) {
            out.push(effect);
            return;
        }
        let order = order.clone();
        if let Some(before) = self.named_before.take() {
            self.interrupted = before; // nothing was cut off after all
            self.unwritten.push(Change::Interrupted(Vec::new()));
        }
        out.push(Effect::Thaw(session));
        if let Purpose::FreshAsk(ask) = &order.purpose {
            self.not_submitted(ask, now);
        }
        self.drop_order(&order, trouble, Vec::new(), out);
    }

    fn fail_unwritten(&mut self, trouble: &Trouble, out: &mut Effects) {
        self.offline = Some(trouble.clone());
        self.fail_open(trouble, out);
    }

    /// Writes again what the store refused, with its present value.
    pub(super) fn rewrite(&mut self, now: Now, out: &mut Effects) {
        if self.rewrite_at.is_some_and(|at| at <= now.awake) {
            self.write_behind(out);
        }
    }

    /// Writes it again at once: what comes next must not reach the disk without it.
    pub(super) fn write_behind(&mut self, out: &mut Effects) {
        self.rewrite_at = None;
        let unwritten = std::mem::take(&mut self.unwritten);
        out.changes.extend(unwritten.into_iter().filter_map(|change| self.as_it_is(change)));
    }

    /// Whether everything has been written to disk.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.unwritten.is_empty()
    }

    fn as_it_is(&self, change: Change) -> Option<Change> {
        match change {
            Change::Intent(_) => Some(Change::Intent(self.intent.clone())),
            Change::Current(_) => self.conversation.clone().map(Change::Current),
            Change::Continuity(_) => match self.process {
                Process::Checking { .. } | Process::Opening { .. } => None, // a newer one is on its way
                Process::None | Process::Live { .. } | Process::Ending { .. } | Process::Reaping { .. } => {
                    self.continuity.clone().map(Change::Continuity)
                }
            },
            Change::Untold(_) => Some(Change::Untold(self.untold)),
            Change::Interrupted(_) => Some(Change::Interrupted(self.interrupted.clone())),
            Change::FreshNext(_) => Some(Change::FreshNext(self.fresh_next)),
            Change::Forked(_) => self.last_fork.clone().map(Change::Forked),
            Change::Pinned(_) => Some(Change::Pinned(self.pinned)),
            Change::Engine(_) => Some(Change::Engine(self.engine.name.clone())),
            Change::Ask(ask) if matches!(ask.stage, Stage::Over(_)) => Some(Change::Ask(ask)),
            Change::Ask(ask) => self.asks.iter().find(|known| known.id == ask.id).cloned().map(Change::Ask),
            Change::SessionOver { .. } => Some(change),
            Change::AskGone(_) | Change::Known(_) | Change::SessionBegins { .. } | Change::Removed => None,
        }
    }
}

/// The answer to give if a change that it depends on wasn't written.
fn unwritten(answer: Answer, trouble: &Trouble) -> Answer {
    match answer {
        Answer::Answered { .. } | Answer::Unanswered { .. } | Answer::Paused(_) => answer,
        Answer::Done | Answer::Accepted { .. } | Answer::Refused(_) => Answer::Refused(trouble.clone()),
    }
}
