//! How a verb fails: words on stderr or one JSON value on stdout, and an exit code.

use std::io;
use std::process::ExitCode;

use repose_console::wire;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use serde_json::{Map, Value, json};

/// The exit code after Ctrl-C, as in shells.
const BROKEN_OFF: u8 = 130;

/// Why a verb fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A trouble to show the user; with `--json`, the complete JSON from the runner.
    Told(Box<wire::Trouble>, Value),
    /// The user broke it off: what goes on nevertheless, as words, and further fields of the JSON.
    BrokenOff(String, Map<String, Value>),
    /// Everything has been printed; this is the exit code.
    Printed(u8),
    /// Whoever read the output is gone, so nobody is left to tell.
    NobodyReads,
}

impl Failure {
    /// A trouble that this program found itself.
    pub(crate) fn new<H: Into<String>>(
        code: Code,
        sentence: impl Into<String>,
        hints: impl IntoIterator<Item = H>,
    ) -> Self {
        Trouble::new(code, sentence, hints).into()
    }

    /// The runner's answer can't be understood, or there is none.
    pub(crate) fn strange(what: impl std::fmt::Display) -> Self {
        let sentence =
            format!("The runner's answer can't be understood ({}).", words::line(&what.to_string()));
        let hint =
            "After an update, start the runner anew: end `repose serve` and run it again. Agents go on.";
        Self::new(Code::Internal, sentence, [hint])
    }

    /// Prints the failure and returns the exit code.
    pub(crate) fn tell(&self, as_json: bool) -> ExitCode {
        match self {
            Self::Told(trouble, whole) => {
                // What can't be written to stdout is said on stderr.
                let told = as_json && crate::print::line(&whole.to_string()).is_ok();
                if !told {
                    let statement = whole["continuity"]["sentence"].as_str().map(|text| format!("{text}\n"));
                    let mut text = statement.unwrap_or_default();
                    text.push_str(&format!("repose: {}\n", trouble.message));
                    for hint in &trouble.hints {
                        text.push_str(&format!("  {hint}\n"));
                    }
                    crate::print::aside(text.trim_end());
                }
                ExitCode::from(wire::exit_code(&trouble.code))
            }
            Self::BrokenOff(words, fields) => {
                if as_json {
                    let error = json!({ "code": "broken_off", "message": words, "hints": [] });
                    let mut whole = fields.clone();
                    whole.insert("error".into(), error);
                    // If nobody reads the message, there is still the exit code.
                    let _ = crate::print::line(&Value::Object(whole).to_string());
                } else {
                    crate::print::aside(words);
                }
                ExitCode::from(BROKEN_OFF)
            }
            Self::Printed(code) => ExitCode::from(*code),
            Self::NobodyReads => ExitCode::SUCCESS,
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        let trouble = wire::Trouble::from(&trouble);
        let whole = json!({ "error": trouble });
        Self::Told(Box::new(trouble), whole)
    }
}

/// Only for errors from writing to stdout.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::NobodyReads;
        }
        Self::new(
            Code::Internal,
            format!("The output could not be written ({error})."),
            ["Try another place for it."],
        )
    }
}
