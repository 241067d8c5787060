//! What an engine serves of itself on a port of its own: events as they happen, and how it stands when it is asked.

use repose_core::ids::{ConversationId, PromptId};
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
    /// The last prompt that was heard of there.
    pub prompt: Option<&'a PromptId>,
    /// When it was heard.
    pub at: Wall,
    /// Where: [`Feed::events`], or one of [`Feed::standing`].
    pub from: &'a str,
    /// The JSON.
    pub body: &'a [u8],
}
