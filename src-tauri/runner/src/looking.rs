//! Looks at what may hang: a folder on a mount whose server is gone holds up whoever looks at it, in the kernel and for
//! as long as the server is gone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use repose_core::ids::RepoId;

/// A look takes some milliseconds, and on a cold disk or over a slow line a second or two. What takes longer hangs: it is
/// told as a folder that can't be used.
pub(crate) const LOOKS_WITHIN: Duration = Duration::from_secs(5);

/// The looks that hang. Each has a thread of its own that nobody can end, so a repo has no second one meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Looking {
    hang: Mutex<HashMap<RepoId, Weak<()>>>,
}

impl Looking {
    /// What is seen of this repo, looked at on a thread that may be held up. `None`: it doesn't come to an end within
    /// that, or an earlier one still hasn't.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        repo: &RepoId,
        within: Duration,
        look: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        if self.hang().get(repo).is_some_and(|hangs| hangs.strong_count() > 0) {
            return None;
        }
        let goes_on = Arc::new(());
        let hangs = Arc::downgrade(&goes_on);
        let looked = tokio::task::spawn_blocking(move || {
            let seen = look();
            drop(goes_on);
            seen
        });
        if let Ok(seen) = tokio::time::timeout(within, looked).await {
            self.hang().remove(repo);
            return seen.ok();
        }
        self.hang().insert(repo.clone(), hangs);
        None
    }

    fn hang(&self) -> MutexGuard<'_, HashMap<RepoId, Weak<()>>> {
        self.hang.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
