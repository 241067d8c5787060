//! The death of a runner and the start of the next one; other events that affect everything.

use super::super::super::{Adopted, Event, How, Repo};
use super::{World, claude};
use crate::ids::SessionId;
use crate::policy::Policy;
use crate::session::{self, Session};
use crate::typing::Habits;

impl World {
    /// The wall clock is set by this many milliseconds.
    pub(in super::super) fn set_clock(&mut self, by: i64) {
        self.timeline.read(self.now);
        self.now.wall.0 = self.now.wall.0.saturating_add_signed(by);
        self.timeline.read(self.now);
    }

    pub(in super::super) fn kill_holder(&mut self) {
        if let Some(id) = self.live() {
            self.gone(&id, How::HolderDied);
        }
    }

    /// The runner dies and another starts: what only it knew is lost, but not the holders' journals.
    pub(in super::super) fn crash(&mut self) {
        self.waiting.clear();
        self.runners += 1;
        // Any of what follows may be cut off too, and then the next runner does the rest.
        let runner = self.runners;
        self.to_holder
            .retain(|(_, event)| matches!(event, session::Event::Looked(_) | session::Event::Input(_)));
        self.journal = std::mem::take(&mut self.uncommitted)
            .into_iter()
            .chain(std::mem::take(&mut self.journal))
            .chain(std::mem::take(&mut self.to_runner))
            .filter(|event| matches!(event, Event::Fact { .. } | Event::Ended { .. }))
            .collect();
        if self.removed {
            return;
        }
        self.repo = Repo::new("work", claude(), Policy::default(), self.disk.clone());
        for holder in self.holders.values_mut() {
            holder.told = None;
            holder.lease = false;
        }
        if let Some((session, plan, confirmed)) = self.open_session.clone() {
            let view = match self.holders.get(&session) {
                Some(holder) => Some(holder.session.view(self.now)),
                None if !self.journal.iter().any(|event| is_of(event, &session)) => None,
                None => {
                    let params = session::Params { policy: Policy::default(), pinned: false };
                    Some(Session::new("work", claude(), Habits::default(), params, self.now).view(self.now))
                }
            };
            if let Some(view) = view {
                self.runner(Adopted { session, plan, begun: self.now.wall, view, confirmed }.into());
            }
        }
        while self.runners == runner {
            let Some(event) = self.journal.pop_front() else {
                self.runner(Event::CaughtUp(self.absence));
                break;
            };
            self.runner(event);
        }
        if let Some(id) = self.live() {
            self.holder(&id, session::Event::Tick);
        }
    }
}

fn is_of(event: &Event, session: &SessionId) -> bool {
    matches!(event, Event::Fact { session: of, .. } | Event::Ended { session: of, .. } if of == session)
}
