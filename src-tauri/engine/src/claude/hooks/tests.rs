use std::fs;

use crate::engine::Engine;
use crate::env::Env;

#[test]
fn the_settings_nearest_to_the_work_decide_whether_hooks_run() {
    let temp = tempfile::tempdir().expect("temp");
    let (home, folder) = (temp.path().join("home"), temp.path().join("work"));
    for folder in [&home, &folder] {
        fs::create_dir_all(folder.join(".claude")).expect("made");
    }
    let env = Env::new([("HOME", home.as_os_str().to_owned())]);
    let silenced = || super::super::Claude.silenced_by(&env, &folder).map(|silenced| silenced.by);
    assert_eq!(silenced(), None);

    let user = home.join(".claude/settings.json");
    fs::write(&user, r#"{"disableAllHooks": true, "model": "opus"}"#).expect("written");
    assert_eq!(silenced(), Some(user.clone()));

    let shared = folder.join(".claude/settings.json");
    fs::write(&shared, r#"{"disableAllHooks": false}"#).expect("written");
    assert_eq!(silenced(), None);

    let own = folder.join(".claude/settings.local.json");
    fs::write(&own, r#"{"disableAllHooks": true}"#).expect("written");
    assert_eq!(silenced(), Some(own));
    fs::write(&user, "not JSON").expect("written");
    fs::remove_file(folder.join(".claude/settings.local.json")).expect("removed");
    assert_eq!(silenced(), None);
}
