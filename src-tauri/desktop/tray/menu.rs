//! What the tray shows, as a value made from the repos. Pure: it knows no panel and no clock.

use std::cmp::Reverse;

use repose_core::conversation::Keeps;
use repose_core::ids::RepoId;
use repose_core::repo::State;
use repose_core::trouble::{Severity, Trouble};
use repose_core::words;
use repose_runner::{Shown, Totals};

use crate::turn::is_in_turn;
use crate::window::Place;

/// The most repos in the menu, unless the icon complains of more. Panels don't scroll a menu well; the others are one
/// click away, in the window.
pub(crate) const REPOS_MAX: usize = 15;

/// Everything that is in the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tray {
    pub(crate) icon: Icon,
    /// The tooltip of the icon, which screen readers also use.
    pub(crate) tip: String,
    pub(crate) items: Vec<Item>,
}

/// The overall state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Icon {
    Calm,
    AllPaused,
    Working,
    Trouble,
    NeedsYou,
}

/// One line of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// A line that only says something.
    Text(String),
    Line,
    /// A line that does something, if that is possible now.
    Does {
        label: String,
        action: Action,
        can: bool,
    },
    /// A line that is on or off.
    Switch {
        label: String,
        action: Action,
        on: bool,
    },
    /// A line with a submenu.
    Below {
        label: String,
        items: Vec<Item>,
    },
}

/// What somebody can request here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Show the window at this place.
    Open(Place),
    /// Open the console in the browser.
    Browse,
    Pause(RepoId),
    Stop(RepoId),
    Resume(RepoId),
    Interrupt(RepoId),
    PauseAll,
    ResumeAll,
    StartAtLogin(bool),
    Quit,
}

impl Tray {
    /// What each line does, in the order in which a panel numbers them. Two trays that agree in this can
    /// share the numbers: a click finds what the line showed.
    pub(crate) fn does(&self) -> Vec<Option<Action>> {
        let mut does = Vec::new();
        self.items.iter().for_each(|item| item.does(&mut does));
        does
    }
}

impl Item {
    fn does(&self, all: &mut Vec<Option<Action>>) {
        match self {
            Self::Text(_) | Self::Line => all.push(None),
            Self::Does { action, .. } | Self::Switch { action, .. } => all.push(Some(action.clone())),
            Self::Below { items, .. } => {
                all.push(None);
                items.iter().for_each(|item| item.does(all));
            }
        }
    }
}

/// The tray for these repos. `settings` is what is wrong with the settings' file.
pub(crate) fn tray(repos: &[Shown], totals: Totals, settings: Option<&Trouble>, at_login: bool) -> Tray {
    let mut items = vec![Item::Text(header(totals))];
    if let Some(trouble) = settings {
        items.push(does(&format!("{}…", trouble.code.title()), Action::Open(Place::Settings), true));
    }
    if totals.gate {
        items.push(Item::Text(words::gate_closed("Resume all")));
    }
    items.push(Item::Line);
    items.extend(listed(repos, totals.gate));
    if !repos.is_empty() {
        items.push(Item::Line);
    }
    items.extend([
        does("Pause all", Action::PauseAll, !totals.gate || totals.live > 0),
        does("Resume all", Action::ResumeAll, totals.gate || totals.paused > 0),
        Item::Line,
        does("Open Repose", Action::Open(Place::Any), true),
        does("Open in browser", Action::Browse, true),
        Item::Switch {
            label: "Start at login".into(),
            action: Action::StartAtLogin(!at_login),
            on: at_login,
        },
        Item::Line,
        does("Quit…", Action::Quit, true),
    ]);
    let of_settings = settings.map_or(Icon::Calm, |_| Icon::Trouble);
    Tray { icon: icon(repos, totals).max(of_settings), tip: tip(repos, totals, settings), items }
}

fn header(totals: Totals) -> String {
    let freed = (totals.freed_bytes > 0).then(|| format!("Freed {}", words::bytes(totals.freed_bytes)));
    let live = Some(match (totals.live, totals.live_bytes) {
        (0, _) => "no agent is live".to_owned(),
        (live, 0) => format!("{live} live"), // not measured yet
        (live, bytes) => format!("{live} live, using {}", words::bytes(bytes)),
    });
    let header = [freed, live].into_iter().flatten().collect::<Vec<_>>().join(" · ");
    capital(&header)
}

/// What the icon complains of first, and all of it; then live repos, paused ones, and the others, last used first.
fn listed(repos: &[Shown], gate: bool) -> Vec<Item> {
    let complains = |repo: &Shown| match of_repo(repo) {
        Icon::NeedsYou => Some(0),
        Icon::Trouble => Some(1),
        Icon::Calm | Icon::AllPaused | Icon::Working => None,
    };
    let rank = |repo: &Shown| {
        complains(repo).unwrap_or(match repo.state {
            State::Waiting | State::Opening | State::Ready | State::Working => 2,
            State::Paused => 3,
            State::Offline | State::Asleep => 4,
        })
    };
    let used = |repo: &Shown| match repo.state {
        State::Offline | State::Asleep => repo.conversation.as_ref().and_then(|current| current.last_turn),
        State::Waiting | State::Opening | State::Ready | State::Working | State::Paused => None,
    };
    let mut ordered: Vec<&Shown> = repos.iter().collect();
    ordered.sort_by_key(|repo| (rank(repo), Reverse(used(repo))));
    let all = repos.iter().filter(|repo| complains(repo).is_some()).count().max(REPOS_MAX);
    let mut items: Vec<Item> = ordered.iter().take(all).map(|repo| below(repo, gate)).collect();
    let more = repos.len().saturating_sub(all);
    if more > 0 {
        items.push(does(&format!("{more} more in the window…"), Action::Open(Place::Any), true));
    }
    items
}

/// `gate`: it is closed, and a repo that sleeps opens only on somebody's word.
fn below(repo: &Shown, gate: bool) -> Item {
    let id = || repo.id.clone();
    let mut items = Vec::new();
    if let Some(trouble) = &repo.trouble {
        items.extend([Item::Text(words::line(&trouble.sentence)), Item::Line]);
    }
    match repo.state {
        State::Opening | State::Ready => items.push(end(repo)),
        State::Working | State::Waiting => {
            items.push(end(repo));
            items.extend(is_in_turn(repo).then(|| does("Interrupt", Action::Interrupt(id()), true)));
        }
        State::Asleep if !gate => {}
        State::Paused | State::Asleep => items.push(does("Resume", Action::Resume(id()), true)),
        State::Offline => {}
    }
    items.push(does("Open", Action::Open(Place::Repo(id())), true));
    Item::Below { label: row(repo), items }
}

/// How its agent is let go of here. One that keeps no conversation can't be paused: there would be nothing to
/// resume.
fn end(repo: &Shown) -> Item {
    match repo.keeps {
        Keeps::PickedUp => does("Pause", Action::Pause(repo.id.clone()), true),
        Keeps::Listed(_) | Keeps::Nothing => does("Stop", Action::Stop(repo.id.clone()), true),
    }
}

/// "shop · working · 312 MB"
fn row(repo: &Shown) -> String {
    let state = match (repo.state, &repo.trouble) {
        (State::Waiting, _) => "needs you".to_owned(),
        (state, Some(trouble)) => format!("{}: {}", state.as_str(), words::uncapital(trouble.code.title())),
        (State::Ready, None) => {
            let beside = repo.holds.iter().find_map(|hold| hold.kind.beside());
            beside.map_or_else(|| "ready".to_owned(), |beside| format!("ready, {beside}"))
        }
        (state, None) => state.as_str().to_owned(),
    };
    let memory = repo.memory.map(|memory| words::bytes(memory.bytes));
    let freed = repo.freed.map(|freed| format!("freed {}", words::bytes(freed.bytes)));
    [Some(repo.name.clone()), Some(state), memory.or(freed)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The most urgent state of all repos.
fn icon(repos: &[Shown], totals: Totals) -> Icon {
    let of_repos = repos.iter().map(of_repo).max().unwrap_or(Icon::Calm);
    let shut = |repo: &Shown| repo.state == State::Paused;
    let all_paused = totals.live == 0 && (totals.gate || (!repos.is_empty() && repos.iter().all(shut)));
    match of_repos {
        Icon::Calm if none_can_open(repos) => Icon::Trouble,
        Icon::Calm if all_paused => Icon::AllPaused,
        Icon::Calm | Icon::AllPaused | Icon::Working | Icon::Trouble | Icon::NeedsYou => of_repos,
    }
}

fn none_can_open(repos: &[Shown]) -> bool {
    !repos.is_empty() && repos.iter().all(|repo| repo.state == State::Offline)
}

/// What one repo contributes to the overall state.
fn of_repo(repo: &Shown) -> Icon {
    match repo.state {
        State::Paused => Icon::Calm,
        State::Waiting => Icon::NeedsYou,
        State::Asleep | State::Offline | State::Opening | State::Ready | State::Working if troubled(repo) => {
            Icon::Trouble
        }
        State::Working => Icon::Working,
        State::Asleep | State::Offline | State::Opening | State::Ready => Icon::Calm,
    }
}

/// Trouble of a repo that nobody has open or asks anything is shown only in its row: a folder that is gone
/// for good must not hide everything else.
fn troubled(repo: &Shown) -> bool {
    repo.trouble.as_ref().is_some_and(|trouble| match trouble.code.severity() {
        Severity::Notice => false,
        Severity::Warning | Severity::Error => repo.state.is_live() || repo.queued > 0 || repo.needed_in_vain,
    })
}

fn tip(repos: &[Shown], totals: Totals, settings: Option<&Trouble>) -> String {
    let who = |state: State, one: &str, several: &str| {
        let names: Vec<String> =
            repos.iter().filter(|repo| repo.state == state).map(|repo| repo.name.clone()).collect();
        let do_what = if names.len() == 1 { one } else { several };
        (!names.is_empty()).then(|| format!("{} {do_what}", words::list(&names)))
    };
    let needs = who(State::Waiting, "needs you", "need you");
    let works = who(State::Working, "works", "work");
    let settings = settings.map(|trouble| trouble.code.title().to_owned());
    let said: Vec<String> = needs.into_iter().chain(settings).chain(troubles(repos)).chain(works).collect();
    if said.is_empty() { header(totals) } else { words::line(&said.join(" · ")) }
}

/// "docs and shop: folder gone", for each trouble that the icon shows.
fn troubles(repos: &[Shown]) -> Vec<String> {
    let every = none_can_open(repos);
    let shown = repos.iter().filter(|repo| every || of_repo(repo) == Icon::Trouble);
    let mut by_title: Vec<(&str, Vec<String>)> = Vec::new();
    for (name, title) in shown.filter_map(|repo| Some((&repo.name, repo.trouble.as_ref()?.code.title()))) {
        match by_title.iter_mut().find(|(known, _)| *known == title) {
            Some((_, names)) => names.push(name.clone()),
            None => by_title.push((title, vec![name.clone()])),
        }
    }
    by_title
        .into_iter()
        .map(|(title, names)| format!("{}: {}", words::list(&names), words::uncapital(title)))
        .collect()
}

fn does(label: &str, action: Action, can: bool) -> Item {
    Item::Does { label: label.into(), action, can }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests;
