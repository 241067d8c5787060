//! The tables `[engines.NAME]`: settings of built-in engines, and descriptions of the user's own.

use std::collections::BTreeMap;

use repose_engine::own::{Description, PLACEHOLDERS, Resume, Titles};
use serde::Deserialize;

use super::parse::line;
use super::{BadSettings, EngineSettings};

/// The most characters of a name, since it is used in commands and rows.
const NAME_MAX: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineFile {
    command: Option<toml::Spanned<String>>,
    #[serde(default)]
    args: Vec<toml::Spanned<String>>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    title: Option<toml::Spanned<String>>,
    resume_args: Option<toml::Spanned<Vec<toml::Spanned<String>>>>,
    transcript: Option<toml::Spanned<String>>,
    ready: Option<toml::Spanned<String>>,
    working: Option<toml::Spanned<String>>,
    waiting: Option<toml::Spanned<String>>,
}

impl EngineFile {
    pub(super) fn checked(
        self,
        text: &str,
        name: &toml::Spanned<String>,
    ) -> Result<(String, EngineSettings), BadSettings> {
        let at = line(text, name.span().start);
        if let Some(bad) = self.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
            return Err(BadSettings::new(format!("line {at}: `{bad}` can't be the name of a variable")));
        }
        let settings = match repose_engine::find(name.get_ref()) {
            Some(engine) => self.of_built_in(text, &*engine)?,
            None => self.of_own(text, at, name.get_ref())?,
        };
        Ok((name.get_ref().clone(), settings))
    }

    fn of_built_in(
        self,
        text: &str,
        engine: &dyn repose_engine::Engine,
    ) -> Result<EngineSettings, BadSettings> {
        let own = [
            ("title", self.title.as_ref().map(toml::Spanned::span)),
            ("resume_args", self.resume_args.as_ref().map(toml::Spanned::span)),
            ("transcript", self.transcript.as_ref().map(toml::Spanned::span)),
            ("ready", self.ready.as_ref().map(toml::Spanned::span)),
            ("working", self.working.as_ref().map(toml::Spanned::span)),
            ("waiting", self.waiting.as_ref().map(toml::Spanned::span)),
        ];
        if let Some((key, Some(span))) = own.into_iter().find(|(_, span)| span.is_some()) {
            let name = engine.name();
            return Err(BadSettings::new(format!(
                "line {}: `{key}` is for engines of your own, and `{name}` is built in; take it out, or give your \
                 engine another name",
                line(text, span.start)
            )));
        }
        let (spans, args): (Vec<_>, Vec<String>) =
            self.args.into_iter().map(|argument| (argument.span(), argument.into_inner())).unzip();
        for (last, span) in spans.iter().enumerate() {
            engine
                .check_args(&args[..=last])
                .map_err(|unfit| BadSettings::new(format!("line {}: {unfit}", line(text, span.start))))?;
        }
        let command = self.command.map(toml::Spanned::into_inner);
        Ok(EngineSettings { command, args, env: self.env, own: None })
    }

    fn of_own(self, text: &str, at: usize, name: &str) -> Result<EngineSettings, BadSettings> {
        let wrong = |at: usize, words: String| Err(BadSettings::new(format!("line {at}: {words}")));
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(fits) {
            return wrong(
                at,
                format!(
                    "`{name}` can't be an engine's name; write up to {NAME_MAX} small letters, digits, `-` and `_`"
                ),
            );
        }
        if let Some(empty) = self.command.as_ref().filter(|command| command.get_ref().trim().is_empty()) {
            let words = "`command` is empty; write the program to start".into();
            return wrong(line(text, empty.span().start), words);
        }
        let Some(command) = self.command else {
            let known: Vec<String> =
                repose_engine::built_in().iter().map(|engine| engine.name().to_owned()).collect();
            return wrong(
                at,
                format!(
                    "`{name}` is none of the built-in engines ({}), and its table has no `command`; write \
                     `command = \"…\"` with the program to start",
                    known.join(", ")
                ),
            );
        };
        let resume_args = self.resume_args.as_ref();
        let all = self.args.iter().chain(resume_args.into_iter().flat_map(|args| args.get_ref()));
        for argument in all.chain(&self.transcript) {
            if let Some(unknown) = unknown_placeholder(argument.get_ref()) {
                return wrong(
                    line(text, argument.span().start),
                    format!("`{unknown}` is no placeholder; known are {}", PLACEHOLDERS.join(" and ")),
                );
            }
        }
        let titles = match (&self.ready, &self.working, &self.waiting) {
            (Some(ready), Some(working), waiting) => Some(Titles {
                ready: ready.get_ref().clone(),
                working: working.get_ref().clone(),
                waiting: waiting.as_ref().map(|waiting| waiting.get_ref().clone()),
            }),
            (None, None, None) => None,
            (Some(one), _, _) | (_, Some(one), _) | (_, _, Some(one)) => {
                return wrong(
                    line(text, one.span().start),
                    "`ready` and `working` go together: without both Repose can't tell one from the other. Write \
                     patterns on the terminal's title for both, such as \"* ready\" and \"* working*\""
                        .into(),
                );
            }
        };
        let resume = match (self.resume_args, self.transcript) {
            (Some(args), Some(transcript)) => {
                if titles.is_none() {
                    return wrong(
                        line(text, args.span().start),
                        "`resume_args` needs `ready` and `working`: a conversation counts as picked up once the engine \
                         says that it is ready. Write patterns on its terminal's title"
                            .into(),
                    );
                }
                let args = args.into_inner().into_iter().map(toml::Spanned::into_inner).collect();
                Some(Resume { args, transcript: transcript.into_inner() })
            }
            (None, None) => None,
            (Some(args), None) => {
                return wrong(
                    line(text, args.span().start),
                    "`resume_args` needs `transcript`: what isn't on disk can't be taken up. Write where the engine \
                     keeps it, such as `transcript = \"{repo}/.engine/{conversation}.jsonl\"`"
                        .into(),
                );
            }
            (None, Some(transcript)) => {
                return wrong(
                    line(text, transcript.span().start),
                    "`transcript` says nothing without `resume_args`; write how a conversation is taken up, such as \
                     `resume_args = [\"--resume\", \"{conversation}\"]`"
                        .into(),
                );
            }
        };
        let own = Description {
            name: name.into(),
            title: self.title.map_or_else(|| name.to_owned(), toml::Spanned::into_inner),
            command: Some(command.into_inner()),
            args: self.args.into_iter().map(toml::Spanned::into_inner).collect(),
            resume,
            titles,
        };
        Ok(EngineSettings { command: None, args: Vec::new(), env: self.env, own: Some(own) })
    }
}

/// The first `{word}` that isn't a placeholder. Other braces belong to the argument.
fn unknown_placeholder(text: &str) -> Option<&str> {
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open..];
        let close = rest.find('}')?;
        let word = &rest[..=close];
        let is_word = close > 1 && word[1..close].chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if is_word && !PLACEHOLDERS.contains(&word) {
            return Some(word);
        }
        rest = &rest[1..];
    }
    None
}
