//! Notifications about orders that were refused, and the answers that can be given in a notification.

use std::collections::BTreeMap;

use repose_core::conversation::Keeps;
use repose_core::decision::{self, ChoiceKind};
use repose_core::ids::RepoId;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_core::work::{OnWork, Work, would_be_lost};
use repose_runner::{AskStage, Shown};

use super::super::own::of_app;
use super::{News, Note, Press, REFUSED, TOGETHER, Told, Urgency, key, of_trouble};
use crate::orders::Order;
use crate::window::Place;

/// The most repos to name in one notification, each on a line. Of more, none can be ended from there: nobody would
/// have read what is lost.
const TOGETHER_MAX: usize = 5;

/// A refused order that would have lost work.
#[derive(Debug)]
pub(super) struct Refused {
    trouble: Trouble,
    /// What of the named work went on when it was last told. `None`: the repo wasn't seen then.
    left: Option<Vec<String>>,
}

/// One of several repos that refused an order at once.
#[derive(Debug, Clone)]
pub(super) struct Together {
    repo: RepoId,
    name: String,
    trouble: Trouble,
}

impl News {
    /// Orders given here were refused; `shown` are the repos now. It is always notified, since somebody waits for it. What
    /// would be lost by pausing several is told in one notification.
    pub(crate) fn refused(&mut self, refused: &[(RepoId, Trouble)], shown: &[Shown]) -> Vec<Told> {
        let now: BTreeMap<&RepoId, &Shown> = shown.iter().map(|shown| (&shown.id, shown)).collect();
        let of = |repo: &RepoId| now.get(repo).copied();
        let busy = |(repo, trouble): &&(RepoId, Trouble)| {
            trouble.code == Code::WorkWouldBeLost && of(repo).is_some_and(|shown| is_paused(&shown.keeps))
        };
        let (several, others): (Vec<_>, Vec<_>) = refused.iter().partition(busy);
        if several.len() < 2 {
            let before = self.together.len();
            let each = refused.iter().map(|(repo, trouble)| self.of_refused(repo, of(repo), trouble));
            let told: Vec<Told> = each.map(Told::Note).collect();
            return told.into_iter().chain(self.fewer_together(before)).collect();
        }
        let mut told: Vec<Told> = others
            .into_iter()
            .map(|(repo, trouble)| Told::Note(self.of_refused(repo, of(repo), trouble)))
            .collect();
        let alone = several
            .iter()
            .filter(|(repo, _)| self.refused.contains_key(repo) && !self.is_told_together(repo));
        told.extend(alone.map(|(repo, _)| Told::Over(key(repo, REFUSED))));
        let name = |repo: &RepoId| of(repo).map_or_else(|| repo.to_string(), |shown| shown.name.clone());
        let one = |(repo, trouble): &&(RepoId, Trouble)| Together {
            repo: repo.clone(),
            name: name(repo),
            trouble: trouble.clone(),
        };
        self.together = several.iter().map(one).collect();
        let each = several.iter().map(|(repo, trouble)| (repo.clone(), Refused::new(trouble, of(repo))));
        self.refused.extend(each);
        told.push(Told::Note(self.of_several()));
        told
    }

    /// One refused order, which no notification of several tells of any longer.
    fn of_refused(&mut self, repo: &RepoId, shown: Option<&Shown>, trouble: &Trouble) -> Note {
        let name = shown.map_or_else(|| repo.to_string(), |shown| shown.name.clone());
        let mut note = of_trouble(repo.clone(), &name, trouble);
        note.key = key(repo, REFUSED);
        note.urgency = Urgency::Normal;
        if trouble.code == Code::NotResumable && shown.is_some_and(|shown| shown.state.is_live()) {
            note.title = format!("{name} can't be paused"); // its resume would come to nothing
        }
        self.refused.remove(repo);
        self.together.retain(|one| one.repo != *repo);
        note.buttons = shown.map(|shown| answers(shown, &note.body)).unwrap_or_default();
        if trouble.code == Code::WorkWouldBeLost {
            let named = trouble.named.clone();
            let at_most = OnWork::InterruptAtMost(named.clone());
            let (label, order) = match shown.map(|shown| &shown.keeps) {
                Some(keeps) if !is_paused(keeps) => ("Stop anyway", Order::Stop(at_most)),
                Some(_) | None => ("Pause anyway", Order::Pause(at_most)),
            };
            note.buttons.push((label.into(), Press::Anyway(vec![(repo.clone(), order)])));
            self.refused.insert(repo.clone(), Refused::new(trouble, shown));
        }
        note
    }

    /// The repo of a refused order is seen anew: if part of what it would have lost is over, the notification tells the
    /// rest, and goes with the last of it.
    pub(super) fn refused_goes_on(&mut self, shown: &Shown) -> Vec<Told> {
        let Some(refused) = self.refused.get_mut(&shown.id) else { return Vec::new() };
        if refused.is_over(shown) {
            return self.no_longer_refused(&[&shown.id]);
        }
        if !refused.changes(shown) {
            return Vec::new();
        }
        let trouble = refused.trouble.clone();
        let told = match self.together.iter_mut().find(|one| one.repo == shown.id) {
            Some(one) => {
                one.trouble = trouble;
                self.of_several()
            }
            None => self.of_refused(&shown.id, Some(shown), &trouble),
        };
        vec![Told::Instead(told)]
    }

    /// Whether what this one tells is still so. Of a refusal that named work, that may be over before it could be shown.
    pub(crate) fn stands(&self, note: &Note) -> bool {
        let anyway = note.buttons.iter().find_map(|(_, press)| match press {
            Press::Anyway(orders) => Some(orders),
            Press::Open(_) | Press::Decide(..) | Press::Quit(..) => None,
        });
        match anyway {
            Some(orders) => orders.iter().all(|(repo, _)| self.refused.contains_key(repo)),
            None => note.key != TOGETHER || !self.together.is_empty(),
        }
    }

    /// The notification of these refused orders was answered.
    pub(crate) fn answered(&mut self, orders: &[(RepoId, Order)]) -> Vec<Told> {
        self.no_longer_refused(&orders.iter().map(|(repo, _)| repo).collect::<Vec<_>>())
    }

    /// What these refused orders would have lost is over. The notification of several names those that are left, and
    /// goes with the last of them.
    pub(super) fn no_longer_refused(&mut self, repos: &[&RepoId]) -> Vec<Told> {
        let before = self.together.len();
        let alone = repos.iter().filter(|repo| !self.is_told_together(repo));
        let alone: Vec<Told> = alone.map(|repo| Told::Over(key(repo, REFUSED))).collect();
        self.together.retain(|one| !repos.contains(&&one.repo));
        repos.iter().for_each(|repo| drop(self.refused.remove(*repo)));
        alone.into_iter().chain(self.fewer_together(before)).collect()
    }

    pub(super) fn is_told_together(&self, repo: &RepoId) -> bool {
        self.together.iter().any(|one| one.repo == *repo)
    }

    /// The notification of several, if it told of more `before`.
    fn fewer_together(&self, before: usize) -> Option<Told> {
        (self.together.len() < before).then(|| match self.together.is_empty() {
            true => Told::Over(TOGETHER.into()),
            false => Told::Note(self.of_several()),
        })
    }

    fn of_several(&self) -> Note {
        let several = &self.together;
        let line = |one: &Together| format!("{}: {}", one.name, words::uncapital(&one.trouble.sentence));
        let mut lines: Vec<String> = several.iter().take(TOGETHER_MAX).map(line).collect();
        let more = several.len().saturating_sub(TOGETHER_MAX);
        if more > 0 {
            lines.push(format!("And {more} more, which the window shows."));
        }
        let title = match several.len() {
            1 => "1 repo is at work, and stays".to_owned(),
            count => format!("{count} repos are at work, and stay"),
        };
        let mut note = of_app(TOGETHER, &title, &lines.join("\n"));
        if more == 0 {
            let order = |one: &Together| {
                (one.repo.clone(), Order::Pause(OnWork::InterruptAtMost(one.trouble.named.clone())))
            };
            note.buttons = vec![("Pause anyway".into(), Press::Anyway(several.iter().map(order).collect()))];
        }
        note
    }
}

/// Whether it is let go of by a pause, as in the tray: one that keeps no conversation is stopped.
fn is_paused(keeps: &Keeps) -> bool {
    match keeps {
        Keeps::PickedUp => true,
        Keeps::Listed(_) | Keeps::Nothing => false,
    }
}

impl Refused {
    fn new(trouble: &Trouble, shown: Option<&Shown>) -> Self {
        let left = shown.map(|shown| trouble.named.left(&work(shown)).words());
        Self { trouble: trouble.clone(), left }
    }

    /// Whether nothing goes on any more of the work that it named.
    fn is_over(&self, shown: &Shown) -> bool {
        !shown.state.is_live() || self.trouble.named.is_over(&work(shown))
    }

    /// Takes in what is left of that work. Returns whether it is now told in other words.
    fn changes(&mut self, shown: &Shown) -> bool {
        let left = self.trouble.named.left(&work(shown));
        let words = left.words();
        // What can't be seen is told as it was.
        if words.is_empty() || self.left.as_ref() == Some(&words) {
            return false;
        }
        let before = self.left.replace(words);
        let ending = if is_paused(&shown.keeps) { "Pausing" } else { "Stopping" };
        let sentence = would_be_lost(ending, &left);
        if before.is_none() || sentence == self.trouble.sentence {
            return false;
        }
        self.trouble.sentence = sentence;
        true
    }
}

/// What goes on in a repo.
fn work(shown: &Shown) -> Work {
    let (mut begun, mut unsent) = (Vec::new(), shown.further_asks.to_vec());
    for ask in &shown.asks {
        match ask.stage {
            AskStage::Waiting => unsent.push(ask.id.clone()),
            AskStage::Typed | AskStage::Taken => begun.push(ask.id.clone()),
        }
    }
    Work::new(&shown.holds, begun, unsent)
}

/// Allow and Deny, if the engine accepts them from outside its terminal. Other options need to be read completely;
/// and what these words don't tell completely is opened rather than allowed.
pub(super) fn answers(shown: &Shown, words: &str) -> Vec<(String, Press)> {
    let Some(decision) = &shown.decision else { return Vec::new() };
    let question = &decision.question;
    let whole = question.is_told_whole() && words.contains(&question.wait.what());
    let button = |choice: &decision::Choice| {
        let decide = || Press::Decide(shown.id.clone(), decision.id.clone(), choice.id.clone());
        match choice.kind {
            ChoiceKind::Allow if !whole => Some(("Open".into(), Press::Open(Place::Repo(shown.id.clone())))),
            ChoiceKind::Allow | ChoiceKind::Deny => Some((choice.label.clone(), decide())),
            ChoiceKind::Other | ChoiceKind::Words | ChoiceKind::Back => None,
        }
    };
    question.choices.iter().filter_map(button).collect()
}
