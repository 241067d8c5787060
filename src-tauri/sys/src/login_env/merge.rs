//! Merging two environments. Pure.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::{ASKING, Env};
use crate::tree::MARK;

/// Variables that describe the shell itself rather than the user's configuration: never taken over.
const OF_THE_SHELL: [&str; 10] =
    ["_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLUMNS", "LINES", "PS1", ASKING, MARK];

/// `own`, with what the login shell adds: names that are not set are set. A name that is set to nothing counts
/// as set.
///
/// Where each entry of our PATH is one of the login shell's, PATH is the login shell's, in its order: of a
/// program that is installed twice, agents get the one that a terminal finds. Else somebody has set up ours on
/// purpose: it stays in front, and entries that are missing go to its end.
#[must_use]
pub fn merge(own: &Env, login: &Env) -> Env {
    let path = OsStr::new("PATH");
    let mut merged = own.clone();
    for (name, value) in login {
        if OF_THE_SHELL.iter().any(|of_shell| name == of_shell) {
            continue;
        }
        let now = match own.get(name) {
            Some(ours) if name == path => in_order(ours, value),
            Some(_) => continue,
            None => value.clone(),
        };
        merged.insert(name.clone(), now);
    }
    merged
}

fn in_order(ours: &OsStr, theirs: &OsStr) -> OsString {
    // An empty entry means the current folder, which isn't added without being asked for.
    let theirs: Vec<&[u8]> = entries(theirs).filter(|entry| !entry.is_empty()).collect();
    let ours: Vec<&[u8]> = if ours.is_empty() { Vec::new() } else { entries(ours).collect() };
    let nothing_of_ours_is_lost = ours.iter().all(|entry| theirs.contains(entry));
    let mut all = if nothing_of_ours_is_lost { Vec::new() } else { ours };
    for entry in theirs {
        if !all.contains(&entry) {
            all.push(entry);
        }
    }
    OsString::from_vec(all.join(&b':'))
}

fn entries(path: &OsStr) -> impl Iterator<Item = &[u8]> {
    path.as_bytes().split(|byte| *byte == b':')
}
