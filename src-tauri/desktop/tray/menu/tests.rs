use repose_core::conversation::Keeps;
use repose_core::hold::{Hold, Kind, Task};
use repose_core::ids::RepoId;
use repose_core::repo::State;
use repose_core::signal::Wait;
use repose_core::trouble::{Code, Trouble};
use repose_runner::Totals;

use super::{Action, Icon, Item, REPOS_MAX, tray};
use crate::fixture::{NOW, With, repo};
use crate::window::Place;

fn id(name: &str) -> RepoId {
    RepoId::new(format!("id-{name}"))
}

fn text(text: &str) -> Item {
    Item::Text(text.into())
}

fn does(label: &str, action: Action) -> Item {
    Item::Does { label: label.into(), action, can: true }
}

fn cannot(label: &str, action: Action) -> Item {
    Item::Does { label: label.into(), action, can: false }
}

fn below(label: &str, items: Vec<Item>) -> Item {
    Item::Below { label: label.into(), items }
}

fn foot(pause_all: Item, resume_all: Item) -> Vec<Item> {
    vec![
        pause_all,
        resume_all,
        Item::Line,
        does("Open Repose", Action::Open(Place::Any)),
        does("Open in browser", Action::Browse),
        Item::Switch { label: "Start at login".into(), action: Action::StartAtLogin(true), on: false },
        Item::Line,
        does("Quit…", Action::Quit),
    ]
}

#[test]
fn nothing_was_added_yet() {
    let mut items = vec![text("No agent is live"), Item::Line];
    items.extend(foot(does("Pause all", Action::PauseAll), cannot("Resume all", Action::ResumeAll)));
    let made = tray(&[], Totals::default(), None, false);
    assert_eq!(made.items, items);
    assert_eq!((made.icon, made.tip.as_str()), (Icon::Calm, "No agent is live"));
}

#[test]
fn each_repo_has_its_state_its_memory_and_what_can_be_done() {
    let repos = [
        repo("asleep", State::Asleep),
        repo("docs", State::Paused).freed(266_000_000),
        repo("shop", State::Working).memory(312_400_000),
        repo("gone", State::Offline).trouble(Code::FolderGone),
        repo("api", State::Waiting).memory(1_240_000_000),
        repo("web", State::Ready).memory(90_000_000),
    ];
    let totals =
        Totals { live: 3, paused: 1, live_bytes: 1_642_400_000, freed_bytes: 266_000_000, gate: false };
    let mut items = vec![
        text("Freed 266 MB · 3 live, using 1.6 GB"),
        Item::Line,
        below(
            "api · needs you · 1.2 GB",
            vec![
                does("Pause", Action::Pause(id("api"))),
                does("Interrupt", Action::Interrupt(id("api"))),
                does("Open", Action::Open(Place::Repo(id("api")))),
            ],
        ),
        below(
            "shop · working · 312 MB",
            vec![
                does("Pause", Action::Pause(id("shop"))),
                does("Interrupt", Action::Interrupt(id("shop"))),
                does("Open", Action::Open(Place::Repo(id("shop")))),
            ],
        ),
        below(
            "web · ready · 90 MB",
            vec![does("Pause", Action::Pause(id("web"))), does("Open", Action::Open(Place::Repo(id("web"))))],
        ),
        below(
            "docs · paused · freed 266 MB",
            vec![
                does("Resume", Action::Resume(id("docs"))),
                does("Open", Action::Open(Place::Repo(id("docs")))),
            ],
        ),
        below("asleep · asleep", vec![does("Open", Action::Open(Place::Repo(id("asleep"))))]),
        below(
            "gone · offline: folder gone",
            vec![text("It is so."), Item::Line, does("Open", Action::Open(Place::Repo(id("gone"))))],
        ),
        Item::Line,
    ];
    items.extend(foot(does("Pause all", Action::PauseAll), does("Resume all", Action::ResumeAll)));
    let made = tray(&repos, totals, None, false);
    assert_eq!(made.items, items);
    assert_eq!(made.tip, "api needs you · shop works");
}

#[test]
fn a_closed_gate_is_said_and_can_be_opened() {
    let totals = Totals { gate: true, ..Totals::default() };
    let made = tray(&[repo("a", State::Asleep)], totals, None, true);
    assert_eq!(made.icon, Icon::AllPaused);
    assert!(made.items.contains(&text("Nothing that sleeps opens until Resume all")));
    assert!(made.items.contains(&cannot("Pause all", Action::PauseAll)), "it is closed already");
    assert!(made.items.contains(&does("Resume all", Action::ResumeAll)));
    let alone =
        vec![does("Resume", Action::Resume(id("a"))), does("Open", Action::Open(Place::Repo(id("a"))))];
    assert!(made.items.contains(&below("a · asleep", alone)), "one of them can be resumed alone");
    let off = Item::Switch { label: "Start at login".into(), action: Action::StartAtLogin(false), on: true };
    assert!(made.items.contains(&off));
    let live = tray(&[repo("a", State::Ready)], Totals { live: 1, ..totals }, None, true);
    assert!(live.items.contains(&does("Pause all", Action::PauseAll)), "one resumed by hand can be paused");
}

#[test]
fn the_icon_shows_the_most_urgent() {
    let stalled = repo("s", State::Working).trouble(Code::Stalled);
    let gone = repo("g", State::Offline).trouble(Code::FolderGone);
    let mut asked = gone.clone();
    asked.queued = 1;
    let of = |state| repo("a", state);
    let mut in_vain = gone.clone();
    in_vain.needed_in_vain = true;
    let table = [
        ("nothing", vec![], Icon::Calm),
        ("asleep", vec![of(State::Asleep)], Icon::Calm),
        ("idle", vec![of(State::Ready)], Icon::Calm),
        ("opening", vec![of(State::Opening)], Icon::Calm),
        ("one works", vec![of(State::Ready), of(State::Working)], Icon::Working),
        ("one is paused", vec![of(State::Paused), of(State::Asleep)], Icon::Calm),
        ("all are paused", vec![of(State::Paused), of(State::Paused)], Icon::AllPaused),
        ("a stalled one", vec![stalled.clone(), of(State::Working)], Icon::Trouble),
        ("one that waits goes before", vec![stalled, of(State::Waiting)], Icon::NeedsYou),
        ("a folder that is gone, unasked", vec![gone.clone(), of(State::Working)], Icon::Working),
        ("a folder that is gone, asked", vec![asked, of(State::Working)], Icon::Trouble),
        ("a folder that was gone when somebody needed it", vec![in_vain, of(State::Working)], Icon::Trouble),
        ("nothing could open", vec![gone.clone(), gone], Icon::Trouble),
    ];
    for (what, repos, icon) in table {
        let live = repos.iter().filter(|repo| repo.state.is_live()).count();
        let made = tray(&repos, Totals { live, ..Totals::default() }, None, false);
        assert_eq!(made.icon, icon, "{what}");
    }
}

#[test]
fn the_tip_names_each_trouble_that_the_icon_shows() {
    let tip = |repos: &[_]| tray(repos, Totals::default(), None, false).tip;
    let gone = |name| repo(name, State::Offline).trouble(Code::FolderGone);
    let stalled = repo("web", State::Working).trouble(Code::Stalled);
    let mut asked = gone("docs");
    asked.queued = 1;
    assert_eq!(
        tip(&[stalled, asked, gone("old"), repo("api", State::Waiting)]),
        "api needs you · web: stalled · docs: folder gone · web works"
    );
    let logged_out = repo("web", State::Offline).trouble(Code::EngineLoggedOut);
    assert_eq!(
        tip(&[gone("docs"), logged_out, gone("old")]),
        "docs and old: folder gone · web: engine logged out"
    );
    assert_eq!(tip(&[gone("docs"), repo("web", State::Asleep)]), "No agent is live", "nobody needs it");
}

#[test]
fn settings_that_cant_be_read_show_in_icon_menu_and_tip_and_lead_to_the_settings() {
    let trouble = Trouble::new(Code::BadSettings, "Line 3 is no setting.", [""; 0]);
    let of = |repos: &[_]| tray(repos, Totals::default(), Some(&trouble), false);
    let made = of(&[repo("a", State::Working)]);
    assert_eq!((made.icon, made.tip.as_str()), (Icon::Trouble, "Settings can't be read · a works"));
    assert_eq!(made.items.get(1), Some(&does("Settings can't be read…", Action::Open(Place::Settings))));
    assert_eq!(of(&[repo("a", State::Waiting)]).icon, Icon::NeedsYou, "that is more urgent");
}

#[test]
fn one_that_keeps_no_conversation_is_stopped_and_not_paused() {
    let shell = repo("sh", State::Ready).keeps(Keeps::Nothing);
    let items = tray(&[shell], Totals::default(), None, false).items;
    let lines = vec![does("Stop", Action::Stop(id("sh"))), does("Open", Action::Open(Place::Repo(id("sh"))))];
    assert!(items.contains(&below("sh · ready", lines)), "{items:#?}");
}

#[test]
fn before_any_turn_there_is_nothing_to_interrupt() {
    let mut new = repo("new", State::Waiting);
    new.holds = vec![Hold::new(NOW, Kind::Waiting(Wait::Trust))];
    let items = tray(&[new], Totals::default(), None, false).items;
    let lines =
        vec![does("Pause", Action::Pause(id("new"))), does("Open", Action::Open(Place::Repo(id("new"))))];
    assert!(items.contains(&below("new · needs you", lines)), "{items:#?}");
}

#[test]
fn what_goes_on_beside_a_ready_agent_stands_in_its_row() {
    let mut api = repo("api", State::Ready);
    let task = Task { id: "b1".into(), what: "npm run dev".into(), process: true };
    api.holds = vec![Hold::new(NOW, Kind::Client), Hold::new(NOW, Kind::Background(task))];
    let items = tray(&[api], Totals::default(), None, false).items;
    let row = |item: &Item| matches!(item, Item::Below { label, .. } if label == "api · ready, a background task runs");
    assert!(items.iter().any(row), "{items:#?}");
}

#[test]
fn the_tip_counts_those_it_speaks_of() {
    let tip = |repos: &[_]| tray(repos, Totals::default(), None, false).tip;
    let of = |name, state| repo(name, state);
    assert_eq!(tip(&[of("a", State::Working), of("b", State::Working)]), "a and b work");
    assert_eq!(tip(&[of("a", State::Waiting), of("b", State::Waiting)]), "a and b need you");
}

#[test]
fn what_isnt_measured_yet_is_not_told_as_nothing() {
    let totals = Totals { live: 2, freed_bytes: 266_000_000, ..Totals::default() };
    let made = tray(&[repo("a", State::Ready), repo("b", State::Ready)], totals, None, false);
    assert_eq!(made.items.first(), Some(&text("Freed 266 MB · 2 live")));
}

#[test]
fn more_repos_than_a_menu_takes_are_in_the_window() {
    let repos: Vec<_> = (0..100).map(|at| repo(&format!("r{at}"), State::Asleep)).collect();
    let items = tray(&repos, Totals::default(), None, false).items;
    let listed = items.iter().filter(|item| matches!(item, Item::Below { .. })).count();
    assert_eq!(listed, REPOS_MAX);
    assert!(items.contains(&does("85 more in the window…", Action::Open(Place::Any))));
}

#[test]
fn what_the_icon_complains_of_is_always_in_the_menu_and_what_was_used_last_goes_before() {
    let rows = |repos: &[_]| {
        let items = tray(repos, Totals::default(), None, false).items;
        let row = |item| match item {
            Item::Below { label, .. } => Some(label.split(" · ").next().unwrap_or_default().to_owned()),
            Item::Text(_) | Item::Line | Item::Does { .. } | Item::Switch { .. } => None,
        };
        items.into_iter().filter_map(row).collect::<Vec<_>>()
    };
    let mut repos: Vec<_> =
        (1..30).map(|at| repo(&format!("r{at}"), State::Asleep).last_turn(30 - at)).collect();
    let mut gone = repo("gone", State::Offline).trouble(Code::FolderGone);
    gone.needed_in_vain = true;
    repos.extend([
        repo("live", State::Ready),
        repo("shut", State::Paused),
        gone,
        repo("api", State::Waiting),
    ]);
    assert_eq!(rows(&repos)[..6], ["api", "gone", "live", "shut", "r29", "r28"]);
    let many: Vec<_> = (0..20).map(|at| repo(&format!("w{at}"), State::Waiting)).collect();
    assert_eq!(rows(&many).len(), 20);
}

#[test]
fn what_its_lines_do_differs_as_soon_as_another_repo_takes_a_place() {
    let does = |repos: &[_]| tray(repos, Totals::default(), None, false).does();
    let ready = [repo("a", State::Ready), repo("b", State::Ready)];
    let grown = [repo("a", State::Ready).memory(9_000_000), repo("b", State::Ready)];
    let waits = [repo("a", State::Ready), repo("b", State::Waiting)];
    assert_eq!(does(&ready), does(&grown), "the same lines with other words keep their numbers");
    assert_ne!(does(&ready), does(&waits), "here the second goes before the first, in the same shape");
}

#[test]
fn what_looks_the_same_is_the_same() {
    let shown = |bytes| tray(&[repo("a", State::Ready).memory(bytes)], Totals::default(), None, false);
    assert_eq!(shown(311_600_000), shown(312_400_000), "a change that nobody sees is none");
    assert_ne!(shown(312_400_000), shown(312_600_000));
}
