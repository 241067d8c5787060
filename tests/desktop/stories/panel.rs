//! The tray in a real panel, by mouse and keys.

use crate::app::Desk;
use crate::real_panel::{ICON, RealPanel};

#[test]
fn in_a_real_panel_a_click_opens_the_window_and_its_menu_pauses_a_repo() {
    let mut desk = Desk::without_panel("");
    let panel = RealPanel::start(&desk.screen, desk.home().join("panel"));
    desk.launch(&["--hidden"]);
    desk.add();
    desk.eventually("the icon", || (panel.icons() == Some(1)).then_some(()));
    desk.ask("hello");
    let tree = desk.tree();
    let screen = &desk.screen;
    screen.changed_by(|| screen.click(ICON, 3));
    screen.picture("panel-menu");
    // The first line that can be chosen is the repo's, and the first below it pauses it.
    screen.changed_by(|| screen.keys("Down"));
    screen.changed_by(|| screen.keys("Right"));
    screen.picture("panel-submenu");
    screen.changed_by(|| screen.keys("Return"));
    desk.wait_state("work", "paused");
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    assert!(desk.windows().is_empty(), "none of this needs a window");
    screen.changed_by(|| screen.click(ICON, 3));
    screen.picture("panel-paused");
    screen.changed_by(|| screen.keys("Escape"));
    desk.screen.click(ICON, 1);
    desk.screen.window("Repose");
}
