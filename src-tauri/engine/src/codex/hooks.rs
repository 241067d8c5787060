//! Whether Codex's settings allow hooks at all.

use std::path::{Path, PathBuf};

use toml::Table;

use super::files;
use crate::env::Env;
use crate::setup;
use crate::told::Silenced;

/// The folder of the machine's own settings.
const SYSTEM: &str = "/etc/codex";

/// In an administrator's requirements: only their hooks are allowed.
const MANAGED_ONLY: &str = "allow_managed_hooks_only";

/// The switch for hooks, by its present and its former name.
const SWITCHES: [(&str, &str); 2] = [("hooks", "features.hooks"), ("codex_hooks", "features.codex_hooks")];

/// The settings file in force that switches hooks off. An administrator's requirements take precedence; of
/// several files that mention it, the nearest to the work counts: the folder's own, then the user's, then the
/// machine's.
pub(super) fn silenced_by(env: &Env, folder: &Path) -> Option<Silenced> {
    by(env, folder, Path::new(SYSTEM))
}

fn by(env: &Env, folder: &Path, system: &Path) -> Option<Silenced> {
    let required = system.join("requirements.toml");
    if let Some(table) = read(&required) {
        if table.get(MANAGED_ONLY).and_then(toml::Value::as_bool) == Some(true) {
            return Some(silenced(required, MANAGED_ONLY));
        }
        if let Some((key, on)) = says(&table) {
            return (!on).then(|| silenced(required, key));
        }
    }
    let of_user = files::home(env).map(|home| home.join("config.toml"));
    let in_order = [Some(folder.join(".codex/config.toml")), of_user, Some(system.join("config.toml"))];
    let said = |path: PathBuf| says(&read(&path)?).map(|(key, on)| (path, key, on));
    let (path, key, on) = in_order.into_iter().flatten().find_map(said)?;
    (!on).then(|| silenced(path, key))
}

fn silenced(by: PathBuf, key: &'static str) -> Silenced {
    let so = "so it reports little to Repose: answers come later, and some of what it does isn't seen";
    Silenced { by, key, what: "hooks", so }
}

/// The switch in this file, and whether it is on.
fn says(settings: &Table) -> Option<(&'static str, bool)> {
    let features = settings.get("features")?;
    SWITCHES.iter().find_map(|(name, key)| Some((*key, features.get(name)?.as_bool()?)))
}

fn read(path: &Path) -> Option<Table> {
    setup::text(path)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_switches_hooks_off_is_named_and_the_nearest_word_counts() {
        let temp = tempfile::tempdir().expect("a temp folder");
        let (home, folder, system) =
            (temp.path().join("home"), temp.path().join("repo"), temp.path().join("etc"));
        for made in [home.join(".codex"), folder.join(".codex"), system.clone()] {
            fs::create_dir_all(made).expect("a writable folder");
        }
        let env = Env::new([("HOME", &home)]);
        let named = || by(&env, &folder, &system).map(|silenced| (silenced.by, silenced.key));
        let write = |path: &Path, text: &str| fs::write(path, text).expect("a writable folder");
        let (of_user, of_folder) = (home.join(".codex/config.toml"), folder.join(".codex/config.toml"));
        assert_eq!(named(), None);
        write(&of_user, "model = \"gpt-5\"\n[features]\nhooks = false\n");
        assert_eq!(named(), Some((of_user.clone(), "features.hooks")));
        write(&of_user, "features = { codex_hooks = false }\n");
        assert_eq!(named(), Some((of_user.clone(), "features.codex_hooks")));
        write(&of_folder, "features.hooks = true\n");
        assert_eq!(named(), None, "the folder's own word is nearer");
        let required = system.join("requirements.toml");
        write(&required, "allow_managed_hooks_only = true\n");
        assert_eq!(named(), Some((required.clone(), MANAGED_ONLY)));
        write(&required, "[features]\nhooks = false\n");
        assert_eq!(named(), Some((required, "features.hooks")));
    }
}
