//! JSON with comments, which the program's settings may contain.

use serde_json::Value;

/// The value of a text in which `//` and `/* */` outside of strings are ignored. `None`: it isn't JSON.
pub(super) fn value(text: &str) -> Option<Value> {
    serde_json::from_str(&without_comments(text)).ok()
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        kept.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('"') {
            let length = string(rest);
            kept.push_str(&rest[..length]);
            length
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            kept.push(' ');
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            kept.push('/');
            1
        };
        rest = &rest[length..];
    }
    kept.push_str(rest);
    kept
}

/// The length of the string with which `text` begins, including its quotes.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
