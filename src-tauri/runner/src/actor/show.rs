//! What an actor shows of its repo, and what it reads for that.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use repose_core::ask::{Ask, Stage};
use repose_core::repo::Event;
use repose_engine::engine::LevelBy;
use repose_hold::State;
use tokio::task::JoinHandle;

use super::{Actor, Wake};
use crate::shown::{ASK_TEXT_SHOWN, ASKS_SHOWN, AskShown, AskStage, Live, Shown};

/// How long an answer waits for its conversation to be read. A conversation of some 500 MB takes about this
/// long.
const READ_WITHIN: Duration = Duration::from_secs(2);

/// An engine may report its answer before the transcript has it. If the tokens of the answer are missing, the
/// transcript is read again after this.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// How long to wait for the first reading of a branch: a folder on a hanging file system must not delay
/// anything.
const BRANCH_WITHIN: Duration = Duration::from_millis(200);

/// The branch that is checked out, as last read.
#[derive(Debug, Default)]
pub(super) struct Branch {
    shown: Option<String>,
    /// Whether it is being read now.
    read: bool,
    /// Whether it has to be read again, because something has happened since the reading began.
    again: bool,
}

impl Actor {
    /// Reads the branch for the first time.
    pub(super) async fn begin_branch(&mut self) {
        let path = self.facts.path.clone();
        let mut reads = tokio::task::spawn_blocking(move || crate::add::branch(&path));
        if let Ok(read) = tokio::time::timeout(BRANCH_WITHIN, &mut reads).await {
            self.branch.shown = read.ok().flatten();
        } else {
            self.branch.read = true;
            self.tell_branch(reads);
        }
    }

    /// Reads the branch again in the background, once at a time.
    pub(super) fn read_branch(&mut self) {
        if self.branch.read {
            self.branch.again = true;
            return;
        }
        self.branch.read = true;
        let path = self.facts.path.clone();
        self.tell_branch(tokio::task::spawn_blocking(move || crate::add::branch(&path)));
    }

    fn tell_branch(&self, reads: JoinHandle<Option<String>>) {
        let myself = self.myself.clone();
        tokio::spawn(async move {
            let _ = myself.send(Wake::Branch(reads.await.ok().flatten()));
        });
    }

    pub(super) fn branch(&mut self, branch: Option<String>) {
        self.branch.read = false;
        if self.branch.shown != branch {
            self.branch.shown = branch;
            self.publish();
        }
        if std::mem::take(&mut self.branch.again) {
            self.read_branch();
        }
    }

    pub(super) fn publish(&self) {
        if self.removed {
            self.shared.room.leaves(&self.facts.id);
            return;
        }
        let bytes = self.memory.map_or(0, |memory| memory.bytes);
        self.shared.room.has(&self.facts.id, self.repo.presence(), bytes, self.repo.standing());
        let (view, state) = (self.repo.view(), self.repo.state());
        self.shared.show(Shown {
            id: self.facts.id.clone(),
            name: self.facts.name.clone(),
            path: self.facts.path.clone(),
            engine: self.facts.engine_name(),
            state,
            continuity: self.repo.continuity().cloned(),
            conversation: self.repo.conversation().cloned(),
            memory: self.memory.filter(|_| state.is_live()),
            freed: self.repo.freed(),
            holds: view.map(|view| view.holds.clone()).unwrap_or_default(),
            reap_at: view.and_then(|view| view.reap_at),
            pinned: self.repo.pinned(),
            queued: self.repo.queued(),
            trouble: self.repo.trouble().cloned(),
            needed_in_vain: self.repo.needed_in_vain(),
            branch: self.branch.shown.clone(),
            since: self.repo.since(),
            last: self.last.clone(),
            asks: self.repo.asks().take(ASKS_SHOWN).map(|ask| self.ask(ask)).collect(),
            further_asks: self.repo.asks().skip(ASKS_SHOWN).map(|ask| ask.id.clone()).collect(),
            interrupted: self.repo.interrupted().to_vec(),
            decision: view.and_then(|view| view.decision.clone()),
            owner: self.repo.owner().cloned(),
            opens_when_free: self.repo.opens_when_free(),
            keeps: self.repo.keeps(),
            picked_up_until: self.repo.picked_up_until(),
            resume_command: self.resume_command(),
        });
        let talks = self.repo.conversation().filter(|_| state.is_live());
        let grows = talks.and_then(|talk| {
            let transcript = talk.transcript.as_ref()?.for_reader(&self.facts.engine_name())?;
            let written = self.facts.engine.written_to(Path::new(transcript));
            Some((talk.id.clone(), written))
        });
        self.shared.growth.follow(&self.facts.id, grows);
    }

    pub(super) fn ask(&self, ask: &Ask) -> AskShown {
        AskShown {
            id: ask.id.clone(),
            text: beginning(&ask.text),
            at: ask.at,
            stage: match ask.stage {
                Stage::Waiting => AskStage::Waiting,
                Stage::Submitted(_) => AskStage::Typed,
                Stage::Taken { .. } | Stage::Over(_) => AskStage::Taken,
            },
            reason: self.repo.waits_because(ask),
        }
    }

    fn resume_command(&self) -> Option<String> {
        let keeps = self.repo.keeps();
        let conversation = self.repo.conversation().filter(|conversation| keeps.brings_back(conversation))?;
        self.facts.engine.resume_command(&self.facts.path, &conversation.id)
    }

    pub(super) fn live(&self) -> Option<Live> {
        // A holder outlives its session by a moment.
        let held = self.held.as_ref().filter(|held| self.repo.session() == Some(&held.session))?;
        let view = self.repo.view().unwrap_or(&held.view);
        Some(Live {
            repo: self.facts.id.clone(),
            name: self.facts.name.clone(),
            session: held.session.clone(),
            holder_pid: held.holder_pid,
            build: held.build.clone(),
            same_build: held.build == self.shared.programs.build(),
            engine_pid: held.engine_pid,
            activity: view.activity.clone(),
            holds: view.holds.clone(),
            since: held.started,
            memory: self.memory,
            tree: held.tree.iter().map(|process| process.pid).collect(),
            watching: match self.facts.engine.speaks().level {
                LevelBy::File | LevelBy::Events => held.watching,
                LevelBy::Title | LevelBy::Foreground => true,
            },
            terminals: held.terminals,
            journal_trouble: held.journal_trouble.clone(),
        })
    }

    /// Reads the current conversation again. If that takes longer than [`READ_WITHIN`], it goes on in the
    /// background.
    pub(super) async fn read_now(&mut self) {
        let Some(id) = self.repo.conversation().map(|conversation| conversation.id.clone()) else { return };
        let (facts, shared) = (self.facts.clone(), Arc::clone(&self.shared));
        let env = shared.env_for(&facts).await;
        let read = tokio::task::spawn_blocking(move || crate::check::read(&facts, &shared, &env, &id));
        match tokio::time::timeout(READ_WITHIN, read).await {
            Ok(Ok(Ok(Some(conversation)))) => {
                let whole = conversation.context_tokens.is_some();
                self.feed(Event::Read(conversation)).await;
                if !whole {
                    self.read_after(WRITTEN_WITHIN);
                }
            }
            Ok(Ok(Ok(None))) => {}
            Ok(Ok(Err(trouble))) => {
                tracing::warn!(sentence = trouble.sentence, "a conversation can't be read");
            }
            Ok(Err(error)) => tracing::warn!(%error, "reading a conversation ended in a fault"),
            Err(_) => self.read_conversation(),
        }
    }

    /// Reads the current conversation again in the background.
    pub(super) fn read_conversation(&self) {
        self.read_after(Duration::ZERO);
    }

    fn read_after(&self, wait: Duration) {
        let Some(id) = self.repo.conversation().map(|conversation| conversation.id.clone()) else { return };
        let (facts, shared, myself) = (self.facts.clone(), Arc::clone(&self.shared), self.myself.clone());
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let env = shared.env_for(&facts).await;
            let read =
                tokio::task::spawn_blocking(move || crate::check::read(&facts, &shared, &env, &id)).await;
            match read {
                Ok(Ok(Some(conversation))) => drop(myself.send(Wake::Event(Event::Read(conversation)))),
                Ok(Ok(None)) => {}
                Ok(Err(trouble)) => {
                    tracing::warn!(sentence = trouble.sentence, "a conversation can't be read")
                }
                Err(error) => tracing::warn!(%error, "reading a conversation ended in a fault"),
            }
        });
    }

    pub(super) fn measured(&mut self, state: &State) {
        if let Some((memory, at)) = state.memory {
            self.memory = Some(crate::adopt::memory(memory, at));
        }
    }
}

/// A text of at most [`ASK_TEXT_SHOWN`] characters; a longer one is cut, and ends in `…`.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(ASK_TEXT_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_ask_is_cut_and_shows_it() {
        let long = "ü".repeat(ASK_TEXT_SHOWN);
        assert_eq!(beginning(&long), long);
        assert_eq!(beginning(&format!("{long}!")), format!("{long}…"));
    }
}
