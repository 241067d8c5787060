//! What a holder and its clients say to each other.
//!
//! A connection is a row of frames: a length (u32, little endian) of all that follows, one byte of kind, the
//! body. Control frames are JSON, the terminal's bytes are as they are. `hello`, `state`, `journal_from`,
//! `freeze` and `end` never change their meaning, and these answers never their form: `{protocol, build}` to
//! `hello`; `holder_pid`, `engine_pid` and `ended` (null before the end) in `state`; `frozen`, `held` or
//! `not_resumable` as the word or the one key of a verdict. An `end` that names its freeze may be refused as
//! `thawed`, and wants another verdict. So a runner of any version can show, pause and end what a holder of
//! any version holds. A kind or an order that isn't known is answered with an error and harms nothing; a
//! length or a body that can't be is garbage, and closes the connection.

pub(crate) mod carry;
pub(crate) mod frame;
mod told;

pub(crate) use told::{Answer, Asked, Begin, Op, Push, Refusal, Reply, Size};
pub use told::{Attach, Ended, Entry, How, Numbered, Params, Pushed, State, Submitted};

/// The name of the refusal to end what is frozen no more.
pub(crate) const THAWED: &str = "thawed";

/// The version of the protocol. A holder of another one still understands its frozen part.
pub const PROTOCOL: u32 = 1;
