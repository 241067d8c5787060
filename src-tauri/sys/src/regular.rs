//! Reads files that anybody may have put there. Opening a pipe would block, and a device may have no end.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The content of a regular file of at most `max` bytes.
///
/// # Errors
/// As for [`std::fs::read`]; `InvalidInput` if it isn't a regular file, `FileTooLarge` if it is longer.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    // Otherwise opening a pipe would block until somebody writes to it.
    let nonblock = OFlags::NONBLOCK.bits().cast_signed();
    let file = File::options().read(true).custom_flags(nonblock).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !kind.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it isn't a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {max} bytes")));
    }
    Ok(bytes)
}
