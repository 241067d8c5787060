//! Decisions that an engine waits for, made from outside its terminal.

use super::{Answer, DECISION_WAITS, Effect, Effects, Logged, Made, Process, ReplyTo, Repo, Waiting, Wants};
use crate::decision::{ChoiceKind, Pick, Unfit, WORDS_MAX};
use crate::ids::DecisionId;
use crate::time::Now;
use crate::trouble::{About, Code, Trouble};

impl Repo {
    pub(super) fn decide(
        &mut self,
        reply: ReplyTo,
        decision: DecisionId,
        pick: Pick,
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
        let told = match stands.question.takes(&pick) {
            Ok(ChoiceKind::Back) => None, // nothing is decided by it
            Ok(ChoiceKind::Allow | ChoiceKind::Deny | ChoiceKind::Other | ChoiceKind::Words) => {
                stands.question.told(&pick)
            }
            Err(unfit) => {
                out.push(refused(unfit_pick(unfit)));
                return;
            }
        };
        let made = Made { decision: decision.clone(), pick: pick.clone(), told };
        out.push(Effect::Decide { session: session.clone(), decision, pick });
        let until = Some(now.awake.after(DECISION_WAITS));
        self.waiting.push(Waiting { reply, until, wants: Wants::Decided(made) });
    }

    /// The holder has checked whether the decision was still open. If several people decide, the first one
    /// counts. That is in the log even if its maker was told meanwhile that no word came.
    pub(super) fn decided(&mut self, decision: &DecisionId, pick: &Pick, stood: bool, out: &mut Effects) {
        let of = |made: &Made| made.decision == *decision && made.pick == *pick;
        let unheard = self.unheard.iter().position(of).map(|at| self.unheard.remove(at));
        let waits = |waiting: &Waiting| matches!(&waiting.wants, Wants::Decided(made) if of(made));
        let waiting = self.waiting.iter().position(waits).map(|at| self.waiting.remove(at));
        let made = match &waiting {
            Some(Waiting { wants: Wants::Decided(made), .. }) => Some(made),
            Some(_) | None => unheard.as_ref(),
        };
        if let Some(choice) = made.filter(|_| stood).and_then(|made| made.told.clone()) {
            out.push(Effect::Log(Logged::Decided(choice)));
        }
        let answer = if stood { Answer::Done } else { Answer::Refused(self.decision_over()) };
        out.extend(waiting.map(|waiting| Effect::Reply(waiting.reply, answer)));
    }

    /// Answers everybody who made a decision for an engine that has ended.
    pub(super) fn decisions_gone(&mut self, out: &mut Effects) {
        self.unheard.clear();
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

fn unfit_pick(unfit: Unfit) -> Trouble {
    let bad =
        |sentence| Trouble::new(Code::BadRequest, sentence, ["Its choices stand in the repo's `decision`."]);
    match unfit {
        Unfit::NoSuchChoice => bad("This decision has no such choice. Nothing was answered."),
        Unfit::TakesNoWords => bad("This choice takes no words. Nothing was answered."),
        Unfit::Empty => bad("This choice is an answer in your own words, and there are none. Nothing was answered."),
        Unfit::TooLong { size } => Trouble::new(
            Code::UnfitText,
            format!(
                "The answer has {size} bytes, more than the {WORDS_MAX} that an answer can have. Nothing was answered."
            ),
            ["Put it into a file, and name that."],
        ),
        Unfit::Control { character, at } => Trouble::new(
            Code::UnfitText,
            format!(
                "The answer holds the control character U+{:04X} at byte {at}, which a terminal would take for a \
                 command. Nothing was answered.",
                u32::from(character)
            ),
            ["Take it out."],
        )
        .about(About::Character { character, at }),
    }
}
