//! Reading a transcript page by page.

use std::io;
use std::path::Path;

use super::line::{self, Part, Read, Said};
use crate::pages::{self, Gives};
use crate::transcript::{Input, Kind, Page, Text};

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
            .map(|result| Kind::ToolResult { text: Text::new(result.text()), id: result.id, end: result.end })
            .collect(),
        Said::Agent(agent) => agent
            .parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => Kind::Agent { text: Text::new(text), message: agent.message.clone() },
                Part::ToolUse { id, name, input } => Kind::ToolUse {
                    id,
                    name,
                    input: Input::new(input.unwrap_or_default().to_owned(), &TELLING),
                },
            })
            .collect(),
        Said::Failed { text } => vec![Kind::Failed { text: Text::new(text) }],
        Said::Interrupted => vec![Kind::Interrupted],
        Said::Compacted => vec![Kind::Compacted],
    }
}

#[cfg(test)]
mod tests;
