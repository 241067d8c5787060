//! Searches a conversation for a text from its end towards its start, for a reader who has only the end
//! loaded.

use std::io;

use repose_engine::Engine;
use repose_engine::transcript::{Kind, Place};

/// How many entries to read at a time.
const STEP: usize = 400;

/// The most entries to go through in one search: some tenths of a second. The result says where to continue.
const LOOKED_MAX: usize = 4_000;

/// A search ends early once this many entries contain the text, and says where to continue.
const HITS_ENOUGH: usize = 500;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The entries that contain the text, newest first.
    pub hits: Vec<Hit>,
    /// Where to continue. `None`: the beginning was reached.
    pub before: Option<u64>,
}

/// An entry that contains the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The position of the entry's line, as in [`repose_engine::transcript::Entry::offset`].
    pub offset: u64,
    /// How many times the entry contains the text.
    pub times: usize,
}

/// Searches what is shown of each entry for a text, ignoring case, from the line that begins at `before` (or
/// the end) towards the start. Blocks.
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
        // A short page has already used up what one search may read.
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
        | Kind::Command { text }
        | Kind::Failed { text } => within(&text.shown),
        Kind::ToolResult { text, note, .. } => within(&text.shown) + note.as_deref().map_or(0, within),
        Kind::ToolUse { name, input, .. } => within(name) + within(&input.whole.shown),
        Kind::Interrupted | Kind::Compacted => 0,
    }
}

#[cfg(test)]
mod tests;
