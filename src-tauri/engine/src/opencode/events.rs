//! Reading what it serves on its port: its events, and how it stands.
//!
//! A server speaks of all its conversations. Which is the user's and which a subagent's stands in the database, which is
//! asked only about one that isn't the session's own.

use std::collections::HashMap;

use repose_core::ids::ConversationId;
use repose_core::signal::{Author, Level, Said, Signal, Source, Wait};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::message::Fault;
use super::{command, discover, files, transcript};
use crate::env::Env;
use crate::feed::{Feed, News};
use crate::transcript::{Answer, Asked, Place, one_line};

const EVENTS: &str = "/event";
const STATUS: &str = "/session/status";
const PERMISSIONS: &str = "/permission";
const QUESTIONS: &str = "/question";

/// What is asked for is cut to so many characters: it stands in one sentence.
const WHAT_MAX: usize = 200;

pub(super) fn feed(env: &Env) -> Option<Feed> {
    let password = env.get(command::PASSWORD)?.to_str()?;
    let basic = data_encoding::BASE64.encode(format!("{}:{password}", command::USER).as_bytes());
    let standing = &[STATUS, PERMISSIONS, QUESTIONS];
    Some(Feed { authorization: format!("Basic {basic}"), events: EVENTS, standing })
}

/// What was heard, as signals. What isn't understood is passed over: there are dozens of kinds of events.
pub(super) fn heard(news: &News<'_>) -> Vec<Signal> {
    let said = match news.from {
        EVENTS => read(news.body).and_then(|event| said(news, &event)),
        STATUS => read(news.body).map(|busy: HashMap<String, Status>| standing(news, &busy)),
        PERMISSIONS => waits::<Permission>(news, Permission::wait),
        QUESTIONS => waits::<Asking>(news, Asking::wait),
        _ => None,
    };
    said.unwrap_or_default()
}

fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Option<T> {
    serde_json::from_slice(body).ok()
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    properties: &'a RawValue,
}

impl Event<'_> {
    fn properties<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.properties.get()).ok()
    }
}

/// Whose event it is.
#[derive(Deserialize)]
struct Of {
    #[serde(rename = "sessionID")]
    session: String,
}

#[derive(Deserialize)]
struct Changed {
    #[serde(rename = "sessionID")]
    session: String,
    status: Status,
}

#[derive(Deserialize)]
struct Status {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct Failed {
    #[serde(rename = "sessionID")]
    session: String,
    error: Fault,
}

#[derive(Deserialize)]
struct Permission {
    #[serde(rename = "sessionID")]
    session: String,
    #[serde(default)]
    permission: String,
    #[serde(default)]
    patterns: Vec<String>,
}

#[derive(Deserialize)]
struct Asking {
    #[serde(rename = "sessionID")]
    session: String,
    #[serde(default)]
    questions: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    question: String,
}

fn said(news: &News<'_>, event: &Event<'_>) -> Option<Vec<Signal>> {
    match event.kind.as_str() {
        "session.status" => {
            let Changed { session, status } = event.properties()?;
            Some(stands(news, &session, &status))
        }
        "session.error" => {
            let Failed { session, error } = event.properties()?;
            let said =
                if error.is_interrupt() { Said::Interrupted } else { Said::Failed { error: error.words() } };
            Some(vec![signal(news, &session, said)])
        }
        "message.part.updated" | "message.part.delta" => {
            let Of { session } = event.properties()?;
            Some(vec![signal(news, &session, Said::ToolUsed)])
        }
        "permission.asked" => {
            let asked: Permission = event.properties()?;
            Some(vec![signal(news, &whose(news, &asked.session)?, Said::NeedsDecision(asked.wait()))])
        }
        "question.asked" => {
            let asked: Asking = event.properties()?;
            Some(vec![signal(news, &whose(news, &asked.session)?, Said::NeedsDecision(asked.wait()))])
        }
        "permission.replied" | "question.replied" | "question.rejected" => {
            let Of { session } = event.properties()?;
            Some(vec![signal(news, &whose(news, &session)?, Said::Level(Level::Busy))])
        }
        _ => None,
    }
}

fn signal(news: &News<'_>, conversation: &str, said: Said) -> Signal {
    Signal { conversation: Some(ConversationId::new(conversation)), at: news.at, said }
}

/// The user's conversation that one belongs to: a subagent waits for its user too.
fn whose(news: &News<'_>, session: &str) -> Option<String> {
    if is_own(news, session) {
        return Some(session.to_owned());
    }
    discover::root(news.env, session).ok()?
}

fn is_own(news: &News<'_>, session: &str) -> bool {
    news.conversation.is_some_and(|own| own.as_str() == session)
}

/// What one is doing. One that has come to rest has said before how its turn ended.
fn stands(news: &News<'_>, session: &str, status: &Status) -> Vec<Signal> {
    match status.kind.as_str() {
        "idle" if is_own(news, session) => {
            last_word(news, session).into_iter().chain([rests(news)]).collect()
        }
        "idle" => vec![signal(news, session, Said::Level(Level::Idle))],
        // After an error of its model's it waits, and tries again.
        "busy" | "retry" => works(news, session),
        other => vec![signal(news, session, Said::Level(Level::Unknown(other.to_owned())))],
    }
}

fn rests(news: &News<'_>) -> Signal {
    Signal { conversation: news.conversation.cloned(), at: news.at, said: Said::Level(Level::Idle) }
}

/// How the last turn ended, where it did. One that was interrupted is written a moment after it rests; its event came.
fn last_word(news: &News<'_>, session: &str) -> Option<Signal> {
    let path = files::database(news.env)?;
    let place = Place { path: &path, id: &ConversationId::new(session) };
    let said = match transcript::answer_to(place, Asked::Last).ok()? {
        Answer::Answered(text) => Said::Stopped { prompt: None, text, background: None, wakeups: None },
        Answer::Failed(error) => Said::Failed { error },
        Answer::Interrupted => Said::Interrupted,
        Answer::NotAsked | Answer::Open => return None,
    };
    Some(signal(news, session, said))
}

/// Who begins to listen hears which conversations are busy. Those that aren't listed rest.
fn standing(news: &News<'_>, busy: &HashMap<String, Status>) -> Vec<Signal> {
    let Some(own) = news.conversation else { return vec![rests(news)] };
    let resting = Status { kind: "idle".into() };
    stands(news, own.as_str(), busy.get(own.as_str()).unwrap_or(&resting))
}

/// Who begins to listen hears what waits for its user.
fn waits<T: DeserializeOwned + Belongs>(news: &News<'_>, wait: impl Fn(&T) -> Wait) -> Option<Vec<Signal>> {
    let all: Vec<T> = read(news.body)?;
    let own = news.conversation?;
    let ours = all.iter().filter(|one| whose(news, one.session()).as_deref() == Some(own.as_str()));
    Some(ours.map(|one| signal(news, own.as_str(), Said::NeedsDecision(wait(one)))).collect())
}

/// What stands in one conversation.
trait Belongs {
    fn session(&self) -> &str;
}

impl Belongs for Permission {
    fn session(&self) -> &str {
        &self.session
    }
}

impl Belongs for Asking {
    fn session(&self) -> &str {
        &self.session
    }
}

/// It works: on a prompt that it takes, if that is another than the last. In another conversation of the user's than before,
/// it is the first sign that they went over to it: choosing one is no event, nor is it one that parts were copied there.
fn works(news: &News<'_>, session: &str) -> Vec<Signal> {
    let busy = signal(news, session, Said::Level(Level::Busy));
    let own = is_own(news, session);
    let Some(path) = files::database(news.env) else { return vec![busy] };
    if !own && !discover::is_users(news.env, session).unwrap_or(false) {
        return vec![busy];
    }
    let id = ConversationId::new(session);
    let last = transcript::last_prompt(Place { path: &path, id: &id }).ok().flatten();
    let Some((prompt, text)) = last.filter(|(prompt, _)| news.prompt != Some(prompt)) else {
        return vec![busy];
    };
    let source = if news.conversation.is_some() { Source::Cleared } else { Source::New };
    let transcript = Some(path.to_string_lossy().into_owned());
    let begins = (!own).then(|| signal(news, session, Said::Started { source, transcript }));
    let taken = Said::PromptTaken { prompt: Some(prompt), text, author: Author::Person };
    begins.into_iter().chain([signal(news, session, taken), busy]).collect()
}

impl Permission {
    fn wait(&self) -> Wait {
        let what = one_line(&self.patterns.join(" "), WHAT_MAX);
        Wait::Permission(match self.permission.as_str() {
            "bash" => format!("run `{what}`"),
            "edit" => format!("edit {what}"),
            "" => String::new(),
            other => format!("use {}", one_line(&format!("{other} {what}"), WHAT_MAX)),
        })
    }
}

impl Asking {
    fn wait(&self) -> Wait {
        let first = self.questions.first().map(|asked| one_line(&asked.question, WHAT_MAX));
        Wait::Choice(first.unwrap_or_default())
    }
}
