//! Start at login: a desktop entry in the user's autostart folder, by the XDG Desktop Application Autostart
//! Specification 0.5. The file is the setting; nothing else remembers it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The entry's name.
const ENTRY: &str = "repose.desktop";

/// The user's autostart folder.
pub(crate) fn folder(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let config = env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| env("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(config.join("autostart"))
}

/// Whether it is on. An entry that somebody switched off in the desktop's own settings is off.
pub(crate) fn is_on(folder: &Path) -> bool {
    let Ok(entry) = fs::read_to_string(folder.join(ENTRY)) else { return false };
    let off = |line: &str| matches!(line.trim(), "Hidden=true" | "X-GNOME-Autostart-enabled=false");
    !entry.lines().any(off)
}

/// Switches it on, for this program; or off.
///
/// # Errors
/// If the entry can't be written or removed.
pub(crate) fn set(folder: &Path, program: &Path, on: bool) -> io::Result<()> {
    let entry = folder.join(ENTRY);
    if on {
        fs::create_dir_all(folder)?;
        return fs::write(entry, contents(program));
    }
    match fs::remove_file(entry) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn contents(program: &Path) -> String {
    let exec = quoted(&program.to_string_lossy());
    format!(
        "[Desktop Entry]\nType=Application\nName=Repose\nComment=Keeps coding agents in your repos\nExec={exec} --hidden\nIcon=repose-desktop\nTerminal=false\n"
    )
}

/// A word of an `Exec` line, by the Desktop Entry Specification: quoted, with what a shell would read escaped, and the
/// whole escaped once more as a string of the file.
fn quoted(word: &str) -> String {
    let inner = word.chars().fold(String::new(), |mut inner, char| {
        match char {
            '"' | '`' | '$' => inner.extend(["\\\\", &char.to_string()]),
            '\\' => inner.push_str("\\\\\\\\"),
            '%' => inner.push_str("%%"),
            other => inner.push(other),
        }
        inner
    });
    format!("\"{inner}\"")
}

#[cfg(test)]
mod tests;
