//! From needing an engine to its confirmation.

use super::{
    Change, Checked, Effect, Effects, Fallback, How, Intent, Notice, Open, Process, ReplyTo, Repo, Report,
    Waiting, Wants,
};
use crate::continuity::{self, Asked, Continuity, Outcome, Plan, Previous, Reason};
use crate::conversation::{Conversation, Fork};
use crate::ids::{ConversationId, SessionId};
use crate::signal::Source;
use crate::time::Now;
use crate::trouble::{Code, Kind, Trouble};

impl Open {
    /// An open that a person ordered.
    pub(super) fn ordered(asked: Asked) -> Self {
        Self { asked, deliberate: true, conversation: None, fallback: None, when_free: false }
    }

    /// An open because something needs an engine.
    pub(super) fn needed() -> Self {
        Self {
            asked: Asked::Nothing,
            deliberate: false,
            conversation: None,
            fallback: None,
            when_free: false,
        }
    }

    /// An open because somebody needs an engine, that waits for another program to let go of the
    /// conversation.
    pub(super) fn when_free() -> Self {
        Self { when_free: true, ..Self::needed() }
    }

    /// An open that a person ordered, with a copy of this conversation; `None`: of the current one.
    pub(super) fn fork(conversation: Option<ConversationId>) -> Self {
        Self { conversation, ..Self::ordered(Asked::Fork) }
    }

    /// An open that a person ordered, with this conversation; `None`: with the current one.
    pub(super) fn of(conversation: Option<ConversationId>) -> Self {
        Self { asked: Asked::Resume, deliberate: true, conversation, fallback: None, when_free: false }
    }
}

impl Repo {
    pub(super) fn ensure(&mut self, reply: ReplyTo, open: Open, out: &mut Effects) {
        if let Some(trouble) = self.shut() {
            out.refuse(reply, trouble);
            return;
        }
        match self.process {
            Process::Live { .. } => out.done(reply),
            Process::None | Process::Checking { .. } | Process::Opening { .. } => {
                self.wait_for_open(reply, open.clone());
                self.begin(open, out);
            }
            Process::Ending { .. } | Process::Reaping { .. } => self.wait_for_open(reply, open),
        }
    }

    /// What prevents any open except one that a person ordered.
    pub(super) fn shut(&self) -> Option<Trouble> {
        match (&self.intent, &self.process) {
            (Intent::Paused { .. }, _) => Some(self.paused_trouble()),
            (Intent::Open | Intent::Ending { .. }, Process::None | Process::Checking { .. })
                if self.gate_closed =>
            {
                Some(self.gate_trouble())
            }
            (Intent::Open | Intent::Ending { .. }, _) => None,
        }
    }

    pub(super) fn wait_for_open(&mut self, reply: ReplyTo, open: Open) {
        self.waiting.push(Waiting { reply, until: None, wants: Wants::Open(open) });
    }

    /// First step of an open: check. Does nothing if an open is already under way.
    pub(super) fn begin(&mut self, open: Open, out: &mut Effects) {
        match self.process {
            Process::None => {}
            Process::Checking { .. }
            | Process::Opening { .. }
            | Process::Live { .. }
            | Process::Ending { .. }
            | Process::Reaping { .. } => return,
        }
        if open.deliberate && open.asked != Asked::Fresh {
            self.not_fresh(out);
        }
        let (check, conversation) = self.next_check(&open);
        self.process = Process::Checking { check, open };
        out.push(Effect::Check { check, conversation });
    }

    /// Drops the wish for a fresh start: it was fulfilled, or a person has asked for something else since.
    pub(super) fn not_fresh(&mut self, out: &mut Effects) {
        if self.fresh_next {
            self.fresh_next = false;
            out.write(Change::FreshNext(false));
        }
    }

    /// The number of the next check, and the conversation that it is to check.
    pub(super) fn next_check(&mut self, open: &Open) -> (u64, Option<ConversationId>) {
        self.checks += 1;
        let looked_at = match (&open.conversation, &open.fallback) {
            (Some(wanted), _) | (None, Some(Fallback::ForkAgain(wanted))) => Some(wanted.clone()),
            (None, Some(Fallback::Fork | Fallback::Fresh(_)) | None) => {
                self.conversation.as_ref().map(|current| current.id.clone())
            }
        };
        (self.checks, looked_at)
    }

    /// Another program has the conversation open: tells everybody who accepts that they have to wait.
    fn wait_until_free(&mut self, out: &mut Effects) {
        self.when_free = true;
        let told = self.take_waiting(|wants| matches!(wants, Wants::Open(open) if open.when_free));
        out.done_all(told);
    }

    /// Opens a repo that was waiting for another program to let go of its conversation. If the open fails,
    /// the wish remains until an engine is live or somebody stops the repo.
    pub(super) fn open_if_free(&mut self, out: &mut Effects) {
        if self.caught_up && self.when_free && self.owner.is_none() && self.shut().is_none() {
            self.begin(Open::when_free(), out);
        }
    }

    /// Second step: decide what to ask of the engine, and start a holder.
    pub(super) fn checked(
        &mut self,
        check: u64,
        result: Result<Checked, Trouble>,
        now: Now,
        out: &mut Effects,
    ) {
        if let Ok(checked) = &result {
            self.loss.clone_from(&checked.loss);
        }
        let Process::Checking { check: awaited, open } = &self.process else {
            self.looked_ahead(check, result, now, out);
            return;
        };
        if *awaited != check {
            self.looked_ahead(check, result, now, out);
            return;
        }
        let open = open.clone();
        self.process = Process::None;
        let checked = match result {
            Ok(checked) => checked,
            Err(trouble) => {
                self.offline = Some(trouble.clone());
                self.fail_open(&trouble, out);
                self.tell_in_vain(trouble, out);
                return;
            }
        };
        self.offline = None;
        self.in_vain.clear();
        if !open.deliberate
            && let Some(trouble) = self.shut()
        {
            self.fail_open(&trouble, out); // the gate was closed in the meantime
            return;
        }
        let of_current = |found: &Conversation| self.conversation.as_ref().is_some_and(|c| c.id == found.id);
        if checked.conversation.as_ref().is_none_or(of_current) {
            self.owner.clone_from(&checked.owner);
        }
        if let Some(again) = self.fork_again(&open, &checked) {
            self.begin(again, out);
            return;
        }
        let plan = match self.plan(&open, &checked, now) {
            Ok(plan) => plan,
            Err(trouble) => {
                if open.when_free && trouble.code == Code::OwnedElsewhere {
                    self.wait_until_free(out);
                }
                self.fail_open(&trouble, out);
                return;
            }
        };
        self.other = None;
        if let Some(conversation) = checked.conversation {
            self.other = Some(conversation.clone()).filter(|_| open.conversation.is_some());
            self.read(conversation, out);
        }
        if self.intent != Intent::Open {
            self.set_intent(Intent::Open, out);
        }
        self.begun = Some(now.wall);
        let Checked { session, new_conversation, .. } = checked;
        self.process = Process::Opening { session: session.clone(), plan: plan.clone(), view: None };
        self.write_behind(out);
        out.write(Change::SessionBegins { session: session.clone(), plan: plan.clone() });
        out.push(Effect::Spawn { session, plan, new_conversation });
    }

    /// Tells people why the repo can't open. Whoever asked is answered separately; this is for whoever can
    /// fix it, and is told once however many attempts follow.
    fn tell_in_vain(&mut self, trouble: Trouble, out: &mut Effects) {
        if trouble.code.kind() == Kind::Offline && !self.in_vain.contains(&trouble.code) {
            self.in_vain.push(trouble.code);
            out.push(Effect::Notice(Notice::Trouble(trouble)));
        }
    }

    /// What to ask of the engine according to the check, or what speaks against opening.
    pub(super) fn plan(&self, open: &Open, checked: &Checked, now: Now) -> Result<Plan, Trouble> {
        if let Some(wanted) = &open.conversation
            && checked.conversation.as_ref().is_none_or(|found| found.id != *wanted)
        {
            return Err(super::no_such_conversation(&self.called, wanted));
        }
        let previous =
            checked.conversation.as_ref().map(|conversation| Previous { conversation, with: &checked.with });
        let asked = self.asked(open);
        let window = self.policy.resume_within;
        let loss = checked.loss.as_ref();
        let decide = |asked| continuity::decide(previous, &self.engine, loss, asked, window, now.wall);
        let plan = match &open.fallback {
            Some(Fallback::Fresh(reason)) => Plan::Fresh(reason.clone()),
            Some(Fallback::Fork) => decide(Asked::Fork),
            Some(Fallback::ForkAgain(_)) => match decide(asked) {
                Plan::Resume { conversation, idle } => Plan::Fork { conversation, idle },
                other @ (Plan::Fork { .. } | Plan::Fresh(_)) => other,
            },
            None => decide(asked),
        };
        let trouble = match (&plan, &checked.owner, &open.conversation) {
            (Plan::Resume { .. }, Some(owner), wanted) => Some(self.owned_trouble(owner, wanted.as_ref())),
            // Nobody asked for a copy.
            (Plan::Fork { .. }, Some(owner), wanted)
                if open.asked != Asked::Fork && open.fallback == Some(Fallback::Fork) =>
            {
                Some(self.owned_trouble(owner, wanted.as_ref()))
            }
            (Plan::Fresh(reason), _, Some(wanted)) => Some(self.cant_take_up(wanted, reason)),
            (Plan::Fresh(reason), _, None) if open.asked == Asked::Fork => Some(self.cant_fork(reason)),
            (Plan::Fresh(Reason::WouldBeLost(loss)), _, None) if open.asked == Asked::Resume => {
                Some(self.would_be_lost(loss))
            }
            (Plan::Fresh(reason), _, None) if open.asked == Asked::Resume && reason.is_of_its_file() => {
                Some(self.file_lost(reason))
            }
            (Plan::Resume { .. }, None, _) | (Plan::Fork { .. }, ..) | (Plan::Fresh(_), _, None) => None,
        };
        trouble.map_or(Ok(plan), Err)
    }

    /// What this open asks for at this point. If no person ordered it, that depends on who is waiting for it.
    fn asked(&self, open: &Open) -> Asked {
        match open.asked {
            Asked::Nothing if self.fresh_next || self.next_is_fresh() => Asked::Fresh,
            asked @ (Asked::Nothing | Asked::Fresh | Asked::Resume | Asked::Fork) => asked,
        }
    }

    /// The open that copies the same original again, if the current conversation is a copy that was never
    /// written.
    fn fork_again(&self, open: &Open, checked: &Checked) -> Option<Open> {
        let current = self.conversation.as_ref()?;
        let of = self.last_fork.as_ref().filter(|fork| fork.id == current.id)?.of.clone();
        let unwritten = checked.conversation.as_ref().is_none_or(|found| !found.resumable());
        let again = match self.asked(open) {
            Asked::Fresh => false,
            Asked::Nothing | Asked::Resume | Asked::Fork => true,
        };
        let first = again && open.conversation.is_none() && open.fallback.is_none();
        (first && unwritten).then(|| Open { fallback: Some(Fallback::ForkAgain(of)), ..open.clone() })
    }

    pub(super) fn spawn_failed(
        &mut self,
        session: &SessionId,
        trouble: Trouble,
        now: Now,
        out: &mut Effects,
    ) {
        if self.session() != Some(session) {
            return;
        }
        self.ended(Report { how: How::NotStarted(trouble), freed: None, left: Vec::new() }, now, out);
    }

    /// Third step: the engine confirmed a conversation. Only that is reported.
    pub(super) fn confirmed(
        &mut self,
        conversation: Option<ConversationId>,
        source: &Source,
        transcript: Option<String>,
        now: Now,
        out: &mut Effects,
    ) {
        let (session, plan, view) = match std::mem::replace(&mut self.process, Process::None) {
            Process::Opening { session, plan, view } => (session, plan, view),
            other @ (Process::None
            | Process::Checking { .. }
            | Process::Live { .. }
            | Process::Ending { .. }
            | Process::Reaping { .. }) => {
                self.process = other;
                self.confirmed_while_ending(conversation, source, transcript, now, out);
                return;
            }
        };
        self.process = Process::Live { session, view };
        self.tell(&plan, conversation, source, transcript, now, out);
        self.opened(out);
        self.pause_that_waited(out);
    }

    /// An engine is live: answers everybody who waited for one.
    pub(super) fn opened(&mut self, out: &mut Effects) {
        self.when_free = false;
        let waiting = self.take_waiting(|wants| matches!(wants, Wants::Open(_)));
        out.done_all(waiting);
    }

    fn confirmed_while_ending(
        &mut self,
        conversation: Option<ConversationId>,
        source: &Source,
        transcript: Option<String>,
        now: Now,
        out: &mut Effects,
    ) {
        let Process::Ending { before, .. } = &mut self.process else { return };
        let super::Before::Opening { plan, view } = before else { return };
        let plan = plan.clone();
        *before = super::Before::Live { view: view.take() };
        self.tell(&plan, conversation, source, transcript, now, out);
    }

    fn tell(
        &mut self,
        plan: &Plan,
        conversation: Option<ConversationId>,
        source: &Source,
        transcript: Option<String>,
        now: Now,
        out: &mut Effects,
    ) {
        // A dialog may have waited for hours. What a journal reports later was confirmed at an unknown time.
        let begun = self.begun.take().filter(|_| self.caught_up);
        let waited = begun.and_then(|begun| now.wall.age_of(begun)).unwrap_or_default();
        let outcome = continuity::confirm(&plan.confirmed_after(waited), conversation.as_ref(), source);
        let other = self.other.take();
        if let (Outcome::Forked { .. }, Plan::Fork { conversation: of, .. }, Some(copy)) =
            (&outcome, plan, &conversation)
        {
            let fork = Fork { id: copy.clone(), of: of.clone() };
            out.write(Change::Forked(fork.clone()));
            self.last_fork = Some(fork);
        }
        if let Some(id) = conversation {
            let known = other.filter(|other| other.id == id && matches!(outcome, Outcome::Resumed { .. }));
            self.becomes_current(id, known, transcript, out);
        }
        if matches!(outcome, Outcome::Fresh(_)) {
            self.fresh_ask_has_its_open(out);
        }
        let interrupted = std::mem::take(&mut self.interrupted);
        let told = Continuity { outcome, interrupted, at: now.wall };
        self.states(told.clone(), out);
        if !told.interrupted.is_empty() {
            out.write(Change::Interrupted(Vec::new()));
        }
        self.not_fresh(out);
        out.push(Effect::Notice(Notice::Opened(told)));
    }

    /// The engine changed to another conversation, or named the new one whose beginning was reported when it
    /// opened.
    pub(super) fn moved(
        &mut self,
        id: ConversationId,
        source: &Source,
        transcript: Option<String>,
        out: &mut Effects,
    ) {
        if !self.becomes_current(id.clone(), None, transcript, out) || *source == Source::New {
            return;
        }
        out.push(Effect::Notice(Notice::Moved(id)));
        if let Some(outcome) = Outcome::of_another(source) {
            let known = self.continuity.take().filter(|_| self.untold);
            let interrupted = known.map(|told| told.interrupted).unwrap_or_default();
            self.states(Continuity { outcome, interrupted, at: self.at.wall }, out);
        }
    }

    /// This is the statement now, and nobody has received it.
    fn states(&mut self, told: Continuity, out: &mut Effects) {
        out.write(Change::Continuity(told.clone()));
        self.continuity = Some(told);
        self.untold = true;
        out.write(Change::Untold(true));
    }

    /// Makes a confirmed conversation the current one. If it already was, what is known of it stays.
    fn becomes_current(
        &mut self,
        id: ConversationId,
        known: Option<Conversation>,
        transcript: Option<String>,
        out: &mut Effects,
    ) -> bool {
        if self.conversation.as_ref().is_some_and(|current| current.id == id) {
            return false;
        }
        let new = known.unwrap_or_else(|| Conversation::begun(id, self.engine.name.clone(), transcript));
        out.write(Change::Current(new.clone()));
        self.conversation = Some(new);
        self.owner = None;
        true
    }

    /// Takes in what prevents the repo from opening, as far as that can be seen without starting an engine. A
    /// failed start is cleared only by another start, and a lack of places only by [`Event::PlaceFree`].
    pub(super) fn health(&mut self, trouble: Option<Trouble>, out: &mut Effects) {
        let was = self.offline.as_ref().map(|trouble| trouble.code);
        if trouble.is_none() {
            self.in_vain.retain(|code| *code == Code::EngineFailedToStart);
        }
        if trouble.is_none() && matches!(was, Some(Code::EngineFailedToStart | Code::MaxLive)) {
            return;
        }
        self.offline = trouble;
        if was.is_some() && self.offline.is_none() {
            self.can_open(out);
        }
    }

    pub(super) fn place_free(&mut self, out: &mut Effects) {
        if self.offline.take_if(|trouble| trouble.code == Code::MaxLive).is_some() {
            self.can_open(out);
        }
    }

    /// There still is no place, for these reasons.
    pub(super) fn no_place(&mut self, why: Trouble) {
        if let Some(known) = self.offline.as_mut().filter(|trouble| trouble.code == Code::MaxLive) {
            *known = why;
        }
    }

    fn can_open(&mut self, out: &mut Effects) {
        self.open_if_free(out);
        self.open_for_asks(out);
    }

    pub(super) fn read(&mut self, conversation: Conversation, out: &mut Effects) {
        if let Some(current) = &mut self.conversation
            && current.id == conversation.id
        {
            if *current == conversation {
                return;
            }
            *current = conversation.clone();
        }
        out.write(Change::Known(conversation));
    }

    /// The open has failed: tells everybody who waited for it why.
    pub(super) fn fail_open(&mut self, trouble: &Trouble, out: &mut Effects) {
        let waiting = self.take_waiting(|wants| matches!(wants, Wants::Open(_) | Wants::Pause(_)));
        out.refuse_all(waiting, trouble);
        self.fail_waiting_asks(trouble, out);
    }

    pub(super) fn set_intent(&mut self, intent: Intent, out: &mut Effects) {
        self.replaced.push(std::mem::replace(&mut self.intent, intent.clone()));
        out.write(Change::Intent(intent));
    }

    pub(super) fn take_waiting(&mut self, which: impl Fn(&Wants) -> bool) -> Vec<Waiting> {
        let (taken, kept) =
            std::mem::take(&mut self.waiting).into_iter().partition(|waiting| which(&waiting.wants));
        self.waiting = kept;
        taken
    }
}
