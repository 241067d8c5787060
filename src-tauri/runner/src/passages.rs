//! A conversation as it is read: what stands in its transcript, and in their places the opens of it that
//! Repose carried out.

use repose_core::continuity::Continuity;
use repose_core::time::Wall;
use repose_engine::Engine;
use repose_engine::transcript::{Entry, Page, Place};

/// So many entries without a time are passed by for one that has it. Where more stand in a row (an engine
/// that writes no times), no open has its place between them either.
const LOOKED_BACK: usize = 100;

/// Some of a conversation in a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passages {
    /// Oldest first.
    pub passages: Vec<Passage>,
    /// What to ask for to get what is before these. `None`: there is nothing.
    pub before: Option<u64>,
    /// Lines of the transcript between them that could not be understood.
    pub skipped: u64,
}

/// One thing in a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passage {
    /// It stands in the transcript.
    Said(Entry),
    /// The conversation was opened here.
    Opened(Open),
}

/// An open of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Its number in the log.
    pub id: i64,
    /// What it came to.
    pub continuity: Continuity,
}

/// A page with the opens that belong into it. `newest`: nothing comes after it. Blocks.
///
/// # Errors
/// If the transcript can't be read.
pub(crate) fn with_opens(
    engine: &dyn Engine,
    transcript: Place<'_>,
    page: Page,
    newest: bool,
    opens: Vec<Open>,
) -> std::io::Result<Passages> {
    // What was opened before the page's first entry and after the one before that stands on this page.
    let mut from = None;
    let (mut earlier, mut looked) = (page.before, 0);
    while let Some(before) = earlier
        && from.is_none()
        && looked < LOOKED_BACK
    {
        let page = engine.entries(transcript, Some(before), 1)?;
        from = page.entries.iter().rev().find_map(|entry| entry.at);
        looked += page.entries.len().max(1);
        earlier = page.before;
    }
    let (before, skipped) = (page.before, page.skipped);
    Ok(Passages { passages: placed(page.entries, from, newest, opens), before, skipped })
}

/// Puts each open before the first entry that is not older than it.
pub(crate) fn placed(
    entries: Vec<Entry>,
    from: Option<Wall>,
    newest: bool,
    opens: Vec<Open>,
) -> Vec<Passage> {
    let mut opens =
        opens.into_iter().filter(|open| from.is_none_or(|from| open.continuity.at > from)).peekable();
    let mut passages = Vec::with_capacity(entries.len());
    for entry in entries {
        if let Some(at) = entry.at {
            while let Some(open) = opens.next_if(|open| open.continuity.at <= at) {
                passages.push(Passage::Opened(open));
            }
        }
        passages.push(Passage::Said(entry));
    }
    if newest {
        passages.extend(opens.map(Passage::Opened));
    }
    passages
}

#[cfg(test)]
mod tests;
