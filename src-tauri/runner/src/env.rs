//! The environment that engines get.
//!
//! An app that was started from a menu lacks the PATH of the user's shell. So the runner's own environment
//! comes first; the login shell's sets variables that are unset, and brings its PATH ([`login_env::merge`]);
//! the settings come last. The environment of a CLI caller is never used.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use repose_core::trouble::{Code, Trouble};
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

/// A login shell that has told its environment isn't asked again for this long: of many repos that miss an engine at
/// once, one has it asked.
const TOLD_FOR: Duration = Duration::from_secs(5);

/// The same where somebody only looks at which engines there are, as a page does again and again.
const TOLD_FOR_LOOKS: Duration = Duration::from_secs(60);

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
    /// When the shell was asked last.
    at: Instant,
}

impl Environment {
    /// Starts to find the login shell's environment in the background, bounded by [`login_env::find`]. The shell is
    /// asked anew at [`Environment::look_again`]; one that doesn't tell it, every five minutes too.
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

    /// Asks the login shell anew, since its start-up files may have changed, and returns once it has answered or reached
    /// its limit. At once if it has told its environment just now, or hasn't answered yet.
    pub(crate) async fn look_again(&self) {
        self.ask_anew(TOLD_FOR).await;
    }

    /// Has the login shell asked anew in the background, for whoever looks next.
    pub(crate) fn look_again_for_the_next(&self) {
        let env = self.clone();
        tokio::spawn(async move { env.ask_anew(TOLD_FOR_LOOKS).await });
    }

    async fn ask_anew(&self, told_for: Duration) {
        let mut merged = self.merged.clone();
        let fresh = |merged: &Merged| merged.without.is_none() && merged.at.elapsed() < told_for;
        if merged.borrow_and_update().as_ref().is_none_or(fresh) {
            return;
        }
        self.again.notify_one();
        let _ = merged.changed().await; // its end is an answer too
    }

    /// What the login shell tells from now on.
    pub(crate) fn follow(&self) -> Followed {
        let merged = self.merged.clone();
        let known = Told::of(&merged.borrow());
        Followed { merged, known }
    }
}

/// What the login shell told, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told(Option<(login_env::Env, Option<String>)>);

impl Told {
    fn of(merged: &Option<Merged>) -> Self {
        Self(merged.as_ref().map(|now| (now.env.clone(), now.without.clone())))
    }
}

/// Follows what the login shell tells.
#[derive(Debug)]
pub(crate) struct Followed {
    merged: watch::Receiver<Option<Merged>>,
    known: Told,
}

impl Followed {
    /// Returns once it has told something else than at the last change, which may have been while nobody waited.
    pub(crate) async fn changes(&mut self) {
        let known = &self.known;
        let told = self.merged.wait_for(|now| Told::of(now) != *known).await.map(|now| Told::of(&now));
        match told {
            Ok(told) => self.known = told,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Whether this may be over once the login shell is asked anew: an engine can have been installed where only a later
/// login finds it. `described`: the settings describe the engine; otherwise they alone can help.
pub(crate) fn may_help(trouble: &Trouble, described: bool) -> bool {
    described && (trouble.code == Code::LoginShellUnknown || trouble.code == Code::EngineMissing)
}

/// Asks the shell, and again whenever somebody wants to know. What it told once stays known if it tells nothing later.
async fn find(own: login_env::Env, found: watch::Sender<Option<Merged>>, again: Arc<Notify>) {
    loop {
        let asked = own.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let shell = login_env::login_shell(&asked);
            login_env::find(&shell, &asked).map(|login| login_env::merge(&asked, &login))
        });
        let told = match looked.await {
            Ok(Ok(env)) => Ok(env),
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        found.send_modify(|merged| {
            let known = merged.take().filter(|known| known.without.is_none());
            let at = Instant::now();
            *merged = Some(match (told, known) {
                (Ok(env), _) => Merged { env, without: None, at },
                (Err(error), known) => {
                    tracing::warn!(error, "the login shell doesn't tell its environment");
                    known.map_or_else(
                        || Merged { env: own.clone(), without: Some(sentence(&error)), at },
                        |known| Merged { at, ..known },
                    )
                }
            });
        });
        let known = found.borrow().as_ref().is_some_and(|merged| merged.without.is_none());
        tokio::select! {
            () = again.notified() => {}
            () = tokio::time::sleep(AGAIN_EVERY), if !known => {}
            () = found.closed() => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(ago: Duration) -> Merged {
        Merged { env: login_env::Env::new(), without: None, at: Instant::now() - ago }
    }

    #[tokio::test]
    async fn what_the_shell_told_while_nobody_waited_is_heard() {
        let (found, merged) = watch::channel(Some(told(Duration::ZERO)));
        let environment = Environment { own: login_env::Env::new(), merged, again: Arc::default() };
        let mut followed = environment.follow();
        found.send_modify(|merged| {
            if let Some(merged) = merged {
                merged.without = Some("It gave no answer.".into());
            }
        });
        followed.changes().await;
        found.send_modify(|_| {});
        let again = tokio::time::timeout(Duration::from_millis(10), followed.changes()).await;
        assert!(again.is_err(), "nothing else was told");
    }

    #[tokio::test]
    async fn one_that_only_looks_has_the_shell_asked_more_seldom_than_one_that_needs_it() {
        let (found, merged) = watch::channel(Some(told(2 * TOLD_FOR)));
        let environment = Environment { own: login_env::Env::new(), merged, again: Arc::default() };
        environment.ask_anew(TOLD_FOR_LOOKS).await;
        let needs = tokio::spawn({
            let environment = environment.clone();
            async move { environment.look_again().await }
        });
        environment.again.notified().await;
        found.send_replace(Some(told(Duration::ZERO)));
        needs.await.expect("it was asked once");
    }

    #[test]
    fn no_login_shell_helps_an_engine_that_the_settings_dont_describe() {
        for code in [Code::EngineMissing, Code::LoginShellUnknown] {
            let trouble = Trouble::new(code, "It is missing.", [""; 0]);
            assert_eq!([true, false].map(|described| may_help(&trouble, described)), [true, false]);
        }
    }
}
