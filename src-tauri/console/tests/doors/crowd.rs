//! Many at once: nobody is kept out by those who only stand there.

use std::io::{Read, Write};
use std::net::TcpStream;

use repose_console::{CONSOLE_CONNECTIONS_MAX, READERS_MAX};

use super::{Answer, Doors, PATIENCE};

/// Strangers that come one after another, on several sockets at once.
const CROWD: usize = 1_000;

/// Sockets that say nothing.
const SILENT: usize = CONSOLE_CONNECTIONS_MAX + 64;

#[test]
fn a_crowd_of_sockets_keeps_nobody_out_for_long_and_the_command_line_never() {
    let doors = Doors::open();
    // More than are served at a time; the rest stand in the system's backlog.
    let silent: Vec<_> =
        (0..SILENT).map(|_| TcpStream::connect(doors.address()).expect("a connection")).collect();
    assert_eq!(doors.local("GET /api/status").status(), 200, "behind a door of its own");
    drop(silent);
    // Those that are served were hung up on, and the rest are seen to be gone as their turn comes.
    assert_eq!(doors.send("GET /api/repos", &[&doors.token()]).status(), 200);

    let ours = format!("Origin: {}", doors.console);
    let strangers = std::thread::scope(|scope| {
        let some = || {
            (0..CROWD / 8)
                .map(|_| doors.send("GET /api/repos/x/terminal", &[&ours, "Upgrade: websocket"]).status())
                .collect::<Vec<_>>()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(some)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("answers")).collect::<Vec<_>>()
    });
    assert!(strangers.len() == CROWD && strangers.iter().all(|status| *status == 401), "{strangers:?}");
    assert_eq!(doors.send("GET /api/repos", &[&doors.token()]).status(), 200);
    doors.close();
}

#[test]
fn one_reader_too_many_is_told_so_and_gets_the_next_place() {
    let doors = Doors::open();
    let read = || {
        let mut stream = TcpStream::connect(doors.address()).expect("the console listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let head =
            format!("GET /api/events HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", doors.address(), doors.token());
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = [0; 4096];
        let length = stream.read(&mut answer).expect("an answer");
        (Answer(String::from_utf8_lossy(&answer[..length]).into_owned()), stream)
    };
    let mut readers: Vec<_> = (0..READERS_MAX).map(|_| read()).collect();
    assert!(readers.iter().all(|(answer, _)| answer.status() == 200));
    let (refused, _) = read();
    assert_eq!(refused.status(), 503, "{refused:?}");
    assert!(refused.0.contains("\"too_many\""), "{refused:?}");
    readers.pop();
    let begun = std::time::Instant::now();
    while read().0.status() != 200 {
        assert!(begun.elapsed() < PATIENCE, "the place of one who left stays taken");
    }
    doors.close();
}
