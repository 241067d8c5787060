//! The journal: numbered entries from which a runner catches up, one JSON value per line.
//!
//! Only the holder writes it, flushing each entry to disk. The runner reads it through the holder, or from
//! the folder once the holder is gone.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use repose_core::time::Wall;
use repose_sys::private;

use crate::wire::carry::Carry;
use crate::wire::{Entry, Numbered};

/// The most bytes of a journal; a longer one is cut to its newest half. A turn's entry has some kilobytes, so
/// that is a thousand turns that no runner asked for. Whoever asks for what was cut gets the full state
/// instead.
pub const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The most entries of a journal; a longer one is cut to its newest half. Reading all of them takes some 20
/// ms.
pub const ENTRIES_MAX: usize = 10_000;

/// The journal of a live session.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    bytes: u64,
    entries: usize,
    next: u64,
    /// Whether the file ends in half a line that couldn't be removed.
    half: bool,
}

/// The part of a journal that still exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// All requested entries, oldest first.
    Entries(Vec<Numbered>),
    /// The remaining entries: others after the requested number were cut or couldn't be written.
    Gap(Vec<Numbered>),
}

impl Journal {
    /// Opens the journal in a session's folder, continuing an existing one.
    pub(crate) fn open(session_dir: &Path) -> io::Result<Self> {
        let path = session_dir.join("journal");
        let entries = read_all(&path)?;
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
        let bytes = file.metadata()?.len();
        let next = entries.last().map_or(1, |last| last.seq + 1);
        let half = !ends_whole(&path)?;
        Ok(Self { path, file, bytes, entries: entries.len(), next, half })
    }

    pub(crate) fn last_seq(&self) -> u64 {
        self.next - 1
    }

    /// Numbers an entry and writes it. It keeps its number even if it can't be written: whoever listens now
    /// gets it, and whoever asks later learns of a gap.
    pub(crate) fn append(&mut self, entry: Entry, at: Wall) -> (Numbered, io::Result<()>) {
        let numbered = Numbered { seq: self.next, at, entry };
        self.next += 1;
        let written = self.write(&numbered);
        if let Some(session) = self.path.parent() {
            crate::folder::written(session, &numbered.entry);
        }
        (numbered, written)
    }

    /// The entries after `seq`.
    pub(crate) fn since(&self, seq: u64) -> io::Result<Since> {
        Ok(since(read_all(&self.path)?, seq, self.last_seq()))
    }

    fn write(&mut self, entry: &Numbered) -> io::Result<()> {
        let mut bytes = line(entry);
        if self.half {
            bytes.insert(0, b'\n');
        }
        if let Err(error) = self.file.write_all(&bytes).and_then(|()| self.file.sync_data()) {
            // The rest of it would spoil the next entry.
            self.half |= self.file.set_len(self.bytes).is_err();
            return Err(error);
        }
        self.half = false;
        self.bytes = self.file.metadata()?.len();
        self.entries += 1;
        if self.bytes > BYTES_MAX || self.entries > ENTRIES_MAX { self.cut() } else { Ok(()) }
    }

    /// Cuts the journal to its newest half, and at least the last entry.
    fn cut(&mut self) -> io::Result<()> {
        let entries = read_all(&self.path)?;
        let mut kept: Vec<Vec<u8>> = Vec::new();
        let mut bytes = 0;
        for line in entries.iter().rev().map(line) {
            bytes += line.len() as u64;
            if !kept.is_empty() && (bytes > BYTES_MAX / 2 || kept.len() >= ENTRIES_MAX / 2) {
                break;
            }
            kept.push(line);
        }
        kept.reverse();
        private::write_private(&self.path, &kept.concat()).map_err(io::Error::other)?;
        self.entries = kept.len();
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        self.bytes = self.file.metadata()?.len();
        Ok(())
    }
}

/// The entries after `seq` in the journal of a holder that is gone. A missing journal counts as empty.
///
/// # Errors
/// If it can't be read.
pub fn read(session_dir: &Path, seq: u64) -> io::Result<Since> {
    let entries = read_all(&session_dir.join("journal"))?;
    let last = entries.last().map_or(0, |last| last.seq);
    Ok(since(entries, seq, last))
}

fn since(entries: Vec<Numbered>, seq: u64, last: u64) -> Since {
    let after: Vec<Numbered> = entries.into_iter().filter(|entry| entry.seq > seq).collect();
    let whole = after.iter().map(|entry| entry.seq).eq(seq + 1..=last);
    if whole { Since::Entries(after) } else { Since::Gap(after) }
}

/// Whether the last line is complete.
fn ends_whole(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn line(entry: &Numbered) -> Vec<u8> {
    let mut line = serde_json::to_vec(&entry.out()).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Ignores lines that can't be read: a last one that a power failure cut off, or another version's.
fn read_all(path: &Path) -> io::Result<Vec<Numbered>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut entries = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        if let Ok(entry) = serde_json::from_slice(&line?) {
            entries.push(Numbered::back(entry));
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests;
