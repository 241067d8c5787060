//! Persons who use a repo: what a terminal or a page tells of them holds its engine for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use repose_core::ids::RepoId;
use repose_core::trouble::Trouble;
use tokio::time::Instant;

use super::Runner;
use crate::actor::{Handle, Wake};

/// Somebody who did something in a terminal or a page that they see uses it for so long: time to read an
/// answer, or to think about the next question. One that is behind another window, hidden, closed or only
/// connected is used by nobody.
pub const USED_FOR: Duration = Duration::from_secs(120);

/// One client through which a person may use a repo. Dropping it is its end.
#[derive(Debug)]
pub struct Use {
    client: String,
    handle: Handle,
}

impl Runner {
    /// A client that will tell when a person uses the repo.
    ///
    /// # Errors
    /// If the repo is gone.
    pub fn client(&self, repo: &RepoId) -> Result<Use, Trouble> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let client = format!("terminal {}", NEXT.fetch_add(1, Ordering::Relaxed));
        Ok(Use { client, handle: self.actor(repo)?.handle })
    }

    /// A client without a connection of its own says that a person uses the repo through it, or does no more.
    ///
    /// # Errors
    /// If the repo is gone.
    pub fn used(&self, repo: &RepoId, client: &str, in_use: bool) -> Result<(), Trouble> {
        let until = in_use.then(|| Instant::now() + USED_FOR);
        self.actor(repo)?.handle.send(Wake::Used(format!("page {client}"), until));
        Ok(())
    }

    /// That client is gone: nobody uses any repo through it.
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

    /// They don't see it any more.
    pub fn hidden(&self) {
        self.handle.send(Wake::Used(self.client.clone(), None));
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        self.hidden();
    }
}
