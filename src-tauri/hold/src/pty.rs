//! The engine's terminal, and the process that runs in it.
//!
//! Both directions are asynchronous: an engine that doesn't read blocks nobody, and no thread waits for
//! output.

use std::ffi::{OsStr, OsString};
use std::fmt::{self, Formatter};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::Child;

use portable_pty::{CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::fs::OFlags;
use rustix::termios::LocalModes;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The program to start.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) args: &'a [OsString],
    pub(crate) env: &'a [(OsString, OsString)],
    pub(crate) cwd: &'a OsStr,
    pub(crate) cols: u16,
    pub(crate) rows: u16,
}

/// The holder's end of the terminal.
pub(crate) struct Pty {
    master: Box<dyn MasterPty + Send>,
    /// The same end for reading and writing, since the library's own means block.
    line: AsyncFd<File>,
}

impl fmt::Debug for Pty {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pty").field("line", &self.line).finish_non_exhaustive()
    }
}

impl Pty {
    /// Starts the program as the leader of a process session whose terminal is the other end. It has the
    /// default signal dispositions, no blocked signal, and no open file but the terminal.
    ///
    /// # Errors
    /// If no terminal can be created, the working folder doesn't exist, or the program doesn't exist or can't
    /// be executed.
    pub(crate) fn spawn(program: &Program<'_>) -> io::Result<(Self, Child)> {
        check_folder(program.cwd)?;
        check_program(program.program)?;
        let pair = native_pty_system().openpty(size(program.cols, program.rows)).map_err(io::Error::other)?;
        let line = line_of(&*pair.master)?;
        let child: Box<dyn portable_pty::Child> =
            pair.slave.spawn_command(command(program)).map_err(io::Error::other)?;
        // The library's own exit status has a signal's name but not its number.
        let child = child.downcast::<Child>().map_err(|_| io::ErrorKind::Unsupported)?;
        // With an open descriptor of the other end, the terminal would never close.
        drop(pair.slave);
        Ok((Self { master: pair.master, line }, *child))
    }

    /// Reads what the engine wrote. Zero or an error: the other end is closed everywhere.
    pub(crate) async fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.line.readable().await?;
            match ready.try_io(|line| line.get_ref().read(into)) {
                Ok(read) => return read,
                Err(_would_block) => {}
            }
        }
    }

    /// Reads what is available now.
    pub(crate) fn read_now(&self, into: &mut [u8]) -> io::Result<usize> {
        self.line.get_ref().read(into)
    }

    /// Returns once the engine accepts bytes.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        self.line.writable().await.map(|mut ready| ready.retain_ready())
    }

    /// Writes as much as the engine accepts now; returns how many bytes.
    pub(crate) fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.line.try_io(Interest::WRITABLE, |line| {
            let mut line = line;
            line.write(bytes)
        });
        match written {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            other => other,
        }
    }

    pub(crate) fn resize(&self, cols: u16, rows: u16) -> io::Result<()> {
        self.master.resize(size(cols, rows)).map_err(io::Error::other)
    }

    /// Whether the program in the terminal takes each key at once instead of whole lines, as one does that edits
    /// its lines itself while it reads one.
    pub(crate) fn takes_keys(&self) -> bool {
        let modes = rustix::termios::tcgetattr(self.line.get_ref());
        modes.is_ok_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
    }

    /// The process group in the foreground of the terminal: a shell's own, or that of its foreground job.
    pub(crate) fn foreground(&self) -> Option<u32> {
        u32::try_from(self.master.process_group_leader()?).ok()
    }
}

/// The library would start a program whose folder is gone in the home folder instead.
fn check_folder(folder: &OsStr) -> io::Result<()> {
    let checked = match std::fs::metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => io::ErrorKind::NotADirectory.into(),
        Err(error) => error,
    };
    let words = format!("its folder {} is no place to work in: {checked}", folder.display());
    Err(io::Error::new(checked.kind(), words))
}

/// A child of the library's that isn't executed aborts, and its words for that say nothing.
fn check_program(program: &OsStr) -> io::Result<()> {
    match repose_sys::exec::refusal(Path::new(program)) {
        None => Ok(()),
        Some(why) => Err(io::Error::new(io::ErrorKind::PermissionDenied, why)),
    }
}

/// The library adds a `SHELL` where the environment has none.
fn command(program: &Program<'_>) -> CommandBuilder {
    let mut command = CommandBuilder::new(program.program);
    command.args(program.args);
    command.env_clear();
    for (name, value) in program.env {
        command.env(name, value);
    }
    command.cwd(program.cwd);
    command
}

/// The master's own descriptor is the library's; this is another of the same line, which doesn't block.
fn line_of(master: &dyn MasterPty) -> io::Result<AsyncFd<File>> {
    let descriptor = master.as_raw_fd().ok_or(io::ErrorKind::Unsupported)?;
    #[expect(unsafe_code, reason = "the library lends its descriptor as a number only")]
    // SAFETY: `master` owns the descriptor, and is borrowed for longer than this value lives.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    let line = File::from(borrowed.try_clone_to_owned()?);
    let flags = rustix::fs::fcntl_getfl(line.as_fd())?;
    rustix::fs::fcntl_setfl(line.as_fd(), flags | OFlags::NONBLOCK)?;
    #[expect(unsafe_code, reason = "tokio can't know that a file keeps its descriptor")]
    // SAFETY: a `File` owns its descriptor, answers the same one every time, and is closed after it is
    // deregistered, with the `AsyncFd` that owns it.
    let line = unsafe { AsyncFd::register(line) }?;
    Ok(line)
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}
