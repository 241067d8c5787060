//! The settings as a page edits them. Engines' settings are only in the file, since they can contain secrets
//! and name programs to run.

use std::time::Duration;

use repose_core::policy::Policy;
use repose_core::time::millis;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Trouble;

/// The settings in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Settings {
    /// An engine without holds is let go after this time without interaction.
    pub idle_after_ms: u64,
    /// An automatic open resumes a conversation that is younger than this.
    pub resume_within_ms: u64,
    /// A working engine without a sign of life for this long is shown as stalled.
    pub stall_after_ms: u64,
    /// The memory that all live engines may have together.
    pub memory_budget: Budget,
    /// How many engines may be live. `null`: any number.
    pub max_live: Option<u32>,
    /// The console's port. 0: chosen once, then kept. Takes effect at the next start.
    pub console_port: u16,
    /// What to notify about.
    pub notify: Notify,
    /// The path of their file.
    pub file: String,
    /// What is wrong with the file; the previous settings stay in force.
    pub trouble: Option<Trouble>,
}

/// An amount of memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Budget {
    /// No limit.
    Off,
    /// A fixed amount.
    Bytes {
        /// Bytes.
        bytes: u64,
    },
    /// A share of the machine's memory.
    Share {
        /// Percent: more than 0 and at most 100.
        percent: f64,
    },
}

/// What to notify about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// Notify when an idle engine is let go.
    pub reaped: bool,
    /// Notify when a conversation begins fresh.
    pub fresh: bool,
    /// Notify when an engine waits for a decision.
    pub needs_you: bool,
    /// Notify when a turn is over and nobody looked.
    pub finished: bool,
    /// Notify when something is wrong.
    pub trouble: bool,
}

/// Settings to change. Absent ones stay.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SettingsPatch {
    /// See [`Settings`].
    pub idle_after_ms: Option<u64>,
    /// See [`Settings`].
    pub resume_within_ms: Option<u64>,
    /// See [`Settings`].
    pub stall_after_ms: Option<u64>,
    /// See [`Settings`].
    pub memory_budget: Option<Budget>,
    /// See [`Settings`]; 0: any number.
    pub max_live: Option<u32>,
    /// See [`Settings`].
    pub console_port: Option<u16>,
    /// See [`Settings`]; replaces all of them.
    pub notify: Option<Notify>,
}

impl Settings {
    /// The settings in force, with their file and what is wrong with it.
    #[must_use]
    pub fn new(
        settings: &repose_runner::Settings,
        file: &std::path::Path,
        trouble: Option<&repose_core::trouble::Trouble>,
    ) -> Self {
        let Policy { idle_after, resume_within, stall_after } = settings.policy;
        let notify = settings.notify;
        Self {
            idle_after_ms: millis(idle_after),
            resume_within_ms: millis(resume_within),
            stall_after_ms: millis(stall_after),
            memory_budget: match settings.memory_budget {
                repose_runner::Budget::Off => Budget::Off,
                repose_runner::Budget::Bytes(bytes) => Budget::Bytes { bytes },
                repose_runner::Budget::Percent(percent) => Budget::Share { percent },
            },
            max_live: settings.max_live,
            console_port: settings.console_port,
            notify: Notify {
                reaped: notify.reaped,
                fresh: notify.fresh,
                needs_you: notify.needs_you,
                finished: notify.finished,
                trouble: notify.trouble,
            },
            file: file.to_string_lossy().into_owned(),
            trouble: trouble.map(Into::into),
        }
    }
}

impl SettingsPatch {
    /// These settings with the changes applied. Whether they make sense together is checked when they are
    /// written.
    #[must_use]
    pub fn applied(self, mut settings: repose_runner::Settings) -> repose_runner::Settings {
        let span = |ms: Option<u64>, old: Duration| ms.map_or(old, Duration::from_millis);
        let policy = settings.policy;
        settings.policy = Policy {
            idle_after: span(self.idle_after_ms, policy.idle_after),
            resume_within: span(self.resume_within_ms, policy.resume_within),
            stall_after: span(self.stall_after_ms, policy.stall_after),
        };
        if let Some(budget) = self.memory_budget {
            settings.memory_budget = match budget {
                Budget::Off => repose_runner::Budget::Off,
                Budget::Bytes { bytes } => repose_runner::Budget::Bytes(bytes),
                Budget::Share { percent } => repose_runner::Budget::Percent(percent),
            };
        }
        if let Some(max_live) = self.max_live {
            settings.max_live = Some(max_live).filter(|max| *max > 0);
        }
        settings.console_port = self.console_port.unwrap_or(settings.console_port);
        if let Some(Notify { reaped, fresh, needs_you, finished, trouble }) = self.notify {
            settings.notify = repose_runner::Notify { reaped, fresh, needs_you, finished, trouble };
        }
        settings
    }
}
