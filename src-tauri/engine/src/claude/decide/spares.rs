//! Answers to a permission dialog that also avoid later questions: rules, folders, and the mode that accepts
//! edits.
//!
//! The hook names them in `permission_suggestions`, and takes one back as `updatedPermissions` (seen with
//! 2.1.332).

use repose_core::decision::{Choice, ChoiceKind};
use serde_json::Value;

use crate::ask::{seen, turns};

/// One whose words are longer isn't offered, and never cut: what is allowed for good must be told whole. A rule that the
/// program suggests has some twenty characters. Words with characters that show nothing, or turn the others around, aren't
/// offered either.
const LABEL_MAX: usize = 300;

/// So many are offered, the first. The program suggests up to three.
const SPARES_MAX: usize = 8;

/// How their ids begin; the number among the suggestions follows.
const ID: &str = "always-";

/// Those that can be put in words, in their order. What has no words here is offered by the terminal alone.
pub(super) fn choices(suggestions: &[Value]) -> impl Iterator<Item = Choice> {
    let choice = |(at, suggestion)| {
        let (id, label) = (format!("{ID}{at}"), words(suggestion)?);
        Some(Choice { id, label, description: None, preview: None, kind: ChoiceKind::Other })
    };
    suggestions.iter().enumerate().filter_map(choice).take(SPARES_MAX)
}

/// What this choice changes. `None`: it is none of them.
pub(super) fn chosen<'a>(suggestions: &'a [Value], choice: &str) -> Option<&'a Value> {
    let at: usize = choice.strip_prefix(ID)?.parse().ok()?;
    suggestions.get(at).filter(|_| choices(suggestions).any(|offered| offered.id == choice))
}

fn words(suggestion: &Value) -> Option<String> {
    let place = match suggestion["destination"].as_str()? {
        "session" => "in this session",
        "localSettings" => "in this project",
        "projectSettings" => "in this project, for all who work on it",
        "userSettings" => "in every project",
        _ => return None,
    };
    let label = match suggestion["type"].as_str()? {
        "addRules" if suggestion["behavior"] == "allow" => {
            let rules = listed(&suggestion["rules"], rule)?;
            format!("Allow, and don't ask again for {rules} {place}")
        }
        "addDirectories" => {
            let folders = listed(&suggestion["directories"], |folder| folder.as_str().map(on_one_line))?;
            format!("Allow, and don't ask again within {folders} {place}")
        }
        "setMode" if suggestion["mode"] == "acceptEdits" => format!("Allow, and accept edits {place}"),
        _ => return None,
    };
    let shows = |c: char| !c.is_control() && !turns(c);
    let whole = label.chars().all(shows) && seen(&label) == label && label.chars().count() <= LABEL_MAX;
    whole.then_some(label)
}

/// All of them, or `None` if one has no words: nobody may allow what they weren't told.
fn listed(all: &Value, word: impl Fn(&Value) -> Option<String>) -> Option<String> {
    let words: Option<Vec<_>> = all.as_array()?.iter().map(word).collect();
    words.filter(|words| !words.is_empty()).map(|words| words.join(", "))
}

/// A rule as the settings have it.
fn rule(rule: &Value) -> Option<String> {
    let tool = rule["toolName"].as_str()?;
    Some(match rule["ruleContent"].as_str() {
        Some(content) => format!("{tool}({})", on_one_line(content)),
        None => tool.to_owned(),
    })
}

/// All of it: whatever breaks lines is a blank.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
