use std::io::Cursor;

use super::{BLOCK, Backward, LINE_MAX, Line, forward};

fn backward(bytes: &[u8], before: Option<u64>) -> Vec<(u64, Option<Vec<u8>>, bool)> {
    let mut lines = Backward::new(Cursor::new(bytes), before).expect("opens");
    let mut all = Vec::new();
    while let Some(Line { offset, bytes, ended }) = lines.line().expect("reads") {
        all.push((offset, bytes, ended));
    }
    all.reverse();
    all
}

fn forwards(bytes: &[u8]) -> Vec<(u64, Option<Vec<u8>>, bool)> {
    let temp = tempfile::NamedTempFile::new().expect("temp");
    std::fs::write(temp.path(), bytes).expect("written");
    let mut all = Vec::new();
    forward(temp.path(), |line| {
        all.push((line.offset, line.bytes.map(<[u8]>::to_vec), line.ended));
        true
    })
    .expect("reads");
    all
}

#[test]
fn both_directions_give_the_same_lines() {
    let long = vec![b'x'; 3 * BLOCK + 7];
    let mut blocks = Vec::new();
    for length in [0, 1, BLOCK - 1, BLOCK, 5, BLOCK + 1, 0, 0] {
        blocks.extend(std::iter::repeat_n(b'y', length));
        blocks.push(b'\n');
    }
    let cases: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\n".to_vec(),
        b"\n\n".to_vec(),
        b"a".to_vec(),
        b"a\n".to_vec(),
        b"a\nb".to_vec(),
        b"\na\n\nb\n".to_vec(),
        long,
        blocks,
    ];
    for case in cases {
        assert_eq!(backward(&case, None), forwards(&case), "a case of {} bytes", case.len());
    }
}

#[test]
fn a_line_that_is_too_long_is_passed_over_and_the_others_stay() {
    let mut bytes = b"before\n".to_vec();
    bytes.extend(std::iter::repeat_n(b'x', LINE_MAX + 1));
    bytes.extend_from_slice(b"\nafter");
    let expected = vec![
        (0, Some(b"before".to_vec()), true),
        (7, None, true),
        (7 + LINE_MAX as u64 + 2, Some(b"after".to_vec()), false),
    ];
    assert_eq!(backward(&bytes, None), expected);
    assert_eq!(forwards(&bytes), expected);
}

#[test]
fn reading_on_from_a_line_gives_what_is_before_it() {
    let bytes = b"one\ntwo\nthree\n";
    assert_eq!(
        backward(bytes, Some(8)),
        vec![(0, Some(b"one".to_vec()), true), (4, Some(b"two".to_vec()), true)]
    );
    assert_eq!(backward(bytes, Some(0)), vec![]);
    assert_eq!(backward(bytes, Some(999)).len(), 3);
}

#[test]
fn the_last_line_of_a_large_file_costs_one_block() {
    let mut bytes = vec![b'\n'; 20 * 1024 * 1024];
    bytes.extend_from_slice(b"last\n");
    let mut lines = Backward::new(Cursor::new(bytes), None).expect("opens");
    assert_eq!(lines.line().expect("reads").and_then(|line| line.bytes), Some(b"last".to_vec()));
    assert_eq!(lines.bytes_read(), BLOCK as u64);
}
