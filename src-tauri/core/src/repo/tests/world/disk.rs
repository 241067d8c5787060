//! What a store has, after every change.

use super::super::super::Change;
use super::World;
use crate::ask::Stage;
use crate::continuity::Outcome;

impl World {
    /// One event's changes.
    pub(super) fn write_all(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.check_change(&change);
            self.write(change);
        }
        self.check_disk();
    }

    fn write(&mut self, change: Change) {
        match change {
            Change::Intent(intent) => self.disk.intent = intent,
            Change::Current(conversation) => {
                self.disk.conversation = Some(conversation);
            }
            Change::Known(known) => {
                if let Some(current) = &mut self.disk.conversation
                    && current.id == known.id
                {
                    *current = known;
                }
            }
            Change::Continuity(continuity) => {
                if let Some((_, _, confirmed)) = &mut self.open_session {
                    *confirmed = true;
                }
                self.cut_off.retain(|work| !continuity.interrupted.contains(work));
                let opens = !matches!(continuity.outcome, Outcome::WentOver { .. });
                if opens && Some(self.timeline.moment(continuity.at)) >= self.must_name_since {
                    self.must_name.clear();
                }
                self.to_tell = Some(continuity.clone());
                self.disk.continuity = Some(continuity);
            }
            Change::Engine(_) => (self.disk.continuity, self.disk.freed) = (None, None),
            Change::Untold(untold) => self.disk.untold = untold,
            Change::Interrupted(work) => {
                self.must_name.clone_from(&work);
                self.must_name_since = Some(self.timeline.moment(self.now.wall));
                self.disk.interrupted = work;
            }
            Change::FreshNext(fresh) => self.disk.fresh_next = fresh,
            Change::Forked(fork) => self.disk.last_fork = Some(fork),
            Change::Ask(ask) => {
                let over = matches!(ask.stage, Stage::Over(_));
                if over && ask.told.is_some() {
                    self.to_tell = None;
                }
                match self.disk.asks.iter_mut().find(|known| known.id == ask.id) {
                    Some(known) => *known = ask,
                    None => self.disk.asks.push(ask),
                }
                if over {
                    self.over.extend(
                        self.disk
                            .asks
                            .iter()
                            .filter(|ask| matches!(ask.stage, Stage::Over(_)))
                            .map(|ask| ask.id.clone()),
                    );
                    self.disk.asks.retain(|ask| !matches!(ask.stage, Stage::Over(_)));
                }
            }
            Change::AskGone(id) => self.disk.asks.retain(|ask| ask.id != id),
            Change::SessionBegins { session, plan } => self.open_session = Some((session, plan, false)),
            Change::SessionOver { session, freed } => {
                self.disk.freed = freed;
                self.open_session = self.open_session.take().filter(|(open, ..)| *open != session);
            }
            Change::Pinned(pinned) => self.disk.pinned = pinned,
            Change::Removed => self.removed = true,
        }
    }
}
