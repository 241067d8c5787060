//! Frames, the units of the wire.

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt};

/// An order of a client: JSON.
pub(crate) const ASK: u8 = 0x01;
/// The answer to an order: JSON.
pub(crate) const REPLY: u8 = 0x02;
/// Unrequested news: JSON.
pub(crate) const PUSH: u8 = 0x03;
/// The first frame of a terminal's connection: JSON.
pub(crate) const ATTACH: u8 = 0x10;
/// What rebuilds the screen: terminal bytes.
pub(crate) const SNAPSHOT: u8 = 0x11;
/// What the engine wrote since the snapshot: terminal bytes.
pub(crate) const OUTPUT: u8 = 0x12;
/// Terminal bytes that somebody typed, for the engine.
pub(crate) const INPUT: u8 = 0x13;
/// The terminal's new size: JSON.
pub(crate) const RESIZE: u8 = 0x14;
/// How many bytes of snapshots and output the terminal has taken in so far, in total: u64.
pub(crate) const ACK: u8 = 0x15;
/// Terminal bytes for the engine that the terminal sent on its own.
pub(crate) const REPORT: u8 = 0x16;
/// An event of one of the engine's hooks: the wall clock in ms (u64), then the payload.
pub(crate) const HOOK: u8 = 0x20;
/// An event of a hook that waits to be told what to print, in the same form.
pub(crate) const DECIDE: u8 = 0x21;
/// What that hook is to print. If the connection closes without it, nothing.
pub(crate) const PRINT: u8 = 0x22;
/// A frame that wasn't understood: JSON.
pub(crate) const ERROR: u8 = 0x7f;

/// The most bytes of a frame. A snapshot of a large screen with a full scrollback is below 12 MB, and a
/// model's answer far below. A longer frame is garbage and closes the connection.
pub(crate) const FRAME_MAX: usize = 16 * 1024 * 1024;

/// The most bytes of a frame from a terminal, since a paste comes in pieces. A longer one closes the
/// connection.
const INPUT_MAX: usize = 256 * 1024;

/// The most bytes of an order. The longest text that can be asked is 256 KiB, and six times that if every
/// byte is escaped.
const ASK_MAX: usize = 2 * 1024 * 1024;

/// The most bytes of a hook's payload and its time. A hook doesn't send a longer one.
pub(crate) const HOOK_MAX: usize = 4 * 1024 * 1024 + 8;

/// The bytes to read at once. An idle connection holds no more.
const READ_SIZE: usize = 16 * 1024;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) body: Bytes,
}

/// Reads one end of a connection frame by frame.
#[derive(Debug)]
pub(crate) struct Frames<R> {
    from: R,
    held: BytesMut,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, held: BytesMut::new() }
    }

    /// The next frame. `None`: the other end closed the connection between two frames. Cancelling loses
    /// nothing.
    ///
    /// # Errors
    /// `InvalidData` for garbage, and any read error.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Frame>> {
        loop {
            if let Some(frame) = self.whole()? {
                return Ok(Some(frame));
            }
            if self.from.read_buf(&mut self.held).await? == 0 {
                let cut = !self.held.is_empty();
                return if cut { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(None) };
            }
        }
    }

    fn whole(&mut self) -> io::Result<Option<Frame>> {
        let garbage = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        let Some((length, rest)) = self.held.split_first_chunk::<4>() else {
            self.held.reserve(READ_SIZE);
            return Ok(None);
        };
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 || length > FRAME_MAX + 1 {
            return garbage("a length that no frame has");
        }
        if rest.first().is_some_and(|&kind| length - 1 > longest(kind)) {
            return garbage("a frame longer than its kind can be");
        }
        if rest.len() < length {
            self.held.reserve(READ_SIZE);
            return Ok(None);
        }
        let mut frame = self.held.split_to(4 + length);
        frame.advance(4);
        let kind = frame.get_u8();
        if self.held.is_empty() {
            self.held = BytesMut::new();
        }
        Ok(Some(Frame { kind, body: frame.freeze() }))
    }
}

/// A frame as bytes. The body must not exceed [`FRAME_MAX`].
pub(crate) fn bytes(kind: u8, body: &[u8]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(body.len() + 5);
    bytes.put_u32_le(u32::try_from(body.len() + 1).unwrap_or(u32::MAX));
    bytes.put_u8(kind);
    bytes.put_slice(body);
    bytes.freeze()
}

/// A frame of JSON.
pub(crate) fn json(kind: u8, value: &impl Serialize) -> Bytes {
    // Twins of the core's values have text keys and no numbers that JSON lacks, so this can't fail.
    bytes(kind, &serde_json::to_vec(value).unwrap_or_default())
}

fn longest(kind: u8) -> usize {
    match kind {
        INPUT | REPORT => INPUT_MAX,
        ASK => ASK_MAX,
        HOOK | DECIDE => HOOK_MAX,
        RESIZE | ACK | ATTACH => 4096,
        _ => FRAME_MAX,
    }
}

#[cfg(test)]
mod tests;
