mod changes;
mod file;
mod keeping;

use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_core::ask::{Ask, Stage};
use repose_core::continuity::{Continuity, Outcome, Plan, Reason};
use repose_core::conversation::{Conversation, OnDisk, Transcript, Turns};
use repose_core::ids::{AskId, ConversationId, EngineName, RepoId, SessionId};
use repose_core::memory::Measured;
use repose_core::repo::{Change, Freed, Stored};
use repose_core::time::Wall;
use tempfile::TempDir;

use super::Store;

const NOW: Wall = Wall(1_750_000_000_000);

/// A store with one repo that can be closed and reopened.
struct World {
    folder: TempDir,
    store: Store,
    repo: RepoId,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("state.db")).unwrap();
        let repo = RepoId::new("r-1");
        store.add_repo(&repo, "harbour", Path::new("/srv/harbour"), &claude(), NOW).unwrap();
        Self { folder, store, repo }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("state.db")
    }

    fn apply(&self, change: Change) {
        self.store.apply(&self.repo, &[change], NOW).unwrap();
    }

    /// What is stored of the repo: the same before and after the file is reopened.
    fn stored(&mut self) -> Stored {
        self.same_reopened(|store| store.repos().unwrap().remove(0).stored)
    }

    fn same_reopened<T: PartialEq + std::fmt::Debug>(&mut self, read: impl Fn(&Store) -> T) -> T {
        let before = read(&self.store);
        self.store = Store::open(&self.path()).unwrap();
        assert_eq!(read(&self.store), before);
        before
    }
}

fn claude() -> EngineName {
    EngineName::new("claude")
}

fn conversation(id: &str) -> Conversation {
    conversation_with(claude(), id)
}

fn conversation_with(engine: EngineName, id: &str) -> Conversation {
    Conversation {
        id: ConversationId::new(id),
        transcript: Some(Transcript::new(engine.clone(), "/home/me/.claude/projects/x.jsonl".into())),
        engine,
        last_turn: Some(Wall(NOW.0 - 5_000)),
        turns: Turns::Counted(3),
        context_tokens: Some(41_000),
        on_disk: OnDisk::There,
    }
}

fn ask(id: &str, stage: Stage) -> Ask {
    Ask {
        id: AskId::new(id),
        text: "zeile 1\nline 2 'with' \"quotes\" — 漢字".into(),
        queued: true,
        fresh: false,
        at: NOW,
        stage,
        told: None,
        over: None,
    }
}

fn session(id: &str) -> SessionId {
    SessionId::new(id)
}

fn resumed() -> Continuity {
    Continuity {
        outcome: Outcome::Resumed { idle: Some(Duration::from_millis(7_200_123)) },
        interrupted: vec!["a turn".into(), "`cargo test` (pid 4)".into()],
        at: NOW,
    }
}

fn first() -> Plan {
    Plan::Fresh(Reason::First)
}

fn freed() -> Freed {
    Freed { bytes: 266_000_000, processes: 4, measured: Measured::Pss, took_ms: 612 }
}
