//! The end of a session: ask the engine, wait for a bounded time, end the whole tree, verify that it is gone,
//! report.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use repose_core::session::{EndIf, Event, Freeze, Verdict};
use repose_engine::engine::EndBy;
use repose_engine::transcript::Place;
use repose_sys::ProcessId;
use repose_sys::clock::now;
use repose_sys::memory::Memory;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::time::Instant;

use super::clients::ClientId;
use super::session::{Holder, Reply};
use crate::folder;
use crate::wire::{Answer, Ended, Entry, How};

/// How long ending the rest of a tree may take after its engine ended. Whatever survives that is stuck in the
/// kernel or belongs to another user, and is reported as left behind.
const TREE_ENDS_WITHIN: Duration = Duration::from_secs(2);

/// How long a holder whose session is over waits for a connected runner to store the end. Without a runner it
/// exits at once: the journal and the record stay in the folder.
const LINGERS: Duration = Duration::from_secs(10);

/// The most bytes to read at once of what has been written. It is more than a terminal holds (640 KiB on Linux), so
/// all that was written before is among them, even if something writes without end.
const WRITTEN_MAX: usize = 1024 * 1024;

/// The phase of a session.
#[derive(Debug)]
pub(super) enum Phase {
    Live,
    Ending(Ending),
    Over(Over),
}

/// The engine was asked to end.
#[derive(Debug)]
pub(super) struct Ending {
    how: How,
    since: Instant,
    until: Instant,
    freed: Option<Memory>,
    /// Clients that wait for the end.
    waiting: Vec<(ClientId, u64)>,
}

/// The session has ended.
#[derive(Debug)]
pub(super) struct Over {
    pub(super) ended: Ended,
    until: Instant,
    committed: bool,
}

impl Phase {
    pub(super) fn wakes_at(&self) -> Option<Instant> {
        match self {
            Self::Live => None,
            Self::Ending(ending) => Some(ending.until),
            Self::Over(over) => Some(over.until),
        }
    }
}

impl Holder {
    /// Whether the holder can exit.
    pub(super) fn finished(&self) -> bool {
        match &self.phase {
            Phase::Live | Phase::Ending(_) => false,
            Phase::Over(over) => over.committed || Instant::now() >= over.until || !self.clients.any_runner(),
        }
    }

    /// Takes in that a runner has stored everything up to `seq`.
    pub(super) fn committed(&mut self, seq: u64) {
        let all = seq >= self.journal.last_seq();
        if let Phase::Over(over) = &mut self.phase {
            over.committed |= all;
        }
    }

    /// Begins an end that a client ordered; it is answered when the end is complete. Returns false if the
    /// session is over already, or goes on.
    pub(super) fn end_ordered(&mut self, id: ClientId, asked: u64, end_if: EndIf) -> bool {
        if matches!(self.phase, Phase::Live) {
            self.end_asked_by = Some((id, asked));
            let thawed = self.feed(Event::End(end_if)) == Reply::Thawed;
            if thawed {
                self.end_asked_by = None;
            }
            return !thawed;
        }
        match &mut self.phase {
            Phase::Live | Phase::Over(_) => false,
            Phase::Ending(ending) => {
                ending.waiting.push((id, asked));
                true
            }
        }
    }

    /// Has the session judged. The verdict goes to whoever ordered that last.
    pub(super) fn freeze_ordered(&mut self, id: ClientId, asked: u64, freeze: Freeze) {
        self.freeze_asked_by = Some((id, asked));
        self.feed(Event::Freeze(freeze));
        if !matches!(self.phase, Phase::Live) {
            self.ends_anyway();
        }
    }

    pub(super) fn judged(&mut self, verdict: Verdict) {
        if let Some((id, asked)) = self.freeze_asked_by.take() {
            self.clients.answer(id, asked, Ok(Answer::Verdict(verdict)));
        }
    }

    /// An end that was ordered loses nothing more.
    fn ends_anyway(&mut self) {
        self.judged(Verdict::Frozen(Vec::new()));
    }

    /// Begins an end: the engine's process is asked first.
    pub(super) fn begin_end(&mut self, how: How) {
        if !matches!(self.phase, Phase::Live) {
            return;
        }
        self.ends_anyway();
        let asked = matches!(how, How::Reaped { .. } | How::Ended) && self.child.is_some();
        self.typing = None;
        let end_by = match self.session.is_confirmed() {
            true => self.engine.end_by(),
            false => self.engine.end_opening_by(self.spec.resumes),
        };
        let since = Instant::now();
        let freed = asked.then(|| self.measure());
        let asked = asked && end_by != EndBy::Kill;
        let within = if asked { self.engine.end_within() } else { Duration::ZERO };
        let waiting = self.end_asked_by.take().into_iter().collect();
        self.phase = Phase::Ending(Ending { how, since, until: since + within, freed, waiting });
        if !asked {
            self.finish_end();
            return;
        }
        match (end_by, self.engine_id) {
            (_, None) | (EndBy::Kill, _) => {}
            (EndBy::Terminate, Some(engine)) => {
                // If it has just ended, that is what is wanted.
                let _ = repose_sys::end::terminate(engine);
                self.wake_stopped(engine);
            }
            (EndBy::HangUp, Some(engine)) => {
                let group = i32::try_from(engine.pid).ok().and_then(Pid::from_raw);
                // It is an unreaped child, so its number is still its own.
                let _ = group.map(|group| kill_process_group(group, Signal::HUP));
                self.wake_stopped(engine);
            }
        }
    }

    /// Called at every wake: the end continues once the engine has ended or used up its time.
    pub(super) fn go_on_ending(&mut self) {
        if let Phase::Ending(ending) = &self.phase
            && (self.child.is_none() || Instant::now() >= ending.until)
        {
            self.finish_end();
        }
    }

    /// A child ended: the engine, or an orphan of its tree.
    pub(super) fn child_ended(&mut self) {
        let engine = self.child.as_ref().map(std::process::Child::id);
        repose_sys::end::reap_adopted(&engine.into_iter().collect::<Vec<_>>());
        let Some(child) = &mut self.child else { return };
        let Ok(Some(status)) = child.try_wait() else { return };
        self.child = None;
        self.exit_status = Some(status);
        if matches!(self.phase, Phase::Live) {
            self.read_written();
            self.feed(Event::Exited);
        }
    }

    /// How the engine ended on its own.
    pub(super) fn exit(&self) -> How {
        let status = self.exit_status;
        How::Exited {
            code: status.and_then(|status| status.code()).and_then(|code| u32::try_from(code).ok()),
            signal: status.and_then(|status: ExitStatus| status.signal()).and_then(|n| u32::try_from(n).ok()),
            words: self.screen.last_words(),
        }
    }

    /// Reads all that the engine and its jobs have written by now.
    pub(super) fn read_written(&mut self) {
        let mut buffer = vec![0; 64 * 1024];
        let mut total = 0;
        while total < WRITTEN_MAX {
            let Some(pty) = &self.pty else { return };
            match pty.read_now(&mut buffer) {
                Ok(read) if read > 0 => {
                    total += read;
                    self.output(&buffer[..read]);
                }
                Ok(_) | Err(_) => return,
            }
        }
    }

    fn finish_end(&mut self) {
        let Phase::Ending(ending) = std::mem::replace(&mut self.phase, Phase::Live) else { return };
        let child = self.child.as_ref().map(std::process::Child::id);
        let left = match ProcessId::own() {
            Some(own) => {
                let waited_for: Vec<u32> = child.into_iter().collect();
                repose_sys::end::kill_below(own, &waited_for, TREE_ENDS_WITHIN).left
            }
            None => Vec::new(),
        };
        if let Some(mut child) = self.child.take()
            && let Ok(None) | Err(_) = child.try_wait()
        {
            // It is stuck in the kernel, and among the processes that are left.
            drop(child);
        }
        self.pty = None;
        self.outbox.clear();
        let ended = Ended {
            how: ending.how,
            conversation: self.conversation().cloned(),
            freed: ending.freed,
            left,
            transcript_whole: self.transcript_path().and_then(|path| {
                let place = Place { path: &path, id: self.conversation()? };
                Some(self.engine.tail(place).ok()?.whole)
            }),
            took: ending.since.elapsed(),
            at: now().wall,
            boot: repose_sys::clock::boot(),
        };
        self.looks.tree.clone_from(&ended.left);
        // Both are for a runner that isn't connected; one that is connected hears of the end itself. A full
        // disk may refuse both.
        let _ = folder::write_tree(&self.dir, &ended.left);
        let _ = folder::write_end(&self.dir, &ended);
        self.record(Entry::Ended(ended.clone()));
        self.clients.close_terminals();
        for (id, asked) in ending.waiting {
            self.clients.answer(id, asked, Ok(Answer::Ended(ended.clone())));
        }
        self.phase = Phase::Over(Over { ended, until: Instant::now() + LINGERS, committed: false });
    }

    /// Continues a stopped process, since it handles its signal only when it runs.
    fn wake_stopped(&self, engine: ProcessId) {
        let group = i32::try_from(engine.pid).ok().and_then(Pid::from_raw);
        // Its number is still its own, as above.
        let _ = group.map(|group| kill_process_group(group, Signal::CONT));
    }
}
