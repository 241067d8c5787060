//! The command line: what may be typed, and the help that teaches it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

/// What `repose --help` begins with.
const ABOUT: &str = "Keeps coding agents in your repos, and gives their memory back.";

const LONG_ABOUT: &str = "\
Keeps coding agents in your repos, and gives their memory back.

You manage repos. An agent opens in a repo when something needs it, is let go when nobody does, and says each \
time whether it picked up the previous conversation or started fresh, and why.";

const EXAMPLES: &str = "\
Begin:
  repose serve                   the runner; leave it running (or start the app)
  repose add .                   this folder is a repo now
  repose ask . \"what is left to do?\"
  repose open .                  the agent itself, in this terminal (leave with Ctrl-\\ Ctrl-d)
  repose pause .                 end the agent, keep the conversation, get its memory back
  repose resume .                bring the same conversation back

REPO is a name, a path, an id, or `.` for the folder you are in.
Every verb takes --json and then prints one JSON value; errors are {\"error\":{\"code\",\"message\",\"hints\"}}.
Exit codes: 0 done, 1 a fault of Repose, 2 usage, 3 refused, 4 offline (engine, folder or runner), 5 timed out,
6 the turn failed or was interrupted.";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "repose", version, about = ABOUT, long_about = LONG_ABOUT, after_help = EXAMPLES)]
pub(crate) struct Line {
    /// What to do. Without one: how things stand.
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    /// Print one JSON value instead of words
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Add a folder as a repo
    #[command(after_help = "The newest conversation that the engine has for that folder becomes the repo's.")]
    Add(Add),
    /// Remove a repo from the list; its folder and its conversations stay
    Rm(End),
    /// List the repos: state, memory, what is wrong
    Ls,
    /// Show one repo, or the runner
    Status {
        /// Name, path, id or `.`; without it the runner
        #[arg(value_parser = reference)]
        repo: Option<String>,
    },
    /// Ask the agent of a repo, and print its answer
    #[command(
        after_help = "The answer goes to stdout, alone; whether the agent remembers, and why, goes to stderr.\n\
                      Asks run one at a time and in order. Ctrl-C takes back one that the agent doesn't have yet; one that it has goes on, \
                      and `repose log REPO` has the answer."
    )]
    Ask(Ask),
    /// The asks of a repo that have no answer yet, in order
    Asks(Repo),
    /// Take back an ask that the agent doesn't have yet
    #[command(override_usage = "repose withdraw <REPO> <ASK>\n       repose withdraw <REPO> --all")]
    Withdraw(Withdraw),
    /// Attach this terminal to the agent of a repo (leave with Ctrl-\ Ctrl-d)
    #[command(after_help = "Leaving, or closing the terminal, changes nothing: the agent goes on.")]
    Open(Repo),
    /// What was asked and answered, and what happened
    Log(Log),
    /// End the agent and give its memory back; the conversation stays, and nothing opens it until `resume`
    Pause(Pause),
    /// Lift a pause and bring the same conversation back, however old it is
    Resume(Resume),
    /// Begin a new conversation; the old one stays listed
    Fresh(End),
    /// Go on with a copy of a conversation; the other stays as it is, also where another program has it open
    Fork(Fork),
    /// End the agent and forget pause and queue: you don't come back to this now
    Stop(End),
    /// Go over to another agent program; each keeps its own conversation of the repo
    Engine(Engine),
    /// End the turn in progress, as Esc does
    Interrupt(Repo),
    /// Keep the agent of a repo, however idle
    Pin(Repo),
    /// Let the agent of a repo go again when it is idle
    Unpin(Repo),
    /// Why the agent of a repo is kept, and when it will be let go
    Why(Repo),
    /// The conversations of a repo, the latest first
    #[command(after_help = "`repose resume REPO --conversation ID` goes on with an earlier one.")]
    Conversations(Repo),
    /// Look at everything that Repose needs, and say what to do
    Doctor,
    /// Open the console in the browser
    Console {
        /// Print the link instead; it is good once, and for five minutes
        #[arg(long)]
        print: bool,
    },
    /// Run Repose here, without a window
    #[command(after_help = "Agents outlive it: they go on when it ends, and the next one finds them.")]
    Serve(Serve),
}

/// A repo.
#[derive(Debug, Args)]
pub(crate) struct Repo {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
}

/// `add`.
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The folder
    #[arg(value_parser = folder)]
    pub(crate) path: PathBuf,
    /// Its agent program
    #[arg(
        long,
        help = engines(
            "Its agent program",
            " [default: the one that was used last in the folder, else the first that is installed]"
        )
    )]
    pub(crate) engine: Option<String>,
    /// Its name [default: the folder's]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Begin without the conversation that the engine has for this folder
    #[arg(long)]
    pub(crate) no_adopt: bool,
    /// Don't ask before adding the whole machine or a whole home folder
    #[arg(long)]
    pub(crate) yes: bool,
}

/// What ends an agent.
#[derive(Debug, Args)]
pub(crate) struct End {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
    /// Even if work is lost; the next answer names what was interrupted
    #[arg(long)]
    pub(crate) interrupt: bool,
}

/// `withdraw`.
#[derive(Debug, Args)]
pub(crate) struct Withdraw {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
    /// The ask, as `repose asks` names it
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) ask: Option<String>,
    /// Every ask of the repo that still waits
    #[arg(long)]
    pub(crate) all: bool,
}

/// `engine`.
#[derive(Debug, Args)]
pub(crate) struct Engine {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
    /// The agent program
    #[arg(help = engines("The agent program", ""))]
    pub(crate) engine: String,
    /// Even if work of the one that is live is lost
    #[arg(long)]
    pub(crate) interrupt: bool,
}

/// `ask`.
#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
    /// What to ask; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: String,
    /// In a new conversation
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Wait for what would refuse it: in a paused repo for `resume`, with this verb ending at once; otherwise
    /// here, for a place or for another program that has the conversation open
    #[arg(long)]
    pub(crate) queue: bool,
    /// Don't wait for the answer; `repose log` has it later
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// How long to wait for the answer: `90s`, `10m`, `1h`. The ask goes on after that
    #[arg(long, default_value = "30m", value_parser = patience, conflicts_with = "no_wait", allow_hyphen_values = true)]
    pub(crate) timeout: Duration,
}

/// `log`.
#[derive(Debug, Args)]
pub(crate) struct Log {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
    /// Go on printing what comes; with --json one JSON value a line
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// How many entries, counted from the latest
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000), allow_negative_numbers = true)]
    pub(crate) limit: u32,
}

/// `pause`.
#[derive(Debug, Args)]
pub(crate) struct Pause {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Even if work is lost; the next answer names what was interrupted
    #[arg(long)]
    pub(crate) interrupt: bool,
}

/// `resume`.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    #[command(flatten)]
    pub(crate) which: Which,
    /// An earlier conversation; `repose conversations` lists them
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub(crate) conversation: Option<String>,
}

/// `fork`.
#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: String,
    /// Of this conversation instead of the current one; `repose conversations` lists them
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
}

/// One repo or all.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// Name, path, id or `.`
    #[arg(value_parser = reference)]
    pub(crate) repo: Option<String>,
    /// Every repo; `pause --all` also keeps the others from opening, `resume --all` only lifts
    #[arg(long)]
    pub(crate) all: bool,
}

/// `serve`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where the console listens on 127.0.0.1 [default: chosen once, then kept]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Don't hand over to the desktop app when it starts
    #[arg(long)]
    pub(crate) stay: bool,
}

/// What an engine may be, in the words of a help.
fn engines(what: &str, default: &str) -> String {
    let names: Vec<String> =
        repose_engine::built_in().iter().map(|engine| format!("`{}`", engine.name())).collect();
    format!("{what}: {}, or one from the settings{default}", names.join(", "))
}

/// What a repo is called by.
fn reference(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("say which repo: by its name, its path, its id, or `.`".into());
    }
    if crate::client::looks_like_a_path(text) {
        in_a_folder(Path::new(text))?;
    }
    Ok(text.to_owned())
}

/// The folder that is to be added.
fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    in_a_folder(&path)?;
    Ok(path)
}

/// A relative path means nothing in a folder that was deleted.
fn in_a_folder(path: &Path) -> Result<(), String> {
    match std::env::current_dir() {
        Err(error) if path.is_relative() => Err(format!(
            "the folder that you are in is gone ({error}); name the repo, or write its whole path"
        )),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A span as people write it: `90s`, `10m`, `1h`.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no span; write it like `90s`, `10m` or `1h`");
    let digits = text.trim_end_matches(char::is_alphabetic).trim_end();
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let unit = match text[digits.len()..].trim_start() {
        "ms" => return Ok(Duration::from_millis(number)),
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(wrong)
}

/// A span for which an answer may be waited.
fn patience(text: &str) -> Result<Duration, String> {
    let max = repose_console::wire::ANSWER_WITHIN_MAX;
    span(text).and_then(|span| {
        if span.is_zero() {
            return Err("no answer is there at once; with `--no-wait` it comes in `repose log`".into());
        }
        if span <= max {
            return Ok(span);
        }
        let max = repose_core::words::span(max);
        Err(format!("an answer is waited for {max} at most; with `--no-wait` it comes in `repose log`"))
    })
}

#[cfg(test)]
mod tests;
