//! Typing for the engine: a prompt as a paste, and Enter while the engine shows the paste in its input line.

use std::time::Duration;

use repose_core::hold::Kind;
use repose_core::session::{Event, Keys};
use repose_core::signal::Level;
use repose_engine::ask::{self, InputLine, Marks, Seen};
use repose_engine::engine::TurnsBy;
use repose_sys::clock::now;
use tokio::time::Instant;

use super::session::Holder;

/// How long to wait for an engine's input line that isn't seen before the prompt is pasted anyway: the line
/// may look different. What covers it is waited for until the ask counts as not taken.
const LISTENS_WITHIN: Duration = Duration::from_secs(8);

/// How often the keys that lead to the prompt are typed again while they have led nowhere: a menu may have
/// opened another one.
const LED_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// How often a prompt is sent again that was sent and is still in a visible input line, until it is taken or
/// given up: on a busy machine an engine may read Enter as part of the paste.
const SENT_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// The assumed maximum of lines on the screen of an earlier prompt that was brought back. If it is longer,
/// the rest is sent with the ask, which is then reported as not taken.
const LINES: usize = 200;

/// How often to look at the screen while something is expected on it.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// A prompt that is being typed.
#[derive(Debug)]
pub(super) struct Typing {
    pub(super) text: String,
    /// What is still to be pasted.
    paste: Option<Vec<u8>>,
    /// The keys that empty the line before that, if it may hold something.
    empties: Vec<u8>,
    /// When they were typed. Codex doesn't draw a paste that it reads together with them (0.171).
    emptied: Option<Instant>,
    submit: Vec<u8>,
    gap: Duration,
    /// When the keys that lead to the prompt were typed.
    led: Option<Instant>,
    /// Since when the text has stood in the input line.
    shown: Option<Instant>,
    /// Until when to wait for an input line that isn't seen.
    by: Instant,
    /// Whether to send it.
    send: bool,
    /// When it was last sent.
    sent: Option<Instant>,
}

impl Typing {
    /// When there is something to do or to look for.
    fn due(&self) -> Option<Instant> {
        if let Some(sent) = self.sent {
            return Some(sent + SENT_AGAIN_AFTER);
        }
        match (&self.paste, self.shown) {
            (None, Some(shown)) => self.send.then_some(shown + self.gap),
            (Some(_), _) | (None, None) => Some(Instant::now() + LOOKS_EVERY),
        }
    }
}

impl Holder {
    pub(super) fn type_keys(&mut self, keys: Keys) {
        match keys {
            Keys::Paste(text) => self.paste(text, Vec::new()),
            Keys::Replace(text) => self.paste(text, self.engine.empties(LINES)),
            Keys::Enter => {
                if let Some(typing) = &mut self.typing {
                    typing.send = true;
                }
                self.go_on_typing();
            }
            Keys::Interrupt => self.write(self.engine.interrupt()),
            Keys::Clear => {
                let lines = ask::lines(self.looks.prompt.as_deref().unwrap_or_default());
                self.write(&self.engine.empties(lines));
            }
        }
    }

    /// Drops what hasn't been typed yet.
    pub(super) fn stop_typing(&mut self) {
        if self.typing.as_ref().is_some_and(|typing| typing.sent.is_none()) {
            self.forget_typing();
        }
    }

    /// Whether a prompt waits to be pasted until something that covers the input line is answered.
    pub(super) fn waits_for_room(&self) -> bool {
        let unpasted = self.typing.as_ref().is_some_and(|typing| typing.paste.is_some());
        unpasted && self.seen(|seen| self.engine.input_line(seen)) == InputLine::Covered
    }

    /// What was typed ended without a turn: later output on the screen isn't an answer to it.
    pub(super) fn forget_typing(&mut self) {
        self.typing = None;
        self.screen.unasked();
    }

    /// Removes what was pasted and not taken, so that nobody's next Enter sends it. What was sent may be in the
    /// line no longer: something else may take the keys, or somebody have typed since.
    pub(super) fn take_out(&mut self) {
        let Some(typing) = &self.typing else { return };
        let view = self.session.view(now());
        let typed = view.holds.iter().any(|hold| matches!(hold.kind, Kind::Typing));
        let stands = match typing.sent {
            None => typing.paste.is_none(),
            Some(_) => !typed && view.activity.is_idle() && self.text_stands(),
        };
        if stands {
            self.write(&self.engine.empties(ask::lines(&typing.text)));
        }
    }

    fn paste(&mut self, text: String, empties: Vec<u8>) {
        // Text that can't be typed was refused before the state machine heard of it.
        let Ok(keys) = self.engine.keys(&text) else { return };
        self.typing = Some(Typing {
            text,
            paste: Some(keys.paste),
            empties,
            emptied: None,
            submit: keys.submit,
            gap: keys.gap,
            led: None,
            shown: None,
            by: Instant::now() + LISTENS_WITHIN,
            send: false,
            sent: None,
        });
        self.go_on_typing();
    }

    /// Pastes once the engine accepts input, and sends while the text stands in the input line. While the
    /// session is frozen it waits, since what follows is undecided.
    pub(super) fn go_on_typing(&mut self) {
        if !self.session.open_for_input() {
            return;
        }
        let Some(typing) = &self.typing else { return };
        let now = Instant::now();
        match (typing.sent, &typing.paste) {
            (Some(sent), _) if sent + SENT_AGAIN_AFTER > now => {}
            (Some(_), _) => self.send_again(now),
            (None, Some(_)) => self.paste_into_line(now),
            (None, None) => self.send_what_stands(now),
        }
    }

    fn paste_into_line(&mut self, now: Instant) {
        let (leads, line) =
            self.seen(|seen| (self.engine.leads_to_prompt(seen), self.engine.input_line(seen)));
        let Some(typing) = &mut self.typing else { return };
        if let Some(keys) = leads {
            if typing.led.is_none_or(|led| led + LED_AGAIN_AFTER <= now) {
                typing.led = Some(now);
                self.write(keys);
            }
            return;
        }
        match line {
            InputLine::There => {}
            InputLine::Unseen if typing.by <= now => {}
            InputLine::Unseen | InputLine::Covered => return,
        }
        if !typing.empties.is_empty() {
            typing.emptied = Some(now);
            let keys = std::mem::take(&mut typing.empties);
            self.write(&keys);
        }
        let Some(typing) = &mut self.typing else { return };
        if typing.emptied.is_some_and(|emptied| emptied + typing.gap > now) {
            return;
        }
        let clean = typing.emptied.is_none();
        let Some(paste) = typing.paste.take() else { return };
        let marked = match self.engine.marks() {
            Marks::Always => true,
            Marks::WhereWanted => self.screen.takes_pastes(),
        };
        let keys = if marked { paste } else { unmarked(&paste) };
        // The end of each line sends that line.
        let sends = !marked && keys.contains(&b'\r');
        match self.engine.speaks().turns {
            TurnsBy::Screen => self.screen.asked(typing.text.clone(), clean),
            TurnsBy::Hooks | TurnsBy::Events | TurnsBy::Transcript => {}
        }
        self.write(&keys);
        if sends {
            self.feed(Event::Sent);
        }
        self.go_on_typing();
    }

    fn send_what_stands(&mut self, now: Instant) {
        let stands = self.text_stands();
        let Some(typing) = &mut self.typing else { return };
        typing.shown = stands.then(|| typing.shown.unwrap_or(now));
        let Some(shown) = typing.shown else { return };
        if typing.send && shown + typing.gap <= now {
            typing.sent = Some(now);
            let (text, submit) = (typing.text.clone(), typing.submit.clone());
            self.looks.sent = Some(repose_sys::clock::now().wall);
            self.write(&submit);
            self.feed(Event::Sent);
            self.sent(text);
        }
    }

    /// Sends again if the paste visibly wasn't read: no turn began, and the text still stands in the input
    /// line. Anywhere else, Enter would answer something.
    fn send_again(&mut self, now: Instant) {
        let idle = self.looks.titled.as_ref().is_some_and(|(_, level)| *level == Level::Idle);
        let stands = idle && self.text_stands();
        let Some(typing) = &mut self.typing else { return };
        typing.sent = Some(now);
        if stands {
            let submit = typing.submit.clone();
            self.write(&submit);
        }
    }

    /// Whether the text that is being typed stands in the input line now.
    fn text_stands(&self) -> bool {
        let Some(typing) = &self.typing else { return false };
        self.seen(|seen| self.engine.shows(&typing.text, seen))
    }

    /// What is seen of the engine now.
    pub(super) fn seen<T>(&self, look: impl FnOnce(&Seen<'_>) -> T) -> T {
        look(&Seen {
            screen: &self.screen.text(),
            row: usize::from(self.screen.cursor_row()).saturating_sub(1),
            before_cursor: &self.screen.before_cursor(),
            takes_keys: self.takes_keys(),
            still: self.looks.still_for(Instant::now()),
        })
    }

    /// When to continue.
    pub(super) fn types_at(&self) -> Option<Instant> {
        self.typing.as_ref().filter(|_| self.session.open_for_input())?.due()
    }
}

/// A paste without its marks, for a program that hasn't asked for them and would take them for text. As in
/// terminals, each line ends in what the Enter key sends.
fn unmarked(paste: &[u8]) -> Vec<u8> {
    let begun = paste.strip_prefix(b"\x1b[200~").unwrap_or(paste);
    let text = begun.strip_suffix(b"\x1b[201~").unwrap_or(begun);
    text.iter().map(|byte| if *byte == b'\n' { b'\r' } else { *byte }).collect()
}
