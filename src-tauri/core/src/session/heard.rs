//! What the engine says about itself, and which of it is believed.
//!
//! Only signals of the session's own conversation count. Those of a nested run or of a turn that is over are
//! ignored.

use std::time::Duration;

use super::{Activity, Effect, Fact, Pending, Session, Since, TurnOutcome};
use crate::hold::Task;
use crate::ids::ConversationId;
use crate::signal::{Said, Signal, Source, Wait};
use crate::time::{Awake, Now};

/// A level that names another conversation than the session's is believed after this, even without the hook
/// that should have reported the change: hooks can be switched off, and get lost. A hook is a process, and
/// starts late on a busy machine.
pub const HOOKS_WITHIN: Duration = Duration::from_secs(5);

/// A level that arrived before its conversation was confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Early {
    level: Signal,
    since: Awake,
}

impl Early {
    pub(super) fn believed_at(&self) -> Awake {
        self.since.after(HOOKS_WITHIN)
    }
}

impl Session {
    /// Believes a level that has named another conversation for long enough without a hook.
    pub(super) fn early_time(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let Some(Early { level, .. }) = self.early.take_if(|early| early.believed_at() <= now.awake) else {
            return;
        };
        let Some(conversation) = level.conversation.clone() else { return };
        self.deaf = Some(now.wall);
        self.opened(Some(conversation), Source::Unsaid, None, now, effects);
        self.signal(level, now, effects);
    }

    pub(super) fn signal(&mut self, signal: Signal, now: Now, effects: &mut Vec<Effect>) {
        let Signal { conversation, at: said_at, said } = signal;
        let at = self.timeline.moment(said_at);
        if let Said::Started { source, transcript } = said {
            self.deaf = None;
            self.opened_at = self.opened_at.max(Some(at));
            self.opened(conversation, source, transcript, now, effects);
            return;
        }
        if !self.confirmed || conversation != self.conversation {
            // From a nested run; or a level of the previous conversation, read earlier; or one that arrived
            // before the confirmation of its conversation.
            if let Said::Level(_) = said
                && self.opened_at <= Some(at)
            {
                let known = self.early.take().filter(|early| early.level.conversation == conversation);
                let since = known.map_or(now.awake, |early| early.since);
                self.early = Some(Early { level: Signal { conversation, at: said_at, said }, since });
            }
            return;
        }
        if let Said::Level(_) = said {
            self.early = None;
        }
        match said {
            Said::Started { .. } => {}
            Said::PromptTaken { prompt, text, author } => {
                self.deaf = None;
                self.edge = self.edge.max(Some(at));
                self.prompt_taken(prompt, &text, author, now, effects);
                if self.rests && Some(at) < self.levelled {
                    // On a busy machine a prompt's hook may be heard after the level that ended its turn.
                    self.idle(now, effects);
                }
            }
            Said::ToolUsed => self.sign_of_life(now),
            Said::NeedsDecision(what) => self.waits(what, now, effects),
            // A late signal, from a turn before the last prompt.
            Said::Stopped { .. } | Said::Failed { .. } if Some(at) < self.edge => {}
            Said::Stopped { prompt, text, background, wakeups } => {
                self.nothing_runs = self.nothing_runs.map(|_| now.awake);
                for (known, told) in [(&mut self.background, background), (&mut self.wakeups, wakeups)] {
                    if let Some(told) = told {
                        set_since(known, told, now);
                    }
                }
                self.stopped(prompt, TurnOutcome::Answered(text), now, effects);
            }
            Said::Failed { error } => self.stopped(None, TurnOutcome::Failed(error), now, effects),
            Said::Interrupted => self.interrupted(now, effects),
            Said::TakenBack => self.taken_back(now, effects),
            Said::Level(level) => self.level(level, at, now, effects),
            Said::Closed { reason: _ } => self.sign_of_life(now),
        }
    }

    fn opened(
        &mut self,
        conversation: Option<ConversationId>,
        source: Source,
        transcript: Option<String>,
        now: Now,
        effects: &mut Vec<Effect>,
    ) {
        if !self.confirmed {
            self.confirmed = true;
            self.conversation.clone_from(&conversation);
            self.activity = Activity::Opening { since: now };
            self.interaction = now;
            effects.push(Effect::Tell(Fact::Confirmed { conversation, source, transcript }));
            self.take_early(now, effects);
            return;
        }
        let Some(conversation) = conversation else { return };
        // A process begins with `New` once. An engine that names its conversation with the first prompt says
        // it then. A second one is from a nested run.
        let second = source == Source::New && self.conversation.is_some();
        if second || self.conversation.as_ref() == Some(&conversation) {
            return;
        }
        self.conversation = Some(conversation.clone());
        self.sent_until = None; // it was the command that did this
        self.interaction = now;
        effects.push(Effect::Tell(Fact::Moved { conversation, source, transcript }));
        self.take_early(now, effects);
    }

    fn take_early(&mut self, now: Now, effects: &mut Vec<Effect>) {
        if let Some(early) = self.early.take() {
            self.signal(early.level, now, effects);
        }
    }

    pub(super) fn dialog(&mut self, dialog: Option<Wait>, now: Now, effects: &mut Vec<Effect>) {
        if self.confirmed {
            return; // once the engine has signals of its own, the screen isn't consulted
        }
        match dialog {
            Some(what) => self.waits(what, now, effects),
            None => {
                if matches!(self.activity, Activity::Waiting { .. }) {
                    self.activity = Activity::Opening { since: now };
                }
            }
        }
    }

    pub(super) fn waits(&mut self, what: Wait, now: Now, effects: &mut Vec<Effect>) {
        if self.submission.faces(&what, now.awake) {
            effects.push(Effect::StopTyping);
        }
        match &mut self.activity {
            Activity::Waiting { what: known, .. } => {
                match self.pending.as_ref().and_then(Pending::decision) {
                    // Of several questions the engine reports only the first.
                    Some(decision) => known.clone_from(&decision.question.wait),
                    // The same decision reported twice: keep the more informative words.
                    None if known.what().len() < what.what().len() => *known = what,
                    None => {}
                }
            }
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Working { .. } => {
                self.activity = Activity::Waiting { since: now, what };
            }
        }
    }

    pub(super) fn sign_of_life(&mut self, now: Now) {
        match &mut self.activity {
            Activity::Working { sign, .. } => *sign = now,
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Waiting { .. } => {}
        }
    }
}

/// Replaces the set of tasks; tasks that were known keep their start.
fn set_since(known: &mut Vec<Since<Task>>, tasks: Vec<Task>, now: Now) {
    let since = |task: &Task| known.iter().find(|old| old.what.id == task.id).map_or(now, |old| old.since);
    *known = tasks.into_iter().map(|task| Since { since: since(&task), what: task }).collect();
}
