//! A terminal attached to a session's screen.

use std::io;
use std::path::Path;

use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::{ConnectError, connect};
use crate::wire::frame::{self, ACK, ATTACH, Frames, INPUT, OUTPUT, REPORT, RESIZE, SNAPSHOT};
use crate::wire::{Attach, Size};

/// The most bytes of input to send at once; longer input is sent in pieces.
const INPUT_PIECE: usize = 32 * 1024;

/// An attached terminal. Its halves can be used by different tasks; dropping both detaches.
#[derive(Debug)]
pub struct Attached {
    /// The half that receives from the session.
    pub shows: Shows,
    /// The half that sends to the session.
    pub keys: Keys,
}

/// Receives what a terminal is to show.
#[derive(Debug)]
pub struct Shows {
    frames: Frames<OwnedReadHalf>,
}

/// Sends what a terminal types and reports.
#[derive(Debug)]
pub struct Keys {
    write: OwnedWriteHalf,
}

/// Bytes for the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Replaces everything: at the start, and after the terminal was too slow. What came before it no longer
    /// matters.
    Snapshot(Bytes),
    /// What the engine wrote.
    Output(Bytes),
}

/// Attaches a terminal to a session's screen.
///
/// # Errors
/// [`ConnectError`].
pub async fn attach(session_dir: &Path, attach: Attach) -> Result<Attached, ConnectError> {
    let stream = connect(session_dir).await?;
    let (read, mut write) = stream.into_split();
    let sent = write.write_all(&frame::json(ATTACH, &attach)).await;
    sent.map_err(|source| ConnectError::Gone { path: super::shown(session_dir), source })?;
    Ok(Attached { shows: Shows { frames: Frames::new(read) }, keys: Keys { write } })
}

impl Shows {
    /// The next bytes. `None`: the session is over or its holder is gone. Cancelling loses nothing.
    pub async fn next(&mut self) -> Option<Shown> {
        loop {
            let frame = self.frames.next().await.ok().flatten()?;
            match frame.kind {
                SNAPSHOT => return Some(Shown::Snapshot(frame.body)),
                OUTPUT => return Some(Shown::Output(frame.body)),
                _ => {}
            }
        }
    }
}

impl Keys {
    /// Sends what was typed.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn input(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(INPUT_PIECE) {
            self.write.write_all(&frame::bytes(INPUT, piece)).await?;
        }
        Ok(())
    }

    /// Sends what the terminal sends on its own: replies to queries, focus and mouse reports. It never counts
    /// as a person's action.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn report(&mut self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(INPUT_PIECE) {
            self.write.write_all(&frame::bytes(REPORT, piece)).await?;
        }
        Ok(())
    }

    /// Reports the terminal's size, which takes effect once this terminal types.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn resize(&mut self, cols: u16, rows: u16) -> io::Result<()> {
        self.write.write_all(&frame::json(RESIZE, &Size { cols, rows })).await
    }

    /// Reports how many bytes of snapshots and output the terminal has taken in since it attached. A terminal
    /// that wants the scrollback gets it as a second snapshot, once it has taken in the first. One that falls
    /// far behind gets a new snapshot once it has caught up, in place of what it missed, and its scrollback
    /// once it keeps up again.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn ack(&mut self, total: u64) -> io::Result<()> {
        self.write.write_all(&frame::bytes(ACK, &total.to_le_bytes())).await
    }
}
