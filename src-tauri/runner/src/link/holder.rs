//! Finds a session's holder without its help, and what a dead one left behind.

use std::path::Path;
use std::time::Duration;

use repose_core::ids::SessionId;
use repose_hold::Numbered;
use repose_hold::journal::{self, Since};
use repose_sys::ProcessId;
use repose_sys::tree::marked;
use tokio::net::UnixStream;

/// A live process accepts connections at once; one that doesn't is found in another way.
const ACCEPTS_WITHIN: Duration = Duration::from_secs(1);

/// How long ending the rest of a dead holder's tree may take.
const LEFTOVERS_END_WITHIN: Duration = Duration::from_secs(3);

/// The holder that listens at the session's socket, whether it answers or not.
pub(super) async fn listens(dir: &Path, session: &SessionId) -> Option<ProcessId> {
    let stream = UnixStream::connect(repose_hold::socket_path(dir));
    let stream = tokio::time::timeout(ACCEPTS_WITHIN, stream).await.ok().and_then(Result::ok);
    let pid = stream.and_then(|stream| stream.peer_cred().ok()?.pid());
    let listener = pid.and_then(|pid| ProcessId::of(u32::try_from(pid).ok()?)).filter(|id| holds(*id, dir));
    if listener.is_some() {
        return listener;
    }
    let (dir, session) = (dir.to_owned(), session.clone());
    tokio::task::spawn_blocking(move || holder_of(&dir, &session)).await.ok().flatten()
}

/// The live holder of this session. It carries the session's mark from its first moment, and so does
/// everything that it starts.
pub(super) fn holder_of(dir: &Path, session: &SessionId) -> Option<ProcessId> {
    let marked = marked(session.as_str());
    // What it is about to start still has the holder's command line, so parents come first.
    let parents = marked.iter().filter_map(|member| ProcessId::of(member.parent));
    parents.chain(marked.iter().map(|member| member.id)).find(|process| holds(*process, dir))
}

/// Whether this process is the holder of the session in that folder.
fn holds(process: ProcessId, dir: &Path) -> bool {
    let command = process.command().unwrap_or_default();
    matches!(command.as_slice(), [.., verb, held] if verb == "hold" && Path::new(held) == dir)
}

/// The entries after `seq` in a dead holder's journal.
pub(super) fn journal_rest(dir: &Path, seq: u64) -> Vec<Numbered> {
    match journal::read(dir, seq) {
        Ok(Since::Entries(entries) | Since::Gap(entries)) => entries,
        Err(error) => {
            tracing::warn!(dir = %dir.display(), %error, "a journal can't be read");
            Vec::new()
        }
    }
}

/// Ends what is left of a dead holder's tree, and returns the processes that couldn't be ended, as names.
pub(crate) fn end_leftovers(dir: &Path, session: &SessionId) -> Vec<String> {
    let deadline = std::time::Instant::now() + LEFTOVERS_END_WITHIN;
    loop {
        let mut ids = repose_hold::leftovers(dir);
        ids.extend(marked(session.as_str()).into_iter().map(|member| member.id));
        if ids.is_empty() {
            return Vec::new();
        }
        let rest = deadline.saturating_duration_since(std::time::Instant::now());
        let _ = repose_sys::end::these(&ids, rest);
        if rest.is_zero() {
            return named(&ids);
        }
    }
}

/// Processes as people know them; those that have ended are left out.
pub(crate) fn named(ids: &[ProcessId]) -> Vec<String> {
    let name = |id: &ProcessId| Some(format!("pid {} (`{}`)", id.pid, id.command()?.join(" ")));
    ids.iter().filter_map(name).collect()
}
