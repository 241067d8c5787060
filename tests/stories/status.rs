//! What a repo is shown to be doing during a whole turn, from the engine's own signals.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::support::World;

#[test]
fn a_turn_goes_from_opening_over_working_to_ready() {
    let world = World::running("");
    let ask = world.start(&["ask", "work", "HOLD{gate} MD{two words}"]);
    world.wait("work", "opening or what follows", |status| status["state"] != "asleep");
    world.model.wait_held("gate");
    world.wait_state("work", "working");
    world.model.release("gate");
    ask.finish().ok();
    assert_eq!(world.status("work")["state"], "ready");
}

#[test]
fn an_engine_that_is_not_ready_is_opening() {
    let world = World::running_fake("mute", "");
    let ask = world.start(&["ask", "work", "hello"]);
    world.wait_state("work", "opening");
    world.stays(Duration::from_secs(2), "no signal came", || world.status("work")["state"] == "opening");
    world.ok(&["stop", "work", "--interrupt"]);
    assert_ne!(ask.finish().code, 0);
}

#[test]
fn esc_in_mid_turn_is_ready_again_within_a_second() {
    let world = World::running("");
    // A busy machine can delay any of them.
    let soonest = (0..3).map(|number| from_esc_to_ready(&world, number)).min();
    assert!(soonest < Some(Duration::from_secs(1)), "{soonest:?}");
}

/// From the key to the moment at which, according to Repose, the engine was ready again.
fn from_esc_to_ready(world: &World, number: u32) -> Duration {
    let gate = format!("never-{number}");
    let ask = world.start(&["ask", "work", &format!("HOLD{{{gate}}} hello")]);
    world.model.wait_held(&gate);
    world.wait_state("work", "working");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("esc to interrupt");
    let pressed = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    terminal.type_("\x1b");
    let ready = world.wait_state("work", "ready");
    ask.finish().refused(6, "turn_interrupted");
    let since = since_epoch(ready["since"].as_str().expect("since when"));
    assert!(since >= pressed, "ready since before the key: {ready:#}");
    since - pressed
}

/// `2026-01-02T03:04:05.678Z` as the time since 1970.
fn since_epoch(time: &str) -> Duration {
    let numbers: Vec<u64> =
        time.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    let [year, month, day, hour, minute, second, milli] = numbers.as_slice() else {
        panic!("no time: {time}")
    };
    // Years begin in March, so that a leap day is the last of one.
    let (year, month) = if *month > 2 { (*year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469;
    Duration::from_millis((((days * 24 + hour) * 60 + minute) * 60 + second) * 1_000 + milli)
}

#[test]
fn a_permission_prompt_is_waiting_with_what_for() {
    let world = World::running("idle_after = \"2s\"\n");
    let ask = world.start(&["ask", "work", "RUN{touch made-by-tool}"]);
    let waiting = world.wait_state("work", "waiting");
    let holds = waiting["holds"].to_string();
    assert!(holds.contains("waiting"), "{waiting:#}");
    world.stays(Duration::from_secs(4), "it waits for a permission", || {
        world.status("work")["state"] == "waiting"
    });
    let error = world.repose(&["pause", "work"]).refused(3, "work_would_be_lost");
    assert!(error["hints"][0].to_string().contains("`repose open work`"), "it waits for its user: {error:#}");

    let terminal = world.terminal(&["open", "work"]);
    terminal.answer("Do you want to proceed?", "\r");
    ask.finish().ok();
    assert!(world.repo("work").join("made-by-tool").exists());
    world.wait_state("work", "ready");
}

#[test]
fn an_ask_that_waits_for_its_user_says_so_and_ctrl_c_takes_it_back() {
    let mut world = World::new();
    world.settings("");
    let folder = world.add_untrusted_repo("work");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8")]);
    let mut asks = world.terminal(&["ask", "work", "never sent"]);
    asks.wait_for_text(
        "work waits for your word on whether this folder is trusted. Answer it: `repose open work`.",
    );
    asks.type_("\u{3}");
    assert_eq!(asks.wait_ended(), 130, "{}", asks.screen());
    assert!(asks.screen().contains("Taken back"), "{}", asks.screen());
    assert_eq!(world.status("work")["queued"], 0);
    let log = world.ok(&["log", "work"]);
    let kinds: Vec<_> = log["entries"].as_array().expect("a log").iter().map(|row| &row["kind"]).collect();
    assert!(kinds.ends_with(&[&"asked".into(), &"waited".into(), &"taken_back".into()]), "{log:#}");

    let terminal = world.terminal(&["open", "work"]);
    terminal.answer("\u{276f} No, exit", "\u{1b}[B");
    terminal.answer("\u{276f} Yes, I trust this folder", "\r");
    let mut asks = world.terminal(&["ask", "work", "HOLD{gate} MD{after all}"]);
    world.model.wait_held("gate");
    asks.type_("\u{3}");
    assert_eq!(asks.wait_ended(), 130, "{}", asks.screen());
    assert!(asks.screen().contains("The ask goes on"), "{}", asks.screen());
    world.model.release("gate");
    world.wait_answered("work", "after all");
    let texts: Vec<_> = world.model.requests().into_iter().map(|request| request.text).collect();
    assert_eq!(texts, ["HOLD{gate} MD{after all}"]);
}

#[test]
fn a_folder_that_is_not_trusted_waits_for_the_user() {
    let mut world = World::new();
    let folder = world.add_untrusted_repo("work");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8")]);
    let ask = world.start(&["ask", "work", "MD{trusted now}"]);
    let waiting = world.wait_state("work", "waiting");
    assert!(waiting["holds"].to_string().contains("trust"), "{waiting:#}");

    let terminal = world.terminal(&["open", "work"]);
    // Its first choice is to leave.
    terminal.wait_for_text("\u{276f} No, exit");
    terminal.type_("\x1b[B");
    terminal.answer("\u{276f} Yes, I trust this folder", "\r");
    assert_eq!(ask.finish().ok()["answer"], "trusted now");
}

#[test]
fn an_engine_that_ends_in_its_first_dialog_is_told_alike_everywhere() {
    let mut world = World::new();
    let folder = world.add_untrusted_repo("work");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8")]);
    let mut terminal = world.terminal(&["open", "work"]);
    terminal.answer("\u{276f} No, exit", "\r");
    terminal.wait_ended();
    let status = world.status("work");
    assert_eq!(status["state"], "offline", "{status:#}");
    assert_eq!(status["trouble"]["code"], "engine_failed_to_start", "{status:#}");
    let trouble = status["trouble"].to_string();
    assert!(trouble.contains("answered with no") && trouble.contains("`repose open work`"), "{trouble}");
    let said = terminal.screen().replace('\n', " ");
    assert!(said.contains("ended before it was ready"), "{said}");
    assert!(!said.contains("is waiting"), "{said}");
}

#[test]
fn an_engine_whose_hooks_are_switched_off_is_heard_by_its_other_signs() {
    let world = World::running("");
    let settings = world.home().join(".claude/settings.json");
    std::fs::write(&settings, r#"{"disableAllHooks": true}"#).expect("a writable home");
    assert_eq!(world.ask("MD{heard all the same}")["answer"], "heard all the same");
    let status = world.status("work");
    assert_eq!(status["state"], "ready", "{status:#}");
    assert_eq!(status["trouble"]["code"], "hooks_silent", "{status:#}");
    assert_eq!(status["continuity"]["code"], "first", "{status:#}");
    let report = world.repose(&["doctor"]).json.to_string();
    assert!(report.contains(settings.to_str().expect("UTF-8")), "{report}");

    world.ok(&["pause", "work"]);
    world.ok(&["resume", "work"]);
    let again = world.ask("MD{and again}");
    assert_eq!(again["continuity"]["kind"], "resumed", "{again:#}");
    assert_eq!(again["answer"], "and again");
}

#[test]
fn a_choice_at_the_start_waits_for_the_user() {
    let world = World::running_fake("choice", "");
    let ask = world.start(&["ask", "work", "hello"]);
    world.wait_state("work", "waiting");
    let terminal = world.terminal(&["open", "work"]);
    terminal.wait_for_text("Do you trust");
    terminal.type_("1\r");
    assert_eq!(ask.finish().ok()["answer"], "Scripted reply to hello");
}

#[test]
fn a_background_task_holds_the_repo_until_it_ends() {
    let world = World::running("idle_after = \"2s\"\n");
    world.ask("BG{sleep 4321}");
    let task = world.eventually("the background task", || {
        world.tree().into_iter().find(|process| process.command == "sleep 4321")
    });
    world.stays(Duration::from_secs(5), "a background task runs", || {
        task.alive() && world.status("work")["state"] != "asleep"
    });
    let why = world.ok(&["why", "work"]).to_string();
    assert!(why.contains("sleep 4321"), "{why}");
    world.repose(&["pause", "work"]).refused(3, "work_would_be_lost");
    task.kill();
    world.wait_state("work", "asleep");
}

#[test]
fn a_live_repo_tells_its_memory() {
    let world = World::running("");
    world.ask("hello");
    // It is measured at intervals, and an engine grows.
    let status = world.wait("work", "its memory", |status| {
        let real: u64 = world.tree().iter().map(|process| process.memory()).sum();
        status["memory"]["bytes"].as_u64().is_some_and(|told| told.abs_diff(real) < real / 5)
    });
    assert_eq!(status["memory"]["measured"], "pss");
    // The engine may write them after it has told its answer.
    world.wait("work", "the size of its conversation", |status| {
        status["conversation"]["context_tokens"].as_u64().is_some_and(|tokens| tokens > 0)
    });
}

#[test]
fn what_a_verb_lacks_is_named_to_programs_too() {
    let world = World::new();
    for (line, lacks) in [(&["ask"][..], &["<REPO>", "<TEXT>"][..]), (&["engine", "work"], &["<ENGINE>"])] {
        let said = world.repose(line).refused(2, "bad_request")["message"].to_string();
        assert!(lacks.iter().all(|lacks| said.contains(lacks)) && !said.contains("Usage"), "{said}");
    }
}
