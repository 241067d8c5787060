//! What an end would lose: named to who ordered it, and told apart from what comes up afterwards.

use std::collections::BTreeSet;

use crate::hold::{self, Hold, Kind};
use crate::ids::AskId;
use crate::time::Wall;
use crate::words;

/// What an end would lose at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    holds: Vec<Hold>,
    begun: Vec<AskId>,
    unsent: Vec<AskId>,
}

impl Work {
    /// The work among these holds, and the asks that would stay unanswered: the `begun` ones, which the holder reports as
    /// one hold, and the `unsent` ones, which it doesn't know. It has that hold for an ask that merely waits as well.
    #[must_use]
    pub fn new(holds: &[Hold], begun: Vec<AskId>, unsent: Vec<AskId>) -> Self {
        let only_unsent = begun.is_empty() && !unsent.is_empty();
        let counts = |hold: &&Hold| hold.kind.is_work() && !(only_unsent && hold.kind == Kind::Ask);
        let holds = holds.iter().filter(counts).cloned().collect();
        Self { holds, begun, unsent }
    }

    /// Nothing would be lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.holds.is_empty() && self.begun.is_empty() && self.unsent.is_empty()
    }

    /// Whether some of it is for the user to see to.
    #[must_use]
    pub fn is_the_users(&self) -> bool {
        self.holds.iter().any(|hold| hold.kind.is_the_users())
    }

    /// Whether some of it goes on. Otherwise it only waits to be sent.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        !(self.holds.is_empty() && self.begun.is_empty())
    }

    /// Each piece in words that follow "this would lose".
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        hold::work(&self.holds).into_iter().chain(self.unsent_in_words()).collect()
    }

    /// The same of what was cut off: what nobody could see isn't told as if it had been there.
    pub(crate) fn words_of_what_was_seen(&self) -> Vec<String> {
        let seen: Vec<Hold> = self.holds.iter().filter(|hold| !hold.kind.is_unseen()).cloned().collect();
        hold::work(&seen).into_iter().chain(self.unsent_in_words()).collect()
    }

    /// What tells it from other work with the same words.
    #[must_use]
    pub fn named(&self) -> Named {
        Named(self.marked_holds().flat_map(marks).chain(self.asks().map(mark_of_ask)).collect())
    }

    /// The holds that a mark of their own tells apart. That an ask is under way is told by its id, if that is known.
    fn marked_holds(&self) -> impl Iterator<Item = &Hold> {
        self.holds.iter().filter(|hold| hold.kind != Kind::Ask || self.begun.is_empty())
    }

    fn asks(&self) -> impl Iterator<Item = &AskId> {
        self.begun.iter().chain(&self.unsent)
    }

    fn unsent_in_words(&self) -> Option<String> {
        match self.unsent.len() {
            0 => None,
            1 => Some("an unsent ask".into()),
            count => Some(format!("{count} unsent asks")),
        }
    }
}

/// Work that somebody was told of: a mark for each piece.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named(BTreeSet<String>);

impl Named {
    /// As [`Named::text`] gave it. Any other text names nothing that there is.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(text.lines().map(str::to_owned).collect())
    }

    /// As text that surfaces give back as it is, one line a piece. `None`: it names nothing.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.iter().map(String::as_str).collect::<Vec<_>>().join("\n"))
    }

    /// Whether all of `now` was named. What came up within a turn belongs to that turn, whether the turn itself or what
    /// it waited for was named.
    #[must_use]
    pub fn covers(&self, now: &Work) -> bool {
        let turn = now.holds.iter().filter_map(Hold::turn).any(|turn| self.0.contains(&mark_of_turn(turn)));
        let within = |hold: &Hold| match hold.kind {
            Kind::Background(_)
            | Kind::Wakeup(_)
            | Kind::Waiting(_)
            | Kind::Process(_)
            | Kind::Unknown(_) => turn,
            Kind::Turn | Kind::Ask | Kind::Typing | Kind::Client | Kind::Pinned | Kind::Unseen(_) => false,
        };
        now.marked_holds().all(|hold| self.has(hold) || within(hold))
            && now.asks().all(|ask| self.0.contains(&mark_of_ask(ask)))
    }

    /// The same with this pause, which an end that was refused for the rest would lift.
    pub(crate) fn with_pause(mut self, since: Wall) -> Self {
        self.0.insert(mark_of_pause(since));
        self
    }

    /// Whether this pause was named.
    pub(crate) fn has_pause(&self, since: Wall) -> bool {
        self.0.contains(&mark_of_pause(since))
    }

    /// Whether nothing of it goes on any more in an engine that lives, as it is seen `now`. What waits for somebody may be
    /// any turn, if it doesn't say which; of what can't be seen no end is seen either.
    #[must_use]
    pub fn is_over(&self, now: &Work) -> bool {
        let any_turn = |hold: &Hold| matches!(hold.kind, Kind::Waiting(_)) && hold.turn.is_none();
        let goes_on = now.marked_holds().any(|hold| any_turn(hold) || self.has(hold))
            || now.asks().any(|ask| self.0.contains(&mark_of_ask(ask)))
            || self.0.contains(UNSEEN);
        !goes_on
    }

    /// The part of the work that was named, as it is seen `now`.
    #[must_use]
    pub fn left(&self, now: &Work) -> Work {
        let named = |asks: &[AskId]| -> Vec<AskId> {
            asks.iter().filter(|ask| self.0.contains(&mark_of_ask(ask))).cloned().collect()
        };
        let (begun, unsent) = (named(&now.begun), named(&now.unsent));
        let is_left = |hold: &&Hold| {
            let told_by_id = hold.kind == Kind::Ask && !now.begun.is_empty();
            if told_by_id { !begun.is_empty() } else { self.has(hold) }
        };
        let holds = now.holds.iter().filter(is_left).cloned().collect();
        Work { holds, begun, unsent }
    }

    fn has(&self, hold: &Hold) -> bool {
        marks(hold).any(|mark| self.0.contains(&mark))
    }
}

/// The refusal of an end that would lose this, in a sentence. `ending` names the order: "Pausing".
#[must_use]
pub fn would_be_lost(ending: &str, work: &Work) -> String {
    format!("{ending} now would lose work: {}.", words::list(&work.words()))
}

/// What can't be seen has no beginning either.
const UNSEEN: &str = "unseen";

/// Its own mark, and that of the turn that it came up in.
fn marks(hold: &Hold) -> impl Iterator<Item = String> {
    let own = match &hold.kind {
        Kind::Turn => None,
        Kind::Unseen(_) => Some(UNSEEN.to_owned()),
        // Since when and why it counts as work may change while it is the same.
        Kind::Process(resident) => Some(format!("process {} {}", resident.pid, resident.start)),
        kind @ (Kind::Background(_)
        | Kind::Wakeup(_)
        | Kind::Waiting(_)
        | Kind::Ask
        | Kind::Typing
        | Kind::Client
        | Kind::Pinned
        | Kind::Unknown(_)) => {
            let detail = kind.detail().replace(char::is_control, " ");
            Some(format!("{} {} {detail}", kind.code(), hold.since.0))
        }
    };
    own.into_iter().chain(hold.turn().map(mark_of_turn))
}

fn mark_of_turn(since: Wall) -> String {
    format!("turn {}", since.0)
}

fn mark_of_pause(since: Wall) -> String {
    format!("paused {}", since.0)
}

fn mark_of_ask(ask: &AskId) -> String {
    format!("asked {ask}").replace(char::is_control, " ")
}

/// What becomes of an order to end that would lose work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OnWork {
    /// It is refused, and the work named.
    Refuse,
    /// Work that was named before is cut off. If there is other work by then it is refused, and all of it named.
    InterruptAtMost(Named),
    /// Whatever there is is cut off.
    Interrupt,
}

impl OnWork {
    /// Whether an end that loses this goes on.
    #[must_use]
    pub fn allows(&self, work: &Work) -> bool {
        match self {
            Self::Refuse => work.is_empty(),
            Self::InterruptAtMost(named) => named.covers(work),
            Self::Interrupt => true,
        }
    }

    /// Whether an order that may cut off this may also lift a pause since then. Whoever was told what would be lost
    /// before somebody paused the repo didn't mean that.
    pub(crate) fn lifts(&self, since: Wall) -> bool {
        match self {
            Self::Refuse | Self::Interrupt => true,
            Self::InterruptAtMost(named) => named.has_pause(since),
        }
    }

    /// Whether the holder is to freeze although there is work: what it says of it is judged again.
    pub(crate) fn freezes_work(&self) -> bool {
        match self {
            Self::Refuse => false,
            Self::InterruptAtMost(_) | Self::Interrupt => true,
        }
    }

    /// Whether any work may be cut off.
    pub(crate) fn is_any(&self) -> bool {
        match self {
            Self::Refuse | Self::InterruptAtMost(_) => false,
            Self::Interrupt => true,
        }
    }

    /// The same word for an end that was judged to lose this work.
    pub(crate) fn narrowed_to(self, work: &Work) -> Self {
        match self {
            Self::Refuse if work.is_empty() => Self::Refuse,
            Self::Refuse | Self::InterruptAtMost(_) => Self::InterruptAtMost(work.named()),
            Self::Interrupt => Self::Interrupt,
        }
    }
}

/// `true`: the user said that work may be lost, whatever it is.
impl From<bool> for OnWork {
    fn from(interrupt: bool) -> Self {
        if interrupt { Self::Interrupt } else { Self::Refuse }
    }
}

#[cfg(test)]
mod tests;
