//! A session's folder: its files, and what the runner writes there before the holder starts.
//!
//! The runner creates and deletes the folder. It holds `spec.json` (written by the runner); `sock`,
//! `journal`, `tree` and `end.json` (by the holder); `log` (the holder's warnings); and `spool` (by hooks,
//! for a holder that doesn't respond).

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

/// The most bytes of a socket's path: with the final zero byte, Linux allows 108 and macOS 104.
const SOCKET_PATH_MAX: usize = 103;

/// How often to check whether a socket still exists; a check takes a microsecond.
const SOCKET_LOOKED_AT: Duration = Duration::from_secs(3);

/// The most bytes of a session's `log`. The holder warns there of what it can't do, and is normally silent. A
/// longer log is emptied, since it repeats itself.
pub(crate) const LOG_MAX: u64 = 256 * 1024;

/// What a holder is to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The session's id.
    pub session: SessionId,
    /// The id of the repo that it serves.
    pub repo: RepoId,
    /// The name of that repo.
    pub name: String,
    /// The engine's name.
    pub engine: EngineName,
    /// The user's settings of an engine that isn't built in: a [`repose_engine::own::Description`]. Otherwise
    /// null.
    pub own: Value,
    /// The file to execute.
    pub program: OsString,
    /// Its arguments, without its own name.
    pub args: Vec<OsString>,
    /// Its whole environment. The holder adds `REPOSE_SESSION`, `REPOSE_SESSION_DIR` and `REPOSE_HOOK_SOCK`.
    pub env: Vec<(OsString, OsString)>,
    /// The folder in which it works.
    pub cwd: OsString,
    /// The initial columns of its screen.
    pub cols: u16,
    /// The initial lines of its screen.
    pub rows: u16,
    /// The parameters of the session's state machine.
    pub params: Params,
    /// The conversation that the engine was told to open, if any.
    pub conversation: Option<ConversationId>,
    /// Whether it was told to resume that conversation rather than to begin it.
    pub resumes: bool,
    /// Whether it was told to begin a copy of an earlier one.
    pub forks: bool,
    /// Opaque data that the runner gets back in [`crate::State::plan`].
    pub plan: Value,
    /// The build of holder and hook.
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
    /// The machine's boot in which the tree existed.
    boot: Option<String>,
    processes: Vec<ProcessId>,
}

carry_struct!(Tree as TreeWire { boot: Option<String>, processes: Vec<ProcessId> });

/// Text if it is valid UTF-8, otherwise bytes.
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

/// A file in a session's folder that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be read ({why}); the session it belongs to is left as it is", path.display())]
pub struct Unreadable {
    /// The file's path.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

impl Spec {
    /// Creates the session's folder and writes the spec there. The environment may contain secrets, so the
    /// file has mode 0600.
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

    /// Reads the spec.
    ///
    /// # Errors
    /// [`Unreadable`], also if another version wrote it in another form.
    pub fn read(session_dir: &Path) -> Result<Self, Unreadable> {
        let path = session_dir.join("spec.json");
        read(&path).and_then(|spec| spec.map(Self::back).ok_or_else(|| unreadable(&path, "there is none")))
    }
}

/// The path at which this session's holder listens: in its folder, or, if that path is too long for a socket,
/// in a private folder of this user's in the system's folder for temporary files.
#[must_use]
pub fn socket_path(session_dir: &Path) -> PathBuf {
    let path = session_dir.join("sock");
    if path.as_os_str().len() <= SOCKET_PATH_MAX {
        return path;
    }
    let user = rustix::process::geteuid().as_raw();
    PathBuf::from(format!("/tmp/repose-{user}/{:016x}.sock", fnv(session_dir.as_os_str().as_bytes())))
}

/// Returns when the socket no longer exists, so that nobody could connect.
pub async fn socket_removed(path: &Path) {
    loop {
        tokio::time::sleep(SOCKET_LOOKED_AT).await;
        // Other errors, such as a folder that can't be read for a moment, change nothing.
        if matches!(path.try_exists(), Ok(false)) {
            return;
        }
    }
}

/// The record of a session's end. `None`: it hasn't ended, or its holder died.
///
/// # Errors
/// [`Unreadable`].
pub fn end(session_dir: &Path) -> Result<Option<Ended>, Unreadable> {
    read::<<Ended as Carry>::Wire>(&session_dir.join("end.json")).map(|ended| ended.map(Ended::back))
}

/// The processes that a dead holder may have left of its engine's tree: those from its last scan that still
/// run. [`repose_sys::end::these`] ends them; [`repose_sys::tree::marked`] finds those that started after the
/// last scan.
#[must_use]
pub fn leftovers(session_dir: &Path) -> Vec<ProcessId> {
    let tree = read::<<Tree as Carry>::Wire>(&session_dir.join("tree")).ok().flatten().map(Tree::back);
    // Start times from another boot mean nothing in this one.
    let tree = tree.filter(|tree| tree.boot == repose_sys::clock::boot());
    let processes = tree.map(|tree| tree.processes).unwrap_or_default();
    processes.into_iter().filter(|process| process.alive()).collect()
}

/// Keeps the file with the holder's own output from growing, by emptying it.
pub(crate) fn bound_log(session_dir: &Path) {
    let path = session_dir.join("log");
    if fs::metadata(&path).is_ok_and(|meta| meta.len() > LOG_MAX) {
        // If it can't be opened, it can't be written either.
        let _ = fs::OpenOptions::new().write(true).open(&path).and_then(|log| log.set_len(0));
    }
}

pub(crate) fn write_end(session_dir: &Path, ended: &Ended) -> Result<(), PrivateError> {
    let json = serde_json::to_vec(&ended.out()).unwrap_or_default();
    private::write_private(&session_dir.join("end.json"), &json)?;
    written(session_dir, &"End");
    Ok(())
}

/// Something of this session has reached the disk.
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

/// FNV-1a, which is the same in every build; the standard library's hasher doesn't promise that.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
