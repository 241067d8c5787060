//! Refusals to open a conversation or to pause it, and what happens to one after a fault, in words.

use super::{How, Intent, Repo};
use crate::ask::{Ask, Stage};
use crate::continuity::Reason;
use crate::conversation::{Keeps, Loss, Owner};
use crate::ids::ConversationId;
use crate::session::{Activity, View};
use crate::trouble::{Code, Trouble};
use crate::words;

/// What to say about the conversation of an engine that ended during a turn.
const KEPT: &str = " The conversation is kept as far as it got.";

/// The refusal of what names a conversation that the repo doesn't have. `called` is the repo's name as a
/// shell takes it.
#[must_use]
pub fn no_such_conversation(called: &str, id: &ConversationId) -> Trouble {
    Trouble::new(
        Code::NoSuchConversation,
        format!("This repo has no conversation {id}. Nothing was started."),
        [format!("List them: `repose conversations {called}`.")],
    )
}

impl Repo {
    pub(super) fn cant_take_up(&self, id: &ConversationId, reason: &Reason) -> Trouble {
        Trouble::new(
            Code::NotResumable,
            format!("The conversation {id} can't be taken up: {}. Nothing was started.", reason.words()),
            [format!("List them: {}.", self.command("conversations"))],
        )
    }

    pub(super) fn cant_fork(&self, reason: &Reason) -> Trouble {
        Trouble::new(
            Code::NotResumable,
            format!("There is nothing to go on with in a copy: {}. Nothing was started.", reason.words()),
            std::iter::once(format!("Begin a new conversation: {}.", self.command("fresh"))).chain(
                self.engine.forks.then(|| {
                    format!(
                        "Or go on with a copy of one that {} lists: `repose fork {} --conversation ID`.",
                        self.command("conversations"),
                        self.called
                    )
                }),
            ),
        )
    }

    /// The refusal of Resume: whoever orders it doesn't want a new conversation instead.
    pub(super) fn would_be_lost(&self, loss: &Loss) -> Trouble {
        Trouble::new(
            Code::NotResumable,
            format!("{}. Nothing was started.", loss.words()),
            [
                loss.hint(),
                format!("Or begin a new one, and keep this one as it is: {}.", self.command("fresh")),
            ],
        )
    }

    pub(super) fn would_be_lost_paused(&self, loss: &Loss) -> Trouble {
        Trouble::new(
            Code::NotResumable,
            format!("A pause would be a one-way trip: {}. The process was left alone.", loss.words()),
            [loss.hint(), format!("Or end it for good: {}.", self.command("stop"))],
        )
    }

    pub(super) fn not_resumable(&self) -> Trouble {
        let title = &self.engine.title;
        let end = |verb| format!("End it for good: {}.", self.command(verb));
        let (why, hints) = if !self.engine.keeps_conversations {
            (format!("{title} keeps no conversation, so it couldn't be resumed"), vec![end("stop")])
        } else if self.has_begun_a_turn() {
            let why =
                format!("{title} hasn't written to disk yet what it was asked, so it couldn't be resumed");
            let wait = "Wait until it has answered, and pause it then.".to_owned();
            (why, vec![wait, end("stop --interrupt")])
        } else {
            let why = "nothing was asked in this conversation yet, so there is nothing that could be resumed";
            (why.to_owned(), vec![end("stop")])
        };
        Trouble::new(
            Code::NotResumable,
            format!("A pause would be a one-way trip: {why}. The process was left alone."),
            hints,
        )
    }

    /// Whether something was asked of the live engine that it hasn't answered.
    fn has_begun_a_turn(&self) -> bool {
        let works = |view: &View| match view.activity {
            Activity::Working { .. } | Activity::Waiting { .. } => true,
            Activity::Opening { .. } | Activity::Idle { .. } => false,
        };
        let begun = |ask: &Ask| match ask.stage {
            Stage::Submitted(_) | Stage::Taken { .. } => true,
            Stage::Waiting | Stage::Over(_) => false,
        };
        self.view().is_some_and(works) || self.asks.iter().any(begun)
    }

    /// The refusal of Resume: the file may be brought back. While the repo isn't paused, the next ask doesn't wait for
    /// that.
    pub(super) fn file_lost(&self, reason: &Reason) -> Trouble {
        let anew = match self.intent {
            Intent::Paused { .. } => format!("Or begin a new conversation: {}.", self.command("fresh")),
            Intent::Open | Intent::Ending { .. } => {
                format!("Or begin a new conversation: {}; so does the next ask.", self.command("fresh"))
            }
        };
        Trouble::new(
            Code::NotResumable,
            format!("It can't be resumed: {}. Nothing was started.", reason.words()),
            [format!("Bring the file back, and try again: {}.", self.command("resume")), anew],
        )
    }

    /// The refusal to open a conversation that another program has open. `wanted`: its id, if it was given.
    pub(super) fn owned_trouble(&self, owner: &Owner, wanted: Option<&ConversationId>) -> Trouble {
        let terminal = place(owner);
        Trouble::new(
            Code::OwnedElsewhere,
            format!(
                "This conversation is open in another {} (pid {}{terminal}). Two programs on one conversation would mix \
                 it up, so nothing was started.",
                self.engine.title, owner.pid
            ),
            self.elsewhere_hints(
                match self.intent {
                    Intent::Paused { .. } => {
                        format!("Close it there and try again: {}.", self.command_on("resume", wanted))
                    }
                    Intent::Open | Intent::Ending { .. } => "Close it there and ask again.".into(),
                },
                wanted,
            ),
        )
    }

    /// The trouble when somebody opens the conversation elsewhere while it is live here.
    pub(super) fn second_writer_trouble(&self, owner: &Owner) -> Trouble {
        let terminal = place(owner);
        Trouble::new(
            Code::OwnedElsewhere,
            format!(
                "This conversation is also open in another {} (pid {}{terminal}). Two programs on one conversation mix \
                 it up, so nothing is asked here meanwhile.",
                self.engine.title, owner.pid
            ),
            self.elsewhere_hints(
                "Close it there, and ask again; what waits in the queue is sent then.".into(),
                None,
            ),
        )
    }

    /// What can be done about a conversation that is open in another program.
    fn elsewhere_hints(&self, close: String, wanted: Option<&ConversationId>) -> Vec<String> {
        let copy = || match self.intent {
            Intent::Paused { .. } => self.fork_after_pause(wanted),
            Intent::Open | Intent::Ending { .. } => {
                format!("Or go on here with a copy: {}.", self.command_on("fork", wanted))
            }
        };
        let fresh = format!("Or begin a new one here: {}.", self.command("fresh"));
        std::iter::once(close).chain(self.engine.forks.then(copy)).chain([fresh]).collect()
    }

    /// The hint to open a copy. While the repo is paused, the pause has to be lifted first.
    pub(super) fn fork_after_pause(&self, wanted: Option<&ConversationId>) -> String {
        let (stop, fork) = (self.command("stop"), self.command_on("fork", wanted));
        format!("Or lift the pause, and go on here with a copy: {stop}, then {fork}.")
    }

    /// The trouble of an ask that will never be answered. `how`: how the engine ended, if known.
    pub(super) fn engine_ended(&self, how: Option<&How>) -> Trouble {
        let last = match how {
            Some(How::Exited { words, .. }) => format!(" {words}"),
            Some(How::HolderDied) => " The process that keeps it died.".into(),
            Some(How::NotStarted(_) | How::Ended) | None => String::new(),
        };
        let title = &self.engine.title;
        let (kept, hint) = match self.keeps() {
            Keeps::PickedUp => (KEPT, "Ask again: it is picked up where it stands.".to_owned()),
            Keeps::Listed(loss) => (KEPT, format!("Ask again: a new one is started. {}", loss.kept())),
            Keeps::Nothing => ("", "Ask again: a new one is started.".to_owned()),
        };
        let told = words::sentence(&format!("{title} ended before it answered.{kept}{last}"));
        Trouble::new(Code::EngineEnded, told, [hint])
    }

    pub(super) fn turn_failed(&self, error: &str) -> Trouble {
        // Its process lives on with the conversation in it, whatever a later open may do.
        let hint = match self.keeps() {
            Keeps::PickedUp | Keeps::Listed(_) => {
                "Ask again once the cause is gone; the conversation is kept."
            }
            Keeps::Nothing => "Ask again once the cause is gone.",
        };
        // Whatever it wants, such as a login, is done in its terminal.
        let look = format!("If it wants something of you, do it in its terminal: {}.", self.command("open"));
        Trouble::new(Code::TurnFailed, format!("The turn failed: {}", words::line(error)), [hint, &look])
    }
}

fn place(owner: &Owner) -> String {
    owner.terminal.as_ref().map_or(String::new(), |terminal| format!(" in {terminal}"))
}

/// The answer to whoever still waited when the repo was stopped.
pub(super) fn stopped() -> Trouble {
    Trouble::new(
        Code::Stopped,
        "The repo was stopped before this was asked.",
        ["Ask again when you come back to it."],
    )
}

/// The answer to whoever still waited when the repo was removed.
pub(super) fn ask_of_removed() -> Trouble {
    Trouble::new(
        Code::Removed,
        "Somebody removed this repo from Repose before the ask was answered.",
        ["Add it again: `repose add`, and ask again. Its conversations are still there."],
    )
}

/// The trouble of processes that are left after an end.
pub(super) fn left_behind(left: &[String]) -> Trouble {
    Trouble::new(
        Code::LeftBehind,
        format!("After the end of the engine these processes are still there: {}.", words::list(left)),
        ["Look at them, and end them by hand.", "Check again: `repose doctor`."],
    )
}
