//! A small world for one repo: a store, holders that run the real session machine, and engines that follow a
//! script. It carries out what the machines want, and checks the promises meanwhile.

mod checks;
mod crash;
mod disk;
mod engine;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use super::super::{
    Answer, Checked, Effect, Effects, Event, Freed, How, Intent, ReplyTo, Repo, Report, Stored,
};
use crate::ask::{Ask, Stage};
use crate::continuity::{Continuity, Plan};
use crate::conversation::{Conversation, Engine, Owner};
use crate::ids::{AskId, ConversationId, EngineName, SessionId};
use crate::memory::Measured;
use crate::policy::Policy;
use crate::session::{self, Lease, Session, View};
use crate::time::{Awake, Moment, Now, Timeline, Wall};
use crate::trouble::{Code, Trouble};
use crate::typing::Habits;

use engine::Scripted;

pub(super) fn claude() -> Engine {
    Engine {
        name: EngineName::new("claude"),
        title: "Claude Code".into(),
        keeps_conversations: true,
        forks: true,
    }
}

pub(super) fn nothing_stored() -> Stored {
    Stored {
        intent: Intent::Open,
        conversation: None,
        continuity: None,
        untold: false,
        interrupted: Vec::new(),
        fresh_next: false,
        last_fork: None,
        asks: Vec::new(),
        pinned: false,
        freed: None,
    }
}

pub(super) struct Holder {
    pub(super) session: Session,
    pub(super) engine: Scripted,
    told: Option<View>,
    lease: bool,
    interrupt: bool,
    asked_by: u64,
    /// What the last verdict said would be lost.
    judged: Vec<String>,
}

impl Holder {
    /// What an end now would lose. An ask that arrives after the freeze isn't typed, and so isn't lost.
    fn work(&self, now: Now) -> Vec<String> {
        let mut holds = self.session.view(now).holds;
        holds.retain(|hold| hold.kind != crate::hold::Kind::Ask);
        crate::hold::work(&holds)
    }
}

fn ends_on_a_word(event: &session::Event) -> bool {
    matches!(event, session::Event::End(_))
}

/// The next failures.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) refuse_persist: bool,
    pub(super) check_fails: bool,
    pub(super) spawn_fails: bool,
    pub(super) no_place: bool,
    pub(super) owned: bool,
    /// The runner dies in the middle of the next event that has any result.
    pub(super) cut: Option<Cut>,
}

/// The point at which it dies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// After this many of its writes and effects; it has taken in nothing from the journal after that.
    pub(super) after: usize,
    /// Whether what it had sent to its holders by then arrives.
    pub(super) arrives: bool,
}

pub(super) struct World {
    pub(super) repo: Repo,
    pub(super) now: Now,
    pub(super) disk: Stored,
    open_session: Option<(SessionId, Plan, bool)>,
    pub(super) holders: BTreeMap<SessionId, Holder>,
    pub(super) conversations: BTreeMap<ConversationId, Conversation>,
    pub(super) to_runner: VecDeque<Event>,
    pub(super) to_holder: VecDeque<(SessionId, session::Event)>,
    pub(super) faults: Faults,
    /// What the journals reported since the store's first refusal, which is reported again after a crash.
    uncommitted: Vec<Event>,
    /// What they reported before the last crash and this runner hasn't read yet.
    journal: VecDeque<Event>,
    refused: bool,
    ever_refused: bool,
    pub(super) answers: BTreeMap<u64, Vec<Answer>>,
    pub(super) waiting: BTreeSet<u64>,
    /// Interrupted work that the next statement must name.
    must_name: Vec<String>,
    /// The work that ended with its engine, until a statement names it.
    cut_off: Vec<String>,
    must_name_since: Option<Moment>,
    /// The times of what was written.
    timeline: Timeline,
    /// The statement of the last open, until it was delivered with an answer.
    to_tell: Option<Continuity>,
    /// Asks that are over.
    over: BTreeSet<AskId>,
    /// Orders to begin fresh that were accepted, and that no open has followed yet.
    fresh_words: BTreeSet<u64>,
    /// The conversations that the engine reported.
    confirmed: BTreeSet<ConversationId>,
    /// Orders of a person since the last pause that may change a paused repo.
    word: bool,
    /// Asks that the engine took, in order.
    pub(super) taken: Vec<String>,
    pub(super) submitted: Vec<AskId>,
    pub(super) ids: u64,
    /// For how long there is no runner when one has died.
    pub(super) absence: Option<Duration>,
    /// The number of runners so far.
    runners: u64,
    pub(super) removed: bool,
}

impl World {
    pub(super) fn new() -> Self {
        let disk = nothing_stored();
        let now = Now { wall: Wall(1_700_000_000_000), awake: Awake(1_000_000), slept: 0 };
        let mut repo = Repo::new("work", claude(), Policy::default(), disk.clone());
        assert_eq!(repo.handle(Event::CaughtUp(None), now), Effects::default());
        Self {
            repo,
            now,
            disk,
            open_session: None,
            holders: BTreeMap::new(),
            conversations: BTreeMap::new(),
            to_runner: VecDeque::new(),
            to_holder: VecDeque::new(),
            faults: Faults::default(),
            uncommitted: Vec::new(),
            journal: VecDeque::new(),
            refused: false,
            ever_refused: false,
            answers: BTreeMap::new(),
            waiting: BTreeSet::new(),
            must_name: Vec::new(),
            cut_off: Vec::new(),
            must_name_since: None,
            timeline: Timeline::new(now),
            to_tell: None,
            over: BTreeSet::new(),
            fresh_words: BTreeSet::new(),
            confirmed: BTreeSet::new(),
            word: false,
            taken: Vec::new(),
            submitted: Vec::new(),
            ids: 0,
            absence: Some(Duration::ZERO),
            runners: 1,
            removed: false,
        }
    }

    pub(super) fn id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    /// Somebody sends a request; returns its number.
    pub(super) fn request(&mut self, event: impl FnOnce(ReplyTo) -> Event) -> u64 {
        let number = self.id();
        self.waiting.insert(number);
        let event = event(ReplyTo(number));
        if matches!(
            event,
            Event::Resume(..) | Event::Fresh(..) | Event::Stop(..) | Event::Remove(..) | Event::Lift(_)
        ) {
            self.word = true;
        }
        if matches!(event, Event::Fresh(..)) {
            self.fresh_words.insert(number);
        }
        self.runner(event);
        number
    }

    pub(super) fn ask(&mut self, fresh: bool, queued: bool, wait: bool) -> u64 {
        let id = AskId::new(format!("ask{:06}", self.id()));
        let at = self.now.wall;
        let text = format!("question of {id}");
        let ask = Ask { id, text, queued, fresh, at, stage: Stage::Waiting, told: None, over: None };
        self.request(|reply| Event::Ask { reply, ask, wait })
    }

    /// The repo takes in an event, and its effects are carried out.
    pub(super) fn runner(&mut self, event: Event) {
        self.now = self.now.after(Duration::from_millis(10));
        let journal = matches!(event, Event::Fact { .. } | Event::Ended { .. }).then(|| event.clone());
        self.refused = false;
        // A pause is judged again.
        self.word |= matches!(event, Event::Thawed { .. });
        let effects = self.repo.handle(event, self.now);
        if let Some(cut) = self.carry_out(effects) {
            self.uncommitted.extend(journal);
            if cut.arrives {
                self.deliver_to_holders();
            }
            self.crash();
            return;
        }
        if self.refused || !self.uncommitted.is_empty() {
            self.uncommitted.extend(journal);
        }
        self.renew_lease();
        self.check_shown();
    }

    /// Set if the runner was killed during it.
    fn carry_out(&mut self, effects: Effects) -> Option<Cut> {
        if effects == Effects::default() {
            return None;
        }
        let cut = self.faults.cut.take();
        let mut left = cut.map_or(usize::MAX, |cut| cut.after);
        let Effects { changes, then } = effects;
        if !changes.is_empty() {
            if std::mem::take(&mut self.faults.refuse_persist) {
                self.refused = true;
                self.ever_refused = true;
                let trouble = Trouble::new(Code::StoreFailed, "The disk said no.", [""; 0]);
                let undone = Effects { changes, then };
                self.faults.cut = cut;
                let effects = self.repo.handle(Event::StoreFailed { trouble, undone }, self.now);
                return self.carry_out(effects);
            }
            if left == 0 {
                return cut;
            }
            left -= 1;
            self.write_all(changes);
        }
        // Replies are sent last.
        let (told, done): (Vec<_>, Vec<_>) = then
            .into_iter()
            .partition(|effect| matches!(effect, Effect::Reply(..) | Effect::Notice(_) | Effect::Log(_)));
        for effect in done.into_iter().chain(told) {
            if left == 0 {
                return cut;
            }
            left -= 1;
            self.check(&effect);
            self.carry_out_one(effect);
        }
        cut
    }

    fn carry_out_one(&mut self, effect: Effect) {
        match effect {
            Effect::Check { check, conversation } | Effect::LookAhead { check, conversation } => {
                let found = conversation.and_then(|id| self.conversations.get(&id).cloned());
                let owner = Owner { pid: 7, terminal: None, command: None };
                let result = if std::mem::take(&mut self.faults.check_fails) {
                    Err(Trouble::new(Code::EngineMissing, "No engine.", [""; 0]))
                } else if std::mem::take(&mut self.faults.no_place) {
                    Err(Trouble::new(Code::MaxLive, "Too many.", [""; 0]))
                } else {
                    Ok(Checked {
                        session: SessionId::new(format!("s{}", self.id())),
                        new_conversation: ConversationId::new(format!("c{}", self.id())),
                        conversation: found,
                        with: claude().title,
                        owner: std::mem::take(&mut self.faults.owned).then_some(owner),
                        loss: None,
                    })
                };
                self.to_runner.push_back(Event::Checked { check, result });
            }
            Effect::Spawn { session, plan, new_conversation } => {
                if std::mem::take(&mut self.faults.spawn_fails) {
                    let trouble = Trouble::new(Code::Internal, "No fork.", [""; 0]);
                    self.to_runner.push_back(Event::SpawnFailed { session, trouble });
                    return;
                }
                let params = session::Params { policy: Policy::default(), pinned: false };
                let holder = Holder {
                    session: Session::new("work", claude(), Habits::default(), params, self.now),
                    engine: Scripted::new(plan, new_conversation),
                    told: None,
                    lease: false,
                    interrupt: false,
                    asked_by: 0,
                    judged: Vec::new(),
                };
                self.holders.insert(session, holder);
            }
            Effect::Submit { session, ask, text } => {
                self.submitted.push(ask.clone());
                self.to_holder.push_back((
                    session,
                    session::Event::Submit { ask, text, gap: Duration::from_millis(150) },
                ));
            }
            Effect::Decide { session, decision, pick } => {
                self.to_holder.push_back((session, session::Event::Decide { decision, pick }));
            }
            Effect::Interrupt(session) => self.to_holder.push_back((session, session::Event::Interrupt)),
            Effect::Freeze(session, freeze) => {
                self.to_holder.push_back((session, session::Event::Freeze(freeze)));
            }
            Effect::Thaw(session) => self.to_holder.push_back((session, session::Event::Thaw)),
            Effect::End(session, end_if) => {
                self.to_holder.push_back((session, session::Event::End(end_if)));
            }
            Effect::Reply(ReplyTo(number), answer) => {
                self.waiting.remove(&number);
                self.answers.entry(number).or_default().push(answer);
            }
            Effect::Notice(_) | Effect::Log(_) => {}
        }
    }

    /// A holder takes in an event, and its session's effects are carried out.
    pub(super) fn holder(&mut self, id: &SessionId, event: session::Event) {
        self.now = self.now.after(Duration::from_millis(10));
        let Some(mut holder) = self.holders.remove(id) else { return };
        let work = ends_on_a_word(&event).then(|| holder.work(self.now));
        if let session::Event::Freeze(freeze) = &event {
            holder.interrupt = freeze.interrupt;
            holder.asked_by = self.runners;
        }
        let exited = event == session::Event::Exited;
        let mut ended = false;
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            for effect in holder.session.handle(event, self.now) {
                match effect {
                    session::Effect::Tell(fact) => {
                        self.to_runner.push_back(Event::Fact { session: id.clone(), fact });
                    }
                    session::Effect::Type(keys) => {
                        events.extend(holder.engine.keys(keys, self.now, &mut self.conversations));
                    }
                    session::Effect::Write(bytes) => {
                        events.extend(holder.engine.write(&bytes, self.now, &mut self.conversations));
                    }
                    session::Effect::Look => {
                        let look = holder.engine.look(self.now, &self.conversations);
                        self.to_holder.push_back((id.clone(), session::Event::Looked(look)));
                    }
                    session::Effect::Judged(verdict) => {
                        if let session::Verdict::Frozen(_) = &verdict {
                            holder.judged = holder.work(self.now);
                        }
                        // A verdict goes to whoever asked, or to nobody.
                        if holder.asked_by == self.runners {
                            self.to_runner.push_back(Event::Judged { session: id.clone(), verdict });
                        }
                    }
                    session::Effect::NotNow { ask, why } => {
                        self.to_runner.push_back(Event::NotNow { ask, why });
                    }
                    session::Effect::Decide { decision, pick } => {
                        self.to_runner.push_back(Event::Decided { decision, pick, stood: true });
                    }
                    session::Effect::StopTyping
                    | session::Effect::ReadHabits
                    | session::Effect::LeaveToTerminal(_)
                    | session::Effect::TakeBack(_)
                    | session::Effect::DecidedBefore
                    | session::Effect::Undecided => {}
                    session::Effect::LetGo { .. } => {
                        let holds = holder.session.view(self.now).holds;
                        assert!(holds.is_empty(), "invariant_07: let go while {holds:?}");
                        ended = true;
                    }
                    session::Effect::End(_) => {
                        let lost = work.as_ref().filter(|_| !holder.interrupt);
                        assert!(lost.is_none_or(Vec::is_empty), "invariant_05: ended while {work:?}");
                        // The turn may have gone on to something else since the verdict.
                        let judged = std::mem::take(&mut holder.judged).into_iter();
                        self.cut_off
                            .extend(judged.filter(|judged| work.iter().flatten().any(|now| now == judged)));
                        ended = true;
                    }
                    session::Effect::Thawed => {
                        if holder.asked_by == self.runners {
                            self.to_runner.push_back(Event::Thawed { session: id.clone() });
                        }
                    }
                }
            }
            self.taken.append(&mut holder.engine.taken);
            if let Some(conversation) = &holder.engine.conversation {
                self.confirmed.insert(conversation.clone());
            }
        }
        if ended {
            let how = if exited {
                How::Exited { words: "bye".into(), not_taken_up: holder.engine.lost }
            } else {
                How::Ended
            };
            self.gone(id, how);
            return;
        }
        let view = holder.session.view(self.now);
        if holder.told.as_ref() != Some(&view) {
            holder.told = Some(view.clone());
            self.to_runner.push_back(Event::View { session: id.clone(), view });
        }
        self.holders.insert(id.clone(), holder);
    }

    fn gone(&mut self, id: &SessionId, how: How) {
        let freed = match how {
            How::Ended => Some(Freed { bytes: 1, processes: 1, measured: Measured::Pss, took_ms: 1 }),
            How::NotStarted(_) | How::Exited { .. } | How::HolderDied => None,
        };
        self.holders.remove(id);
        self.to_holder.retain(|(session, _)| session != id);
        let report = Report { how, freed, left: Vec::new() };
        self.to_runner.push_back(Event::Ended { session: id.clone(), report });
    }

    pub(super) fn live(&self) -> Option<SessionId> {
        self.holders.keys().next().cloned()
    }

    /// The engine does something on its own.
    pub(super) fn engine(
        &mut self,
        does: impl FnOnce(&mut Scripted, Now, &mut BTreeMap<ConversationId, Conversation>) -> Vec<session::Event>,
    ) {
        self.now = self.now.after(Duration::from_millis(1));
        let Some(id) = self.live() else { return };
        let Some(holder) = self.holders.get_mut(&id) else { return };
        let events = does(&mut holder.engine, self.now, &mut self.conversations);
        for event in events {
            self.holder(&id, event);
        }
    }

    fn renew_lease(&mut self) {
        let wanted = self.repo.ask_lease();
        let Some(id) = self.repo.session().cloned() else { return };
        let Some(holder) = self.holders.get_mut(&id) else { return };
        if holder.lease != wanted {
            holder.lease = wanted;
            self.to_holder.push_back((id, session::Event::Lease(Lease::Ask, wanted)));
        }
    }

    pub(super) fn deliver_to_runner(&mut self) {
        if let Some(event) = self.to_runner.pop_front() {
            self.runner(event);
        }
    }

    pub(super) fn deliver_to_holder(&mut self) {
        if let Some((id, event)) = self.to_holder.pop_front() {
            self.holder(&id, event);
        }
    }

    fn deliver_to_holders(&mut self) {
        while !self.to_holder.is_empty() {
            self.deliver_to_holder();
        }
    }

    pub(super) fn deliver_all(&mut self) {
        for _ in 0..2_000 {
            if self.to_runner.is_empty() && self.to_holder.is_empty() {
                return;
            }
            self.deliver_to_holder();
            self.deliver_to_runner();
        }
        panic!("the machines talk to each other for ever: {:?}", self.to_runner);
    }

    pub(super) fn pass(&mut self, span: Duration) {
        self.now = self.now.after(span);
        self.runner(Event::Tick);
        if let Some(id) = self.live() {
            let held = self.holders[&id].lease;
            if held && self.repo.session() == Some(&id) {
                self.holder(&id, session::Event::Lease(Lease::Ask, true));
            }
            self.holder(&id, session::Event::Tick);
        }
    }
}
