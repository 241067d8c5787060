//! The output since a question to a program that answers only on the screen.

use std::collections::VecDeque;

/// The most bytes to keep of lines that left the screen since then; the oldest are dropped. A longer answer
/// is cut anyway.
const BYTES_MAX: usize = 1024 * 1024;

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
    /// The lines from the question on that have left the screen.
    left: VecDeque<Shown>,
    bytes: usize,
}

impl Since {
    /// `known` is the prompt of the previous question. `clean`: the text before the cursor ends in a prompt.
    pub(super) fn new(question: String, before: String, known: &str, above: usize, clean: bool) -> Self {
        let same = !known.trim().is_empty() && before.trim_end().ends_with(known.trim_end());
        let prompt = if same || !clean { known.to_owned() } else { before.clone() };
        Self { question, before, prompt, above, left: VecDeque::new(), bytes: 0 }
    }

    /// The text before the cursor when the question was asked.
    pub(super) fn before(&self) -> &str {
        &self.before
    }

    /// The first line leaves the screen.
    pub(super) fn leaves(&mut self, line: Shown) {
        if self.above > 0 {
            self.above -= 1;
            return;
        }
        self.bytes += line.text.len();
        self.left.push_back(line);
        while self.bytes > BYTES_MAX {
            let Some(oldest) = self.left.pop_front() else { break };
            self.bytes -= oldest.text.len();
        }
    }

    /// The lines above the screen were erased: how many had left it by then is unknown.
    pub(super) fn wiped(&mut self) {
        self.above = 0;
        self.left.clear();
        self.bytes = 0;
    }

    /// The answer, without the echoed question and without the prompt that follows it, if that is the same as
    /// before; and the prompt. `screen` is the present content of the screen.
    pub(super) fn answer(self, screen: impl Iterator<Item = Shown>) -> (String, String) {
        let Self { question, before, mut prompt, above, left, bytes: _ } = self;
        let lines = whole(left.into_iter().chain(screen.skip(above)));
        let (lines, stood) = after_question(&lines, &before, &question);
        if prompt.is_empty() {
            prompt = stood.to_owned();
        }
        let mut text = lines.join("\n");
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
        (text, prompt)
    }
}

/// Whether a last line is the prompt with another folder in it: it begins and ends as the prompt does. A prompt
/// of one character has nothing that could change.
fn alike(line: &str, prompt: &str) -> bool {
    let mut ends = prompt.chars();
    let (Some(first), Some(last)) = (ends.next(), ends.next_back()) else { return false };
    !last.is_alphanumeric() && line.starts_with(first) && line.ends_with(last)
}

/// Joins lines that continue in the next one.
fn whole(shown: impl Iterator<Item = Shown>) -> Vec<String> {
    let mut lines = Vec::new();
    let mut begun = String::new();
    for line in shown {
        begun.push_str(&line.text);
        if !line.wraps {
            begun.truncate(begun.trim_end_matches(' ').len());
            lines.push(std::mem::take(&mut begun));
        }
    }
    if !begun.is_empty() {
        lines.push(begun);
    }
    lines
}

/// The lines below the question, and the text before it. All lines, if the question isn't shown.
fn after_question<'a>(lines: &'a [String], before: &str, question: &str) -> (&'a [String], &'a str) {
    let Some(first) = lines.first() else { return (lines, "") };
    // Usually it is where the cursor was, and further left if text before the cursor was removed.
    let stood = first.strip_prefix(before.trim_end()).map(|rest| first.len() - rest.len());
    let nearer = first.char_indices().map(|(at, _)| at).take_while(|at| *at <= before.len());
    stood
        .into_iter()
        .chain(nearer)
        .find_map(|at| Some((below(lines, at, question)?, &first[..at])))
        .unwrap_or((lines, ""))
}

/// The lines below the question, if it begins at this byte of the first line. White space isn't compared,
/// since a terminal wraps long lines and a program that reads them may indent what it shows.
fn below<'a>(lines: &'a [String], begins: usize, question: &str) -> Option<&'a [String]> {
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
