//! One life of one engine process, as its holder sees it: what the engine is doing, what holds it, and
//! whether it may be let go.
//!
//! The holder feeds [`Session::handle`] everything that happens and carries out the returned effects. The
//! session alone judges how long its engine lives, whether a runner is alive or not. It must not know of
//! other repos, the queue of asks, or pauses: those belong to the runner.

mod decide;
mod event;
mod heard;
mod judge;
mod submit;
mod turn;

#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::budget::Excess;
use crate::conversation::Engine;
use crate::decision::Pick;
use crate::hold::{Hold, Resident, Task};
use crate::ids::{AskId, ConversationId, DecisionId, PromptId};
use crate::time::{Awake, Moment, Now, Timeline, Wall};
use crate::typing::{Front, Habits, Line, Touch};
use crate::words;

use decide::Pending;
pub use event::{
    Activity, Effect, EndIf, EndReason, Event, Fact, Freeze, FreezeId, Keys, Lease, Look, NotNow, Params,
    TurnOutcome, Verdict, View,
};
use heard::Early;
pub use heard::HOOKS_WITHIN;
use submit::Submission;
use turn::{Turn, Unsettled};

/// After the machine wakes, nothing is let go for this long: people return to a laptop before their agents'
/// network does.
pub const WAKE_GRACE: Duration = Duration::from_secs(300);

/// An engine that is opening isn't let go for this long, however short `idle_after` is: somebody is waiting
/// for it, and a cold start on a busy machine takes time. After that, the idle clock applies.
pub const OPENING_LASTS: Duration = Duration::from_secs(120);

/// A lease that isn't renewed lapses after this, so that a dead runner doesn't hold an engine for ever.
pub const LEASE_LASTS: Duration = Duration::from_secs(60);

/// A frozen session thaws after this if the order to end doesn't arrive, so that a dead runner doesn't keep
/// it frozen.
pub const FREEZE_LASTS: Duration = Duration::from_secs(30);

/// Background processes count as ended once the engine's level has said for this long that it does nothing at
/// all, without news of them: somebody ended them from outside, or by hand in the terminal.
pub const TASKS_GONE_AFTER: Duration = Duration::from_secs(5);

/// After this, a status that this version doesn't know is shown as trouble.
pub const UNKNOWN_SHOWN_AFTER: Duration = Duration::from_secs(3_600);

/// One life of one engine process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The name of its repo, as commands take it.
    called: String,
    engine: Engine,
    params: Params,
    /// Since when it has been pinned, if it is.
    pinned_since: Wall,
    activity: Activity,
    conversation: Option<ConversationId>,
    confirmed: bool,
    /// When the engine said which conversation it is in.
    opened_at: Option<Moment>,
    turn: Option<Turn>,
    background: Vec<Since<Task>>,
    wakeups: Vec<Since<Task>>,
    shell: Option<Wall>,
    unknown: Option<Since<String>>,
    /// A level that arrived before its conversation was confirmed.
    early: Option<Early>,
    /// Since when the conversation has been taken from the level alone, because the engine's hooks are
    /// silent.
    deaf: Option<Wall>,
    /// When the last prompt was taken: an idle level from before that is out of date.
    edge: Option<Moment>,
    /// The time of the last level.
    levelled: Option<Moment>,
    /// Whether the last level said that the engine is idle.
    rests: bool,
    /// Whether the last level said that the engine waits for somebody.
    asks: bool,
    /// A decision that the engine's hook waits to be told.
    pending: Option<Pending>,
    /// The last decision that was made here, with what was picked.
    last_decided: Option<(DecisionId, Pick)>,
    /// Since when the level has said that nothing at all runs.
    nothing_runs: Option<Awake>,
    /// Until when the engine may begin a turn from its own queue.
    unsteady_until: Option<Awake>,
    /// Until when the engine may say what became of a line that a person sent.
    sent_until: Option<Awake>,
    /// The prompt of the last turn that is over.
    answered: Option<PromptId>,
    /// A turn that is over, whose ask the next turn may answer.
    unsettled: Option<Unsettled>,
    line: Line,
    half_since: Option<Wall>,
    ask_lease: Option<Leased>,
    client_lease: Option<Leased>,
    residents: Vec<Resident>,
    interaction: Now,
    /// Orders the engine's signals by time.
    timeline: Timeline,
    slept: u64,
    woke: Option<Awake>,
    end_stage: EndStage,
    /// The work that its end cut off, once it ends.
    cut_off: Vec<Hold>,
    submission: Submission,
    /// The last ask that was to be typed. It identifies one that a runner submits again after a restart.
    last_ask: Option<AskId>,
    /// The last one that a dialog got together with its Enter.
    given_back: Option<AskId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Since<T> {
    since: Now,
    what: T,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Leased {
    since: Wall,
    until: Awake,
}

/// How near its end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndStage {
    None,
    /// The engine has been idle for long enough, or is one idle engine too many: a last look before it is let
    /// go. Whatever arrives in the meantime wins.
    Nominated(Option<Excess>),
    /// Somebody wants the session ended: a last look before the verdict. A session that was already frozen
    /// stays closed to input meanwhile.
    Judging {
        freeze: Freeze,
        shut: bool,
    },
    /// The verdict waits: a turn may be about to begin by what was sent just before.
    Undecided {
        freeze: Freeze,
        shut: bool,
    },
    /// The session was judged. Whatever arrives is refused until the freeze lapses.
    Frozen {
        since: Awake,
        by: FreezeId,
    },
    Ending,
}

impl Session {
    /// A session whose process was just started, with the habits of its engine's input line. `name` is how
    /// commands in hints call the repo.
    #[must_use]
    pub fn new(name: &str, engine: Engine, habits: Habits, params: Params, now: Now) -> Self {
        Self {
            called: words::shell_word(name),
            engine,
            params,
            pinned_since: now.wall,
            activity: Activity::Opening { since: now },
            conversation: None,
            confirmed: false,
            opened_at: None,
            turn: None,
            background: Vec::new(),
            wakeups: Vec::new(),
            shell: None,
            unknown: None,
            early: None,
            deaf: None,
            edge: None,
            levelled: None,
            rests: false,
            asks: false,
            pending: None,
            last_decided: None,
            nothing_runs: None,
            unsteady_until: None,
            sent_until: None,
            answered: None,
            unsettled: None,
            line: Line::new(habits),
            half_since: None,
            ask_lease: None,
            client_lease: None,
            residents: Vec::new(),
            interaction: now,
            timeline: Timeline::new(now),
            slept: now.slept,
            woke: None,
            end_stage: EndStage::None,
            cut_off: Vec::new(),
            submission: Submission::None,
            last_ask: None,
            given_back: None,
        }
    }

    /// Takes in an event; returns the effects to carry out, in order.
    pub fn handle(&mut self, event: Event, now: Now) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.pass_time(now, &mut effects);
        match event {
            Event::Signal(signal) => self.signal(signal, now, &mut effects),
            Event::Dialog(dialog) => self.dialog(dialog, now, &mut effects),
            Event::Input(bytes) => self.input(bytes, now, &mut effects),
            Event::Aside(bytes) => {
                if self.open_for_input() {
                    self.interaction = now;
                    effects.push(Effect::Write(bytes));
                }
            }
            Event::Sent => self.sent(now, &mut effects),
            Event::Columns(columns) => self.line.wide(columns),
            Event::CursorRow(row) => self.line.at_row(row),
            Event::Habits(habits) => self.line.takes_on(habits),
            Event::Report(bytes) => {
                // While a prompt is being typed, a reply would end up in its middle. Nobody waits for that
                // reply.
                if self.open_for_input() && !self.submission.keeps_back() {
                    effects.push(Effect::Write(bytes));
                }
            }
            Event::Decides(decision) => self.decides(decision, now, &mut effects),
            Event::DecisionGone(id) => self.decision_gone(&id),
            Event::Decide { decision, pick } => self.decide(&decision, &pick, now, &mut effects),
            Event::Lease(lease, held) => self.lease(lease, held, now),
            Event::Params(params) => {
                if params.pinned != self.params.pinned {
                    self.interaction = now;
                    self.pinned_since = now.wall;
                }
                self.params = params;
            }
            Event::Submit { ask, text, gap } => self.submit(ask, text, gap, now, &mut effects),
            Event::Interrupt => {
                // Without a turn, the key would mean something else.
                if self.open_for_input() && self.turn_or_decision() {
                    self.interaction = now;
                    self.call_off();
                    effects.push(Effect::Type(Keys::Interrupt));
                }
            }
            Event::Freeze(freeze) => self.freeze(freeze, &mut effects),
            Event::Thaw => self.thaw(now),
            Event::Unrecorded => {
                // Tried again once it has been idle for that long again.
                self.end_stage = EndStage::None;
                self.interaction = now;
            }
            Event::End(EndIf::StillFrozen(freeze)) if !self.stands(freeze) => effects.push(Effect::Thawed),
            Event::End(EndIf::StillFrozen(_) | EndIf::Always) => {
                self.ends();
                self.cut(TurnOutcome::Interrupted, now, &mut effects);
                effects.push(Effect::End(EndReason::Ordered));
            }
            Event::Terminated => {
                self.ends();
                // Nobody was asked whether work may be lost, so it is named as if the engine had ended on its
                // own.
                self.cut(TurnOutcome::EngineEnded, now, &mut effects);
                effects.push(Effect::End(EndReason::Ordered));
            }
            Event::Looked(look) => self.looked(look, now, &mut effects),
            Event::Residents(residents) => self.residents = residents,
            Event::Evict(over) => self.evict(over, now, &mut effects),
            Event::Exited => {
                let ending = self.end_stage == EndStage::Ending;
                self.ends();
                self.cut(TurnOutcome::EngineEnded, now, &mut effects);
                if !ending {
                    effects.push(Effect::End(EndReason::Exited));
                }
            }
            Event::Tick => {}
        }
        self.decision_time(now, &mut effects);
        self.look_at_line(now);
        self.nominate(now, &mut effects);
        self.decide_now(&mut effects);
        effects
    }

    /// What the session looks like now.
    #[must_use]
    pub fn view(&self, now: Now) -> View {
        let holds = self.holds();
        View {
            activity: self.shown(),
            conversation: self.conversation.clone(),
            decision: self.decision().cloned().map(Box::new),
            reap_at: self.reap_at(&holds).map(|at| now.after(at.since(now.awake)).wall),
            holds,
            ready_for_ask: self.ready_for_ask(),
            interaction: self.interaction.wall,
            used: Some(self.interaction.awake),
            frozen: !self.open_for_input(),
            trouble: self.trouble(now),
        }
    }

    /// The latest moment at which [`Event::Tick`] should arrive.
    #[must_use]
    pub fn next_wake(&self, now: Now) -> Option<Awake> {
        let leases = [self.ask_lease, self.client_lease].into_iter().flatten().map(|lease| lease.until);
        let frozen = match self.end_stage {
            EndStage::Frozen { since, .. } => Some(since.after(FREEZE_LASTS)),
            EndStage::None
            | EndStage::Nominated(_)
            | EndStage::Judging { .. }
            | EndStage::Undecided { .. }
            | EndStage::Ending => None,
        };
        let stalls = match &self.activity {
            Activity::Working { sign, .. } => Some(sign.awake.after(self.params.policy.stall_after)),
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Waiting { .. } => None,
        };
        leases
            .chain(frozen)
            .chain(stalls.filter(|at| *at > now.awake))
            .chain(self.line.settles_at())
            .chain(self.submission.next_wake().filter(|_| self.open_for_input()))
            .chain(self.turn.as_ref().and_then(Turn::gives_up_at))
            .chain(self.unsettled.as_ref().map(Unsettled::settles_at))
            .chain(self.unsteady_until)
            .chain(self.sent_until)
            .chain(self.decision_wake())
            .chain(self.unknown_shows_at(now))
            .chain(self.early.as_ref().map(Early::believed_at))
            .chain(self.tasks_gone_at())
            .chain(self.reap_at(&self.holds()))
            .min()
    }

    fn pass_time(&mut self, now: Now, effects: &mut Vec<Effect>) {
        const A_SLEEP: u64 = 1_000;
        if now.slept > self.slept.saturating_add(A_SLEEP) {
            self.woke = Some(now.awake);
        }
        self.slept = now.slept;
        self.timeline.read(now);
        let touch = self.line.settle(now.awake);
        self.touched(touch, now, effects);
        for lease in [&mut self.ask_lease, &mut self.client_lease] {
            *lease = lease.filter(|held| held.until > now.awake);
        }
        if let EndStage::Frozen { since, .. } = self.end_stage
            && now.awake.since(since) >= FREEZE_LASTS
        {
            self.thaw(now);
        }
        self.submission_time(now, effects);
        self.turn_time(now, effects);
        self.early_time(now, effects);
        if self.tasks_gone_at().is_some_and(|at| at <= now.awake) {
            self.background.retain(|task| !task.what.process);
            self.interaction = now;
        }
    }

    /// When background processes count as gone, if the level stays as it is.
    fn tasks_gone_at(&self) -> Option<Awake> {
        let listed = self.background.iter().any(|task| task.what.process);
        self.nothing_runs.filter(|_| listed).map(|since| since.after(TASKS_GONE_AFTER))
    }

    fn input(&mut self, bytes: Vec<u8>, now: Now, effects: &mut Vec<Effect>) {
        if !self.open_for_input() {
            return;
        }
        let Some(bytes) = self.submission.keep_back(bytes, now.awake) else { return };
        self.pass_input(bytes, now, effects);
    }

    fn pass_input(&mut self, bytes: Vec<u8>, now: Now, effects: &mut Vec<Effect>) {
        let touch = self.line.feed(&bytes, self.front(), now.awake);
        self.touched(touch, now, effects);
        effects.push(Effect::Write(bytes));
    }

    /// What takes the keys. What was just sent may have become a turn already.
    fn front(&self) -> Front {
        match self.activity {
            Activity::Waiting { .. } => Front::Dialog,
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Working { .. }
                if self.turn_or_decision() || self.unsteady_until.is_some() =>
            {
                Front::Turn
            }
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Working { .. } => Front::Line,
        }
    }

    /// Follows what happened with what is known of the input line.
    fn look_at_line(&mut self, now: Now) {
        self.line.goes_to(self.front());
        self.half_since = if self.line.half_typed() { self.half_since.or(Some(now.wall)) } else { None };
    }

    fn touched(&mut self, touch: Touch, now: Now, effects: &mut Vec<Effect>) {
        if !touch.by_person {
            return;
        }
        if touch.esc {
            effects.push(Effect::ReadHabits);
        }
        self.interaction = now;
        if touch.sent {
            self.unsteady_until = Some(now.awake.after(turn::STEADY_AFTER));
        }
        if touch.text {
            // A verdict that waits for one line isn't put off by the next.
            let waits = matches!(self.end_stage, EndStage::Undecided { .. });
            let until = now.awake.after(turn::TELLS_WITHIN);
            self.sent_until = self.sent_until.filter(|_| waits).or(Some(until));
        }
        if let EndStage::Nominated(_) = self.end_stage {
            self.end_stage = EndStage::None;
        }
    }

    fn lease(&mut self, lease: Lease, held: bool, now: Now) {
        let place = match lease {
            Lease::Ask => &mut self.ask_lease,
            Lease::Client => &mut self.client_lease,
        };
        let since = place.map_or(now.wall, |lease| lease.since);
        *place = held.then(|| Leased { since, until: now.awake.after(LEASE_LASTS) });
    }

    fn turn_or_decision(&self) -> bool {
        match &self.activity {
            Activity::Working { .. } | Activity::Waiting { .. } => true,
            Activity::Opening { .. } | Activity::Idle { .. } => self.turn_since().is_some(),
        }
    }

    /// Whether the engine has confirmed which conversation it is in, or that it keeps none.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.confirmed
    }

    /// The conversation that the engine is in, once it has confirmed one. `None` also for an engine that
    /// keeps none, or names it with its first prompt.
    #[must_use]
    pub fn conversation(&self) -> Option<&ConversationId> {
        self.conversation.as_ref()
    }

    /// Whether anything may be typed: the session is neither frozen nor ending.
    #[must_use]
    pub fn open_for_input(&self) -> bool {
        match self.end_stage {
            EndStage::None
            | EndStage::Nominated(_)
            | EndStage::Judging { shut: false, .. }
            | EndStage::Undecided { shut: false, .. } => true,
            EndStage::Judging { shut: true, .. }
            | EndStage::Undecided { shut: true, .. }
            | EndStage::Frozen { .. }
            | EndStage::Ending => false,
        }
    }
}
