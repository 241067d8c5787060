//! Asks a real shell for its environment, and survives whatever its start-up files do.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{ASKING, Env, LoginEnvError, SIZE_LIMIT};
use crate::process::ProcessId;
use crate::{detached, end, platform, tree};

/// How long a shell that has answered may take to end (its exit traps): 200 ms. At the limit it is
/// killed, it alone.
const LINGER: Duration = Duration::from_millis(200);

/// How long the end of a shell that reached a limit is waited for: 1 s, for a machine under
/// load. What still lives then is left to init.
const END_LIMIT: Duration = Duration::from_secs(1);

/// The longest wait for output before checking whether the shell still runs: something that it left running
/// may keep its output open for ever.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Why reading stopped without an answer.
enum Stopped {
    Late,
    TooMuch,
    Ended,
}

pub(super) fn ask(shell: &Path, own: &Env, bound: Duration) -> Result<Env, LoginEnvError> {
    let not_started = |source| LoginEnvError::NotStarted { shell: shell.to_owned(), source };
    let deadline = Instant::now() + bound;
    let token = token().map_err(not_started)?;
    let mut child = detached::spawn(&mut command(shell, own, &token)).map_err(not_started)?;
    let (Some(row), Some(output)) = (platform::row(child.id()), child.stdout.take()) else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(not_started(io::Error::other("it could not be watched")));
    };
    // Not reaped before the end: until then neither its pid nor its session can be reused.
    let answer = read_answer(row.id, output, &token, deadline);
    match answer {
        Ok(_) | Err(Stopped::Ended) => let_end(row.id),
        Err(Stopped::Late | Stopped::TooMuch) => end_all(row.id, &token),
    }
    let _ = child.wait();
    let shell = shell.to_owned();
    answer.map_err(|stopped| match stopped {
        Stopped::Late => LoginEnvError::TookTooLong { shell, bound },
        Stopped::TooMuch => LoginEnvError::TooMuch { shell },
        Stopped::Ended => LoginEnvError::NoAnswer { shell },
    })
}

/// Interactive, because PATH is often set in files that only an interactive shell reads. The
/// C shells know `-l` only alone, and are login shells if their name starts with a dash.
fn command(shell: &Path, own: &Env, token: &str) -> Command {
    let mut command = Command::new(shell);
    let name = shell.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.as_str() {
        "csh" | "tcsh" => command.arg0(format!("-{name}")).arg("-i"),
        _ => command.args(["-l", "-i"]),
    };
    command.arg("-c").arg(script(token)).env_clear().envs(own);
    command.env(ASKING, "1").env(tree::MARK, mark(token));
    let home = own.get(&OsString::from("HOME")).map_or(Path::new("/"), Path::new);
    command.current_dir(if home.is_dir() { home } else { Path::new("/") });
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// The bounds are followed by NUL in the output and not in the script, so that a shell
/// which prints its command is not taken for an answer. Every program goes through `/usr/bin/env`,
/// past aliases and functions of these names.
fn script(token: &str) -> String {
    format!(
        "/usr/bin/env printf '%s\\0' {}; /usr/bin/env -0; /usr/bin/env printf '%s\\0' {}",
        bound_of(token, "begin"),
        bound_of(token, "end")
    )
}

fn bound_of(token: &str, which: &str) -> String {
    format!("repose-{which}-{token}")
}

fn mark(token: &str) -> String {
    format!("login-{token}")
}

fn token() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn read_answer(
    shell: ProcessId,
    mut output: ChildStdout,
    token: &str,
    deadline: Instant,
) -> Result<Env, Stopped> {
    let mut read = Vec::new();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(Stopped::Late);
        }
        // Checked before the output is read, so that what it wrote before it ended is still read.
        let ended = !shell.alive();
        if !readable(&output, if ended { Duration::ZERO } else { rest.min(LOOK_EVERY) }) {
            if ended {
                return Err(Stopped::Ended);
            }
            continue;
        }
        let got = match output.read(&mut chunk) {
            Ok(0) => return Err(Stopped::Ended),
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(Stopped::Ended),
        };
        read.extend_from_slice(&chunk[..got]);
        if let Some(env) = parse(&read, token) {
            return Ok(env);
        }
        if read.len() > SIZE_LIMIT {
            return Err(Stopped::TooMuch);
        }
    }
}

fn readable(output: &ChildStdout, bound: Duration) -> bool {
    let timeout = Timespec::try_from(bound).ok();
    let mut fds = [PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN)];
    matches!(poll(&mut fds, timeout.as_ref()), Ok(ready) if ready > 0)
}

/// The environment between the two bounds; `None` until both have arrived. What surrounds them is noise.
pub(super) fn parse(output: &[u8], token: &str) -> Option<Env> {
    let begin = format!("{}\0", bound_of(token, "begin"));
    let end = format!("{}\0", bound_of(token, "end"));
    let rest = &output[position(output, begin.as_bytes())? + begin.len()..];
    let between = &rest[..position(rest, end.as_bytes())?];
    let entries = between.split(|byte| *byte == 0).filter_map(|entry| {
        let equals = entry.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (&entry[..equals], &entry[equals + 1..]);
        let taken = !name.is_empty() && name != ASKING.as_bytes() && name != tree::MARK.as_bytes();
        taken.then(|| (OsString::from_vec(name.to_vec()), OsString::from_vec(value.to_vec())))
    });
    Some(entries.collect())
}

fn position(hay: &[u8], needle: &[u8]) -> Option<usize> {
    hay.windows(needle.len()).position(|window| window == needle)
}

fn let_end(shell: ProcessId) {
    if !end::wait(shell, LINGER) {
        let _ = end::kill_exact(shell);
    }
}

/// Ends the shell, what is below it or in its session, and what carries its mark.
fn end_all(shell: ProcessId, token: &str) {
    let mark = mark(token);
    let find = || {
        let mut rows = platform::table();
        rows.retain(|row| row.id == shell || row.session == shell.pid);
        rows.extend(tree::rows_below(shell));
        rows.extend(tree::rows_marked(&mark));
        rows
    };
    let _ = end::sweep(find, END_LIMIT);
}
