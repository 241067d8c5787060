//! Decides which notifications there are, from what happens in the repos. Pure: it knows no desktop and reads
//! no clock.
//!
//! Each event is notified once. What waits for somebody's decision is remembered by [`News::told`], which
//! outlives the app, so that a restart doesn't repeat it. There are no notifications about a paused repo.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use repose_core::continuity::{Outcome, Reason};
use repose_core::conversation::Keeps;
use repose_core::hold::Kind as Hold;
use repose_core::ids::{DecisionId, RepoId};
use repose_core::repo::{Notice, State, TurnEnd};
use repose_core::signal::Wait;
use repose_core::time::Wall;
use repose_core::trouble::{Code, Kind as TroubleKind, Severity, Trouble};
use repose_core::words;
use repose_runner::{Notify, Shown};

use self::refused::{Refused, Together};
use self::says::{ended, in_the_app, sentences, way_back, why_early};
use super::own::of_app;
use super::unshown::Unshown;
use crate::orders::Order;
use crate::quit::{Choice, Question};
use crate::window::Place;

/// The key of the question whether to quit.
pub(crate) const QUIT: &str = "quit";

/// The key of what several repos refused at once.
pub(crate) const TOGETHER: &str = "refused-together";

/// The key of what is wrong with the settings.
const SETTINGS: &str = "settings";

/// The kinds of notifications about a repo.
const WAITS: &str = "waits";
const REAPED: &str = "reaped";
const FRESH: &str = "fresh";
const FINISHED: &str = "finished";
const TROUBLE: &str = "trouble";
pub(crate) const REFUSED: &str = "refused";
const OF_A_REPO: [&str; 6] = [WAITS, REAPED, FRESH, FINISHED, TROUBLE, REFUSED];

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// A later notification with the same key replaces it.
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) body: String,
    pub(crate) urgency: Urgency,
    /// What a click on it does.
    pub(crate) click: Option<Press>,
    /// Its buttons.
    pub(crate) buttons: Vec<(String, Press)>,
    /// Whether one with more buttons may follow at once.
    pub(crate) may_follow: bool,
}

/// How much attention a notification asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Good to know.
    Low,
    Normal,
    /// Stays until somebody looks.
    Critical,
}

/// What a click or a button does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Press {
    /// Open the window at this place.
    Open(Place),
    /// Give the orders that were refused, although that cuts off the work that they name.
    Anyway(Vec<(RepoId, Order)>),
    /// Answer what the repo's agent waits for, with one of the decision's options.
    Decide(RepoId, DecisionId, String),
    /// Answer this question whether to quit.
    Quit(Box<Question>, Choice),
}

/// What to do with notifications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Note(Note),
    /// Show it in place of the one with its key, if that can still be seen or is still to be shown: it says how that goes
    /// on, which is no news to whoever has put it away.
    Instead(Note),
    /// Withdraw the one with this key, since it is over.
    Over(String),
}

/// What notifications depend on besides the event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    pub(crate) notify: Notify,
    /// The age up to which a conversation is resumed automatically.
    pub(crate) window: Duration,
    /// Whether the window is in front.
    pub(crate) front: bool,
    pub(crate) now: Wall,
}

/// What was notified, and the last state of the repos.
#[derive(Debug, Default)]
pub(crate) struct News {
    seen: BTreeMap<RepoId, Seen>,
    waits: BTreeMap<String, String>,
    /// What this app said last of each that waits.
    said: BTreeMap<RepoId, Note>,
    /// Those that this app notified without a way to answer, which may come a moment later.
    unanswerable: BTreeSet<RepoId>,
    /// Keys of notifications of an earlier start that nobody has dismissed. Their buttons no longer work.
    stood: BTreeSet<String>,
    /// What is wrong with the settings, as notified.
    settings: Option<String>,
    /// Refused orders that would have lost work, as notified.
    refused: BTreeMap<RepoId, Refused>,
    /// Those of them that one notification tells of together.
    together: Vec<Together>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    state: State,
    trouble: Option<Code>,
    /// Whether somebody uses its terminal.
    used: bool,
    name: String,
    keeps: Keeps,
    /// Whether Resume would bring its conversation back.
    comes_back: bool,
    picked_up_until: Option<Wall>,
}

impl News {
    /// Starts from what was notified before, as given by [`News::told`], and the keys of what could still be
    /// seen then.
    pub(crate) fn new(told: Option<&str>, stood: impl IntoIterator<Item = String>) -> Self {
        let waits = told.into_iter().flat_map(str::lines).filter_map(|line| line.split_once(' '));
        let waits = waits.map(|(repo, wait)| (repo.to_owned(), wait.to_owned())).collect();
        Self { waits, stood: stood.into_iter().collect(), ..Self::default() }
    }

    /// What must be remembered: one line for each repo that waits. `untold` are the keys of what nobody saw.
    pub(crate) fn told(&self, untold: &BTreeSet<String>) -> String {
        let seen = self.waits.iter().filter(|(repo, _)| !untold.contains(&format!("{WAITS} {repo}")));
        seen.map(|(repo, wait)| format!("{repo} {wait}\n")).collect()
    }

    /// Takes in a repo's present state. At a start, each is reported once.
    pub(crate) fn repo(&mut self, shown: &Shown, around: Around) -> Vec<Told> {
        let before = self.seen.get(&shown.id).cloned();
        let seen = Seen {
            state: shown.state,
            trouble: shown.trouble.as_ref().map(|trouble| trouble.code),
            used: shown.holds.iter().any(|hold| hold.kind == Hold::Client),
            name: shown.name.clone(),
            comes_back: shown.conversation.as_ref().is_some_and(|current| shown.keeps.brings_back(current)),
            keeps: shown.keeps.clone(),
            picked_up_until: shown.picked_up_until,
        };
        self.seen.insert(shown.id.clone(), seen);
        let mut told = Vec::new();
        told.extend(self.refused_goes_on(shown));
        self.waiting(shown, around, &mut told);
        if let (Some(before), Some(trouble)) = (before, &shown.trouble)
            && before.trouble != Some(trouble.code)
            && shown.state.is_live()
            && around.notify.trouble
            && trouble.code.severity() != Severity::Notice
        {
            told.push(Told::Note(of_trouble(shown.id.clone(), &shown.name, trouble)));
        }
        told
    }

    /// Takes in something that happened in a repo.
    pub(crate) fn notice(&mut self, repo: &RepoId, notice: &Notice, around: Around) -> Vec<Told> {
        let Some(seen) = self.seen.get(repo) else { return Vec::new() };
        if seen.state == State::Paused {
            return Vec::new();
        }
        let name = &seen.name;
        let (wanted, note) = match notice {
            Notice::Reaped { idle, over, freed } => {
                let title = format!("{name} was let go");
                let idle = format!("Idle for {}", words::span(*idle));
                let before = over.as_ref().map(|over| format!(" and let go early: {}", why_early(over)));
                let freed = freed.map(|freed| format!(" Freed {}.", words::bytes(freed.bytes)));
                let (before, freed) = (before.unwrap_or_default(), freed.unwrap_or_default());
                let body = sentences(&[&format!("{idle}{before}.{freed}"), &kept(seen, around.now)]);
                (around.notify.reaped, note(repo, REAPED, title, body, Urgency::Low))
            }
            Notice::Opened(continuity) => {
                let title = format!("{name} has a new conversation");
                let body = sentences(&[&continuity.sentence(), &way_back(name, &continuity.outcome, around)]);
                (
                    around.notify.fresh && unasked(&continuity.outcome),
                    note(repo, FRESH, title, body, Urgency::Normal),
                )
            }
            Notice::TurnOver { end, worked, heard } => {
                let stopped = || format!("{name} stopped without an answer");
                let (title, body) = match end {
                    TurnEnd::Answered => (format!("{name} is done"), says::worked(*worked)),
                    TurnEnd::Unanswered(why) => (stopped(), says::cut(why, *worked)),
                    TurnEnd::Interrupted => (stopped(), says::cut("It was interrupted", *worked)),
                    TurnEnd::CutOff => return Vec::new(),
                };
                let looked_at = *heard || around.front || seen.used;
                (around.notify.finished && !looked_at, note(repo, FINISHED, title, body, Urgency::Normal))
            }
            Notice::EndedByItself(words) => {
                let title = format!("{name}'s agent ended");
                let kept = match &seen.keeps {
                    Keeps::PickedUp if seen.comes_back => "Its conversation is kept.".to_owned(),
                    Keeps::PickedUp | Keeps::Nothing => String::new(),
                    Keeps::Listed(loss) => loss.kept(),
                };
                let body = sentences(&[&kept, words]);
                (around.notify.trouble, note(repo, TROUBLE, title, body, Urgency::Normal))
            }
            Notice::OrderDropped { purpose, work } => {
                let title = format!("{name} was not {}", ended(purpose));
                let body =
                    format!("Repose was restarted in between, and it would have lost {}.", words::list(work));
                (around.notify.trouble, note(repo, TROUBLE, title, body, Urgency::Normal))
            }
            Notice::Trouble(trouble) => (around.notify.trouble, of_trouble(repo.clone(), name, trouble)),
            Notice::Paused(_) | Notice::Stopped(_) | Notice::Moved(_) => return Vec::new(),
        };
        if wanted { vec![Told::Note(note)] } else { Vec::new() }
    }

    /// The settings were read, with this trouble.
    pub(crate) fn settings(&mut self, trouble: Option<&Trouble>, around: Around) -> Vec<Told> {
        let before = std::mem::replace(&mut self.settings, trouble.map(|trouble| trouble.sentence.clone()));
        let stood = self.stood.remove(SETTINGS);
        match trouble {
            Some(trouble) if before.as_ref() != Some(&trouble.sentence) && around.notify.trouble => {
                let mut note = of_app(SETTINGS, trouble.code.title(), &trouble.sentence);
                note.urgency = Urgency::Critical;
                vec![Told::Note(note)]
            }
            None if before.is_some() || stood => vec![Told::Over(SETTINGS.into())],
            Some(_) | None => Vec::new(),
        }
    }

    /// A repo was removed, and everything notified about it is over.
    pub(crate) fn removed(&mut self, repo: &RepoId) -> Vec<Told> {
        self.seen.remove(repo);
        self.unanswerable.remove(repo);
        self.said.remove(repo);
        let together = if self.is_told_together(repo) { self.no_longer_refused(&[repo]) } else { Vec::new() };
        self.refused.remove(repo);
        self.waits.remove(repo.as_str());
        let over = OF_A_REPO.map(|kind| key(repo, kind));
        self.stood.retain(|stood| !over.contains(stood));
        over.map(Told::Over).into_iter().chain(together).collect()
    }

    /// Takes in the complete list of repos: what was notified about any other is over.
    pub(crate) fn only(&mut self, repos: &[Shown]) -> Vec<Told> {
        let known = |repo: &str| repos.iter().any(|shown| shown.id.as_str() == repo);
        let seen = self.seen.keys().map(ToString::to_string);
        let stood = self.stood.iter().filter_map(|key| key.split_once(' ')).map(|(_, repo)| repo.to_owned());
        let told = seen.chain(self.waits.keys().cloned()).chain(stood);
        let gone: BTreeSet<String> = told.filter(|repo| !known(repo)).collect();
        gone.into_iter().flat_map(|repo| self.removed(&RepoId::new(repo))).collect()
    }

    fn waiting(&mut self, shown: &Shown, around: Around, told: &mut Vec<Told>) {
        let id = shown.id.as_str();
        match shown.state {
            State::Waiting => {}
            // An engine that was found is shown as opening until it is heard.
            State::Opening => return,
            State::Working | State::Ready | State::Asleep | State::Paused | State::Offline => {
                self.unanswerable.remove(&shown.id);
                self.said.remove(&shown.id);
                if self.waits.remove(id).is_some() {
                    told.push(Told::Over(key(&shown.id, WAITS)));
                }
                return;
            }
        }
        let wait = shown.holds.iter().find_map(|hold| match &hold.kind {
            Hold::Waiting(wait) => Some((hold.since, wait)),
            Hold::Turn
            | Hold::Background(_)
            | Hold::Wakeup(_)
            | Hold::Ask
            | Hold::Typing
            | Hold::Client
            | Hold::Process(_)
            | Hold::Pinned
            | Hold::Unknown(_)
            | Hold::Unseen(_) => None,
        });
        // The state is shown a moment before its reason.
        let Some((since, wait)) = wait else { return };
        let wait = shown.decision.as_ref().map_or(wait, |decision| &decision.question.wait);
        let what = wait.what();
        // The parts of one question have words of their own, and are one wait. One permission can follow another within it.
        let this = match wait {
            Wait::Permission(_) | Wait::Trust => format!("{} {what}", since.0),
            Wait::Choice(_) => format!("{} a choice", since.0),
        };
        let body = format!("It waits for {what}.");
        let buttons = refused::answers(shown, &body);
        let known = self.waits.get(id) == Some(&this);
        let stood = self.stood.remove(&key(&shown.id, WAITS));
        let answerable_now = !buttons.is_empty() && self.unanswerable.remove(&shown.id);
        let is_news = !known || stood || answerable_now;
        self.waits.insert(id.to_owned(), this);
        if !around.notify.needs_you {
            return;
        }
        let title = format!("{} needs you", shown.name);
        let note = note(&shown.id, WAITS, title, body, Urgency::Critical);
        let note = Note { may_follow: buttons.is_empty(), buttons, ..note };
        if is_news {
            if note.buttons.is_empty() {
                self.unanswerable.insert(shown.id.clone());
            }
            self.said.insert(shown.id.clone(), note.clone());
            told.push(Told::Note(note));
        } else if self.said.get(&shown.id).is_some_and(|said| goes_on(said, &note)) {
            self.said.insert(shown.id.clone(), note.clone());
            told.push(Told::Instead(note));
        }
    }
}

/// Whether what waits is told in other words than `said`, or can be answered otherwise. One whose answer is on its way
/// can't be answered any more, which is no news.
fn goes_on(said: &Note, now: &Note) -> bool {
    said.body != now.body || (said != now && !now.buttons.is_empty())
}

/// What a click on the one with this key does.
pub(crate) fn click(key: &str) -> Press {
    Press::Open(match key.split_once(' ') {
        Some((_, repo)) => Place::Repo(RepoId::new(repo)),
        None if key == SETTINGS => Place::Settings,
        None => Place::Any,
    })
}

/// Whether it still asks for somebody if the service that showed it is gone.
pub(crate) fn still_asks(note: &Note) -> bool {
    match note.urgency {
        Urgency::Critical => true,
        Urgency::Low | Urgency::Normal => Unshown::of(&note.key).ends_with_the_app(),
    }
}

fn of_trouble(repo: RepoId, name: &str, trouble: &Trouble) -> Note {
    let title = format!("{name}: {}", words::uncapital(trouble.code.title()));
    let hint = trouble.hints.first().map(|hint| format!(" {}", in_the_app(hint))).unwrap_or_default();
    let urgency = match trouble.code.kind() {
        TroubleKind::Fault | TroubleKind::Offline => Urgency::Critical,
        TroubleKind::Usage | TroubleKind::Refused | TroubleKind::TimedOut | TroubleKind::TurnFailed => {
            Urgency::Normal
        }
    };
    note(&repo, TROUBLE, title, format!("{}{hint}", trouble.sentence), urgency)
}

fn note(repo: &RepoId, kind: &str, title: String, body: String, urgency: Urgency) -> Note {
    let key = key(repo, kind);
    Note { click: Some(click(&key)), key, title, body, urgency, buttons: Vec::new(), may_follow: false }
}

fn key(repo: &RepoId, kind: &str) -> String {
    format!("{kind} {repo}")
}

/// What happens to the conversation of an engine that was let go.
fn kept(seen: &Seen, now: Wall) -> String {
    let left = seen.picked_up_until.map(|until| until.since(now)).filter(|left| !left.is_zero());
    match (&seen.keeps, left) {
        (Keeps::Nothing, _) => String::new(),
        (Keeps::Listed(loss), _) => loss.kept(),
        (Keeps::PickedUp, Some(left)) => {
            format!("Its conversation is kept, and picked up by itself within {}.", words::span(left))
        }
        (Keeps::PickedUp, None) if seen.comes_back => {
            "Its conversation is kept: Resume brings it back.".into()
        }
        (Keeps::PickedUp, None) => String::new(),
    }
}

/// Whether a new conversation is news: the first one isn't, and neither is one that was asked for.
fn unasked(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Resumed { .. } | Outcome::Forked { .. } | Outcome::WentOver { .. } => false,
        Outcome::Fresh(Reason::AskedFor | Reason::First | Reason::EngineKeepsNone { .. }) => false,
        Outcome::Fresh(_) => true,
    }
}

mod refused;
mod says;
#[cfg(test)]
mod tests;
