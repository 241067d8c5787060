//! Start at login: a desktop entry in the user's autostart folder, by the XDG Desktop Application Autostart
//! Specification 0.5. The file is the setting; nothing else remembers it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Sets variables for a program (POSIX).
const ENV: &str = "env";

/// The variable that moves everything of Repose's elsewhere.
const HOME: &str = "REPOSE_HOME";

/// The name of the desktop entry.
const ENTRY: &str = "repose.desktop";

/// The user's autostart folder.
pub(crate) fn folder(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let config = env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let config = config.or_else(|| env("HOME").map(|home| PathBuf::from(home).join(".config")))?;
    Some(config.join("autostart"))
}

/// The program that starts the app again. An AppImage's own program is on a mount that disappears with it.
pub(crate) fn program(own: &Path, env: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let image = env("APPIMAGE").map(PathBuf::from).filter(|image| image.is_absolute() && image.is_file());
    image.unwrap_or_else(|| own.to_owned())
}

/// Where Repose's state lies, if the environment says so.
pub(crate) fn state(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    env(HOME).filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// Whether it is on. An entry that was switched off in the desktop's own settings counts as off, and so does
/// one whose program is gone.
pub(crate) fn is_on(folder: &Path) -> bool {
    let Ok(entry) = fs::read_to_string(folder.join(ENTRY)) else { return false };
    let off = |line: &str| matches!(line.trim(), "Hidden=true" | "X-GNOME-Autostart-enabled=false");
    let starts = entry.lines().find_map(|line| line.strip_prefix("Exec=")).map(started);
    // The desktop looks for a program without a path.
    let there = |program: String| !program.starts_with('/') || Path::new(&program).is_file();
    !entry.lines().any(off) && starts.is_some_and(there)
}

/// Switches it on for this program, or off. `home` is the folder of its state, if somebody has put that
/// elsewhere: a login lacks the environment that this process was started in.
///
/// # Errors
/// If the entry can't be written or removed.
pub(crate) fn set(folder: &Path, program: &Path, home: Option<&Path>, on: bool) -> io::Result<()> {
    let entry = folder.join(ENTRY);
    if on {
        fs::create_dir_all(folder)?;
        return fs::write(entry, contents(program, home));
    }
    match fs::remove_file(entry) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn contents(program: &Path, home: Option<&Path>) -> String {
    let env = home.map(|home| format!("{ENV} {} ", quoted(&format!("{HOME}={}", home.display()))));
    let exec = env.unwrap_or_default() + &quoted(&program.to_string_lossy());
    format!(
        "[Desktop Entry]\nType=Application\nName=Repose\nComment=Keeps coding agents in your repos\nExec={exec} --hidden\nIcon=repose-desktop\nTerminal=false\n"
    )
}

/// A word of an `Exec` line, by the Desktop Entry Specification: quoted, with shell characters escaped, and
/// escaped again as a string of the file.
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

/// The program that an `Exec` line starts, also with variables set by [`ENV`].
fn started(line: &str) -> String {
    let words = words(line);
    let set = |word: &&String| *word == ENV || word.contains('=');
    let with_env = words.first().is_some_and(|first| first == ENV);
    let mut words = words.iter().skip_while(|word| with_env && set(word));
    words.next().cloned().unwrap_or_default()
}

/// The words of an `Exec` line: the inverse of [`quoted`].
fn words(line: &str) -> Vec<String> {
    // As a string of the file.
    let line = line.replace("\\\\", "\\").replace("%%", "%");
    let (mut words, mut word, mut within) = (Vec::new(), None::<String>, false);
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                within = !within;
                word.get_or_insert_default();
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            space if space.is_whitespace() && !within => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests;
