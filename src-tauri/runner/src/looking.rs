//! Looks at what may hang: a folder on a mount whose server is gone holds up whoever looks at it, in the
//! kernel and for as long as the server is gone.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use repose_core::ids::RepoId;

/// A look takes some milliseconds, and on a cold disk or over a slow line a second or two. What takes longer
/// hangs: it is told as a folder that can't be used.
pub(crate) const LOOKS_WITHIN: Duration = Duration::from_secs(5);

/// The looks that hang. Each has a thread of its own that nobody can end, so a repo has no second one
/// meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Looking {
    hang: Mutex<HashMap<RepoId, Weak<()>>>,
}

/// Looks that one thread does, one after the other.
struct Batch<T, L> {
    left: VecDeque<(RepoId, L)>,
    at: Option<RepoId>,
    seen: Vec<(RepoId, Option<T>)>,
}

impl Looking {
    /// What is seen of this repo, looked at on a thread that may be held up. `None`: it doesn't come to an
    /// end within that, or an earlier one still hasn't.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        repo: &RepoId,
        within: Duration,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.look_each(within, [(repo.clone(), look)]).await.pop().and_then(|(_, seen)| seen)
    }

    /// What is seen of each of these repos, in no order. One thread looks at all of them, since handing each
    /// to a thread costs several times the look; those after one that hangs are looked at by another.
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
            // Its thread finds nothing left, should it ever go on.
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
