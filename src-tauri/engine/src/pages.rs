//! Reading a page of a transcript backwards from its end in bounded time, whatever its lines look like.

use std::io;
use std::path::Path;

use repose_core::time::Wall;

use crate::lines::Backward;
use crate::transcript::{Entry, Kind, Page};

/// The most bytes to look through for one page. If they hold little to show, the page is short and says where
/// to continue.
const PAGE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The content of a line of a transcript.
pub(crate) enum Gives {
    /// Nothing that a reader would see.
    Nothing,
    /// It isn't a complete line.
    Broken,
    /// These entries, in order, at this time.
    Said(Option<Wall>, Vec<Kind>),
}

/// The last `limit` entries before the line that begins at `before`, or a few more, since a line's parts stay
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
                // Collected backwards: a line's parts are reversed twice.
                page.entries.extend(parts.into_iter().rev());
            }
        }
    }
    page.entries.reverse();
    Ok(page)
}
