//! What an engine's user has of their own: settings, hooks, servers, the folder itself. It stays and works
//! with any engine. Run on each of them by [`super::acceptance`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::World;
use crate::support::engines::Under;

pub(super) fn the_users_own_hooks_run_and_their_settings_stay(under: Under) {
    if under == Under::Shell {
        return; // It has neither.
    }
    let world = World::under(under, "");
    let [hooked, served] = ["hooked", "served"].map(|name| world.home().join(name));
    under.own_hook(&world, &hooked);
    under.own_server(&world, &served);
    let users = Files::of(&world);
    // Programs add notes to their user's settings. Those that the bare program writes are allowed.
    let terminal = under.bare(&world, "hello");
    let both_told = || [&hooked, &served].iter().all(|told| told.exists());
    world.eventually("the user's own hook and server", || both_told().then_some(()));
    drop(terminal);
    world.eventually("the bare program's end", || (world.processes().len() == 1).then_some(()));
    let bare = Files::of(&world);
    [&hooked, &served].iter().for_each(|told| std::fs::remove_file(told).expect("a file of our own"));

    world.ask("hello again");
    world.eventually("the user's own hook and server", || both_told().then_some(()));
    world.ok(&["stop", "work"]);
    let after = Files::of(&world);
    let not_theirs = after.beyond(&bare, &users);
    assert!(not_theirs.is_empty(), "the bare program changes nothing of this: {not_theirs:#?}");
}

/// All files in the home and in the folder, by their names in the world and split into parts: each value of a
/// JSON or TOML file is one.
struct Files(BTreeMap<PathBuf, BTreeMap<String, String>>);

impl Files {
    fn of(world: &World) -> Self {
        let mut files = BTreeMap::new();
        let home = world.home();
        let world_root = home.parent().expect("a folder of its own");
        for root in [world.home(), world.repo("work")] {
            let mut folders = vec![root];
            while let Some(folder) = folders.pop() {
                for entry in std::fs::read_dir(folder).expect("a folder that stays").flatten() {
                    let (path, kind) = (entry.path(), entry.file_type().expect("an entry"));
                    if kind.is_dir() {
                        folders.push(path);
                    } else if kind.is_file() {
                        // One for a moment may be gone again.
                        let parts = std::fs::read(&path).map(|bytes| parts(&path, &bytes));
                        let name = path.strip_prefix(world_root).expect("a file of this world").to_owned();
                        files.extend(parts.ok().map(|parts| (name, parts)));
                    }
                }
            }
        }
        Self(files)
    }

    /// What differs from `bare` and isn't of a kind that the bare program itself changed in its user's files.
    fn beyond(&self, bare: &Self, users: &Self) -> Vec<String> {
        let places = |files: &Self| files.0.keys().map(|path| place(path)).collect::<BTreeSet<_>>();
        let (theirs, own) = (places(users), places(bare));
        let new = self.0.keys().filter(|path| !bare.0.contains_key(*path));
        let misplaced = new.filter(|path| theirs.contains(&place(path)) || !own.contains(&place(path)));
        let mut found: Vec<_> = misplaced.map(|path| format!("{} is new", path.display())).collect();
        for (path, before) in &users.0 {
            let of = |files: &Self| files.0.get(path).cloned().unwrap_or_default();
            let (noted, after) = (of(bare), of(self));
            let by_itself = changed(before, &noted);
            let tables: BTreeSet<_> = by_itself.iter().map(|part| table(part)).collect();
            let beyond = changed(&noted, &after).into_iter().filter(|part| {
                let mut above = std::iter::successors(Some(table(part)), |inner| {
                    (!inner.is_empty()).then(|| table(inner))
                });
                let another_note = !before.contains_key(part) && above.any(|table| tables.contains(table));
                !by_itself.contains(part) && !another_note
            });
            found.extend(beyond.map(|part| format!("{}: {part}", path.display())));
        }
        found
    }
}

/// Between the names of a table and of what it holds.
const INSIDE: &str = " > ";

/// A program keeps its records in a few places, where nobody else has anything: `home/.codex/sessions`.
fn place(path: &Path) -> PathBuf {
    path.components().take(3).collect()
}

fn parts(path: &Path, bytes: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(bytes);
    let value = match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => serde_json::from_str(&text).ok(),
        Some("toml") => toml::from_str(&text).ok(),
        _ => None,
    };
    let mut parts = BTreeMap::new();
    take_apart(String::new(), &value.unwrap_or(Value::String(text.into_owned())), &mut parts);
    parts
}

fn take_apart(name: String, value: &Value, parts: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(table) if !table.is_empty() => {
            for (key, value) in table {
                take_apart(format!("{name}{INSIDE}{key}"), value, parts);
            }
        }
        Value::Object(_)
        | Value::Array(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_) => {
            parts.insert(name, value.to_string());
        }
    }
}

/// The names of the parts that aren't the same in both.
fn changed(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> BTreeSet<String> {
    let names = one.keys().chain(other.keys());
    names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

/// What a part stands in.
fn table(part: &str) -> &str {
    part.rsplit_once(INSIDE).map_or("", |(table, _)| table)
}
