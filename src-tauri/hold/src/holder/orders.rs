//! A client's orders.

use repose_core::decision::Pick;
use repose_core::ids::{AskId, DecisionId};
use repose_core::session::{Event, Freeze, FreezeId};
use repose_sys::clock::now;

use super::clients::{ClientId, refusal};
use super::ending::Phase;
use super::session::{Holder, Reply};
use crate::journal::Since;
use crate::wire::carry::Carry;
use crate::wire::{Answer, Begin, OVER, Op, PROTOCOL, Refusal, State, Submitted, THAWED};

impl Holder {
    pub(super) fn order(&mut self, id: ClientId, asked: u64, op: Op) {
        if let Some(answer) = self.answer(id, asked, op) {
            self.clients.answer(id, asked, answer);
        }
    }

    /// `None`: it is answered when the verdict is there, or the end complete.
    fn answer(&mut self, id: ClientId, asked: u64, op: Op) -> Option<Result<Answer, Refusal>> {
        Some(match op {
            Op::Hello { protocol: _, build: _ } => {
                self.clients.greeted(id);
                Ok(Answer::Hello(Begin { protocol: PROTOCOL, build: self.spec.build.clone() }))
            }
            Op::State => Ok(Answer::State(Box::new(self.state()))),
            Op::JournalFrom { seq } => match self.journal.since(seq) {
                Ok(Since::Entries(entries)) => Ok(Answer::Journal(entries)),
                Ok(Since::Gap(_)) => Ok(Answer::Gap(Box::new(self.state()))),
                Err(error) => Err(refusal("journal", format!("the journal can't be read: {error}"))),
            },
            Op::Commit { seq } => {
                self.committed(seq);
                Ok(Answer::Done)
            }
            Op::End { freeze } if self.end_ordered(id, asked, Carry::back(freeze)) => return None,
            Op::End { .. } => match &self.phase {
                Phase::Over(over) => Ok(Answer::Ended(over.ended.clone())),
                Phase::Live => Err(refusal(THAWED, "the session goes on again; it has to be judged anew")),
                Phase::Ending(_) => Err(refusal("ending", "the session could not be ended")),
            },
            Op::Freeze { interrupt, must_resume, ordered } => {
                self.freeze_ordered(id, asked, Freeze { interrupt, must_resume, id: FreezeId(ordered) });
                return None;
            }
            Op::Memory => Ok(Answer::Memory(self.measure())),
            Op::Thaw
            | Op::Submit { .. }
            | Op::Interrupt
            | Op::Decide { .. }
            | Op::Lease { .. }
            | Op::Params { .. }
            | Op::Evict { .. }
            | Op::Scan
                if !matches!(self.phase, Phase::Live) =>
            {
                Err(refusal(OVER, "the session has ended or is ending; nothing was done"))
            }
            Op::Thaw => {
                self.feed(Event::Thaw);
                Ok(Answer::Done)
            }
            Op::Submit { ask, text } => Ok(Answer::Submitted(self.submit(AskId::new(ask), text))),
            Op::Interrupt => {
                self.feed(Event::Interrupt);
                Ok(Answer::Done)
            }
            Op::Decide { decision, pick } => {
                let (decision, pick) = (DecisionId::new(decision), Pick::back(pick));
                Ok(Answer::Decided(match self.feed(Event::Decide { decision, pick }) {
                    Reply::Decided(reached) => reached,
                    Reply::None | Reply::Thawed | Reply::NotNow(_) => false,
                }))
            }
            Op::Lease { lease, held } => {
                self.feed(Event::Lease(Carry::back(lease), held));
                Ok(Answer::Done)
            }
            Op::Params { params } => {
                self.spec.params = Carry::back(params);
                self.feed(Event::Params(self.spec.params));
                Ok(Answer::Done)
            }
            Op::Evict { over } => {
                self.feed(Event::Evict(Carry::back(over)));
                Ok(Answer::Done)
            }
            Op::Scan => {
                let residents = self.scan(true);
                // While it works, what it runs belongs to its turn.
                if self.session.view(now()).activity.is_idle() {
                    self.feed(Event::Residents(residents.clone()));
                }
                Ok(Answer::Residents(residents))
            }
        })
    }

    fn submit(&mut self, ask: AskId, text: String) -> Submitted {
        let gap = match self.engine.keys(&text) {
            Ok(keys) => keys.gap,
            Err(unfit) => return Submitted::Unfit(unfit.to_string()),
        };
        match self.feed(Event::Submit { ask, text, gap }) {
            Reply::NotNow(why) => Submitted::NotNow(why),
            Reply::None | Reply::Thawed | Reply::Decided(_) => Submitted::Accepted,
        }
    }

    fn state(&mut self) -> State {
        let (cols, rows) = self.screen.size();
        State {
            protocol: PROTOCOL,
            build: self.spec.build.clone(),
            session: self.spec.session.clone(),
            repo: self.spec.repo.clone(),
            engine: self.spec.engine.clone(),
            holder_pid: std::process::id(),
            engine_pid: self.child.as_ref().map(std::process::Child::id),
            started: self.started,
            view: self.session.view(now()),
            params: self.spec.params,
            plan: self.spec.plan.clone(),
            transcript: self.transcript.clone(),
            memory: self.memory(),
            tree: self.looks.tree.clone(),
            cols,
            rows,
            title: self.screen.title().map(str::to_owned),
            watching: self.looks.watching() || self.hears(),
            journal_trouble: self.journal_trouble.clone(),
            terminals: self.clients.terminals.len(),
            scrollback: self.screen.scrollback(),
            asked: self.session.last_ask().map(|(ask, open)| (ask.clone(), open)),
            last_seq: self.journal.last_seq(),
            ended: match &self.phase {
                Phase::Over(over) => Some(over.ended.clone()),
                Phase::Live | Phase::Ending(_) => None,
            },
        }
    }
}
