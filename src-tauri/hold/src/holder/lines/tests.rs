use super::{EVENT_MAX, Lines};

#[test]
fn events_are_whole_however_they_come_in_pieces() {
    let stream = b": hello\ndata: {\"a\":1}\r\n\nevent: x\ndata:{\"b\":2}\n\n";
    for at in 0..stream.len() {
        let mut lines = Lines::default();
        let mut events = lines.feed(&stream[..at]);
        events.extend(lines.feed(&stream[at..]));
        assert_eq!(events, [b"{\"a\":1}".to_vec(), b"{\"b\":2}".to_vec()], "cut at {at}");
    }
}

#[test]
fn an_event_that_is_too_long_is_passed_over_and_the_next_is_not() {
    let mut lines = Lines::default();
    assert!(lines.feed(b"data: ").is_empty());
    for _ in 0..=EVENT_MAX / 1024 {
        assert!(lines.feed(&[b'x'; 1024]).is_empty());
    }
    assert_eq!(lines.feed(b"\ndata: next\n"), [b"next".to_vec()]);
}
