//! Finding an engine's program, and asking it for its version.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use repose_sys::exec::Refusal;

use crate::env::Env;

/// How long a program may take to report its version. A native one answers within 30 ms, and one on a cold
/// disk or in an emulator within a second or two; after this the version is unknown, and the process is
/// killed.
pub const VERSION_WAIT: Duration = Duration::from_secs(5);

/// The first bytes of a native program: ELF, or one of the Mach-O kinds.
const NATIVE: [[u8; 4]; 5] = [
    *b"\x7fELF",
    [0xcf, 0xfa, 0xed, 0xfe],
    [0xce, 0xfa, 0xed, 0xfe],
    [0xca, 0xfe, 0xba, 0xbe],
    [0xfe, 0xed, 0xfa, 0xcf],
];

/// The most bytes to read of the answer: a version is one line.
const VERSION_BYTES: u64 = 4096;

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Where it was found: the path that the user knows.
    pub found: PathBuf,
    /// The file to execute: the program behind a launcher script, if known, otherwise the same.
    pub exec: PathBuf,
}

/// Why a program can't be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// There is no program with this name.
    #[error("`{command}` was not found{}; nothing was started", looked(.searched))]
    NotFound {
        /// The command that was looked for.
        command: String,
        /// The folders that were searched; none if the command is a path.
        searched: Vec<PathBuf>,
    },
    /// The settings no longer describe such an engine.
    #[error("the settings describe no engine `{name}` any more; nothing was started")]
    NotDescribed {
        /// Its name.
        name: String,
    },
    /// The file exists, but this user may not execute it.
    #[error("`{}` can't be executed; nothing was started. Make it executable, or set another command", .path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The program exists, but the system refuses to execute it.
    #[error("`{}` can't be executed: {why}. Nothing was started", .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: Refusal,
    },
}

/// Looks for `command` as a shell would: a path is used as it is (`~/` is the home folder), a name is looked
/// for in the folders of `PATH`.
///
/// # Errors
/// [`Missing`], which tells whether a file with that name exists.
pub fn program(env: &Env, command: &str) -> Result<PathBuf, Missing> {
    if command.contains('/') {
        let path = match (command.strip_prefix("~/"), env.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(command),
        };
        return match kind(&path) {
            Kind::Executable => fit(path),
            Kind::Other => Err(Missing::NotExecutable { path }),
            Kind::Absent => Err(Missing::NotFound { command: command.into(), searched: Vec::new() }),
        };
    }
    let searched = env.path();
    let mut unfit = None;
    for path in searched.iter().filter(|folder| folder.is_absolute()).map(|folder| folder.join(command)) {
        match kind(&path) {
            Kind::Executable => match fit(path) {
                Ok(path) => return Ok(path),
                Err(missing) => unfit = unfit.or(Some(missing)),
            },
            Kind::Other if path.is_file() => unfit = unfit.or(Some(Missing::NotExecutable { path })),
            Kind::Other | Kind::Absent => {}
        }
    }
    Err(unfit.unwrap_or_else(|| Missing::NotFound { command: command.into(), searched }))
}

/// The path, if the system would execute the program.
fn fit(path: PathBuf) -> Result<PathBuf, Missing> {
    match repose_sys::exec::refusal(&path) {
        None => Ok(path),
        Some(why) => Err(Missing::Refused { path, why }),
    }
}

/// The engine's program: the one named in the settings, otherwise `usual` on `PATH` or at these paths.
/// `behind` finds what a launcher script starts.
///
/// # Errors
/// [`Missing`]
pub(crate) fn engine(
    env: &Env,
    named: Option<&str>,
    (usual, paths): (&str, &[&str]),
    behind: impl Fn(&Path) -> Option<PathBuf>,
) -> Result<Program, Missing> {
    let found = match named {
        Some(command) => program(env, command)?,
        None => self::usual(env, usual, paths)?,
    };
    let exec = behind(&found).unwrap_or_else(|| found.clone());
    Ok(Program { found, exec })
}

/// Looks for `command` on `PATH`, then at these paths, where its installers put it.
///
/// # Errors
/// [`Missing`]
pub fn usual(env: &Env, command: &str, paths: &[&str]) -> Result<PathBuf, Missing> {
    program(env, command).or_else(|missing| match missing {
        Missing::NotFound { .. } => paths.iter().find_map(|path| program(env, path).ok()).ok_or(missing),
        Missing::NotExecutable { .. } | Missing::Refused { .. } | Missing::NotDescribed { .. } => {
            Err(missing)
        }
    })
}

/// Whether a file is a native program rather than a script.
#[must_use]
pub fn is_native(path: &Path) -> bool {
    let mut start = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && NATIVE.contains(&start)
}

/// The version on the first line of `program --version`, without the program's name; the whole line where
/// none of its words is one. `None` if it fails, prints nothing, or takes longer than [`VERSION_WAIT`]. Blocks
/// for at most that long.
#[must_use]
pub fn version(program: &Path, env: &Env) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .env_clear()
        .envs(env.iter())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        let read = stdout.take(VERSION_BYTES).read_to_string(&mut text);
        // The receiver is gone if this took too long.
        let _ = tell.send(read.map(|_| text));
    });
    let text = told.recv_timeout(VERSION_WAIT);
    // A program that has answered is ending, or hangs after its answer; there is nothing more to read.
    let _ = child.kill();
    let _ = child.wait();
    let text = text.ok()?.ok()?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let words = || line.split_whitespace().map(|word| word.trim_matches(['(', ')', ',', ';', ':']));
    let whole = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let named = words().find(is_version).or_else(|| words().filter(|word| !word.is_empty()).find(whole));
    Some(named.unwrap_or(line).to_owned())
}

/// Numbers with dots between them, perhaps with a word about the build behind. A date and a time aren't written so.
fn is_version(word: &&str) -> bool {
    let numbers = word.strip_prefix('v').unwrap_or(word);
    let numbers = numbers.split_once(['-', '+']).map_or(numbers, |(numbers, _)| numbers);
    let mut parts = numbers.split('.');
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.clone().count() > 1 && parts.all(number)
}

enum Kind {
    Executable,
    Other,
    Absent,
}

fn kind(path: &Path) -> Kind {
    match path.metadata() {
        Ok(meta) if meta.is_file() && meta.permissions().mode() & 0o111 != 0 => Kind::Executable,
        Ok(_) => Kind::Other,
        // A dangling link or an inaccessible folder holds no program for this user.
        Err(_) => Kind::Absent,
    }
}

fn looked(folders: &[PathBuf]) -> String {
    if folders.is_empty() {
        return String::new();
    }
    let list: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    format!(" in {}", list.join(":"))
}

#[cfg(test)]
mod tests;
