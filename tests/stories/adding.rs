//! Adding a folder.

use crate::support::World;

#[test]
fn a_folder_that_holds_nearly_everything_is_added_only_on_a_second_word() {
    let mut world = World::new();
    world.serve();
    let home = world.home().to_str().expect("UTF-8").to_owned();
    let repos = || world.ok(&["ls"])["repos"].as_array().expect("repos").len();
    for (folder, what) in [("/", "the whole machine"), (&home, "a whole home folder")] {
        let error = world.repose(&["add", folder]).refused(2, "bad_request");
        assert!(error["message"].to_string().contains(what), "{error:#}");
        assert!(error["hints"].to_string().contains("`--yes`"), "{error:#}");
    }
    for (answer, code, added) in [("\r", 3, 0), ("n\r", 3, 0), ("y\r", 0, 1)] {
        let mut terminal = world.terminal(&["add", &home]);
        terminal.wait_for_text("Add it? [y/N]");
        terminal.type_(answer);
        assert_eq!(terminal.wait_ended(), code, "{}", terminal.screen());
        assert_eq!(repos(), added, "{answer:?}");
    }
    world.ok(&["rm", &home]);
    world.ok(&["add", &home, "--yes"]);
    assert_eq!(repos(), 1);
}
