//! Reading a transcript page by page.

use std::io;
use std::path::Path;

use serde::Deserialize;

use super::line::{self, Part, Read, Said};
use crate::pages::{self, Gives};
use crate::transcript::{ENTRY_TEXT_MAX, Input, Kind, Page, Text};

/// The most informative fields of a tool's input, in order.
const TELLING: [&str; 10] = [
    "command",
    "file_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "path",
    "description",
    "prompt",
    "skill",
];

/// The marks around what is shown of an output that the program put into a file (2.1.332).
const PERSISTED: (&str, &str) = ("<persisted-output>", "</persisted-output>");

/// How the line above that begins.
const PREVIEW: &str = "Preview (";

pub(super) fn entries(path: &Path, before: Option<u64>, limit: usize) -> io::Result<Page> {
    pages::page(path, before, limit, |bytes| match line::read(bytes) {
        Read::Said(said) => Gives::Said(said.at, kinds(said.said)),
        Read::Other => Gives::Nothing,
        Read::Broken => Gives::Broken,
    })
}

fn kinds(said: Said<'_>) -> Vec<Kind> {
    match said {
        Said::Prompt { text, author, .. } => vec![Kind::User { text: Text::new(text), author }],
        Said::Command { text } => vec![Kind::Command { text: Text::new(text) }],
        Said::Results(results) => results
            .into_iter()
            .map(|result| {
                let (note, text) = apart(result.text());
                let answers = result.answers();
                Kind::ToolResult { text: Text::new(text), note, answers, id: result.id, end: result.end }
            })
            .collect(),
        Said::Agent(agent) => agent
            .parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => Kind::Agent { text: Text::new(text), message: agent.message.clone() },
                Part::ToolUse { id, name, input } => Kind::ToolUse {
                    questions: questions(&name, input.unwrap_or_default()),
                    input: Input::new(input.unwrap_or_default().to_owned(), &TELLING),
                    id,
                    name,
                },
            })
            .collect(),
        Said::Failed { text } => vec![Kind::Failed { text: Text::new(text) }],
        Said::Interrupted => vec![Kind::Interrupted],
        Said::Compacted => vec![Kind::Compacted],
    }
}

/// What a tool asks the user, if that is what it is for. One with more in it than is shown of an input stays as it is written.
fn questions(tool: &str, input: &str) -> Vec<String> {
    #[derive(Deserialize)]
    struct Asks {
        questions: Vec<One>,
    }
    #[derive(Deserialize)]
    struct One {
        question: String,
    }
    let input = Some(input).filter(|input| tool == super::decide::ASKS && input.len() <= ENTRY_TEXT_MAX);
    let asks: Option<Asks> = input.and_then(|input| serde_json::from_str(input).ok());
    asks.into_iter().flat_map(|asks| asks.questions).map(|one| one.question).collect()
}

/// What the program says of an output that it put into a file, apart from what it shows of that.
fn apart(text: String) -> (Option<String>, String) {
    let Some(inside) = text.trim_start().strip_prefix(PERSISTED.0) else { return (None, text) };
    let inside = inside.trim().trim_end_matches(PERSISTED.1);
    let (note, rest) = inside.split_once('\n').unwrap_or((inside, ""));
    let rest = rest.trim();
    // The line above what is shown says how much that is.
    let shown = match rest.split_once('\n') {
        Some((head, shown)) if head.starts_with(PREVIEW) => shown,
        Some(_) | None => rest,
    };
    (Some(note.trim().to_owned()), shown.trim_end().to_owned())
}

#[cfg(test)]
mod tests;
