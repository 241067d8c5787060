//! Reading a file line by line, forwards or backwards from its end, in bounded memory.
//!
//! Knows nothing of the lines' content.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use repose_core::time::Wall;

/// The most bytes of a line; a longer one is read and not kept. Lines of 50 KB are usual in a transcript, and
/// one with a pasted picture has some megabytes; longer ones aren't conversation that somebody would read.
pub const LINE_MAX: usize = 16 * 1024 * 1024;

/// The bytes to read at a time: enough that the system call costs nothing in comparison, and few enough that
/// looking at a file's end reads little.
const BLOCK: usize = 64 * 1024;

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<B> {
    /// Where it begins, in bytes from the file's start.
    pub offset: u64,
    /// Its bytes without the line end. `None`: it is longer than [`LINE_MAX`].
    pub bytes: Option<B>,
    /// Whether a line end follows. Without one the line may be incomplete.
    pub ended: bool,
}

/// Reads lines backwards from a file's end, or from a place in it.
#[derive(Debug)]
pub struct Backward<F> {
    file: F,
    /// Bytes `[start, start + held.len())` of the file that haven't been returned yet.
    held: Vec<u8>,
    start: u64,
    /// There is no line end in `held[searched..]`.
    searched: usize,
    /// Whether the end of a line longer than [`LINE_MAX`] is being skipped.
    passing: bool,
    ended: bool,
    read: u64,
}

impl Backward<File> {
    /// Starts at the file's end, or before the line that begins at `before`.
    ///
    /// # Errors
    /// If the file can't be opened, or its length can't be read.
    pub fn open(path: &Path, before: Option<u64>) -> io::Result<Self> {
        Self::new(File::open(path)?, before)
    }
}

impl<F: Read + Seek> Backward<F> {
    /// Like [`Backward::open`], for anything that can seek.
    ///
    /// # Errors
    /// If seeking fails.
    pub fn new(mut file: F, before: Option<u64>) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        let start = before.map_or(length, |before| before.min(length));
        let mut lines =
            Self { file, held: Vec::new(), start, searched: 0, passing: false, ended: false, read: 0 };
        lines.fetch()?;
        if lines.held.last() == Some(&b'\n') {
            lines.held.pop();
            lines.searched = lines.held.len();
            lines.ended = true;
        }
        Ok(lines)
    }

    /// How many bytes were read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.read
    }

    /// The line before the one returned last. `None` at the file's start.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn line(&mut self) -> io::Result<Option<Line<Vec<u8>>>> {
        loop {
            if let Some(at) = self.held[..self.searched].iter().rposition(|&byte| byte == b'\n') {
                let bytes = self.held.split_off(at + 1);
                self.held.pop();
                self.searched = at;
                return Ok(Some(self.give(self.start + at as u64 + 1, bytes)));
            }
            if self.start == 0 {
                if self.held.is_empty() && !self.passing && !self.ended {
                    return Ok(None);
                }
                let bytes = std::mem::take(&mut self.held);
                self.searched = 0;
                let line = self.give(0, bytes);
                self.ended = false;
                return Ok(Some(line));
            }
            if self.held.len() > LINE_MAX {
                self.held.clear();
                self.passing = true;
            }
            self.fetch()?;
        }
    }

    fn give(&mut self, offset: u64, bytes: Vec<u8>) -> Line<Vec<u8>> {
        let too_long = std::mem::take(&mut self.passing) || bytes.len() > LINE_MAX;
        let ended = std::mem::replace(&mut self.ended, true);
        Line { offset, bytes: (!too_long).then_some(bytes), ended }
    }

    /// Prepends the block before the held bytes.
    fn fetch(&mut self) -> io::Result<()> {
        // Grows with the line, so that a long one isn't moved for each block.
        let want = self.held.len().max(BLOCK).min(usize::try_from(self.start).unwrap_or(usize::MAX));
        let start = self.start - want as u64;
        let mut block = Vec::with_capacity(want + self.held.len());
        block.resize(want, 0);
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut block)?;
        self.read += want as u64;
        block.extend_from_slice(&self.held);
        self.held = block;
        self.searched = want;
        self.start = start;
        Ok(())
    }
}

/// Calls `each` for every line from the file's start until it returns `false`. The line's bytes are borrowed.
///
/// # Errors
/// If the file can't be opened or read.
pub fn forward(path: &Path, each: impl FnMut(Line<&[u8]>) -> bool) -> io::Result<()> {
    forward_from(path, 0, each)
}

/// Calls `each` for every line from the one that begins at `offset`, until it returns `false`.
///
/// # Errors
/// If the file can't be opened or read.
pub fn forward_from(
    path: &Path,
    mut offset: u64,
    mut each: impl FnMut(Line<&[u8]>) -> bool,
) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut file = BufReader::with_capacity(4 * BLOCK, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = LINE_MAX as u64 + 1;
        let read = file.by_ref().take(limit).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let mut length = read as u64;
        let mut ended = line.last() == Some(&b'\n');
        let whole = ended || length < limit;
        if !whole {
            let (rest, end) = pass(&mut file)?;
            length += rest;
            ended = end;
        }
        if ended && whole {
            line.pop();
        }
        if !each(Line { offset, bytes: whole.then_some(line.as_slice()), ended }) {
            return Ok(());
        }
        offset += length;
    }
}

/// Skips the rest of a line; returns its length and whether it had an end.
fn pass(file: &mut impl BufRead) -> io::Result<(u64, bool)> {
    let mut passed = 0;
    loop {
        let block = file.fill_buf()?;
        if block.is_empty() {
            return Ok((passed, false));
        }
        match block.iter().position(|&byte| byte == b'\n') {
            Some(at) => {
                file.consume(at + 1);
                return Ok((passed + at as u64 + 1, true));
            }
            None => {
                let length = block.len();
                file.consume(length);
                passed += length as u64;
            }
        }
    }
}

/// A time in the form used in JSON: `2026-11-29T19:56:18.126Z`.
#[must_use]
pub fn wall(timestamp: &str) -> Option<Wall> {
    let time = humantime::parse_rfc3339(timestamp).ok()?;
    let millis = time.duration_since(std::time::UNIX_EPOCH).ok()?.as_millis();
    Some(Wall(u64::try_from(millis).ok()?))
}

/// The paths in a folder. A missing folder counts as empty.
///
/// # Errors
/// If it exists and can't be read.
pub fn listed(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
