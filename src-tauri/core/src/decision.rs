//! What somebody must decide for an engine, with the answers that the engine accepts from outside its
//! terminal.

use crate::ids::{ConversationId, DecisionId};
use crate::signal::Wait;
use crate::words;

/// The most bytes of somebody's own words as an answer; longer ones are refused. The question was asked for a
/// sentence; 16 KiB is about 2,500 words, and more belongs in an ask.
pub const WORDS_MAX: usize = 16 * 1024;

/// A decision that an engine waits for and that can be made without its terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The decision's id, never used for another one.
    pub id: DecisionId,
    /// What is to be decided, and the options.
    pub question: Question,
}

/// How many characters of an answer in somebody's own words the log tells.
const WORDS_TOLD: usize = 200;

/// What is to be decided, and the options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The conversation in which the engine asks.
    pub conversation: ConversationId,
    /// What kind of decision it is.
    pub wait: Wait,
    /// The full subject: a whole command, the text of a file. `None`: there is no more to show.
    pub detail: Option<String>,
    /// Whether `detail` is only the beginning of the subject.
    pub detail_cut: bool,
    /// The options.
    pub choices: Vec<Choice>,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its id, unique within the decision.
    pub id: String,
    /// Its text.
    pub label: String,
    /// What the engine says about it, on one line. `None`: nothing.
    pub description: Option<String>,
    /// What would come of it, as the engine shows it: lines of fixed width. `None`: it shows nothing.
    pub preview: Option<String>,
    /// What it means.
    pub kind: ChoiceKind,
}

/// What an option means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceKind {
    /// The engine may go ahead.
    Allow,
    /// The engine may not.
    Deny,
    /// Neither of the two: one of several options.
    Other,
    /// The user's own words, which come with it.
    Words,
    /// No answer: it takes back the one before, and what was asked there is asked again.
    Back,
}

/// What somebody picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// The option's id.
    pub choice: String,
    /// The user's own words, for an option of [`ChoiceKind::Words`].
    pub words: Option<String>,
}

/// Why a pick isn't an answer. Nothing was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// There is no such option.
    NoSuchChoice,
    /// It comes with words, and the option takes none.
    TakesNoWords,
    /// It comes without words, and the option is words.
    Empty,
    /// The words are too long.
    TooLong {
        /// Their length in bytes.
        size: usize,
    },
    /// The words have a control character other than a line end or a tab. A terminal that shows the answer
    /// would take it for a command.
    Control {
        /// The character.
        character: char,
        /// Its position in bytes.
        at: usize,
    },
}

impl Question {
    /// The kind of option that was picked.
    ///
    /// # Errors
    /// [`Unfit`] if this pick is no answer.
    pub fn takes(&self, pick: &Pick) -> Result<ChoiceKind, Unfit> {
        let choice = self.choices.iter().find(|choice| choice.id == pick.choice);
        let kind = choice.ok_or(Unfit::NoSuchChoice)?.kind;
        match (kind, pick.words.as_deref()) {
            (ChoiceKind::Words, Some(words)) => fit(words).map(|()| kind),
            (ChoiceKind::Words, None) => Err(Unfit::Empty),
            (ChoiceKind::Allow | ChoiceKind::Deny | ChoiceKind::Other | ChoiceKind::Back, None) => Ok(kind),
            (ChoiceKind::Allow | ChoiceKind::Deny | ChoiceKind::Other | ChoiceKind::Back, Some(_)) => {
                Err(Unfit::TakesNoWords)
            }
        }
    }
}

impl Question {
    /// Whether [`Wait::what`] tells all of the subject. Only then may it be agreed to where nothing more is shown.
    #[must_use]
    pub fn is_told_whole(&self) -> bool {
        let said = match &self.wait {
            Wait::Permission(said) | Wait::Choice(said) => said,
            Wait::Trust => return true,
        };
        match &self.detail {
            Some(detail) => words::tells_whole(detail) && said.contains(&words::command(detail)),
            None => !said.is_empty() && words::tells_whole(said),
        }
    }

    /// The label of what was picked, as plain text, with the beginning of the user's own words. `None`: there is no such
    /// option.
    #[must_use]
    pub fn told(&self, pick: &Pick) -> Option<String> {
        let label = words::unmarked(&self.choices.iter().find(|choice| choice.id == pick.choice)?.label);
        Some(match &pick.words {
            Some(words) => {
                format!("{label}: {}", words.chars().take(WORDS_TOLD).collect::<String>())
            }
            None => label,
        })
    }
}

fn fit(words: &str) -> Result<(), Unfit> {
    if words.trim().is_empty() {
        return Err(Unfit::Empty);
    }
    if words.len() > WORDS_MAX {
        return Err(Unfit::TooLong { size: words.len() });
    }
    match words.char_indices().find(|(_, c)| c.is_control() && *c != '\n' && *c != '\t') {
        Some((at, character)) => Err(Unfit::Control { character, at }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
