// Written from the server's wire types, never by hand: `REPOSE_WRITE_WIRE=1 cargo test -p repose-console generated`.
// Sizes are bytes, spans milliseconds.

/**
 * A moment: RFC 3339 in UTC with milliseconds, `2026-01-31T09:30:00.000Z`. Sorting the text sorts by time.
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
 * A short title.
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
severity: "notice" | "warning" | "error",
/**
 * The work that the message names, where an end is refused for that: an order with this as its `at_most` cuts off that
 * work and no other. It is to be given back as it is.
 */
work?: string,
/**
 * What it is about, where more can be done with that than read it.
 */
about: About | null, };

/**
 * What a trouble is about.
 */
export type About = { "kind": "repo",
/**
 * Its id.
 */
id: string,
/**
 * Its name.
 */
name: string, } | { "kind": "character",
/**
 * Its number in Unicode.
 */
code_point: number,
/**
 * Where it stands in the text: so many bytes are before it, in UTF-8 and with line ends of one byte.
 */
byte: number, };

/**
 * An answer that is an error.
 */
export type Failure = {
/**
 * What is wrong.
 */
error: Trouble, };

/**
 * The state of a repo, in one word.
 */
export type RepoState = "asleep" | "opening" | "ready" | "working" | "waiting" | "paused" | "offline";

/**
 * The statement of an open.
 */
export type Continuity = {
/**
 * Whether it resumed a conversation or began a new one.
 */
kind: ContinuityKind,
/**
 * The reason's stable name: `resumed`, `forked`, `first`, `asked_for`, `too_old`, `went_over`, …
 */
code: string,
/**
 * The sentence, the same on every surface.
 */
sentence: string,
/**
 * When the engine confirmed the conversation.
 */
at: Time,
/**
 * What the end before it cut off, as the sentence names it.
 */
interrupted: Array<Interrupted>, };

/**
 * How an open began.
 */
export type ContinuityKind = "resumed" | "fresh";

/**
 * A piece of work that the end of an engine cut off.
 */
export type Interrupted = {
/**
 * The piece in words.
 */
words: string,
/**
 * It is a permission that the engine waited for: what that was for was never run.
 */
permission: boolean, };

/**
 * A conversation that an engine keeps.
 */
export type Conversation = {
/**
 * The id that the engine gave it.
 */
id: string,
/**
 * When its last turn was. `null`: unknown.
 */
last_activity: Time | null,
/**
 * How many turns a user took in it. `null`: there are some, and its engine doesn't show how many.
 */
turns: number | null,
/**
 * The tokens in its context at the last answer.
 */
context_tokens: number | null,
/**
 * The path of its transcript.
 */
transcript: string | null, };

/**
 * Measured memory.
 */
export type Memory = {
/**
 * Memory in bytes.
 */
bytes: number,
/**
 * How many processes were measured.
 */
processes: number,
/**
 * How it was measured.
 */
measured: Measured, };

/**
 * How memory was measured.
 */
export type Measured = "pss" | "rss";

/**
 * One reason why a live engine must not be let go now.
 */
export type Hold = {
/**
 * The kind of reason.
 */
kind: HoldKind,
/**
 * Since when it has applied.
 */
since: Time,
/**
 * The reason in words that follow "kept because of".
 */
detail: string,
/**
 * Its subject, in one line of the engine's or a program's own words: a command, a description, a question.
 * `null`: there is none, or it isn't known.
 */
subject: string | null,
/**
 * The kind of decision that is awaited, with the kind `waiting`.
 */
waits_for: DecisionKind | null,
/**
 * It is work that an end of the process would lose.
 */
work: boolean, };

/**
 * The reasons why a live engine must not be let go.
 */
export type HoldKind = "turn" | "background" | "wakeup" | "waiting" | "ask" | "typing" | "client" | "process" | "pinned" | "unknown" | "unseen";

/**
 * Something that happened.
 */
export type Happened = {
/**
 * The kind of event.
 */
kind: HappenedKind,
/**
 * Its stable name: the kind's, or the trouble's code.
 */
code: string,
/**
 * What happened, in words.
 */
sentence: string,
/**
 * Why an idle engine was let go before it was due, as a part of a sentence. `null`: it was due, or something
 * else happened.
 */
early: string | null,
/**
 * When it happened.
 */
at: Time, };

/**
 * The kinds of what happens in a repo.
 */
export type HappenedKind = "answered" | "interrupted" | "turn_over" | "opened" | "reaped" | "paused" | "stopped" | "moved" | "ended" | "order_dropped" | "trouble";

/**
 * An ask that isn't over.
 */
export type AskShown = {
/**
 * Its id.
 */
id: string,
/**
 * The text; a long one is cut, and ends in `…`.
 */
text: string,
/**
 * When it was asked.
 */
at: Time,
/**
 * Its stage.
 */
stage: AskStage,
/**
 * Why it waits, in a sentence.
 */
reason: string | null, };

/**
 * The stage of an ask that isn't over.
 */
export type AskStage = "waiting" | "typed" | "taken";

/**
 * A program outside Repose that has a conversation open.
 */
export type Owner = {
/**
 * Its process id.
 */
pid: number,
/**
 * The terminal that it runs in, such as `/dev/pts/3`.
 */
terminal: string | null,
/**
 * Its command line.
 */
command: string | null, };

/**
 * What happens to a repo's conversation once its process has ended.
 */
export type Keeps = "picked_up" | "listed" | "nothing";

/**
 * A decision that the engine waits for and that can be made without its terminal.
 */
export type Decision = {
/**
 * Its id, needed to answer it.
 */
id: string,
/**
 * The kind of decision.
 */
kind: DecisionKind,
/**
 * Its subject, on one line.
 */
title: string,
/**
 * Its full subject: a whole command, or a tool's whole input.
 */
detail: string | null,
/**
 * `detail` is only the beginning: the terminal has all of it.
 */
detail_cut: boolean,
/**
 * The title already has all of `detail`.
 */
title_says_all: boolean,
/**
 * The options.
 */
choices: Array<Choice>, };

/**
 * The kind of a decision.
 */
export type DecisionKind = "permission" | "choice" | "trust";

/**
 * One option.
 */
export type Choice = {
/**
 * Its id, unique within the decision.
 */
id: string,
/**
 * Its text.
 */
label: string,
/**
 * What the engine says about it, on one line.
 */
description: string | null,
/**
 * What would come of it, as the engine shows it: lines of fixed width.
 */
preview: string | null,
/**
 * What it means.
 */
kind: ChoiceKind, };

/**
 * What an option means.
 */
export type ChoiceKind = "allow" | "deny" | "other" | "words" | "back";

/**
 * One repo as every surface shows it.
 */
export type Repo = {
/**
 * Its id, which never changes.
 */
id: string,
/**
 * Its unique name.
 */
name: string,
/**
 * The path of its folder.
 */
path: string,
/**
 * Its engine: `claude`, `shell`, …
 */
engine: string,
/**
 * Its state.
 */
state: RepoState,
/**
 * The state is one with an engine process: `opening`, `ready`, `working` or `waiting`.
 */
live: boolean,
/**
 * The statement of the last open. `null`: it was never opened.
 */
continuity: Continuity | null,
/**
 * Its current conversation.
 */
conversation: Conversation | null,
/**
 * The memory of the live engine and everything that it started. `null`: none is live, or it hasn't been
 * measured yet.
 */
memory: Memory | null,
/**
 * The memory that the last end of its engine gave back, while none is live.
 */
freed_bytes: number | null,
/**
 * What holds its engine.
 */
holds: Array<Hold>,
/**
 * When its engine will be let go if nothing happens.
 */
reap_at: Time | null,
/**
 * Whether the user pinned it.
 */
pinned: boolean,
/**
 * How many asks wait.
 */
queued: number,
/**
 * What is wrong with it now.
 */
trouble: Trouble | null,
/**
 * The branch that is checked out, if the folder is a git repository.
 */
branch: string | null,
/**
 * Since when it has been in this state. `null`: since before this runner started.
 */
since: Time | null,
/**
 * What happened last.
 */
last: Happened | null,
/**
 * Asks that aren't over, oldest first; `queued` may count more.
 */
asks: Array<AskShown>,
/**
 * What the last end of its engine cut off, until the next open has named it.
 */
interrupted: Array<Interrupted>,
/**
 * The decision that its engine waits for, if it can be made here. `null` in the state `waiting`: only in
 * its terminal.
 */
decision: Decision | null,
/**
 * The program outside Repose that has its current conversation open.
 */
owner: Owner | null,
/**
 * Whether it opens as soon as `owner` lets go of the conversation.
 */
opens_when_free: boolean,
/**
 * What happens to its conversation once its process has ended.
 */
keeps: Keeps,
/**
 * Until when the next open resumes its conversation without being told to. `null`: it won't.
 */
picked_up_until: Time | null,
/**
 * The shell command that continues its conversation outside Repose. `null`: there is none.
 */
resume_command: string | null, };

/**
 * All repos.
 */
export type Repos = {
/**
 * The repos.
 */
repos: Array<Repo>,
/**
 * Totals over all repos.
 */
totals: Totals, };

/**
 * Why a repo's engine is kept, and when it will be let go.
 */
export type Why = {
/**
 * What holds it. Empty: nothing.
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
 * Totals over all repos.
 */
export type Totals = {
/**
 * The number of repos with a live engine.
 */
live: number,
/**
 * The number of paused repos.
 */
paused: number,
/**
 * The memory of all live engines and what they started.
 */
live_bytes: number,
/**
 * The memory that the last end of each repo without a live engine gave back.
 */
freed_bytes: number,
/**
 * Whether everything is paused, so that no sleeping repo opens.
 */
gate: boolean, };

/**
 * The runner.
 */
export type Runner = {
/**
 * Its process id.
 */
pid: number,
/**
 * Its version.
 */
version: string,
/**
 * Whether it is the desktop app; otherwise it is `repose serve`. An older one doesn't say.
 */
app: boolean,
/**
 * When it started.
 */
started: Time,
/**
 * The console's address. `null`: nothing listens.
 */
console: string | null, };

/**
 * The runner and the totals.
 */
export type Status = {
/**
 * The runner.
 */
runner: Runner,
/**
 * Totals over all repos.
 */
totals: Totals, };

/**
 * The whole state. The first event, and again whenever the reader was too slow for the changes.
 */
export type Snapshot = {
/**
 * The number before that of the next change.
 */
seq: number,
/**
 * All repos.
 */
repos: Array<Repo>,
/**
 * Totals over all repos.
 */
totals: Totals, };

/**
 * One change. Numbers have no gaps: if one is missing, connect again.
 */
export type Delta = { "kind": "repo",
/**
 * The change's number.
 */
seq: number,
/**
 * The whole repo.
 */
repo: Repo, } | { "kind": "removed",
/**
 * The change's number.
 */
seq: number,
/**
 * The repo's id.
 */
id: string, } | { "kind": "totals",
/**
 * The change's number.
 */
seq: number,
/**
 * The totals.
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
 * The news in words.
 */
sentence: string, };

/**
 * A text that may have been cut.
 */
export type Text = {
/**
 * The part that is shown.
 */
shown: string,
/**
 * The length of the whole text in bytes. More than `shown` has: it was cut.
 */
bytes: number, };

/**
 * Who wrote a prompt.
 */
export type Author = "person" | "engine";

/**
 * How the use of a tool ended.
 */
export type ToolEnd = "done" | "failed" | "denied" | "interrupted" | "not_run" | "untold";

/**
 * A question that a tool asked, with the reply.
 */
export type Reply = {
/**
 * As the tool asked it.
 */
question: string,
/**
 * What the user chose or wrote.
 */
answer: string, };

/**
 * The kind of an entry.
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
 * The id of the message: entries with the same id are parts of one message.
 */
message: string | null, } | { "kind": "tool_use",
/**
 * The engine's id of this use.
 */
tool_use: string,
/**
 * The tool's name.
 */
name: string,
/**
 * The tool's input, on one line.
 */
input: string,
/**
 * The tool's input as the engine wrote it: usually a JSON object of named arguments, otherwise a
 * text.
 */
whole: Text,
/**
 * What it asks the user: a tool that does nothing else.
 */
questions: Array<string>, } | { "kind": "tool_result",
/**
 * The engine's id of the use.
 */
tool_use: string,
/**
 * The tool's output.
 */
text: Text,
/**
 * What the engine says about the text: where the rest of it is.
 */
note: string | null,
/**
 * What the user replied to its questions.
 */
answers: Array<Reply>,
/**
 * How the use ended.
 */
end: ToolEnd, } | { "kind": "command",
/**
 * The command as it was typed.
 */
text: Text, } | { "kind": "interrupted" } | { "kind": "failed",
/**
 * The error in the engine's words.
 */
text: Text, } | { "kind": "compacted" } | { "kind": "continuity",
/**
 * The statement of the open.
 */
continuity: Continuity, };

/**
 * One entry of a conversation.
 */
export type Entry = {
/**
 * Its stable name.
 */
id: string,
/**
 * When it was said. `null`: unknown.
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
 * The id of the message: entries with the same id are parts of one message.
 */
message: string | null, } | { "kind": "tool_use",
/**
 * The engine's id of this use.
 */
tool_use: string,
/**
 * The tool's name.
 */
name: string,
/**
 * The tool's input, on one line.
 */
input: string,
/**
 * The tool's input as the engine wrote it: usually a JSON object of named arguments, otherwise a
 * text.
 */
whole: Text,
/**
 * What it asks the user: a tool that does nothing else.
 */
questions: Array<string>, } | { "kind": "tool_result",
/**
 * The engine's id of the use.
 */
tool_use: string,
/**
 * The tool's output.
 */
text: Text,
/**
 * What the engine says about the text: where the rest of it is.
 */
note: string | null,
/**
 * What the user replied to its questions.
 */
answers: Array<Reply>,
/**
 * How the use ended.
 */
end: ToolEnd, } | { "kind": "command",
/**
 * The command as it was typed.
 */
text: Text, } | { "kind": "interrupted" } | { "kind": "failed",
/**
 * The error in the engine's words.
 */
text: Text, } | { "kind": "compacted" } | { "kind": "continuity",
/**
 * The statement of the open.
 */
continuity: Continuity, });

/**
 * Consecutive entries of a conversation.
 */
export type Page = {
/**
 * The entries, oldest first.
 */
entries: Array<Entry>,
/**
 * The `before` with which to request the entries before these. `null`: there are none.
 */
before: number | null,
/**
 * How many lines of the transcript between them couldn't be understood.
 */
skipped: number, };

/**
 * An entry that contains the text.
 */
export type Hit = {
/**
 * Where its line begins: it is loaded if the loaded page's `before` isn't higher.
 */
offset: number,
/**
 * How many times the entry contains the text.
 */
times: number, };

/**
 * The places of a text in the part of a conversation that was searched.
 */
export type Found = {
/**
 * The places, newest first.
 */
hits: Array<Hit>,
/**
 * The `before` with which to continue. `null`: the beginning was reached.
 */
before: number | null, };

/**
 * A conversation in a list.
 */
export type Listed = {
/**
 * The name of the engine whose it is.
 */
engine: string,
/**
 * Its first prompt, on one line.
 */
title: string | null,
/**
 * Whether it is the repo's current one with its present engine.
 */
current: boolean,
/**
 * Whether its transcript exists and has a turn, so that it could be resumed.
 */
resumable: boolean,
/**
 * Why it can't be resumed although something was asked in it, in a few words.
 */
lost: string | null,
/**
 * The size of its transcript; 0 if there is none.
 */
bytes: number,
/**
 * Its own folder, if that is gone and may have become the repo's. It can only be continued as a copy, by
 * `fork`.
 */
moved_from: string | null,
/**
 * The id that the engine gave it.
 */
id: string,
/**
 * When its last turn was. `null`: unknown.
 */
last_activity: Time | null,
/**
 * How many turns a user took in it. `null`: there are some, and its engine doesn't show how many.
 */
turns: number | null,
/**
 * The tokens in its context at the last answer.
 */
context_tokens: number | null,
/**
 * The path of its transcript.
 */
transcript: string | null, };

/**
 * The conversations of a repo.
 */
export type Conversations = {
/**
 * The conversations, latest first.
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
 * Its path.
 */
path: string,
/**
 * The last part of its path.
 */
name: string,
/**
 * The engine that was used in it.
 */
engine: string,
/**
 * Its newest conversation, which becomes the current one when it is added. `null`: there is none that
 * could be resumed, or it wasn't read in time.
 */
conversation: Conversation | null,
/**
 * The first prompt of that conversation, on one line.
 */
title: string | null,
/**
 * The size of its transcript; 0 without a conversation.
 */
bytes: number,
/**
 * Whether it is a repo already.
 */
added: boolean,
/**
 * Another program that has that conversation open.
 */
owner: Owner | null, };

/**
 * Folders in which an engine was used before.
 */
export type Folders = {
/**
 * The folders that still exist, latest first.
 */
folders: Array<Folder>, };

/**
 * Folders whose paths begin with what was typed.
 */
export type Matches = {
/**
 * The paths in the form in which they would be typed, with `~` kept.
 */
matches: Array<string>, };

/**
 * A picture that was stored.
 */
export type Kept = {
/**
 * Its path, for use in a prompt.
 */
path: string, };

/**
 * The answer to an ask, or that it was accepted.
 */
export type Answered = {
/**
 * The engine's answer. `null`: the ask was accepted, and its answer goes to the log.
 */
answer: string | null,
/**
 * The statement of the open before it, if this is the first answer after that open.
 */
continuity: Continuity | null,
/**
 * The ask's id.
 */
ask: string,
/**
 * Whether it waits for a pause to be lifted, as asked with `queue` in a paused repo.
 */
waits_for_resume: boolean,
/**
 * The repo.
 */
repo: Repo, };

/**
 * A repo after a change.
 */
export type Changed = {
/**
 * The repo.
 */
repo: Repo,
/**
 * The order opened its engine: the repo's `continuity` says what came of that.
 */
opened: boolean, };

/**
 * A repo that was added.
 */
export type Added = {
/**
 * The repo.
 */
repo: Repo,
/**
 * The newest conversation that it may have had in an earlier place of its folder. Only `fork` continues
 * it.
 */
moved: Listed | null, };

/**
 * The result of a pause.
 */
export type Paused = {
/**
 * The memory given back, measured right before the end; the processes are gone. `null`: they ended
 * before it could be measured.
 */
freed_bytes: number | null,
/**
 * How it was measured.
 */
measured: Measured | null,
/**
 * The time from the order until the processes were gone.
 */
took_ms: number | null,
/**
 * The repo.
 */
repo: Repo, };

/**
 * The result of an order to all repos for one repo.
 */
export type Outcome = {
/**
 * The repo.
 */
repo: Repo,
/**
 * The memory given back.
 */
freed_bytes: number | null,
/**
 * Why it was refused. `null`: it was carried out.
 */
error: Trouble | null, };

/**
 * The result of an order to all repos.
 */
export type Outcomes = {
/**
 * One result for each repo concerned.
 */
results: Array<Outcome>,
/**
 * The memory given back by all of them.
 */
freed_bytes: number, };

/**
 * The result of a check.
 */
export type CheckLevel = "ok" | "warning" | "error";

/**
 * One check.
 */
export type Check = {
/**
 * What was checked.
 */
name: string,
/**
 * The result.
 */
level: CheckLevel,
/**
 * The stable name of what is wrong.
 */
code: string | null,
/**
 * What was found, in a sentence.
 */
sentence: string,
/**
 * What can be done.
 */
hints: Array<string>, };

/**
 * All checks.
 */
export type Report = {
/**
 * The checks.
 */
checks: Array<Check>, };

/**
 * An engine as installed on this machine.
 */
export type Engine = {
/**
 * Its name, as in a repo's `engine`.
 */
name: string,
/**
 * Its display name.
 */
title: string,
/**
 * Whether its conversations can be resumed.
 */
keeps_conversations: boolean,
/**
 * The path of its program. `null`: it can't be started.
 */
program: string | null,
/**
 * The version that the program reports.
 */
version: string | null,
/**
 * Whether somebody is logged in. `null`: unknown, or not needed.
 */
logged_in: boolean | null,
/**
 * What it can't do, in sentences.
 */
cannot: Array<string>,
/**
 * What prevents its use, and what to do.
 */
trouble: Trouble | null, };

/**
 * All engines that a repo can have.
 */
export type Engines = {
/**
 * The built-in engines, then the user's own.
 */
engines: Array<Engine>, };

/**
 * One entry.
 */
export type LogEntry = {
/**
 * Its number; later entries have higher ones.
 */
id: number,
/**
 * When it happened.
 */
at: Time,
/**
 * Its stable name: `asked`, `answered`, `failed`, `taken_back`, `opened`, `reaped`, `paused`, `stopped`,
 * `resumed`, `interrupted`, `waited`, `decided`, `moved`, `ended`, `trouble`, `order_dropped`, `engine`; for all repos at once
 * `paused_all`, `resumed_all`.
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
 * Memory that was given back.
 */
freed_bytes: number | null, };

/**
 * A part of a repo's log.
 */
export type Log = {
/**
 * The entries, oldest first.
 */
entries: Array<LogEntry>, };

/**
 * One entry, with its repo.
 */
export type RecentEntry = {
/**
 * The repo's id. `null`: it was ordered for all.
 */
repo: string | null,
/**
 * What happened there.
 */
entry: LogEntry, };

/**
 * What happened last in all repos.
 */
export type Recent = {
/**
 * The entries, latest first. Long texts are cut.
 */
entries: Array<RecentEntry>,
/**
 * Whether something happened before them.
 */
earlier: boolean, };

/**
 * One life of one engine process.
 */
export type Session = {
/**
 * The session's id.
 */
id: string,
/**
 * The repo's id.
 */
repo: string,
/**
 * The repo's name.
 */
name: string,
/**
 * The holder's process id.
 */
holder: number,
/**
 * The holder's build.
 */
build: string,
/**
 * Whether that is this runner's build.
 */
same_build: boolean,
/**
 * The engine's process id. `null`: it has ended, or couldn't be started.
 */
engine_pid: number | null,
/**
 * What the engine is doing: `opening`, `idle`, `working`, `waiting`.
 */
activity: string,
/**
 * Since when it has been doing that.
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
 * What holds the engine.
 */
holds: Array<Hold>,
/**
 * When the engine was started.
 */
since: Time,
/**
 * The memory of its tree.
 */
memory: Memory | null,
/**
 * The process ids of its tree.
 */
tree: Array<number>,
/**
 * Whether its status file is watched. `false`: it is read at intervals.
 */
watching: boolean,
/**
 * The number of attached terminals.
 */
terminals: number,
/**
 * What prevents its journal from being written.
 */
journal_trouble: string | null, };

/**
 * Memory at one moment.
 */
export type Point = {
/**
 * The moment.
 */
at: Time,
/**
 * Memory in bytes; 0 while no engine is live.
 */
bytes: number, };

/**
 * The memory of a repo's engine and its processes over time.
 */
export type MemoryOf = {
/**
 * The repo's id.
 */
repo: string,
/**
 * The repo's name.
 */
name: string,
/**
 * Its measurements, oldest first: taken when its engine starts and ends, and every 15 s in between if
 * the memory has changed.
 */
points: Array<Point>, };

/**
 * What runs.
 */
export type Diagnostics = {
/**
 * All live sessions.
 */
sessions: Array<Session>,
/**
 * The memory of repos over time, since the runner started.
 */
memory: Array<MemoryOf>, };

/**
 * The end of the runner's own log.
 */
export type RunnerLog = {
/**
 * The file's path.
 */
file: string,
/**
 * Its last lines, oldest first.
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
 * What to notify about.
 */
export type Notify = {
/**
 * Notify when an idle engine is let go.
 */
reaped: boolean,
/**
 * Notify when a conversation begins fresh.
 */
fresh: boolean,
/**
 * Notify when an engine waits for a decision.
 */
needs_you: boolean,
/**
 * Notify when a turn is over and nobody looked.
 */
finished: boolean,
/**
 * Notify when something is wrong.
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
 * The console's port. 0: chosen once, then kept. Takes effect at the next start.
 */
console_port: number,
/**
 * What to notify about.
 */
notify: Notify,
/**
 * The path of their file.
 */
file: string,
/**
 * What is wrong with the file; the previous settings stay in force.
 */
trouble: Trouble | null, };
