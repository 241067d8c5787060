//! An engine that does what it is told, and answers each prompt in its own words.

use std::collections::BTreeMap;

use crate::continuity::Plan;
use crate::conversation::{Conversation, OnDisk, Turns};
use crate::hold::Task;
use crate::ids::{ConversationId, EngineName, PromptId};
use crate::repo::NotTakenUp;
use crate::session::{Event, Keys, Look};
use crate::signal::{Author, Level, Said, Signal, Source};
use crate::time::Now;

type Disk = BTreeMap<ConversationId, Conversation>;

pub(in super::super) struct Scripted {
    plan: Plan,
    new: ConversationId,
    pub(in super::super) conversation: Option<ConversationId>,
    pub(in super::super) line: String,
    /// The last prompt.
    last: String,
    turn: Option<String>,
    /// A prompt that was sent during a turn: taken at once, answered in its own turn.
    queued: Option<String>,
    prompts: u32,
    background: bool,
    /// Whether it will say that it doesn't know the conversation.
    pub(in super::super) lost: Option<NotTakenUp>,
    pub(super) taken: Vec<String>,
}

impl Scripted {
    pub(super) fn new(plan: Plan, new: ConversationId) -> Self {
        Self {
            plan,
            new,
            conversation: None,
            line: String::new(),
            last: String::new(),
            turn: None,
            queued: None,
            prompts: 0,
            background: false,
            lost: None,
            taken: Vec::new(),
        }
    }

    pub(in super::super) fn has_work(&self) -> bool {
        self.turn.is_some() || self.background
    }

    fn say(&self, said: Said, now: Now) -> Event {
        Event::Signal(Signal { conversation: self.conversation.clone(), at: now.wall, said })
    }

    fn level(&self) -> Level {
        match (&self.turn, self.background) {
            (Some(_), _) => Level::Busy,
            (None, true) => Level::Shell,
            (None, false) => Level::Idle,
        }
    }

    pub(super) fn look(&self, now: Now, disk: &Disk) -> Look {
        let known = self.conversation.as_ref().and_then(|id| disk.get(id));
        let level = self.conversation.as_ref().map(|id| Signal {
            conversation: Some(id.clone()),
            at: now.wall,
            said: Said::Level(self.level()),
        });
        let resumable = known.is_some_and(Conversation::resumable);
        Look { level, residents: Vec::new(), resumable, loss: None }
    }

    /// It opens as it was asked to, or (`new`) with a new conversation instead.
    pub(in super::super) fn confirm(&mut self, new: bool, now: Now, disk: &mut Disk) -> Vec<Event> {
        if self.conversation.is_some() {
            return Vec::new();
        }
        let (id, source) = match &self.plan {
            Plan::Resume { conversation, .. } if !new => (conversation.clone(), Source::Resumed),
            Plan::Fork { .. } if !new => (self.new.clone(), Source::Forked),
            Plan::Resume { .. } | Plan::Fork { .. } | Plan::Fresh(_) => (self.new.clone(), Source::New),
        };
        self.conversation = Some(id.clone());
        let engine = EngineName::new("claude");
        disk.entry(id.clone()).or_insert_with(|| Conversation::begun(id, engine, None));
        vec![
            self.say(Said::Started { source, transcript: None }, now),
            self.say(Said::Level(Level::Idle), now),
        ]
    }

    /// It says that it doesn't know the conversation.
    pub(in super::super) fn lose(&mut self, _: Now, disk: &mut Disk) -> Vec<Event> {
        match (&self.plan, &self.conversation) {
            (Plan::Resume { conversation, .. }, None) => {
                disk.remove(conversation);
                self.lost = Some(NotTakenUp::Unknown);
                vec![Event::Exited]
            }
            (Plan::Resume { .. } | Plan::Fork { .. } | Plan::Fresh(_), _) => Vec::new(),
        }
    }

    /// It doesn't resume what exists, or doesn't even open a copy of it.
    pub(in super::super) fn deny(&mut self, _: Now, _: &mut Disk) -> Vec<Event> {
        match (&self.plan, &self.conversation) {
            (Plan::Resume { .. } | Plan::Fork { .. }, None) => {
                self.lost = Some(NotTakenUp::Unknown);
                vec![Event::Exited]
            }
            (Plan::Resume { .. } | Plan::Fork { .. } | Plan::Fresh(_), _) => Vec::new(),
        }
    }

    pub(in super::super) fn clear(&mut self, id: String, now: Now, disk: &mut Disk) -> Vec<Event> {
        if self.conversation.is_none() || self.turn.is_some() {
            return Vec::new();
        }
        let id = ConversationId::new(id);
        self.conversation = Some(id.clone());
        disk.insert(id.clone(), Conversation::begun(id, EngineName::new("claude"), None));
        vec![self.say(Said::Started { source: Source::Cleared, transcript: None }, now)]
    }

    pub(in super::super) fn finish(&mut self, failing: bool, background: bool, now: Now) -> Vec<Event> {
        let Some(prompt) = self.turn.take() else { return Vec::new() };
        self.background = background || (failing && self.background); // a failure doesn't report it
        let said = if failing {
            Said::Failed { error: "400".into() }
        } else {
            Said::Stopped {
                prompt: Some(self.prompt()),
                text: format!("answer to {prompt}"),
                background: Some(self.tasks()),
                wakeups: Some(Vec::new()),
            }
        };
        let mut events = vec![self.say(said, now), self.say(Said::Level(self.level()), now)];
        events.extend(self.take_queued(now));
        events
    }

    fn take_queued(&mut self, now: Now) -> Option<Event> {
        self.turn = Some(self.queued.take()?);
        self.prompts += 1;
        Some(self.say(Said::Level(Level::Busy), now))
    }

    /// The background task ends; the engine begins a turn about it.
    pub(in super::super) fn end_background(&mut self, now: Now) -> Vec<Event> {
        if self.turn.is_some() || !self.line.is_empty() || !std::mem::take(&mut self.background) {
            return Vec::new();
        }
        self.prompts += 1;
        let prompt = Some(self.prompt());
        let text = "<task-notification>".to_owned();
        let stopped = Said::Stopped {
            prompt: prompt.clone(),
            text: "noted".into(),
            background: Some(vec![]),
            wakeups: Some(vec![]),
        };
        vec![
            self.say(Said::Level(Level::Idle), now),
            self.say(Said::Level(Level::Busy), now),
            self.say(Said::PromptTaken { prompt, text, author: Author::Engine }, now),
            self.say(stopped, now),
            self.say(Said::Level(Level::Idle), now),
        ]
    }

    fn tasks(&self) -> Vec<Task> {
        let task = || Task { id: "b1".into(), what: "npm run dev".into(), process: true };
        self.background.then(task).into_iter().collect()
    }

    fn prompt(&self) -> PromptId {
        PromptId::new(format!("{:?}-{}", self.conversation, self.prompts))
    }

    fn take(&mut self, now: Now, disk: &mut Disk) -> Vec<Event> {
        let Some(id) = &self.conversation else { return Vec::new() };
        if self.line.is_empty() {
            return Vec::new();
        }
        if self.turn.is_some() {
            let text = std::mem::take(&mut self.line);
            self.last.clone_from(&text);
            self.queued = Some(text.clone());
            let taken = Said::PromptTaken { prompt: Some(self.prompt()), text, author: Author::Person };
            return vec![self.say(taken, now)];
        }
        if let Some(known) = disk.get_mut(id) {
            known.turns = Turns::Counted(known.turns.counted().unwrap_or_default() + 1);
            known.on_disk = OnDisk::There;
            known.last_turn = Some(now.wall);
        }
        let text = std::mem::take(&mut self.line);
        self.last.clone_from(&text);
        self.taken.push(text.clone());
        self.turn = Some(text.clone());
        self.prompts += 1;
        let taken = Said::PromptTaken { prompt: Some(self.prompt()), text, author: Author::Person };
        vec![self.say(taken, now), self.say(Said::Level(Level::Busy), now)]
    }

    pub(super) fn keys(&mut self, keys: Keys, now: Now, disk: &mut Disk) -> Vec<Event> {
        match keys {
            Keys::Replace(text) => {
                self.line.clear();
                self.keys(Keys::Paste(text), now, disk)
            }
            Keys::Paste(text) => {
                assert!(self.line.is_empty(), "an ask is pasted onto `{}`", self.line);
                assert!(self.turn.is_none(), "an ask is pasted into a turn");
                self.line = text;
                Vec::new()
            }
            Keys::Enter => self.take(now, disk),
            Keys::Interrupt => self.escape(now),
            Keys::Clear => {
                self.line.clear();
                Vec::new()
            }
        }
    }

    pub(in super::super) fn escape(&mut self, now: Now) -> Vec<Event> {
        let Some(text) = self.turn.take() else { return Vec::new() };
        let mut events = vec![self.say(Said::Level(self.level()), now)];
        if self.line.is_empty() && self.queued.is_none() && self.prompts.is_multiple_of(2) {
            // It hadn't said a word yet.
            self.line = text;
            events.push(self.say(Said::TakenBack, now));
        }
        events.extend(self.take_queued(now));
        events
    }

    /// Up: the last prompt is in the line, in place of what was there.
    fn recall(&mut self) {
        self.line.clone_from(&self.last);
    }

    pub(super) fn write(&mut self, bytes: &[u8], now: Now, disk: &mut Disk) -> Vec<Event> {
        let mut events = Vec::new();
        if self.conversation.is_none() {
            return events; // there is nothing to type into
        }
        if bytes == b"\x1b[A" {
            self.recall();
            return events;
        }
        for byte in bytes {
            match byte {
                0x03 => self.line.clear(),
                b'\r' => events.extend(self.take(now, disk)),
                0x15 => self.line.clear(),
                _ => self.line.push(char::from(*byte)),
            }
        }
        events
    }
}
