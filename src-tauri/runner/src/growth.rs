//! Watches the transcripts of live repos on disk, and reports when one has grown. Knows nothing of their
//! content.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use repose_core::ids::{ConversationId, RepoId};
use tokio::sync::Notify;
use tokio::sync::broadcast::WeakSender;

use crate::shown::Change;

/// The pause between two reports about the same conversation: a model's answer is written line by line, and
/// reading it five times a second shows it as it arrives.
const APART: Duration = Duration::from_millis(200);

/// The conversations that are followed. Where the system offers no file watch, nothing is reported: whoever
/// shows a conversation also looks at regular intervals.
#[derive(Debug)]
pub(crate) struct Growth {
    seen: Arc<Seen>,
    watches: Mutex<Watches>,
}

#[derive(Debug, Default)]
struct Watches {
    watcher: Option<RecommendedWatcher>,
    /// The transcript of each repo, and whether its folder is watched.
    followed: HashMap<RepoId, (PathBuf, bool)>,
}

/// State shared with the watcher's own thread.
#[derive(Debug, Default)]
struct Seen {
    wanted: Mutex<Wanted>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct Wanted {
    /// The current conversation of each repo and its file; several may be written to one file.
    talks: HashMap<RepoId, (PathBuf, ConversationId)>,
    /// Repos whose conversation has grown. There are no more than repos.
    grown: BTreeSet<RepoId>,
}

impl Growth {
    /// Sends to `changes` from now on, for as long as anybody can receive them.
    pub(crate) fn begin(changes: WeakSender<Change>) -> Self {
        let seen = Arc::new(Seen::default());
        tokio::spawn(tell(Arc::clone(&seen), changes));
        let watching = Arc::clone(&seen);
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Ok(event) = event {
                watching.see(&event);
            }
        });
        let watcher = watcher.inspect_err(|error| tracing::warn!(%error, "no conversation is watched")).ok();
        Self { seen, watches: Mutex::new(Watches { watcher, followed: HashMap::new() }) }
    }

    /// Follows the conversation that the repo writes to this file, or none. Cheap if nothing changed.
    pub(crate) fn follow(&self, repo: &RepoId, talk: Option<(ConversationId, PathBuf)>) {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let known = watches.followed.get(repo);
        let (same, watched) = match (&talk, known) {
            (None, None) => return,
            (Some((_, path)), Some((followed, watched))) => (path == followed, *watched),
            (None, Some(_)) | (Some(_), None) => (false, false),
        };
        let mut wanted = self.seen.wanted();
        wanted.talks.remove(repo);
        let path = talk.map(|(conversation, path)| {
            wanted.talks.insert(repo.clone(), (path.clone(), conversation));
            path
        });
        drop(wanted);
        if same && watched {
            return;
        }
        watches.unfollow(repo);
        let Some(path) = path else { return };
        watches.follow(repo, path);
    }
}

impl Watches {
    /// A folder that doesn't exist yet is tried again at the repo's next change.
    fn follow(&mut self, repo: &RepoId, path: PathBuf) {
        let (Some(watcher), Some(folder)) = (&mut self.watcher, path.parent()) else { return };
        let watched = watcher.watch(folder, RecursiveMode::NonRecursive).is_ok();
        self.followed.insert(repo.clone(), (path, watched));
    }

    fn unfollow(&mut self, repo: &RepoId) {
        let Some((path, true)) = self.followed.remove(repo) else { return };
        let (Some(watcher), Some(folder)) = (&mut self.watcher, path.parent()) else { return };
        if !self.followed.values().any(|(other, _)| other.parent() == Some(folder)) {
            // The watch may have gone with its folder.
            let _ = watcher.unwatch(folder);
        }
    }
}

impl Seen {
    fn see(&self, event: &notify::Event) {
        let written = match event.kind {
            EventKind::Create(_) | EventKind::Modify(_) => true,
            // Reading a file doesn't make it grow.
            EventKind::Access(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => false,
        };
        if !written {
            return;
        }
        let mut wanted = self.wanted();
        let grown = wanted.talks.iter().filter(|(_, (path, _))| event.paths.contains(path));
        let grown: Vec<RepoId> = grown.map(|(repo, _)| repo.clone()).collect();
        if grown.is_empty() {
            return;
        }
        wanted.grown.extend(grown);
        drop(wanted);
        self.bell.notify_one();
    }

    fn wanted(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn tell(seen: Arc<Seen>, changes: WeakSender<Change>) {
    loop {
        seen.bell.notified().await;
        let Some(changes) = changes.upgrade() else { return };
        let grown: Vec<(RepoId, ConversationId)> = {
            let mut wanted = seen.wanted();
            let grown = std::mem::take(&mut wanted.grown);
            let talk = |repo: RepoId| wanted.talks.get(&repo).map(|(_, talk)| (repo.clone(), talk.clone()));
            grown.into_iter().filter_map(talk).collect()
        };
        for (repo, conversation) in grown {
            // There may be no receiver.
            let _ = changes.send(Change::Grew(repo, conversation));
        }
        drop(changes);
        tokio::time::sleep(APART).await;
    }
}
