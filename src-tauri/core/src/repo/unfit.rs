//! What speaks against taking a conversation up, in words.

use super::{Intent, Repo};
use crate::continuity::Reason;
use crate::conversation::{Loss, Owner};
use crate::ids::ConversationId;
use crate::trouble::{Code, Trouble};

impl Repo {
    pub(super) fn no_such_conversation(&self, id: &ConversationId) -> Trouble {
        Trouble::new(
            Code::NoSuchConversation,
            format!("This repo has no conversation {id}. Nothing was started."),
            [format!("List them: {}.", self.command("conversations"))],
        )
    }

    pub(super) fn cant_take_up(&self, id: &ConversationId, reason: &Reason) -> Trouble {
        Trouble::new(
            Code::NotResumable,
            format!("The conversation {id} can't be taken up: {}. Nothing was started.", reason.words()),
            [format!("List them: {}.", self.command("conversations"))],
        )
    }

    pub(super) fn cant_copy(&self, reason: &Reason) -> Trouble {
        Trouble::new(
            Code::NotResumable,
            format!("There is nothing to go on with in a copy: {}. Nothing was started.", reason.words()),
            [format!("Begin a new conversation: {}.", self.command("fresh"))],
        )
    }

    /// Who says that it is to be resumed doesn't mean a new one.
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

    pub(super) fn owned_trouble(&self, owner: &Owner) -> Trouble {
        let terminal = place(owner);
        Trouble::new(
            Code::OwnedElsewhere,
            format!(
                "This conversation is open in another {} (pid {}{terminal}). Two programs on one conversation would mix \
                 it up, so nothing was started.",
                self.engine.title, owner.pid
            ),
            match self.intent {
                // A copy isn't among what lifts a pause.
                Intent::Paused { .. } => vec![
                    format!("Close it there and try again: {}.", self.command("resume")),
                    format!("Or begin a new one here: {}.", self.command("fresh")),
                ],
                Intent::Open | Intent::Leaving { .. } => vec![
                    "Close it there and ask again.".into(),
                    format!("Or go on here with a copy: {}.", self.command("fork")),
                    format!("Or begin a new one here: {}.", self.command("fresh")),
                ],
            },
        )
    }

    /// Somebody opened the conversation elsewhere while it is live here.
    pub(super) fn second_writer(&self, owner: &Owner) -> Trouble {
        let terminal = place(owner);
        Trouble::new(
            Code::OwnedElsewhere,
            format!(
                "This conversation is also open in another {} (pid {}{terminal}). Two programs on one conversation mix \
                 it up, so nothing is asked here meanwhile.",
                self.engine.title, owner.pid
            ),
            [
                "Close it there; asks go on by themselves.".into(),
                format!("Or go on here with a copy: {}.", self.command("fork")),
                format!("Or begin a new one here: {}.", self.command("fresh")),
            ],
        )
    }
}

fn place(owner: &Owner) -> String {
    owner.terminal.as_ref().map_or(String::new(), |terminal| format!(" in {terminal}"))
}
