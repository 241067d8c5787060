//! Patterns with `*` (any text) and `?` (one character) for titles and paths.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

/// The most entries to read of a folder that a pattern passes through. Beyond that a newer file may be
/// missed.
const LISTED_MAX: usize = 10_000;

/// Whether the pattern matches the whole text.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut in_text) = (0, 0);
    // Where to continue if what follows the last `*` doesn't match.
    let mut back = None;
    while in_text < text.len() {
        match pattern.get(at) {
            Some('*') => {
                back = Some((at, in_text));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == text[in_text] => {
                at += 1;
                in_text += 1;
            }
            Some(_) | None => {
                let Some((star, taken)) = back else { return false };
                back = Some((star, taken + 1));
                at = star + 1;
                in_text = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

/// The newest file whose path matches the pattern. `*` and `?` don't match a `/`.
pub(super) fn newest(pattern: &Path) -> Option<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let Component::Normal(name) = component else {
            found.iter_mut().for_each(|path| path.push(component));
            continue;
        };
        let name = name.to_string_lossy();
        if !name.contains(['*', '?']) {
            found.iter_mut().for_each(|path| path.push(&*name));
            continue;
        }
        let folders = std::mem::take(&mut found);
        let listed = folders.iter().filter_map(|folder| fs::read_dir(folder).ok());
        let entries = listed.flat_map(|entries| entries.flatten().take(LISTED_MAX));
        found = entries
            .filter(|entry| fits(&name, &entry.file_name().to_string_lossy()))
            .map(|entry| entry.path())
            .collect();
    }
    let changed = |path: &PathBuf| {
        let meta = fs::metadata(path).ok().filter(|meta| meta.is_file())?;
        Some(meta.modified().unwrap_or(SystemTime::UNIX_EPOCH))
    };
    found.into_iter().filter_map(|path| Some((changed(&path)?, path))).max().map(|(_, path)| path)
}
