//! Which processes of the tree are work of the session, and which belong to the engine itself.

use std::collections::HashMap;
use std::time::Duration;

use repose_core::hold::{Because, Resident};
use repose_sys::clock::now;
use repose_sys::tree::{self, Member};
use repose_sys::{ProcessId, sockets};
use tokio::time::Instant;

use super::session::Holder;

/// A process that used more than this share (one in ten) of a processor between two scans works. Background
/// helpers such as an idle language server or a file watcher use a hundredth at most.
const BUSY_SHARE: u32 = 10;

/// The shortest distance of two scans from which busy processes can be told: the kernel counts in steps of 10
/// ms.
pub(super) const BUSY_APART: Duration = Duration::from_millis(500);

impl Holder {
    /// The engine waits for its first prompt: all processes that it starts with exist by now.
    pub(super) fn got_ready(&mut self) {
        if !std::mem::replace(&mut self.looks.ready, true) {
            self.take_baseline();
        }
    }

    /// Takes what is in the tree now for the engine's own servers rather than work.
    pub(super) fn take_baseline(&mut self) {
        self.scan(false);
        self.looks.baseline.clone_from(&self.looks.tree);
    }

    pub(super) fn residents(&mut self, members: &[Member], at: Instant, near: bool) -> Vec<Resident> {
        let pid = self.engine_id.map_or(0, |engine| engine.pid);
        let level = self.looks.level.as_ref().map(|(process, _)| process.pid);
        let engine = [self.engine_id.map(|engine| engine.pid), level];
        let new: Vec<&Member> = members
            .iter()
            .filter(|member| {
                !engine.contains(&Some(member.id.pid))
                    && !self.looks.baseline.contains(&member.id)
                    && !self.engine.furnished(member, pid)
                    && !member.has_ended()
            })
            .collect();
        let own = members.iter().map(|member| member.id).filter(|id| engine.contains(&Some(id.pid)));
        let (own, ids): (Vec<ProcessId>, Vec<ProcessId>) =
            (own.collect(), new.iter().map(|new| new.id).collect());
        let listening = sockets::listening(&[own.as_slice(), &ids].concat()).unwrap_or_default();
        let ports: HashMap<ProcessId, u16> = sockets::not_inherited(&listening, &own)
            .map(|socket| (socket.process, socket.address.port()))
            .collect();
        let busy = self.busy(members, at, near);
        let works = self.works_in_front();
        let wall = now().wall;
        let known = std::mem::take(&mut self.looks.residents);
        for member in new {
            let was = known.get(&member.id);
            let because = match ports.get(&member.id) {
                Some(&port) => Because::Listens(port),
                None if busy.contains(&member.id) => Because::Busy,
                // What is in the foreground is the turn itself.
                None if works != Some(member.group) && self.engine.left_running(member, pid) => Because::Left,
                // Two scans this close change nothing about who is busy.
                None if near && was.is_some_and(|was| was.because == Because::Busy) => Because::Busy,
                None => continue,
            };
            let command = self.engine.runs(member).unwrap_or_else(|| {
                if member.command.is_empty() { member.name.clone() } else { member.command.join(" ") }
            });
            let since = was.map_or(wall, |was| was.since);
            let ProcessId { pid, start } = member.id;
            self.looks.residents.insert(member.id, Resident { pid, start, command, since, because });
        }
        let mut residents: Vec<Resident> = self.looks.residents.values().cloned().collect();
        residents.sort_by_key(|resident| resident.pid);
        residents
    }

    fn busy(&self, members: &[Member], at: Instant, near: bool) -> Vec<ProcessId> {
        let Some((then, before)) = self.looks.scanned.as_ref().filter(|_| !near) else { return Vec::new() };
        let enough = (at - *then) / BUSY_SHARE;
        // A new process has had less time for it. What its start alone uses is forgotten at the next scan.
        let enough_for_new = BUSY_APART / BUSY_SHARE;
        tree::busy(before, members)
            .into_iter()
            .filter(|(id, used)| {
                let known = before.iter().any(|member| member.id == *id);
                *used >= if known { enough } else { enough_for_new }
            })
            .map(|(id, _)| id)
            .collect()
    }
}
