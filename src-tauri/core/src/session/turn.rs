//! A turn: from the prompt that was taken to the engine being idle after it.
//!
//! An engine that gets a prompt while it works may take it at once and answer it in a turn of its own, right
//! after the running one; between the two it is idle for some 30 ms (seen with Claude Code 2.1.332).

use std::time::Duration;

use super::submit::Submission;
use super::{Activity, Effect, Fact, HOOKS_WITHIN, Keys, Session, Since, TurnOutcome};
use crate::ids::{AskId, PromptId};
use crate::signal::{Author, Level};
use crate::time::{Awake, Moment, Now};

/// How long an engine that is idle may take to report how the turn ended: its hook may be a slow process, or
/// its transcript written late. After that the turn counts as interrupted.
const SAYS_WHY_WITHIN: Duration = Duration::from_secs(10);

/// How long idle must last before it counts, if a prompt may be in the engine's own queue: ten times the
/// longest gap seen between two queued turns.
pub(super) const STEADY_AFTER: Duration = Duration::from_millis(300);

/// How long an engine may take to say what became of a line that a person sent: its hook is a process, and
/// starts late on a busy machine. A command of the engine's own may never be told of.
pub(super) const TELLS_WITHIN: Duration = HOOKS_WITHIN;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Turn {
    since: Now,
    /// When its end was said while a prompt was queued: what goes on without a rest is that prompt's.
    next_since: Option<Now>,
    /// The prompt that is being answered.
    prompt: Option<PromptId>,
    /// The ask that it answers.
    ask: Option<AskId>,
    /// The last prompt that was taken while it ran.
    queued: Option<Queued>,
    /// Whether a prompt began it. Otherwise the engine began it on its own, and nobody waits for the outcome.
    prompted: bool,
    /// How it ended, once the engine has said so. The engine may say so again: a user's hook can send it back
    /// to work.
    outcome: Option<TurnOutcome>,
    /// Since when the engine has been idle without having said how the turn ended.
    silent_since: Option<Awake>,
    /// Whether the engine was idle during it. What follows may be another turn.
    rested: bool,
    /// Whether somebody ordered its end through Repose since it last asked for a decision. Idle is then the end, even
    /// before the engine says so.
    called_off: bool,
    /// How long it has waited for somebody's decision, all in all.
    waited: Duration,
}

/// A prompt that was taken while a turn ran. The engine answers it in that turn or in the next one, under an
/// id that it may or may not have announced.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Queued {
    prompt: Option<PromptId>,
    /// The ask that it, or another prompt in the queue, belongs to. `None`: a person typed it.
    ask: Option<AskId>,
}

/// A turn that is over, during which another prompt was taken. If another turn follows, it is that prompt's.
/// If none does, the engine answered both prompts in this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unsettled {
    other: Queued,
    outcome: TurnOutcome,
    worked: Duration,
    since: Now,
}

impl Turn {
    fn begun(now: Now) -> Self {
        Self {
            since: now,
            next_since: None,
            prompt: None,
            ask: None,
            queued: None,
            prompted: false,
            outcome: None,
            silent_since: None,
            rested: false,
            called_off: false,
            waited: Duration::ZERO,
        }
    }

    /// How long the engine worked, if it rests now or has rested since it last worked.
    fn worked(&self, now: Now) -> Duration {
        let rests = self.silent_since.unwrap_or(now.awake);
        rests.since(self.since.awake).saturating_sub(self.waited)
    }

    pub(super) fn gives_up_at(&self) -> Option<Awake> {
        self.silent_since.map(|since| since.after(SAYS_WHY_WITHIN))
    }

    /// A prompt was taken while it runs.
    fn queues(&mut self, prompt: Option<PromptId>, ask: Option<AskId>) {
        let before = self.queued.take().and_then(|queued| queued.ask);
        self.queued = Some(Queued { prompt, ask: ask.or(before) });
    }

    /// The engine answers this prompt. If it was queued, it was taken into the running turn.
    fn answers(&mut self, prompt: &PromptId) {
        if let Some(queued) = &mut self.queued
            && queued.prompt.as_ref() == Some(prompt)
        {
            self.prompt.clone_from(&queued.prompt);
            self.ask = self.ask.take().or_else(|| queued.ask.take());
        }
    }
}

impl Unsettled {
    pub(super) fn settles_at(&self) -> Awake {
        self.since.awake.after(STEADY_AFTER)
    }
}

impl Session {
    /// Since when there has been a turn, including one that only waits for its outcome.
    pub(super) fn turn_since(&self) -> Option<Now> {
        let unsettled = self.unsettled.as_ref().map(|unsettled| unsettled.since);
        self.turn.as_ref().map(|turn| turn.next_since.unwrap_or(turn.since)).or(unsettled)
    }

    /// Whether the end of the current turn will be this ask's.
    pub(super) fn turn_is_of(&self, ask: &AskId) -> bool {
        let turn = self.turn.as_ref();
        let queued = turn.and_then(|turn| turn.queued.as_ref());
        let other = self.unsettled.as_ref().map(|unsettled| &unsettled.other);
        let waits = [queued, other].into_iter().flatten().filter_map(|queued| queued.ask.as_ref());
        turn.and_then(|turn| turn.ask.as_ref()).into_iter().chain(waits).any(|of| of == ask)
    }

    /// Whether the engine does nothing and hasn't said how its turn ended: whoever can look that up should.
    #[must_use]
    pub fn awaits_outcome(&self) -> bool {
        self.activity.is_idle() && self.turn.is_some()
    }

    /// What people see the engine do. An engine also says idle for a moment when its dialog closes and the turn goes on
    /// (seen with Claude Code 2.1.332), so that a turn whose end isn't told yet counts as work.
    pub(super) fn shown(&self) -> Activity {
        match (&self.activity, &self.turn) {
            (Activity::Idle { since: sign }, Some(turn)) if !turn.called_off => {
                Activity::Working { since: turn.next_since.unwrap_or(turn.since), sign: *sign }
            }
            (
                Activity::Opening { .. }
                | Activity::Idle { .. }
                | Activity::Working { .. }
                | Activity::Waiting { .. },
                _,
            ) => self.activity.clone(),
        }
    }

    /// Somebody ordered the end of the turn.
    pub(super) fn call_off(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.called_off = true;
        }
    }

    /// Whether the engine may begin a turn by what it has been sent or told already.
    pub(super) fn may_begin_a_turn(&self) -> bool {
        self.unsteady_until.is_some() || self.sent_until.is_some()
    }

    /// Whether there is a turn that no known prompt began.
    #[must_use]
    pub fn works_unasked(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| !turn.prompted)
    }

    pub(super) fn prompt_taken(
        &mut self,
        prompt: Option<PromptId>,
        text: &str,
        author: Author,
        now: Now,
        effects: &mut Vec<Effect>,
    ) {
        let taken = match author {
            Author::Person => self.submission.take(text),
            Author::Engine => None,
        };
        let ask = taken.as_ref().map(|taken| taken.id.clone());
        if author == Author::Person {
            self.interaction = now;
            self.sent_until = self.sent_until.filter(|_| taken.is_some());
        }
        self.nothing_runs = None;
        self.submission.works_on_another();
        let same = prompt.is_some() && self.turn.as_ref().is_some_and(|turn| turn.prompt == prompt);
        if !same {
            self.over_before(now, effects);
        }
        let turn = self.turn_begins(now);
        let running = turn.prompted && turn.outcome.is_none();
        if same || (running && (turn.prompt.is_some() || ask.is_some())) {
            turn.queues(prompt.clone(), ask);
        } else {
            if running {
                turn.queues(None, None);
            }
            turn.prompted = true;
            turn.prompt.clone_from(&prompt);
            turn.ask = ask.or(turn.ask.take());
            turn.outcome = None;
        }
        self.works(now);
        let Some(taken) = taken else { return };
        effects.push(Effect::Tell(Fact::Taken { ask: taken.id, prompt }));
        // While frozen, nothing is typed, not even input that was kept back.
        if !taken.kept_back.is_empty() && self.open_for_input() {
            self.pass_input(taken.kept_back, now, effects);
        }
    }

    pub(super) fn level(&mut self, level: Level, at: Moment, now: Now, effects: &mut Vec<Effect>) {
        // A slow look may return a level that is older than the known one.
        if Some(at) < self.levelled {
            return;
        }
        self.levelled = Some(at);
        self.rests = matches!(level, Level::Idle | Level::Shell);
        self.asks(matches!(level, Level::Waiting(_)));
        let stale = Some(at) < self.edge;
        self.nothing_runs = match level {
            Level::Idle if !stale => self.nothing_runs.or(Some(now.awake)),
            Level::Idle | Level::Shell | Level::Busy | Level::Waiting(_) | Level::Unknown(_) => None,
        };
        match level {
            Level::Idle | Level::Shell if stale => {}
            Level::Idle => {
                if self.shell.take().is_some() {
                    self.interaction = now;
                    self.unsteady_until = Some(now.awake.after(STEADY_AFTER)); // news of the task may follow
                }
                self.unknown = None;
                self.idle(now, effects);
            }
            Level::Shell => {
                self.shell.get_or_insert(now.wall);
                self.unknown = None;
                self.idle(now, effects);
            }
            Level::Busy => {
                self.unknown = None;
                if self.deaf.is_some()
                    && let Some(text) = self.submission.sent().map(str::to_owned)
                {
                    // The hook that would prove the prompt is silent.
                    self.prompt_taken(None, &text, Author::Person, now, effects);
                }
                self.submission.works(now.awake);
                self.turn_begins(now);
                self.works(now);
            }
            Level::Unknown(word) => {
                let known = self.unknown.take().filter(|known| known.what == word);
                self.unknown = Some(known.unwrap_or(Since { since: now, what: word }));
                self.works(now);
            }
            Level::Waiting(what) => {
                self.unknown = None;
                if let Some(turn) = &mut self.turn {
                    (turn.silent_since, turn.called_off) = (None, false);
                }
                self.waits(what, now, effects);
            }
        }
    }

    /// The engine said how the turn ended.
    pub(super) fn stopped(
        &mut self,
        prompt: Option<PromptId>,
        outcome: TurnOutcome,
        now: Now,
        effects: &mut Vec<Effect>,
    ) {
        self.sign_of_life(now);
        let known = self.turn.as_ref().and_then(|turn| turn.prompt.as_ref());
        if let Some(stopped) = prompt
            && known.is_some_and(|known| *known != stopped)
        {
            if self.answered.as_ref() == Some(&stopped) {
                return; // late, from a turn that is over
            }
            if self.over_before(now, effects) {
                // The engine began a prompt from its own queue without saying so.
                self.turn_begins(now).prompt = Some(stopped);
            } else if let Some(turn) = &mut self.turn {
                turn.answers(&stopped);
            }
        }
        let Some(turn) = &mut self.turn else { return };
        turn.outcome = Some(outcome);
        turn.next_since = turn.queued.is_some().then_some(now);
        // It may have been the turn of a prompt in the engine's queue, of which nothing else was heard.
        if turn.silent_since.is_some() || self.activity.is_idle() {
            self.turn_over(now, effects);
        }
    }

    pub(super) fn interrupted(&mut self, now: Now, effects: &mut Vec<Effect>) {
        self.stopped(None, TurnOutcome::Interrupted, now, effects);
    }

    /// The prompt is in the input line again, and the next one must not be appended to it. If Repose typed
    /// it, it is removed; if a person did, it is theirs and counts as half typed.
    pub(super) fn taken_back(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let asked = self.turn.as_ref().is_some_and(|turn| turn.ask.is_some());
        if self.turn.is_some() && !self.line.half_typed() {
            if asked && self.open_for_input() {
                effects.push(Effect::Type(Keys::Clear));
                self.unsteady_until = Some(now.awake.after(STEADY_AFTER));
            } else {
                self.line.holds_text();
            }
        }
        self.interrupted(now, effects);
    }

    pub(super) fn turn_time(&mut self, now: Now, effects: &mut Vec<Effect>) {
        self.unsteady_until = self.unsteady_until.filter(|until| *until > now.awake);
        self.sent_until = self.sent_until.filter(|until| *until > now.awake);
        if self.unsettled.as_ref().is_some_and(|unsettled| unsettled.settles_at() <= now.awake) {
            self.settle(effects);
        }
        let Some(turn) = &mut self.turn else { return };
        if turn.gives_up_at().is_some_and(|at| at <= now.awake) {
            turn.outcome.get_or_insert(TurnOutcome::Interrupted);
            self.turn_over(now, effects);
        }
    }

    /// Ends the turn because the process ends.
    pub(super) fn cut(&mut self, outcome: TurnOutcome, now: Now, effects: &mut Vec<Effect>) {
        // The ask ends with the report of the end, which gives the reason.
        self.submission = Submission::None;
        if let Some(turn) = &mut self.turn {
            // A turn whose outcome was reported is answered, even if the process ended before the level said
            // idle.
            turn.outcome.get_or_insert(outcome);
            self.turn_over(now, effects);
        }
        self.settle(effects);
    }

    /// Another turn has begun. The previous one is over if its outcome was reported, as the idle in between
    /// may have been too short to be seen; if the engine was idle without an outcome, it was interrupted.
    fn over_before(&mut self, now: Now, effects: &mut Vec<Effect>) -> bool {
        let Some(turn) = &mut self.turn else { return false };
        if !turn.prompted || (turn.outcome.is_none() && !turn.rested) {
            return false;
        }
        turn.outcome.get_or_insert(TurnOutcome::Interrupted);
        self.turn_over(now, effects);
        true
    }

    /// The running turn, or a new one.
    fn turn_begins(&mut self, now: Now) -> &mut Turn {
        let next = match self.turn {
            Some(_) => None,
            None => self.unsettled.take(),
        };
        let turn = self.turn.get_or_insert_with(|| Turn::begun(now));
        if let Some(next) = next {
            turn.prompt = next.other.prompt;
            turn.ask = next.other.ask;
            turn.prompted = true;
        }
        turn.silent_since = None;
        turn
    }

    pub(super) fn idle(&mut self, now: Now, effects: &mut Vec<Effect>) {
        if !matches!(self.activity, Activity::Idle { .. }) {
            self.has_waited(now);
            self.activity = Activity::Idle { since: now };
            self.interaction = now;
        }
        let Some(turn) = &mut self.turn else { return };
        if turn.outcome.is_some() || !turn.prompted {
            self.turn_over(now, effects);
        } else {
            turn.rested = true;
            turn.silent_since.get_or_insert(now.awake);
        }
    }

    fn works(&mut self, now: Now) {
        let turn = self.turn_since();
        match &mut self.activity {
            Activity::Working { since, sign } => {
                // It may be another turn than the one before, if the idle in between was too short to be seen.
                *since = turn.unwrap_or(*since);
                *sign = now;
            }
            Activity::Opening { .. } | Activity::Idle { .. } | Activity::Waiting { .. } => {
                self.has_waited(now);
                self.activity = Activity::Working { since: turn.unwrap_or(now), sign: now };
            }
        }
    }

    /// The engine waits for nobody's decision any more, or its turn is over.
    fn has_waited(&mut self, now: Now) {
        if let (Activity::Waiting { since, .. }, Some(turn)) = (&self.activity, &mut self.turn) {
            turn.waited += now.awake.since(since.awake.max(turn.since.awake));
        }
    }

    fn turn_over(&mut self, now: Now, effects: &mut Vec<Effect>) {
        self.has_waited(now);
        let Some(turn) = self.turn.take() else { return };
        self.interaction = now;
        let worked = turn.worked(now);
        let Some(outcome) = turn.outcome else { return };
        self.answered = turn.prompt.or(self.answered.take());
        if let Some(other) = turn.queued {
            self.unsettled = Some(Unsettled { other, outcome: outcome.clone(), worked, since: now });
        }
        let worked = Some(worked);
        effects.push(Effect::Tell(Fact::TurnOver { ask: turn.ask, outcome, at: now.wall, worked }));
    }

    fn settle(&mut self, effects: &mut Vec<Effect>) {
        let Some(Unsettled { other, outcome, worked, since }) = self.unsettled.take() else { return };
        if let Some(ask) = other.ask {
            effects.push(Effect::Tell(Fact::TurnOver {
                ask: Some(ask),
                outcome,
                at: since.wall,
                worked: Some(worked),
            }));
        }
    }
}
