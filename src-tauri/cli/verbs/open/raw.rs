//! Puts the user's terminal into raw mode and restores it on every exit, including a panic and a signal.

use std::io::{self, Write};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// Turns off whatever the engine may have turned on; its screen stays, with the shell's prompt below it.
const AS_BEFORE: &[u8] = b"\x18\x1b[?2026l\x1b[!p\x1b[?1049l\x1b[r\x1b[m\x1b]8;;\x1b\\\x1b(B\x0f\
    \x1b[?1;6;1000;1002;1003;1004;1005;1006;2004l\x1b[?7;25h\x1b[4;20l\x1b>\x1b[=0;1u\x1b[0 q\x1b]2;\x1b\\\
    \x1b[9999;1H\r\n";

/// Raw mode, until dropped.
#[derive(Debug)]
pub(super) struct Raw {
    before: Termios,
}

impl Raw {
    /// Puts the terminal at stdin into raw mode.
    pub(super) fn enter() -> io::Result<Self> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        // What was typed ahead is meant for the engine.
        tcsetattr(io::stdin(), OptionalActions::Drain, &raw)?;
        // A build that aborts on a panic drops nothing.
        let at_panic = before.clone();
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore(&at_panic);
            told(panic);
        }));
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        restore(&self.before);
    }
}

fn restore(before: &Termios) {
    // If the terminal is gone there is nothing to restore.
    let mut stdout = io::stdout();
    let _ = stdout.write_all(AS_BEFORE).and_then(|()| stdout.flush());
    // The terminal's late replies to the engine must not be typed into the shell.
    let _ = tcsetattr(io::stdin(), OptionalActions::Flush, before);
}

/// The columns and lines of the terminal at stdout.
pub(super) fn size() -> (u16, u16) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
        // For a terminal that doesn't know its size, the traditional one.
        Ok(_) | Err(_) => (80, 24),
    }
}

/// Moves the terminal's content into its scrollback, so that a screen drawn over it destroys nothing.
pub(super) fn make_room(rows: u16) -> io::Result<()> {
    let mut stdout = io::stdout();
    stdout.write_all(&b"\r\n".repeat(rows.into()))?;
    stdout.flush()
}
