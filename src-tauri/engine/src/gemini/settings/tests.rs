use std::path::Path;

use super::{jsonc, would_lose};
use crate::Env;

/// The user's settings, the workspace's, and whether its folder is trusted: whether a conversation is safe.
const TABLE: [(&str, &str, Option<&str>, bool); 9] = [
    ("", "", Some("TRUST_FOLDER"), false),
    (KEEPS, "", None, true),
    (KEEPS_WITH_COMMENTS, "", None, true),
    (TIDIES, "", None, false),
    ("{ broken", "", None, false),
    ("", KEEPS, Some("TRUST_FOLDER"), true),
    ("", KEEPS, Some("DO_NOT_TRUST"), false),
    ("", KEEPS, None, false),
    (KEEPS, TIDIES, None, false),
];

const KEEPS: &str = r#"{ "general": { "sessionRetention": { "enabled": false } } }"#;
const TIDIES: &str = r#"{ "general": { "sessionRetention": { "maxAge": "30d", "enabled": true } } }"#;
const KEEPS_WITH_COMMENTS: &str = "{ /* mine: */ \"x\": \"http://u\\\"//\", // and\n \
     \"general\": { \"sessionRetention\": { \"enabled\": false } } }";

fn write(file: &Path, text: &str) {
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    std::fs::write(file, text).expect("written");
}

#[test]
fn a_conversation_is_safe_only_where_no_setting_in_force_tidies_up() {
    for (user, workspace, trust, safe) in TABLE {
        let temp = tempfile::tempdir().expect("a temp folder");
        let home = temp.path().canonicalize().expect("a folder");
        let folder = home.join("tides");
        write(&home.join(".gemini/settings.json"), user);
        write(&folder.join(".gemini/settings.json"), workspace);
        if let Some(level) = trust {
            let rules = format!("{{ \"{}\": \"{level}\" }}", folder.display());
            write(&home.join(".gemini/trustedFolders.json"), &rules);
        }
        let system = home.join("no-system.json");
        let env = Env::new([("HOME", &home), ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &system)]);
        let loss = would_lose(&env, &folder);
        assert_eq!(loss.is_none(), safe, "{user} {workspace} {trust:?}: {loss:?}");
        if let Some(loss) = loss {
            assert_eq!(
                loss.hint(),
                "Set general.sessionRetention.enabled to false in ~/.gemini/settings.json, and it can be."
            );
        }
    }
}

#[test]
fn a_system_file_that_anybody_can_write_says_nothing() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let file = temp.path().join("settings.json");
    write(&file, KEEPS);
    let env = Env::new([("HOME", temp.path()), ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", &file)]);
    // The folder of temp folders is everybody's.
    assert!(would_lose(&env, temp.path()).is_some());
}

#[test]
fn a_title_that_says_nothing_is_named() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, folder) = (Env::new([("HOME", temp.path())]), temp.path().join("tides"));
    let key = |ui: &str| {
        write(&temp.path().join(".gemini/settings.json"), &format!("{{ \"ui\": {ui} }}"));
        super::silenced_by(&env, &folder).map(|silenced| silenced.key)
    };
    assert_eq!(key("{ \"hideWindowTitle\": true }"), Some("ui.hideWindowTitle"));
    assert_eq!(key("{ \"dynamicWindowTitle\": false }"), Some("ui.dynamicWindowTitle"));
    assert_eq!(key("{ \"hideWindowTitle\": false }"), None);

    // The workspace's word is above the user's, unless its folder isn't trusted.
    let workspace = folder.join(".gemini/settings.json");
    write(&workspace, "{ \"ui\": { \"hideWindowTitle\": true } }");
    let silenced = super::silenced_by(&env, &folder).expect("it hides its title");
    assert_eq!((silenced.by, silenced.key), (workspace, "ui.hideWindowTitle"));
    let real = folder.canonicalize().expect("a folder");
    let rules = format!("{{ \"{}\": \"DO_NOT_TRUST\" }}", real.display());
    write(&temp.path().join(".gemini/trustedFolders.json"), &rules);
    assert_eq!(super::silenced_by(&env, &folder), None);
}

#[test]
fn comments_count_as_nothing_and_a_string_is_no_comment() {
    assert_eq!(jsonc::value("{\"a\": \"/* b */\"} // c"), Some(serde_json::json!({ "a": "/* b */" })));
    assert_eq!(jsonc::value("{\"a\": 1 / 2}"), None);
}
