// Written from the server's wire types, never by hand: `REPOSE_WRITE_WIRE=1 cargo test -p repose-console generated`.
// Sizes are bytes, spans milliseconds.

/**
 * A moment: RFC 3339 in UTC with milliseconds, `2026-01-31T09:30:00.000Z`. As text it sorts as it passes.
 */
export type Time = string;

/**
 * A trouble: in a repo's `trouble`, and as the `error` of an answer that is one.
 */
export type Trouble = {
/**
 * The stable name: `paused`, `folder_gone`, …
 */
code: string,
/**
 * A few words for a heading.
 */
title: string,
/**
 * What happened, and what Repose did about it: one or two sentences.
 */
message: string,
/**
 * What can be done, most likely first.
 */
hints: Array<string>,
/**
 * `notice`, `warning` or `error`.
 */
severity: "notice" | "warning" | "error", };

/**
 * An answer that is an error.
 */
export type Failure = {
/**
 * What is wrong.
 */
error: Trouble, };

/**
 * The one word for how a repo is.
 */
export type RepoState = "asleep" | "opening" | "ready" | "working" | "waiting" | "paused" | "offline";

/**
 * Resumed or fresh, and why.
 */
export type Continuity = {
/**
 * Resumed or fresh.
 */
kind: ContinuityKind,
/**
 * The reason's stable name: `resumed`, `forked`, `first`, `asked_for`, `too_old`, …
 */
code: string,
/**
 * The statement, in the words of every surface.
 */
sentence: string,
/**
 * When the engine confirmed it.
 */
at: Time, };

/**
 * Resumed or fresh.
 */
export type ContinuityKind = "resumed" | "fresh";

/**
 * A conversation that an engine keeps.
 */
export type Conversation = {
/**
 * The engine's own id.
 */
id: string,
/**
 * When its last turn was. `null`: it can't be told.
 */
last_activity: Time | null,
/**
 * How many turns a user took in it.
 */
turns: number,
/**
 * Tokens of its context at the last answer.
 */
context_tokens: number | null,
/**
 * Where its transcript is.
 */
transcript: string | null, };

/**
 * Memory, as measured.
 */
export type Memory = {
/**
 * Bytes.
 */
bytes: number,
/**
 * The processes that it was measured over.
 */
processes: number,
/**
 * What was measured.
 */
measured: Measured, };

/**
 * What was measured.
 */
export type Measured = "pss" | "rss";

/**
 * One reason why a live engine must not be let go now.
 */
export type Hold = {
/**
 * Its stable name: `turn`, `background`, `wakeup`, `waiting`, `ask`, `typing`, `client`, `process`,
 * `pinned`, `unknown`.
 */
kind: string,
/**
 * Since when it stands.
 */
since: Time,
/**
 * The reason in words that follow "kept because of".
 */
detail: string, };

/**
 * Something that happened.
 */
export type Happened = {
/**
 * Its stable name: `answered`, `interrupted`, `turn_over`, `opened`, `reaped`, `paused`, `moved`,
 * `ended`, or a trouble's.
 */
code: string,
/**
 * In words.
 */
sentence: string,
/**
 * When.
 */
at: Time, };

/**
 * An ask that isn't over.
 */
export type AskShown = {
/**
 * Its id.
 */
id: string,
/**
 * What is asked; a long text is cut.
 */
text: string,
/**
 * When it was asked.
 */
at: Time,
/**
 * Where it stands.
 */
stage: AskStage,
/**
 * Why it waits, and for what.
 */
reason: string | null, };

/**
 * Where an ask stands.
 */
export type AskStage = "waiting" | "typed" | "taken";

/**
 * A program outside Repose that has a conversation open.
 */
export type Owner = {
/**
 * Its process.
 */
pid: number,
/**
 * The terminal that it runs in: `/dev/pts/3`.
 */
terminal: string | null,
/**
 * Its command line.
 */
command: string | null, };

/**
 * What becomes of a repo's conversation once its process has ended.
 */
export type Keeps = "picked_up" | "listed" | "nothing";

/**
 * A decision that the engine waits for, and that can be answered without its terminal.
 */
export type Decision = {
/**
 * Its name, to answer it by.
 */
id: string,
/**
 * Of what kind it is.
 */
kind: DecisionKind,
/**
 * What it is about, on one line.
 */
title: string,
/**
 * All of what it is about: a whole command, what a tool is called with.
 */
detail: string | null,
/**
 * The answers that it takes.
 */
choices: Array<Choice>, };

/**
 * Of what kind a decision is.
 */
export type DecisionKind = "permission" | "choice" | "trust";

/**
 * One answer.
 */
export type Choice = {
/**
 * Its name within the decision.
 */
id: string,
/**
 * In words.
 */
label: string,
/**
 * What it comes to.
 */
kind: ChoiceKind, };

/**
 * What an answer comes to.
 */
export type ChoiceKind = "allow" | "deny" | "other";

/**
 * One repo as every surface shows it.
 */
export type Repo = {
/**
 * Its id, which never changes.
 */
id: string,
/**
 * Its name, which is unique.
 */
name: string,
/**
 * Its folder.
 */
path: string,
/**
 * Its engine: `claude`, `shell`, …
 */
engine: string,
/**
 * How it is.
 */
state: RepoState,
/**
 * What the last open came to. `null`: it was never opened.
 */
continuity: Continuity | null,
/**
 * Its current conversation.
 */
conversation: Conversation | null,
/**
 * Memory of the live engine and everything that it started. `null`: none is live, or it isn't measured
 * yet.
 */
memory: Memory | null,
/**
 * What the last end of its engine gave back, while none is live.
 */
freed_bytes: number | null,
/**
 * Why its engine must not be let go now.
 */
holds: Array<Hold>,
/**
 * When its engine will be let go if nothing happens.
 */
reap_at: Time | null,
/**
 * The user pinned it.
 */
pinned: boolean,
/**
 * Asks that wait.
 */
queued: number,
/**
 * What is wrong with it now.
 */
trouble: Trouble | null,
/**
 * The branch that is checked out, where the folder is a git repository.
 */
branch: string | null,
/**
 * Since when it is in this state. `null`: since before this runner began.
 */
since: Time | null,
/**
 * What happened last.
 */
last: Happened | null,
/**
 * Asks that aren't over, oldest first; `queued` may count more that wait.
 */
asks: Array<AskShown>,
/**
 * What its engine waits for, where that can be answered here. `null` with the state `waiting`: only in
 * its terminal.
 */
decision: Decision | null,
/**
 * Another program has its current conversation open.
 */
owner: Owner | null,
/**
 * It is opened as soon as that program lets go of it.
 */
opens_when_free: boolean,
/**
 * What becomes of its conversation once its process has ended.
 */
keeps: Keeps,
/**
 * Until when the next open picks its conversation up without anybody's word. `null`: it won't.
 */
picked_up_until: Time | null,
/**
 * What to type into a shell to go on with its conversation there. `null`: there is none to go on with.
 */
resume_command: string | null, };

/**
 * All repos.
 */
export type Repos = {
/**
 * Each.
 */
repos: Array<Repo>,
/**
 * All together.
 */
totals: Totals, };

/**
 * Why a repo's engine is kept, or when it will be let go.
 */
export type Why = {
/**
 * Why it is kept. Empty: nothing keeps it.
 */
holds: Array<Hold>,
/**
 * When it will be let go if nothing happens.
 */
reap_at: Time | null,
/**
 * The repo.
 */
repo: Repo, };

/**
 * Numbers over all repos.
 */
export type Totals = {
/**
 * Repos with a live engine.
 */
live: number,
/**
 * Repos that are paused.
 */
paused: number,
/**
 * Memory of all live engines and what they started.
 */
live_bytes: number,
/**
 * Memory that repos without a live engine gave back when theirs went.
 */
freed_bytes: number,
/**
 * Everything was paused: no repo that sleeps opens until all is resumed.
 */
gate: boolean, };

/**
 * The runner.
 */
export type Runner = {
/**
 * Its process.
 */
pid: number,
/**
 * Its version.
 */
version: string,
/**
 * Since when it runs.
 */
started: Time,
/**
 * Where its console is. `null`: nothing listens there.
 */
console: string | null, };

/**
 * The runner and its numbers.
 */
export type Status = {
/**
 * The runner.
 */
runner: Runner,
/**
 * Numbers over all repos.
 */
totals: Totals, };

/**
 * Everything as it is. The first event, and again whenever the reader was too slow for the changes.
 */
export type Snapshot = {
/**
 * The number before that of the first change.
 */
seq: number,
/**
 * Every repo.
 */
repos: Array<Repo>,
/**
 * Numbers over all of them.
 */
totals: Totals, };

/**
 * One change. Numbers have no gaps: one that is missing calls for a new connection.
 */
export type Delta = { "kind": "repo",
/**
 * The change's number.
 */
seq: number,
/**
 * The repo, whole.
 */
repo: Repo, } | { "kind": "removed",
/**
 * The change's number.
 */
seq: number,
/**
 * Its id.
 */
id: string, } | { "kind": "totals",
/**
 * The change's number.
 */
seq: number,
/**
 * The numbers.
 */
totals: Totals, } | { "kind": "settings",
/**
 * The change's number.
 */
seq: number, } | { "kind": "grew",
/**
 * The change's number.
 */
seq: number,
/**
 * The repo's id.
 */
id: string,
/**
 * The conversation's id.
 */
conversation: string, } | { "kind": "notice",
/**
 * The change's number.
 */
seq: number,
/**
 * The repo's id.
 */
id: string,
/**
 * Its stable name.
 */
code: string,
/**
 * In words.
 */
sentence: string, };

/**
 * A text, perhaps cut.
 */
export type Text = {
/**
 * What there is of it.
 */
shown: string,
/**
 * How many bytes the whole has. More than `shown`: it was cut.
 */
bytes: number, };

/**
 * Who wrote a prompt.
 */
export type Author = "person" | "engine";

/**
 * How the use of a tool came out.
 */
export type ToolEnd = "done" | "failed" | "denied";

/**
 * What an entry is.
 */
export type EntryKind = { "kind": "user",
/**
 * Its text.
 */
text: Text,
/**
 * Who wrote it.
 */
author: Author, } | { "kind": "agent",
/**
 * The text.
 */
text: Text,
/**
 * What has the same is one message in parts.
 */
message: string | null, } | { "kind": "tool_use",
/**
 * The engine's id of this use.
 */
tool_use: string,
/**
 * The tool.
 */
name: string,
/**
 * On one line, what with.
 */
input: string,
/**
 * The same as the engine wrote it: mostly a JSON object of named arguments, else a text.
 */
whole: Text, } | { "kind": "tool_result",
/**
 * The use.
 */
tool_use: string,
/**
 * What the tool said.
 */
text: Text,
/**
 * How it came out.
 */
end: ToolEnd, } | { "kind": "command",
/**
 * As it was typed.
 */
text: Text, } | { "kind": "interrupted" } | { "kind": "failed",
/**
 * The engine's words.
 */
text: Text, } | { "kind": "compacted" } | { "kind": "continuity",
/**
 * What the open came to.
 */
continuity: Continuity, };

/**
 * One thing in a conversation.
 */
export type Entry = {
/**
 * Its name, which is stable.
 */
id: string,
/**
 * When.
 */
at: Time | null, } & ({ "kind": "user",
/**
 * Its text.
 */
text: Text,
/**
 * Who wrote it.
 */
author: Author, } | { "kind": "agent",
/**
 * The text.
 */
text: Text,
/**
 * What has the same is one message in parts.
 */
message: string | null, } | { "kind": "tool_use",
/**
 * The engine's id of this use.
 */
tool_use: string,
/**
 * The tool.
 */
name: string,
/**
 * On one line, what with.
 */
input: string,
/**
 * The same as the engine wrote it: mostly a JSON object of named arguments, else a text.
 */
whole: Text, } | { "kind": "tool_result",
/**
 * The use.
 */
tool_use: string,
/**
 * What the tool said.
 */
text: Text,
/**
 * How it came out.
 */
end: ToolEnd, } | { "kind": "command",
/**
 * As it was typed.
 */
text: Text, } | { "kind": "interrupted" } | { "kind": "failed",
/**
 * The engine's words.
 */
text: Text, } | { "kind": "compacted" } | { "kind": "continuity",
/**
 * What the open came to.
 */
continuity: Continuity, });

/**
 * Some entries of a conversation in a row.
 */
export type Page = {
/**
 * Oldest first.
 */
entries: Array<Entry>,
/**
 * What to ask for as `before` to get the entries before these. `null`: there are none.
 */
before: number | null,
/**
 * Lines of the transcript between them that could not be understood.
 */
skipped: number, };

/**
 * An entry that has the text.
 */
export type Hit = {
/**
 * Where its line begins: what is loaded has it once its `before` is no higher.
 */
offset: number,
/**
 * How often the text stands in it.
 */
times: number, };

/**
 * Where a text stands in a conversation, as far as it was looked through.
 */
export type Found = {
/**
 * Newest first.
 */
hits: Array<Hit>,
/**
 * What to ask for as `before` to look on. `null`: the beginning was reached.
 */
before: number | null, };

/**
 * A conversation in a list.
 */
export type Listed = {
/**
 * Its first prompt on one line.
 */
title: string | null,
/**
 * It is the repo's current one.
 */
current: boolean,
/**
 * Its transcript is there and has a turn: it could be resumed.
 */
resumable: boolean,
/**
 * Why it can't be, though something was asked in it, in a few words.
 */
lost: string | null,
/**
 * Its transcript's size; 0 where it is gone.
 */
bytes: number,
/**
 * It is of this folder, which is gone and may have become the repo's: it goes on as a copy, by `fork`.
 */
moved_from: string | null,
/**
 * The engine's own id.
 */
id: string,
/**
 * When its last turn was. `null`: it can't be told.
 */
last_activity: Time | null,
/**
 * How many turns a user took in it.
 */
turns: number,
/**
 * Tokens of its context at the last answer.
 */
context_tokens: number | null,
/**
 * Where its transcript is.
 */
transcript: string | null, };

/**
 * The conversations of a repo.
 */
export type Conversations = {
/**
 * The latest first.
 */
conversations: Array<Listed>,
/**
 * The repo.
 */
repo: Repo, };

/**
 * A folder in which an engine was used before.
 */
export type Folder = {
/**
 * Where.
 */
path: string,
/**
 * Its own name.
 */
name: string,
/**
 * Whose.
 */
engine: string,
/**
 * Its newest conversation, which becomes the current one when it is added. `null`: there is none that
 * could be resumed, or it was not read in time.
 */
conversation: Conversation | null,
/**
 * That one's first prompt, on one line.
 */
title: string | null,
/**
 * Its transcript's size; 0 without one.
 */
bytes: number,
/**
 * It is a repo already.
 */
added: boolean,
/**
 * Another program has that conversation open.
 */
owner: Owner | null, };

/**
 * Folders in which an engine was used before.
 */
export type Folders = {
/**
 * Those that still exist, the latest first.
 */
folders: Array<Folder>, };

/**
 * Folders whose paths begin as somebody has typed.
 */
export type Matches = {
/**
 * As they would be typed: `~` stays what it is.
 */
matches: Array<string>, };

/**
 * A picture that was kept.
 */
export type Kept = {
/**
 * Its file, as it goes into a prompt.
 */
path: string, };

/**
 * The answer to an ask, or that it was accepted.
 */
export type Answered = {
/**
 * The engine's own words. `null`: the ask was accepted, and its answer goes to the log.
 */
answer: string | null,
/**
 * What the open before it came to, with the first answer after an open.
 */
continuity: Continuity | null,
/**
 * The ask's id.
 */
ask: string,
/**
 * It was asked with `queue` in a repo that is paused: it waits for Resume, however long.
 */
waits_for_resume: boolean,
/**
 * The repo.
 */
repo: Repo, };

/**
 * A repo that was changed, as it is now.
 */
export type Changed = {
/**
 * The repo.
 */
repo: Repo, };

/**
 * A repo that was added.
 */
export type Added = {
/**
 * The repo.
 */
repo: Repo,
/**
 * The newest conversation that it may have had where its folder stood before. Nothing takes it up but
 * `fork`.
 */
moved: Listed | null, };

/**
 * A pause.
 */
export type Paused = {
/**
 * What it gave back, measured just before; the processes are gone. `null`: they ended before it could be
 * measured.
 */
freed_bytes: number | null,
/**
 * What was measured.
 */
measured: Measured | null,
/**
 * From the order to the processes gone.
 */
took_ms: number | null,
/**
 * The repo.
 */
repo: Repo, };

/**
 * What an order to all came to in one repo.
 */
export type Outcome = {
/**
 * The repo.
 */
repo: Repo,
/**
 * What it gave back.
 */
freed_bytes: number | null,
/**
 * Why it was refused. `null`: it was done.
 */
error: Trouble | null, };

/**
 * What an order to all repos came to.
 */
export type Outcomes = {
/**
 * One for each repo that it concerned.
 */
results: Array<Outcome>,
/**
 * What all of it gave back.
 */
freed_bytes: number, };

/**
 * How a look came out.
 */
export type CheckLevel = "ok" | "warning" | "error";

/**
 * One look.
 */
export type Check = {
/**
 * What was looked at.
 */
name: string,
/**
 * How it is.
 */
level: CheckLevel,
/**
 * The stable name of what is wrong.
 */
code: string | null,
/**
 * What was found.
 */
sentence: string,
/**
 * What can be done.
 */
hints: Array<string>, };

/**
 * Everything that was looked at.
 */
export type Report = {
/**
 * Each look.
 */
checks: Array<Check>, };

/**
 * An engine, as it is on this machine.
 */
export type Engine = {
/**
 * As a repo has it.
 */
name: string,
/**
 * How people call it.
 */
title: string,
/**
 * Whether its conversations can be picked up again.
 */
keeps_conversations: boolean,
/**
 * Where its program is. `null`: it can't be started.
 */
program: string | null,
/**
 * What the program says of its version.
 */
version: string | null,
/**
 * Whether somebody is logged in. `null`: it can't be told, or it needs none.
 */
logged_in: boolean | null,
/**
 * What it can't do, in sentences.
 */
cannot: Array<string>,
/**
 * What keeps it from being used, and what to do.
 */
trouble: Trouble | null, };

/**
 * Every engine that a repo can have.
 */
export type Engines = {
/**
 * Those that are built in, then the user's own.
 */
engines: Array<Engine>, };

/**
 * One thing that happened.
 */
export type LogEntry = {
/**
 * Its number. What happened later has a higher one.
 */
id: number,
/**
 * When.
 */
at: Time,
/**
 * Its stable name: `asked`, `answered`, `failed`, `taken_back`, `opened`, `reaped`, `paused`, `moved`,
 * `ended`, `trouble`, `order_dropped`.
 */
kind: string,
/**
 * The question, the answer, or what happened in words.
 */
text: string,
/**
 * The ask that it is about.
 */
ask: string | null,
/**
 * The reason's or the trouble's stable name.
 */
code: string | null,
/**
 * Memory that it gave back.
 */
freed_bytes: number | null, };

/**
 * A stretch of a repo's log.
 */
export type Log = {
/**
 * Oldest first.
 */
entries: Array<LogEntry>, };

/**
 * One life of one engine process.
 */
export type Session = {
/**
 * The session's id.
 */
id: string,
/**
 * Its repo's id.
 */
repo: string,
/**
 * Its repo's name.
 */
name: string,
/**
 * The holder's process.
 */
holder: number,
/**
 * The build that the holder is of.
 */
build: string,
/**
 * The holder is of this runner's build.
 */
same_build: boolean,
/**
 * The engine's process. `null`: it has ended, or couldn't be started.
 */
engine_pid: number | null,
/**
 * What the engine is doing: `opening`, `idle`, `working`, `waiting`.
 */
activity: string,
/**
 * Since when it does that.
 */
activity_since: Time,
/**
 * What it waits for.
 */
waits_for: string | null,
/**
 * What it runs in the background, in its own words.
 */
background_tasks: Array<string>,
/**
 * Why it must not be let go now.
 */
holds: Array<Hold>,
/**
 * When the engine was started.
 */
since: Time,
/**
 * Memory of its tree.
 */
memory: Memory | null,
/**
 * The processes of its tree.
 */
tree: Array<number>,
/**
 * Its status file is watched; `false`: it is looked at now and then.
 */
watching: boolean,
/**
 * Terminals that are attached.
 */
terminals: number,
/**
 * What keeps its journal from being written.
 */
journal_trouble: string | null, };

/**
 * Memory at a time.
 */
export type Point = {
/**
 * When.
 */
at: Time,
/**
 * Bytes; 0 while no engine is live.
 */
bytes: number, };

/**
 * What a repo's engine and its processes had over time.
 */
export type MemoryOf = {
/**
 * The repo's id.
 */
repo: string,
/**
 * Its name.
 */
name: string,
/**
 * Its memory, the oldest first: noted as its engine comes and goes, and every 15 s in between if it has
 * changed.
 */
points: Array<Point>, };

/**
 * What runs.
 */
export type Diagnostics = {
/**
 * Every live session.
 */
sessions: Array<Session>,
/**
 * What the repos had over time, since the runner began.
 */
memory: Array<MemoryOf>, };

/**
 * The end of the runner's own log.
 */
export type RunnerLog = {
/**
 * The file.
 */
file: string,
/**
 * Its last lines, the oldest first.
 */
lines: Array<string>, };

/**
 * An amount of memory.
 */
export type Budget = { "kind": "off" } | { "kind": "bytes",
/**
 * Bytes.
 */
bytes: number, } | { "kind": "share",
/**
 * Percent: more than 0 and at most 100.
 */
percent: number, };

/**
 * What people are told without having asked.
 */
export type Notify = {
/**
 * An idle engine was let go.
 */
reaped: boolean,
/**
 * A conversation started fresh.
 */
fresh: boolean,
/**
 * An engine waits for a decision.
 */
needs_you: boolean,
/**
 * A turn is over, and nobody looked.
 */
finished: boolean,
/**
 * Something is wrong.
 */
trouble: boolean, };

/**
 * The settings in force.
 */
export type Settings = {
/**
 * An engine without holds is let go after this time without interaction.
 */
idle_after_ms: number,
/**
 * An automatic open resumes a conversation that is younger than this.
 */
resume_within_ms: number,
/**
 * A working engine without a sign of life for this long is shown as stalled.
 */
stall_after_ms: number,
/**
 * The memory that all live engines may have together.
 */
memory_budget: Budget,
/**
 * How many engines may be live. `null`: any number.
 */
max_live: number | null,
/**
 * The console's port. 0: chosen once, and used again. Counts from the next start.
 */
console_port: number,
/**
 * What people are told without having asked.
 */
notify: Notify,
/**
 * The file that they are in.
 */
file: string,
/**
 * What is wrong with the file; what was in force before stays.
 */
trouble: Trouble | null, };
