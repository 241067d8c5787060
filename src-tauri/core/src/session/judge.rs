//! Whether a session may be let go: its holds, when it is due, and the two steps of its end.

use std::time::Duration;

use super::{
    Activity, Effect, EndStage, Fact, Freeze, FreezeId, Look, OPENING_LASTS, Session, UNKNOWN_SHOWN_AFTER,
    Verdict, WAKE_GRACE,
};
use crate::budget::Excess;
use crate::conversation::Loss;
use crate::hold::{Hold, Kind, Task};
use crate::time::{Awake, Now, Wall};
use crate::trouble::{Code, Trouble};
use crate::words;

impl Session {
    /// Everything that holds the engine now.
    pub(super) fn holds(&self) -> Vec<Hold> {
        let turn = self.turn_since();
        let within =
            |since: Now, kind: Kind| Hold { since: since.wall, kind, turn: turn.map(|turn| turn.wall) };
        let shows = match &self.activity {
            Activity::Opening { .. } | Activity::Idle { .. } => {
                turn.map(|since| Hold::new(since.wall, Kind::Turn))
            }
            Activity::Working { since, .. } => Some(match &self.unknown {
                Some(unknown) => within(unknown.since, Kind::Unknown(unknown.what.clone())),
                None => Hold::new(turn.unwrap_or(*since).wall, Kind::Turn),
            }),
            Activity::Waiting { since, what } => Some(within(*since, Kind::Waiting(what.clone()))),
        };
        let mut holds = Vec::from_iter(shows);
        let mut hold = |since: Wall, kind: Kind| holds.push(Hold::new(since, kind));
        for task in &self.background {
            hold(task.since.wall, Kind::Background(task.what.clone()));
        }
        if let Some(since) = self.shell
            && self.background.is_empty()
        {
            let what = "a background shell".to_owned();
            hold(since, Kind::Background(Task { id: String::new(), what, process: true }));
        }
        for task in &self.wakeups {
            hold(task.since.wall, Kind::Wakeup(task.what.clone()));
        }
        if let Some(lease) = self.ask_lease {
            hold(lease.since, Kind::Ask);
        } else if self.submission.in_progress() {
            hold(self.interaction.wall, Kind::Ask);
        }
        if self.line.half_typed() {
            hold(self.half_since.unwrap_or(self.interaction.wall), Kind::Typing);
        }
        if let Some(lease) = self.client_lease {
            hold(lease.since, Kind::Client);
        }
        for resident in &self.residents {
            hold(resident.since, Kind::Process(resident.clone()));
        }
        if self.params.pinned {
            hold(self.pinned_since, Kind::Pinned);
        }
        holds
    }

    /// When the engine is due to be let go, if nothing happens until then. `None`: something holds it, or it
    /// is ending.
    pub(super) fn reap_at(&self, holds: &[Hold]) -> Option<Awake> {
        match self.end_stage {
            EndStage::None => {}
            EndStage::Nominated(_)
            | EndStage::Judging { .. }
            | EndStage::Undecided { .. }
            | EndStage::Frozen { .. }
            | EndStage::Ending => return None,
        }
        if !holds.is_empty() {
            return None;
        }
        let due = self.interaction.awake.after(self.params.policy.idle_after);
        let after_waking = self.woke.map(|woke| woke.after(WAKE_GRACE));
        let opening = match &self.activity {
            Activity::Opening { since } => Some(since.awake.after(OPENING_LASTS)),
            Activity::Idle { .. } | Activity::Working { .. } | Activity::Waiting { .. } => None,
        };
        // While a turn may be about to begin, the engine isn't idle.
        let begins = [self.unsteady_until, self.sent_until];
        [after_waking, opening].into_iter().chain(begins).flatten().chain([due]).max()
    }

    /// First step of a reap: nominate the session, and look at the engine once more.
    pub(super) fn nominate(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let due = self.reap_at(&self.holds()).is_some_and(|at| at <= now.awake);
        if due {
            self.end_stage = EndStage::Nominated(None);
            effects.push(Effect::Look);
        }
    }

    /// First step of an early reap, because there are too many engines or they hold too much. Does nothing
    /// unless the engine is idle and nothing holds it.
    pub(super) fn evict(&mut self, over: Excess, now: Now, effects: &mut Vec<Effect>) {
        if self.may_be_evicted(now) {
            self.end_stage = EndStage::Nominated(Some(over));
            effects.push(Effect::Look);
        }
    }

    fn may_be_evicted(&self, now: Now) -> bool {
        let idle = matches!(self.activity, Activity::Idle { .. });
        let just_woke = self.woke.is_some_and(|woke| now.awake.since(woke) < WAKE_GRACE);
        self.end_stage == EndStage::None
            && idle
            && !just_woke
            && !self.may_begin_a_turn()
            && self.holds().is_empty()
    }

    /// First step of an end that somebody ordered.
    pub(super) fn freeze(&mut self, freeze: Freeze, effects: &mut Vec<Effect>) {
        let shut = !self.open_for_input();
        match self.end_stage {
            // A repeated order, for example after a runner's restart, is judged again.
            EndStage::None
            | EndStage::Nominated(_)
            | EndStage::Judging { .. }
            | EndStage::Undecided { .. }
            | EndStage::Frozen { .. } => {
                self.end_stage = EndStage::Judging { freeze, shut };
                effects.push(Effect::Look);
            }
            EndStage::Ending => effects.push(Effect::Judged(Verdict::Frozen(self.cut_off.clone()))),
        }
    }

    /// Second step of a reap or an end: judge by the result of the look.
    pub(super) fn looked(&mut self, look: Look, now: Now, effects: &mut Vec<Effect>) {
        self.residents = look.residents;
        if let Some(level) = look.level {
            self.signal(level, now, effects);
        }
        match self.end_stage {
            EndStage::None | EndStage::Undecided { .. } | EndStage::Frozen { .. } | EndStage::Ending => {}
            EndStage::Nominated(over) => {
                // The look may have brought a hold, or the end of a turn, which restarts the idle clock.
                self.end_stage = EndStage::None;
                let goes = match over {
                    Some(_) => self.may_be_evicted(now),
                    None => self.reap_at(&self.holds()).is_some_and(|at| at <= now.awake),
                };
                if goes {
                    let idle = now.awake.since(self.interaction.awake);
                    self.end_stage = EndStage::Ending;
                    effects.push(Effect::Tell(Fact::LettingGo { idle, over }));
                    effects.push(Effect::LetGo { idle });
                }
            }
            EndStage::Judging { freeze, shut } => {
                let Some(verdict) = self.judge(freeze, look.resumable, look.loss) else {
                    self.end_stage = EndStage::Undecided { freeze, shut };
                    return;
                };
                self.end_stage = match verdict {
                    Verdict::Frozen(_) => EndStage::Frozen { since: now.awake, by: freeze.id },
                    Verdict::Held(_) | Verdict::NotResumable | Verdict::WouldBeLost(_) => {
                        if shut {
                            self.submission.goes_on(now.awake);
                        }
                        EndStage::None
                    }
                };
                effects.push(Effect::Judged(verdict));
            }
        }
    }

    /// Whether the session is still frozen by this order.
    pub(super) fn stands(&self, freeze: FreezeId) -> bool {
        match self.end_stage {
            EndStage::Frozen { by, .. } => by == freeze,
            EndStage::Ending => true,
            EndStage::None
            | EndStage::Nominated(_)
            | EndStage::Judging { .. }
            | EndStage::Undecided { .. } => false,
        }
    }

    pub(super) fn thaw(&mut self, now: Now) {
        match self.end_stage {
            EndStage::Nominated(_)
            | EndStage::Judging { .. }
            | EndStage::Undecided { .. }
            | EndStage::Frozen { .. } => {
                if !self.open_for_input() {
                    self.submission.goes_on(now.awake);
                }
                self.end_stage = EndStage::None;
                self.interaction = now;
            }
            EndStage::None | EndStage::Ending => {}
        }
    }

    /// `None`: what would be lost shows in a moment.
    fn judge(&self, freeze: Freeze, resumable: bool, loss: Option<Loss>) -> Option<Verdict> {
        if freeze.must_resume && !(self.engine.keeps_conversations && resumable) {
            return Some(Verdict::NotResumable);
        }
        if let Some(loss) = loss.filter(|_| freeze.must_resume) {
            return Some(Verdict::WouldBeLost(loss));
        }
        let work = self.work();
        let frozen = work.is_empty() || freeze.interrupt;
        if frozen && self.is_about_to_work() {
            return None;
        }
        Some(if frozen { Verdict::Frozen(work) } else { Verdict::Held(work) })
    }

    /// What an end would lose now.
    fn work(&self) -> Vec<Hold> {
        self.holds().into_iter().filter(|hold| hold.kind.is_work()).collect()
    }

    /// The process is ended, or has ended. Notes what that cuts off, for whoever orders it only then.
    pub(super) fn ends(&mut self) {
        if self.end_stage != EndStage::Ending {
            self.cut_off = self.work();
            self.end_stage = EndStage::Ending;
        }
    }

    /// Whether a turn may be about to begin beside which there is none yet.
    fn is_about_to_work(&self) -> bool {
        self.may_begin_a_turn() && !self.turn_or_decision()
    }

    /// Looks again, to give the verdict that waited, once it is known whether a turn begins.
    pub(super) fn decide_now(&mut self, effects: &mut Vec<Effect>) {
        if let EndStage::Undecided { freeze, shut } = self.end_stage
            && !self.is_about_to_work()
        {
            self.end_stage = EndStage::Judging { freeze, shut };
            effects.push(Effect::Look);
        }
    }

    pub(super) fn unknown_shows_at(&self, now: Now) -> Option<Awake> {
        let shows = self.unknown.as_ref()?.since.awake.after(UNKNOWN_SHOWN_AFTER);
        (shows > now.awake).then_some(shows)
    }

    pub(super) fn trouble(&self, now: Now) -> Option<Trouble> {
        if let Some(unknown) = &self.unknown
            && now.awake.since(unknown.since.awake) >= UNKNOWN_SHOWN_AFTER
        {
            return Some(Trouble::new(
                Code::UnknownStatus,
                format!(
                    "{} has said `{}` for {}, which this version of Repose doesn't know. It counts as busy.",
                    self.engine.title,
                    words::line(&unknown.what),
                    words::span(now.awake.since(unknown.since.awake))
                ),
                [
                    format!("Look at its terminal: `repose open {}`.", self.called),
                    format!("Let it go: `repose pause --interrupt {}`.", self.called),
                ],
            ));
        }
        let silent = match &self.activity {
            Activity::Working { sign, .. } => now.awake.since(sign.awake),
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Waiting { .. } => Duration::ZERO,
        };
        if silent >= self.params.policy.stall_after {
            return Some(Trouble::new(
                Code::Stalled,
                format!(
                    "{} is working and has given no sign of life for {}.",
                    self.engine.title,
                    words::span(silent)
                ),
                [
                    format!("Look at its terminal: `repose open {}`.", self.called),
                    format!("End the turn: `repose interrupt {}`.", self.called),
                ],
            ));
        }
        self.deaf.map(|_| self.hooks_silent())
    }

    fn hooks_silent(&self) -> Trouble {
        Trouble::new(
            Code::HooksSilent,
            format!(
                "{} reports nothing to Repose: its hooks are switched off, or fail. Repose goes by its status and its \
                 transcript instead, so answers come some seconds later.",
                self.engine.title
            ),
            [
                "See whether its settings switch hooks off: `repose doctor`.".into(),
                format!("Then let it open anew: `repose stop {}`.", self.called),
            ],
        )
    }
}
