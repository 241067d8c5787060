//! `repose hook`: hands one event of the engine's to the holder, and exits.
//!
//! It must never fail or delay the engine: it prints nothing, waits for nobody longer than [`REACH_WITHIN`],
//! and doesn't interpret what it carries. It uses only the standard library: the whole process takes some 2
//! ms. One that is started for a decision waits until the holder tells it what to print, or hangs up.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use repose_core::time::Wall;

use crate::wire::frame::{DECIDE, HOOK, HOOK_MAX, PRINT};

/// The variable with the path of the holder's socket.
pub(crate) const SOCKET_VARIABLE: &str = "REPOSE_HOOK_SOCK";

/// The variable with the path of the session's folder.
pub(crate) const FOLDER_VARIABLE: &str = "REPOSE_SESSION_DIR";

/// The most bytes of a payload. A longer one isn't handed on, since half a JSON value is useless: the
/// engine's status and transcript still tell the same.
const PAYLOAD_MAX: u64 = HOOK_MAX as u64 - 8;

/// The most bytes to read of a payload that is too long: it is read so that the engine's write doesn't fail.
const READ_MAX: u64 = 64 * 1024 * 1024;

/// How long a holder may not respond before it counts as dead. A live one takes a frame within a millisecond,
/// and the socket's buffer takes most frames whole.
pub const REACH_WITHIN: Duration = Duration::from_millis(50);

/// The most bytes of the spool; what follows is dropped. A live holder reads it within seconds, and the
/// transcript has the rest of what a dead one missed.
pub const SPOOL_MAX: u64 = 4 * 1024 * 1024;

/// The file with events that no holder heard.
const SPOOL: &str = "spool";

/// The spool once it is put aside to be read.
const TAKEN: &str = "spool.taken";

/// The most bytes to print. A longer frame isn't from the holder.
const PRINT_MAX: usize = 16 * 1024 * 1024;

/// Takes the event on standard input to the holder. Whatever happens, the engine goes on. With the word
/// `decide` it waits for the holder's answer and prints it.
pub fn run(word: Option<&OsStr>) {
    if word.is_some_and(|word| word == "decide") {
        decide();
    } else {
        report();
    }
}

fn report() {
    let Some(Told { folder, at, payload }) = told() else { return };
    let frame = frame(HOOK, at, &payload);
    let reached = socket().is_some_and(|socket| hand_over(&socket, &frame).is_ok());
    if !reached {
        // If the spool can't be written, or is gone with its session, an event is lost that nobody waits for.
        let _ = spool(&folder, &frame);
    }
}

fn decide() {
    let Some(Told { folder, at, payload }) = told() else { return };
    match socket().ok_or_else(gone).and_then(|socket| hand_over(&socket, &frame(DECIDE, at, &payload))) {
        Ok(stream) => {
            if let Some(words) = words(stream) {
                // An engine that no longer reads has decided.
                let _ = io::stdout().write_all(&words);
            }
        }
        // Treated like an event that nobody answers.
        Err(_) => drop(spool(&folder, &frame(HOOK, at, &payload))),
    }
}

/// Waits for the holder's answer. `None`: it hung up.
fn words(mut stream: UnixStream) -> Option<Vec<u8>> {
    let mut head = [0; 5];
    stream.read_exact(&mut head).ok()?;
    let [a, b, c, d, kind] = head;
    let length = (u32::from_le_bytes([a, b, c, d]) as usize).checked_sub(1)?;
    if kind != PRINT || length > PRINT_MAX {
        return None;
    }
    let mut words = vec![0; length];
    stream.read_exact(&mut words).ok()?;
    Some(words)
}

/// What the engine told the hook.
struct Told {
    folder: PathBuf,
    /// The time in milliseconds since the Unix epoch.
    at: u64,
    payload: Vec<u8>,
}

/// What the engine told the hook. `None`: there is nothing to hand on.
fn told() -> Option<Told> {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let at = u64::try_from(at.as_millis()).unwrap_or_default();
    let folder = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from)?;
    let mut payload = Vec::new();
    let mut input = io::stdin().lock();
    input.by_ref().take(PAYLOAD_MAX + 1).read_to_end(&mut payload).ok()?;
    if payload.len() as u64 > PAYLOAD_MAX {
        // Nothing can be done about a read error here, and the engine needn't know.
        let _ = io::copy(&mut input.take(READ_MAX), &mut io::sink());
        return None;
    }
    Some(Told { folder, at, payload })
}

fn socket() -> Option<PathBuf> {
    std::env::var_os(SOCKET_VARIABLE).map(PathBuf::from)
}

fn gone() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// The events that hooks spooled while no holder heard them, in order, each with its time. For the runner,
/// which finishes the session of a dead holder. A live holder reads its own spool.
///
/// # Errors
/// If there is a spool and it can't be read.
pub fn spooled(session_dir: &Path) -> io::Result<Vec<(Wall, Vec<u8>)>> {
    let mut events = events_of(&session_dir.join(TAKEN))?;
    events.extend(events_of(&session_dir.join(SPOOL))?);
    Ok(in_order(events))
}

/// The spooled events, for the holder, each once. A hook may be about to write to the present spool, so it is
/// put aside first and read by the next call. The flag: there is something for the next call.
pub(crate) fn take_spooled(session_dir: &Path) -> (Vec<(Wall, Vec<u8>)>, bool) {
    let taken = session_dir.join(TAKEN);
    // What can't be read now is there at the next call, or goes with the folder; it must not be overwritten.
    let Ok(events) = events_of(&taken) else { return (Vec::new(), false) };
    if !events.is_empty() {
        let _ = fs::remove_file(&taken);
    }
    let more = fs::rename(session_dir.join(SPOOL), &taken).is_ok();
    (in_order(events), more)
}

/// Sorts events by time: hooks that ran at the same time spooled in any order.
fn in_order(mut events: Vec<(Wall, Vec<u8>)>) -> Vec<(Wall, Vec<u8>)> {
    events.sort_by_key(|(at, _)| *at);
    events
}

fn events_of(path: &Path) -> io::Result<Vec<(Wall, Vec<u8>)>> {
    let bytes = match fs::read(path) {
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

/// The time and payload in a hook frame.
pub(crate) fn event(body: &[u8]) -> Option<(Wall, &[u8])> {
    let (at, payload) = body.split_first_chunk::<8>()?;
    Some((Wall(u64::from_le_bytes(*at)), payload))
}

fn frame(kind: u8, at: u64, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 9).unwrap_or_default();
    let mut frame = Vec::with_capacity(payload.len() + 13);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.push(kind);
    frame.extend_from_slice(&at.to_le_bytes());
    frame.extend_from_slice(payload);
    frame
}

fn hand_over(socket: &Path, frame: &[u8]) -> io::Result<UnixStream> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_write_timeout(Some(REACH_WITHIN))?;
    stream.write_all(frame)?;
    Ok(stream)
}

fn spool(folder: &Path, frame: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(folder.join(SPOOL))?;
    if file.metadata()?.len() + frame.len() as u64 > SPOOL_MAX {
        return Ok(());
    }
    file.write_all(frame)
}

#[cfg(test)]
mod tests;
