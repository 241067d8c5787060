//! What a repo does with its session's facts and views.

use super::{
    Before, Effect, Effects, Intent, Logged, Notice, Process, ReplyTo, Repo, TurnEnd, Waiting, Wants,
};
use crate::hold::Kind;
use crate::ids::AskId;
use crate::session::{Activity, Fact, TurnOutcome, View};
use crate::time::Now;
use crate::words;

impl Repo {
    pub(super) fn fact(&mut self, fact: Fact, now: Now, out: &mut Effects) {
        match fact {
            Fact::Confirmed { conversation, source, transcript } => {
                self.confirmed(conversation, &source, transcript, now, out);
            }
            Fact::Moved { conversation, source, transcript } => {
                self.moved(conversation, &source, transcript, out);
            }
            Fact::Taken { ask, prompt } => self.taken(&ask, prompt, out),
            Fact::NotTaken { ask } => self.not_taken(&ask, out),
            Fact::GivenBack { ask } => self.not_now(&ask, now, out),
            Fact::TurnOver { ask, outcome, at: _, worked } => {
                let end = self.turn_end(ask.as_ref(), &outcome, out);
                self.early_ends = 0;
                if outcome == TurnOutcome::EngineEnded {
                    self.cut_off(&[Kind::Turn.detail()], out);
                }
                let heard = self.turn_over(ask.as_ref(), &outcome, out);
                out.push(Effect::Notice(Notice::TurnOver { end, worked, heard }));
            }
            Fact::LettingGo { idle, over } => match &self.process {
                Process::Opening { session, .. } | Process::Live { session, .. } => {
                    let session = session.clone();
                    let pausing = self.take_waiting(|wants| matches!(wants, Wants::Pause(_)));
                    out.refuse_all(pausing, &super::orders::in_transition());
                    self.process = Process::Reaping { session, idle, over };
                }
                Process::None
                | Process::Checking { .. }
                | Process::Ending { .. }
                | Process::Reaping { .. } => {}
            },
        }
    }

    /// How to report the end of a turn. An end that somebody ordered is no news to them.
    fn turn_end(&mut self, ask: Option<&AskId>, outcome: &TurnOutcome, out: &mut Effects) -> TurnEnd {
        let called_off = std::mem::take(&mut self.called_off);
        match outcome {
            TurnOutcome::Failed(_) | TurnOutcome::Interrupted if called_off => {
                let asked = self.asks.iter().find(|known| Some(&known.id) == ask);
                out.push(Effect::Log(Logged::Interrupted(asked.map(|ask| words::line(&ask.text)))));
            }
            // It answered before the key arrived, or its process ended.
            TurnOutcome::Failed(_)
            | TurnOutcome::Interrupted
            | TurnOutcome::Answered(_)
            | TurnOutcome::EngineEnded => {}
        }
        let ordered = match self.intent {
            Intent::Ending { .. } | Intent::Paused { .. } => true,
            Intent::Open => called_off,
        };
        match outcome {
            TurnOutcome::Answered(_) => TurnEnd::Answered,
            TurnOutcome::EngineEnded => TurnEnd::CutOff,
            TurnOutcome::Failed(_) | TurnOutcome::Interrupted if ordered => TurnEnd::CutOff,
            TurnOutcome::Interrupted => TurnEnd::Interrupted,
            TurnOutcome::Failed(why) => TurnEnd::Unanswered(why.clone()),
        }
    }

    pub(super) fn viewed(&mut self, new: View, out: &mut Effects) {
        let idle = matches!(new.activity, Activity::Idle { .. });
        match &mut self.process {
            Process::Opening { view, .. } | Process::Live { view, .. } => *view = Some(new),
            Process::Ending { before: Before::Opening { view, .. } | Before::Live { view }, .. } => {
                *view = Some(new)
            }
            Process::None | Process::Checking { .. } | Process::Reaping { .. } => {}
        }
        self.retry_at = None;
        if idle {
            let over = self.take_waiting(|wants| matches!(wants, Wants::TurnOver));
            out.done_all(over);
        }
        if let Process::Opening { view: Some(view), .. } = &self.process
            && matches!(view.activity, Activity::Waiting { .. })
        {
            self.pause_that_waited(out);
        }
    }

    /// Forgets whoever has stopped waiting for an answer. Orders are still carried out.
    pub(super) fn gone(&mut self, reply: ReplyTo) {
        let waits = |waiting: &Waiting| waiting.reply == reply && matches!(waiting.wants, Wants::Answer(_));
        self.waiting.retain(|waiting| !waits(waiting));
    }
}
