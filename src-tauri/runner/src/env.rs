//! The environment that engines get.
//!
//! An app that was started from a menu lacks the PATH of the user's shell. So the runner's own environment
//! comes first; the login shell's sets variables that are unset, and brings its PATH ([`login_env::merge`]);
//! the settings come last. The environment of a CLI caller is never used.

use std::ffi::OsString;

use repose_engine::Env;
use repose_sys::login_env;
use tokio::sync::watch;

use crate::settings::EngineSettings;

/// The prefix of Repose's own variables. Engines don't need them, and a holder would believe that it is
/// another's.
const OURS: &str = "REPOSE_";

/// Variables that describe the terminal that a holder offers.
const TERMINAL: [(&str, &str); 2] = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];

/// The runner's own environment, and the login shell's once that is known.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    own: login_env::Env,
    merged: watch::Receiver<Option<login_env::Env>>,
}

impl Environment {
    /// Starts to find the login shell's environment in the background, bounded by [`login_env::find`].
    pub(crate) fn begin(own: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let own: login_env::Env =
            own.into_iter().filter(|(name, _)| !name.to_string_lossy().starts_with(OURS)).collect();
        let (found, merged) = watch::channel(None);
        let asked = own.clone();
        tokio::task::spawn_blocking(move || {
            let shell = login_env::login_shell(&asked);
            let env = match login_env::find(&shell, &asked) {
                Ok(login) => login_env::merge(&asked, &login),
                Err(error) => {
                    tracing::warn!(%error, "the login shell's environment is not known");
                    asked
                }
            };
            let _ = found.send(Some(env));
        });
        Self { own, merged }
    }

    /// The environment of engines, once the login shell has answered.
    pub(crate) async fn known(&self, settings: &EngineSettings) -> Env {
        let mut merged = self.merged.clone();
        let env = match merged.wait_for(Option::is_some).await {
            Ok(env) => env.clone().unwrap_or_else(|| self.own.clone()),
            Err(_) => self.own.clone(),
        };
        let terminal = TERMINAL.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let set = settings.env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Env::new(env.into_iter().chain(terminal).chain(set))
    }
}
