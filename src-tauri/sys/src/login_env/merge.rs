//! Merging two environments. Pure.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::{ASKING, Env};
use crate::tree::MARK;

/// Variables that describe the shell itself rather than the user's configuration: never taken over.
const OF_THE_SHELL: [&str; 10] =
    ["_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLUMNS", "LINES", "PS1", ASKING, MARK];

/// `own`, with what the login shell adds: its PATH entries that are missing go to the end of
/// PATH, in their order, and names that are not set are set. Nothing of `own` is changed or
/// reordered; a name that is set to nothing counts as set.
#[must_use]
pub fn merge(own: &Env, login: &Env) -> Env {
    let path = OsStr::new("PATH");
    let mut merged = own.clone();
    for (name, value) in login {
        if OF_THE_SHELL.iter().any(|of_shell| name == of_shell) {
            continue;
        }
        let now = match own.get(name) {
            Some(ours) if name == path => append_missing(ours, value),
            Some(_) => continue,
            None => value.clone(),
        };
        merged.insert(name.clone(), now);
    }
    merged
}

fn append_missing(ours: &OsStr, theirs: &OsStr) -> OsString {
    let entries =
        |path: &OsStr| path.as_bytes().split(|byte| *byte == b':').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let mut all = if ours.is_empty() { Vec::new() } else { entries(ours) };
    for entry in entries(theirs) {
        // An empty entry means the current folder, which isn't added without being asked for.
        if !entry.is_empty() && !all.contains(&entry) {
            all.push(entry);
        }
    }
    OsString::from_vec(all.join(&b':'))
}
