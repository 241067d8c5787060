//! Looking at what may hang: whoever looks at a folder on a mount whose server is gone is blocked in the
//! kernel until the server returns.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use repose_core::ids::RepoId;

/// A look takes some milliseconds, or a second or two on a cold disk or a slow connection. One that takes
/// longer hangs, and its folder is reported as unusable.
pub(crate) const LOOKS_WITHIN: Duration = Duration::from_secs(5);

/// The looks that hang. Each has a thread that can't be ended, so a repo doesn't get a second one meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Looking {
    hang: Mutex<HashMap<RepoId, Weak<()>>>,
}

/// Looks that one thread carries out one after the other.
struct Batch<T, L> {
    left: VecDeque<(RepoId, L)>,
    at: Option<RepoId>,
    seen: Vec<(RepoId, Option<T>)>,
}

impl Looking {
    /// The result of `look` for this repo, carried out on a thread that may be blocked. `None`: it takes too
    /// long, or an earlier one still does.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        repo: &RepoId,
        within: Duration,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.look_each(within, [(repo.clone(), look)]).await.pop().and_then(|(_, seen)| seen)
    }

    /// The results of looking at these repos, in no particular order. One thread looks at all of them, since
    /// handing each to a thread costs several times the look; if one hangs, another thread continues.
    pub(crate) async fn look_each<T, L>(
        &self,
        within: Duration,
        looks: impl IntoIterator<Item = (RepoId, L)>,
    ) -> Vec<(RepoId, Option<T>)>
    where
        T: Send + 'static,
        L: FnOnce() -> T + Send + 'static,
    {
        let (mut all, mut left) = (Vec::new(), VecDeque::new());
        for (repo, look) in looks {
            if held(&self.hang).get(&repo).is_some_and(|thread| thread.strong_count() > 0) {
                all.push((repo, None));
            } else {
                left.push_back((repo, look));
            }
        }
        while !left.is_empty() {
            let batch = Arc::new(Mutex::new(Batch { left, at: None, seen: Vec::new() }));
            let (thread, goes_on) = (Arc::new(()), Arc::clone(&batch));
            let hangs = Arc::downgrade(&thread);
            let mut looked = tokio::task::spawn_blocking(move || {
                Batch::look(&goes_on);
                drop(thread);
            });
            let mut seen = 0;
            let mut batch = loop {
                let over = tokio::time::timeout(within, &mut looked).await.is_ok();
                let batch = held(&batch);
                if over || batch.seen.len() == seen {
                    break batch;
                }
                seen = batch.seen.len();
            };
            if let Some(repo) = batch.at.take() {
                let mut hang = held(&self.hang);
                hang.retain(|_, thread| thread.strong_count() > 0);
                hang.insert(repo.clone(), hangs);
                all.push((repo, None));
            }
            all.append(&mut batch.seen);
            // If the blocked thread ever continues, it finds nothing left to do.
            left = std::mem::take(&mut batch.left);
        }
        all
    }
}

impl<T, L: FnOnce() -> T> Batch<T, L> {
    fn look(batch: &Mutex<Self>) {
        loop {
            let (repo, look) = {
                let mut batch = held(batch);
                let Some((repo, look)) = batch.left.pop_front() else { return };
                batch.at = Some(repo.clone());
                (repo, look)
            };
            let seen = look();
            let mut batch = held(batch);
            batch.at = None;
            batch.seen.push((repo, Some(seen)));
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
