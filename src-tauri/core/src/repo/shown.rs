//! What is shown of a repo.

use super::asks::waits_in_vain;
use super::{Before, Freed, Intent, Process, Repo};
use crate::ask::{Ask, Stage};
use crate::budget::Standing;
use crate::continuity::Continuity;
use crate::conversation::{Conversation, Keeps, Owner};
use crate::hold;
use crate::session::{Activity, NotNow, View};
use crate::time::{Now, Wall};
use crate::trouble::{Code, Kind, Trouble};
use crate::words;

/// The state of a repo, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It has no engine; the next request that needs one opens it.
    Asleep,
    /// An engine is being started.
    Opening,
    /// An engine waits for a prompt.
    Ready,
    /// The engine works.
    Working,
    /// The engine waits for somebody's decision.
    Waiting,
    /// The user paused it or all repos, which prevents it from opening.
    Paused,
    /// Something that it needs is missing.
    Offline,
}

/// Whether a repo has an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It has none.
    None,
    /// A check is running whether one can be opened.
    Coming,
    /// It has one, possibly one that is ending.
    There,
}

impl State {
    /// The state's name, the same on every surface.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asleep => "asleep",
            Self::Opening => "opening",
            Self::Ready => "ready",
            Self::Working => "working",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Offline => "offline",
        }
    }

    /// Whether the repo has an engine process in this state.
    #[must_use]
    pub fn is_live(self) -> bool {
        match self {
            Self::Opening | Self::Ready | Self::Working | Self::Waiting => true,
            Self::Asleep | Self::Paused | Self::Offline => false,
        }
    }
}

impl Repo {
    /// The repo's state. Paused takes precedence over offline, offline over live, live over asleep.
    #[must_use]
    pub fn state(&self) -> State {
        if self.is_paused() {
            return State::Paused;
        }
        let view = match &self.process {
            Process::None => {
                let offline =
                    self.offline.as_ref().is_some_and(|trouble| trouble.code.kind() == Kind::Offline);
                return if offline { State::Offline } else { State::Asleep };
            }
            // Only an idle engine is let go, and it is there until its tree is gone.
            Process::Reaping { .. } => return State::Ready,
            Process::Checking { .. } => return State::Opening,
            // It may look idle for a moment before its confirmation is heard. Only a dialog is answered
            // before that.
            Process::Opening { view: Some(View { activity: Activity::Waiting { .. }, .. }), .. } => {
                return State::Waiting;
            }
            Process::Opening { .. } => return State::Opening,
            Process::Live { .. } | Process::Ending { .. } => self.view(),
        };
        match view.map(|view| &view.activity) {
            None | Some(Activity::Opening { .. }) => State::Opening,
            Some(Activity::Idle { .. }) => State::Ready,
            Some(Activity::Working { .. }) => State::Working,
            Some(Activity::Waiting { .. }) => State::Waiting,
        }
    }

    /// Since when the repo has been in its state. `None`: since before this runner started.
    #[must_use]
    pub fn since(&self) -> Option<Wall> {
        if let Intent::Paused { since } = self.intent {
            return Some(since);
        }
        let told = self.view().and_then(|view| match view.activity {
            // `since` starts over at the confirmation; people count from the first moment.
            Activity::Opening { .. } => None,
            Activity::Idle { since } | Activity::Working { since, .. } | Activity::Waiting { since, .. } => {
                Some(since.wall)
            }
        });
        told.or(self.seen.1)
    }

    /// What the last end cut off, in words, until the next open has named it.
    #[must_use]
    pub fn interrupted(&self) -> &[String] {
        &self.interrupted
    }

    /// Notes a change of the state, and when it happened.
    pub(super) fn note_state_change(&mut self, now: Now) {
        let state = self.state();
        if self.seen.0 != state {
            self.seen = (state, Some(now.wall));
        }
    }

    /// The view of its session, while it has one.
    #[must_use]
    pub fn view(&self) -> Option<&View> {
        match &self.process {
            Process::Opening { view, .. } | Process::Live { view, .. } => view.as_ref(),
            Process::Ending { before: Before::Opening { view, .. } | Before::Live { view }, .. } => {
                view.as_ref()
            }
            Process::None | Process::Checking { .. } | Process::Reaping { .. } => None,
        }
    }

    /// Whether the repo has an engine, or is about to.
    #[must_use]
    pub fn presence(&self) -> Presence {
        match &self.process {
            Process::None => Presence::None,
            Process::Checking { .. } => Presence::Coming,
            Process::Opening { .. }
            | Process::Live { .. }
            | Process::Ending { .. }
            | Process::Reaping { .. } => Presence::There,
        }
    }

    /// Whether its engine may be let go early.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match &self.process {
            Process::Reaping { .. } | Process::Ending { stage: super::OrderStage::Committed { .. }, .. } => {
                Standing::Ending
            }
            Process::Live { view: Some(view), .. } => {
                let idle = matches!(view.activity, Activity::Idle { .. });
                let reachable = self.unreachable().is_none();
                if idle && reachable && view.holds.is_empty() && !view.frozen && !self.ask_lease() {
                    // Nobody says that it was used less than others.
                    Standing::Free(view.used.unwrap_or(self.at.awake))
                } else {
                    Standing::Held
                }
            }
            Process::None
            | Process::Checking { .. }
            | Process::Opening { .. }
            | Process::Live { view: None, .. }
            | Process::Ending { stage: super::OrderStage::Judging { .. }, .. } => Standing::Held,
        }
    }

    /// Whether a terminal may be attached now, and to which session's engine. `None`: there is no engine yet.
    ///
    /// # Errors
    /// The trouble that prevents attaching.
    pub fn attachable(&self) -> Result<Option<&crate::ids::SessionId>, Trouble> {
        match self.shut().or_else(|| self.unreachable().cloned()) {
            Some(trouble) => Err(trouble),
            None => Ok(self.session()),
        }
    }

    /// The statement of the last open.
    #[must_use]
    pub fn continuity(&self) -> Option<&Continuity> {
        self.continuity.as_ref()
    }

    /// Its current conversation. None after a change of the engine, until the new one has one.
    #[must_use]
    pub fn conversation(&self) -> Option<&Conversation> {
        self.conversation.as_ref().filter(|current| current.engine == self.engine.name)
    }

    /// What happens to its conversation once its process has ended.
    #[must_use]
    pub fn keeps(&self) -> Keeps {
        self.engine.keeps(self.loss.as_ref())
    }

    /// Until when the next open resumes its conversation without being told to. `None`: it won't.
    #[must_use]
    pub fn picked_up_until(&self) -> Option<Wall> {
        let current = self.conversation().filter(|current| self.keeps().brings_back(current))?;
        let last = current.last_turn.filter(|_| !self.fresh_next)?;
        Some(last.after(self.policy.resume_within))
    }

    /// The memory that the last end gave back, while no engine is live.
    #[must_use]
    pub fn freed(&self) -> Option<Freed> {
        self.freed.filter(|_| self.session().is_none())
    }

    /// The asks that aren't over.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.asks.iter()
    }

    /// Why this ask waits and when it will stop waiting, in a sentence. `None`: it doesn't wait, or nothing
    /// prevents it.
    #[must_use]
    pub fn waits_because(&self, ask: &Ask) -> Option<String> {
        if ask.stage != Stage::Waiting {
            return None;
        }
        if let Some(why) = self.shut_to(ask) {
            let word = if matches!(self.intent, Intent::Paused { .. }) { "Resume" } else { "Resume all" };
            return Some(format!("{}: it is sent after {word}.", why.code.title()));
        }
        // However many asks are before it, the first thing that is missing is somebody's answer.
        if let Process::Live {
            view: Some(View { ready_for_ask: Err(why @ NotNow::Waiting(_)), .. }), ..
        } = &self.process
        {
            return Some(why.sentence());
        }
        if self.asks.front().is_some_and(|first| first.id != ask.id) {
            return Some("It is sent after the asks before it.".into());
        }
        if self.second_writer.is_some() {
            return Some("Its conversation is open elsewhere too; it is sent once that is closed.".into());
        }
        if self.unreachable().is_some_and(|trouble| trouble.code == Code::NotAnswering) {
            return Some(
                "The process that keeps the agent doesn't answer; it is sent once that does.".into(),
            );
        }
        match &self.process {
            Process::None => Some(match &self.offline {
                Some(trouble) => format!("{} It is sent once that has changed.", trouble.sentence),
                None => NotNow::Opening.sentence(),
            }),
            Process::Checking { .. } | Process::Opening { .. } => Some(NotNow::Opening.sentence()),
            Process::Ending { .. } | Process::Reaping { .. } => Some(NotNow::LettingGo.sentence()),
            Process::Live { view: None, .. } => Some(NotNow::Opening.sentence()),
            Process::Live { view: Some(view), .. } => match &view.ready_for_ask {
                Err(why) => Some(why.sentence()),
                Ok(()) if ask.fresh && !hold::work(&view.holds).is_empty() => Some(format!(
                    "It begins a new conversation once nothing would be lost by that: {}.",
                    words::list(&hold::work(&view.holds))
                )),
                Ok(()) => None,
            },
        }
    }

    /// The program outside Repose that has the current conversation open.
    #[must_use]
    pub fn owner(&self) -> Option<&Owner> {
        self.owner.as_ref()
    }

    /// Whether the repo opens as soon as its owner lets go of the conversation. A check only finds out whether it has.
    #[must_use]
    pub fn opens_when_free(&self) -> bool {
        match self.process {
            Process::None | Process::Checking { .. } => self.when_free,
            Process::Opening { .. }
            | Process::Live { .. }
            | Process::Ending { .. }
            | Process::Reaping { .. } => false,
        }
    }

    /// What keeps it from opening now kept it from that when somebody needed it, and it couldn't have been opened since.
    #[must_use]
    pub fn needed_in_vain(&self) -> bool {
        self.offline.as_ref().is_some_and(|trouble| self.in_vain.contains(&trouble.code))
    }

    /// How many asks wait.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.asks.iter().filter(|ask| ask.stage == Stage::Waiting).count()
    }

    /// Whether the user pinned the repo.
    #[must_use]
    pub fn pinned(&self) -> bool {
        self.pinned
    }

    /// Whether the session should be held for an ask. An ask that wants a new conversation doesn't hold the
    /// old one, and neither do the asks behind it. One that merely waits doesn't prevent an end that keeps it.
    #[must_use]
    pub fn ask_lease(&self) -> bool {
        let kept = |ask: &Ask| match &self.process {
            Process::Ending { order, .. } => !waits_in_vain(ask, &order.purpose),
            Process::None
            | Process::Checking { .. }
            | Process::Opening { .. }
            | Process::Live { .. }
            | Process::Reaping { .. } => false,
        };
        self.asks.front().is_some_and(|next| next.stage != Stage::Waiting || !(next.fresh || kept(next)))
    }

    /// What is wrong with the repo now.
    #[must_use]
    pub fn trouble(&self) -> Option<&Trouble> {
        let of_session = self.view().and_then(|view| view.trouble.as_ref());
        // Whoever was refused for a lack of places was told so; it is of the repo while something waits for one.
        let waits = self.when_free || self.next_ask().is_some();
        let offline = self.offline.as_ref().filter(|trouble| trouble.code != Code::MaxLive || waits);
        self.second_writer.as_ref().or(of_session).or(offline)
    }

    pub(super) fn is_paused(&self) -> bool {
        match self.intent {
            Intent::Paused { .. } => true,
            Intent::Open | Intent::Ending { .. } => false,
        }
    }

    /// What the user wants of the repo.
    #[must_use]
    pub fn intent(&self) -> &Intent {
        &self.intent
    }
}
