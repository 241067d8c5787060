//! Which control sequences pass.

/// Modes that don't pass: VT52, whose sequences are others; reports of the size at once and at each change;
/// pastes that bring the clipboard's content in strings.
const MODES: [&[u8]; 3] = [b"2", b"2048", b"5522"];

/// Whether a terminal may have this sequence (without its `ESC [`): it is well formed, and known as drawing,
/// or as a mode that answers nothing.
pub(super) fn passes(sequence: &[u8]) -> bool {
    let Some((&last, before)) = sequence.split_last() else { return false };
    let (private, before) = match before.split_first() {
        Some((&first @ b'<'..=b'?', rest)) => (Some(first), rest),
        Some(_) | None => (None, before),
    };
    let digits = before.iter().position(|b| !matches!(b, b'0'..=b';')).unwrap_or(before.len());
    let (parameters, between) = before.split_at(digits);
    match (private, between, last) {
        // The window's title on a stack; all else of `t` is about the window, or asks.
        (None, b"", b't') => matches!(parameters.split(|&b| b == b';').next(), Some(b"22" | b"23")),
        (None, b"", _) => b"@ABCDEFGHIJKLMPSTXZ^`abdefghlmrsu".contains(&last),
        (None, b" ", _) => b"@Aq".contains(&last),
        (None, b"!", _) => last == b'p',
        (None, b"\"", _) => last == b'q',
        (None, b"#", _) => b"PQpq{}".contains(&last),
        (None, b"$", _) => b"rtvxz{".contains(&last),
        (None, b"'", _) => b"}~".contains(&last),
        (None, b"*", _) => last == b'x',
        (Some(b'?'), b"", b'h') => !parameters.split(|&b| b == b';').any(|mode| MODES.contains(&plain(mode))),
        (Some(b'?'), b"", _) => b"JKWlrs".contains(&last),
        (Some(b'>'), b"", _) => b"fmnpu".contains(&last),
        (Some(b'<' | b'='), b"", _) => last == b'u',
        (Some(_) | None, _, _) => false,
    }
}

/// A number without the zeros before it.
fn plain(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|&&b| b == b'0').count();
    &number[zeros..]
}
