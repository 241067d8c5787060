//! What an engine serves of itself on a port of its own: events as they happen, and how it stands when it is
//! asked.

use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::Wait;
use repose_core::time::Wall;

use crate::env::Env;

/// How an engine's process is listened to: over HTTP, on loopback, at whatever port it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// What says who asks: the value of `Authorization`. A secret.
    pub authorization: String,
    /// Where its events are: one JSON value each, sent as they happen (`text/event-stream`).
    pub events: &'static str,
    /// Where it says how it stands: asked for once whenever somebody begins to listen, in this order.
    pub standing: &'static [&'static str],
}

/// One thing that was heard there.
#[derive(Debug, Clone, Copy)]
pub struct News<'a> {
    /// The engine's environment.
    pub env: &'a Env,
    /// The session's conversation, where it has one already.
    pub conversation: Option<&'a ConversationId>,
    /// When the engine's process was started.
    pub since: Wall,
    /// When it was heard.
    pub at: Wall,
    /// Where: [`Feed::events`], or one of [`Feed::standing`].
    pub from: &'a str,
    /// The JSON.
    pub body: &'a [u8],
}

/// What is known from what was heard before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The last prompt that was heard of.
    pub prompt: Option<PromptId>,
    /// What waits for somebody, the oldest first.
    pub waits: Vec<Waits>,
}

/// One thing that waits for somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// The engine's id for it.
    pub id: String,
    /// The user's conversation in which it stands.
    pub conversation: ConversationId,
    /// For what.
    pub wait: Wait,
}
