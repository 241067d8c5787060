//! The questions of the tool that asks the user, answered one after another.
//!
//! Besides the listed labels its dialog takes words of the user's own, in place of a label or, where several
//! may be picked, behind them; and it goes back to earlier questions (2.1.332). Nothing reaches the program
//! before the last question is answered, so that taking an answer back is a matter of what was picked so far.

use repose_core::decision::{Choice, ChoiceKind, Pick};
use serde_json::{Map, Value};

use crate::claude::signals;
use crate::decide::cut;
use crate::transcript::{QUESTION_MAX, one_line};

/// The id of the option that no more labels are to be picked.
const ALL: &str = "all";

/// The most characters of what is said about a label; the rest is cut. The program is told to write a sentence.
const DESCRIPTION_MAX: usize = 400;

/// The most bytes of what is shown of a label: some 100 lines. The rest is cut, and it ends in `…`. It is told
/// with the repo's state, up to four times.
const PREVIEW_MAX: usize = 8 * 1024;

/// The id of an answer in the user's own words.
const WORDS: &str = "words";

/// The id of the option that takes back the last pick, which then isn't among the picks any more.
const BACK: &str = "back";

/// One of the questions.
pub(super) struct Asked<'a> {
    question: &'a str,
    labels: Vec<&'a str>,
    /// What is said about each of the labels.
    descriptions: Vec<Option<String>>,
    /// What is shown of each of the labels.
    previews: Vec<Option<String>>,
    /// Whether it takes any number of the labels.
    several: bool,
}

/// A part of an answer.
enum Part<'a> {
    /// A label, and its place among them.
    Label(&'a str, usize),
    Words(&'a str),
}

/// The next question.
pub(super) struct Next<'a> {
    asked: &'a Asked<'a>,
    /// What was picked for it already.
    picked: Vec<Part<'a>>,
    /// Its number, from 0, and how many questions there are.
    place: (usize, usize),
}

/// The questions, and what was picked so far.
pub(super) enum Answers<'a> {
    /// All are answered: the answer to each, in the form of its own dialog.
    All(Map<String, Value>),
    Next(Next<'a>),
}

/// The questions in the tool's input. `None`: it holds none that can be answered here.
pub(super) fn asked(input: &Value) -> Option<Vec<Asked<'_>>> {
    let asked: Option<Vec<Asked<'_>>> = input["questions"].as_array()?.iter().map(Asked::read).collect();
    asked.filter(|asked| !asked.is_empty())
}

/// The answers. `None`: one of the picks doesn't exist.
pub(super) fn answers<'a>(asked: &'a [Asked<'a>], picks: &'a [Pick]) -> Option<Answers<'a>> {
    let mut given = Map::new();
    let mut picks = picks.iter();
    for (at, one) in asked.iter().enumerate() {
        let mut picked = Vec::new();
        loop {
            let Some(pick) = picks.next() else {
                return Some(Answers::Next(Next { asked: one, picked, place: (at, asked.len()) }));
            };
            if one.several && pick.choice == ALL {
                break;
            }
            picked.push(one.part(pick)?);
            if !one.several {
                break;
            }
        }
        given.insert(one.question.into(), joined(&picked).join(", ").into());
    }
    picks.next().is_none().then_some(Answers::All(given))
}

/// The labels as they were picked, then the user's own words.
fn joined<'a>(picked: &[Part<'a>]) -> Vec<&'a str> {
    let labels = picked.iter().filter_map(|part| match part {
        Part::Label(label, _) => Some(*label),
        Part::Words(_) => None,
    });
    let words = picked.iter().filter_map(|part| match part {
        Part::Words(words) => Some(*words),
        Part::Label(..) => None,
    });
    labels.chain(words).collect()
}

impl<'a> Asked<'a> {
    fn read(one: &'a Value) -> Option<Self> {
        let options = one["options"].as_array()?;
        let labels: Option<Vec<&str>> = options.iter().map(|option| option["label"].as_str()).collect();
        let about = |option: &Value| {
            let about = one_line(option["description"].as_str()?, DESCRIPTION_MAX);
            (!about.is_empty()).then_some(about)
        };
        let shown = |option: &Value| {
            let shown = option["preview"].as_str()?.trim_end();
            (!shown.is_empty()).then(|| cut(shown.to_owned(), PREVIEW_MAX))
        };
        let several = one["multiSelect"].as_bool() == Some(true);
        Some(Self {
            question: one["question"].as_str()?,
            labels: labels.filter(|labels| !labels.is_empty())?,
            descriptions: options.iter().map(about).collect(),
            previews: options.iter().map(shown).collect(),
            several,
        })
    }

    fn part(&'a self, pick: &'a Pick) -> Option<Part<'a>> {
        if pick.choice == WORDS {
            return pick.words.as_deref().map(Part::Words);
        }
        let at: usize = pick.choice.parse().ok()?;
        self.labels.get(at).map(|label| Part::Label(label, at))
    }
}

impl Next<'_> {
    /// The question, with its number if there are several.
    pub(super) fn title(&self) -> String {
        let (at, of) = self.place;
        let place = if of > 1 { format!(" ({} of {of})", at + 1) } else { String::new() };
        format!("{}{place}", one_line(self.asked.question, QUESTION_MAX))
    }

    /// What isn't picked yet; if several may be picked, also that this is all; and the way back.
    pub(super) fn choices(&self) -> Vec<Choice> {
        let choice =
            |id: String, label: String, kind| Choice { id, label, description: None, preview: None, kind };
        let has =
            |at: usize| self.picked.iter().any(|part| matches!(part, Part::Label(_, one) if *one == at));
        let labels = self.asked.labels.iter().enumerate();
        let left = labels.filter(|(at, _)| !has(*at)).map(|(at, label)| Choice {
            description: self.asked.descriptions[at].clone(),
            preview: self.asked.previews[at].clone(),
            ..choice(at.to_string(), (*label).to_owned(), ChoiceKind::Other)
        });
        let worded = self.picked.iter().any(|part| matches!(part, Part::Words(_)));
        let words = (!worded).then(|| choice(WORDS.into(), "Something else".into(), ChoiceKind::Words));
        let all = self.asked.several.then(|| {
            let names: Vec<_> = joined(&self.picked).into_iter().map(signals::line).collect();
            let label = if names.is_empty() {
                "None of these".into()
            } else {
                format!("That is all: {}", names.join(", "))
            };
            choice(ALL.into(), label, ChoiceKind::Other)
        });
        let back = match (self.picked.last(), self.place) {
            (Some(Part::Label(last, _) | Part::Words(last)), _) => {
                Some(format!("Take back: {}", signals::line(last)))
            }
            (None, (0, _)) => None,
            (None, _) => Some("Back to the previous question".into()),
        };
        let back = back.map(|label| choice(BACK.into(), label, ChoiceKind::Back));
        left.chain(words).chain(all).chain(back).collect()
    }
}
