//! Where a text stands in a conversation: looked for from its end towards its start, for somebody who has
//! only the end of it before them.

use std::io;

use repose_engine::Engine;
use repose_engine::transcript::{Kind, Place};

/// Entries that are read at a time.
const STEP: usize = 400;

/// One look goes through so many entries: some tenths of a second. It says where to look on.
const LOOKED_MAX: usize = 4_000;

/// A look that has found the text in so many entries is over before that, and says where to look on.
const HITS_ENOUGH: usize = 500;

/// What a look has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Newest first.
    pub hits: Vec<Hit>,
    /// Where to look on. `None`: the beginning was reached.
    pub before: Option<u64>,
}

/// An entry that has the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The entry's line, as [`repose_engine::transcript::Entry::offset`].
    pub offset: u64,
    /// How often the text stands in it.
    pub times: usize,
}

/// Looks for a text in what is shown of each entry, whatever its case, from the line that begins at `before`
/// (or the end) towards the start. Blocks.
///
/// # Errors
/// If the transcript can't be read.
pub(crate) fn find(
    engine: &dyn Engine,
    transcript: Place<'_>,
    text: &str,
    before: Option<u64>,
) -> io::Result<Found> {
    let wanted = text.to_lowercase();
    if wanted.trim().is_empty() {
        return Ok(Found::default());
    }
    let mut found = Found { hits: Vec::new(), before };
    let mut looked = 0;
    while looked < LOOKED_MAX && found.hits.len() < HITS_ENOUGH {
        let page = engine.entries(transcript, found.before, STEP)?;
        let hits = page
            .entries
            .iter()
            .rev()
            .map(|entry| Hit { offset: entry.offset, times: times(&entry.kind, &wanted) });
        found.hits.extend(hits.filter(|hit| hit.times > 0));
        found.before = page.before;
        // A short page has looked through as much as one look may.
        if found.before.is_none() || page.entries.len() < STEP {
            break;
        }
        looked += page.entries.len();
    }
    Ok(found)
}

fn times(kind: &Kind, wanted: &str) -> usize {
    let within = |text: &str| text.to_lowercase().matches(wanted).count();
    match kind {
        Kind::User { text, .. }
        | Kind::Agent { text, .. }
        | Kind::ToolResult { text, .. }
        | Kind::Command { text }
        | Kind::Failed { text } => within(&text.shown),
        Kind::ToolUse { name, input, .. } => within(name) + within(&input.whole.shown),
        Kind::Interrupted | Kind::Compacted => 0,
    }
}

#[cfg(test)]
mod tests;
