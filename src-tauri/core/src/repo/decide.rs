//! Decisions that an engine waits for, made from outside its terminal.

use super::{Answer, DECISION_WAITS, Effect, Effects, Process, ReplyTo, Repo, Waiting, Wants};
use crate::ids::DecisionId;
use crate::time::Now;
use crate::trouble::{Code, Trouble};

impl Repo {
    pub(super) fn decide(
        &mut self,
        reply: ReplyTo,
        decision: DecisionId,
        choice: String,
        now: Now,
        out: &mut Effects,
    ) {
        let refused = |trouble| Effect::Reply(reply, Answer::Refused(trouble));
        let Process::Live { session, view: Some(view) } = &self.process else {
            out.push(refused(self.shut().unwrap_or_else(|| self.decision_over())));
            return;
        };
        let Some(stands) = view.decision.as_ref().filter(|stands| stands.id == decision) else {
            out.push(refused(self.decision_over()));
            return;
        };
        if !stands.question.choices.iter().any(|known| known.id == choice) {
            out.push(refused(no_such_choice()));
            return;
        }
        out.push(Effect::Decide { session: session.clone(), decision: decision.clone(), choice });
        let until = Some(now.awake.after(DECISION_WAITS));
        self.waiting.push(Waiting { reply, until, wants: Wants::Decided(decision) });
    }

    /// The holder has checked whether the decision was still open. If several people decide, the first one
    /// counts.
    pub(super) fn decided(&mut self, decision: &DecisionId, stood: bool, out: &mut Effects) {
        let at = self.waiting.iter().position(|waiting| waiting.wants == Wants::Decided(decision.clone()));
        let Some(at) = at else { return };
        let waiting = self.waiting.remove(at);
        let answer = if stood { Answer::Done } else { Answer::Refused(self.decision_over()) };
        out.push(Effect::Reply(waiting.reply, answer));
    }

    /// Answers everybody who made a decision for an engine that has ended.
    pub(super) fn decisions_gone(&mut self, out: &mut Effects) {
        let gone = self.take_waiting(|wants| matches!(wants, Wants::Decided(_)));
        let refused = |waiting: Waiting| Effect::Reply(waiting.reply, Answer::Refused(self.decision_over()));
        out.extend(gone.into_iter().map(refused));
    }

    fn decision_over(&self) -> Trouble {
        Trouble::new(
            Code::DecisionOver,
            "This was decided meanwhile, or is not asked any more. Nothing was answered.",
            [format!("See what the agent waits for now: {}.", self.command("status"))],
        )
    }
}

fn no_such_choice() -> Trouble {
    Trouble::new(
        Code::BadRequest,
        "This decision has no such choice. Nothing was answered.",
        ["Its choices stand in the repo's `decision`."],
    )
}
