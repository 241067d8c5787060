//! Typing an ask: paste, a pause, Enter, and then the engine's own proof that it took the text.
//!
//! Between paste and proof, input from attached terminals is kept back, so that nothing is mixed into the
//! prompt.

use std::time::Duration;

use super::{Activity, Effect, EndStage, Fact, HOOKS_WITHIN, Keys, NotNow, Session};
use crate::ids::AskId;
use crate::signal::{Author, Wait};
use crate::time::{Awake, Now};

/// An ask without proof after this counts as not taken. A busy machine starts the engine's hook late.
const PROOF_WITHIN: Duration = Duration::from_secs(20);

/// Input from attached terminals is kept back for no longer than this.
const KEPT_BACK_FOR: Duration = Duration::from_secs(2);

/// At most this many bytes of input are kept back. The rest is dropped, as by a terminal whose program
/// doesn't read.
const KEPT_BACK_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Submission {
    None,
    Pasted(Typing),
    Entered(Typing),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typing {
    ask: AskId,
    text: String,
    since: Awake,
    /// How long the engine needs between paste and Enter.
    gap: Duration,
    /// Input that is kept back. `None`: it was kept back long enough and passes.
    kept_back: Option<Vec<u8>>,
    /// When the engine was first seen at work after the text was sent.
    worked: Option<Awake>,
    /// When a dialog was last seen between paste and proof: it received what was typed.
    faced: Option<Awake>,
}

/// An ask that was taken.
pub(super) struct Taken {
    pub(super) id: AskId,
    pub(super) kept_back: Vec<u8>,
}

impl Submission {
    /// Keeps back the bytes if input is kept back now; otherwise returns them.
    pub(super) fn keep_back(&mut self, bytes: Vec<u8>) -> Option<Vec<u8>> {
        let (Self::Pasted(typing) | Self::Entered(typing)) = self else { return Some(bytes) };
        let Some(kept) = &mut typing.kept_back else { return Some(bytes) };
        let room = KEPT_BACK_BYTES.saturating_sub(kept.len());
        kept.extend(bytes.into_iter().take(room));
        None
    }

    /// The ask whose text this prompt proves to be taken.
    pub(super) fn take(&mut self, prompt: &str) -> Option<Taken> {
        let (Self::Pasted(typing) | Self::Entered(typing)) = self else { return None };
        if !same_text(&typing.text, prompt) {
            return None;
        }
        let taken = Taken { id: typing.ask.clone(), kept_back: typing.kept_back.take().unwrap_or_default() };
        *self = Self::None;
        Some(taken)
    }

    /// Whether input is kept back now.
    pub(super) fn keeps_back(&self) -> bool {
        match self {
            Self::None => false,
            Self::Pasted(typing) | Self::Entered(typing) => typing.kept_back.is_some(),
        }
    }

    /// The text that was sent and isn't proved yet.
    pub(super) fn entered(&self) -> Option<&str> {
        match self {
            Self::None | Self::Pasted(_) => None,
            Self::Entered(typing) => Some(&typing.text),
        }
    }

    /// The engine is at work, and no hook has said on what.
    pub(super) fn works(&mut self, now: Awake) {
        match self {
            Self::None | Self::Pasted(_) => {}
            Self::Entered(typing) => typing.worked = typing.worked.or(Some(now)),
        }
    }

    /// A dialog came up. A permission doesn't count: only a running turn asks for one. True if it is news.
    pub(super) fn faces(&mut self, what: &Wait, now: Awake) -> bool {
        let (Self::Pasted(typing) | Self::Entered(typing)) = self else { return false };
        match what {
            Wait::Choice(_) | Wait::Trust => typing.faced.replace(now).is_none(),
            Wait::Permission(_) => false,
        }
    }

    /// The dialog is still there: what follows it shows whether it was the turn's own.
    pub(super) fn still_faces(&mut self, now: Awake) {
        match self {
            Self::None | Self::Pasted(_) => {}
            Self::Entered(typing) => typing.faced = typing.faced.map(|_| now),
        }
    }

    /// A hook said that the engine works on something else.
    pub(super) fn works_on_another(&mut self) {
        match self {
            Self::None | Self::Pasted(_) => {}
            Self::Entered(typing) => typing.worked = None,
        }
    }

    /// The session was frozen and goes on: the time for the proof starts over.
    pub(super) fn goes_on(&mut self, now: Awake) {
        match self {
            Self::None => {}
            Self::Pasted(typing) | Self::Entered(typing) => typing.since = now,
        }
    }

    fn types(&self, ask: &AskId) -> bool {
        match self {
            Self::None => false,
            Self::Pasted(typing) | Self::Entered(typing) => typing.ask == *ask,
        }
    }

    pub(super) fn in_progress(&self) -> bool {
        match self {
            Self::None => false,
            Self::Pasted(_) | Self::Entered(_) => true,
        }
    }

    pub(super) fn next_wake(&self) -> Option<Awake> {
        match self {
            Self::None => None,
            Self::Pasted(typing) => Some(typing.since.after(typing.gap)),
            Self::Entered(typing) => {
                let passes = typing.kept_back.as_ref().map(|_| typing.since.after(KEPT_BACK_FOR));
                [passes, Some(typing.proved_at())].into_iter().flatten().min()
            }
        }
    }
}

impl Typing {
    /// When to give up waiting for the hook.
    fn proved_at(&self) -> Awake {
        let told = self.worked.or(self.faced);
        told.map_or(self.since.after(PROOF_WITHIN), |told| told.after(HOOKS_WITHIN))
    }
}

impl Session {
    /// The text of the ask that waits for its proof. An engine may report a prompt in other words than were
    /// typed; if the caller knows that it is the same prompt, it hands in
    /// [`crate::signal::Said::PromptTaken`] with this text.
    #[must_use]
    pub fn awaits_proof_of(&self) -> Option<&str> {
        match &self.submission {
            Submission::None => None,
            Submission::Pasted(typing) | Submission::Entered(typing) => Some(&typing.text),
        }
    }

    /// The last ask that was to be typed, and whether its outcome is still to be reported.
    #[must_use]
    pub fn last_ask(&self) -> Option<(&AskId, bool)> {
        let ask = self.last_ask.as_ref()?;
        Some((ask, self.submission.types(ask) || self.turn_is_of(ask)))
    }

    /// Whether an ask could be typed now.
    pub(super) fn ready_for_ask(&self) -> Result<(), NotNow> {
        match self.end_stage {
            EndStage::None | EndStage::Nominated(_) => {}
            EndStage::Judging { .. }
            | EndStage::Undecided { .. }
            | EndStage::Frozen { .. }
            | EndStage::Ending => {
                return Err(NotNow::LettingGo);
            }
        }
        if self.submission.in_progress() {
            return Err(NotNow::AnotherAsk);
        }
        match &self.activity {
            Activity::Opening { .. } => return Err(NotNow::Opening),
            Activity::Working { .. } => return Err(NotNow::Working),
            Activity::Waiting { what, .. } => return Err(NotNow::Waiting(what.clone())),
            Activity::Idle { .. } => {}
        }
        if self.turn_since().is_some() {
            return Err(NotNow::Working);
        }
        if self.line.half_typed() {
            return Err(NotNow::HalfTyped);
        }
        if self.sent_until.is_some() {
            return Err(NotNow::JustSent);
        }
        if self.may_begin_a_turn() {
            return Err(NotNow::Working);
        }
        Ok(())
    }

    pub(super) fn submit(
        &mut self,
        ask: AskId,
        text: String,
        gap: Duration,
        now: Now,
        effects: &mut Vec<Effect>,
    ) {
        if self.last_ask.as_ref() == Some(&ask) {
            return;
        }
        if let Err(why) = self.ready_for_ask() {
            effects.push(Effect::NotNow { ask, why });
            return;
        }
        self.end_stage = EndStage::None; // an ask wins over a nomination
        self.interaction = now;
        self.last_ask = Some(ask.clone());
        self.submission = Submission::Pasted(Typing {
            ask,
            text: text.clone(),
            since: now.awake,
            gap,
            kept_back: Some(Vec::new()),
            worked: None,
            faced: None,
        });
        let strewn = self.line.is_strewn();
        if strewn {
            self.line.emptied();
        }
        effects.push(Effect::Type(if strewn { Keys::Replace(text) } else { Keys::Paste(text) }));
    }

    pub(super) fn submission_time(&mut self, now: Now, effects: &mut Vec<Effect>) {
        if !self.open_for_input() {
            return;
        }
        if matches!(self.activity, Activity::Waiting { .. }) {
            self.submission.still_faces(now.awake);
        }
        match &mut self.submission {
            Submission::None => {}
            Submission::Pasted(typing) => {
                if now.awake.since(typing.since) >= typing.gap {
                    if typing.faced.is_some() {
                        // Enter would answer the dialog.
                        self.give_up(now, effects);
                    } else {
                        self.submission = Submission::Entered(Typing { since: now.awake, ..typing.clone() });
                        effects.push(Effect::Type(Keys::Enter));
                    }
                }
            }
            Submission::Entered(typing) => {
                let waited = now.awake.since(typing.since);
                let proved = now.awake >= typing.proved_at();
                if proved && typing.worked.is_some() {
                    // The engine went to work on it, and the hook that should have said so is silent.
                    let text = typing.text.clone();
                    self.deaf = Some(now.wall);
                    self.prompt_taken(None, &text, Author::Person, now, effects);
                    if self.rests {
                        self.idle(now, effects);
                    }
                } else if proved {
                    self.give_up(now, effects);
                } else if waited >= KEPT_BACK_FOR
                    && let Some(bytes) = typing.kept_back.take()
                    && !bytes.is_empty()
                {
                    self.pass_input(bytes, now, effects);
                }
            }
        }
    }

    /// Gives up on a typed ask that wasn't taken. As far as is known its text is still in the input line, as
    /// nobody's text: the asker has it. An ask that a dialog received is typed again once the dialog is
    /// answered, but only once if the dialog received its Enter too: it may have come from the ask's own
    /// turn.
    fn give_up(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let (typing, entered) = match std::mem::replace(&mut self.submission, Submission::None) {
            Submission::None => return,
            Submission::Pasted(typing) => (typing, false),
            Submission::Entered(typing) => (typing, true),
        };
        self.line.strew();
        let ask = typing.ask;
        let again = entered && self.given_back.as_ref() == Some(&ask);
        effects.push(Effect::Tell(if typing.faced.is_some() && !again {
            self.last_ask = None;
            if entered {
                self.given_back = Some(ask.clone());
            }
            Fact::GivenBack { ask }
        } else {
            Fact::NotTaken { ask }
        }));
        if let Some(kept) = typing.kept_back.filter(|kept| !kept.is_empty()) {
            self.pass_input(kept, now, effects);
        }
    }
}

/// Compares ignoring white space: engines trim a prompt and may change its line ends.
fn same_text(asked: &str, taken: &str) -> bool {
    asked.split_whitespace().eq(taken.split_whitespace())
}
