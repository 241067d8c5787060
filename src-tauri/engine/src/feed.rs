//! What an engine serves on a port of its own: events as they happen, and its state on request.

use repose_core::decision::Question;
use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::Wait;
use repose_core::time::Wall;

use crate::env::Env;

/// How to listen to an engine's process: over HTTP, on loopback, at whatever port it chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The value of `Authorization`. A secret.
    pub authorization: String,
    /// The path of its events: one JSON value each, sent as they happen (`text/event-stream`).
    pub events: &'static str,
    /// The paths of its state, requested in this order whenever somebody begins to listen.
    pub standing: &'static [&'static str],
}

/// Something that was heard there.
#[derive(Debug, Clone, Copy)]
pub struct News<'a> {
    /// The engine's environment.
    pub env: &'a Env,
    /// The session's conversation, if it has one already.
    pub conversation: Option<&'a ConversationId>,
    /// When the engine's process was started.
    pub since: Wall,
    /// When it was heard.
    pub at: Wall,
    /// The path where it was heard: [`Feed::events`], or one of [`Feed::standing`].
    pub from: &'a str,
    /// The JSON that was heard.
    pub body: &'a [u8],
}

/// What is known from earlier news.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The last prompt that was reported.
    pub prompt: Option<PromptId>,
    /// What waits for somebody, oldest first.
    pub waits: Vec<Waits>,
    /// How often the present turn's end is still to be reported.
    pub ends: Ends,
}

/// How often an engine reports that a turn is over. A prompt that it gets before the last of them may be lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ends {
    /// Once.
    #[default]
    Once,
    /// Twice, since it failed or was interrupted.
    Twice,
    /// Once more, after a first time at this moment.
    OnceMore(Wall),
}

/// One thing that waits for somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// The engine's id for it.
    pub id: String,
    /// The user's conversation to which it belongs.
    pub conversation: ConversationId,
    /// What is waited for.
    pub wait: Wait,
    /// What is to be decided, if the engine takes the answer on its port.
    pub question: Option<Question>,
}

/// An answer that the engine takes on its port (`POST`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The path.
    pub path: String,
    /// The JSON.
    pub body: Vec<u8>,
}
