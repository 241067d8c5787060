//! The real window, driven as a user would.

use std::net::TcpListener;
use std::time::Duration;

use crate::app::Desk;
use crate::driver::Driven;

/// How long to watch for something that must not happen.
const STAYS: Duration = Duration::from_secs(2);

/// Return, by WebDriver's name for the key.
const RETURN: &str = "\u{e007}";

#[test]
fn add_ask_pause_and_resume_in_the_window() {
    let mut desk = Desk::new("");
    desk.launch(&["--hidden"]);
    let driven = Driven::start(&desk);
    driven.says("Which repos do you work in?");
    let folder = desk.repo("work").display().to_string();
    driven.painted();
    desk.screen.picture("window-first-run");
    driven.type_into("input[aria-label='Path of the folder']", &folder);
    driven.click("button", "Add");
    desk.panel().line("work · asleep");
    driven.type_into("textarea", &format!("hello{RETURN}"));
    driven.says("Reply 1 to 'hello'");
    driven.painted();
    desk.screen.picture("window-conversation");
    let window = desk.screen.shows("work");
    desk.screen.press(&window, "ctrl+f");
    desk.screen.types("hello");
    let sought = "return document.querySelector('[role=search] input[aria-label^=Find]')?.value";
    desk.eventually("all that was typed to be looked for", || {
        (driven.script(sought) == "hello").then_some(())
    });
    desk.screen.press(&window, "Escape");
    let tree = desk.tree();
    driven.click("button", "Pause");
    desk.panel().line("work · paused · freed ");
    assert!(tree.iter().all(|process| !process.alive()), "{tree:#?}");
    driven.painted();
    desk.screen.picture("window-paused");
    driven.click("button", "Resume");
    desk.wait_state("work", "ready");
    driven.says("Picked up this repo's previous conversation");
    driven.painted();
    desk.screen.picture("window-resumed");
}

#[test]
fn the_page_gets_nothing_of_the_apps() {
    let desk = Desk::running("");
    let driven = Driven::start(&desk);
    driven.says("work");
    assert_eq!(driven.script("return typeof window.__TAURI__"), "undefined");
    let asked = driven.script(
        "const ask = window.__TAURI_INTERNALS__?.invoke;
         return (ask ? ask('plugin:window|close') : Promise.reject('nobody to ask')).then(() => 'done', String)",
    );
    let asked = asked.as_str().expect("an answer").to_owned();
    assert_ne!(asked, "done", "no command of the window's is the page's");
    driven.says("work");
}

#[test]
fn a_window_has_the_pages_colour_before_there_is_a_page() {
    const LIGHT: (u8, u8, u8) = (0xf3, 0xf3, 0xf1);
    const DARK: (u8, u8, u8) = (0x14, 0x15, 0x18);
    let mut desk = Desk::new("");
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let link = format!("http://{}/", mute.local_addr().expect("an address"));
    let begins = |desk: &mut Desk, colour| {
        let mut app = desk.spawn(&["--window", &link]);
        let window = desk.screen.window("Repose");
        desk.eventually("the colour", || (desk.screen.colour(&window) == Some(colour)).then_some(()));
        desk.screen.press(&window, "ctrl+q");
        let ended = desk.eventually("the window's end", || app.try_wait().expect("our own child"));
        assert!(ended.success(), "{ended}");
    };
    begins(&mut desk, LIGHT);
    desk.env = vec![("GTK_THEME".into(), "Adwaita:dark".into())];
    begins(&mut desk, DARK);

    desk.env.clear();
    desk.launch(&[]);
    let window = desk.screen.window("Repose");
    desk.add();
    let dark =
        || desk.screen.colour(&window).is_some_and(|(red, green, blue)| red.max(green).max(blue) < 0x40);
    for theme in ["dark", "light", "dark"] {
        desk.eventually(&format!("the {theme} page"), || {
            // A page that isn't there yet hears nothing of it.
            desk.screen.press(&window, "ctrl+k");
            desk.screen.types(&format!("theme: {theme}"));
            desk.screen.keys("Return");
            (dark() == (theme == "dark")).then_some(())
        });
    }
    desk.screen.picture("dark");
    desk.screen.close(&window);
    desk.no_window();
    begins(&mut desk, DARK);
}

#[test]
fn what_leads_away_opens_in_the_browser_and_the_window_stays_the_one_it_is() {
    let desk = Desk::running("");
    desk.browser();
    let driven = Driven::start(&desk);
    driven.says("work");
    let (home, window) = (driven.address(), desk.the_window());
    let ways = [
        "here.href = AWAY",
        "here.href = AWAY; here.target = '_blank'",
        "here.onclick = () => window.open(AWAY)",
        "here.onclick = () => { location.href = AWAY }",
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let away = format!("http://elsewhere.invalid/{number}");
        driven.script(&format!(
            "const AWAY = '{away}'; const here = document.createElement('a'); here.id = 'away-{number}';
             here.textContent = 'away'; {way}; document.querySelector('main').prepend(here)"
        ));
        driven.choose(&format!("#away-{number}"));
        assert_eq!(desk.link(number), away, "{way}");
        assert_eq!(driven.address(), home, "{way}");
        assert_eq!(desk.the_window(), window, "{way}");
        assert_eq!(desk.screen.windows("Repose").len(), 1, "{way}");
        driven.says("work");
    }
}

#[test]
fn a_window_that_is_wanted_while_it_closes_comes_back() {
    let desk = Desk::running("");
    desk.panel().click("work · asleep", Some("Open"));
    let shown = desk.screen.shows("work");
    let (window, page) = (desk.the_window(), desk.the_page());
    // Its page says nothing, so that its end takes as long as it may.
    desk.freeze(&page);
    desk.screen.close(&shown);
    desk.panel().click("work · asleep", Some("Open"));
    desk.eventually("another window", || desk.windows().into_iter().find(|one| *one != window));
    page.kill();
    desk.screen.shows("work");
}

/// How many more times to kill a page that is loaded again, until it is given up.
const DEATHS: usize = 20;

#[test]
fn a_page_whose_process_dies_is_loaded_again_and_not_for_ever() {
    let desk = Desk::running("");
    desk.panel().click("work · asleep", Some("Open"));
    desk.screen.shows("work");
    let window = desk.the_window();
    for _ in 0..3 {
        let page = desk.the_page();
        page.kill();
        desk.eventually("another page", || (desk.the_page() != page).then_some(()));
        desk.screen.shows("work");
        assert_eq!(desk.the_window(), window);
    }
    assert_eq!(desk.notes.titles(), [""; 0]);
    // On a slow machine the first of these may be long ago by now.
    for _ in 0..DEATHS {
        let Some(page) = desk.page_or_none() else { break };
        page.kill();
        desk.eventually("another page, or none", || {
            let (one, window) = (desk.page_or_none(), desk.windows().is_empty());
            (window || one.is_some_and(|one| one != page)).then_some(())
        });
    }
    desk.notes.titled("The window could not stay open");
    desk.no_window();
}

#[test]
fn nothing_is_saved_from_the_window() {
    let desk = Desk::running("");
    let driven = Driven::start(&desk);
    driven.says("work");
    driven.script(
        "const here = document.createElement('a'); here.id = 'saved'; here.textContent = 'save';
         here.href = '/api/openapi.json'; here.download = 'saved.json'; document.querySelector('main').prepend(here)",
    );
    driven.choose("#saved");
    let saved = |name: &str| name.starts_with("saved");
    let files = || {
        std::fs::read_dir(desk.home())
            .expect("a home")
            .filter_map(|file| file.ok()?.file_name().into_string().ok())
    };
    desk.stays(STAYS, "nothing is written", || {
        !files().any(|name| saved(&name)) && !desk.home().join("Downloads").exists()
    });
    driven.says("work");
}

#[test]
fn settings_that_cant_be_read_show_in_the_tray_and_in_the_window() {
    let desk = Desk::running("");
    let driven = Driven::start(&desk);
    driven.says("Nothing waits for you.");
    desk.settings("idle_after = \n");
    desk.panel().line("Settings can't be read…");
    driven.says("Settings can't be read.");
    driven.painted();
    desk.screen.picture("window-broken-settings");
}
