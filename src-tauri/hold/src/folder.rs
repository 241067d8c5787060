//! A session's folder: what is in it, and what the runner writes there before the holder starts.
//!
//! The folder is the runner's to make and to delete. It holds `spec.json` (the runner's), `sock`, `journal`,
//! `tree`, `end.json` (the holder's), `log` (what it warns of) and `spool` (the hooks', for a holder that
//! doesn't hear them).

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::ids::{ConversationId, EngineName, RepoId, SessionId};
use repose_sys::ProcessId;
use repose_sys::private::{self, PrivateError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::wire::carry::{Carry, carry_struct};
use crate::wire::{Ended, Params};

/// A socket's path may have no more bytes: 108 with the end mark on Linux, 104 on macOS.
const SOCKET_PATH_MAX: usize = 103;

/// Whether a socket is still there is looked at this often: one look costs a microsecond.
const SOCKET_LOOKED_AT: Duration = Duration::from_secs(3);

/// What a holder may say to its session's `log`. It warns of what it can't do, and is normally silent. A
/// longer one is emptied: it repeats itself.
pub(crate) const LOG_MAX: u64 = 256 * 1024;

/// What a holder is to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The session.
    pub session: SessionId,
    /// The repo that it serves.
    pub repo: RepoId,
    /// What people call that repo.
    pub name: String,
    /// The engine's name.
    pub engine: EngineName,
    /// What the user's settings say of it, if it isn't built in: a [`repose_engine::own::Description`]. Else
    /// null.
    pub own: Value,
    /// The file to execute.
    pub program: OsString,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Its whole environment. The holder adds `REPOSE_SESSION`, `REPOSE_SESSION_DIR` and `REPOSE_HOOK_SOCK`.
    pub env: Vec<(OsString, OsString)>,
    /// The folder that it works in.
    pub cwd: OsString,
    /// Columns of its screen to begin with.
    pub cols: u16,
    /// Lines of its screen to begin with.
    pub rows: u16,
    /// What the session machine goes by.
    pub params: Params,
    /// The conversation that the engine was told to open, if it was told one.
    pub conversation: Option<ConversationId>,
    /// It was told to take that one up, and not to begin it.
    pub resumes: bool,
    /// It was told to begin a copy of an earlier one.
    pub forks: bool,
    /// Whatever the runner wants to find again in [`crate::State::plan`].
    pub plan: Value,
    /// The build that holder and hook are of.
    pub build: String,
}

carry_struct!(Spec as SpecWire {
    session: SessionId,
    repo: RepoId,
    name: String,
    engine: EngineName,
    #[serde(default)]
    own: Value,
    program: OsString,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    cwd: OsString,
    cols: u16,
    rows: u16,
    params: Params,
    conversation: Option<ConversationId>,
    #[serde(default)]
    resumes: bool,
    #[serde(default)]
    forks: bool,
    plan: Value,
    build: String,
});

/// The engine's tree at the last scan.
#[derive(Debug, Clone)]
struct Tree {
    /// The machine's run that it was in.
    boot: Option<String>,
    processes: Vec<ProcessId>,
}

carry_struct!(Tree as TreeWire { boot: Option<String>, processes: Vec<ProcessId> });

/// Text where it is text, else its bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OsWire {
    Text(String),
    Bytes(Vec<u8>),
}

impl Carry for OsString {
    type Wire = OsWire;

    fn out(&self) -> OsWire {
        match self.to_str() {
            Some(text) => OsWire::Text(text.to_owned()),
            None => OsWire::Bytes(self.as_bytes().to_owned()),
        }
    }

    fn back(wire: OsWire) -> Self {
        match wire {
            OsWire::Text(text) => text.into(),
            OsWire::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

/// A file of a session's folder that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be read ({why}); the session it belongs to is left as it is", path.display())]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

impl Spec {
    /// Makes the session's folder and writes the spec there. With the environment it holds secrets: mode
    /// 0600.
    ///
    /// # Errors
    /// [`PrivateError`].
    pub fn write(&self, session_dir: &Path) -> Result<(), PrivateError> {
        private::create_private_dir(session_dir)?;
        let json = serde_json::to_vec(&self.out()).unwrap_or_default();
        private::write_private(&session_dir.join("spec.json"), &json)?;
        written(session_dir, &"Spec");
        Ok(())
    }

    /// Reads it.
    ///
    /// # Errors
    /// [`Unreadable`], also for one that another version wrote in another form.
    pub fn read(session_dir: &Path) -> Result<Self, Unreadable> {
        let path = session_dir.join("spec.json");
        read(&path).and_then(|spec| spec.map(Self::back).ok_or_else(|| unreadable(&path, "there is none")))
    }
}

/// Where the holder of this session listens: in its folder, or where the path would be too long for a socket,
/// in a folder of this user's own under the system's folder for temporary files.
#[must_use]
pub fn socket_path(session_dir: &Path) -> PathBuf {
    let path = session_dir.join("sock");
    if path.as_os_str().len() <= SOCKET_PATH_MAX {
        return path;
    }
    let user = rustix::process::geteuid().as_raw();
    PathBuf::from(format!("/tmp/repose-{user}/{:016x}.sock", fnv(session_dir.as_os_str().as_bytes())))
}

/// Ends when the socket is no longer there: nobody new could connect.
pub async fn socket_removed(path: &Path) {
    loop {
        tokio::time::sleep(SOCKET_LOOKED_AT).await;
        // Anything else than its absence, a folder that can't be read for a moment, changes nothing.
        if matches!(path.try_exists(), Ok(false)) {
            return;
        }
    }
}

/// The record that a session's end left. `None`: it hasn't ended, or its holder died.
///
/// # Errors
/// [`Unreadable`].
pub fn end(session_dir: &Path) -> Result<Option<Ended>, Unreadable> {
    read::<<Ended as Carry>::Wire>(&session_dir.join("end.json")).map(|ended| ended.map(Ended::back))
}

/// What a holder that died may have left of its engine's tree: those of the processes it saw last that still
/// run. [`repose_sys::end::these`] ends them; [`repose_sys::tree::marked`] finds those that came after the
/// last scan.
#[must_use]
pub fn leftovers(session_dir: &Path) -> Vec<ProcessId> {
    let tree = read::<<Tree as Carry>::Wire>(&session_dir.join("tree")).ok().flatten().map(Tree::back);
    // The start times of another run of the machine say nothing in this one.
    let tree = tree.filter(|tree| tree.boot == repose_sys::clock::boot());
    let processes = tree.map(|tree| tree.processes).unwrap_or_default();
    processes.into_iter().filter(|process| process.alive()).collect()
}

/// Keeps the file that the holder's own output goes to from growing. What it says next stands at its start.
pub(crate) fn bound_log(session_dir: &Path) {
    let path = session_dir.join("log");
    if fs::metadata(&path).is_ok_and(|meta| meta.len() > LOG_MAX) {
        // One that can't be opened can't be written either.
        let _ = fs::OpenOptions::new().write(true).open(&path).and_then(|log| log.set_len(0));
    }
}

pub(crate) fn write_end(session_dir: &Path, ended: &Ended) -> Result<(), PrivateError> {
    let json = serde_json::to_vec(&ended.out()).unwrap_or_default();
    private::write_private(&session_dir.join("end.json"), &json)?;
    written(session_dir, &"End");
    Ok(())
}

/// Something of this session is on the disk.
pub(crate) fn written(session_dir: &Path, what: &dyn std::fmt::Debug) {
    if let Some(state) = session_dir.parent().and_then(Path::parent) {
        repose_sys::steps::on_disk(state, what);
    }
}

pub(crate) fn write_tree(session_dir: &Path, tree: &[ProcessId]) -> Result<(), PrivateError> {
    let tree = Tree { boot: repose_sys::clock::boot(), processes: tree.to_vec() };
    let json = serde_json::to_vec(&tree.out()).unwrap_or_default();
    private::write_private_for_this_boot(&session_dir.join("tree"), &json)
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Option<T>, Unreadable> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(path, &error.to_string())),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| unreadable(path, &error.to_string()))
}

fn unreadable(path: &Path, why: &str) -> Unreadable {
    Unreadable { path: path.to_owned(), why: why.to_owned() }
}

/// FNV-1a: the same in every build, which the standard library's hasher doesn't promise.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
