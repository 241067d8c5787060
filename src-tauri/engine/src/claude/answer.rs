//! What happened to a prompt, for a caller that missed the hooks.

use std::io;
use std::path::Path;

use repose_core::signal::Author;

use super::line::{self, Agent, Part, Read, Said};
use super::prompt;
use crate::lines::Backward;
use crate::transcript::{Answer, Asked};

/// How far back to look for a prompt, in bytes. If a turn writes more than this, its prompt isn't found and
/// counts as not asked.
const LOOK_BACK_MAX: u64 = 256 * 1024 * 1024;

/// A step of what followed the prompt, read backwards.
enum Step {
    Prompt { queued: bool },
    Command,
    Text { message: Option<String>, text: String, goes_on: bool },
    Ended(Answer),
}

pub(super) fn answer_to(path: &Path, asked: Asked<'_>) -> io::Result<Answer> {
    let mut lines = Backward::open(path, None)?;
    // What followed, newest first.
    let mut after: Vec<Step> = Vec::new();
    while lines.bytes_read() <= LOOK_BACK_MAX {
        let Some(line) = lines.line()? else { return Ok(Answer::NotAsked) };
        let Some(Read::Said(line)) = line.bytes.as_deref().map(line::read) else { continue };
        match line.said {
            Said::Prompt { id, text, author, queued } => {
                let found = match asked {
                    Asked::Prompt(wanted) => id.as_ref() == Some(wanted),
                    Asked::Text(wanted) | Asked::TextSince(wanted, _) => {
                        author == Author::Person && asked.allows(line.at) && prompt::same(wanted, &text)
                    }
                    Asked::Last => author == Author::Person,
                };
                if found {
                    return Ok(answer(after));
                }
                // Of everything before a later prompt's turn, only the turn right after this prompt matters.
                keep_only_what_a_turn_needs(&mut after);
                after.push(Step::Prompt { queued });
            }
            Said::Agent(agent) => {
                after.push(Step::Text { text: text(&agent), message: agent.message, goes_on: agent.goes_on })
            }
            Said::Failed { text } => after.push(Step::Ended(Answer::Failed(text))),
            Said::Interrupted => after.push(Step::Ended(Answer::Interrupted)),
            Said::Command { .. } => after.push(Step::Command),
            Said::Results(_) | Said::Compacted => {}
        }
    }
    Ok(Answer::NotAsked)
}

/// A turn that belongs to another prompt is dropped, unless that prompt was queued together with this one;
/// then at most the one turn after both is kept.
fn keep_only_what_a_turn_needs(after: &mut Vec<Step>) {
    let turn_begins = after.iter().rposition(|step| !matches!(step, Step::Prompt { .. })).map_or(0, |last| {
        after[..=last]
            .iter()
            .rposition(|step| matches!(step, Step::Prompt { .. }))
            .map_or(0, |prompt| prompt + 1)
    });
    after.drain(..turn_begins);
}

fn answer(after: Vec<Step>) -> Answer {
    let mut last: Option<(Option<String>, String)> = None;
    let mut goes_on = true;
    let mut begun = false;
    for step in after.into_iter().rev() {
        match step {
            // Prompts that were queued together are one turn, which begins after the last of them. A prompt
            // that wasn't queued, with no answer before it, came after the process had ended during the turn.
            Step::Prompt { queued: true } if !begun => {}
            Step::Prompt { .. } => break,
            // A command line that was typed after the answer has an answer of its own; one that was typed
            // during the turn doesn't end it.
            Step::Command if begun && !goes_on => break,
            Step::Command => {}
            Step::Ended(end) => return end,
            Step::Text { message, text, goes_on: on } => {
                begun = true;
                goes_on = on;
                match &mut last {
                    Some((of, whole)) if message.is_some() && *of == message => whole.push_str(&text),
                    _ if text.is_empty() => {}
                    _ => last = Some((message, text)),
                }
            }
        }
    }
    match last {
        Some((_, text)) if !goes_on => Answer::Answered(text),
        None if begun && !goes_on => Answer::Answered(String::new()),
        Some(_) | None => Answer::Open,
    }
}

fn text(agent: &Agent<'_>) -> String {
    let texts = agent.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::ToolUse { .. } => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
