//! The right conversation comes back, whatever the folder is called and whatever happened to the files
//! meanwhile.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::engines::Under;
use crate::support::{World, claude, cli};

fn conversation(answered: &Value) -> &str {
    answered["repo"]["conversation"]["id"].as_str().unwrap_or_else(|| panic!("no conversation: {answered:#}"))
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Asks again after its engine was let go: it continues the same conversation.
fn comes_back(world: &World, repo: &str) {
    let first = world.ok(&["ask", repo, "hello"]);
    world.ok(&["stop", repo]);
    let second = world.ok(&["ask", repo, "again"]);
    assert_eq!(second["continuity"]["kind"], "resumed", "{second:#}");
    assert_eq!(conversation(&second), conversation(&first));
    world.ok(&["stop", repo]);
}

#[test]
fn paths_that_differ_only_in_punctuation_have_their_own_conversations() {
    let mut world = World::new();
    world.fake("");
    world.serve();
    let names = ["a.b", "a-b", "a b", "a_b"];
    let ids: Vec<String> = names
        .map(|name| {
            let folder = world.add_repo(name);
            world.ok(&["add", text(&folder)]);
            let asked = world.ok(&["ask", text(&folder), "whose is it?"]);
            world.ok(&["stop", text(&folder)]);
            conversation(&asked).to_owned()
        })
        .to_vec();
    for (name, id) in names.iter().zip(&ids) {
        let folder = world.repo(name);
        let asked = world.ok(&["ask", text(&folder), "whose is it now?"]);
        assert_eq!(
            (asked["continuity"]["kind"].as_str(), conversation(&asked)),
            (Some("resumed"), id.as_str())
        );
        world.ok(&["stop", text(&folder)]);
        // Even if it is only known from the engine's files, which are in one folder for all four.
        world.ok(&["rm", text(&folder)]);
        let added = world.ok(&["add", text(&folder)]);
        assert_eq!(conversation(&added), id);
    }
}

#[test]
fn a_link_to_a_folder_is_that_folder() {
    let mut world = World::new();
    world.fake("");
    world.serve();
    let folder = world.add_repo("real");
    let link = world.repo("link");
    symlink(&folder, &link).expect("a link");
    world.ok(&["add", text(&link)]);
    comes_back(&world, text(&link));
    world.repose(&["add", text(&folder)]).refused(3, "already_added");
    comes_back(&world, text(&folder));
}

#[test]
fn a_very_long_path_in_another_script_comes_back_on_the_real_engine() {
    let mut world = World::new();
    let deep: PathBuf = [&"日本語".repeat(20), &"ü ñ".repeat(40), &"x".repeat(200)].into_iter().collect();
    std::fs::create_dir_all(world.repo(text(deep.parent().expect("a folder above")))).expect("new folders");
    let folder = world.add_repo(text(&deep));
    world.serve();
    world.ok(&["add", text(&folder), "--name", "deep"]);
    comes_back(&world, "deep");
}

#[test]
fn a_configuration_folder_that_was_moved_is_where_it_was_moved_to() {
    let mut world = World::new();
    let folder = world.add_repo("work");
    let moved = world.home().join("moved claude");
    std::fs::create_dir(&moved).expect("a new folder");
    std::fs::copy(world.home().join(".claude.json"), moved.join(".claude.json")).expect("a welcomed home");
    world.settings(&format!("[engines.claude.env]\nCLAUDE_CONFIG_DIR = \"{}\"\n", moved.display()));
    world.serve();
    world.ok(&["add", text(&folder)]);
    comes_back(&world, "work");
    let transcript = world.status("work")["conversation"]["transcript"].as_str().expect("a path").to_owned();
    assert!(Path::new(&transcript).starts_with(&moved), "{transcript}");
    assert!(!world.transcripts("work").exists());
}

#[test]
fn what_another_program_wrote_in_the_folder_meanwhile_is_not_taken_up() {
    let world = World::running("");
    let first = world.ask("hello");
    world.ok(&["stop", "work"]);
    let other = std::process::Command::new(claude::program())
        .args(["-p", "MD{said elsewhere}"])
        .env_clear()
        .envs(world.env())
        .current_dir(world.repo("work"))
        .stdin(std::process::Stdio::null())
        .output()
        .expect("the engine runs");
    assert!(other.status.success(), "{other:?}");
    let second = world.ask("again");
    assert_eq!(second["continuity"]["kind"], "resumed", "{second:#}");
    assert_eq!(conversation(&second), conversation(&first));
    let listed = world.ok(&["conversations", "work"]);
    assert_eq!(
        listed["conversations"].as_array().map(Vec::len),
        Some(2),
        "the other one is listed: {listed:#}"
    );
}

#[test]
fn a_transcript_that_was_cut_off_is_taken_up_as_far_as_it_goes() {
    let world = World::running("");
    let first = world.ask("remember the word toffee");
    world.ask("and now something else");
    world.ok(&["stop", "work"]);
    let transcript = first["repo"]["conversation"]["transcript"].as_str().expect("a path");
    let bytes = std::fs::read(transcript).expect("a transcript");
    // As after a power failure during a write, and with a foreign line spliced in.
    let mut spliced = b"{\"type\":\"no such type\"}\nnot JSON at all\n".to_vec();
    spliced.extend_from_slice(&bytes[..bytes.len() - 40]);
    std::fs::write(transcript, spliced).expect("a writable transcript");
    let second = world.ask("which word?");
    assert_eq!(second["continuity"]["kind"], "resumed", "{second:#}");
    assert_eq!(conversation(&second), conversation(&first));
    let sent = world.model.wait_for("the last turn", |request| request.text == "which word?");
    assert!(sent.mentions("toffee"), "{sent:#?}");
}

#[test]
fn of_several_conversations_of_a_folder_each_can_be_gone_back_to() {
    let world = World::running_fake("", "");
    let first = world.ask("the first one");
    let second = world.ok(&["ask", "work", "the second one", "--fresh"]);
    assert_ne!(conversation(&second), conversation(&first));
    let begins = &conversation(&first)[..8];
    let back = world.ok(&["resume", "work", "--conversation", begins]);
    assert_eq!(conversation(&back), conversation(&first));
    assert_eq!(conversation(&world.ask("go on")), conversation(&first));
    world.ok(&["stop", "work"]);
    assert_eq!(conversation(&world.ask("and on")), conversation(&first), "the last one that was live");
    let listed =
        cli::start(&world.home(), &world.env(), &["conversations", "work"]).finish().ok().to_string();
    assert!(listed.contains(conversation(&second)), "{listed}");
}

#[test]
fn a_folder_that_was_moved_is_offered_its_conversation_as_a_copy_and_nothing_takes_it_up_by_itself() {
    let world = World::running("");
    let first = world.ask("remember the word praline");
    let (old, transcript) = (conversation(&first), &first["repo"]["conversation"]["transcript"]);
    let transcript = transcript.as_str().expect("a path");
    world.ok(&["stop", "work"]);
    let before = std::fs::read(transcript).expect("a transcript");
    let (place, moved) = (world.repo("work"), world.home().join("elsewhere/work"));
    std::fs::create_dir(moved.parent().expect("a folder above")).expect("a new folder");
    std::fs::rename(&place, &moved).expect("our own folder");
    claude::trust(&world.home(), &moved);

    let added = world.ok(&["add", text(&moved), "--name", "moved"]);
    assert_eq!(added["repo"]["conversation"], Value::Null, "nothing is taken up: {added:#}");
    let offered = &added["moved"];
    assert_eq!((offered["id"].as_str(), offered["moved_from"].as_str()), (Some(old), Some(text(&place))));
    let error = world.repose(&["resume", "moved", "--conversation", old]).refused(3, "not_resumable");
    assert!(error["hints"].to_string().contains("repose fork moved --conversation"), "{error:#}");
    let own = world.ok(&["ask", "moved", "something else"]);
    assert_eq!(own["continuity"]["code"], "first", "{own:#}");
    world.ok(&["stop", "moved"]);

    let forked = world.ok(&["fork", "moved", "--conversation", old])["repo"].clone();
    assert_eq!(forked["continuity"]["code"], "forked", "{forked:#}");
    let sentence = forked["continuity"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("as a copy of its own"), "{sentence}");
    let answered = world.ok(&["ask", "moved", "which word?"]);
    let copy = conversation(&answered);
    assert!(copy != old && copy != conversation(&own), "{answered:#}");
    let sent = world.model.wait_for("the copy's turn", |request| request.text == "which word?");
    assert!(sent.mentions("praline") && !sent.mentions("something else"), "{sent:#?}");
    assert_eq!(std::fs::read(transcript).expect("a transcript"), before, "the old one stays as it is");

    world.ok(&["pause", "moved"]);
    assert_eq!(conversation(&world.ok(&["resume", "moved"])), copy);
    let listed = world.ok(&["conversations", "moved"])["conversations"].to_string();
    assert!([old, conversation(&own), copy].iter().all(|id| listed.contains(id)), "{listed}");
}

/// If the file system records when a folder was made, as ext4, btrfs, xfs, tmpfs and APFS do.
#[test]
fn a_folder_that_was_renamed_is_known_by_its_repo_from_before() {
    let world = World::running("");
    let first = world.ask("remember the word praline");
    world.ok(&["stop", "work"]);
    let (place, renamed) = (world.repo("work"), world.repo("shop"));
    std::fs::rename(&place, &renamed).expect("our own folder");
    claude::trust(&world.home(), &renamed);
    let added = world.ok(&["add", text(&renamed)]);
    let offered = &added["moved"];
    let (old, from) = (Some(conversation(&first)), Some(text(&place)));
    assert_eq!((offered["id"].as_str(), offered["moved_from"].as_str()), (old, from), "{added:#}");
    world.ok(&["fork", "shop", "--conversation", conversation(&first)]);
    world.ok(&["ask", "shop", "which word?"]);
    let sent = world.model.wait_for("the copy's turn", |request| request.text == "which word?");
    assert!(sent.mentions("praline"), "{sent:#?}");
}

#[test]
fn a_codex_conversation_of_a_folder_that_was_moved_goes_on_as_a_copy() {
    let world = World::under(Under::Codex, "");
    let place = world.repo("work");
    let first = world.ask("remember the word praline");
    world.ok(&["rm", "work"]);
    let moved = world.home().join("elsewhere/work");
    std::fs::create_dir(moved.parent().expect("a folder above")).expect("a new folder");
    std::fs::rename(&place, &moved).expect("our own folder");
    Under::Codex.trust(&world, &moved);
    let added = world.ok(&["add", text(&moved), "--engine", "codex"]);
    assert_eq!(added["moved"]["id"].as_str(), Some(conversation(&first)), "{added:#}");
    let forked = world.ok(&["fork", "work", "--conversation", conversation(&first)]);
    assert_eq!(forked["repo"]["continuity"]["code"], "forked", "{forked:#}");
    world.ask("which word?");
    let sent = world.model.wait_for("the copy's turn", |request| request.text == "which word?");
    assert!(sent.mentions("praline"), "{sent:#?}");
}

#[test]
fn a_folder_whose_path_is_no_text_is_refused_as_that() {
    let world = World::running_fake("", "");
    let folder = world.home().join(OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&folder).expect("a file system that takes any bytes");
    let refused = world.repose_in(&folder, &["add", "."]).refused(2, "bad_request");
    assert!(refused["message"].as_str().is_some_and(|said| said.contains("no UTF-8 text")), "{refused}");
}
