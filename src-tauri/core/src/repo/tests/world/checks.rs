//! The promises, checked whenever the world is about to change.

use super::super::super::{Answer, Change, Effect, Intent, Purpose, ReplyTo, State};
use super::World;
use crate::ask::{Ask, Stage};
use crate::continuity::{Outcome, Plan, Reason};
use crate::trouble::{Code, Trouble};

impl World {
    pub(super) fn check(&mut self, effect: &Effect) {
        match effect {
            Effect::Spawn { session, plan, .. } => {
                assert!(self.holders.is_empty(), "invariant_01: two engines");
                let paused = matches!(self.disk.intent, Intent::Paused { .. });
                assert!(!paused, "invariant_02: a paused repo is opened");
                assert!(!self.removed, "a removed repo is opened");
                let written = self.open_session.as_ref().is_some_and(|(known, ..)| known == session);
                assert!(written, "invariant_06: a session begins before it is written");
                if let Plan::Resume { conversation, .. } | Plan::Fork { conversation, .. } = plan {
                    assert!(
                        self.conversations.contains_key(conversation),
                        "invariant_09: no such conversation"
                    );
                }
            }
            Effect::Freeze(session, _) => {
                let ordered = match &self.disk.intent {
                    Intent::Ending { session: of, .. } => of == session,
                    Intent::Paused { .. } => true,
                    Intent::Open => false,
                };
                assert!(ordered, "invariant_06: frozen before the order is written");
            }
            Effect::End(session, _) => {
                let to_pause = matches!(&self.disk.intent, Intent::Ending { purpose: Purpose::Pause, .. });
                assert!(!to_pause, "invariant_06: ended before the pause is written");
                if let Some(holder) = self.holders.get(session) {
                    for work in &holder.judged {
                        assert!(self.disk.interrupted.contains(work), "invariant_05: {work} isn't written");
                    }
                }
            }
            Effect::Submit { ask, .. } => {
                let paused = matches!(self.disk.intent, Intent::Paused { .. });
                assert!(!paused, "invariant_02: an ask reaches a paused repo");
                let last = self.submitted.last();
                // An end of an ask that the store refused, and a crash before it was written again, can bring
                // it back.
                assert!(
                    self.ever_refused || last.is_none_or(|last| last <= ask),
                    "asks out of order: {last:?}, {ask}"
                );
            }
            Effect::Reply(reply, answer) => {
                let answers = self.answers.get(&reply.0).map_or(0, Vec::len);
                assert_eq!(answers, 0, "liveness: {reply:?} is answered twice");
                assert!(self.waiting.contains(&reply.0), "liveness: nobody waits for {reply:?}");
                self.check_answer(*reply, answer);
            }
            Effect::Check { .. }
            | Effect::LookAhead { .. }
            | Effect::Interrupt(_)
            | Effect::Decide { .. }
            | Effect::Thaw(_)
            | Effect::Notice(_)
            | Effect::Log(_) => {}
        }
    }

    pub(super) fn check_change(&mut self, change: &Change) {
        self.timeline.read(self.now);
        match change {
            Change::Intent(intent) => {
                if matches!(intent, Intent::Ending { purpose: Purpose::Pause, .. })
                    && *intent != self.disk.intent
                {
                    self.word = false;
                }
                if matches!((&self.disk.intent, intent), (Intent::Open, Intent::Paused { .. })) {
                    self.word = false;
                }
                let paused = matches!(self.disk.intent, Intent::Paused { .. });
                if paused && !matches!(intent, Intent::Paused { .. }) {
                    assert!(self.word, "invariant_02: nobody lifted the pause");
                }
            }
            Change::Current(new) => {
                assert!(self.confirmed.contains(&new.id), "invariant_13: {} isn't confirmed", new.id);
            }
            Change::Continuity(continuity) => {
                // The engine that goes over to another conversation isn't a new one: the next open names the rest.
                let opens = !matches!(continuity.outcome, Outcome::WentOver { .. });
                for work in self.must_name.iter().filter(|_| opens) {
                    let before = Some(self.timeline.moment(continuity.at)) < self.must_name_since; // written late
                    assert!(
                        before || continuity.interrupted.contains(work),
                        "invariant_05: {work} isn't named"
                    );
                }
                let untold = self.disk.continuity.as_ref().filter(|_| !opens && self.disk.untold);
                for work in &continuity.interrupted {
                    let once = self.must_name.contains(work)
                        || untold.is_some_and(|told| told.interrupted.contains(work))
                        || self.ever_refused;
                    assert!(once, "invariant_05: {work} is named again");
                }
            }
            Change::SessionBegins { plan: Plan::Fresh(Reason::AskedFor), .. } => {
                let asked = self.disk.asks.iter().any(|ask| ask.fresh);
                assert!(
                    asked || !self.fresh_words.is_empty(),
                    "invariant_10: nobody asked for a fresh start"
                );
            }
            Change::Ask(ask) => {
                if let Stage::Over(_) = &ask.stage {
                    self.check_over(ask);
                }
                if let Stage::Over(Err(trouble)) = &ask.stage
                    && ask.queued
                {
                    let kept = !matches!(
                        trouble.code,
                        Code::Paused | Code::StoreFailed | Code::EngineMissing | Code::WorkWouldBeLost
                    );
                    assert!(kept, "invariant_02: a queued ask is lost to {:?}", trouble.code);
                }
            }
            Change::Known(_)
            | Change::Untold(_)
            | Change::Interrupted(_)
            | Change::FreshNext(_)
            | Change::Forked(_)
            | Change::AskGone(_)
            | Change::Engine(_)
            | Change::SessionBegins { .. }
            | Change::SessionOver { .. }
            | Change::Pinned(_)
            | Change::Removed => {}
        }
    }

    /// An ask is over once, and the first that began after an open delivers its statement.
    fn check_over(&self, ask: &Ask) {
        assert!(!self.over.contains(&ask.id), "{} is over again", ask.id);
        let known = self.disk.asks.iter().find(|known| known.id == ask.id);
        if self.ever_refused {
            return; // its outcome and the statement may not be on disk
        }
        let Some(known) = known else { panic!("{} is over and never was", ask.id) };
        let due = self.to_tell.as_ref().filter(|_| matches!(known.stage, Stage::Taken { .. }));
        assert_eq!(ask.told.as_ref(), due, "invariant_11: what the open came to, with the first answer");
    }

    /// What must be on disk together, whenever somebody may read it.
    pub(super) fn check_disk(&mut self) {
        for work in &self.cut_off {
            assert!(
                self.disk.interrupted.contains(work),
                "invariant_05: {work} was cut off, and is forgotten"
            );
        }
        if let Some((_, _, true)) = &self.open_session {
            let ordered = matches!(
                self.disk.intent,
                Intent::Ending { purpose: Purpose::Fresh | Purpose::FreshAsk(_), .. }
            );
            if !ordered {
                let waiting = &self.waiting;
                self.fresh_words.retain(|word| waiting.contains(word));
            }
            if !self.ever_refused {
                assert!(!self.disk.fresh_next, "invariant_10: the open that was wanted fresh is there");
            }
        }
    }

    fn check_answer(&mut self, reply: ReplyTo, answer: &Answer) {
        match answer {
            Answer::Refused(Trouble { code: Code::WorkWouldBeLost | Code::InTransition, .. })
            | Answer::Done => {
                self.fresh_words.remove(&reply.0);
            }
            Answer::Accepted { .. }
            | Answer::Answered { .. }
            | Answer::Unanswered { .. }
            | Answer::Paused(_)
            | Answer::Refused(_) => {}
        }
        if let Answer::Refused(trouble) | Answer::Unanswered { trouble, .. } = answer {
            check_hints(trouble);
        }
        match answer {
            Answer::Answered { ask, text, .. } => {
                assert_eq!(text, &format!("answer to question of {ask}"), "an ask gets another's answer");
            }
            Answer::Paused(_) => {
                assert!(self.holders.is_empty(), "invariant_18: paused with a live engine");
            }
            Answer::Done | Answer::Accepted { .. } | Answer::Unanswered { .. } | Answer::Refused(_) => {}
        }
    }

    pub(super) fn check_shown(&self) {
        if matches!(self.disk.intent, Intent::Paused { .. }) {
            assert_eq!(self.repo.state(), State::Paused, "invariant_03: paused on disk, shown otherwise");
        }
        // An order was dropped and the store refused that: it is written again at a tick.
        if self.disk.intent != *self.repo.intent() && matches!(self.disk.intent, Intent::Ending { .. }) {
            assert_eq!(*self.repo.intent(), Intent::Open, "invariant_06: memory and disk differ");
            return;
        }
        assert_eq!(
            std::mem::discriminant(self.repo.intent()),
            std::mem::discriminant(&self.disk.intent),
            "invariant_06: {:?} in memory, {:?} on disk",
            self.repo.intent(),
            self.disk.intent
        );
    }
}

/// A command in a hint can be copied: it names the repo if necessary.
fn check_hints(trouble: &Trouble) {
    const OF_ALL: [&str; 4] = ["`repose doctor`", "`repose ls`", "`repose add`", "`repose resume --all`"];
    for hint in &trouble.hints {
        let mut commands = hint.match_indices("`repose ").map(|(at, _)| &hint[at..]);
        let whole = commands.all(|command| {
            let command = command[1..].split('`').next().unwrap_or_default();
            OF_ALL.contains(&format!("`{command}`").as_str()) || command.split(' ').any(|word| word == "work")
        });
        assert!(whole, "which repo? {hint}");
    }
}
