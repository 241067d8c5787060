//! Parsing settings.

use std::collections::BTreeMap;
use std::time::Duration;

use repose_core::policy::{Policy, Unfit};
use serde::Deserialize;

use super::engines::EngineFile;
use super::plain::plain;
use super::{BadSettings, Budget, Notify, Settings};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    idle_after: Option<Written>,
    resume_within: Option<Written>,
    stall_after: Option<Written>,
    memory_budget: Option<Written>,
    max_live: Option<Written>,
    #[serde(default)]
    console: Console,
    #[serde(default)]
    notify: NotifyFile,
    #[serde(default)]
    engines: BTreeMap<toml::Spanned<String>, EngineFile>,
}

/// Any value, with its place in the file.
type Written = toml::Spanned<toml::Value>;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Console {
    port: u16,
    editor: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct NotifyFile {
    reaped: Option<bool>,
    fresh: Option<bool>,
    needs_you: Option<bool>,
    finished: Option<bool>,
    trouble: Option<bool>,
}

/// The file's text.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, BadSettings> {
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let at = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        BadSettings::new(format!("line {at}: this is no UTF-8 text; save the file as UTF-8"))
    })
}

pub(super) fn parse(text: &str) -> Result<Settings, BadSettings> {
    let file: File = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(String::new(), |span| format!("line {}: ", line(text, span.start)));
        BadSettings::new(format!("{at}{}", plain(error.message())))
    })?;
    let defaults = Policy::default();
    let span = |key: &str, written: &Option<Written>, default: Duration| match written {
        None => Ok(default),
        Some(written) => duration(written.get_ref()).ok_or_else(|| {
            let (at, value) = (line(text, written.span().start), written.get_ref());
            BadSettings::new(format!(
                "line {at}: `{key} = {value}` is no duration; write it like \"90s\", \"6h\" or \"4d\""
            ))
        }),
    };
    let policy = Policy {
        idle_after: span("idle_after", &file.idle_after, defaults.idle_after)?,
        resume_within: span("resume_within", &file.resume_within, defaults.resume_within)?,
        stall_after: span("stall_after", &file.stall_after, defaults.stall_after)?,
    };
    let policy = policy.checked().map_err(|unfit| {
        let written = match unfit {
            Unfit::IdleTooShort(_) => file.idle_after.as_ref(),
            Unfit::IdleNotShorter(_) => file.idle_after.as_ref().or(file.resume_within.as_ref()),
            Unfit::StallNothing => file.stall_after.as_ref(),
        };
        let at = written.map_or(String::new(), |at| format!("line {}: ", line(text, at.span().start)));
        BadSettings::new(format!("{at}{}", unfit.sentence()))
    })?;
    Ok(Settings {
        policy,
        memory_budget: file.memory_budget.map_or(Ok(Budget::Off), |written| budget(text, &written))?,
        max_live: file.max_live.map_or(Ok(None), |written| max_live(text, &written))?,
        console_port: file.console.port,
        editor: file.console.editor.filter(|editor| !editor.trim().is_empty()),
        notify: file.notify.filled(),
        engines: file
            .engines
            .into_iter()
            .map(|(name, engine)| engine.checked(text, &name))
            .collect::<Result<_, _>>()?,
    })
}

impl NotifyFile {
    fn filled(&self) -> Notify {
        let default = Notify::default();
        Notify {
            reaped: self.reaped.unwrap_or(default.reaped),
            fresh: self.fresh.unwrap_or(default.fresh),
            needs_you: self.needs_you.unwrap_or(default.needs_you),
            finished: self.finished.unwrap_or(default.finished),
            trouble: self.trouble.unwrap_or(default.trouble),
        }
    }
}

fn duration(written: &toml::Value) -> Option<Duration> {
    humantime::parse_duration(written.as_str()?).ok()
}

/// The least bytes that `memory_budget` takes: about what the process that keeps an agent holds with the smallest of
/// agents, a shell. Below it none could ever stay, which is rather a slip, such as MB for GB.
const BUDGET_MIN: u64 = 10_000_000;

fn budget(text: &str, written: &Written) -> Result<Budget, BadSettings> {
    let (at, value) = (line(text, written.span().start), written.get_ref());
    match value.as_str().and_then(amount) {
        Some(Budget::Bytes(bytes)) if bytes < BUDGET_MIN => Err(BadSettings::new(format!(
            "line {at}: `memory_budget = {value}` is less than any agent holds; write at least \"{}\", or \"off\"",
            Budget::Bytes(BUDGET_MIN).text()
        ))),
        Some(budget) => Ok(budget),
        None => Err(BadSettings::new(format!(
            "line {at}: `memory_budget = {value}` is no amount; write \"off\", \"4 GB\" or \"50%\""
        ))),
    }
}

fn amount(value: &str) -> Option<Budget> {
    let value = value.trim();
    if value == "off" {
        return Some(Budget::Off);
    }
    let share = value.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    if let Some(percent) = share.filter(|percent| *percent > 0.0 && *percent <= 100.0) {
        return Some(Budget::Percent(percent));
    }
    bytes(value).map(Budget::Bytes)
}

fn bytes(value: &str) -> Option<u64> {
    let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = value.split_at(digits);
    let factor = match unit.trim() {
        "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    };
    let bytes = number.parse::<f64>().ok()? * factor;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive amount of memory, checked"
    )]
    (1.0..1e18).contains(&bytes).then_some(bytes as u64)
}

fn max_live(text: &str, written: &Written) -> Result<Option<u32>, BadSettings> {
    let value = written.get_ref();
    if value.as_str() == Some("off") {
        return Ok(None);
    }
    let number = value.as_integer().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| *number > 0).map(Some).ok_or_else(|| {
        BadSettings::new(format!(
            "line {}: `max_live = {value}` is no bound; write \"off\" or a number from 1 on",
            line(text, written.span().start)
        ))
    })
}

pub(super) fn line(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1
}
