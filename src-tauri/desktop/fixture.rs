//! Repos as the runner would show them, for tests.

use std::time::Duration;

use repose_core::conversation::{Conversation, Keeps, OnDisk, Turns};
use repose_core::decision::{Choice, ChoiceKind, Decision, Question};
use repose_core::hold::{Hold, Kind};
use repose_core::ids::{ConversationId, DecisionId, EngineName, RepoId};
use repose_core::memory::Measured;
use repose_core::repo::{Freed, State};
use repose_core::signal::Wait;
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_runner::{Memory, Shown};

pub(crate) const NOW: Wall = Wall(1_800_000_000_000);

/// A repo, asleep or whatever `state` says.
pub(crate) fn repo(name: &str, state: State) -> Shown {
    Shown {
        id: RepoId::new(format!("id-{name}")),
        name: name.into(),
        path: format!("/code/{name}").into(),
        engine: EngineName::new("claude"),
        state,
        continuity: None,
        conversation: None,
        memory: None,
        freed: None,
        holds: Vec::new(),
        reap_at: None,
        pinned: false,
        queued: 0,
        trouble: None,
        needed_in_vain: false,
        branch: None,
        since: None,
        last: None,
        asks: Vec::new(),
        further_asks: [].into(),
        interrupted: Vec::new(),
        owner: None,
        keeps: Keeps::PickedUp,
        picked_up_until: None,
        resume_command: None,
        decision: None,
        opens_when_free: false,
    }
}

pub(crate) trait With {
    fn memory(self, bytes: u64) -> Self;
    fn freed(self, bytes: u64) -> Self;
    fn trouble(self, code: Code) -> Self;
    fn waits_for(self, what: &str, since: u64) -> Self;
    fn can_be_answered(self) -> Self;
    fn used(self) -> Self;
    fn last_turn(self, hours_ago: u64) -> Self;
    fn keeps(self, keeps: Keeps) -> Self;
    fn turn(self, since: Wall) -> Self;
}

impl With for Shown {
    fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(Memory { bytes, processes: 1, measured: Measured::Pss, at: NOW });
        self
    }

    fn freed(mut self, bytes: u64) -> Self {
        self.freed = Some(Freed { bytes, processes: 1, measured: Measured::Pss, took_ms: 1 });
        self
    }

    fn trouble(mut self, code: Code) -> Self {
        self.trouble = Some(Trouble::new(code, "It is so.", ["Do this."]));
        self
    }

    fn waits_for(mut self, what: &str, since: u64) -> Self {
        self.holds.push(Hold::new(Wall(since), Kind::Waiting(Wait::Permission(what.into()))));
        self
    }

    fn can_be_answered(mut self) -> Self {
        let choice = |id: &str, kind| Choice {
            id: id.into(),
            label: id.to_uppercase(),
            description: None,
            preview: None,
            kind,
        };
        let question = Question {
            conversation: ConversationId::new("c"),
            wait: Wait::Permission("run `ls`".into()),
            detail: None,
            detail_cut: false,
            choices: vec![
                choice("allow", ChoiceKind::Allow),
                choice("always", ChoiceKind::Other),
                choice("deny", ChoiceKind::Deny),
            ],
        };
        self.decision = Some(Box::new(Decision { id: DecisionId::new("d"), question }));
        self
    }

    fn used(mut self) -> Self {
        self.holds.push(Hold::new(NOW, Kind::Client));
        self
    }

    fn last_turn(mut self, hours_ago: u64) -> Self {
        let mut conversation = Conversation::begun(ConversationId::new("c"), EngineName::new("claude"), None);
        let last = Wall(NOW.0 - hours_ago * 3_600_000);
        (conversation.last_turn, conversation.turns, conversation.on_disk) =
            (Some(last), Turns::Counted(1), OnDisk::There);
        self.conversation = Some(conversation);
        self.picked_up_until = Some(last.after(Duration::from_secs(4 * 86_400)));
        self
    }

    fn keeps(mut self, keeps: Keeps) -> Self {
        self.keeps = keeps;
        self.picked_up_until = None;
        self
    }

    fn turn(mut self, since: Wall) -> Self {
        self.holds.push(Hold::new(since, Kind::Turn));
        self
    }
}
