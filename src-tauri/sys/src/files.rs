//! Which files processes have open. Linux shows this in `/proc`; other systems aren't supported yet.

use std::fs;
use std::io;
use std::path::PathBuf;

/// The files that a process has open.
///
/// # Errors
/// If the process is gone or another user's, or the system doesn't show it (`Unsupported`).
pub fn open(pid: u32) -> io::Result<Vec<PathBuf>> {
    supported()?;
    let descriptors = fs::read_dir(format!("/proc/{pid}/fd"))?;
    // A descriptor that was closed since the folder was read is skipped.
    Ok(descriptors.flatten().filter_map(|descriptor| fs::read_link(descriptor.path()).ok()).collect())
}

/// The files that each process of this user has open.
///
/// # Errors
/// If the system doesn't show it (`Unsupported`).
pub fn all() -> io::Result<Vec<(u32, Vec<PathBuf>)>> {
    supported()?;
    let entries = fs::read_dir("/proc")?.flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    // A process that has ended since, or is another user's, shows nothing.
    Ok(pids.filter_map(|pid| Some((pid, open(pid).ok()?))).collect())
}

/// The terminal that a process reads from, if the system shows it.
#[must_use]
pub fn terminal(pid: u32) -> Option<String> {
    let input = fs::read_link(format!("/proc/{pid}/fd/0")).ok()?;
    let name = input.to_str()?;
    (name.starts_with("/dev/pts/") || name.starts_with("/dev/tty")).then(|| name.to_owned())
}

/// The folder that a process works in, if the system shows it.
#[must_use]
pub fn folder(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

fn supported() -> io::Result<()> {
    if cfg!(target_os = "linux") {
        return Ok(());
    }
    let words = "this system doesn't show which files a process has open; what depends on it is not known";
    Err(io::Error::new(io::ErrorKind::Unsupported, words))
}
