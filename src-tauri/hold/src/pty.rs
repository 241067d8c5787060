//! The engine's terminal line and the process at its end.
//!
//! Both directions are asynchronous: an engine that doesn't read blocks nobody, and no thread waits for output.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::Winsize;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// What to start.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) args: &'a [OsString],
    pub(crate) env: &'a [(OsString, OsString)],
    pub(crate) cwd: &'a OsStr,
    pub(crate) cols: u16,
    pub(crate) rows: u16,
}

/// The holder's end of the line.
#[derive(Debug)]
pub(crate) struct Pty {
    line: AsyncFd<std::fs::File>,
}

impl Pty {
    /// Starts the program as the leader of a process session whose terminal is the other end of the line.
    ///
    /// # Errors
    /// If there is no line to be had, or the program can't be executed.
    pub(crate) fn spawn(program: &Program<'_>) -> io::Result<(Self, Child)> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let slave: OwnedFd = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(i32::try_from(OFlags::NOCTTY.bits()).unwrap_or_default())
            .open(OsStr::from_bytes(name.to_bytes()))?
            .into();
        rustix::termios::tcsetwinsize(&slave, size(program.cols, program.rows))?;
        let flags = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;

        let mut command = Command::new(program.program);
        command
            .args(program.args)
            .env_clear()
            .envs(program.env.iter().map(|(name, value)| (name, value)))
            .current_dir(program.cwd)
            .stdin(Stdio::from(slave.try_clone()?))
            .stdout(Stdio::from(slave.try_clone()?))
            .stderr(Stdio::from(slave));
        #[expect(
            unsafe_code,
            reason = "the terminal has to be taken between fork and exec; std has no safe way"
        )]
        // SAFETY: the closure runs in the forked child. It makes two system calls, allocates nothing and takes no
        // lock, so that it is async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            });
        }
        let child = command.spawn()?;
        // The command holds the last descriptors of the other end: with them open the line would never end.
        drop(command);
        #[expect(unsafe_code, reason = "tokio can't know that a file keeps its descriptor")]
        // SAFETY: a `File` owns its descriptor, answers the same one every time, and is closed after it is
        // deregistered, with the `AsyncFd` that owns it.
        let line = unsafe { AsyncFd::register(std::fs::File::from(master)) }?;
        Ok((Self { line }, child))
    }

    /// Reads what the engine wrote. 0, or an error: its end of the line is closed everywhere.
    pub(crate) async fn read(&self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut ready = self.line.readable().await?;
            match ready.try_io(|line| line.get_ref().read(into)) {
                Ok(read) => return read,
                Err(_would_block) => {}
            }
        }
    }

    /// Reads what is there already.
    pub(crate) fn read_now(&self, into: &mut [u8]) -> io::Result<usize> {
        self.line.get_ref().read(into)
    }

    /// Returns once the engine would take bytes.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        self.line.writable().await.map(|mut ready| ready.retain_ready())
    }

    /// Writes as much as the engine takes now.
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
        Ok(rustix::termios::tcsetwinsize(self.line.get_ref().as_fd(), size(cols, rows))?)
    }

    /// The process group that has the terminal: a shell's own, or that of the job in front.
    pub(crate) fn foreground(&self) -> Option<u32> {
        let group = rustix::termios::tcgetpgrp(self.line.get_ref().as_fd()).ok()?;
        u32::try_from(group.as_raw_nonzero().get()).ok()
    }
}

fn size(cols: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 }
}
