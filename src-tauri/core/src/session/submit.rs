//! Typing an ask: paste, a pause, Enter, and then the engine's own proof that it took the text.
//!
//! Between paste and proof, input from attached terminals is kept back, so that nothing is mixed into the
//! prompt. Whoever typed doesn't wait for an ask that can't be sent: the ask then waits for them.

use std::time::Duration;

use super::{Activity, Effect, EndStage, Fact, HOOKS_WITHIN, Keys, NotNow, Session};
use crate::ids::AskId;
use crate::signal::{Author, Wait};
use crate::time::{Awake, Now};

/// An ask without proof after this counts as not taken. A busy machine starts the engine's hook late.
const PROOF_WITHIN: Duration = Duration::from_secs(20);

/// Input from attached terminals is kept back for no longer than this. If the ask isn't sent by then, it is
/// given back.
const KEPT_BACK_FOR: Duration = Duration::from_secs(2);

/// At most this many bytes of input are kept back. The rest is dropped, as by a terminal whose program
/// doesn't read.
const KEPT_BACK_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Submission {
    None,
    /// Its text is to be pasted.
    Pasted(Typing),
    /// It is to be sent once the text stands in the input line.
    Entered(Typing),
    /// Enter went out, and the engine may have taken the text.
    Sent(Typing),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Typing {
    ask: AskId,
    text: String,
    since: Awake,
    /// How long the engine needs between paste and Enter.
    gap: Duration,
    /// Input that is kept back. `None`: it was kept back long enough and passes.
    kept_back: Option<Kept>,
    /// When the engine was first seen at work after the text was sent.
    worked: Option<Awake>,
    /// When a dialog was last seen between paste and proof: it received what was typed.
    faced: Option<Awake>,
}

/// Input that is kept back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Kept {
    bytes: Vec<u8>,
    /// When the first of it arrived.
    since: Option<Awake>,
}

/// An ask that was taken.
pub(super) struct Taken {
    pub(super) id: AskId,
    pub(super) kept_back: Vec<u8>,
}

impl Submission {
    /// Keeps back the bytes if input is kept back now; otherwise returns them.
    pub(super) fn keep_back(&mut self, bytes: Vec<u8>, now: Awake) -> Option<Vec<u8>> {
        let Some(kept) = self.typing_mut().and_then(|typing| typing.kept_back.as_mut()) else {
            return Some(bytes);
        };
        let room = KEPT_BACK_BYTES.saturating_sub(kept.bytes.len());
        kept.bytes.extend(bytes.into_iter().take(room));
        kept.since = kept.since.or(Some(now));
        None
    }

    fn typing(&self) -> Option<&Typing> {
        match self {
            Self::None => None,
            Self::Pasted(typing) | Self::Entered(typing) | Self::Sent(typing) => Some(typing),
        }
    }

    fn typing_mut(&mut self) -> Option<&mut Typing> {
        match self {
            Self::None => None,
            Self::Pasted(typing) | Self::Entered(typing) | Self::Sent(typing) => Some(typing),
        }
    }

    /// The ask whose text this prompt proves to be taken.
    pub(super) fn take(&mut self, prompt: &str) -> Option<Taken> {
        let typing = self.typing_mut()?;
        if !same_text(&typing.text, prompt) {
            return None;
        }
        let kept_back = typing.kept_back.take().unwrap_or_default().bytes;
        let taken = Taken { id: typing.ask.clone(), kept_back };
        *self = Self::None;
        Some(taken)
    }

    /// Whether input is kept back now.
    pub(super) fn keeps_back(&self) -> bool {
        self.typing().is_some_and(|typing| typing.kept_back.is_some())
    }

    /// The text that was sent and isn't proved yet.
    pub(super) fn sent(&self) -> Option<&str> {
        match self {
            Self::None | Self::Pasted(_) | Self::Entered(_) => None,
            Self::Sent(typing) => Some(&typing.text),
        }
    }

    /// The engine is at work, and no hook has said on what.
    pub(super) fn works(&mut self, now: Awake) {
        match self {
            Self::None | Self::Pasted(_) | Self::Entered(_) => {}
            Self::Sent(typing) => typing.worked = typing.worked.or(Some(now)),
        }
    }

    /// A dialog came up. A permission doesn't count: only a running turn asks for one. True if it is news.
    pub(super) fn faces(&mut self, what: &Wait, now: Awake) -> bool {
        let Some(typing) = self.typing_mut() else { return false };
        match what {
            Wait::Choice(_) | Wait::Trust => typing.faced.replace(now).is_none(),
            Wait::Permission(_) => false,
        }
    }

    /// The dialog is still there: what follows it shows whether it was the turn's own.
    pub(super) fn still_faces(&mut self, now: Awake) {
        match self {
            Self::None | Self::Pasted(_) | Self::Entered(_) => {}
            Self::Sent(typing) => typing.faced = typing.faced.map(|_| now),
        }
    }

    /// A hook said that the engine works on something else.
    pub(super) fn works_on_another(&mut self) {
        match self {
            Self::None | Self::Pasted(_) | Self::Entered(_) => {}
            Self::Sent(typing) => typing.worked = None,
        }
    }

    /// The session was frozen and goes on: the times for the proof and for input that is kept back start over.
    pub(super) fn goes_on(&mut self, now: Awake) {
        if let Some(typing) = self.typing_mut() {
            typing.since = now;
            if let Some(kept) = &mut typing.kept_back {
                kept.since = kept.since.map(|_| now);
            }
        }
    }

    fn types(&self, ask: &AskId) -> bool {
        self.typing().is_some_and(|typing| typing.ask == *ask)
    }

    pub(super) fn in_progress(&self) -> bool {
        self.typing().is_some()
    }

    pub(super) fn next_wake(&self) -> Option<Awake> {
        match self {
            Self::None => None,
            Self::Pasted(typing) => Some(typing.since.after(typing.gap)),
            Self::Entered(typing) => {
                [typing.yields_at(), Some(typing.proved_at())].into_iter().flatten().min()
            }
            Self::Sent(typing) => [typing.passes_at(), Some(typing.proved_at())].into_iter().flatten().min(),
        }
    }
}

impl Typing {
    /// When somebody has waited for long enough for their input to reach the engine. `None`: nobody waits.
    fn yields_at(&self) -> Option<Awake> {
        let since = self.kept_back.as_ref().and_then(|kept| kept.since);
        since.map(|since| since.after(KEPT_BACK_FOR))
    }

    /// When input passes again after it was sent. `None`: it does already.
    fn passes_at(&self) -> Option<Awake> {
        self.kept_back.as_ref()?;
        let passes = self.since.after(KEPT_BACK_FOR);
        Some(self.yields_at().map_or(passes, |yields| yields.min(passes)))
    }

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
        self.submission.typing().map(|typing| typing.text.as_str())
    }

    /// The same text, if Enter went out.
    #[must_use]
    pub fn sent_text(&self) -> Option<&str> {
        self.submission.sent()
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
            kept_back: Some(Kept::default()),
            worked: None,
            faced: None,
        });
        let strewn = self.line.is_strewn();
        if strewn {
            self.line.emptied();
        }
        effects.push(Effect::Type(if strewn { Keys::Replace(text) } else { Keys::Paste(text) }));
    }

    /// Enter went out, or with the ends of unmarked lines the same as Enter.
    pub(super) fn sent(&mut self, now: Now, effects: &mut Vec<Effect>) {
        self.submission = match std::mem::replace(&mut self.submission, Submission::None) {
            Submission::Pasted(typing) => {
                effects.push(Effect::Type(Keys::Enter));
                Submission::Sent(Typing { since: now.awake, ..typing })
            }
            Submission::Entered(typing) => Submission::Sent(Typing { since: now.awake, ..typing }),
            known @ (Submission::None | Submission::Sent(_)) => known,
        };
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
                let due = [typing.yields_at(), Some(typing.proved_at())];
                // Enter would answer the dialog.
                if typing.faced.is_some() || due.into_iter().flatten().any(|due| due <= now.awake) {
                    self.give_up(now, effects);
                }
            }
            Submission::Sent(typing) => {
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
                } else if typing.passes_at().is_some_and(|at| at <= now.awake)
                    && let Some(Kept { bytes, .. }) = typing.kept_back.take()
                    && !bytes.is_empty()
                {
                    self.pass_input(bytes, now, effects);
                }
            }
        }
    }

    /// Gives up on an ask that wasn't taken. If its text is still in the input line, it is nobody's text: the
    /// asker has it. The ask is typed again later if that can't make two of it: if it wasn't sent and somebody
    /// types, and if a dialog received it. That happens only once if the dialog received its Enter too: it may
    /// have come from the ask's own turn.
    fn give_up(&mut self, now: Now, effects: &mut Vec<Effect>) {
        let (typing, sent) = match std::mem::replace(&mut self.submission, Submission::None) {
            Submission::None => return,
            Submission::Pasted(typing) | Submission::Entered(typing) => (typing, false),
            Submission::Sent(typing) => (typing, true),
        };
        self.line.strew();
        let Typing { ask, kept_back, faced, .. } = typing;
        let kept = kept_back.unwrap_or_default().bytes;
        let yields = !sent && !kept.is_empty();
        let again = sent && self.given_back.as_ref() == Some(&ask);
        effects.push(Effect::Tell(if (faced.is_some() || yields) && !again {
            self.last_ask = None;
            if sent {
                self.given_back = Some(ask.clone());
            }
            Fact::GivenBack { ask }
        } else {
            Fact::NotTaken { ask }
        }));
        if !kept.is_empty() {
            self.pass_input(kept, now, effects);
        }
    }
}

/// Compares ignoring white space: engines trim a prompt and may change its line ends.
fn same_text(asked: &str, taken: &str) -> bool {
    asked.split_whitespace().eq(taken.split_whitespace())
}
