//! Numbers in a terminal's sequences.

pub(super) fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// The first of a field's numbers.
pub(super) fn first_number(field: &[u8]) -> Option<u32> {
    number(field.split(|&b| b == b':').next()?)
}
