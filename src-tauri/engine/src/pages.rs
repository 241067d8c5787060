//! A page of a transcript, read from its end towards its start in bounded time, whatever its lines look like.

use std::io;
use std::path::Path;

use repose_core::time::Wall;

use crate::lines::Backward;
use crate::transcript::{Entry, Kind, Page};

/// One page looks through so much of a transcript. Where more of it holds nothing to show, the page is short
/// and says where to read on.
const PAGE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// What a line of a transcript gives.
pub(crate) enum Gives {
    /// Nothing that a reader would see.
    Nothing,
    /// It is no whole line.
    Broken,
    /// These, in their order, said at this time.
    Said(Option<Wall>, Vec<Kind>),
}

/// The last `limit` entries before the line that begins at `before`, or somewhat more: a line's parts stay
/// together.
///
/// # Errors
/// If the file can't be read.
pub(crate) fn page(
    path: &Path,
    before: Option<u64>,
    limit: usize,
    read: impl Fn(&[u8]) -> Gives,
) -> io::Result<Page> {
    let mut lines = Backward::open(path, before)?;
    let mut page = Page::default();
    while page.entries.len() < limit.max(1) && lines.bytes_read() <= PAGE_BYTES_MAX {
        let Some(line) = lines.line()? else {
            page.before = None;
            break;
        };
        page.before = (line.offset > 0).then_some(line.offset);
        match line.bytes.as_deref().map_or(Gives::Broken, &read) {
            Gives::Nothing => {}
            // The last line may be being written right now.
            Gives::Broken if !line.ended => {}
            Gives::Broken => page.skipped += 1,
            Gives::Said(at, kinds) => {
                let entry = |(part, kind)| Entry { offset: line.offset, part, at, kind };
                let parts: Vec<Entry> = (0..).zip(kinds).map(entry).collect();
                // Collected from the end: a line's parts are turned round twice.
                page.entries.extend(parts.into_iter().rev());
            }
        }
    }
    page.entries.reverse();
    Ok(page)
}
