//! Whoever waits for an actor's replies.

use std::path::PathBuf;
use std::time::Duration;

use repose_core::repo::{Answer, Event, ReplyTo, State};
use repose_core::trouble::{Code, Trouble};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Actor;

/// Whoever wants an open engine is answered once it is ready rather than only confirmed, but after this time
/// in any case. Claude Code is ready some 0.2 s after it confirmed its conversation.
const READY_WITHIN: Duration = Duration::from_secs(3);

/// Somebody who waits for a reply.
#[derive(Debug)]
pub(super) enum Asker {
    Surface(oneshot::Sender<Answer>),
    /// Wants an open engine.
    Opener(oneshot::Sender<Answer>),
    /// A terminal that wants to attach. It waits only for a holder; its reply is the session's folder or a
    /// refusal.
    Terminal(oneshot::Sender<Result<PathBuf, Trouble>>),
}

/// Somebody whose engine is open and not ready yet.
#[derive(Debug)]
pub(super) struct Settling {
    reply: oneshot::Sender<Answer>,
    pub(super) until: Instant,
}

impl Asker {
    fn is_gone(&self) -> bool {
        match self {
            Self::Surface(reply) | Self::Opener(reply) => reply.is_closed(),
            Self::Terminal(reply) => reply.is_closed(),
        }
    }
}

impl Actor {
    /// Forgets whoever gave up waiting: polling for an answer leaves an asker each time.
    pub(super) async fn forget_the_gone(&mut self) {
        let gone = |(number, asker): (&u64, &Asker)| asker.is_gone().then_some(*number);
        let gone: Vec<u64> = self.askers.iter().filter_map(gone).collect();
        for number in gone {
            self.askers.remove(&number);
            self.feed(Event::Gone(ReplyTo(number))).await;
        }
    }

    pub(super) fn asker(&mut self, asker: Asker) -> ReplyTo {
        self.next_reply += 1;
        self.askers.insert(self.next_reply, asker);
        ReplyTo(self.next_reply)
    }

    pub(super) fn answer(&mut self, to: ReplyTo, answer: Answer) {
        match self.askers.remove(&to.0) {
            Some(Asker::Opener(reply)) if answer == Answer::Done => {
                self.settling.push(Settling { reply, until: Instant::now() + READY_WITHIN });
                self.settle();
            }
            // The receiver may be gone.
            Some(Asker::Surface(reply) | Asker::Opener(reply)) => drop(reply.send(answer)),
            Some(Asker::Terminal(reply)) => {
                let dir = match answer {
                    Answer::Refused(trouble) => Err(trouble),
                    // The engine is open, so its holder is there.
                    Answer::Done
                    | Answer::Accepted { .. }
                    | Answer::Answered { .. }
                    | Answer::Unanswered { .. }
                    | Answer::Paused(_) => self.attachable().ok_or_else(not_open),
                };
                let _ = reply.send(dir);
            }
            None => {}
        }
    }

    /// Answers those who wait for a ready engine, if it is ready or they have waited long enough.
    pub(super) fn settle(&mut self) {
        let opening = self.repo.state() == State::Opening;
        let now = Instant::now();
        let settling = std::mem::take(&mut self.settling);
        let (waits, told) =
            settling.into_iter().partition::<Vec<_>, _>(|settling| opening && settling.until > now);
        self.settling = waits;
        for settled in told {
            let _ = settled.reply.send(Answer::Done);
        }
    }

    /// Attaches a terminal. It needs a holder, not a confirmed engine: the terminal may be there to answer
    /// the dialog that prevents the confirmation.
    pub(super) async fn attach(&mut self, reply: oneshot::Sender<Result<PathBuf, Trouble>>) {
        if let Err(trouble) = self.repo.attachable() {
            let _ = reply.send(Err(trouble));
            return;
        }
        if let Some(dir) = self.attachable() {
            let _ = reply.send(Ok(dir));
            return;
        }
        let to = self.asker(Asker::Terminal(reply));
        self.feed(Event::Ensure(to)).await;
    }

    /// The folder of the session whose holder answers.
    fn attachable(&self) -> Option<PathBuf> {
        let session = self.repo.session()?;
        let linked = self.held.as_ref().is_some_and(|held| held.session == *session && held.ended.is_none());
        linked.then(|| self.shared.session_dir(session))
    }

    pub(super) fn attach_those_who_wait(&mut self) {
        let Some(dir) = self.attachable() else { return };
        let waiting: Vec<u64> = self
            .askers
            .iter()
            .filter_map(|(number, asker)| matches!(asker, Asker::Terminal(_)).then_some(*number))
            .collect();
        for number in waiting {
            if let Some(Asker::Terminal(reply)) = self.askers.remove(&number) {
                let _ = reply.send(Ok(dir.clone()));
            }
        }
    }
}

impl Actor {
    /// Refuses waiting terminals, since none can be attached to a holder of another version.
    pub(super) fn refuse_those_who_wait(&mut self) {
        let Err(trouble) = self.repo.attachable().map(drop) else { return };
        let waits = |(number, asker): (&u64, &Asker)| matches!(asker, Asker::Terminal(_)).then_some(*number);
        let waiting: Vec<u64> = self.askers.iter().filter_map(waits).collect();
        for number in waiting {
            if let Some(Asker::Terminal(reply)) = self.askers.remove(&number) {
                let _ = reply.send(Err(trouble.clone()));
            }
        }
    }
}

fn not_open() -> Trouble {
    Trouble::new(Code::StillOpening, "The engine is not there yet.", ["Try again in a moment."])
}
