//! Anything may arrive over the wire.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use repose_core::session::Fact;
use repose_hold::{Client, ConnectError, Entry, How};

use crate::world::{self, World};

/// So short that a reap is tried several times without success.
const IDLE_AFTER: Duration = Duration::from_millis(300);

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(body.len() + 1).unwrap().to_le_bytes().to_vec();
    frame.push(kind);
    frame.extend_from_slice(body);
    frame
}

fn answer(stream: &mut UnixStream) -> (u8, String) {
    let mut head = [0; 5];
    stream.read_exact(&mut head).unwrap();
    let mut body = vec![0; u32::from_le_bytes(head[..4].try_into().unwrap()) as usize - 1];
    stream.read_exact(&mut body).unwrap();
    (head[4], String::from_utf8(body).unwrap())
}

#[tokio::test]
async fn what_is_not_known_is_answered_and_harms_nothing() {
    let world = World::of_script("read x");
    let (client, _pushed) = world.client().await;
    let mut stream = UnixStream::connect(repose_hold::socket_path(&world.dir)).unwrap();
    stream.set_read_timeout(Some(world::DEADLINE)).unwrap();
    stream.write_all(&frame(0x66, b"whatever")).unwrap();
    let (kind, body) = answer(&mut stream);
    assert!(kind == 0x7f && body.contains("unknown_frame"), "{body}");
    stream.write_all(&frame(0x01, br#"{"id":9,"op":"dance"}"#)).unwrap();
    let (_, body) = answer(&mut stream);
    assert!(body.contains(r#""id":9"#) && body.contains("unknown_order"), "{body}");
    stream.write_all(&frame(0x01, br#"{"id":10,"op":"hello","protocol":99,"build":"x","more":1}"#)).unwrap();
    let (_, body) = answer(&mut stream);
    assert!(body.contains(r#""protocol":1"#), "{body}");
    client.state().await.unwrap();
}

#[tokio::test]
async fn garbage_closes_the_connection_that_it_came_by() {
    let world = World::of_script("read x");
    let (client, _pushed) = world.client().await;
    for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 64], &frame(0x01, b"{not json"), &frame(0x10, b"[]")]
    {
        let mut stream = UnixStream::connect(repose_hold::socket_path(&world.dir)).unwrap();
        stream.set_read_timeout(Some(world::DEADLINE)).unwrap();
        stream.write_all(garbage).unwrap();
        let mut rest = Vec::new();
        // Closing with unread bytes is a reset.
        let closed = stream.read_to_end(&mut rest);
        assert!(rest.is_empty(), "{closed:?} {rest:?}");
    }
    client.state().await.unwrap();
}

#[tokio::test]
async fn invariant_06_nothing_is_let_go_while_the_record_can_not_be_written() {
    let world = World::on_a_full_disk("read x", |spec| spec.params.policy.idle_after = IDLE_AFTER);
    world::until("a socket", || repose_hold::socket_path(&world.dir).exists()).await;
    // A client that greets is a runner, and hears the record.
    let mut stream = UnixStream::connect(repose_hold::socket_path(&world.dir)).unwrap();
    stream.set_read_timeout(Some(world::DEADLINE)).unwrap();
    let mut tried = std::collections::BTreeSet::new();
    let begun = Instant::now();
    while tried.len() < 3 {
        assert!(begun.elapsed() < world::DEADLINE, "{tried:?}");
        stream.write_all(&frame(0x01, br#"{"id":1,"op":"state"}"#)).unwrap();
        let (_, body) = answer(&mut stream);
        let state: serde_json::Value = serde_json::from_str(&body).unwrap();
        let state = &state["ok"];
        assert!(state["ended"].is_null() && state["view"].is_object(), "{body}");
        if state["journal_trouble"].is_string() {
            tried.insert(state["view"]["interaction"].to_string());
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // A connected runner hears it and stores it.
    let (_client, mut pushed) = world.client().await;
    let over = loop {
        match world::entry(&mut pushed).await.entry {
            Entry::Fact(Fact::LettingGo { .. }) => break world::end(&mut pushed).await,
            Entry::Fact(_) | Entry::Ended(_) => {}
        }
    };
    assert!(matches!(over, How::Reaped { .. }), "{over:?}");
}

#[tokio::test]
async fn a_second_holder_of_the_session_ends_at_once() {
    let world = World::of_script("read x");
    let (client, _pushed) = world.client().await;
    let second = Command::new(world::program()).arg("hold").arg(&world.dir).env_clear().output().unwrap();
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("a holder listens"), "{second:?}");
    client.state().await.unwrap();
}

#[tokio::test]
async fn a_holder_that_is_gone_is_told_as_gone() {
    let dir = tempfile::tempdir().unwrap();
    let error = Client::connect(dir.path(), "test").await.unwrap_err();
    assert!(matches!(error, ConnectError::Gone { .. }), "{error}");
}

#[tokio::test]
async fn a_path_too_long_for_a_socket_still_has_one() {
    let deep = tempfile::tempdir().unwrap();
    let dir = deep.path().join("x".repeat(120));
    let path = repose_hold::socket_path(&dir);
    assert!(path.as_os_str().len() < 104 && path == repose_hold::socket_path(&dir));
}

#[tokio::test]
async fn a_hook_without_its_holder_leaves_its_word_in_the_spool() {
    let dir = tempfile::tempdir().unwrap();
    let mut hook = Command::new(world::program())
        .arg("hook")
        .env_clear()
        .env("REPOSE_SESSION_DIR", dir.path())
        .env("REPOSE_HOOK_SOCK", dir.path().join("sock"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    hook.stdin.take().unwrap().write_all(b"{\"hook_event_name\":\"Stop\"}").unwrap();
    let output = hook.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    let spooled = repose_hold::hook::spooled(dir.path()).unwrap();
    assert_eq!(spooled.len(), 1);
    assert_eq!(spooled[0].1, b"{\"hook_event_name\":\"Stop\"}");
}

#[tokio::test]
async fn a_holder_whose_folder_is_gone_starts_nothing() {
    let mut home = PathBuf::new();
    let mut world = World::with("touch started; read x", |spec| {
        home = PathBuf::from(&spec.cwd);
        std::fs::create_dir_all(home.join("state/steps")).unwrap();
        std::fs::write(home.join("state/steps/stop"), "Begins").unwrap();
    });
    world::until("the holder to be about to listen", || home.join("state/steps/at").exists()).await;
    // What the next runner does with a session without a holder.
    std::fs::remove_dir_all(&world.dir).unwrap();
    std::fs::write(home.join("state/steps/go"), "").unwrap();
    world::until("the holder to go", || world.holder.try_wait().unwrap().is_some()).await;
    assert!(!world.dir.exists() && !home.join("started").exists());
}
