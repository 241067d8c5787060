//! Where Claude Code keeps its files.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::env::Env;

/// A longer name of a transcripts' folder is cut there, and a hash of the whole path put behind it.
const ENCODED_MAX: usize = 200;

/// Its own state and settings files have some kilobytes, or some megabytes after years. What is longer is not
/// read, and counts as a file that says nothing.
const STATE_MAX: u64 = 32 * 1024 * 1024;

/// The folder that holds everything but `.claude.json`.
pub(super) fn config(env: &Env) -> Option<PathBuf> {
    match env.get("CLAUDE_CONFIG_DIR") {
        Some(moved) => Some(PathBuf::from(moved)),
        None => Some(env.home()?.join(".claude")),
    }
}

/// Its state file, with what it knows of each folder.
pub(super) fn state(env: &Env) -> Option<PathBuf> {
    match env.get("CLAUDE_CONFIG_DIR") {
        Some(moved) => Some(Path::new(moved).join(".claude.json")),
        None => Some(env.home()?.join(".claude.json")),
    }
}

/// The folder with a status file for each living process.
pub(super) fn sessions(env: &Env) -> Option<PathBuf> {
    Some(config(env)?.join("sessions"))
}

/// The folder with a folder of transcripts for each folder that it was used in.
pub(super) fn projects(env: &Env) -> Option<PathBuf> {
    Some(config(env)?.join("projects"))
}

/// The folder with the transcripts of `folder`. Not only of that one: folders whose paths differ in
/// punctuation alone share it.
pub(super) fn transcripts(env: &Env, folder: &Path) -> Option<PathBuf> {
    Some(projects(env)?.join(encoded(&real(folder).to_string_lossy())))
}

/// The folder as Claude Code names it: links resolved. One that is gone is named as it was asked for.
pub(super) fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The content of one of its JSON files. `None`: there is none, or it says nothing that can be understood.
pub(super) fn json(path: &Path) -> Option<serde_json::Value> {
    let mut content = Vec::new();
    fs::File::open(path).ok()?.take(STATE_MAX).read_to_end(&mut content).ok()?;
    serde_json::from_slice(&content).ok()
}

/// The name of a path's folder of transcripts: each UTF-16 unit that is no ASCII letter or digit becomes a
/// dash.
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

/// Whether this folder of transcripts may be of a folder of that name. One whose name was cut may be of any.
pub(super) fn may_be_of_one_named(transcripts: &Path, name: &OsStr) -> bool {
    let end = format!("-{}", encoded(&name.to_string_lossy()));
    let kept = transcripts.file_name().unwrap_or_default().to_string_lossy();
    kept.len() > ENCODED_MAX || kept.ends_with(&end)
}

/// The hash that JavaScript programs use for strings: `h * 31 + unit`, in 32 bits.
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
