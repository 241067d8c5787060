//! Watches the conversations of live repos on disk, and tells when one has grown. Knows nothing of what is in them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use repose_core::ids::{ConversationId, RepoId};
use tokio::sync::Notify;
use tokio::sync::broadcast::WeakSender;

use crate::shown::Change;

/// Between two words about the same conversation: a model's answer is written line by line, and a page that reads it
/// five times a second shows it as it comes.
const APART: Duration = Duration::from_millis(200);

/// The conversations that are followed. Where the system gives no watch nothing is told: whoever shows a conversation
/// looks now and then.
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

/// Shared with the watcher's own thread.
#[derive(Debug, Default)]
struct Seen {
    wanted: Mutex<Wanted>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct Wanted {
    talks: HashMap<PathBuf, (RepoId, ConversationId)>,
    /// Some of them, which have grown. No more than there are.
    grown: BTreeSet<PathBuf>,
}

impl Growth {
    /// Tells `changes` from now on, as long as anybody could hear it.
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

    /// Follows the repo's conversation in this file, or none. Cheap where nothing changed.
    pub(crate) fn follow(&self, repo: &RepoId, talk: Option<(ConversationId, PathBuf)>) {
        let mut watches = self.watches.lock().unwrap_or_else(PoisonError::into_inner);
        let known = watches.followed.get(repo);
        match (&talk, known) {
            (None, None) => return,
            (Some((_, path)), Some((followed, true))) if path == followed => return,
            (None | Some(_), Some(_)) | (Some(_), None) => {}
        }
        watches.unfollow(repo);
        let mut wanted = self.seen.wanted();
        wanted.talks.retain(|_, (of, _)| of != repo);
        let Some((conversation, path)) = talk else { return };
        wanted.talks.insert(path.clone(), (repo.clone(), conversation));
        drop(wanted);
        watches.follow(repo, path);
    }
}

impl Watches {
    /// A folder that isn't there yet is tried again at the next change of the repo.
    fn follow(&mut self, repo: &RepoId, path: PathBuf) {
        let (Some(watcher), Some(folder)) = (&mut self.watcher, path.parent()) else { return };
        let watched = watcher.watch(folder, RecursiveMode::NonRecursive).is_ok();
        self.followed.insert(repo.clone(), (path, watched));
    }

    fn unfollow(&mut self, repo: &RepoId) {
        let Some((path, true)) = self.followed.remove(repo) else { return };
        let (Some(watcher), Some(folder)) = (&mut self.watcher, path.parent()) else { return };
        if !self.followed.values().any(|(other, _)| other.parent() == Some(folder)) {
            // One that went with its folder is gone already.
            let _ = watcher.unwatch(folder);
        }
    }
}

impl Seen {
    fn see(&self, event: &notify::Event) {
        let written = match event.kind {
            EventKind::Create(_) | EventKind::Modify(_) => true,
            // Who reads it doesn't make it grow.
            EventKind::Access(_) | EventKind::Remove(_) | EventKind::Any | EventKind::Other => false,
        };
        if !written {
            return;
        }
        let mut wanted = self.wanted();
        let grown: Vec<&Path> = event
            .paths
            .iter()
            .map(PathBuf::as_path)
            .filter(|path| wanted.talks.contains_key(*path))
            .collect();
        if grown.is_empty() {
            return;
        }
        for path in grown {
            wanted.grown.insert(path.to_owned());
        }
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
            let paths = std::mem::take(&mut wanted.grown);
            paths.iter().filter_map(|path| wanted.talks.get(path).cloned()).collect()
        };
        for (repo, conversation) in grown {
            // Nobody there to hear it is fine.
            let _ = changes.send(Change::Grew(repo, conversation));
        }
        drop(changes);
        tokio::time::sleep(APART).await;
    }
}
