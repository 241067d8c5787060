//! A decision of any engine that may be made outside its terminal.

use repose_core::decision::{Choice, ChoiceKind, Question};
use repose_core::ids::ConversationId;
use repose_core::signal::Wait;

/// The most bytes of what is to be decided: a file of some 600 lines. Of a longer one only the beginning is
/// shown; since nobody sees all of it, it can only be denied here. The terminal shows all of it.
pub(crate) const DETAIL_MAX: usize = 32 * 1024;

/// The ids of the answers to a permission.
pub(crate) const ALLOW: &str = "allow";
pub(crate) const DENY: &str = "deny";

pub(crate) fn question(
    conversation: ConversationId,
    wait: Wait,
    detail: Option<String>,
    mut choices: Vec<Choice>,
) -> Question {
    let detail_cut = detail.as_ref().is_some_and(|detail| detail.len() > DETAIL_MAX);
    if detail_cut {
        choices.retain(|choice| choice.kind == ChoiceKind::Deny);
    }
    let detail = detail.map(|detail| cut(detail, DETAIL_MAX));
    Question { conversation, wait, detail, detail_cut, choices }
}

/// A text of at most this many bytes; one that was cut ends in `…`.
pub(crate) fn cut(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}
