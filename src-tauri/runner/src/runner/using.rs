//! People who use a repo: their activity in a terminal or a page holds its engine for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use repose_core::ids::RepoId;
use repose_core::trouble::Trouble;
use tokio::time::Instant;

use super::Runner;
use crate::actor::{Handle, Wake};

/// How long somebody counts as using a repo after doing something in a terminal or page in view: time to read
/// an answer or think about the next question. A terminal or page that is covered, hidden, closed or merely
/// connected doesn't count.
pub const USED_FOR: Duration = Duration::from_secs(120);

/// A client through which a person may use a repo. Dropping it ends the use.
#[derive(Debug)]
pub struct Use {
    client: String,
    handle: Handle,
}

impl Runner {
    /// Registers a client that reports when a person uses the repo.
    ///
    /// # Errors
    /// If the repo is gone.
    pub fn client(&self, repo: &RepoId) -> Result<Use, Trouble> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let client = format!("terminal {}", NEXT.fetch_add(1, Ordering::Relaxed));
        Ok(Use { client, handle: self.actor(repo)?.handle })
    }

    /// Takes in that a person uses the repo, or no longer does, through a client without a connection of its
    /// own.
    ///
    /// # Errors
    /// If the repo is gone.
    pub fn used(&self, repo: &RepoId, client: &str, in_use: bool) -> Result<(), Trouble> {
        let until = in_use.then(|| Instant::now() + USED_FOR);
        self.actor(repo)?.handle.send(Wake::Used(format!("page {client}"), until));
        Ok(())
    }

    /// Takes in that a client is gone: nobody uses any repo through it.
    pub fn left(&self, client: &str) {
        for actor in self.actors().values() {
            actor.handle.send(Wake::Used(format!("page {client}"), None));
        }
    }
}

impl Use {
    /// The person did something: a key, a click, a scroll.
    pub fn used(&self) {
        self.handle.send(Wake::Used(self.client.clone(), Some(Instant::now() + USED_FOR)));
    }

    /// The person no longer sees it.
    pub fn hidden(&self) {
        self.handle.send(Wake::Used(self.client.clone(), None));
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.hidden();
    }
}
