//! A user's terminal: a program in a real PTY, with a readable screen.
//!
//! Owns the outer end of the PTY and answers the queries that a terminal answers. Knows nothing of Repose.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::term::test::TermSize;
use alacritty_terminal::term::{Config, Term};
use alacritty_terminal::vte::ansi::Processor;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long a test waits for the screen: far longer than an engine takes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the output of a program that has ended is waited for.
const DRAINED_WITHIN: Duration = Duration::from_secs(2);

/// How often to check whether the program has ended; the screen itself wakes its readers.
const LOOK: Duration = Duration::from_millis(20);

/// How long a dialog may take to react to a key. One that is gone for this long was answered; a redraw shows
/// it again sooner.
const KEY: Duration = Duration::from_millis(500);

/// The initial columns and lines.
const SIZE: (u16, u16) = (110, 32);

type Keyboard = Arc<Mutex<Box<dyn Write + Send>>>;

#[derive(Clone)]
struct Answers(Keyboard);

impl EventListener for Answers {
    fn send_event(&self, event: Event) {
        if let Event::PtyWrite(answer) = event {
            // The program may be gone already; then nobody waits for the answer.
            let _gone = self.0.lock().expect("the keyboard is sound").write_all(answer.as_bytes());
        }
    }
}

struct Screen {
    term: Term<Answers>,
    parser: Processor,
    ended: bool,
}

#[derive(Clone)]
struct Shown(Arc<(Mutex<Screen>, Condvar)>);

impl Shown {
    fn lock(&self) -> MutexGuard<'_, Screen> {
        self.0.0.lock().expect("the screen is sound")
    }
}

/// A program in a terminal. Dropping it closes the terminal, as closing a window does.
pub(crate) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keyboard: Keyboard,
    child: Box<dyn Child + Send + Sync>,
    shown: Shown,
}

impl Terminal {
    /// Starts `program` in `folder` with exactly this environment.
    pub(crate) fn start(program: &Path, args: &[&str], folder: &Path, env: &[(String, String)]) -> Self {
        let pair = native_pty_system().openpty(pty_size(SIZE)).expect("a PTY");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(folder);
        command.env_clear();
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let keyboard: Keyboard = Arc::new(Mutex::new(pair.master.take_writer().expect("the PTY's writer")));
        let size = TermSize::new(SIZE.0.into(), SIZE.1.into());
        let term = Term::new(Config::default(), &size, Answers(keyboard.clone()));
        let screen = Screen { term, parser: Processor::new(), ended: false };
        let shown = Shown(Arc::new((Mutex::new(screen), Condvar::new())));
        let output = pair.master.try_clone_reader().expect("the PTY's reader");
        std::thread::spawn({
            let shown = shown.clone();
            move || draw(output, &shown)
        });
        Self { master: pair.master, keyboard, child, shown }
    }

    /// The pid of the program in the terminal.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().expect("a started program has a pid")
    }

    /// The visible lines, without blanks at their ends.
    pub(crate) fn screen(&self) -> String {
        text_of(&self.shown.lock().term)
    }

    /// Waits until the visible screen contains this text.
    pub(crate) fn wait_for_text(&self, text: &str) {
        self.wait(&format!("{text:?}"), |screen| screen.contains(text));
    }

    /// Waits until the visible screen matches.
    pub(crate) fn wait(&self, why: &str, fits: impl Fn(&str) -> bool) {
        if let Err(seen) = self.wait_within(PATIENCE, fits) {
            panic!("the terminal never showed {why}. {seen}");
        }
    }

    /// Answers a dialog: types these keys until it is gone or its program has ended. Dialogs ignore keys that
    /// arrive while they appear.
    pub(crate) fn answer(&self, dialog: &str, keys: &str) {
        let deadline = Instant::now() + PATIENCE;
        self.wait_for_text(dialog);
        loop {
            self.type_(keys);
            match self.wait_within(KEY, |screen| !screen.contains(dialog)) {
                Ok(()) if self.wait_within(KEY, |screen| screen.contains(dialog)).is_err() => return,
                Ok(()) => {}
                Err(_) if self.shown.lock().ended => return,
                Err(seen) => assert!(Instant::now() < deadline, "the dialog {dialog:?} stayed. {seen}"),
            }
        }
    }

    /// Waits until nobody writes to the terminal any more. What the program started may go on, so not for long.
    fn drained(&self) {
        let shown = self.shown.lock();
        let (_, wakes) = &*self.shown.0;
        drop(wakes.wait_timeout_while(shown, DRAINED_WITHIN, |shown| !shown.ended));
    }

    fn wait_within(&self, patience: Duration, fits: impl Fn(&str) -> bool) -> Result<(), String> {
        let deadline = Instant::now() + patience;
        let mut shown = self.shown.lock();
        loop {
            let screen = text_of(&shown.term);
            if fits(&screen) {
                return Ok(());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || shown.ended {
                let ended = if shown.ended { "Its program has ended. " } else { "" };
                return Err(format!("{ended}It shows:\n{screen}"));
            }
            shown = self.shown.0.1.wait_timeout(shown, left).expect("the screen is sound").0;
        }
    }

    /// Types these bytes, at once.
    pub(crate) fn type_(&self, keys: &str) {
        let mut keyboard = self.keyboard.lock().expect("the keyboard is sound");
        keyboard.write_all(keys.as_bytes()).and_then(|()| keyboard.flush()).expect("the program takes keys");
    }

    /// Pastes a text, as a terminal does for a program that asked for bracketed pastes.
    pub(crate) fn paste(&self, text: &str) {
        self.type_(&format!("\x1b[200~{text}\x1b[201~"));
    }

    /// Changes the window's size.
    pub(crate) fn resize(&self, columns: u16, lines: u16) {
        self.shown.lock().term.resize(TermSize::new(columns.into(), lines.into()));
        self.master.resize(pty_size((columns, lines))).expect("a PTY takes a size");
    }

    /// Waits for the program to end, and for the last of what it wrote; returns its exit code.
    pub(crate) fn wait_ended(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("our own child") {
                self.drained();
                return status.exit_code();
            }
            assert!(
                Instant::now() < deadline,
                "the program never ended. Its terminal shows:\n{}",
                self.screen()
            );
            std::thread::sleep(LOOK);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // First hangs up, as closing a window does. The program may be ending already.
            let _gone = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}

fn draw(mut output: Box<dyn Read + Send>, shown: &Shown) {
    let mut bytes = [0; 8192];
    loop {
        // Linux reports the end of the other side as an error (EIO).
        let count = output.read(&mut bytes).unwrap_or(0);
        let mut screen = shown.lock();
        let Screen { term, parser, ended } = &mut *screen;
        parser.advance(term, &bytes[..count]);
        *ended = count == 0;
        shown.0.1.notify_all();
        if *ended {
            return;
        }
    }
}

fn text_of(term: &Term<Answers>) -> String {
    use alacritty_terminal::grid::Dimensions;

    let lines = i32::try_from(term.screen_lines()).expect("a screen of few lines");
    let line = |line| {
        let text = term
            .bounds_to_string(Point::new(Line(line), Column(0)), Point::new(Line(line), term.last_column()));
        text.trim_end().to_owned()
    };
    (0..lines).map(line).collect::<Vec<_>>().join("\n")
}

fn pty_size((cols, rows): (u16, u16)) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}
