//! A conversation as shown to readers: the entries of its transcript, with Repose's opens in their places.

use repose_core::continuity::Continuity;
use repose_core::time::Wall;
use repose_engine::Engine;
use repose_engine::transcript::{Entry, Page, Place};

/// The most entries without a time to skip in search of one that has a time. If more follow each other,
/// because an engine writes no times, opens aren't placed between them either.
const LOOKED_BACK: usize = 100;

/// Consecutive passages of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passages {
    /// The passages, oldest first.
    pub passages: Vec<Passage>,
    /// Where the passages before these end. `None`: there are none.
    pub before: Option<u64>,
    /// How many lines of the transcript between them couldn't be understood.
    pub skipped: u64,
}

/// One passage of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passage {
    /// An entry of the transcript.
    Said(Entry),
    /// The conversation was opened at this point.
    Opened(Open),
}

/// An open of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// The number of its row in the log.
    pub id: i64,
    /// Its statement.
    pub continuity: Continuity,
}

/// A page with the opens that belong in it. `newest`: nothing follows the page. Blocks.
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
    // An open belongs on this page if it happened after the entry that precedes the page.
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

/// Places each open before the first entry that isn't older.
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
