//! Terminals at a session.

use repose_core::ids::AskId;
use repose_core::session::Fact;
use repose_hold::{Attach, Attached, Entry, Pushed, Shown, Submitted, attach};
use tokio::sync::mpsc::Receiver;

use crate::world::{self, World};

const TERMINAL: Attach = Attach { cols: 100, rows: 30, scrollback: true };

async fn terminal(world: &World, how: Attach) -> Attached {
    let (client, _pushed) = world.client().await;
    drop(client);
    attach(&world.dir, how).await.unwrap()
}

/// Reads and acknowledges until the terminal was shown this.
async fn shown(attached: &mut Attached, what: &str) -> String {
    let mut all = String::new();
    let mut total = 0;
    while !all.contains(what) {
        let next = tokio::time::timeout(world::DEADLINE, attached.shows.next()).await;
        let bytes = match next.unwrap_or_else(|_| panic!("waited in vain for {what:?} in {all:?}")) {
            Some(Shown::Snapshot(bytes) | Shown::Output(bytes)) => bytes,
            None => panic!("closed before {what:?}: {all:?}"),
        };
        total += bytes.len() as u64;
        all.push_str(&String::from_utf8_lossy(&bytes));
        attached.keys.ack(total).await.unwrap();
    }
    all
}

#[tokio::test]
async fn a_terminal_sees_what_was_there_and_what_comes() {
    let world = World::of_script("echo before; read x; echo after-$x; read y");
    let (client, _pushed) = world.client().await;
    let mut early = terminal(&world, TERMINAL).await;
    shown(&mut early, "before").await;
    early.keys.input(b"one\r").await.unwrap();
    shown(&mut early, "after-one").await;
    let mut late = terminal(&world, TERMINAL).await;
    let snapshot = shown(&mut late, "after-one").await;
    assert!(snapshot.contains("before"), "{snapshot:?}");
    let state = client.state().await.unwrap();
    assert_eq!((state.cols, state.rows, state.terminals), (100, 30, 2));
}

#[tokio::test]
async fn the_last_who_typed_owns_the_size() {
    let world = World::of_script("while read x; do stty size; done");
    let mut first = terminal(&world, TERMINAL).await;
    let mut second = terminal(&world, Attach { cols: 60, rows: 20, scrollback: true }).await;
    first.keys.input(b"a\r").await.unwrap();
    shown(&mut first, "30 100").await;
    second.keys.input(b"\x1b[I").await.unwrap(); // a terminal's own report doesn't count as typing
    second.keys.input(b"b\r").await.unwrap();
    shown(&mut second, "20 60").await;
    second.keys.resize(61, 21).await.unwrap();
    second.keys.input(b"c\r").await.unwrap();
    shown(&mut second, "21 61").await;
    drop(second);
    first.keys.input(b"d\r").await.unwrap();
    shown(&mut first, "30 100").await;
}

#[tokio::test]
async fn a_terminal_gets_the_screen_first_and_then_what_left_it() {
    let world = World::of_script("seq -f line-%g 1 500; echo done; read x");
    let (client, _pushed) = world.client().await;
    world::state(&client, "the lines", |state| state.scrollback.1 > 400).await;
    let mut attached = terminal(&world, TERMINAL).await;
    let screen = attached.shows.next().await.expect("a connection");
    let Shown::Snapshot(screen) = screen else { panic!("{screen:?}") };
    let text = String::from_utf8_lossy(&screen);
    assert!(text.contains("line-500") && !text.contains("line-7\r"), "{text:?}");
    attached.keys.ack(screen.len() as u64).await.unwrap();
    let all = shown(&mut attached, "line-7\r").await;
    assert!(all.contains("line-1\r") && all.contains("line-500"), "{all:?}");
}

#[tokio::test]
async fn a_slow_terminal_blocks_nobody_and_gets_the_screen_when_it_has_caught_up() {
    let script = "read x; yes flood | head -c 2500000; seq 1 100; echo done-$x; read y";
    let world = World::of_script(script);
    let mut slow = terminal(&world, TERMINAL).await;
    let mut quick = terminal(&world, TERMINAL).await;
    quick.keys.input(b"1\r").await.unwrap();
    shown(&mut quick, "done-1").await;
    // Nothing was read of this one so far.
    let mut total = 0;
    let mut snapshots = Vec::new();
    loop {
        let next =
            tokio::time::timeout(world::DEADLINE, slow.shows.next()).await.expect("the screen in time");
        let (bytes, last) = match next.expect("a connection") {
            Shown::Snapshot(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                let last = text.contains("done-1") && text.contains("flood");
                snapshots.push(text.into_owned());
                (bytes, last)
            }
            Shown::Output(bytes) => (bytes, false),
        };
        total += bytes.len() as u64;
        slow.keys.ack(total).await.unwrap();
        if last {
            break;
        }
    }
    let [.., screen, _] = snapshots.as_slice() else { panic!("one snapshot only: {snapshots:?}") };
    assert!(screen.contains("done-1") && !screen.contains("flood"), "the screen comes first: {screen:?}");
    assert!(total < 2_000_000, "it was spared most of the flood: {total}");
}

#[tokio::test]
async fn questions_are_answered_once_and_by_the_holder() {
    let script = "stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 2>/dev/null | od -c | head -1; \
        printf '\\033[c'; dd bs=1 count=4 2>/dev/null | od -c | head -1; echo end; read x";
    let world = World::of_script(script);
    let mut attached = terminal(&world, TERMINAL).await;
    let all = shown(&mut attached, "end").await;
    assert!(!all.contains("\u{1b}[6n") && !all.contains("\u{1b}[c"), "{all:?}");
    assert!(all.contains("033   [   1   ;   1   R"), "{all:?}");
}

/// Waits until the ask that was submitted waits for what is typed.
async fn given_back(pushed: &mut Receiver<Pushed>) {
    loop {
        match world::entry(pushed).await.entry {
            Entry::Fact(Fact::GivenBack { .. }) => break,
            Entry::Fact(fact @ (Fact::NotTaken { .. } | Fact::Taken { .. })) => {
                panic!("it can be typed again: {fact:?}")
            }
            Entry::Fact(_) | Entry::Ended(_) => {}
        }
    }
}

#[tokio::test]
async fn keys_that_an_ask_keeps_waiting_come_before_it() {
    // It shows no prompt, so that the holder waits for one before it types the ask.
    let world = World::of_script("stty -echo; read a; echo first-$a; read b; echo second-$b-end; read c");
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    let mut attached = terminal(&world, TERMINAL).await;
    assert_eq!(client.submit(&AskId::new("a"), "asked").await.unwrap(), Submitted::Accepted);
    attached.keys.input(b"x\r").await.unwrap();
    given_back(&mut pushed).await;
    attached.keys.input(b"y\r").await.unwrap();
    let all = shown(&mut attached, "-end").await;
    assert!(all.contains("first-x\r") && all.contains("second-y-end"), "nothing comes before them: {all:?}");
}

#[tokio::test]
async fn keys_answer_what_covers_the_line_before_an_ask_is_pasted() {
    // A key closes what covers its line, which then shows what is pasted.
    let script = "stty raw -echo; ready; printf '\\033[2J\\033[HDo you like tides?\\r\\n'; dd bs=1 count=1 of=key; \
        printf '\\033[2J\\033[H > '; dd bs=1 count=23 of=paste; printf 'what is it?'; dd bs=1 count=1 of=enter; \
        touch over; read x";
    let world = World::like_gemini(&script.replace("of=", "2>/dev/null of="));
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    let mut attached = terminal(&world, TERMINAL).await;
    shown(&mut attached, "tides?").await;
    assert_eq!(client.submit(&AskId::new("a"), "what is it?").await.unwrap(), Submitted::Accepted);
    attached.keys.input(b"y").await.unwrap();
    let file = |name: &str| world.home.path().join(name);
    world::until("the ask's Enter", || file("over").exists()).await;
    let got = ["key", "paste", "enter"].map(|name| std::fs::read_to_string(file(name)).unwrap());
    assert_eq!(got, ["y", "\u{1b}[200~what is it?\u{1b}[201~", "\r"]);
    while let Ok(told) = pushed.try_recv() {
        assert!(!format!("{told:?}").contains("GivenBack"), "{told:?}");
    }
}

#[tokio::test]
async fn a_text_that_was_pasted_and_not_sent_is_removed_before_other_keys() {
    // It takes what is pasted and shows none of it.
    let world = World::like_gemini("stty raw -echo; ready; printf '\\033[2J\\033[H > '; exec cat >got");
    let (client, mut pushed) = world.client().await;
    world::state(&client, "a prompt", |state| state.view.ready_for_ask.is_ok()).await;
    let mut attached = terminal(&world, TERMINAL).await;
    assert_eq!(client.submit(&AskId::new("a"), "what is it?").await.unwrap(), Submitted::Accepted);
    let got = || std::fs::read_to_string(world.home.path().join("got")).unwrap_or_default();
    let pasted = "\u{1b}[200~what is it?\u{1b}[201~";
    world::until("the paste", || got() == pasted).await;
    attached.keys.input(b"hi\r").await.unwrap();
    given_back(&mut pushed).await;
    world::until("the keys", || got().ends_with("hi\r")).await;
    let all = got();
    let between = all.strip_prefix(pasted).and_then(|rest| rest.strip_suffix("hi\r"));
    assert_eq!(between, Some("\u{15}\u{7f}\u{b}\u{1b}[3~"), "{all:?}");
}
