use super::{Detach, Input};

fn fed(pieces: &[&[u8]]) -> (Vec<u8>, bool) {
    let mut detach = Detach::default();
    let mut passed = Vec::new();
    for piece in pieces {
        let Input { pass, detach } = detach.feed(piece);
        passed.extend(pass);
        if detach {
            return (passed, true);
        }
    }
    (passed, false)
}

#[test]
fn the_two_keys_detach_in_every_way_that_terminals_say_them() {
    let backslash: &[&[u8]] = &[b"\x1c", b"\x1b[92;5u", b"\x1b[27;5;92~", b"\x1b[92;5:1u", b"\x1b[92;69u"];
    let d: &[&[u8]] = &[b"\x04", b"\x1b[100;5u", b"\x1b[27;5;100~", b"\x1b[100:68;5u", b"\x1b[100;133u"];
    for first in backslash {
        for second in d {
            assert_eq!(fed(&[first, second]), (vec![], true), "{first:?} {second:?}");
            assert_eq!(fed(&[&[*first, *second].concat()]), (vec![], true), "{first:?} {second:?} at once");
        }
    }
}

#[test]
fn keys_let_go_and_modifiers_between_them_do_not_matter() {
    assert_eq!(fed(&[b"\x1b[92;5u", b"\x1b[92;5:3u", b"\x1b[57442;5u", b"\x1b[100;5u"]), (vec![], true));
}

#[test]
fn everything_else_reaches_the_engine_unchanged() {
    let cases: &[(&[&[u8]], &[u8])] = &[
        (&[b"hello"], b"hello"),
        (&[b"\x04"], b"\x04"),
        (&[b"\x1c", b"x"], b"\x1cx"),
        (&[b"\x1c\x1c\x04"], b"\x1c\x04"),
        (&[b"\x1b[92;5u", b"\x1b[A"], b"\x1b[92;5u\x1b[A"),
        (&[b"\x1b[100;5u"], b"\x1b[100;5u"),
        (&[b"\x1b[200~pasted\x1b[201~"], b"\x1b[200~pasted\x1b[201~"),
        (&[b"\x1b[100;6u"], b"\x1b[100;6u"),
        (&["äöü€".as_bytes()], "äöü€".as_bytes()),
        (&[b"\x1b"], b"\x1b"),
        (&[b"\x1b["], b"\x1b["),
    ];
    for (pieces, passed) in cases {
        assert_eq!(fed(pieces), (passed.to_vec(), false), "{pieces:?}");
    }
}
