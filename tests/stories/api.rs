//! The HTTP API: who gets in, and that it answers as the program does.

use crate::support::World;
use crate::support::http::{Answer, send};

fn console(world: &World) -> String {
    let status = world.ok(&["status"]);
    status["runner"]["console"].as_str().expect("an address").trim_end_matches('/').to_owned()
}

/// The cookie that the one-time link is exchanged for.
fn login(world: &World, origin: &str) -> String {
    let printed = world.ok(&["console", "--print"]).to_string();
    let from = printed.find(origin).unwrap_or_else(|| panic!("no link to {origin} in {printed}"));
    let path = printed[from + origin.len()..].split('"').next().unwrap_or_default();
    let answer = send(origin, "GET", path, &[]);
    assert_eq!(answer.status, 303, "{answer:#?}");
    let cookie = answer.header("set-cookie").unwrap_or_else(|| panic!("no cookie: {answer:#?}"));
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let again = send(origin, "GET", path, &[]);
    assert!(again.header("set-cookie").is_none(), "the link worked twice: {again:#?}");
    cookie.split(';').next().unwrap_or_default().to_owned()
}

#[test]
fn without_a_token_nothing_is_told() {
    let world = World::running("");
    let origin = console(&world);
    for path in ["/api/repos", "/api/repos/none/terminal", "/api/diagnostics", "/api/no-such-thing"] {
        assert_eq!(send(&origin, "GET", path, &[]).status, 401, "{path}");
    }
    assert_eq!(send(&origin, "POST", "/api/pause-all", &[("Origin", &origin)]).status, 401);
}

#[test]
fn a_foreign_host_or_origin_is_refused_even_with_a_cookie() {
    let world = World::running("");
    let origin = console(&world);
    let cookie = login(&world, &origin);
    let get = |headers: &[(&str, &str)]| send(&origin, "GET", "/api/repos", headers).status;
    assert_eq!(get(&[("Cookie", &cookie)]), 200);
    assert_ne!(get(&[("Cookie", &cookie), ("Host", "evil.example")]), 200);
    assert_ne!(get(&[("Cookie", &cookie), ("Origin", "http://evil.example")]), 200);
    let post = |headers: &[(&str, &str)]| send(&origin, "POST", "/api/resume-all", headers).status;
    assert_eq!(post(&[("Cookie", &cookie), ("Origin", &origin)]), 200);
    assert_ne!(post(&[("Cookie", &cookie)]), 200, "a change needs an origin");
}

#[test]
fn a_terminal_that_opens_nothing_is_told_what_is_in_the_way() {
    let world = World::running("");
    let origin = console(&world);
    let cookie = login(&world, &origin);
    let repo = world.status("work")["id"].as_str().expect("an id").to_owned();
    let asked = |query: &str| {
        let path = format!("/api/repos/{repo}/terminal{query}");
        send(&origin, "GET", &path, &[("Cookie", &cookie)])
    };
    let asleep = asked("?open=false");
    assert_eq!((asleep.status, &asleep.json["error"]["code"]), (409, &"asleep".into()), "{asleep:#?}");
    assert_eq!(asked("").status, 426, "without an upgrade nothing is attached");
    assert_eq!(world.status("work")["state"], "asleep");
    world.ask("hello");
    assert_eq!(asked("?open=false").status, 426, "nothing is in the way");
    world.ok(&["pause", "work"]);
    let paused = asked("?open=false");
    assert_eq!((paused.status, &paused.json["error"]["code"]), (409, &"paused".into()), "{paused:#?}");
    assert_eq!(world.status("work")["state"], "paused");
}

#[test]
fn it_answers_as_the_program_does() {
    let world = World::running("");
    let origin = console(&world);
    let cookie = login(&world, &origin);
    let repo = world.status("work")["id"].as_str().expect("an id").to_owned();
    let post = |verb: &str| -> Answer {
        let path = format!("/api/repos/{repo}/{verb}");
        send(&origin, "POST", &path, &[("Cookie", &cookie), ("Origin", &origin)])
    };
    assert_eq!(post("ensure").status, 200);
    assert_eq!(world.engines("work").len(), 1);
    world.ask("hello");
    assert_eq!(post("pause").status, 200);
    assert_eq!(world.status("work")["state"], "paused");

    let refused = post("ensure");
    assert_eq!((refused.status, &refused.json["error"]["code"]), (409, &"paused".into()), "{refused:#?}");
    let listed = send(&origin, "GET", "/api/repos", &[("Cookie", &cookie)]);
    assert_eq!(listed.json["repos"], world.ok(&["ls"])["repos"]);

    assert_eq!(post("resume").status, 200);
    std::fs::remove_dir_all(world.repo("work")).expect("our own folder");
    assert_eq!(post("stop").status, 200);
    let offline = post("ensure");
    assert_eq!(
        (offline.status, &offline.json["error"]["code"]),
        (503, &"folder_gone".into()),
        "{offline:#?}"
    );
}
