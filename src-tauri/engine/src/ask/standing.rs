//! Whether a text stands in an input line, by the screen and the cursor.
//!
//! Agents put the cursor behind what is typed; in a dialog or a menu of theirs it is elsewhere. Screens wrap
//! lines, draw boxes around them, count some characters differently, and draw some composed and others without
//! their marks: what is compared is what a letter is based on.

use std::ops::RangeInclusive;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::{Seen, is_unseen};

/// How many letters of a text's end to look for.
const LETTERS: usize = 24;

/// How many characters of a text's end surely have that many letters, if it has them.
const READ: usize = 16 * LETTERS;

/// How agents begin what they show in place of a long paste, of its middle, or of a picture.
const IN_PLACE: [&str; 3] = ["[Pasted", "[Image", "[...Truncated"];

/// The marks at the beginning of an input line, in the first two columns.
const MARKS: [char; 5] = ['>', '*', '!', '\u{276f}', '\u{203a}'];

/// What joins emoji, their skin tones, and the letters that make flags.
const JOINER: char = '\u{200d}';
const TONES: RangeInclusive<char> = '\u{1f3fb}'..='\u{1f3ff}';
const FLAGS: RangeInclusive<char> = '\u{1f1e6}'..='\u{1f1ff}';

/// What is at least between a line and what is drawn beside it, such as a list of files, and of how many parts a row
/// may be. A text may have as much space itself.
const BESIDE: &str = "   ";
const PARTS: usize = 8;

/// The sides of a box.
const SIDES: [char; 3] = ['\u{2502}', '\u{2503}', '\u{258c}'];

/// What is compared, the first of these that a text has: what each program draws the same, what a program draws
/// at all, what could also be the mark of an input line, and what could also be a part of a box.
const KINDS: [fn(char) -> bool; 4] = [
    |c| (c.is_alphanumeric() || c.is_ascii_graphic()) && !MARKS.contains(&c),
    |c| is_drawn(c) && !MARKS.contains(&c),
    is_drawn,
    |c| !c.is_whitespace(),
];

/// The widest that a tab is drawn.
const TAB: usize = 8;

/// Whether the end of this text, or what is shown in place of it, stands right before the cursor.
pub(crate) fn stands(text: &str, seen: &Seen<'_>) -> bool {
    let rows: Vec<&str> = seen.screen.lines().take(seen.row + 1).collect();
    let (row, above) = match rows.split_last() {
        Some((row, above)) if rows.len() > seen.row => (*row, above),
        Some(_) | None => ("", rows.as_slice()),
    };
    let from_below = || above.iter().rev().copied();
    let wrapped = format!("{}{}", unframed(from_below().next().unwrap_or("")), unframed(seen.before_cursor));
    if in_place(seen.before_cursor) || in_place(&wrapped) {
        return true;
    }
    // A full line leaves the cursor at the beginning of the next, and so does each line feed at the end.
    let ends = text.chars().rev().take_while(|c| c.is_whitespace()).filter(|c| *c == '\n').count();
    let blank = std::iter::once(seen.before_cursor).chain(from_below());
    if seen.before_cursor.is_empty() || blank.take_while(|row| unmarked(row).is_empty()).count() > ends + 1 {
        return false;
    }
    let doubtful = text.lines().last().unwrap_or("").chars().map(in_doubt).sum();
    Joined::BOTH.into_iter().filter_map(|joined| end(text, joined)).any(|end| {
        up_to_cursor(seen.before_cursor, row, doubtful)
            .any(|row| end.stands_in(std::iter::once(row).chain(from_below()), doubtful))
    })
}

/// Whether the end of this text is part of what is shown there.
pub(crate) fn is_part(text: &str, shown: &str) -> bool {
    let mut ends = Joined::BOTH.into_iter().filter_map(|joined| end(text, joined));
    ends.any(|end| end.of(shown).contains(&end.letters))
}

/// How many cells a character may be drawn wider than an agent takes it for.
fn in_doubt(c: char) -> usize {
    match c {
        '\t' => TAB,
        _ => usize::from(is_combining_mark(c) || is_unseen(c) || TONES.contains(&c) || FLAGS.contains(&c)),
    }
}

/// The cursor's row up to where the cursor may be meant to stand, which is further right by no more than this.
fn up_to_cursor<'a>(before: &'a str, row: &'a str, doubtful: usize) -> impl Iterator<Item = &'a str> {
    let behind = row.strip_prefix(before).unwrap_or("");
    let cut = move |(at, c): (usize, char)| &row[..before.len() + at + c.len_utf8()];
    std::iter::once(before).chain(behind.char_indices().take(doubtful).map(cut))
}

/// How emoji are drawn that are joined to one.
#[derive(Clone, Copy)]
enum Joined {
    /// All of them, one beside the other.
    Apart,
    /// The first alone: an agent that takes them for as wide as one draws over the rest.
    AsOne,
}

impl Joined {
    const BOTH: [Self; 2] = [Self::Apart, Self::AsOne];
}

/// What is looked for of a text: its last letters.
struct End {
    letters: String,
    kind: fn(char) -> bool,
    joined: Joined,
}

/// The last letters of a text.
fn end(text: &str, joined: Joined) -> Option<End> {
    let read = text.char_indices().rev().nth(READ).map_or(0, |(at, _)| at);
    let bases: Vec<char> = bases(&text[read..], joined).collect();
    KINDS.into_iter().find_map(|kind| {
        let kept: Vec<char> = bases.iter().copied().filter(|c| kind(*c)).collect();
        let letters = kept[kept.len().saturating_sub(LETTERS)..].iter().collect();
        (!kept.is_empty()).then_some(End { letters, kind, joined })
    })
}

impl End {
    /// What is of that kind in a shown line.
    fn of(&self, row: &str) -> String {
        bases(row, self.joined).filter(|c| (self.kind)(*c)).collect()
    }

    /// Whether these rows, from below, end in it. An agent that takes characters for narrower draws over the last
    /// of them: up to half of the letters may be missing, and no more than this.
    fn stands_in<'a>(&self, rows: impl Iterator<Item = &'a str> + Clone, doubtful: usize) -> bool {
        let missing = doubtful.min(self.letters.chars().count() / 2);
        let shorter = self.letters.char_indices().rev().map(|(at, _)| &self.letters[..at]);
        let mut ends = std::iter::once(self.letters.as_str()).chain(shorter.take(missing));
        ends.any(|end| self.ends(end, rows.clone()))
    }

    /// Whether these rows, from below, end in these letters. Up to the begin of the input line they go on in the
    /// row above.
    fn ends<'a>(&self, mut letters: &str, rows: impl Iterator<Item = &'a str>) -> bool {
        for (above, row) in rows.enumerate() {
            if above > 0 && is_rule(row) {
                return false;
            }
            let parts = if above == 0 { 1 } else { PARTS };
            let shown =
                std::iter::successors(Some(row), left_of).take(parts).map(|part| self.of(unmarked(part)));
            let left = shown.map(|shown| match letters.strip_suffix(shown.as_str()) {
                Some(left) => Some(left),
                None => shown.ends_with(letters).then_some(""),
            });
            match left.flatten().next() {
                Some("") => return true,
                Some(_) if is_marked(row) => return false,
                Some(left) => letters = left,
                None => return false,
            }
        }
        false
    }
}

/// A row without what is drawn furthest right beside the rest.
fn left_of<'a>(row: &&'a str) -> Option<&'a str> {
    row.trim_end().rsplit_once(BESIDE).map(|(left, _)| left)
}

/// What characters are based on: without accents, tones and other marks, and without what shows nothing.
fn bases(text: &str, joined: Joined) -> impl Iterator<Item = char> {
    let mut behind_joiner = false;
    let shown = text.chars().filter(move |c| {
        let drawn_over = std::mem::replace(&mut behind_joiner, *c == JOINER);
        let apart = matches!(joined, Joined::Apart) || !drawn_over;
        apart && !is_unseen(*c) && !TONES.contains(c)
    });
    shown.nfkd().filter(|c| !is_combining_mark(*c))
}

fn is_drawn(c: char) -> bool {
    !c.is_whitespace() && !is_frame(c)
}

/// Part of the lines with which boxes are drawn.
pub(crate) fn is_frame(c: char) -> bool {
    ('\u{2500}'..='\u{259f}').contains(&c)
}

/// A line that bounds a box.
fn is_rule(row: &str) -> bool {
    row.trim().chars().count() > 2 && row.trim().chars().all(is_frame)
}

/// The row without the sides of a box.
fn unframed(row: &str) -> &str {
    row.trim_matches(|c: char| c.is_whitespace() || SIDES.contains(&c))
}

/// The row without the mark of an input line at its beginning.
fn unmarked(row: &str) -> &str {
    let text = unframed(row);
    if is_marked(row) { text.strip_prefix(MARKS).map_or(text, str::trim_start) } else { text }
}

fn is_marked(row: &str) -> bool {
    row.strip_prefix(' ').unwrap_or(row).starts_with(MARKS)
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
    fn a_letter_of_a_text_is_not_the_text() {
        assert!(!at("run", " > n", 0, " > n"));
        assert!(!at("run", "so it ru\n\n > n", 2, " > n"), "what is above the line is not in it");
        assert!(!at("run", "so it ru\n\u{2500}\u{2500}\u{2500}\n   n", 2, "   n"));
        assert!(at("a\n> b", " > a\n   > b", 1, "   > b"));
        assert!(at("!", " > !", 0, " > !") && !at("!", " > ", 0, " > "));
        assert!(at("!", "  \u{2503}\n  \u{2503}  !", 1, "  \u{2503}  !"), "no mark of the line");
        assert!(at("\u{251c}\u{2500}", "  \u{2503}  \u{251c}\u{2500}", 0, "  \u{2503}  \u{251c}\u{2500}"));
    }

    #[test]
    fn what_is_drawn_beside_the_lines_above_is_not_in_them() {
        let screen = "  \u{2503}                          Context\n  \u{2503}  look   at the tides of the    12% used\n  \u{2503}  Wadden Sea";
        let text = "look   at the tides of the Wadden Sea";
        assert!(at(text, screen, 2, "  \u{2503}  Wadden Sea"));
        assert!(!at("look at the moon of the Wadden Sea", screen, 2, "  \u{2503}  Wadden Sea"));
    }

    #[test]
    fn a_text_in_any_script_stands_however_its_marks_are_drawn() {
        for (text, shown) in [
            ("cafe\u{301}", "caf\u{e9}"),
            ("caf\u{e9}", "cafe"),
            ("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", "\u{d55c}\u{ae00}"),
            ("\u{e19}\u{e49}\u{e33}", "\u{e19}\u{e32}"),
            ("\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}", "\u{928}\u{92e}\u{938}\u{924}"),
            ("\u{645}\u{64e}\u{631}\u{62d}\u{628}\u{64b}\u{627}", "\u{645}\u{631}\u{62d}\u{628}\u{627}"),
            ("\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}", "\u{1f3f3}\u{1f308}"),
            ("\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}", "\u{1f3f3}\u{fe0f}\u{200d} "),
            ("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{1f680}", "\u{1f468}\u{200d} \u{1f680}"),
            ("\u{1f44d}\u{1f3fd}", "\u{1f44d}"),
            ("\u{e19}\u{e49}\u{e33}\u{e19}", "\u{e19}\u{e49}\u{e33}"),
        ] {
            let line = format!(" > {shown}");
            assert!(at(text, &line, 0, &line), "{text} is shown as {shown}");
        }
        assert!(!at("\u{928}\u{92e}", " > \u{928}", 0, " > \u{928}"));
    }

    #[test]
    fn a_cursor_may_stand_further_left_by_what_is_taken_for_narrower_and_not_by_more() {
        for (text, before, behind) in [
            ("\u{e19}\u{e49}\u{e33}\u{e19}", "\u{e19}\u{e49}\u{e33}", "\u{e19}"),
            ("\u{928}\u{93f}\u{92f}\u{93e}", "\u{928}\u{93f}", "\u{92f}\u{93e}"),
            ("a\tb", "a  ", "  b"),
            ("\tx", "  ", "  x"),
        ] {
            let (before, row) = (format!(" > {before}"), format!(" > {before}{behind}"));
            assert!(at(text, &row, 0, &before), "{row}");
        }
        assert!(!at("run it", " > run it", 0, " > run i"));
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
