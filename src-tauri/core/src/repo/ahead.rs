//! Looking ahead: an order that ends a live engine so that another conversation can be opened is carried out
//! only if that one can be.

use super::orders::in_transition;
use super::{Answer, Checked, Effect, Effects, Open, Order, Process, Repo};
use crate::time::Now;
use crate::trouble::Trouble;

/// An order that waits for the result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ahead {
    check: u64,
    open: Open,
    pub(super) order: Order,
}

impl Repo {
    /// First checks whether `open` can succeed, then ends the engine by `order`. If the check refuses,
    /// nothing is changed.
    pub(super) fn look_ahead(&mut self, order: Order, open: Open, out: &mut Effects) {
        let (check, conversation) = self.next_check(&open);
        out.push(Effect::LookAhead { check, conversation });
        let before = self.ahead.replace(Ahead { check, open, order });
        if let Some(reply) = before.and_then(|before| before.order.reply) {
            out.refuse(reply, in_transition());
        }
    }

    /// Takes in the result of the check before an order.
    pub(super) fn looked_ahead(
        &mut self,
        check: u64,
        result: Result<Checked, Trouble>,
        now: Now,
        out: &mut Effects,
    ) {
        let Some(Ahead { open, order, .. }) = self.ahead.take_if(|ahead| ahead.check == check) else {
            return;
        };
        let found = result.and_then(|checked| self.plan(&open, &checked, now));
        let refused = match (found, &self.process) {
            (Err(trouble), _) => trouble,
            (Ok(_), Process::Live { .. } | Process::Opening { .. }) => return self.order(order, out),
            (
                Ok(_),
                Process::None | Process::Checking { .. } | Process::Ending { .. } | Process::Reaping { .. },
            ) => in_transition(),
        };
        out.extend(order.reply.map(|reply| Effect::Reply(reply, Answer::Refused(refused))));
    }
}
