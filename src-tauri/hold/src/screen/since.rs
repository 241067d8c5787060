//! The output since a question to a program that answers only on the screen.

/// The most bytes of an answer. The oldest lines of a longer one are dropped, and it begins with how many.
const BYTES_MAX: usize = 1024 * 1024;

/// How many more bytes may come before those are dropped, so that a long answer isn't moved at each line.
const SLACK: usize = BYTES_MAX / 8;

/// With what a shell asks for the rest of what was asked, once for each further line, where the terminal echoes the
/// lines before the shell has read the first (dash).
const MORE: &str = "> ";

/// The most bytes of the line that says how much was dropped.
const MARK_MAX: usize = 64;

/// A line of the screen, and whether it continues in the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) wraps: bool,
}

/// A question, and where it was asked.
#[derive(Debug)]
pub(super) struct Since {
    question: String,
    /// The text before the cursor.
    before: String,
    /// The part of that text which is the prompt: output without a final line break may precede it, and text
    /// that is removed may follow it. Empty: unknown.
    prompt: String,
    /// How many lines of the screen were above the cursor's line.
    above: usize,
    /// What has left the screen from the question on.
    left: Kept,
    /// Whether the program reads each line of the question on its own.
    line_by_line: bool,
}

/// The end of a text.
#[derive(Debug, Default)]
struct Kept {
    text: String,
    /// How many lines before it were dropped, in whole or in part.
    dropped: usize,
    /// Whether it begins within a line, which counts among those.
    torn: bool,
}

impl Kept {
    fn add(&mut self, line: &Shown) {
        self.text.push_str(&line.text);
        if !line.wraps {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push('\n');
        }
        if self.text.len() > BYTES_MAX + SLACK {
            self.keep(BYTES_MAX);
        }
    }

    /// Keeps at most this many bytes. A line is dropped as a whole, unless there is no other.
    fn keep(&mut self, bytes: usize) {
        let Some(over) = self.text.len().checked_sub(bytes).filter(|over| *over > 0) else { return };
        let least = self.text.ceil_char_boundary(over);
        let ends = self.text.as_bytes()[least - 1..].iter().position(|byte| *byte == b'\n');
        let ends = ends.map(|at| least + at).filter(|ends| *ends < self.text.len());
        let drops = ends.unwrap_or(least);
        let ended = self.text[..drops].matches('\n').count();
        self.dropped += ended + usize::from(ends.is_none()) - usize::from(self.torn);
        self.torn = ends.is_none();
        self.text.drain(..drops);
    }
}

impl Since {
    /// `known` is the prompt of the previous question. `clean`: the text before the cursor ends in a prompt.
    pub(super) fn new(question: String, before: String, known: &str, above: usize, clean: bool) -> Self {
        let same = !known.trim().is_empty() && before.trim_end().ends_with(known.trim_end());
        let prompt = if same || !clean { known.to_owned() } else { before.clone() };
        Self { question, before, prompt, above, left: Kept::default(), line_by_line: false }
    }

    /// Notes that the program reads each line of the question on its own.
    pub(super) fn line_by_line(self) -> Self {
        Self { line_by_line: true, ..self }
    }

    pub(super) fn prompt(&self) -> &str {
        &self.prompt
    }

    /// The text before the cursor when the question was asked.
    pub(super) fn before(&self) -> &str {
        &self.before
    }

    /// The first line leaves the screen.
    pub(super) fn leaves(&mut self, line: &Shown) {
        if self.above > 0 {
            self.above -= 1;
            return;
        }
        self.left.add(line);
    }

    /// The lines above the screen were erased: how many had left it by then is unknown.
    pub(super) fn wiped(&mut self) {
        self.above = 0;
        self.left = Kept::default();
    }

    /// The answer, without the echoed question and without the prompt that follows it, if that is the same as
    /// before; and the prompt. `screen` is the present content of the screen.
    pub(super) fn answer(self, screen: impl Iterator<Item = Shown>) -> (String, String) {
        let Self { question, before, mut prompt, above, left: mut kept, line_by_line } = self;
        for line in screen.skip(above) {
            kept.add(&line);
        }
        let asked = question.split('\n').count();
        let lines: Vec<&str> = kept.text.lines().collect();
        let lines = match kept.dropped {
            0 => {
                let (lines, stood) = after_question(&lines, &before, &question);
                if prompt.is_empty() {
                    prompt = stood.to_owned();
                }
                lines
            }
            // The question, or its beginning, was dropped first.
            dropped => &lines[asked.saturating_sub(dropped).min(lines.len())..],
        };
        let mut text = lines.join("\n");
        let asked_for_more = MORE.repeat(asked - 1);
        if line_by_line && text.starts_with(&asked_for_more) {
            text.drain(..asked_for_more.len());
        }
        text.truncate(text.trim_end().len());
        let ends = prompt.trim();
        if !ends.is_empty() {
            let last = text.rfind('\n').map_or(0, |at| at + 1);
            if text.ends_with(ends) {
                text.truncate(text.len() - ends.len());
            } else if alike(&text[last..], ends) {
                text.truncate(last);
            }
            text.truncate(text.trim_end().len());
        }
        let mut answer = Kept { text, dropped: kept.dropped.saturating_sub(asked), torn: kept.torn };
        answer.keep(BYTES_MAX - MARK_MAX);
        let text = match answer.dropped {
            0 => answer.text,
            1 => format!("… 1 line before this isn't kept\n{}", answer.text),
            many => format!("… {many} lines before this aren't kept\n{}", answer.text),
        };
        (text, prompt)
    }
}

/// Whether the text before the cursor ends in this prompt, which isn't empty, perhaps with another folder in it.
pub(super) fn ends_in(before_cursor: &str, prompt: &str) -> bool {
    let before_cursor = before_cursor.trim_end();
    before_cursor.ends_with(prompt.trim()) || alike(before_cursor, prompt.trim())
}

/// Whether a last line is the prompt with another folder in it: it begins and ends as the prompt does. A prompt
/// of one character has nothing that could change.
fn alike(line: &str, prompt: &str) -> bool {
    let mut ends = prompt.chars();
    let (Some(first), Some(last)) = (ends.next(), ends.next_back()) else { return false };
    !last.is_alphanumeric() && line.starts_with(first) && line.ends_with(last)
}

/// The lines below the question, and the text before it. All lines, if the question isn't shown.
fn after_question<'a>(lines: &'a [&'a str], before: &str, question: &str) -> (&'a [&'a str], &'a str) {
    let Some(first) = lines.first() else { return (lines, "") };
    // Usually it is where the cursor was, and further left if text before the cursor was removed. A prompt may
    // contain the question too, so the last place counts.
    let stood = first.strip_prefix(before.trim_end()).map(|rest| first.len() - rest.len());
    let nearer = first.char_indices().map(|(at, _)| at).filter(|at| *at <= before.len());
    stood
        .into_iter()
        .chain(nearer.rev())
        .find_map(|at| Some((below(lines, at, question)?, &first[..at])))
        .unwrap_or((lines, ""))
}

/// The lines below the question, if it begins at this byte of the first line. White space isn't compared,
/// since a terminal wraps long lines and a program that reads them may indent what it shows.
fn below<'a>(lines: &'a [&'a str], begins: usize, question: &str) -> Option<&'a [&'a str]> {
    let mut asked = question.chars().filter(|c| !c.is_whitespace());
    let mut next = asked.next();
    for (at, line) in lines.iter().enumerate() {
        let line = if at == 0 { &line[begins..] } else { line };
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            match next {
                None => break,
                Some(wanted) if wanted == c => next = asked.next(),
                Some(_) => return None,
            }
        }
        if next.is_none() {
            return Some(&lines[at + 1..]);
        }
    }
    None
}

#[cfg(test)]
mod tests;
