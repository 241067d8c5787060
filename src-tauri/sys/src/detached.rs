//! Starting a program that outlives its starter.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How long to try again if the system refuses to execute a program file: one that was just written may still
/// be open for writing in a child that another thread is starting, which takes milliseconds.
const BUSY_FOR: Duration = Duration::from_secs(2);

/// How often to try again meanwhile.
const BUSY_LOOK: Duration = Duration::from_millis(5);

/// Starts the program in a session of its own: no controlling terminal, and no signal that a
/// terminal sends to the starter's group or session reaches it. A process group alone would
/// still be hung up with the session.
///
/// The caller sets the standard streams on `command` (inherited unless set); every descriptor that was
/// opened close-on-exec stays behind, which is all that Rust's standard library opens. The
/// program remains the caller's child: wait for it, or it stays a zombie until the caller ends.
///
/// Blocks for [`BUSY_FOR`] at most while the program's file is open for writing.
///
/// # Errors
/// What [`Command::spawn`] returns.
pub fn spawn(command: &mut Command) -> io::Result<Child> {
    #[expect(
        unsafe_code,
        reason = "setsid has to run between fork and exec, and std has no safe way to do that"
    )]
    // SAFETY: the closure runs in the forked child. It makes one system call, allocates nothing and
    // takes no lock, so that it is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            Ok(())
        });
    }
    let begun = Instant::now();
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && begun.elapsed() < BUSY_FOR => {
                std::thread::sleep(BUSY_LOOK);
            }
            done => return done,
        }
    }
}
