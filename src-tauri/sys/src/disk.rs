//! Free space on the disk.

use std::io;
use std::path::Path;

/// Bytes that the calling user may still write on the file system that holds `path`.
///
/// # Errors
/// If `path` does not exist or can't be reached.
pub fn free(path: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(path)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
