//! What came on the screen after something was asked of a program that says its answer there alone.

use std::collections::VecDeque;

/// Of the lines that left the screen since, so many bytes are kept, and the oldest go first: a longer answer
/// is cut in any case.
const BYTES_MAX: usize = 1024 * 1024;

/// A line of the screen, and whether it goes on in the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) wraps: bool,
}

/// What was asked, and where.
#[derive(Debug)]
pub(super) struct Since {
    question: String,
    /// What stood before the cursor.
    before: String,
    /// So much of that is the prompt: the rest was left there by what wrote no end of a line.
    prompt: String,
    /// So many of the screen's lines are above the one with the cursor, as it was.
    above: usize,
    /// Those from there on that have left the screen.
    left: VecDeque<Shown>,
    bytes: usize,
}

impl Since {
    /// `known` is the prompt of the question before.
    pub(super) fn new(question: String, before: String, known: &str, above: usize) -> Self {
        let same = !known.trim().is_empty() && before.trim_end().ends_with(known.trim_end());
        let prompt = if same { known.to_owned() } else { before.clone() };
        Self { question, before, prompt, above, left: VecDeque::new(), bytes: 0 }
    }

    pub(super) fn prompt(&self) -> &str {
        &self.prompt
    }

    /// The screen's first line leaves it.
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

    /// The lines above the screen were wiped: how many had left it by then isn't known.
    pub(super) fn wiped(&mut self) {
        self.above = 0;
        self.left.clear();
        self.bytes = 0;
    }

    /// What came, without the question that the terminal shows again and without the prompt after it, if that
    /// is the one from before. `screen` is what stands on it now.
    pub(super) fn answer(self, screen: impl Iterator<Item = Shown>) -> String {
        let shown = self.left.into_iter().chain(screen.skip(self.above));
        let lines = whole(shown);
        let lines = after_question(&lines, &self.before, &self.question);
        let mut text = lines.join("\n");
        text.truncate(text.trim_end().len());
        let prompt = self.prompt.trim();
        if !prompt.is_empty() && text.ends_with(prompt) {
            text.truncate(text.len() - prompt.len());
            text.truncate(text.trim_end().len());
        }
        text
    }
}

/// The lines as they were written: those that go on are one.
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

/// What is below the question. A terminal breaks long lines, and a program that reads them may indent what it
/// shows, so blanks aren't compared. All of it, where the question isn't shown.
fn after_question<'a>(lines: &'a [String], before: &str, question: &str) -> &'a [String] {
    let mut asked = question.chars().filter(|c| !c.is_whitespace());
    let mut next = asked.next();
    for (at, line) in lines.iter().enumerate() {
        let line = if at == 0 { line.strip_prefix(before.trim_end()).unwrap_or(line) } else { line };
        for c in line.chars().filter(|c| !c.is_whitespace()) {
            match next {
                None => break,
                Some(wanted) if wanted == c => next = asked.next(),
                Some(_) => return lines,
            }
        }
        if next.is_none() {
            return &lines[at + 1..];
        }
    }
    lines
}

#[cfg(test)]
mod tests;
