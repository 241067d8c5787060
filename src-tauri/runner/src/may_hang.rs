//! Looking at what may hang: whoever looks at a folder on a mount whose server is gone is blocked in the
//! kernel until the server returns.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use repose_core::ids::RepoId;
use tokio::sync::mpsc;

/// A look takes some milliseconds, or a second or two on a cold disk or a slow connection. One that takes
/// longer hangs, and its folder is reported as unusable.
pub(crate) const LOOKS_WITHIN: Duration = Duration::from_secs(5);

/// The looks that hang. Each has a thread that can't be ended, so a repo doesn't get a second one meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    hang: Mutex<HashMap<RepoId, Weak<()>>>,
}

/// Looks that one thread carries out one after the other.
struct Batch<L> {
    left: VecDeque<(RepoId, L)>,
    at: Option<RepoId>,
}

impl Looks {
    /// The result of `look` for this repo, carried out on a thread that may be blocked. `None`: it takes too
    /// long, or an earlier one still does.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        repo: &RepoId,
        within: Duration,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let mut seen = None;
        self.look_each(within, [(repo.clone(), look)], |_, result| seen = result).await;
        seen
    }

    /// Looks at these repos, and tells each result as soon as it is there, in no particular order; `None` as
    /// for [`Looks::look`]. One thread looks at all of them, since handing each to a thread costs several times
    /// the look; if one hangs, another thread continues.
    pub(crate) async fn look_each<T, L>(
        &self,
        within: Duration,
        looks: impl IntoIterator<Item = (RepoId, L)>,
        mut tell: impl FnMut(RepoId, Option<T>),
    ) where
        T: Send + 'static,
        L: FnOnce() -> T + Send + 'static,
    {
        let mut left = VecDeque::new();
        for (repo, look) in looks {
            if held(&self.hang).get(&repo).is_some_and(|thread| thread.strong_count() > 0) {
                tell(repo, None);
            } else {
                left.push_back((repo, look));
            }
        }
        while !left.is_empty() {
            let (sees, mut results) = mpsc::unbounded_channel();
            let batch = Arc::new(Mutex::new(Batch { left, at: None }));
            let (thread, goes_on) = (Arc::new(()), Arc::clone(&batch));
            let hangs = Arc::downgrade(&thread);
            tokio::task::spawn_blocking(move || {
                Batch::look(&goes_on, &sees);
                drop(thread);
            });
            left = loop {
                if let Ok(Some((repo, seen))) = tokio::time::timeout(within, results.recv()).await {
                    tell(repo, Some(seen));
                    continue;
                }
                let mut batch = held(&batch);
                if !results.is_empty() {
                    continue; // it went on at the last moment
                }
                if let Some(repo) = batch.at.take() {
                    let mut hang = held(&self.hang);
                    hang.retain(|_, thread| thread.strong_count() > 0);
                    hang.insert(repo.clone(), hangs);
                    tell(repo, None);
                }
                // If the blocked thread ever continues, it finds nothing left to do.
                break std::mem::take(&mut batch.left);
            };
        }
    }
}

impl<L> Batch<L> {
    fn look<T>(batch: &Mutex<Self>, sees: &mpsc::UnboundedSender<(RepoId, T)>)
    where
        L: FnOnce() -> T,
    {
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
            let _ = sees.send((repo, seen)); // nobody waits for one that hung
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
