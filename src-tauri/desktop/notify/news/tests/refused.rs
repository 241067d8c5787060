use repose_core::conversation::Keeps;
use repose_core::hold::{Hold, Kind, Task};
use repose_core::ids::{DecisionId, RepoId};
use repose_core::repo::State;
use repose_core::signal::Wait;
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_core::work::{OnWork, Work, would_be_lost};
use repose_runner::Shown;

use super::super::{News, Note, Press, Told, key};
use super::{AROUND, all_over, shop};
use crate::fixture::{With, repo};
use crate::notify::own::all_refused;
use crate::orders::Order;
use crate::window::Place;

/// The notification of this refusal of the repo, alone.
fn refused(news: &mut News, shown: &Shown, trouble: &Trouble) -> Note {
    let told = news.refused(&[(shop(), trouble.clone())], std::slice::from_ref(shown));
    let [Told::Note(note)] = &told[..] else { panic!("one note: {told:?}") };
    note.clone()
}

#[test]
fn what_isnt_told_whole_is_opened_and_not_allowed() {
    let long = format!("ls{}; rm -r x", " -l".repeat(40));
    let mut waits = repo("shop", State::Waiting)
        .waits_for(&format!("run {}", words::command(&long)), 7)
        .can_be_answered();
    let question = &mut waits.decision.as_mut().expect("a decision").question;
    question.wait = Wait::Permission(format!("run {}", words::command(&long)));
    question.detail = Some(long);
    let told = News::new(None, []).repo(&waits, AROUND);
    let [Told::Note(note)] = &told[..] else { panic!("one note: {told:?}") };
    assert!(note.body.ends_with("…` (51 more characters)."), "{}", note.body);
    let deny = Press::Decide(shop(), DecisionId::new("d"), "deny".into());
    let opens = Press::Open(Place::Repo(shop()));
    let buttons = [("Open".to_owned(), opens), ("DENY".to_owned(), deny)];
    assert_eq!(note.buttons, buttons);
    let trouble = Trouble::new(Code::WorkWouldBeLost, "This would lose work.", [""; 0]);
    let note = refused(&mut News::new(None, []), &waits, &trouble);
    assert_eq!(note.buttons[..2], buttons, "also where an order was refused");
    let short = repo("shop", State::Waiting).waits_for("run `ls`", 7).can_be_answered();
    let note = refused(&mut News::new(None, []), &short, &trouble);
    assert_eq!(
        note.buttons.first().map(|(label, _)| label.as_str()),
        Some("Open"),
        "these words don't name it"
    );
}

#[test]
fn a_refused_order_is_told_with_the_way_on_until_what_it_names_is_over() {
    let mut trouble = Trouble::new(Code::WorkWouldBeLost, "This would lose a turn.", ["Wait."]);
    let works = repo("shop", State::Working).turn(Wall(7));
    trouble.named = Work::new(&works.holds, Vec::new(), Vec::new()).named();
    let mut news = News::new(None, []);
    let note = refused(&mut news, &works, &trouble);
    assert_eq!(
        (note.title.as_str(), note.body.as_str()),
        ("shop: work would be lost", "This would lose a turn. Wait.")
    );
    let at_most = || OnWork::InterruptAtMost(trouble.named.clone());
    assert_eq!(
        note.buttons,
        [("Pause anyway".to_owned(), Press::Anyway(vec![(shop(), Order::Pause(at_most()))]))]
    );
    let shell = works.clone().keeps(Keeps::Nothing);
    assert_eq!(
        refused(&mut News::new(None, []), &shell, &trouble).buttons,
        [("Stop anyway".to_owned(), Press::Anyway(vec![(shop(), Order::Stop(at_most()))]))],
        "a pause would come to nothing"
    );
    assert_eq!(news.repo(&works, AROUND), [], "it works on");
    let over = [Told::Over(note.key.clone())];
    assert_eq!(news.repo(&repo("shop", State::Working).turn(Wall(9)), AROUND), over, "this is another turn");
    assert_eq!(news.repo(&repo("shop", State::Ready), AROUND), [], "it is taken back once");

    let hint = ["See to it in its terminal: `repose open shop`."];
    let waiting = Trouble::new(Code::WorkWouldBeLost, "This would lose a permission.", hint);
    let asks = repo("shop", State::Waiting).waits_for("run `ls`", 7).can_be_answered();
    let note = refused(&mut news, &asks, &waiting);
    assert_eq!(note.body, "This would lose a permission. See to it in its terminal, in the window.");
    let labels: Vec<&str> = note.buttons.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["Open", "DENY", "Pause anyway"]);

    refused(&mut news, &works, &trouble);
    assert_eq!(news.answered(&[(shop(), Order::Pause(at_most()))]), over);
    assert_eq!(news.repo(&repo("shop", State::Ready), AROUND), [], "its button was pressed");

    // Nobody can see what goes on, so that none of it is seen to be over.
    let unseen = Hold::new(Wall(1), Kind::Unseen("it gives no answer".into()));
    trouble.named = Work::new(&[unseen], Vec::new(), Vec::new()).named();
    refused(&mut news, &works, &trouble);
    assert_eq!(news.repo(&repo("shop", State::Ready), AROUND), [], "it may work");
    assert_eq!(news.repo(&repo("shop", State::Paused), AROUND), over);

    let one_way = Trouble::new(Code::NotResumable, "Nothing was asked yet.", [""; 0]);
    let mut title = |state| refused(&mut news, &repo("shop", state), &one_way).title;
    assert_eq!(
        [title(State::Ready), title(State::Paused)],
        ["shop can't be paused", "shop: couldn't be resumed"],
        "where it was to be paused, and where it was to be resumed"
    );

    let nothing = Trouble::new(Code::NothingToPause, "It sleeps.", ["Leave it."]);
    let asleep = repo("shop", State::Asleep);
    assert_eq!(refused(&mut news, &asleep, &nothing).buttons, []);
    assert_eq!(news.repo(&asleep, AROUND), [], "it names no work");
}

#[test]
fn a_refused_order_tells_what_is_left_of_its_work_once_part_of_it_is_over() {
    let server =
        || Hold::new(Wall(2), Kind::Background(Task { id: "b".into(), what: "make".into(), process: true }));
    let busy = |name: &str| {
        let mut shown = repo(name, State::Working).turn(Wall(7));
        shown.holds.push(server());
        let work = Work::new(&shown.holds, Vec::new(), Vec::new());
        let mut trouble = Trouble::new(Code::WorkWouldBeLost, would_be_lost("Pausing", &work), ["Wait."]);
        trouble.named = work.named();
        (shown.clone(), (shown.id, trouble))
    };
    let rest = |name: &str| {
        let mut shown = repo(name, State::Ready);
        shown.holds.push(server());
        shown
    };
    let (shop, refusal) = busy("shop");
    let mut news = News::new(None, []);
    let note = refused(&mut news, &shop, &refusal.1);
    assert_eq!(news.repo(&shop, AROUND), [], "it goes on");
    let left = Note {
        body: "Pausing now would lose work: the background task `make`. Wait.".into(),
        ..note.clone()
    };
    assert_eq!(news.repo(&rest("shop"), AROUND), [Told::Instead(left)]);
    assert_eq!(news.repo(&rest("shop"), AROUND), [], "it was told");
    assert_eq!(news.repo(&repo("shop", State::Ready), AROUND), [Told::Over(note.key)]);

    let (shown, refused): (Vec<_>, Vec<_>) = ["shop", "api"].map(busy).into_iter().unzip();
    let told = news.refused(&refused, &shown);
    let [Told::Note(both)] = &told[..] else { panic!("one note: {told:?}") };
    let told = news.repo(&rest("api"), AROUND);
    let [Told::Instead(less)] = &told[..] else { panic!("one in its place: {told:?}") };
    assert_eq!((&less.key, &less.buttons), (&both.key, &both.buttons));
    assert!(less.body.ends_with("api: pausing now would lose work: the background task `make`."), "{less:?}");
}

#[test]
fn what_refuses_an_order_to_all_repos_is_told_once_and_opens_the_window() {
    let trouble = Trouble::new(Code::Internal, "The state can't be written.", ["Free some space."]);
    let note = all_refused(&trouble);
    assert_eq!(
        (note.body.as_str(), note.click),
        ("The state can't be written. Free some space.", Some(Press::Open(Place::Any)))
    );
}

#[test]
fn what_several_refuse_at_once_is_one_notification_until_all_of_it_is_over() {
    let busy = |name: &str| {
        let shown = repo(name, State::Working).turn(Wall(7));
        let mut trouble =
            Trouble::new(Code::WorkWouldBeLost, "Pausing now would lose work: a turn.", ["Wait."]);
        trouble.named = Work::new(&shown.holds, Vec::new(), Vec::new()).named();
        (shown.clone(), (shown.id, trouble))
    };
    let (shown, refused): (Vec<_>, Vec<_>) = ["shop", "api"].map(busy).into_iter().unzip();
    let mut news = News::new(None, []);
    let told = news.refused(&refused, &shown);
    let [Told::Note(note)] = &told[..] else { panic!("one note: {told:?}") };
    assert_eq!(note.title, "2 repos are at work, and stay");
    let lines = ["shop: pausing now would lose work: a turn.", "api: pausing now would lose work: a turn."];
    assert_eq!(note.body, lines.join("\n"));
    let pause = |(repo, trouble): &(RepoId, Trouble)| {
        (repo.clone(), Order::Pause(OnWork::InterruptAtMost(trouble.named.clone())))
    };
    let orders: Vec<_> = refused.iter().map(pause).collect();
    assert_eq!(note.buttons, [("Pause anyway".to_owned(), Press::Anyway(orders.clone()))]);
    let left = news.repo(&repo("shop", State::Ready), AROUND);
    let [Told::Note(left)] = &left[..] else { panic!("one note: {left:?}") };
    assert_eq!((left.title.as_str(), left.body.as_str()), ("1 repo is at work, and stays", lines[1]));
    assert_eq!(left.key, note.key, "in place of the one that named both");
    assert_eq!(left.buttons, [("Pause anyway".to_owned(), Press::Anyway(orders[1..].to_vec()))]);
    let over = [Told::Over(note.key.clone())];
    assert_eq!(news.repo(&repo("api", State::Ready), AROUND), over);
    news.refused(&refused, &shown);
    assert_eq!(news.answered(&orders), over);
    news.refused(&refused, &shown);
    assert_eq!(news.removed(&shop())[..all_over().len()], all_over());
    assert!(news.removed(&shown[1].id).contains(&over[0]));

    let one = news.refused(&refused[..1], &shown);
    let [Told::Note(alone)] = &one[..] else { panic!("one note: {one:?}") };
    assert_eq!(alone.key, key(&shop(), "refused"));
    let both = news.refused(&refused, &shown);
    assert_eq!(both[0], Told::Over(alone.key.clone()), "the other tells it too");
    let [Told::Note(both), ..] = &both[1..] else { panic!("a note: {both:?}") };
    assert!(news.stands(both));
    let again = news.refused(&refused[..1], &shown);
    let [Told::Note(of_one), Told::Note(of_other)] = &again[..] else { panic!("two notes: {again:?}") };
    assert_eq!((&of_one.key, &of_other.key), (&alone.key, &both.key), "the one of both names what is left");
    let again = news.refused(&refused[1..], &shown);
    assert_eq!(again.last(), Some(&over[0]), "nobody is left that it could name: {again:?}");
    news.repo(&repo("shop", State::Ready), AROUND);
    assert!(!news.stands(of_one) && !news.stands(both), "its work was over before it was shown");
    let shell = shown[1].clone().keeps(Keeps::Nothing);
    let (shown, refused): (Vec<_>, Vec<_>) = ["a", "b", "c", "d", "e", "f"].map(busy).into_iter().unzip();
    let told = news.refused(&refused, &shown);
    let [Told::Note(many)] = &told[..] else { panic!("one note: {told:?}") };
    assert!(
        many.body.ends_with("And 1 more, which the window shows.") && many.buttons.is_empty(),
        "{many:?}"
    );
    let keeps_none = [refused[0].clone(), refused[1].clone(), (shell.id.clone(), refused[0].1.clone())];
    let shown = [shown[0].clone(), shown[1].clone(), shell];
    assert_eq!(news.refused(&keeps_none, &shown).len(), 2, "it is stopped, and not paused");
}
