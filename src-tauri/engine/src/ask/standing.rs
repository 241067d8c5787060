//! Whether a text stands in an input line, by the screen and the cursor.
//!
//! Agents put the cursor behind what is typed; in a dialog or a menu of theirs it is elsewhere. Screens wrap
//! lines, draw boxes around them, and count some characters differently: only letters are compared.

use super::{Seen, seen as visible};

/// How many letters of a text's end to look for.
const LETTERS: usize = 24;

/// How agents begin what they show in place of a long paste, of its middle, or of a picture.
const IN_PLACE: [&str; 3] = ["[Pasted", "[Image", "[...Truncated"];

/// The marks at the beginning of an input line.
const MARKS: [char; 5] = ['>', '*', '!', '\u{276f}', '\u{203a}'];

/// Whether the end of this text, or what is shown in place of it, stands right before the cursor.
pub(crate) fn stands(text: &str, seen: &Seen<'_>) -> bool {
    let above = |rows: usize| {
        let row = seen.row.checked_sub(rows).and_then(|row| seen.screen.lines().nth(row));
        row.unwrap_or_default()
    };
    let mut line = unmarked(seen.before_cursor);
    if in_place(seen.before_cursor) || in_place(&format!("{}{}", above(1).trim_end(), line)) {
        return true;
    }
    // A full line leaves the cursor at the beginning of the next, and so does each line feed at the end.
    if unframed(seen.before_cursor).is_empty() && !seen.before_cursor.is_empty() {
        let ends = text.chars().rev().take_while(|c| c.is_whitespace()).filter(|c| *c == '\n').count();
        line = (1..=ends + 1).map(|rows| unmarked(above(rows))).find(|line| !line.is_empty()).unwrap_or("");
    }
    // Of the last line there may be nothing but what isn't a letter.
    [is_plain, is_drawn].into_iter().any(|keeps: fn(char) -> bool| {
        let (last, shown) = (end(text, keeps), kept(line, keeps));
        !shown.is_empty() && (shown.ends_with(&last) || last.ends_with(&shown)) && !last.is_empty()
    })
}

/// The last characters of this kind.
fn end(text: &str, keeps: fn(char) -> bool) -> String {
    let mut end: Vec<char> = visible_from_end(text).filter(|c| keeps(*c)).take(LETTERS).collect();
    end.reverse();
    end.into_iter().collect()
}

fn kept(line: &str, keeps: fn(char) -> bool) -> String {
    visible(line).chars().filter(|c| keeps(*c)).collect()
}

/// The letters of a text's end.
pub(crate) fn last_letters(text: &str) -> String {
    let plain = end(text, is_plain);
    // Only of emoji, for example.
    if plain.is_empty() { end(text, is_drawn) } else { plain }
}

/// The letters of a shown line, of the same kind as those that are looked for.
pub(crate) fn letters(line: &str, like: &str) -> String {
    kept(line, if like.contains(is_plain) { is_plain } else { is_drawn })
}

fn visible_from_end(text: &str) -> impl Iterator<Item = char> {
    text.chars().rev().filter(|c| !super::is_unseen(*c))
}

/// Drawn the same by every program.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c.is_ascii_graphic()
}

fn is_drawn(c: char) -> bool {
    !c.is_whitespace() && !is_frame(c)
}

/// Part of the lines with which boxes are drawn.
pub(crate) fn is_frame(c: char) -> bool {
    ('\u{2500}'..='\u{259f}').contains(&c)
}

fn unframed(line: &str) -> &str {
    line.trim_matches(|c: char| c.is_whitespace() || is_frame(c))
}

fn unmarked(line: &str) -> &str {
    let line = unframed(line);
    line.strip_prefix(MARKS).map_or(line, str::trim_start)
}

fn in_place(line: &str) -> bool {
    let line = line.trim_end();
    let begun = line.rfind('[').map(|at| &line[at..]);
    line.ends_with(']') && begun.is_some_and(|shown| IN_PLACE.iter().any(|mark| shown.starts_with(mark)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::stands;
    use crate::ask::Seen;

    fn at(text: &str, screen: &str, row: usize, before_cursor: &str) -> bool {
        stands(text, &Seen { screen, row, before_cursor, takes_keys: true, still: Duration::ZERO })
    }

    #[test]
    fn a_text_stands_where_its_end_is_right_before_the_cursor() {
        let box_ = "\u{2500}\u{2500}\n > look at the tides of the\n   Wadden Sea\n\u{2500}\u{2500}";
        assert!(at("look at the tides of the Wadden Sea", box_, 2, "   Wadden Sea"));
        assert!(at("look at the tides of the\nWadden Sea ", box_, 2, "   Wadden Sea "));
        assert!(!at("look at the tides of the Wadden Sea", box_, 1, " > look"));
        assert!(!at("look at the tides of the Wadden Sea", box_, 4, ""), "the cursor is elsewhere");
        assert!(!at("x", " > \n", 0, " > "), "nothing is in the line yet");
        assert!(at("so wide that it ends it", " > so wide that it ends it\n   ", 1, "   "));
        assert!(
            at("a\tb", " \u{203a} a b", 0, " \u{203a} a b")
                && at("\u{1f44d}", " > \u{1f44d}", 0, " > \u{1f44d}")
        );
    }

    #[test]
    fn the_last_line_may_have_no_letter_or_be_empty() {
        assert!(at("do it\n\u{1f44d}", " > do it\n   \u{1f44d}", 1, "   \u{1f44d}"));
        assert!(at("\u{6f6e}\u{6c50}\u{3002}", " > \u{6f6e}\u{6c50}\n   \u{3002}", 1, "   \u{3002}"));
        assert!(at("why \u{2014}", " > why\n   \u{2014}", 1, "   \u{2014}"));
        assert!(at("do it\n\n", " > do it\n   \n   ", 2, "   "));
        assert!(!at("do it\n", " > do it\n\n\n   ", 3, "   "), "further down than it has lines");
        assert!(!at("do it", " > \u{1f44d}", 0, " > \u{1f44d}"));
    }

    #[test]
    fn a_prompt_above_a_dialog_stands_in_no_line() {
        let dialog = " > look at @/srv/tides.txt\n\u{2502} - /srv/tides.txt \u{2502}\n\u{2502} \u{25cf} 1. Yes \u{2502}\n\u{2570}\u{2500}\u{256f}";
        assert!(!at("look at @/srv/tides.txt", dialog, 4, ""));
        assert!(!at("look at @/srv/tides.txt", dialog, 2, "\u{2502} "));
    }

    #[test]
    fn what_is_shown_in_place_of_a_text_stands_for_it() {
        for shown in
            ["[Pasted Text: 12 lines]", "[Pasted text #1 +11 lines]", "[Pasted ~3 lines] ", "[Image #1]"]
        {
            assert!(at("a\nb\nc", "", 0, &format!(" > {shown}")), "{shown}");
        }
        assert!(at("a\nb\nc", " > [Pasted Content\n   12345 chars]", 1, "   12345 chars]"));
        assert!(!at("a\nb\nc", "", 0, " > [y/n]"));
    }
}
