//! The real window, driven as a user would.

use crate::app::Desk;
use crate::driver::Driven;

#[test]
fn ask_pause_and_resume_in_the_window() {
    let desk = Desk::running("");
    let driven = Driven::start(&desk);
    driven.choose("a[data-repo]");
    driven.type_into("textarea", "hello\u{e007}");
    driven.says("Reply 1 to 'hello'");
    desk.screen.picture("window-conversation");
    let tree = desk.tree();
    driven.click("button", "Pause");
    desk.wait_state("work", "paused");
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    driven.click("button", "Resume");
    desk.wait_state("work", "ready");
    desk.screen.picture("window-resumed");
}

#[test]
fn the_page_gets_nothing_of_the_apps_and_stays_where_it_is() {
    let desk = Desk::running("");
    let driven = Driven::start(&desk);
    driven.says("work");
    let home = driven.address();
    let exposed = driven.script("return [typeof window.__TAURI__, typeof window.ipc?.postMessage]");
    assert_eq!(exposed[0], "undefined");
    for leaves in ["location.href = 'http://example.invalid/'", "window.open('http://example.invalid/')"] {
        driven.script(leaves);
        driven.says("work");
        assert_eq!(driven.address(), home, "{leaves}");
    }
    let asked = driven.script(
        "const ask = window.__TAURI_INTERNALS__?.invoke;
         return (ask ? ask('plugin:window|close') : Promise.reject('nobody to ask')).then(() => 'done', String)",
    );
    let asked = asked.as_str().expect("an answer").to_owned();
    assert_ne!(asked, "done", "no command of the window's is the page's");
    driven.says("work");
}
