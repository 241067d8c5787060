//! The messages of a terminal's WebSocket: binary, with the kind in the first byte.
//!
//! From the server: `0` the screen (reset yours, then write these bytes), `1` bytes to write, `2` the end,
//! with a sentence in UTF-8. From the client: `0` bytes that were typed, `1` how many bytes of kinds 0 and 1
//! were written since it attached (u64, little endian; the first byte of each message doesn't count), `2` the
//! size as columns and lines (u16 each, little endian), `3` bytes that the terminal sends on its own: replies
//! to queries, focus and mouse reports, which nobody typed. A client that falls behind in acknowledging gets
//! nothing more until it has caught up, and then the screen again; the engine never waits for it.

/// A message from the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromServer<B> {
    /// The whole screen: it begins with a reset.
    Snapshot(B),
    /// Output of the engine.
    Output(B),
    /// The terminal has ended, for this reason.
    Ended(String),
}

/// A message from a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FromClient<B> {
    /// Typed bytes.
    Input(B),
    /// How many bytes were written since it attached.
    Ack(u64),
    /// The terminal's size.
    Resize {
        /// Columns.
        cols: u16,
        /// Lines.
        rows: u16,
    },
    /// Bytes that the terminal sent on its own.
    Report(B),
}

/// An invalid message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a terminal message that can't be understood")]
pub struct Garbled;

impl<B: AsRef<[u8]>> FromServer<B> {
    /// The message's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Snapshot(bytes) => tagged(0, bytes.as_ref()),
            Self::Output(bytes) => tagged(1, bytes.as_ref()),
            Self::Ended(why) => tagged(2, why.as_bytes()),
        }
    }
}

impl<'a> FromServer<&'a [u8]> {
    /// Parses a message.
    ///
    /// # Errors
    /// [`Garbled`].
    pub fn decode(message: &'a [u8]) -> Result<Self, Garbled> {
        match message {
            [0, bytes @ ..] => Ok(Self::Snapshot(bytes)),
            [1, bytes @ ..] => Ok(Self::Output(bytes)),
            [2, why @ ..] => Ok(Self::Ended(String::from_utf8_lossy(why).into_owned())),
            _ => Err(Garbled),
        }
    }
}

impl<B: AsRef<[u8]>> FromClient<B> {
    /// The message's bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        match self {
            Self::Input(bytes) => tagged(0, bytes.as_ref()),
            Self::Ack(bytes) => tagged(1, &bytes.to_le_bytes()),
            Self::Resize { cols, rows } => {
                let [a, b] = cols.to_le_bytes();
                let [c, d] = rows.to_le_bytes();
                tagged(2, &[a, b, c, d])
            }
            Self::Report(bytes) => tagged(3, bytes.as_ref()),
        }
    }
}

impl<'a> FromClient<&'a [u8]> {
    /// Parses a message.
    ///
    /// # Errors
    /// [`Garbled`].
    pub fn decode(message: &'a [u8]) -> Result<Self, Garbled> {
        match *message {
            [0, ..] => Ok(Self::Input(&message[1..])),
            [3, ..] => Ok(Self::Report(&message[1..])),
            [1, a, b, c, d, e, f, g, h] => Ok(Self::Ack(u64::from_le_bytes([a, b, c, d, e, f, g, h]))),
            [2, a, b, c, d] => {
                let (cols, rows) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
                if cols == 0 || rows == 0 { Err(Garbled) } else { Ok(Self::Resize { cols, rows }) }
            }
            _ => Err(Garbled),
        }
    }
}

fn tagged(tag: u8, bytes: &[u8]) -> Vec<u8> {
    let mut message = Vec::with_capacity(bytes.len() + 1);
    message.push(tag);
    message.extend_from_slice(bytes);
    message
}
