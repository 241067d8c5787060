//! Keeps the page's copy of these types up to date.

use std::fmt::Write as _;

use ts_rs::{Config, TS};

use crate::wire::*;

/// The path of the page's copy.
const COPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/wire/types.ts");

/// If this variable is set, the copy is written.
const WRITE: &str = "REPOSE_WRITE_WIRE";

const HEAD: &str = "\
// Written from the server's wire types, never by hand: `REPOSE_WRITE_WIRE=1 cargo test -p repose-console generated`.
// Sizes are bytes, spans milliseconds.
";

fn generated() -> String {
    let config = Config::new().with_large_int("number");
    let mut text = HEAD.to_owned();
    macro_rules! types {
        ($($name:ty),* $(,)?) => {$(
            let docs = <$name>::docs().unwrap_or_default();
            let declared = <$name>::decl(&config);
            writeln!(text, "\n{}\nexport {declared}", docs.trim_end()).expect("a text takes everything");
        )*};
    }
    types!(
        Time,
        Trouble,
        About,
        Failure,
        State,
        Continuity,
        ContinuityKind,
        Interrupted,
        Conversation,
        Memory,
        Measured,
        Hold,
        HoldKind,
        Happened,
        HappenedKind,
        AskShown,
        AskStage,
        Owner,
        Keeps,
        Decision,
        DecisionKind,
        Choice,
        ChoiceKind,
        Repo,
        Repos,
        Why,
        Totals,
        Runner,
        Status,
        Snapshot,
        Delta,
        Text,
        Author,
        ToolEnd,
        Reply,
        EntryKind,
        Entry,
        Page,
        Hit,
        Found,
        Listed,
        Conversations,
        Folder,
        Folders,
        Matches,
        Kept,
        Answered,
        Changed,
        Added,
        Paused,
        Outcome,
        Outcomes,
        Level,
        Check,
        Report,
        Engine,
        Engines,
        LogEntry,
        Log,
        RecentEntry,
        Recent,
        Session,
        Point,
        MemoryOf,
        Diagnostics,
        RunnerLog,
        Budget,
        Notify,
        Settings,
    );
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_pages_types_are_these() {
    let generated = generated();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(COPY, &generated).expect("the page's sources can be written");
    }
    let copy = std::fs::read_to_string(COPY).expect("the page's types");
    assert!(
        copy == generated,
        "ui/src/wire/types.ts isn't what the wire types say. Write it: `{WRITE}=1 cargo test -p repose-console generated`"
    );
}
