//! Disk, files, sockets and settings that break under a running Repose: it says so, and no agent is lost.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use repose_core::ids::AskId;
use repose_hold::{Client, Entry, Pushed, Submitted};

use crate::support::World;

fn session(world: &World) -> PathBuf {
    let mut folders = fs::read_dir(world.state().join("sessions")).expect("a state folder");
    folders.next().expect("a session").expect("an entry").path()
}

/// What a runner says that fails to start.
fn refuses_to_start(world: &World) -> String {
    let output = world.repose(&["serve"]);
    assert_ne!(output.code, 0, "{output}");
    assert!(output.json["error"]["hints"].as_array().is_some_and(|hints| !hints.is_empty()), "{output}");
    output.json["error"]["message"].as_str().expect("a sentence").to_owned()
}

#[test]
fn a_damaged_store_is_named_and_left_as_it_is_and_the_agents_go_on() {
    let mut world = World::running_fake("", "");
    world.ask("hello");
    let engine = world.the_engine("work");
    world.stop_serve();
    let store = world.state().join("state.db");
    let good = fs::read(&store).expect("a store");
    let mut damaged = good.clone();
    damaged[..4096].fill(b'x');
    for damaged in [damaged, Vec::new()] {
        fs::write(&store, &damaged).expect("a writable store");
        let said = refuses_to_start(&world);
        assert!(said.contains("damaged") && said.contains("state.db"), "{said}");
        assert_eq!(fs::read(&store).expect("a store"), damaged);
        assert!(engine.alive());
    }

    fs::write(&store, &good).expect("a writable store");
    world.serve();
    assert_eq!(world.ask("again")["answer"], "Scripted reply to again");
    assert_eq!(world.the_engine("work"), engine);
}

/// Another program has locked the store, either for readers too or only for writers.
fn lock(world: &World, readers_too: bool) -> rusqlite::Connection {
    let other = rusqlite::Connection::open(world.state().join("state.db")).expect("a store");
    other.busy_timeout(Duration::from_secs(10)).expect("a connection");
    if readers_too {
        other.pragma_update(None, "locking_mode", "EXCLUSIVE").expect("a connection");
    }
    other.execute_batch("BEGIN EXCLUSIVE").expect("nobody else writes for long");
    other
}

#[test]
fn a_store_that_is_locked_at_the_start_is_named_and_left_alone_and_the_agents_go_on() {
    let mut world = World::running_fake("", "");
    world.ask("hello");
    let engine = world.the_engine("work");
    world.stop_serve();
    let before = fs::read(world.state().join("state.db")).expect("a store");
    // This process must not close that file meanwhile, since that would release its locks.
    let other = lock(&world, true);
    let said = refuses_to_start(&world);
    assert!(said.contains("Another program keeps") && said.contains("state.db"), "{said}");
    assert!(engine.alive());
    drop(other);
    assert_eq!(fs::read(world.state().join("state.db")).expect("a store"), before);

    world.serve();
    assert_eq!(world.ask("again")["answer"], "Scripted reply to again");
    assert_eq!(world.the_engine("work"), engine);
}

#[test]
fn while_the_store_is_locked_nothing_is_begun_and_afterwards_nothing_is_missing() {
    let world = World::running_fake("", "");
    world.ask("hello");
    let engine = world.the_engine("work");
    let refused_while_locked = |verbs: &[&[&str]]| {
        for verb in verbs {
            let refused = world.repose(verb);
            let said = refused.json["error"]["message"].as_str().unwrap_or_default();
            assert!(refused.code != 0 && said.contains("Another program keeps"), "{refused}");
            assert!(engine.alive(), "{refused}");
        }
    };
    let other = lock(&world, false);
    refused_while_locked(&[&["ask", "work", "into the void"], &["pause", "work"], &["stop", "work"]]);
    assert_eq!(world.status("work")["state"], "ready", "what only looks goes on");
    let doctor = world.repose(&["doctor"]);
    let checks = doctor.json["checks"].as_array().expect("checks").clone();
    let store = checks.iter().find(|check| check["name"] == "store").expect("a check");
    assert!(store["code"] == "store_failed" && doctor.code == 4, "{store:#}");
    drop(other);

    let asked = world.start(&["ask", "work", "GATE gate"]);
    world.wait_state("work", "working");
    let troubles = || world.ok(&["log", "work"]).to_string().matches(r#""kind":"trouble""#).count();
    world.eventually("the log to tell of it", || (troubles() > 0).then_some(()));
    assert_eq!(troubles(), 1, "it refused several times for one reason");
    let other = lock(&world, false);
    File::create(world.home().join("gate")).expect("a writable home");
    // Longer than a call waits for the file: the end of the turn can't be written meanwhile.
    refused_while_locked(&[&["ask", "work", "into the void"], &["ask", "work", "into the void"]]);
    drop(other);
    assert_eq!(asked.finish().ok()["answer"], "Scripted reply to GATE gate");
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");
    // What the store didn't take is written again within seconds.
    world.eventually("the answer to be in the log", || {
        (told(&world, "Scripted reply to GATE gate") > 0).then_some(())
    });
    assert_eq!(world.the_engine("work"), engine);
    world.ok(&["pause", "work"]);
    let told = ["GATE gate", "into the void"].map(|text| told(&world, &format!("Scripted reply to {text}")));
    assert_eq!(told, [1, 0], "each answer once, and none to what was refused");

    world.ok(&["resume", "work"]);
    let other = lock(&world, false);
    world.the_engine("work").kill();
    world.eventually("its end to be known", || world.holders().is_empty().then_some(()));
    // By now the store has refused the end of the turn.
    let refused = world.repose(&["ask", "work", "into the void"]);
    assert!(refused.json.to_string().contains("Another program keeps"), "{refused}");
    drop(other);
    assert_eq!(world.ask("and again")["continuity"]["kind"], "resumed");
    let ended = || world.ok(&["log", "work"]).to_string().matches(r#""kind":"ended""#).count();
    world.eventually("its end to be in the log", || (ended() > 0).then_some(()));
    assert_eq!(ended(), 1);
}

#[test]
fn settings_that_break_while_it_runs_change_nothing_and_are_named() {
    let world = World::running_fake("", "idle_after = \"5h\"\n");
    world.ask("hello");
    world.settings("idle_after = \"1s\"\nmax_live = 0\n");
    let doctor = world.eventually("the doctor to name the line", || {
        let report = world.repose(&["doctor"]).json.to_string();
        report.contains("line 2").then_some(report)
    });
    assert!(doctor.contains("max_live"), "{doctor}");
    world.stays(Duration::from_secs(3), "the last good settings stand", || {
        world.status("work")["state"] == "ready"
    });
}

#[test]
fn a_folder_that_is_moved_under_a_live_agent_is_named_and_nothing_is_asked_elsewhere() {
    let world = World::running("");
    world.ask("MD{here}");
    let (folder, moved) = (world.repo("work"), world.home().join("moved"));
    let trouble = || world.status("work")["trouble"].clone();
    fs::rename(&folder, &moved).expect("our own folder");
    world.eventually("the row to name it", || (trouble()["code"] == "folder_gone").then_some(()));
    assert_eq!(world.status("work")["state"], "ready", "its agent is kept");
    world.terminal(&["why", "work"]).wait_for_text("is gone");
    fs::rename(&moved, &folder).expect("our own folder");
    world.eventually("the folder to be back", || trouble().is_null().then_some(()));
    fs::rename(&folder, &moved).expect("our own folder");
    let error = world.repose(&["ask", "work", "MD{where?}"]).refused(4, "folder_gone");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("kept")), "{error:#}");
    assert_eq!(world.status("work")["trouble"]["code"], "folder_gone");
    world.ok(&["pause", "work"]);
    world.repose(&["resume", "work"]).refused(4, "folder_gone");
    fs::rename(&moved, &folder).expect("our own folder");
    world.ok(&["resume", "work"]);
    let back = world.ask("MD{here again}");
    assert_eq!((&back["answer"], &back["continuity"]["kind"]), (&"here again".into(), &"resumed".into()));
    assert_eq!(world.model.requests().len(), 2, "nothing was asked in the moved folder");
}

#[test]
fn a_store_that_is_removed_under_a_runner_is_named_and_nothing_is_begun_that_wouldnt_last() {
    let world = World::running_fake("", "");
    world.ask("hello");
    let engine = world.the_engine("work");
    let store = world.state().join("state.db");
    let aside = world.home().join("aside.db");
    fs::rename(&store, &aside).expect("our own file");
    let doctor = world.repose(&["doctor"]).json.to_string();
    assert!(doctor.contains("was removed or replaced"), "{doctor}");
    for verb in [&["ask", "work", "into the void"][..], &["pause", "work"], &["stop", "work"]] {
        let refused = world.repose(verb).refused(1, "store_failed");
        assert!(refused["message"].to_string().contains("was removed or replaced"), "{refused:#}");
    }
    assert!(engine.alive());
    fs::rename(&aside, &store).expect("our own file");
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");
}

/// Where nothing answers, every verb says so instead of waiting for ever.
#[test]
fn a_runner_that_is_stopped_is_named_and_an_ask_outlives_that() {
    let world = World::running_fake("", "");
    world.ask("hello");
    let pid = rustix::process::Pid::from_raw(world.serve_pid().cast_signed()).expect("a pid");
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("our own child");
    let verbs: Vec<_> = [&["ls"][..], &["status", "work"], &["console", "--print"], &["doctor"], &["serve"]]
        .map(|verb| world.start(verb))
        .into();
    let said: Vec<_> = verbs.into_iter().map(|verb| verb.finish()).collect();
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).expect("our own child");
    for said in said {
        assert_ne!(said.code, 0, "{said}");
        let words = said.json.to_string();
        assert!(words.contains("has given no answer") && words.contains("kill -CONT"), "{said}");
        assert!(words.contains(&world.serve_pid().to_string()), "{said}");
    }
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");
}

#[test]
fn sockets_that_are_removed_are_made_again_and_a_turn_outlives_that() {
    let mut world = World::running_fake("", "");
    world.ask("hello");
    let engine = world.the_engine("work");
    fs::remove_file(world.state().join("sock")).expect("the runner's socket");
    world.repose(&["status"]).refused(4, "runner_not_running");
    world
        .eventually("the runner's socket to be back", || (world.repose(&["status"]).code == 0).then_some(()));

    world.ok(&["ask", "work", "GATE gate", "--no-wait"]);
    world.wait_state("work", "working");
    // The next runner finds a holder that can't be reached yet, which doesn't count as dead.
    world.kill_serve();
    fs::remove_file(session(&world).join("sock")).expect("the holder's socket");
    world.serve();
    world.wait("work", "the turn, still going on", |status| status["state"] == "working");
    assert_eq!(world.the_engine("work"), engine);
    File::create(world.home().join("gate")).expect("a writable home");
    world.wait_state("work", "ready");
    assert_eq!(told(&world, "Scripted reply to GATE gate"), 1);
}

/// A folder whose sockets would have too long a path: they are in a folder for those.
const LONG: &str =
    "a-folder-whose-name-is-so-long-that-no-socket-in-it-could-have-a-path-that-the-system-takes-for-one";

#[test]
fn the_folder_of_the_sockets_may_be_removed_while_it_runs() {
    let mut world = World::new();
    world.keep_state_in(LONG);
    world.fake("");
    let folder = world.add_repo("work");
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8")]);
    world.ask("hello");
    let engine = world.the_engine("work");
    let sockets = [world.state(), session(&world)].map(|folder| repose_hold::socket_path(&folder));
    let remove = || {
        for socket in &sockets {
            assert!(!socket.starts_with(world.state()), "{}", socket.display());
            fs::remove_file(socket).expect("a socket");
        }
        // Another Repose of this user may have its own there.
        let _shared = fs::remove_dir(sockets[0].parent().expect("a folder"));
    };
    remove();
    world.eventually("the runner to be reached", || (world.repose(&["status"]).code == 0).then_some(()));
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");

    world.eventually("the holder's socket to be back", || sockets[1].exists().then_some(()));
    world.ok(&["ask", "work", "GATE gate", "--no-wait"]);
    world.wait_state("work", "working");
    remove();
    // The engine's hook finds no socket for what it reports.
    File::create(world.home().join("gate")).expect("a writable home");
    world.eventually("the runner to be reached", || (world.repose(&["status"]).code == 0).then_some(()));
    world.wait_answered("work", "Scripted reply to GATE gate");
    world.wait_state("work", "ready");
    assert_eq!(told(&world, "Scripted reply to GATE gate"), 1);
    assert_eq!(world.the_engine("work"), engine);
    world.ok(&["pause", "work"]);
}

#[test]
fn a_sessions_folder_that_is_removed_costs_no_agent_and_no_answer() {
    let mut world = World::running_fake("", "");
    world.ask("hello");
    let (engine, holders) = (world.the_engine("work"), world.holders().len());
    let folder = session(&world);
    fs::remove_dir_all(&folder).expect("the session's folder");
    world.eventually("its socket to be back", || folder.join("sock").exists().then_some(()));
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");
    world.kill_serve();
    world.serve();
    world.wait_state("work", "ready");
    assert_eq!(world.ask("and again")["answer"], "Scripted reply to and again");
    assert_eq!((world.the_engine("work"), world.holders().len()), (engine, holders));
    assert_eq!(told(&world, "Scripted reply to and on"), 1);
    world.ok(&["pause", "work"]);
    assert_eq!(world.ok(&["resume", "work"])["repo"]["continuity"]["kind"], "resumed");
}

/// How many times the log has this answer.
fn told(world: &World, answer: &str) -> usize {
    let log = world.ok(&["log", "work"]);
    let entries = log["entries"].as_array().expect("entries");
    entries
        .iter()
        .filter(|entry| entry["kind"] == "answered")
        .filter(|entry| entry["text"].as_str().is_some_and(|text| text.starts_with(answer)))
        .count()
}

#[test]
fn an_answer_whose_entry_went_with_the_journals_older_half_is_read_from_the_transcript() {
    let mut world = World::running_fake("", "");
    world.ask("hello");
    world.ok(&["ask", "work", "GATE gate", "--no-wait"]);
    world.wait_state("work", "working");
    world.kill_serve();
    File::create(world.home().join("gate")).expect("a writable home");
    // Turns that no runner asks for, until the journal is cut: 4 MiB of answers.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let dir = session(&world);
    let cut = || !fs::read_to_string(dir.join("journal")).expect("a journal").contains("GATE gate");
    runtime.block_on(async {
        let (client, mut news) = Client::connect(&dir, "test").await.expect("a holder");
        let deadline = Instant::now() + Duration::from_secs(120);
        for number in 0.. {
            let ask = AskId::new(format!("nobody's {number}"));
            while client.submit(&ask, &format!("BIG {number}")).await.expect("an answer")
                != Submitted::Accepted
            {
                assert!(Instant::now() < deadline, "the engine is never ready");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            loop {
                let pushed = tokio::time::timeout_at(deadline.into(), news.recv()).await;
                let Pushed::Journal(entry) = pushed.expect("news in time").expect("a connection") else {
                    continue;
                };
                if let Entry::Fact(repose_core::session::Fact::TurnOver { ask: Some(over), .. }) = entry.entry
                    && over == ask
                {
                    break;
                }
            }
            if cut() {
                break;
            }
        }
    });
    world.serve();
    let status = world.wait_state("work", "ready");
    assert_eq!(status["queued"], 0, "{status:#}");
    assert_eq!(told(&world, "Scripted reply to GATE gate"), 1);
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");
}

/// Mounts a small file system on this folder. `None`, with the reason printed, if mounting isn't allowed.
#[expect(clippy::print_stderr, reason = "a test that can't be run says so")]
fn small_disk(folder: &Path) -> Option<Mounted> {
    fs::create_dir_all(folder).expect("a writable temp folder");
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=200m,mode=700", "none"]).arg(folder).output();
    match mounted {
        Ok(output) if output.status.success() => Some(Mounted(folder.to_owned())),
        why => {
            eprintln!("NOT RUN: no tmpfs can be mounted here: {why:?}");
            None
        }
    }
}

struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        // Lazily: a failed test still has programs in it.
        let _ended = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn on_a_full_disk_nothing_is_begun_and_nothing_is_lost() {
    let mut world = World::new();
    world.fake("");
    let folder = world.add_repo("work");
    let other = world.add_repo("other");
    let Some(disk) = small_disk(&world.state()) else { return };
    world.serve();
    for folder in [&folder, &other] {
        world.ok(&["add", folder.to_str().expect("UTF-8")]);
    }
    world.ask("hello");
    let engine = world.the_engine("work");
    let filler = world.state().join("filler");
    let mut file = File::create(&filler).expect("room for a file");
    while file.write_all(&[0; 64 * 1024]).is_ok() {}
    drop(file);

    let refused = world.repose(&["ask", "other", "hello"]);
    assert!(
        ["disk_full", "store_failed"].contains(&refused.json["error"]["code"].as_str().unwrap_or("")),
        "{refused}"
    );
    assert!(world.engines("other").is_empty());
    for verb in [&["ask", "work", "into the void"][..], &["pause", "work"], &["stop", "work"]] {
        let refused = world.repose(verb);
        assert_ne!(refused.code, 0, "nothing of it can be written: {refused}");
        assert!(
            refused.json["error"]["message"].as_str().is_some_and(|said| said.contains("room")),
            "{refused}"
        );
        assert!(engine.alive(), "{refused}");
    }
    assert_eq!(world.status("work")["state"], "ready");

    fs::remove_file(&filler).expect("our own file");
    world.eventually("the next ask to be answered", || {
        (world.repose(&["ask", "work", "is there room?"]).code == 0).then_some(())
    });
    assert_eq!(world.the_engine("work"), engine);
    assert_eq!(told(&world, "Scripted reply to into the void"), 0);
    let log = world.ok(&["log", "work"])["entries"].as_array().expect("entries").clone();
    let troubles: Vec<_> =
        log.iter().filter(|row| row["kind"] == "trouble").map(|row| row["text"].as_str()).collect();
    assert!(troubles.windows(2).all(|two| two[0] != two[1]), "each is told once: {log:#?}");
    world.ok(&["pause", "work"]);
    assert_eq!(world.ok(&["ask", "other", "hello"])["answer"], "Scripted reply to hello");
    world.ok(&["stop", "other"]);
    world.ok(&["stop", "work"]);
    world.stop_serve();
    world.eventually("every holder to be gone", || world.holders().is_empty().then_some(()));
    drop(disk);
}

#[test]
fn a_disk_that_gets_full_in_mid_turn_costs_no_answer_also_where_no_runner_can_start() {
    let mut world = World::new();
    world.fake("");
    let folder = world.add_repo("work");
    let Some(disk) = small_disk(&world.state()) else { return };
    world.serve();
    world.ok(&["add", folder.to_str().expect("UTF-8")]);
    world.ask("hello");
    let engine = world.the_engine("work");
    world.ok(&["ask", "work", "GATE gate", "--no-wait"]);
    world.wait_state("work", "working");
    let filler = world.state().join("filler");
    let mut file = File::create(&filler).expect("room for a file");
    while file.write_all(&[0; 4 * 1024]).is_ok() {}
    drop(file);
    world.kill_serve();
    let mut next = world.start(&["serve"]);
    world.eventually("the next runner to give up", || next.is_over().then_some(()));
    let refused = next.finish();
    assert_eq!(refused.code, 4, "{refused}");
    let said = refused.json["error"]["message"].as_str().unwrap_or_default();
    assert!(said.contains("No space left") || said.contains("room"), "{refused}");
    File::create(world.home().join("gate")).expect("a writable home");
    world.eventually("the turn to end while nobody can write it down", || {
        let transcripts = fs::read_dir(world.transcripts("work")).ok()?;
        let texts = transcripts.filter_map(|file| fs::read_to_string(file.ok()?.path()).ok());
        texts.into_iter().any(|text| text.contains("Scripted reply to GATE gate")).then_some(())
    });
    assert!(engine.alive());
    fs::remove_file(&filler).expect("our own file");
    world.serve();
    world.wait_answered("work", "Scripted reply to GATE gate");
    world.wait_state("work", "ready");
    assert_eq!(told(&world, "Scripted reply to GATE gate"), 1);
    assert_eq!(world.ask("and on")["answer"], "Scripted reply to and on");
    assert_eq!(world.the_engine("work"), engine);
    world.ok(&["stop", "work"]);
    world.stop_serve();
    world.eventually("every holder to be gone", || world.holders().is_empty().then_some(()));
    drop(disk);
}

/// How many times to open and close in `make test`; `make soak` does it more often.
const CYCLES: u64 = 25;

/// How many terminals attach to one engine and detach again.
const TERMINALS: usize = 10;

#[test]
fn opening_and_closing_again_and_again_leaves_nothing_behind() {
    let cycles = std::env::var("REPOSE_SOAK_CYCLES").map_or(CYCLES, |text| text.parse().expect("a number"));
    let world = World::running_fake("", "");
    world.ask("hello");
    let cycle = || {
        world.ok(&["resume", "work"]);
        world.ok(&["stop", "work"]);
    };
    let files = || fs::read_dir(format!("/proc/{}/fd", world.serve_pid())).expect("our own child").count();
    let threads =
        || fs::read_dir(format!("/proc/{}/task", world.serve_pid())).expect("our own child").count();
    let memory = || {
        let all = world.processes();
        all.iter()
            .find(|process| process.pid.unsigned_abs() == world.serve_pid())
            .expect("the runner")
            .own_memory()
    };
    let kept = || {
        world.eventually("the folders of sessions to go", || {
            let mut sessions = fs::read_dir(world.state().join("sessions")).expect("a state folder");
            (sessions.next().is_none() && world.holders().is_empty()).then_some(())
        });
        fs::read_dir(world.state()).expect("a state folder").count()
    };
    // A holder's open files: in the first cycle, in the last, and after many terminals.
    let held = || {
        world.ok(&["resume", "work"]);
        let [holder] = &world.holders()[..] else { panic!("not one holder: {:#?}", world.holders()) };
        let folder = format!("/proc/{}/fd", holder.pid);
        let open = || fs::read_dir(&folder).expect("a holder").count();
        let lines = || {
            let files = fs::read_dir(&folder).expect("a holder").flatten();
            files
                .filter_map(|file| fs::read_link(file.path()).ok())
                .filter(|file| file.starts_with("/dev/p"))
                .count()
        };
        let count = world.eventually("its files to be as many as before", || {
            let (first, second) = (open(), open());
            (first == second).then_some((first, lines()))
        });
        for _ in 0..TERMINALS {
            let terminal = world.terminal(&["open", "work"]);
            terminal.wait_for_text("ready");
            drop(terminal);
        }
        world.eventually("what terminals had open to be closed", || (open() <= count.0).then_some(()));
        assert_eq!(lines(), count.1, "lines of terminals");
        world.ok(&["stop", "work"]);
        count
    };
    let first = held();
    (0..5).for_each(|_| cycle());
    let (before, state) = ((files(), memory()), kept());
    (0..cycles).for_each(|_| cycle());
    assert_eq!(kept(), state, "files in the state folder");
    let after = world.eventually("the last connection to close", || {
        let now = files();
        (now <= before.0 + 2).then_some(now)
    });
    assert!(after <= before.0 + 2, "{after} files open, and {} before", before.0);
    assert!(threads() < 40, "{} threads", threads());
    // Row caches and the allocator take some once; a leak of a session's state each time would take more.
    let room = 12 * 1024 * 1024 + cycles * 2 * 1024;
    let now = memory();
    assert!(now < before.1 + room, "{now} bytes after {cycles} cycles, and {} before", before.1);
    assert_eq!(held(), first, "files and lines of a holder after {cycles} cycles");
    world.eventually("the last one's end", || (world.processes().len() <= 1).then_some(()));
}
