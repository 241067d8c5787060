//! What happened in a repo: the last thing, kept up to date and read from the log after a restart, and what only the log
//! tells.

use repose_core::repo::{Event, Logged, Notice, State as Shows, TurnEnd};
use repose_core::session::Activity;
use repose_core::signal::Wait;
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_sys::clock::now;

use super::Actor;
use crate::shown::Happened;
use crate::store::LogWhat;

/// How many rows of the log to search after a restart. More rows of nothing but asks and decisions are rare.
const LOOKED_THROUGH: usize = 50;

/// A repo before an event, as far as the log tells what the event did. People need no notice of it: they did it, or see
/// its state.
pub(super) struct Before {
    paused: bool,
    /// Whether the event is an order that ends a pause without a return to work.
    ends: bool,
    activity: Option<Activity>,
}

impl Before {
    /// What the log tells of the difference to the repo as it is now.
    fn differs(&self, paused: bool, activity: Option<&Activity>) -> Vec<LogWhat> {
        let resumed = self.paused && !paused && !self.ends;
        let (now, before) = (activity.and_then(waits), self.activity.as_ref().and_then(waits));
        let told = now.filter(|(since, what)| match &self.activity {
            _ if !what.is_told() => false,
            None => true,
            Some(activity) if since_of(activity) > *since => false, // it waited before this runner saw it
            Some(_) => before.is_none_or(|(_, known)| known != *what),
        });
        // What an engine says of a wait comes in pieces: one that it has told nothing of is a row once it is over.
        let over =
            before.filter(|(since, what)| !what.is_told() && now.is_none_or(|(other, _)| other != *since));
        let waited = over.into_iter().chain(told).map(|(_, what)| LogWhat::Waited { words: what.what() });
        resumed.then_some(LogWhat::Resumed).into_iter().chain(waited).collect()
    }
}

impl From<Logged> for LogWhat {
    fn from(logged: Logged) -> Self {
        match logged {
            Logged::Interrupted(asked) => Self::Interrupted { asked },
            Logged::Decided(choice) => Self::Decided { choice },
        }
    }
}

fn waits(activity: &Activity) -> Option<(Wall, &Wait)> {
    match activity {
        Activity::Waiting { since, what } => Some((since.wall, what)),
        Activity::Opening { .. } | Activity::Idle { .. } | Activity::Working { .. } => None,
    }
}

fn since_of(activity: &Activity) -> Wall {
    match activity {
        Activity::Opening { since }
        | Activity::Idle { since }
        | Activity::Working { since, .. }
        | Activity::Waiting { since, .. } => since.wall,
    }
}

impl Actor {
    pub(super) fn before(&self, event: &Event) -> Before {
        let view = self.repo.view();
        Before {
            paused: self.repo.state() == Shows::Paused,
            ends: matches!(event, Event::Stop(..) | Event::Remove(..)),
            activity: view.map(|view| view.activity.clone()),
        }
    }

    pub(super) fn differs(&self, before: &Before) -> Vec<LogWhat> {
        let activity = self.repo.view().map(|view| &view.activity);
        before.differs(self.repo.state() == Shows::Paused, activity)
    }

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
        LogWhat::Asked { .. }
        | LogWhat::TakenBack { .. }
        | LogWhat::OrderDropped { .. }
        | LogWhat::Resumed
        | LogWhat::Interrupted { .. }
        | LogWhat::Waited { .. }
        | LogWhat::Decided { .. }
        | LogWhat::Engine { .. }
        | LogWhat::Gate { .. } => return None,
        LogWhat::Answered { .. } => turn_over(TurnEnd::Answered),
        LogWhat::Failed { code, .. } => turn_over(match Code::from_name(&code) {
            Some(Code::TurnInterrupted) => TurnEnd::Interrupted,
            // The log has Repose's sentence, not the engine's words.
            Some(_) | None => TurnEnd::Unanswered(String::new()),
        }),
        LogWhat::Opened { continuity, conversation: _ } => Notice::Opened(continuity),
        LogWhat::Reaped { idle, over, freed } => Notice::Reaped { idle, over, freed },
        LogWhat::Paused(freed) => Notice::Paused(freed),
        LogWhat::Stopped(freed) => Notice::Stopped(freed),
        LogWhat::Moved(conversation) => Notice::Moved(conversation),
        LogWhat::Ended { words } => Notice::EndedByItself(words),
        LogWhat::Trouble { code, sentence } => {
            let code = Code::from_name(&code).unwrap_or(Code::Internal);
            Notice::Trouble(Trouble::new(code, sentence, [""; 0]))
        }
    })
}

/// The log has no more of a turn than its end.
fn turn_over(end: TurnEnd) -> Notice {
    Notice::TurnOver { end, worked: None, heard: false }
}

#[cfg(test)]
mod tests {
    use repose_core::ids::AskId;
    use repose_core::repo::TurnEnd;

    use repose_core::session::Activity;
    use repose_core::signal::Wait;
    use repose_core::time::{Awake, Now, Wall};

    use super::{Before, notice, turn_over};
    use crate::store::LogWhat;

    fn at(second: u64) -> Now {
        Now { wall: Wall(second * 1_000), awake: Awake(second * 1_000), slept: 0 }
    }

    fn before(activity: Option<Activity>) -> Before {
        Before { paused: true, ends: false, activity }
    }

    #[test]
    fn a_wait_is_logged_once_and_not_again_by_the_next_runner() {
        let waits = Activity::Waiting { since: at(5), what: Wait::Trust };
        let logged = |before: Before| before.differs(true, Some(&waits)).len();
        assert_eq!(logged(before(Some(Activity::Idle { since: at(1) }))), 1);
        assert_eq!(logged(before(Some(waits.clone()))), 0);
        // A runner that adopts an engine has not seen it yet.
        assert_eq!(logged(before(Some(Activity::Opening { since: at(9) }))), 0);
    }

    #[test]
    fn a_wait_whose_subject_is_told_later_is_logged_once() {
        let waits = |what| Activity::Waiting { since: at(5), what };
        let (untold, told) = (waits(Wait::Choice(String::new())), waits(Wait::Choice("Which?".into())));
        let works = Activity::Working { since: at(1), sign: at(1) };
        let logged = |was: &Activity, now: Option<&Activity>| before(Some(was.clone())).differs(true, now);
        let waited = |words: &str| vec![LogWhat::Waited { words: words.into() }];
        assert_eq!(logged(&works, Some(&untold)), []);
        assert_eq!(logged(&untold, Some(&told)), waited("the choice \"Which?\""));
        assert_eq!(logged(&told, Some(&works)), []);
        // Nothing more came of it.
        for over in [Some(&works), None] {
            assert_eq!(logged(&untold, over), waited("a choice that it offered"));
        }
    }

    #[test]
    fn a_pause_that_is_lifted_is_logged_and_one_that_a_stop_ends_is_not() {
        let logged = |before: Before, paused| before.differs(paused, None);
        assert_eq!(logged(before(None), false), [LogWhat::Resumed]);
        assert_eq!(logged(before(None), true), []);
        assert_eq!(logged(Before { ends: true, ..before(None) }, false), []);
    }

    #[test]
    fn a_turn_that_failed_before_a_restart_has_no_words_of_its_engine() {
        let (ask, sentence) = (AskId::new("a"), "The turn failed: overloaded.".to_owned());
        let failed = LogWhat::Failed { ask, code: "turn_failed".into(), sentence };
        assert_eq!(notice(failed), Some(turn_over(TurnEnd::Unanswered(String::new()))));
    }
}
