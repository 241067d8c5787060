//! `repose hook`: hands one event of the engine's to the holder, and ends.
//!
//! It must never fail or delay the engine: it prints nothing, waits for nobody longer than [`REACH_WITHIN`], and knows
//! nothing of what it carries. Only the standard library is used: the whole process takes some 2 ms.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use repose_core::time::Wall;

use crate::wire::frame::{HOOK, HOOK_MAX};

/// Where the hook finds the holder's socket.
pub(crate) const SOCKET_VARIABLE: &str = "REPOSE_HOOK_SOCK";

/// Where it finds the session's folder.
pub(crate) const FOLDER_VARIABLE: &str = "REPOSE_SESSION_DIR";

/// The longest payload. A longer one isn't handed on, for half a JSON value says nothing: the engine's status
/// and its transcript still tell what it would have told.
const PAYLOAD_MAX: u64 = HOOK_MAX as u64 - 8;

/// A payload that is too long is still read to its end, so that the engine's write doesn't fail; up to this.
const READ_MAX: u64 = 64 * 1024 * 1024;

/// A holder that takes nothing for this long is as good as dead. One that lives takes a frame within a millisecond,
/// and the socket's buffer takes most frames whole.
pub const REACH_WITHIN: Duration = Duration::from_millis(50);

/// The spool grows no longer than this; what comes after is dropped. It is read only to bring a dead holder's session to
/// its end, and the transcript says the rest.
pub const SPOOL_MAX: u64 = 4 * 1024 * 1024;

/// Takes the event on standard input to the holder. Whatever happens, the engine goes on.
pub fn run() {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from) else { return };
    let socket = std::env::var_os(SOCKET_VARIABLE).map(PathBuf::from);
    let mut payload = Vec::new();
    let mut input = io::stdin().lock();
    if input.by_ref().take(PAYLOAD_MAX + 1).read_to_end(&mut payload).is_err() {
        return;
    }
    if payload.len() as u64 > PAYLOAD_MAX {
        // Nothing can be done about a reader's error here, nor has the engine to know.
        let _ = io::copy(&mut input.take(READ_MAX), &mut io::sink());
        return;
    }
    let frame = frame(u64::try_from(at.as_millis()).unwrap_or_default(), &payload);
    let reached = socket.is_some_and(|socket| hand_over(&socket, &frame).is_ok());
    if !reached {
        // A spool that can't be written, or is gone with its session, loses an event that nobody waits for.
        let _ = spool(&folder, &frame);
    }
}

/// What hooks said to a holder that had died: when, and the payload. For the runner, which has to bring that session to
/// its end; a holder listens before its engine starts, and never has a spool of its own.
///
/// # Errors
/// If there is one and it can't be read.
pub fn spooled(session_dir: &Path) -> io::Result<Vec<(Wall, Vec<u8>)>> {
    let bytes = match fs::read(session_dir.join("spool")) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut events = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((frame, next)) = after.split_at_checked(length) else { break };
        if let Some((&HOOK, body)) = frame.split_first()
            && let Some(event) = event(body)
        {
            events.push((event.0, event.1.to_owned()));
        }
        rest = next;
    }
    Ok(events)
}

/// What a hook frame holds.
pub(crate) fn event(body: &[u8]) -> Option<(Wall, &[u8])> {
    let (at, payload) = body.split_first_chunk::<8>()?;
    Some((Wall(u64::from_le_bytes(*at)), payload))
}

fn frame(at: u64, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 9).unwrap_or_default();
    let mut frame = Vec::with_capacity(payload.len() + 13);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.push(HOOK);
    frame.extend_from_slice(&at.to_le_bytes());
    frame.extend_from_slice(payload);
    frame
}

fn hand_over(socket: &Path, frame: &[u8]) -> io::Result<()> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_write_timeout(Some(REACH_WITHIN))?;
    stream.write_all(frame)
}

fn spool(folder: &Path, frame: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(folder.join("spool"))?;
    if file.metadata()?.len() + frame.len() as u64 > SPOOL_MAX {
        return Ok(());
    }
    file.write_all(frame)
}

#[cfg(test)]
mod tests;
