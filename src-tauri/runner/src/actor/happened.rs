//! What happened last in a repo: kept as it happens, and after a restart read off the log.

use repose_core::repo::{Notice, TurnEnd};
use repose_core::trouble::{Code, Trouble};
use repose_sys::clock::now;

use super::Actor;
use crate::shown::Happened;
use crate::store::LogWhat;

/// So many rows of the log are looked through after a restart. In more than that nothing but asks is rare.
const LOOKED_THROUGH: usize = 50;

impl Actor {
    pub(super) fn happened(&mut self, notices: &[Notice]) {
        if let Some(notice) = notices.last() {
            self.last = Some(Happened { at: now().wall, what: notice.clone() });
        }
    }

    /// As the log tells it. A log that can't be read tells nothing.
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
        LogWhat::Failed { code, sentence, .. } => Notice::TurnOver(match Code::from_name(&code) {
            Some(Code::TurnInterrupted) => TurnEnd::Interrupted,
            Some(_) | None => TurnEnd::Unanswered(sentence),
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
