//! How Claude Code's input line is edited.

use std::path::{Path, PathBuf};

use super::files;
use crate::env::Env;
use crate::setup;

/// Whether the line has vim's modes, by the settings and by what older versions keep in the state file (2.1.332).
pub(super) fn is_modal(env: &Env, folder: &Path) -> bool {
    let mode = |path: PathBuf| setup::json(&path)?["editorMode"].as_str().map(str::to_owned);
    let mut places = files::settings(env, folder).chain(files::state(env));
    places.find_map(mode).is_some_and(|mode| mode == "vim")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::claude::Claude;
    use crate::engine::Engine;
    use crate::env::Env;

    #[test]
    fn the_settings_say_whether_the_line_has_modes() {
        let temp = tempfile::tempdir().expect("temp");
        let (home, folder) = (temp.path().join("home"), temp.path().join("work"));
        for folder in [&home, &folder] {
            fs::create_dir_all(folder.join(".claude")).expect("made");
        }
        let env = Env::new([("HOME", home.as_os_str().to_owned())]);
        let is_modal = || {
            let habits = Claude.habits(&env, &folder);
            assert_eq!(habits.modal, habits.esc_twice.is_none(), "its Esc takes nothing away");
            habits.modal
        };
        assert!(!is_modal());
        fs::write(home.join(".claude.json"), r#"{"editorMode": "vim"}"#).expect("written");
        assert!(is_modal());
        fs::write(home.join(".claude/settings.json"), r#"{"editorMode": "normal"}"#).expect("written");
        assert!(!is_modal());
        fs::write(folder.join(".claude/settings.json"), r#"{"editorMode": "vim"}"#).expect("written");
        assert!(is_modal());
    }
}
