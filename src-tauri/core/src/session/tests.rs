//! The session machine on the signals that Claude Code was seen to give (2.1.197 and 2.1.332), in the orders
//! seen.

mod decide;
mod judge;
mod lives;
mod named;
mod silent;
mod submit;
mod turn;

use std::time::Duration;

use super::{Activity, Effect, Event, Fact, Keys, Params, Session, TurnOutcome};
use crate::conversation::Engine;
use crate::hold::Task;
use crate::ids::{AskId, ConversationId, EngineName, PromptId};
use crate::policy::Policy;
use crate::signal::{Author, Level, Said, Signal, Source};
use crate::time::{Awake, Now, Wall};
use crate::typing::Habits;

/// The pause between a paste and Enter.
pub(super) const GAP: Duration = Duration::from_millis(150);

/// What the keys of Claude Code's input line do.
pub(super) fn claudes() -> Habits {
    Habits {
        esc_twice: Some(Duration::from_millis(600)),
        cuts_breaks: true,
        searches: true,
        drop_ends_turns: true,
        modal: false,
        shows_cursor: true,
        ctrl_j_sends: false,
    }
}

/// A session, with a clock that moves only when told to.
pub(super) struct Bench {
    pub(super) session: Session,
    pub(super) now: Now,
    pub(super) conversation: ConversationId,
}

impl Bench {
    /// A session whose engine has just been started.
    pub(super) fn opening() -> Self {
        let engine = Engine {
            name: EngineName::new("claude"),
            title: "Claude Code".into(),
            keeps_conversations: true,
            forks: true,
        };
        let now = Now { wall: Wall(1_700_000_000_000), awake: Awake(1_000), slept: 0 };
        let params = Params { policy: Policy::default(), pinned: false };
        Self {
            session: Session::new("work", engine, claudes(), params, now),
            now,
            conversation: ConversationId::new("c1"),
        }
    }

    /// A session whose engine waits for a prompt.
    pub(super) fn idle() -> Self {
        let mut bench = Self::opening();
        bench.started(Source::New);
        bench.pass(150);
        bench.level(Level::Idle);
        bench
    }

    /// Enter goes out as soon as it is ordered.
    pub(super) fn handle(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = self.waits_to_send(event);
        if effects.contains(&Effect::Type(Keys::Enter)) {
            effects.extend(self.session.handle(Event::Sent, self.now));
        }
        effects
    }

    /// Enter is ordered, and the text doesn't stand in the input line yet.
    pub(super) fn waits_to_send(&mut self, event: Event) -> Vec<Effect> {
        self.session.handle(event, self.now)
    }

    pub(super) fn say(&mut self, said: Said) -> Vec<Effect> {
        let signal = Signal { conversation: Some(self.conversation.clone()), at: self.now.wall, said };
        self.handle(Event::Signal(signal))
    }

    pub(super) fn started(&mut self, source: Source) -> Vec<Effect> {
        self.say(Said::Started { source, transcript: None })
    }

    pub(super) fn level(&mut self, level: Level) -> Vec<Effect> {
        self.say(Said::Level(level))
    }

    pub(super) fn taken(&mut self, prompt: &str, text: &str) -> Vec<Effect> {
        self.say(Said::PromptTaken {
            prompt: Some(PromptId::new(prompt)),
            text: text.into(),
            author: Author::Person,
        })
    }

    pub(super) fn stopped(&mut self, prompt: &str, text: &str, background: &[&str]) -> Vec<Effect> {
        let task = |what: &&str| Task { id: (*what).into(), what: (*what).into(), process: true };
        self.say(Said::Stopped {
            prompt: Some(PromptId::new(prompt)),
            text: text.into(),
            background: Some(background.iter().map(task).collect()),
            wakeups: Some(Vec::new()),
        })
    }

    /// Lets this many milliseconds pass, with a tick whenever one is due.
    pub(super) fn pass(&mut self, ms: u64) -> Vec<Effect> {
        let end = self.now.after(Duration::from_millis(ms));
        let mut effects = Vec::new();
        for _ in 0..100 {
            let Some(at) = self.session.next_wake(self.now).filter(|at| *at <= end.awake) else { break };
            self.now = self.now.after(at.since(self.now.awake));
            let more = self.handle(Event::Tick);
            effects.extend(more);
        }
        self.now = end;
        effects.extend(self.handle(Event::Tick));
        effects
    }

    pub(super) fn submit(&mut self, ask: &str, text: &str) -> Vec<Effect> {
        self.handle(Event::Submit { ask: AskId::new(ask), text: text.into(), gap: GAP })
    }

    /// Has an ask typed and taken, so that the engine works on it.
    pub(super) fn asked(&mut self, ask: &str, prompt: &str) {
        let text = format!("text of {ask}");
        assert_eq!(self.submit(ask, &text), [Effect::Type(Keys::Paste(text.clone()))]);
        assert_eq!(self.pass(150), [Effect::Type(Keys::Enter)]);
        self.pass(20);
        let told = self.taken(prompt, &text);
        let taken = Fact::Taken { ask: AskId::new(ask), prompt: Some(PromptId::new(prompt)) };
        assert_eq!(told, [Effect::Tell(taken)]);
        self.pass(10);
        self.level(Level::Busy);
    }

    pub(super) fn holds(&self) -> Vec<&'static str> {
        self.session.view(self.now).holds.iter().map(|hold| hold.kind.code()).collect()
    }

    pub(super) fn is_idle(&self) -> bool {
        matches!(self.session.view(self.now).activity, Activity::Idle { .. })
    }
}

/// The ends of turns among the effects: the ask and the outcome of each.
pub(super) fn overs(effects: &[Effect]) -> Vec<(Option<&str>, &TurnOutcome)> {
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Tell(Fact::TurnOver { ask, outcome, .. }) => {
                Some((ask.as_ref().map(AskId::as_str), outcome))
            }
            Effect::Tell(_)
            | Effect::Type(_)
            | Effect::Write(_)
            | Effect::Look
            | Effect::Judged(_)
            | Effect::StopTyping
            | Effect::ReadHabits
            | Effect::NotNow { .. }
            | Effect::Decide { .. }
            | Effect::TakeBack(_)
            | Effect::LeaveToTerminal(_)
            | Effect::DecidedBefore
            | Effect::Undecided
            | Effect::LetGo { .. }
            | Effect::End(_)
            | Effect::Thawed => None,
        })
        .collect()
}

pub(super) fn answered(text: &str) -> TurnOutcome {
    TurnOutcome::Answered(text.into())
}
