//! The last thing that happened in a repo: kept up to date, and read from the log after a restart.

use repose_core::repo::{Notice, TurnEnd};
use repose_core::trouble::{Code, Trouble};
use repose_sys::clock::now;

use super::Actor;
use crate::shown::Happened;
use crate::store::LogWhat;

/// How many rows of the log to search after a restart. More rows of nothing but asks are rare.
const LOOKED_THROUGH: usize = 50;

impl Actor {
    pub(super) fn happened(&mut self, notices: &[Notice]) {
        if let Some(notice) = notices.last() {
            self.last = Some(Happened { at: now().wall, what: notice.clone() });
        }
    }

    /// The last thing that happened according to the log. `None` also if the log can't be read.
    pub(super) async fn happened_before(&self) -> Option<Happened> {
        let (store, repo) = (self.shared.store.clone(), self.facts.id.clone());
        let read = tokio::task::spawn_blocking(move || store.log(&repo, None, LOOKED_THROUGH)).await;
        let rows = read.ok()?.ok()?;
        rows.into_iter().rev().find_map(|row| Some(Happened { at: row.at, what: notice(row.what)? }))
    }
}

fn notice(what: LogWhat) -> Option<Notice> {
    Some(match what {
        LogWhat::Asked { .. } | LogWhat::TakenBack { .. } | LogWhat::OrderDropped { .. } => return None,
        LogWhat::Answered { .. } => Notice::TurnOver(TurnEnd::Answered),
        LogWhat::Failed { code, .. } => Notice::TurnOver(match Code::from_name(&code) {
            Some(Code::TurnInterrupted) => TurnEnd::Interrupted,
            // The log has Repose's sentence, not the engine's words.
            Some(_) | None => TurnEnd::Unanswered(String::new()),
        }),
        LogWhat::Opened { continuity, conversation: _ } => Notice::Opened(continuity),
        LogWhat::Reaped { idle, over, freed } => Notice::Reaped { idle, over, freed },
        LogWhat::Paused(freed) => Notice::Paused(freed),
        LogWhat::Moved(conversation) => Notice::Moved(conversation),
        LogWhat::Ended { words } => Notice::EndedByItself(words),
        LogWhat::Trouble { code, sentence } => {
            let code = Code::from_name(&code).unwrap_or(Code::Internal);
            Notice::Trouble(Trouble::new(code, sentence, [""; 0]))
        }
    })
}

#[cfg(test)]
mod tests {
    use repose_core::ids::AskId;
    use repose_core::repo::{Notice, TurnEnd};

    use super::notice;
    use crate::store::LogWhat;

    #[test]
    fn a_turn_that_failed_before_a_restart_has_no_words_of_its_engine() {
        let (ask, sentence) = (AskId::new("a"), "The turn failed: overloaded.".to_owned());
        let failed = LogWhat::Failed { ask, code: "turn_failed".into(), sentence };
        assert_eq!(notice(failed), Some(Notice::TurnOver(TurnEnd::Unanswered(String::new()))));
    }
}
