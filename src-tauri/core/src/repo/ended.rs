//! What follows the end of a session, whoever or whatever ended it.

use super::end::{is_removed, seen_in};
use super::{
    Before, Change, EARLY_ENDS_MAX, Effect, Effects, Fallback, Freed, How, NotTakenUp, Notice, Open, Order,
    OrderStage, Process, Purpose, Repo, Report, Waiting, Wants, refusals,
};
use crate::continuity::{Plan, Reason};
use crate::conversation::Conversation;
use crate::ids::ConversationId;
use crate::session::View;
use crate::time::Now;
use crate::trouble::{Code, Trouble};

impl Repo {
    /// A session is over, for whatever reason.
    pub(super) fn ended(&mut self, report: Report, now: Now, out: &mut Effects) {
        let process = std::mem::replace(&mut self.process, Process::None);
        let session = match &process {
            Process::None | Process::Checking { .. } => {
                self.process = process;
                return;
            }
            Process::Opening { session, .. }
            | Process::Live { session, .. }
            | Process::Ending { session, .. }
            | Process::Reaping { session, .. } => session.clone(),
        };
        self.freed = match report.how {
            // There was no process that could have given anything back.
            How::NotStarted(_) => self.freed,
            How::Ended | How::Exited { .. } | How::HolderDied => report.freed,
        };
        out.write(Change::SessionOver { session, freed: self.freed });
        self.other = None;
        self.second_writer = None;
        if nothing_was_typed(&process) {
            self.wait_again(out, |_| true);
        }
        if !is_removed(&process) {
            self.fail_submitted_asks(&report.how, out);
        }
        if !report.left.is_empty() {
            out.push(Effect::Notice(Notice::Trouble(refusals::left_behind(&report.left))));
        }
        match process {
            Process::None | Process::Checking { .. } => {}
            Process::Opening { plan, .. } => self.ended_opening(&plan, &report.how, out),
            Process::Live { view, .. } => self.ended_by_itself(view.as_ref(), &report.how, out),
            Process::Reaping { idle, over, .. } => {
                self.early_ends = 0;
                out.push(Effect::Notice(Notice::Reaped { idle, over, freed: report.freed }));
            }
            Process::Ending { order, stage, before, .. } => {
                self.early_ends = 0;
                match stage {
                    OrderStage::Committed { .. } => self.finish(order, report.freed, out),
                    OrderStage::Judging { .. } => {
                        self.ended_while_judging(order, &before, report.freed, now, out);
                    }
                }
            }
        }
        if !self.removed {
            self.after_end(out);
        }
    }

    /// The process ended before the verdict. A pause still requires a conversation that could be resumed.
    fn ended_while_judging(
        &mut self,
        order: Order,
        before: &Before,
        freed: Option<Freed>,
        now: Now,
        out: &mut Effects,
    ) {
        let view = match before {
            Before::Opening { view, .. } | Before::Live { view } => view.as_ref(),
        };
        let work = seen_in(view);
        let resumable = self.conversation.as_ref().is_some_and(Conversation::resumable);
        if order.purpose == Purpose::Pause && !resumable && !self.is_paused() {
            let trouble = self.nothing_to_pause("its engine has ended");
            let work = work.words_of_what_was_seen();
            self.cut_off(&work, out);
            self.drop_order(&order, &trouble, work, out);
            return;
        }
        self.commit(&order, &work, Some(now.wall), out);
        self.finish(order, freed, out);
    }

    /// Serves everybody who arrived while the session was ending.
    fn after_end(&mut self, out: &mut Effects) {
        let over = self.take_waiting(|wants| matches!(wants, Wants::TurnOver));
        out.done_all(over);
        self.decisions_gone(out);
        if let Some(trouble) = self.shut() {
            let refused = self.take_waiting(|wants| matches!(wants, Wants::Open(open) if !open.deliberate));
            out.refuse_all(refused, &trouble);
            self.fail_waiting_asks(&trouble, out);
        }
        let waits = self.waiting.iter().filter_map(|Waiting { wants, .. }| match wants {
            Wants::Open(open) => Some(open),
            Wants::Pause(_) | Wants::TurnOver | Wants::Answer(_) | Wants::Decided(_) => None,
        });
        // The latest order of a person counts; whoever ordered something else before is told so.
        if let Some(open) = waits.max_by_key(|open| open.deliberate).cloned() {
            let overruled = self.take_waiting(
                |wants| matches!(wants, Wants::Open(other) if other.deliberate && *other != open),
            );
            out.refuse_all(overruled, &super::orders::in_transition());
            self.begin(open, out);
        }
        if self.offline.is_none() {
            self.open_for_asks(out);
        }
    }

    fn ended_opening(&mut self, plan: &Plan, how: &How, out: &mut Effects) {
        let wanted = match plan {
            Plan::Resume { conversation, .. } | Plan::Fork { conversation, .. } => Some(conversation.clone()),
            Plan::Fresh(_) => None,
        };
        let current = self.conversation.as_ref().map(|current| current.id.clone());
        match how {
            How::Exited { not_taken_up: Some(_), .. }
                if matches!(plan, Plan::Resume { .. }) && self.engine.forks =>
            {
                let conversation = wanted.filter(|wanted| Some(wanted) != current.as_ref());
                self.try_fallback(Fallback::Fork, conversation, out);
            }
            How::Exited { not_taken_up: Some(NotTakenUp::Unknown), .. } if wanted == current => {
                self.try_fallback(Fallback::Fresh(Reason::EngineLostIt), None, out);
            }
            How::Exited { not_taken_up: Some(NotTakenUp::Unknown), .. } if let Some(wanted) = wanted => {
                let trouble = super::no_such_conversation(&self.called, &wanted);
                self.fail_open(&trouble, out);
            }
            How::Exited { words, .. } => {
                let trouble = Trouble::new(
                    Code::EngineFailedToStart,
                    format!("{} ended before it was ready. {words}", self.engine.title),
                    [
                        format!("Open it, and see what it asks or needs: {}.", self.command("open")),
                        "Check it: `repose doctor`.".into(),
                    ],
                );
                self.not_opened(&trouble, out);
                out.push(Effect::Notice(Notice::Trouble(trouble)));
            }
            How::NotStarted(trouble) => {
                self.not_opened(trouble, out);
                out.push(Effect::Notice(Notice::Trouble(trouble.clone())));
            }
            How::HolderDied | How::Ended => {
                let trouble = Trouble::new(
                    Code::EngineFailedToStart,
                    format!("The process that keeps {} ended before it was ready.", self.engine.title),
                    ["Ask again.", "Check what is left: `repose doctor`."],
                );
                self.not_opened(&trouble, out);
            }
        }
    }

    fn not_opened(&mut self, trouble: &Trouble, out: &mut Effects) {
        self.offline = Some(trouble.clone());
        self.in_vain.push(trouble.code);
        self.fail_open(trouble, out);
    }

    fn try_fallback(&mut self, fallback: Fallback, conversation: Option<ConversationId>, out: &mut Effects) {
        let deliberate = self.waits_deliberately();
        let open = Open { deliberate, conversation, fallback: Some(fallback), ..Open::needed() };
        self.begin(open, out);
    }

    fn ended_by_itself(&mut self, view: Option<&View>, how: &How, out: &mut Effects) {
        self.cut_off(&seen_in(view).words_of_what_was_seen(), out);
        let words = match how {
            How::Exited { words, .. } => words.clone(),
            How::HolderDied => "The process that keeps it died.".into(),
            How::NotStarted(_) | How::Ended => return,
        };
        out.push(Effect::Notice(Notice::EndedByItself(words.clone())));
        self.early_ends += 1;
        if self.early_ends >= EARLY_ENDS_MAX {
            self.early_ends = 0;
            let trouble = Trouble::new(
                Code::EngineFailedToStart,
                format!(
                    "{} ended {EARLY_ENDS_MAX} times in a row before it took a prompt. {words}",
                    self.engine.title
                ),
                [format!("Open it, and see what it asks or needs: {}.", self.command("open"))],
            );
            self.offline = Some(trouble.clone());
            self.fail_waiting_asks(&trouble, out);
        }
    }

    fn waits_deliberately(&self) -> bool {
        self.waiting.iter().any(|waiting| matches!(&waiting.wants, Wants::Open(open) if open.deliberate))
    }
}

/// Whether no ask can have been typed: a session that lets itself go, or is judged free of work, has none.
fn nothing_was_typed(process: &Process) -> bool {
    match process {
        Process::Reaping { .. } => true,
        Process::Ending { order, stage, .. } => {
            matches!(stage, OrderStage::Committed { .. }) && !order.on_work.freezes_work()
        }
        Process::None | Process::Checking { .. } | Process::Opening { .. } | Process::Live { .. } => false,
    }
}
