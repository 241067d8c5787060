//! The foundation of the other stories: the real engine and the model stand-in, without Repose in between.

use crate::support::{Terminal, World, claude, processes};

fn bare(world: &World, args: &[&str]) -> Terminal {
    let folder = world.repo("work");
    let terminal = Terminal::start(&claude::program(), args, &folder, &world.env());
    terminal.wait_for_text("\u{276f}");
    terminal
}

fn submit(terminal: &Terminal, text: &str) {
    terminal.paste(text);
    terminal.wait_for_text(text);
    terminal.type_("\r");
}

/// TERM, so that the engine ends as Repose would have it end.
fn end(mut terminal: Terminal) {
    let pid = i32::try_from(terminal.pid()).ok().and_then(rustix::process::Pid::from_raw).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("our own child");
    terminal.wait_ended();
}

#[test]
fn a_turn_can_be_held_and_released_and_everything_sent_is_known() {
    let world = World::new();
    world.add_repo("work");
    let terminal = bare(&world, &[]);

    submit(&terminal, "HOLD{gate} hello");
    world.model.wait_held("gate");
    assert!(!terminal.screen().contains("messages."), "{}", terminal.screen());
    world.model.release("gate");
    terminal.wait_for_text("messages.");

    submit(&terminal, "and again");
    let second = world.model.wait_for("the second turn", |request| request.text == "and again");
    assert_eq!(second.turns, 2, "{second:#?}");
    assert!(second.mentions("hello"), "{second:#?}");
    end(terminal);
}

#[test]
fn a_tool_runs_after_permission() {
    let world = World::new();
    let folder = world.add_repo("work");
    let terminal = bare(&world, &[]);

    submit(&terminal, "RUN{touch made-by-tool} please");
    terminal.answer("Do you want to proceed?", "\r");
    terminal.wait_for_text("messages.");
    assert!(folder.join("made-by-tool").exists());
    end(terminal);
}

#[test]
fn a_failed_turn_says_so() {
    let world = World::new();
    world.add_repo("work");
    let terminal = bare(&world, &[]);
    submit(&terminal, "FAIL{400} now");
    terminal.wait_for_text("asked for");
    end(terminal);
}

#[test]
fn a_folder_that_is_not_trusted_asks_first() {
    let world = World::new();
    let folder = world.add_untrusted_repo("work");
    let terminal = Terminal::start(&claude::program(), &[], &folder, &world.env());
    terminal.wait_for_text("trust");
    assert!(!processes::of_home(&world.home()).is_empty());
}

#[test]
fn the_scripted_engine_tells_its_hooks_what_it_does_and_ends_on_term() {
    let world = World::new();
    world.fake("");
    let folder = world.add_repo("work");
    let told = folder.join("told");
    let command = format!("cat >> '{0}'; echo >> '{0}'", told.display());
    let hooks: serde_json::Map<_, _> = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
        .map(|event| {
            let hook = serde_json::json!([{ "hooks": [{ "type": "command", "command": command }] }]);
            (event.to_owned(), hook)
        })
        .into_iter()
        .collect();
    let settings = serde_json::json!({ "hooks": hooks }).to_string();
    let id = "4b1c3f0e-6a2d-4c1b-9a5e-0d2f1e3c4b5a";
    let args = ["--settings", &settings, "--session-id", id];
    let terminal = Terminal::start(&world.engine(), &args, &folder, &world.env());
    terminal.wait_for_text("ready");
    terminal.paste("say \"hi\" \\ there");
    terminal.type_("\r");
    terminal.wait_for_text("Scripted reply to");
    let heard = || std::fs::read_to_string(&told).unwrap_or_default();
    world.eventually("the end of the turn", || heard().contains("\"Stop\"").then_some(()));
    end(terminal);

    let told = heard();
    let told: Vec<serde_json::Value> =
        told.lines().map(|line| serde_json::from_str(line).expect("a payload")).collect();
    let events: Vec<_> =
        told.iter().map(|payload| payload["hook_event_name"].as_str().expect("a name")).collect();
    assert_eq!(events, ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]);
    assert_eq!(told[0]["source"], "startup");
    assert_eq!(told[1]["prompt"], "say \"hi\" \\ there");
    assert_eq!(told[1]["prompt_id"], told[2]["prompt_id"]);
    let transcript = told[0]["transcript_path"].as_str().expect("a path");
    assert_eq!(std::fs::read_to_string(transcript).expect("a transcript").lines().count(), 2);
}

#[test]
fn a_world_that_leaves_a_process_behind_ends_it_and_fails() {
    let world = World::new();
    let mut sleeper = std::process::Command::new("sleep");
    let mut sleeper = sleeper.arg("1000").env_clear().envs(world.env()).spawn().expect("sleep");
    // Between exec and its own environment a process has none.
    world.eventually("the sleeper's environment", || (!world.processes().is_empty()).then_some(()));
    let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(world)));
    let ended = sleeper.wait().expect("our own child");
    assert!(!ended.success(), "{ended}");
    let panic = end.expect_err("a world with a leftover fails");
    let words = panic.downcast_ref::<String>().expect("words");
    assert!(words.contains("left processes behind"), "{words}");
}
