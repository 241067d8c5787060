//! Where Claude Code keeps its files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::login;
use crate::env::Env;

/// The most characters in the name of a folder of transcripts; a longer one is cut, and a hash of the whole
/// path appended.
const ENCODED_MAX: usize = 200;

/// The folder with everything except `.claude.json`.
pub(super) fn config(env: &Env) -> Option<PathBuf> {
    match env.get("CLAUDE_CONFIG_DIR") {
        Some(moved) => Some(PathBuf::from(moved)),
        None => Some(env.home()?.join(".claude")),
    }
}

/// The settings files for a folder, the nearest to the work first: an administrator's, then the folder's own,
/// then the folder's shared one, then the user's.
pub(super) fn settings(env: &Env, folder: &Path) -> impl Iterator<Item = PathBuf> {
    let of_folder = |name: &str| folder.join(".claude").join(name);
    let of_user = config(env).map(|config| config.join("settings.json"));
    let nearer = [login::MANAGED.into(), of_folder("settings.local.json"), of_folder("settings.json")];
    nearer.into_iter().chain(of_user)
}

/// The state file, with what is known of each folder.
pub(super) fn state(env: &Env) -> Option<PathBuf> {
    match env.get("CLAUDE_CONFIG_DIR") {
        Some(moved) => Some(Path::new(moved).join(".claude.json")),
        None => Some(env.home()?.join(".claude.json")),
    }
}

/// The folder with a status file for each live process.
pub(super) fn sessions(env: &Env) -> Option<PathBuf> {
    Some(config(env)?.join("sessions"))
}

/// The folder with one folder of transcripts for each folder that was used.
pub(super) fn projects(env: &Env) -> Option<PathBuf> {
    Some(config(env)?.join("projects"))
}

/// The folder with the transcripts of `folder`. Folders whose paths differ only in punctuation share it.
pub(super) fn transcripts(env: &Env, folder: &Path) -> Option<PathBuf> {
    Some(projects(env)?.join(encoded(&real(folder).to_string_lossy())))
}

/// The folder in the form that Claude Code uses, with links resolved. If it is gone, as given.
pub(super) fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The name of the folder of transcripts for a path: each UTF-16 unit that isn't an ASCII letter or digit
/// becomes a dash.
fn encoded(path: &str) -> String {
    let name: String = path
        .encode_utf16()
        .map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from))
        .collect();
    if name.len() <= ENCODED_MAX {
        return name;
    }
    format!("{}-{}", &name[..ENCODED_MAX], base36(hash(path).unsigned_abs()))
}

/// Whether this folder of transcripts may belong to a folder with that name. If its name was cut, it may
/// belong to any.
pub(super) fn may_be_of_one_named(transcripts: &Path, name: &OsStr) -> bool {
    let end = format!("-{}", encoded(&name.to_string_lossy()));
    let kept = transcripts.file_name().unwrap_or_default().to_string_lossy();
    kept.len() > ENCODED_MAX || kept.ends_with(&end)
}

/// The string hash that is common in JavaScript: `h * 31 + unit`, in 32 bits.
fn hash(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests;
