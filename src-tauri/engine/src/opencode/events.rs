//! Reading what OpenCode serves on its port: its events and its state.
//!
//! A server reports on all its conversations. Whether one is the user's or a subagent's is in the database,
//! which is only asked about conversations other than the session's. What a subagent does isn't reported: the
//! conversation that it works for reports it.

use std::collections::HashMap;

use repose_core::decision::Question as Decidable;
use repose_core::ids::ConversationId;
use repose_core::signal::{Author, Level, Said, Signal, Source, Wait};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::message::Fault;
use super::permission::Permission;
use super::{command, discover, files, transcript};
use crate::env::Env;
use crate::feed::{Ends, Feed, Known, News, Waits};
use crate::transcript::{Answer, Asked, Place, QUESTION_MAX, one_line};

const EVENTS: &str = "/event";
const STATUS: &str = "/session/status";
const PERMISSIONS: &str = "/permission";
const QUESTIONS: &str = "/question";

/// How long after a first idle of a failed turn the second one is given up, in milliseconds: it came within 0.2 s
/// on a busy machine.
const IDLE_AGAIN_WITHIN: u64 = 5_000;

/// How many waits to keep at a time. Beyond that the oldest is forgotten; the terminal still shows it.
const WAITS_MAX: usize = 64;

pub(super) fn feed(env: &Env) -> Option<Feed> {
    let password = env.get(command::PASSWORD)?.to_str()?;
    let basic = data_encoding::BASE64.encode(format!("{}:{password}", command::USER).as_bytes());
    let standing = &[STATUS, PERMISSIONS, QUESTIONS];
    Some(Feed { authorization: format!("Basic {basic}"), events: EVENTS, standing })
}

/// The signals in what was heard. What isn't understood is ignored: there are dozens of kinds of events.
pub(super) fn heard(news: &News<'_>, known: &mut Known) -> Vec<Signal> {
    let said = match news.from {
        EVENTS => read(news.body).and_then(|event| said(news, known, &event)),
        STATUS => read(news.body).map(|busy: HashMap<String, Status>| standing(news, known, &busy)),
        PERMISSIONS => waits::<Permission>(news, known),
        QUESTIONS => waits::<Asking>(news, known),
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
struct Asking {
    id: String,
    #[serde(rename = "sessionID")]
    session: String,
    #[serde(default)]
    questions: Vec<Question>,
}

/// Something that was asked for has been decided.
#[derive(Deserialize)]
struct Decided {
    #[serde(rename = "sessionID")]
    session: String,
    #[serde(rename = "requestID")]
    request: String,
}

#[derive(Deserialize)]
struct Question {
    question: String,
}

fn said(news: &News<'_>, known: &mut Known, event: &Event<'_>) -> Option<Vec<Signal>> {
    match event.kind.as_str() {
        "session.status" => {
            let Changed { session, status } = event.properties()?;
            Some(stands(news, known, &session, &status))
        }
        "session.error" => {
            let Failed { session, error } = event.properties()?;
            if is_own(news, &session) {
                known.ends = Ends::Twice;
            }
            let said =
                if error.is_interrupt() { Said::Interrupted } else { Said::Failed { error: error.words() } };
            Some(vec![signal(news, &session, said)])
        }
        "message.part.updated" | "message.part.delta" => {
            let Of { session } = event.properties()?;
            Some(vec![signal(news, &session, Said::ToolUsed)])
        }
        "server.heartbeat" => match (known.ends, news.conversation) {
            (Ends::OnceMore(since), Some(own)) if news.at.0 >= since.0.saturating_add(IDLE_AGAIN_WITHIN) => {
                Some(comes_to_rest(news, known, own.as_str()))
            }
            (Ends::Once | Ends::Twice | Ends::OnceMore(_), _) => None,
        },
        "permission.asked" => asked::<Permission>(news, known, &event.properties()?),
        "question.asked" => asked::<Asking>(news, known, &event.properties()?),
        "permission.replied" | "question.replied" | "question.rejected" => {
            let Decided { session, request } = event.properties()?;
            known.waits.retain(|waits| waits.id != request);
            let of = whose(news, &session)?;
            is_own(news, &of).then(|| vec![busy(news, known, &of)])
        }
        _ => None,
    }
}

fn signal(news: &News<'_>, conversation: &str, said: Said) -> Signal {
    Signal { conversation: Some(ConversationId::new(conversation)), at: news.at, said }
}

/// The user's conversation to which this one belongs, since a subagent also waits for its user.
fn whose(news: &News<'_>, session: &str) -> Option<String> {
    if is_own(news, session) {
        return Some(session.to_owned());
    }
    discover::root(news.env, session).ok()?
}

fn is_own(news: &News<'_>, session: &str) -> bool {
    news.conversation.is_some_and(|own| own.as_str() == session)
}

/// What a conversation is doing.
fn stands(news: &News<'_>, known: &mut Known, session: &str, status: &Status) -> Vec<Signal> {
    // After an error of its model, it waits and tries again.
    let works = matches!(status.kind.as_str(), "busy" | "retry");
    match (is_own(news, session), works) {
        (true, true) => taken(news, known, session).into_iter().chain([busy(news, known, session)]).collect(),
        (true, false) if status.kind == "idle" && is_cleaning_up(news, known, session) => {
            known.ends = Ends::OnceMore(news.at);
            Vec::new()
        }
        (true, false) if status.kind == "idle" => comes_to_rest(news, known, session),
        (true, false) => vec![signal(news, session, Said::Level(Level::Unknown(status.kind.clone())))],
        (false, true) => goes_over(news, known, session),
        (false, false) => Vec::new(),
    }
}

/// Whether it says that it is idle and will say so again: what called its model fails first, then the turn. A prompt
/// that it gets in between isn't answered (seen with 1.18.33). A turn that failed before it called its model says it
/// once, and has no answer.
fn is_cleaning_up(news: &News<'_>, known: &Known, session: &str) -> bool {
    match known.ends {
        Ends::Once | Ends::OnceMore(_) => false,
        Ends::Twice => match last_word(news, session, Asked::Last).map(|signal| signal.said) {
            Some(Said::Failed { .. } | Said::Interrupted) => true,
            Some(_) | None => false,
        },
    }
}

/// The session's conversation has become idle, and has already reported how its turn ended. A prompt that was
/// taken while nothing was heard is reported now.
fn comes_to_rest(news: &News<'_>, known: &mut Known, session: &str) -> Vec<Signal> {
    known.ends = Ends::Once;
    known.waits.retain(|waits| waits.conversation.as_str() != session);
    let before = known.prompt.clone();
    let taken = taken(news, known, session);
    let before = before.filter(|_| taken.is_some());
    let earlier = before.and_then(|prompt| last_word(news, session, Asked::Prompt(&prompt)));
    let last = last_word(news, session, Asked::Last);
    earlier.into_iter().chain(taken).chain(last).chain([rests(news)]).collect()
}

fn rests(news: &News<'_>) -> Signal {
    Signal { conversation: news.conversation.cloned(), at: news.at, said: Said::Level(Level::Idle) }
}

/// How a turn ended, if it did. An interruption is recorded a moment after the turn ends, and its event has
/// arrived.
fn last_word(news: &News<'_>, session: &str, asked: Asked<'_>) -> Option<Signal> {
    let path = files::database(news.env)?;
    let place = Place { path: &path, id: &ConversationId::new(session) };
    let said = match transcript::answer_to(place, asked).ok()? {
        Answer::Answered(text) => Said::Stopped { prompt: None, text, background: None, wakeups: None },
        Answer::Failed(error) => Said::Failed { error },
        Answer::Interrupted => Said::Interrupted,
        Answer::NotAsked | Answer::Open => return None,
    };
    Some(signal(news, session, said))
}

/// It is at work, or waits: of several that wait its dialog shows the oldest, and one may have been decided.
fn busy(news: &News<'_>, known: &Known, session: &str) -> Signal {
    let waits = known.waits.iter().find(|waits| waits.conversation.as_str() == session);
    let level = waits.map_or(Level::Busy, |waits| Level::Waiting(waits.wait.clone()));
    signal(news, session, Said::Level(level))
}

/// The prompt that it has taken, if that is another than the last known one. A prompt from before the process
/// wasn't given to it: a resumed conversation may be compacted first. If the clock was set back, this is
/// unknown.
fn taken(news: &News<'_>, known: &mut Known, session: &str) -> Option<Signal> {
    let path = files::database(news.env)?;
    let place = Place { path: &path, id: &ConversationId::new(session) };
    let last = transcript::last_prompt(place).ok()??;
    let earlier = last.at.is_some_and(|at| at < news.since && news.since <= news.at);
    if earlier || known.prompt.as_ref() == Some(&last.id) {
        return None;
    }
    known.prompt = Some(last.id.clone());
    let said = Said::PromptTaken { prompt: Some(last.id), text: last.text, author: Author::Person };
    Some(signal(news, session, said))
}

/// Another conversation works. If it is a user's, that is the first sign that the user changed to it:
/// choosing one causes no event, and neither does copying parts into it.
fn goes_over(news: &News<'_>, known: &mut Known, session: &str) -> Vec<Signal> {
    let Some(path) = files::database(news.env) else { return Vec::new() };
    if !discover::is_users(news.env, session).unwrap_or(false) {
        return Vec::new();
    }
    let source = if news.conversation.is_some() { Source::Cleared } else { Source::New };
    let transcript = Some(path.to_string_lossy().into_owned());
    let begins = signal(news, session, Said::Started { source, transcript });
    let taken = taken(news, known, session);
    [begins].into_iter().chain(taken).chain([busy(news, known, session)]).collect()
}

/// Whoever begins to listen hears which conversations are busy. Those that aren't listed are idle.
fn standing(news: &News<'_>, known: &mut Known, busy: &HashMap<String, Status>) -> Vec<Signal> {
    known.waits.clear();
    known.ends = Ends::Once;
    if let Some(own) = news.conversation {
        let resting = Status { kind: "idle".into() };
        return stands(news, known, own.as_str(), busy.get(own.as_str()).unwrap_or(&resting));
    }
    // Its first prompt may have been taken while nothing was heard.
    let begun = busy.iter().map(|(session, status)| stands(news, known, session, status));
    begun.into_iter().find(|said| !said.is_empty()).unwrap_or_else(|| vec![rests(news)])
}

/// Something that waits for somebody.
trait Asks {
    fn id(&self) -> &str;
    /// The conversation to which it belongs.
    fn session(&self) -> &str;
    fn wait(&self) -> Wait;
    /// What is to be decided in this conversation of the user's, if the answer is taken from outside the terminal.
    fn question(&self, _conversation: &str) -> Option<Decidable> {
        None
    }
}

/// Whoever begins to listen hears what waits for the user.
fn waits<T: DeserializeOwned + Asks>(news: &News<'_>, known: &mut Known) -> Option<Vec<Signal>> {
    let all: Vec<T> = read(news.body)?;
    Some(all.iter().filter_map(|one| asked(news, known, one)).flatten().collect())
}

fn asked<T: Asks>(news: &News<'_>, known: &mut Known, one: &T) -> Option<Vec<Signal>> {
    let of = whose(news, one.session()).filter(|of| is_own(news, of))?;
    known.waits.retain(|waits| waits.id != one.id());
    if known.waits.len() == WAITS_MAX {
        known.waits.remove(0);
    }
    known.waits.push(Waits {
        id: one.id().to_owned(),
        conversation: ConversationId::new(&of),
        wait: one.wait(),
        question: one.question(&of),
    });
    Some(vec![busy(news, known, &of)])
}

impl Asks for Permission {
    fn id(&self) -> &str {
        &self.id
    }

    fn session(&self) -> &str {
        &self.session
    }

    fn wait(&self) -> Wait {
        Permission::wait(self)
    }

    fn question(&self, conversation: &str) -> Option<Decidable> {
        Some(Permission::question(self, ConversationId::new(conversation)))
    }
}

impl Asks for Asking {
    fn id(&self) -> &str {
        &self.id
    }

    fn session(&self) -> &str {
        &self.session
    }

    fn wait(&self) -> Wait {
        let first = self.questions.first().map(|asked| one_line(&asked.question, QUESTION_MAX));
        Wait::Choice(first.unwrap_or_default())
    }
}
