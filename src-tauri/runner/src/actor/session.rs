//! The sessions of a repo as its actor follows them, from the start of a holder to the removal of its folder.

use std::process::Child;

use repose_core::budget::Excess;
use repose_core::conversation::Conversation;
use repose_core::ids::SessionId;
use repose_core::repo::{Event, How, Intent, Report, State as Shows};
use repose_core::session::{Fact, Freeze, Lease, Params, Verdict, View};
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_hold::{Entry, Numbered, State};
use repose_sys::clock::now;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Actor, LEASE_RENEWED, Leases, Line, not_seen_yet};
use crate::link::{Begin, Link, News, Op};

/// A session with journal entries that the store doesn't have yet.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// The number of the last entry that was taken in.
    seq: u64,
    /// Whether its holder is gone.
    over: bool,
}

impl Actor {
    /// Sends an order to a session's holder, now or once it is connected.
    pub(crate) fn send(&mut self, session: &SessionId, op: Op) {
        match self.lines.get_mut(session) {
            Some(Line::Linked(link)) => link.send(op),
            Some(Line::Pending(ops)) => ops.push(op),
            None => {}
        }
    }

    /// Has the processes of the live engine looked at now, if its holder is connected.
    pub(super) fn scan(&mut self, seen: mpsc::UnboundedSender<()>) {
        let Some(session) = self.repo.session().cloned() else { return };
        if matches!(self.lines.get(&session), Some(Line::Linked(_))) {
            self.send(&session, Op::Scan(seen));
        }
    }

    /// Notes that a holder is being started: orders to it wait.
    pub(crate) fn expect(&mut self, session: SessionId) {
        self.lines.insert(session, Line::Pending(Vec::new()));
    }

    pub(crate) fn params(&self) -> Params {
        Params { policy: self.shared.settings().policy, pinned: self.repo.pinned() }
    }

    pub(super) async fn spawned(&mut self, session: SessionId, spawned: Result<(Child, String), Trouble>) {
        let pending = match self.lines.remove(&session) {
            Some(Line::Pending(ops)) => ops,
            Some(Line::Linked(_)) | None => Vec::new(),
        };
        let (child, build) = match spawned {
            Ok(spawned) => spawned,
            Err(trouble) => {
                self.not_spawned(session, trouble).await;
                return;
            }
        };
        let dir = self.shared.session_dir(&session);
        let begin = Begin::Started(child);
        let link = Link::follow(session.clone(), dir, build, 0, begin, self.myself.clone());
        self.leases = Leases::new();
        link.send(Op::Params(self.params()));
        pending.into_iter().for_each(|op| link.send(op));
        self.lines.insert(session, Line::Linked(link));
        self.renew_leases();
    }

    async fn not_spawned(&mut self, session: SessionId, trouble: Trouble) {
        self.forget(&session);
        // If somebody has ordered its end in the meantime, the order has been carried out.
        let ordered =
            matches!(self.repo.intent(), Intent::Ending { session: leaving, .. } if *leaving == session);
        if ordered {
            let how = How::NotStarted(trouble);
            let report = Report { how, freed: None, left: Vec::new() };
            self.feed(Event::Ended { session, report }).await;
        } else {
            self.feed(Event::SpawnFailed { session, trouble }).await;
        }
    }

    pub(super) async fn news(&mut self, session: SessionId, news: News) {
        let current = self.repo.session() == Some(&session);
        match news {
            News::Linked(state) => {
                if !current {
                    return;
                }
                self.shared.engine_runs(&session, state.engine_pid);
                self.memory = None;
                if !crate::link::opens(&state.view) {
                    self.measured(&state);
                }
                self.held = Some(state);
                self.leases = Leases::new();
                self.renew_leases();
                self.attach_those_who_wait();
            }
            News::Foreign { build, engine_pid } => {
                if !current {
                    return;
                }
                self.shared.engine_runs(&session, engine_pid);
                self.feed(Event::Foreign { session: session.clone(), build }).await;
                self.caught_up(&session).await;
                self.refuse_those_who_wait();
            }
            News::State(state) => {
                if current {
                    self.measured(&state);
                    self.held = Some(state);
                    self.publish();
                }
            }
            News::Unresponsive => {
                if current {
                    let view = unresponsive_view(&self.facts.name, self.repo.view().cloned());
                    self.feed(Event::View { session: session.clone(), view }).await;
                    self.refuse_those_who_wait();
                }
            }
            News::View(view) => {
                self.feed(Event::View { session: session.clone(), view: *view }).await;
                self.caught_up(&session).await;
            }
            News::Entry(entry) => self.entry(session, entry).await,
            News::Gap(state) => self.gap(session, *state).await,
            News::Spooled(events) => {
                for (at, payload) in events {
                    let fact = crate::adopt::spooled(&self.repo, &self.facts, at, &payload);
                    if let Some(fact) = fact {
                        self.feed(Event::Fact { session: session.clone(), fact }).await;
                    }
                }
            }
            News::Died(left) => {
                let how = How::HolderDied;
                let report = Report { how, freed: None, left };
                self.feed(Event::Ended { session: session.clone(), report }).await;
                self.over(&session).await;
            }
            News::Over => self.over(&session).await,
        }
    }

    /// The holder doesn't judge. If a person ordered the end, the engine is ended anyway, judged by its last
    /// view; a pause only if the known conversation can be resumed.
    pub(super) async fn no_verdict(&mut self, session: SessionId, freeze: Freeze) {
        let resumable = self.repo.conversation().is_some_and(Conversation::resumable);
        let mut holds = self.repo.view().map(|view| view.holds.clone()).unwrap_or_default();
        holds.retain(|hold| !hold.kind.is_unseen());
        holds.push(crate::link::unseen());
        let verdict = match freeze {
            Freeze { must_resume: true, .. } if !resumable => Verdict::NotResumable,
            Freeze { interrupt: true, .. } => Verdict::Frozen(holds),
            Freeze { interrupt: false, .. } => Verdict::Held(holds),
        };
        self.feed(Event::Judged { session, verdict }).await;
    }

    async fn entry(&mut self, session: SessionId, Numbered { seq, at: _, entry }: Numbered) {
        let (event, read) = match entry {
            Entry::Fact(fact) => {
                let read = match fact {
                    Fact::TurnOver { .. } => {
                        // Whoever gets the answer sees the conversation including this turn.
                        self.read_now().await;
                        // Whoever gave up waiting hears nothing of it, and is told in another way.
                        self.forget_the_gone().await;
                        false
                    }
                    Fact::Confirmed { .. } | Fact::Moved { .. } => true,
                    Fact::Taken { .. }
                    | Fact::NotTaken { .. }
                    | Fact::GivenBack { .. }
                    | Fact::LettingGo { .. } => false,
                };
                (Event::Fact { session: session.clone(), fact }, read)
            }
            Entry::Ended(ended) => {
                let report = crate::adopt::report(&*self.facts.engine, &ended);
                (Event::Ended { session: session.clone(), report }, true)
            }
        };
        self.feed(event).await;
        self.commit(&session, seq).await;
        if read {
            self.read_conversation();
        }
    }

    async fn gap(&mut self, session: SessionId, state: State) {
        let seq = state.last_seq;
        let confirmed = !matches!(self.repo.state(), Shows::Opening);
        let facts = crate::adopt::rebuilt(&self.repo, &self.facts, &state, confirmed);
        for fact in facts {
            self.feed(Event::Fact { session: session.clone(), fact }).await;
        }
        if let Some(ended) = &state.ended {
            let report = crate::adopt::report(&*self.facts.engine, ended);
            self.feed(Event::Ended { session: session.clone(), report }).await;
        }
        self.commit(&session, seq).await;
    }

    /// Commits the journal up to `seq`, once the store has everything up to there. Entries that the store
    /// refused stay in the journal.
    async fn commit(&mut self, session: &SessionId, seq: u64) {
        if !self.repo.is_written() {
            self.behind.entry(session.clone()).or_default().seq = seq;
            return;
        }
        let (store, id) = (self.shared.store.clone(), session.clone());
        let stored = tokio::task::spawn_blocking(move || store.committed(&id, seq)).await;
        if let Ok(Ok(())) = stored {
            self.send(session, Op::Commit(seq));
        }
    }

    /// Commits the journals, after the store has taken what it refused before.
    pub(super) async fn catch_up(&mut self) {
        for (session, Behind { seq, over }) in std::mem::take(&mut self.behind) {
            self.commit(&session, seq).await;
            if over {
                self.remove_folder(&session).await;
            }
        }
    }

    /// The session's holder is gone, and everything it reported has been taken in.
    async fn over(&mut self, session: &SessionId) {
        self.forget(session);
        if self.repo.is_written() {
            self.behind.remove(session);
            self.remove_folder(session).await;
        } else {
            self.behind.entry(session.clone()).or_default().over = true;
        }
        self.caught_up(session).await;
        self.publish();
    }

    async fn remove_folder(&self, session: &SessionId) {
        let dir = self.shared.session_dir(session);
        let removed = tokio::task::spawn_blocking(move || crate::adopt::remove(&dir)).await;
        if let Err(error) = removed {
            tracing::warn!(%error, "a session's folder was not removed");
        }
    }

    fn forget(&mut self, session: &SessionId) {
        self.lines.remove(session);
        self.shared.engine_runs(session, None);
        if self.held.as_ref().is_some_and(|held| held.session == *session) {
            self.held = None;
            self.memory = None;
        }
    }

    async fn caught_up(&mut self, session: &SessionId) {
        if self.adopting.as_ref().is_none_or(|(adopting, _)| adopting != session) {
            return;
        }
        if let Some((_, caught_up)) = self.adopting.take() {
            self.feed(Event::CaughtUp(self.shared.absence)).await;
            self.read_conversation();
            if let Some(caught_up) = caught_up {
                let _ = caught_up.send(());
            }
        }
    }

    /// Asks the holder to let its engine go early. The holder judges, and a hold wins.
    pub(super) fn evict(&mut self, over: Excess) {
        if self.repo.standing().free_since().is_none() {
            return; // something happened in the meantime
        }
        if let Some(session) = self.repo.session().cloned() {
            self.send(&session, Op::Evict(over));
        }
    }

    pub(super) fn send_params(&mut self) {
        let params = self.params();
        if let Some(session) = self.repo.session().cloned() {
            self.send(&session, Op::Params(params));
        }
    }

    pub(crate) fn renew_leases(&mut self) {
        let now = Instant::now();
        self.users.retain(|_, until| *until > now);
        let Some(session) = self.repo.session().cloned() else {
            self.leases = Leases::new();
            return;
        };
        let (ask, client) = (self.repo.ask_lease(), !self.users.is_empty());
        let due = now >= self.leases.due;
        if due {
            self.leases.due = now + LEASE_RENEWED;
        }
        if ask != self.leases.ask || (due && ask) {
            self.leases.ask = ask;
            self.send(&session, Op::Lease(Lease::Ask, ask));
        }
        if client != self.leases.client || (due && client) {
            self.leases.client = client;
            self.send(&session, Op::Lease(Lease::Client, client));
        }
    }
}

/// The view of a session whose holder doesn't answer: its last view, with that trouble.
fn unresponsive_view(name: &str, last: Option<View>) -> View {
    let name = words::shell_word(name);
    let trouble = Trouble::new(
        Code::NotAnswering,
        "The process that keeps this repo's agent lives and doesn't answer, so nothing can be asked now. It is tried again \
         and again.",
        [
            "If it was stopped, let it go on (`kill -CONT`); what it needs may be busy otherwise.".to_owned(),
            format!(
                "Or end it all the same: `repose pause --interrupt {name}`, `repose stop --interrupt {name}`."
            ),
        ],
    );
    View { trouble: Some(trouble), reap_at: None, ..last.unwrap_or_else(|| not_seen_yet(now())) }
}
