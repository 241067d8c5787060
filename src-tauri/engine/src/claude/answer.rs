//! What became of a prompt, for one who missed the hooks.

use std::io;
use std::path::Path;

use repose_core::signal::Author;

use super::line::{self, Agent, Part, Read, Said};
use super::prompt;
use crate::lines::Backward;
use crate::transcript::{Answer, Asked};

/// A prompt is looked for so far back. A turn that writes more than this is not found, and counts as not
/// asked.
const LOOK_BACK_MAX: u64 = 256 * 1024 * 1024;

/// A step of what came after the prompt, read backwards.
enum Step {
    Prompt { queued: bool },
    Command,
    Text { message: Option<String>, text: String, goes_on: bool },
    Ended(Answer),
}

pub(super) fn answer_to(path: &Path, asked: Asked<'_>) -> io::Result<Answer> {
    let mut lines = Backward::open(path, None)?;
    // What came after, newest first.
    let mut after: Vec<Step> = Vec::new();
    while lines.bytes_read() <= LOOK_BACK_MAX {
        let Some(line) = lines.line()? else { return Ok(Answer::NotAsked) };
        let Some(Read::Said(line)) = line.bytes.as_deref().map(line::read) else { continue };
        match line.said {
            Said::Prompt { id, text, author, queued } => {
                let found = match asked {
                    Asked::Prompt(wanted) => id.as_ref() == Some(wanted),
                    Asked::Text(wanted) => author == Author::Person && prompt::same(wanted, &text),
                    Asked::Last => author == Author::Person,
                };
                if found {
                    return Ok(answer(after));
                }
                // Of everything before a later prompt's turn only the turn right after ours matters.
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

/// A turn that turned out to be another prompt's is needed no more, unless that prompt was queued together
/// with ours; then at most the one turn after both is.
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
            // Prompts that were queued together are one turn: it begins after the last of them. One that was
            // not queued, and before which nothing was answered, came after the process had ended in the
            // turn.
            Step::Prompt { queued: true } if !begun => {}
            Step::Prompt { .. } => break,
            // A command line typed after the answer gets an answer of its own; one typed during the turn
            // doesn't end it.
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
