//! What a holder and its clients send each other.
//!
//! A connection is a sequence of frames: the length (u32, little endian) of everything that follows, one byte
//! for the kind, and the body. Control frames are JSON; terminal bytes are unchanged. The meaning of `hello`,
//! `state`, `journal_from`, `freeze` and `end` never changes, and neither does the form of these answers:
//! `{protocol, build}` to `hello`; `holder_pid`, `engine_pid` and `ended` (null before the end) in `state`;
//! `frozen`, `held` or `not_resumable` as the word or only key of a verdict. An `end` that names its freeze
//! may be refused as `thawed`, and needs another verdict. So a runner of any version can show, pause and end
//! what a holder of any version holds. An unknown kind or order is answered with an error and does no harm;
//! an impossible length or body is garbage and closes the connection.

pub(crate) mod carry;
pub(crate) mod frame;
mod told;

pub(crate) use told::{Answer, Asked, Begin, Op, Push, Refusal, Reply, Size};
pub use told::{Attach, Ended, Entry, How, Numbered, Params, Pushed, State, Submitted};

/// The name of the refusal to end a session that is no longer frozen.
pub(crate) const THAWED: &str = "thawed";

/// The name of the refusal of an order that came when the session had ended or was ending.
pub(crate) const OVER: &str = "ended";

/// The version of the protocol. A holder of another version still understands its frozen part.
pub const PROTOCOL: u32 = 1;
