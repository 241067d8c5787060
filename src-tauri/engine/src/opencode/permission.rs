//! A permission that OpenCode asks for, and the answer that its server takes (seen with 1.18.33).
//!
//! Its dialog closes with that answer. One to a permission that was answered before changes nothing.

use repose_core::decision::{Choice, ChoiceKind, Pick, Question};
use repose_core::ids::ConversationId;
use repose_core::signal::Wait;
use repose_core::words;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::decide::{self, ALLOW, DENY};
use crate::feed::Reply;
use crate::transcript::one_line;

/// The most characters of a request, which has to fit a sentence.
const WHAT_MAX: usize = 200;

/// The tools whose patterns are less than what they do: it is in the request's other data.
const COMMAND: &str = "bash";
const CHANGE: &str = "edit";

/// A permission that is asked for.
#[derive(Deserialize)]
pub(super) struct Permission {
    pub(super) id: String,
    #[serde(rename = "sessionID")]
    pub(super) session: String,
    #[serde(default)]
    permission: String,
    #[serde(default)]
    patterns: Vec<String>,
    #[serde(default)]
    metadata: Value,
}

impl Permission {
    pub(super) fn wait(&self) -> Wait {
        let what = one_line(&self.patterns.join(" "), WHAT_MAX);
        Wait::Permission(match self.permission.as_str() {
            COMMAND => format!("run {}", words::command(&self.command().unwrap_or(self.patterns.join(" ")))),
            CHANGE => format!("edit {what}"),
            "" => String::new(),
            other => format!("use {}", one_line(&format!("{other} {what}"), WHAT_MAX)),
        })
    }

    /// What is to be decided, in this conversation of the user's. It can only be denied where it isn't known whole.
    pub(super) fn question(&self, conversation: ConversationId) -> Question {
        let choice = |id: &str, label: &str, kind| Choice {
            id: id.into(),
            label: label.into(),
            description: None,
            preview: None,
            kind,
        };
        let detail = self.detail();
        let allow = detail.as_ref().map(|_| choice(ALLOW, "Allow", ChoiceKind::Allow));
        let choices = allow.into_iter().chain([choice(DENY, "Deny", ChoiceKind::Deny)]).collect();
        decide::question(conversation, self.wait(), detail, choices)
    }

    /// A whole command, a change as the dialog shows it, or what another tool is to be used on with what it says of that.
    fn detail(&self) -> Option<String> {
        match self.permission.as_str() {
            COMMAND => self.command(),
            CHANGE => self.metadata["diff"].as_str().map(str::to_owned),
            _ => {
                let used_on = self.patterns.join("\n");
                let says_more = self.metadata.as_object().is_some_and(|more| !more.is_empty());
                if says_more {
                    return Some(format!("{used_on}\n{:#}", self.metadata));
                }
                // `*` is any use of it, and nothing says which.
                (!used_on.is_empty() && used_on != "*").then_some(used_on)
            }
        }
    }

    fn command(&self) -> Option<String> {
        self.metadata["command"].as_str().map(str::to_owned)
    }
}

/// The answer to the permission with this id.
pub(super) fn reply(id: &str, pick: &Pick) -> Option<Reply> {
    let said = match pick.choice.as_str() {
        ALLOW => "once",
        DENY => "reject",
        _ => return None,
    };
    let body = json!({ "reply": said }).to_string().into_bytes();
    Some(Reply { path: format!("/permission/{id}/reply"), body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_whole_can_only_be_denied() {
        let question = |asked: Value| {
            let permission: Permission = serde_json::from_value(asked).expect("a permission");
            permission.question(ConversationId::new("ses_1"))
        };
        let outside = question(json!({
            "id": "per_1", "sessionID": "ses_1", "permission": "external_directory", "patterns": ["/srv/*"],
            "metadata": { "command": "rm -r /srv/tides" },
        }));
        assert!(
            outside.detail.as_ref().is_some_and(|detail| detail.contains("rm -r /srv/tides")),
            "{outside:?}"
        );
        let labels = |question: &Question| {
            question.choices.iter().map(|choice| choice.label.clone()).collect::<Vec<_>>()
        };
        assert_eq!(labels(&outside), ["Allow", "Deny"]);
        let server = question(json!({
            "id": "per_2", "sessionID": "ses_1", "permission": "mine_do", "patterns": ["*"], "metadata": {},
        }));
        assert_eq!((server.detail.as_deref(), labels(&server)), (None, vec!["Deny".to_owned()]));
    }
}
