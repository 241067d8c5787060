//! Output for people. Only answers go to stdout, so that they can be piped; everything else goes to stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use repose_console::wire::{
    AskShown, AskStage, Check, Keeps, Level, Listed, LogEntry, Owner, Repo, State, Status, Time, Totals,
};
use repose_core::time::Wall;
use repose_core::words;
use repose_sys::clock;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters at the end of an ask's id that name it. Ids of the same moment begin alike; the end is random.
pub(crate) const ASK_ID: usize = 8;

/// The characters of the longest kind of entry in a log.
const LOG_KIND: usize = "order dropped".len();

/// The fewest cells that a name gets in a list, however narrow the terminal is.
const NAME_MIN: usize = 16;

/// The most characters of an ask's text in a list.
const ASK_TEXT: usize = 60;

/// Writes a line to stdout: unchanged into a pipe, but [`harmless`] to a terminal.
pub(crate) fn line(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let text = if stdout.is_terminal() { harmless(text) } else { text.into() };
    writeln!(stdout, "{text}")?;
    stdout.flush()
}

/// Writes a line to stderr. It doesn't matter if nobody reads it.
pub(crate) fn aside(text: &str) {
    let mut stderr = io::stderr().lock();
    let text = if stderr.is_terminal() { harmless(text) } else { text.into() };
    let _ = writeln!(stderr, "{text}");
}

/// Removes what a terminal would obey: an agent's text might write to the clipboard or change earlier lines.
fn harmless(text: &str) -> Cow<'_, str> {
    let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(obeyed) { text.replace(obeyed, "").into() } else { text.into() }
}

/// A path on one line, with its control characters written out.
pub(crate) fn plain(path: &str) -> String {
    path.chars().fold(String::new(), |mut shown, c| {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
        shown
    })
}

/// A name that takes at most this many cells of a terminal. What is left out is in the middle: names that begin alike
/// often differ at their end.
fn shortened(name: &str, most: usize) -> String {
    if name.width() <= most {
        return name.to_owned();
    }
    let take = |chars: &mut dyn Iterator<Item = char>, room: usize| {
        let mut used = 0;
        chars
            .take_while(|c| {
                used += c.width().unwrap_or(0);
                used <= room
            })
            .collect::<String>()
    };
    let room = most.saturating_sub(1);
    let start = take(&mut name.chars(), room - room / 2);
    let end: String = take(&mut name.chars().rev(), room / 2).chars().rev().collect();
    format!("{start}…{end}")
}

/// The most cells of a name in a list: a third of the terminal. A pipe gets all of it.
fn name_max() -> usize {
    let stdout = io::stdout();
    let columns = rustix::termios::tcgetwinsize(&stdout).map_or(0, |size| usize::from(size.ws_col));
    if stdout.is_terminal() && columns > 0 { (columns / 3).max(NAME_MIN) } else { usize::MAX }
}

/// All repos, one per line.
pub(crate) fn repos(repos: &[Repo], totals: &Totals) -> String {
    if repos.is_empty() {
        return "No repos yet. Add one: `repose add PATH`.".into();
    }
    let most = name_max();
    let row = |repo: &Repo| [shortened(&repo.name, most), state(repo), memory(repo), note(repo)];
    let rows: Vec<[String; 4]> = repos.iter().map(row).collect();
    let mut text = table(&rows);
    text.push_str(&format!("\n{}", self::totals(totals)));
    text
}

/// One repo, one fact per line.
pub(crate) fn repo(repo: &Repo) -> String {
    let mut rows = vec![
        ["repo".to_owned(), repo.name.clone()],
        ["folder".to_owned(), plain(&repo.path)],
        ["engine".to_owned(), repo.engine.clone()],
        ["state".to_owned(), state(repo)],
    ];
    let mut row = |name: &str, value: String| rows.push([name.to_owned(), value]);
    if let Some(memory) = &repo.memory {
        let processes = if memory.processes == 1 { "process" } else { "processes" };
        row("memory", format!("{} in {} {processes}", words::bytes(memory.bytes), memory.processes));
    }
    if let Some(freed) = repo.freed_bytes {
        row("freed", words::bytes(freed));
    }
    if let Some(conversation) = &repo.conversation {
        let mut facts: Vec<_> = turns(conversation.turns).into_iter().collect();
        facts.extend(conversation.last_activity.map(|at| format!("last used {} ago", age(at))));
        facts.extend(conversation.context_tokens.map(|tokens| format!("{tokens} tokens of context")));
        row("conversation", facts.join(", "));
    }
    if let Some(continuity) = &repo.continuity {
        row("last opened", continuity.sentence.clone());
    }
    if let Some(owner) = &repo.owner {
        row("open elsewhere", elsewhere(owner));
    }
    if repo.queued > 0 {
        row("asks waiting", format!("{} (`repose asks` lists them)", repo.queued));
    }
    for (at, hold) in repo.holds.iter().enumerate() {
        row(if at == 0 { "kept because of" } else { "" }, hold_words(&hold.detail, hold.since));
    }
    if let Some(at) = repo.reap_at {
        row("let go in", until(at));
    }
    if let Some(trouble) = &repo.trouble {
        row("trouble", trouble.message.clone());
        for hint in &trouble.hints {
            row("", hint.clone());
        }
    }
    table(&rows)
}

/// What holds its engine.
pub(crate) fn why(repo: &Repo) -> String {
    let live = match repo.state {
        State::Opening | State::Ready | State::Working | State::Waiting => true,
        State::Asleep | State::Paused | State::Offline => false,
    };
    let name = &repo.name;
    if !live {
        let idle = format!("{name} is {}: no agent is running, so nothing is kept.", repo.state.as_str());
        return repo.trouble.iter().fold(idle, |said, trouble| format!("{said}\n{}", trouble.message));
    }
    let holds: Vec<String> =
        repo.holds.iter().map(|hold| format!("  {}", hold_words(&hold.detail, hold.since))).collect();
    let kept = match (holds.as_slice(), repo.reap_at) {
        ([], Some(at)) => format!("Nothing keeps {name}: its agent is let go in {}.", until(at)),
        ([], None) => format!("Nothing keeps {name}."),
        (holds, _) => format!("{name} is kept because of\n{}", holds.join("\n")),
    };
    repo.trouble.iter().fold(kept, |said, trouble| format!("{said}\n{}", trouble.message))
}

/// What becomes of the asks that waited, once an order has opened an engine for them. `None`: there are none.
pub(crate) fn goes_to_it(repo: &Repo) -> Option<String> {
    match repo.asks.len() {
        0 => None,
        1 => Some("The ask that waited goes to it now.".into()),
        many => Some(format!("The {many} asks that waited go to it now, one after the other.")),
    }
}

/// The state of the runner.
pub(crate) fn status(status: &Status) -> String {
    let runner = &status.runner;
    let mut text = format!(
        "{} {} runs as process {}, for {}.\n{}",
        if runner.app { "The Repose app" } else { "`repose serve`" },
        runner.version,
        runner.pid,
        age(runner.started),
        totals(&status.totals)
    );
    if let Some(console) = &runner.console {
        text.push_str(&format!("\nIts console is at {console}; `repose console` opens it."));
    }
    text
}

/// Conversations, one per line.
pub(crate) fn conversations(listed: &[Listed], repo: &Repo) -> String {
    if listed.is_empty() {
        return match repo.keeps {
            Keeps::PickedUp | Keeps::Listed => "No conversations yet.".into(),
            Keeps::Nothing => format!("No conversations: {} keeps none.", repo.engine),
        };
    }
    let several = listed.iter().any(|other| other.engine != listed[0].engine);
    let rows: Vec<[String; 5]> = listed
        .iter()
        .map(|listed| {
            let engine = if several { listed.engine.clone() } else { String::new() };
            let conversation = &listed.conversation;
            let id = format!("{} {}", if listed.current { "*" } else { " " }, conversation.id);
            let when = conversation.last_activity.map_or_else(String::new, |at| format!("{} ago", age(at)));
            let title = listed.title.clone().unwrap_or_default();
            let from = listed
                .moved_from
                .as_ref()
                .map_or_else(String::new, |from| format!(" (of {}, which is gone)", plain(from)));
            let lost = listed.lost.as_ref().map_or_else(String::new, |lost| format!("({lost})"));
            let what = [title, from, lost].concat();
            [id, engine, when, turns(conversation.turns).unwrap_or_default(), what]
        })
        .collect();
    table(&rows)
}

/// The asks of the repo of this name that have no answer yet.
pub(crate) fn asks(name: &str, asks: &[AskShown]) -> String {
    match asks {
        [] => format!("No ask of {name} waits for its answer."),
        asks => table(&asks.iter().map(ask).collect::<Vec<_>>()),
    }
}

fn ask(ask: &AskShown) -> [String; 4] {
    let id: String = ask.id.chars().skip(ask.id.chars().count().saturating_sub(ASK_ID)).collect();
    let mut lines = ask.text.lines();
    let mut text: String = lines.next().unwrap_or_default().chars().take(ASK_TEXT).collect();
    if text.len() < ask.text.len() {
        text.push('…');
    }
    let stage = match ask.stage {
        AskStage::Waiting => ask.reason.clone().unwrap_or_else(|| "waits".into()),
        AskStage::Typed => "is being typed".into(),
        AskStage::Taken => "the agent has it".into(),
    };
    [id, format!("{} ago", age(ask.at)), text, format!("({stage})")]
}

/// An entry of the log.
pub(crate) fn entry(entry: &LogEntry) -> String {
    let freed =
        entry.freed_bytes.map_or_else(String::new, |bytes| format!(" Freed {}.", words::bytes(bytes)));
    let mut lines = entry.text.lines();
    let first = lines.next().unwrap_or_default();
    let kind = entry.kind.replace('_', " ");
    let begin = format!("{}  {kind:<LOG_KIND$} ", local(entry.at, clock::offset_at(entry.at.0)));
    let mut text = format!("{begin}{first}{freed}");
    for line in lines {
        text.push_str(&format!("\n{:1$}{line}", "", begin.len()));
    }
    text
}

/// A moment where the clocks are this many seconds ahead of UTC, to the second: RFC 3339.
fn local(Time(Wall(at)): Time, ahead: i32) -> String {
    let there = Time(Wall(at.saturating_add_signed(i64::from(ahead) * 1_000))).to_string();
    let (minutes, sign) = (ahead.unsigned_abs() / 60, if ahead < 0 { '-' } else { '+' });
    let seconds = there.split('.').next().unwrap_or_default();
    format!("{seconds}{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The doctor's results.
pub(crate) fn checks(checks: &[Check]) -> String {
    let mut lines = Vec::new();
    for check in checks {
        let mark = match check.level {
            Level::Ok => "ok     ",
            Level::Warning => "warning",
            Level::Error => "error  ",
        };
        lines.push(format!("{mark}  {}: {}", check.name, check.sentence));
        lines.extend(check.hints.iter().map(|hint| format!("         {hint}")));
    }
    lines.join("\n")
}

/// One sentence about a repo that was changed.
pub(crate) fn now_is(repo: &Repo) -> String {
    format!("{} is {}.", repo.name, state(repo))
}

/// How long ago a moment was.
pub(crate) fn age(at: Time) -> String {
    words::span(now().saturating_sub(Duration::from_millis(at.0.0)))
}

fn until(at: Time) -> String {
    words::span(Duration::from_millis(at.0.0).saturating_sub(now()))
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn hold_words(detail: &str, since: Time) -> String {
    format!("{detail}, for {}", age(since))
}

/// How many turns, in words. `None`: that isn't known.
pub(crate) fn turns(turns: Option<u32>) -> Option<String> {
    turns.map(|turns| if turns == 1 { "1 turn".into() } else { format!("{turns} turns") })
}

fn totals(totals: &Totals) -> String {
    let gate = totals.gate.then(|| format!(" {}.", words::gate_closed("`repose resume --all`")));
    let live = match (totals.live, totals.live_bytes) {
        (live @ 1.., 0) => format!("{live} live"), // not measured yet
        (live, bytes) => format!("{live} live, {}", words::bytes(bytes)),
    };
    format!(
        "{live}; {} paused; freed {}.{}",
        totals.paused,
        words::bytes(totals.freed_bytes),
        gate.unwrap_or_default()
    )
}

fn state(repo: &Repo) -> String {
    let mut state = repo.state.as_str().to_owned();
    if repo.queued > 0 {
        let asks = if repo.queued == 1 { "ask waits" } else { "asks wait" };
        state.push_str(&format!(", {} {asks}", repo.queued));
    }
    if repo.pinned {
        state.push_str(", pinned");
    }
    state
}

fn memory(repo: &Repo) -> String {
    match (&repo.memory, repo.freed_bytes) {
        (Some(memory), _) => words::bytes(memory.bytes),
        (None, Some(freed)) => format!("freed {}", words::bytes(freed)),
        (None, None) => String::new(),
    }
}

/// The most important fact, on one line.
fn note(repo: &Repo) -> String {
    if let Some(trouble) = &repo.trouble {
        return trouble.message.clone();
    }
    if let Some(owner) = &repo.owner {
        return format!("its conversation is open in {}", elsewhere(owner));
    }
    let goes_on = match repo.state {
        State::Working | State::Waiting => repo.holds.first(),
        State::Ready => repo.holds.iter().find(|hold| hold.work),
        State::Asleep | State::Opening | State::Paused | State::Offline => None,
    };
    if let Some(hold) = goes_on {
        return hold_words(&hold.detail, hold.since);
    }
    match &repo.conversation {
        Some(conversation) => {
            let last = conversation.last_activity.map(|at| format!("{} ago", age(at)));
            turns(conversation.turns).into_iter().chain(last).collect::<Vec<_>>().join(", ")
        }
        None => repo.last.as_ref().map_or_else(|| "nothing asked yet".into(), |last| last.sentence.clone()),
    }
}

/// The other program that has the conversation open.
fn elsewhere(owner: &Owner) -> String {
    let terminal = owner.terminal.as_ref().map_or_else(String::new, |terminal| format!(" in {terminal}"));
    format!("another program (pid {}{terminal})", owner.pid)
}

fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let lines = rows.iter().map(|row| {
        let used = row.iter().zip(widths).filter(|(_, width)| *width > 0);
        let cells = used.map(|(cell, width)| format!("{cell}{:1$}", "", width - cell.width()));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
