//! Sessions from before this runner: translates what they reported into the core's terms.

use std::path::{Path, PathBuf};

use repose_core::ask::{Ask, Stage};
use repose_core::hold::Kind;
use repose_core::ids::AskId;
use repose_core::repo::{Freed, How, NotTakenUp, Repo, Report, State as Shows};
use repose_core::session::{Activity, Fact, TurnOutcome};
use repose_core::signal::{Author, Said, Source};
use repose_core::time::Wall;
use repose_core::words;
use repose_engine::Engine;
use repose_engine::engine::TurnsBy;
use repose_engine::told::ExitCause;
use repose_engine::transcript::{Answer, Asked, Place};
use repose_hold::{Ended, State};

use crate::check::Facts;
use crate::shown::Memory;

fn not_taken_up(cause: ExitCause) -> Option<NotTakenUp> {
    match cause {
        ExitCause::NoSuchConversation => Some(NotTakenUp::Unknown),
        ExitCause::OnlyAsFork => Some(NotTakenUp::OnlyAsFork),
        ExitCause::IdTaken | ExitCause::TrustDeclined | ExitCause::Unknown => None,
    }
}

/// The end of a session, as the core takes it.
pub(crate) fn report(engine: &dyn Engine, ended: &Ended) -> Report {
    let how = match &ended.how {
        repose_hold::How::Reaped { .. } | repose_hold::How::Ended => How::Ended,
        repose_hold::How::Exited { code, signal, words } => {
            let cause = engine.exit_cause(words);
            let words = match cause {
                ExitCause::TrustDeclined => "Whether its folder is trusted was answered with no.".into(),
                ExitCause::NoSuchConversation
                | ExitCause::OnlyAsFork
                | ExitCause::IdTaken
                | ExitCause::Unknown => match engine.speaks().turns {
                    TurnsBy::Screen => end_of_talk(words, *code, *signal),
                    TurnsBy::Hooks | TurnsBy::Events | TurnsBy::Transcript => {
                        end_in_words(words, *code, *signal)
                    }
                },
            };
            How::Exited { not_taken_up: not_taken_up(cause), words }
        }
        repose_hold::How::Failed { words } => How::Exited { words: words.clone(), not_taken_up: None },
    };
    let here = !ended.before_this_boot();
    let freed = ended.freed.filter(|_| here && ended.left.is_empty()).map(|memory| Freed {
        bytes: memory.bytes,
        processes: u32::try_from(memory.processes).unwrap_or(u32::MAX),
        measured: memory.measured,
        took_ms: u64::try_from(ended.took.as_millis()).unwrap_or(u64::MAX),
    });
    let left = if here { crate::link::named(&ended.left) } else { Vec::new() };
    Report { how, freed, left }
}

/// Measured memory, as it is shown.
pub(crate) fn memory(memory: repose_sys::memory::Memory, at: Wall) -> Memory {
    Memory {
        bytes: memory.bytes,
        processes: u32::try_from(memory.processes).unwrap_or(u32::MAX),
        measured: memory.measured,
        at,
    }
}

/// The facts that a lost part of the journal must have held, derived from the present state and from the
/// transcript.
pub(crate) fn rebuilt(repo: &Repo, facts: &Facts, state: &State, confirmed: bool) -> Vec<Fact> {
    let mut rebuilt = Vec::new();
    let transcript = state.transcript.clone();
    let known = repo.conversation().map(|conversation| &conversation.id);
    match &state.view.conversation {
        Some(conversation) if !confirmed => {
            let source = if known == Some(conversation) { Source::Resumed } else { Source::New };
            let conversation = Some(conversation.clone());
            rebuilt.push(Fact::Confirmed { conversation, source, transcript: transcript.clone() });
        }
        Some(conversation) if known != Some(conversation) => {
            let (conversation, source) = (conversation.clone(), Source::Resumed);
            rebuilt.push(Fact::Moved { conversation, source, transcript: transcript.clone() });
        }
        Some(_) | None => {}
    }
    let path = transcript.map(PathBuf::from);
    let place = path.as_deref().zip(state.view.conversation.as_ref()).map(|(path, id)| Place { path, id });
    for ask in repo.asks() {
        let (asked, taken) = match &ask.stage {
            Stage::Taken { session, prompt } if *session == state.session => {
                (prompt.as_ref().map_or(Asked::TextSince(&ask.text, ask.at), Asked::Prompt), true)
            }
            Stage::Submitted(session) if *session == state.session => {
                (Asked::TextSince(&ask.text, ask.at), false)
            }
            Stage::Taken { .. } | Stage::Submitted(_) | Stage::Waiting | Stage::Over(_) => continue,
        };
        let outcome = match place.map(|place| facts.engine.answer_to(place, asked)) {
            Some(Ok(Answer::Answered(text))) => TurnOutcome::Answered(text),
            Some(Ok(Answer::Failed(error))) => TurnOutcome::Failed(error),
            Some(Ok(Answer::Interrupted)) => TurnOutcome::Interrupted,
            Some(Ok(Answer::Open | Answer::NotAsked) | Err(_)) | None => {
                match (still(state, &ask.id), taken) {
                    // The holder reports the first kind, and the second is submitted again.
                    (Still::Open, _) | (Still::Unknown, false) => {}
                    (Still::Over, false) => rebuilt.push(Fact::NotTaken { ask: ask.id.clone() }),
                    (Still::Over | Still::Unknown, true) => {
                        rebuilt.push(over(state, ask, TurnOutcome::Failed(LOST.into())));
                    }
                }
                continue;
            }
        };
        if !taken {
            rebuilt.push(Fact::Taken { ask: ask.id.clone(), prompt: None });
        }
        rebuilt.push(over(state, ask, outcome));
    }
    rebuilt
}

/// What to say about a turn whose end was in the lost part and isn't in the transcript either.
const LOST: &str = "its end couldn't be written down, and its answer can't be read any more";

fn over(state: &State, ask: &Ask, outcome: TurnOutcome) -> Fact {
    Fact::TurnOver { ask: Some(ask.id.clone()), outcome, at: state.view.interaction, worked: None }
}

/// What a holder still has to report about an ask.
enum Still {
    /// Its outcome, or the end of the session.
    Open,
    /// Nothing, since it has reported everything.
    Over,
    /// Nothing, since it doesn't know the ask.
    Unknown,
}

fn still(state: &State, ask: &AskId) -> Still {
    if state.ended.is_some() {
        return Still::Open;
    }
    let rests = matches!(state.view.activity, Activity::Idle { .. })
        && !state.view.holds.iter().any(|hold| matches!(hold.kind, Kind::Turn));
    match &state.asked {
        Some((last, true)) if last == ask => Still::Open,
        Some((last, false)) if last == ask => Still::Over,
        // A holder of another build doesn't say which ask it knows.
        None if !rests => Still::Open,
        Some(_) | None => Still::Unknown,
    }
}

/// The fact that a dead holder would have reported for what a hook wrote, as far as it matters to a session
/// that is over.
pub(crate) fn spooled(repo: &Repo, facts: &Facts, at: Wall, payload: &[u8]) -> Option<Fact> {
    let session = repo.session()?;
    let signal = facts.engine.signal(payload, at).ok()??;
    let known = repo.conversation().map(|conversation| &conversation.id);
    let own = signal.conversation.as_ref() == known;
    let submitted = |text: &str| {
        repo.asks().find(|ask| {
            matches!(&ask.stage, Stage::Submitted(of) if of == session)
                && facts.engine.same_prompt(&ask.text, text)
        })
    };
    let taken = || {
        repo.asks().find_map(|ask| match &ask.stage {
            Stage::Taken { session: of, prompt } if of == session => Some((ask.id.clone(), prompt.clone())),
            Stage::Taken { .. } | Stage::Submitted(_) | Stage::Waiting | Stage::Over(_) => None,
        })
    };
    match signal.said {
        Said::Started { source, transcript } if repo.state() == Shows::Opening => {
            Some(Fact::Confirmed { conversation: signal.conversation, source, transcript })
        }
        Said::Started { source, transcript } if source != Source::New && !own => {
            Some(Fact::Moved { conversation: signal.conversation?, source, transcript })
        }
        Said::PromptTaken { prompt, text, author: Author::Person } if own => {
            Some(Fact::Taken { ask: submitted(&text)?.id.clone(), prompt })
        }
        Said::Stopped { prompt, text, .. } if own => {
            let (ask, of) = taken()?;
            let same = prompt.is_none() || of.is_none() || prompt == of;
            let outcome = TurnOutcome::Answered(text);
            same.then_some(Fact::TurnOver { ask: Some(ask), outcome, at, worked: None })
        }
        Said::Failed { error } if own => {
            let outcome = TurnOutcome::Failed(error);
            Some(Fact::TurnOver { ask: Some(taken()?.0), outcome, at, worked: None })
        }
        Said::Started { .. }
        | Said::PromptTaken { .. }
        | Said::Stopped { .. }
        | Said::Failed { .. }
        | Said::ToolUsed
        | Said::NeedsDecision(_)
        | Said::Interrupted
        | Said::TakenBack
        | Said::Level(_)
        | Said::Closed { .. } => None,
    }
}

/// Removes the folder of a session that is over.
pub(crate) fn remove(dir: &Path) {
    let socket = repose_hold::socket_path(dir);
    if !socket.starts_with(dir) {
        // The socket may never have been made.
        let _ = std::fs::remove_file(socket);
    }
    match std::fs::remove_dir_all(dir) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(dir = %dir.display(), %error, "a session's folder was not removed"),
    }
}

/// Signals that come from outside: then the engine's screen doesn't explain the end. POSIX gives them the
/// same numbers everywhere.
const FROM_OUTSIDE: [(u32, &str); 5] =
    [(1, "SIGHUP"), (2, "SIGINT"), (3, "SIGQUIT"), (9, "SIGKILL"), (15, "SIGTERM")];

/// The same for an engine that answers on its screen, where what it said last may be an answer. An orderly end
/// needs no reason, and of another one the last line tells it.
fn end_of_talk(screen: &str, code: Option<u32>, signal: Option<u32>) -> String {
    match code {
        Some(0) => "It exited (exit status 0).".into(),
        Some(_) | None => {
            let last = screen.trim_end().lines().next_back().unwrap_or_default();
            end_in_words(&words::line(last), code, signal)
        }
    }
}

/// How an engine ended on its own, in sentences: its exit status or signal, and its last output.
fn end_in_words(screen: &str, code: Option<u32>, signal: Option<u32>) -> String {
    if let Some((number, name)) = FROM_OUTSIDE.iter().find(|(number, _)| Some(*number) == signal) {
        return format!("It was killed by signal {number} ({name}).");
    }
    let status = match (code, signal) {
        (_, Some(signal)) => format!(" (signal {signal})"),
        (Some(code), None) => format!(" (exit status {code})"),
        (None, None) => String::new(),
    };
    match words::last(screen) {
        said if said.is_empty() => format!("It said nothing{status}."),
        said => format!("It said: {said}{status}"),
    }
}

#[cfg(test)]
mod tests;
