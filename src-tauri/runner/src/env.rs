//! The environment that engines get.
//!
//! An app that was started from a menu lacks the PATH of the user's shell. So the runner's own environment
//! comes first; the login shell's sets variables that are unset, and brings its PATH ([`login_env::merge`]);
//! the settings come last. The environment of a CLI caller is never used.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use repose_engine::Env;
use repose_sys::login_env;
use tokio::sync::{Notify, watch};

use crate::check::sentence;
use crate::settings::EngineSettings;

/// The prefix of Repose's own variables. Engines don't need them, and a holder would believe that it is
/// another's.
const OURS: &str = "REPOSE_";

/// Variables that describe the terminal that a holder offers.
const TERMINAL: [(&str, &str); 2] = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];

/// How often a login shell that didn't answer is asked anew by itself: somebody may have mended its start-up files,
/// and each time it may wait for [`login_env::TIME_LIMIT`].
const AGAIN_EVERY: Duration = Duration::from_secs(5 * 60);

/// The runner's own environment, and the login shell's once that is known.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    own: login_env::Env,
    /// `None`: the shell hasn't answered yet.
    merged: watch::Receiver<Option<Merged>>,
    again: Arc<Notify>,
}

#[derive(Debug, Clone)]
struct Merged {
    env: login_env::Env,
    /// Why it is without the login shell's, as a sentence.
    without: Option<String>,
}

impl Environment {
    /// Starts to find the login shell's environment in the background, bounded by [`login_env::find`]. A shell that
    /// doesn't tell it is asked anew: every five minutes, and at [`Environment::look_again`].
    pub(crate) fn begin(own: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let own: login_env::Env =
            own.into_iter().filter(|(name, _)| !name.to_string_lossy().starts_with(OURS)).collect();
        let (found, merged) = watch::channel(None);
        let again = Arc::<Notify>::default();
        tokio::spawn(find(own.clone(), found, Arc::clone(&again)));
        Self { own, merged, again }
    }

    /// The environment of engines, once the login shell has answered.
    pub(crate) async fn known(&self, settings: &EngineSettings) -> Env {
        let mut merged = self.merged.clone();
        let env = match merged.wait_for(Option::is_some).await {
            Ok(merged) => merged.as_ref().map_or_else(|| self.own.clone(), |merged| merged.env.clone()),
            Err(_) => self.own.clone(),
        };
        let terminal = TERMINAL.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let set = settings.env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Env::new(env.into_iter().chain(terminal).chain(set))
    }

    /// Why the login shell's environment isn't known, as a sentence. `None`: it is, or the shell hasn't answered yet.
    pub(crate) fn without(&self) -> Option<String> {
        self.merged.borrow().as_ref().and_then(|merged| merged.without.clone())
    }

    /// Asks a login shell anew that didn't tell its environment, and returns once it has answered or reached its
    /// limit. At once if the environment is known.
    pub(crate) async fn look_again(&self) {
        let mut merged = self.merged.clone();
        if merged.borrow_and_update().as_ref().is_none_or(|merged| merged.without.is_none()) {
            return;
        }
        self.again.notify_one();
        let _ = merged.changed().await; // its end is an answer too
    }

    /// Returns once the login shell has told something else than before.
    pub(crate) async fn changes(&self) {
        let mut merged = self.merged.clone();
        merged.mark_unchanged();
        if merged.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

/// Asks until the shell has told its environment, or nobody wants to know.
async fn find(own: login_env::Env, found: watch::Sender<Option<Merged>>, again: Arc<Notify>) {
    loop {
        let asked = own.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let shell = login_env::login_shell(&asked);
            login_env::find(&shell, &asked).map(|login| login_env::merge(&asked, &login))
        });
        let without = match looked.await {
            Ok(Ok(env)) => {
                let _ = found.send(Some(Merged { env, without: None }));
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(error) => error.to_string(),
        };
        tracing::warn!(error = without, "the login shell's environment is not known");
        let without = Some(sentence(&without));
        if found.send(Some(Merged { env: own.clone(), without })).is_err() {
            return;
        }
        tokio::select! {
            () = again.notified() => {}
            () = tokio::time::sleep(AGAIN_EVERY) => {}
            () = found.closed() => return,
        }
    }
}
