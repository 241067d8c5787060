use std::collections::BTreeSet;
use std::time::Duration;

use repose_core::budget::Excess;
use repose_core::continuity::{Continuity, Outcome, Reason};
use repose_core::conversation::{Keeps, Loss};
use repose_core::hold::{Hold, Kind};
use repose_core::ids::{DecisionId, RepoId};
use repose_core::memory::Measured;
use repose_core::repo::{Freed, Notice, Purpose, State, TurnEnd};
use repose_core::signal::Wait;
use repose_core::time::Wall;
use repose_core::trouble::{Code, Trouble};
use repose_runner::{Notify, Shown};

use super::super::own::of_app;
use super::{Around, News, Note, OF_A_REPO, Press, Told, Urgency, click, key};
use crate::fixture::{NOW, With, repo};
use crate::window::Place;

const AROUND: Around = Around {
    notify: Notify { reaped: true, fresh: true, needs_you: true, finished: true, trouble: true },
    window: Duration::from_secs(4 * 86_400),
    front: false,
    now: NOW,
};

const SILENT: Around = Around {
    notify: Notify { reaped: false, fresh: false, needs_you: false, finished: false, trouble: false },
    ..AROUND
};

fn shop() -> RepoId {
    RepoId::new("id-shop")
}

fn reaped() -> Notice {
    let freed = Freed { bytes: 266_000_000, processes: 2, measured: Measured::Pss, took_ms: 90 };
    Notice::Reaped { idle: Duration::from_secs(6 * 3_600), over: None, freed: Some(freed) }
}

fn fresh(reason: Reason) -> Notice {
    Notice::Opened(Continuity { outcome: Outcome::Fresh(reason), interrupted: Vec::new(), at: NOW })
}

/// The end of a turn that nobody has waited for, and that worked for this many milliseconds.
fn over(end: TurnEnd, worked: Option<u64>) -> Notice {
    Notice::TurnOver { end, worked: worked.map(Duration::from_millis), heard: false }
}

/// The title and body of each.
fn texts(told: &[Told]) -> Vec<(&str, &str)> {
    let notes = told.iter().filter_map(|told| match told {
        Told::Note(note) => Some((note.title.as_str(), note.body.as_str())),
        Told::Instead(_) | Told::Over(_) => None,
    });
    notes.collect()
}

/// What is notified of this, in a repo in this state.
fn told_of(state: State, notice: &Notice, around: Around) -> Vec<Told> {
    let mut news = News::new(None, []);
    news.repo(&repo("shop", state).last_turn(6), around);
    news.notice(&shop(), notice, around)
}

#[test]
fn each_event_has_its_words() {
    let too_old = Reason::TooOld { age: Duration::from_secs(9 * 86_400) };
    let trouble = Trouble::new(Code::LeftBehind, "Two are left.", ["Look: `repose doctor`."]);
    let work = vec!["a turn in progress".to_owned()];
    let table = [
        (
            State::Ready,
            reaped(),
            (
                "shop was let go",
                "Idle for 6 h. Freed 266 MB. Its conversation is kept, and picked up by itself within 4 days.",
            ),
        ),
        (
            State::Ready,
            Notice::Reaped {
                idle: Duration::from_secs(60),
                over: Some(Excess::Memory { budget: 4_000_000_000 }),
                freed: None,
            },
            (
                "shop was let go",
                "Idle for 1 min and let go early: live agents held more than the memory budget of 4.0 GB. Its \
                 conversation is kept, and picked up by itself within 4 days.",
            ),
        ),
        (
            State::Opening,
            fresh(too_old),
            (
                "shop has a new conversation",
                "Started fresh: the previous conversation was 9 days old. One older than 4 days comes back only on your \
                 word: it is among the earlier ones (`repose conversations shop`).",
            ),
        ),
        (State::Working, over(TurnEnd::Answered, Some(200_000)), ("shop is done", "It worked for 3 min.")),
        (
            State::Working,
            over(TurnEnd::Answered, Some(300)),
            ("shop is done", "It worked for less than a second."),
        ),
        (
            State::Working,
            over(TurnEnd::Answered, None),
            ("shop is done", "For how long it worked isn't known."),
        ),
        (
            State::Working,
            over(TurnEnd::Unanswered(String::new()), None),
            ("shop stopped without an answer", "It gave no reason."),
        ),
        (
            State::Working,
            over(TurnEnd::Unanswered("API Error: 529 overloaded".into()), Some(300)),
            ("shop stopped without an answer", "API Error: 529 overloaded."),
        ),
        (
            State::Working,
            over(TurnEnd::Interrupted, Some(200_000)),
            ("shop stopped without an answer", "It was interrupted. It had worked for 3 min."),
        ),
        (
            State::Ready,
            Notice::EndedByItself("killed".into()),
            ("shop's agent ended", "Its conversation is kept. killed"),
        ),
        (
            State::Working,
            Notice::OrderDropped { purpose: Purpose::Pause, work },
            (
                "shop was not paused",
                "Repose was restarted in between, and it would have lost a turn in progress.",
            ),
        ),
        (
            State::Asleep,
            Notice::Trouble(trouble),
            ("shop: processes left behind", "Two are left. Look: `repose doctor`."),
        ),
    ];
    for (state, notice, words) in table {
        let told = told_of(state, &notice, AROUND);
        assert_eq!(texts(&told), [words], "{notice:?}");
        assert_eq!(
            told_of(State::Paused, &notice, AROUND),
            [],
            "a paused repo is told nothing of: {notice:?}"
        );
        assert_eq!(told_of(state, &notice, SILENT), [], "it can be switched off: {notice:?}");
    }
}

#[test]
fn what_somebody_ordered_or_sees_is_no_news() {
    let table = [
        ("asked for", fresh(Reason::AskedFor)),
        ("the first conversation", fresh(Reason::First)),
        ("an engine without any", fresh(Reason::EngineKeepsNone { engine: "Shell".into() })),
        (
            "resumed",
            Notice::Opened(Continuity {
                outcome: Outcome::Resumed { idle: None },
                interrupted: Vec::new(),
                at: NOW,
            }),
        ),
        ("paused", Notice::Paused(None)),
        ("stopped", Notice::Stopped(None)),
        ("a turn that was interrupted", over(TurnEnd::CutOff, None)),
        (
            "an answer that somebody waited for",
            Notice::TurnOver { end: TurnEnd::Answered, worked: None, heard: true },
        ),
    ];
    for (what, notice) in table {
        assert_eq!(told_of(State::Ready, &notice, AROUND), [], "{what}");
    }
    let done = over(TurnEnd::Answered, None);
    let front = Around { front: true, ..AROUND };
    assert_eq!(told_of(State::Working, &done, front), [], "the window is in front");
    let mut news = News::new(None, []);
    news.repo(&repo("shop", State::Working).used(), AROUND);
    assert_eq!(news.notice(&shop(), &done, AROUND), [], "somebody sits at its terminal");
}

#[test]
fn a_click_opens_that_repo() {
    let [Told::Note(note)] = &told_of(State::Ready, &reaped(), AROUND)[..] else { panic!("one note") };
    assert_eq!(note.click, Some(Press::Open(Place::Repo(shop()))));
    assert_eq!(click(&note.key), Press::Open(Place::Repo(shop())), "also after a restart, by its key");
    assert_eq!(click(&of_app("closed", "", "").key), Press::Open(Place::Any));
    assert_eq!(click("settings"), Press::Open(Place::Settings));
}

#[test]
fn one_that_waits_is_told_once_and_taken_back_when_it_is_over() {
    let waits = repo("shop", State::Waiting).waits_for("run `ls`", 7);
    let mut news = News::new(None, []);
    let told = news.repo(&waits, AROUND);
    assert_eq!(texts(&told), [("shop needs you", "It waits for the permission to run `ls`.")]);
    let Some(Told::Note(Note { urgency, key, .. })) = told.first() else { panic!("a note") };
    assert_eq!(*urgency, Urgency::Critical);
    assert_eq!(news.repo(&waits.clone().memory(5), AROUND), [], "it waits for the same still");

    let mut restarted = News::new(Some(&told_by(&news)), []);
    assert_eq!(restarted.repo(&waits, AROUND), [], "a restart tells it no second time");
    let unseen = news.told(&BTreeSet::from([key.clone()]));
    let mut restarted_untold = News::new(Some(&unseen), []);
    assert_eq!(restarted_untold.repo(&waits, AROUND), told, "unless nobody saw the first");

    let another = repo("shop", State::Waiting).waits_for("run `ls`", 8);
    assert_eq!(texts(&restarted.repo(&another, AROUND)).len(), 1, "the same question again is another one");

    let over = news.repo(&repo("shop", State::Working), AROUND);
    assert_eq!(over, [Told::Over(key.clone())]);
    assert_eq!(told_by(&news), "");
    assert_eq!(texts(&news.repo(&waits, AROUND)).len(), 1);
    assert_eq!(news.removed(&shop()), all_over());
}

/// What the next start finds if everything was seen.
fn told_by(news: &News) -> String {
    news.told(&BTreeSet::new())
}

/// Asserts that no notification about the repo is left.
fn all_over() -> Vec<Told> {
    OF_A_REPO.map(|kind| Told::Over(key(&shop(), kind))).into()
}

#[test]
fn one_that_was_found_waits_on_although_it_shows_as_opening_until_it_is_heard() {
    let waits = repo("shop", State::Waiting).waits_for("run `ls`", 7);
    let mut news = News::new(None, []);
    news.repo(&waits, AROUND);
    let mut restarted = News::new(Some(&told_by(&news)), []);
    assert_eq!(restarted.repo(&repo("shop", State::Opening), AROUND), []);
    assert_eq!(restarted.repo(&waits, AROUND), [], "and is told no second time");
}

#[test]
fn each_kind_can_be_switched_off_by_itself() {
    type Off = fn(&mut Notify);
    let trouble = Trouble::new(Code::LeftBehind, "Two are left.", [""; 0]);
    let too_old = Reason::TooOld { age: Duration::from_secs(9 * 86_400) };
    let kinds: [(Off, Option<Notice>); 5] = [
        (|notify| notify.reaped = false, Some(reaped())),
        (|notify| notify.fresh = false, Some(fresh(too_old))),
        (|notify| notify.needs_you = false, None),
        (|notify| notify.finished = false, Some(over(TurnEnd::Answered, None))),
        (|notify| notify.trouble = false, Some(Notice::Trouble(trouble))),
    ];
    let told = |notice: &Option<Notice>, around| match notice {
        Some(notice) => told_of(State::Ready, notice, around),
        None => News::new(None, []).repo(&repo("shop", State::Waiting).waits_for("run `ls`", 7), around),
    };
    for (off, (switch, _)) in kinds.iter().enumerate() {
        let mut around = AROUND;
        switch(&mut around.notify);
        for (at, (_, notice)) in kinds.iter().enumerate() {
            let count = texts(&told(notice, around)).len();
            assert_eq!(count, usize::from(at != off), "number {off} is off, and this is {at}: {notice:?}");
        }
    }
}

#[test]
fn one_that_can_be_answered_has_the_answers_also_when_they_come_later() {
    let waits = repo("shop", State::Waiting).waits_for("run `ls`", 7);
    let mut news = News::new(None, []);
    let told = news.repo(&waits, AROUND);
    let [Told::Note(plain)] = &told[..] else { panic!("one note: {told:?}") };
    assert_eq!((&plain.buttons[..], plain.may_follow), (&[][..], true));
    let answerable = waits.can_be_answered();
    let told = news.repo(&answerable, AROUND);
    let [Told::Note(note)] = &told[..] else { panic!("one note: {told:?}") };
    assert_eq!(note.key, plain.key, "it takes the place of the first");
    let decides = |choice: &str| Press::Decide(shop(), DecisionId::new("d"), choice.into());
    let buttons = [("ALLOW".to_owned(), decides("allow")), ("DENY".to_owned(), decides("deny"))];
    assert_eq!((&note.buttons[..], note.may_follow), (&buttons[..], false));
    assert_eq!(news.repo(&answerable, AROUND), []);
    let mut restarted = News::new(Some(&told_by(&news)), []);
    assert_eq!(restarted.repo(&answerable, AROUND), [], "a restart tells it no second time");
}

#[test]
fn the_parts_of_one_question_are_told_once_and_replace_each_other_where_they_stand() {
    let part = |words: &str| {
        let mut waits = repo("shop", State::Waiting).can_be_answered();
        waits.holds.push(Hold::new(Wall(7), Kind::Waiting(Wait::Choice(words.into()))));
        let question = &mut waits.decision.as_mut().expect("a decision").question;
        (question.wait, question.choices) = (Wait::Choice(words.into()), Vec::new());
        waits
    };
    let (first, second) = (part("an answer to \"Which?\""), part("an answer to \"How many?\""));
    let mut news = News::new(None, []);
    let told = news.repo(&first, AROUND);
    let [Told::Note(note)] = &told[..] else { panic!("one note: {told:?}") };
    let told = news.repo(&second, AROUND);
    let [Told::Instead(next)] = &told[..] else { panic!("one in its place: {told:?}") };
    assert_eq!(next.key, note.key);
    assert_ne!(next.body, note.body);
    assert_eq!(news.repo(&second, AROUND), []);
    let asks = repo("site", State::Waiting).waits_for("run `ls`", 7).can_be_answered();
    assert_eq!(news.repo(&asks, AROUND).len(), 1);
    let answered = Shown { decision: None, ..asks };
    assert_eq!(news.repo(&answered, AROUND), [], "somebody answered it in the page");
    let mut restarted = News::new(Some(&told_by(&news)), []);
    assert_eq!(restarted.repo(&first, AROUND), [], "a restart tells no part of it again");
    let permission = |what: &str| repo("shop", State::Waiting).waits_for(what, 7);
    assert_eq!(texts(&news.repo(&permission("run `ls`"), AROUND)).len(), 1);
    assert_eq!(texts(&news.repo(&permission("run `rm`"), AROUND)).len(), 1, "that is another question");
}

#[test]
fn one_that_still_stands_at_the_next_start_is_told_anew_in_its_place() {
    let waits = repo("shop", State::Waiting).waits_for("run `ls`", 7).can_be_answered();
    let mut news = News::new(None, []);
    let told = news.repo(&waits, AROUND);
    let [Told::Note(note)] = &told[..] else { panic!("one note: {told:?}") };
    let mut restarted = News::new(Some(&told_by(&news)), [note.key.clone()]);
    assert_eq!(restarted.repo(&waits, AROUND), told, "with buttons that work, under the same key");
    assert_eq!(restarted.repo(&waits, AROUND), [], "once");
    let mut restarted = News::new(Some(&told_by(&news)), [note.key.clone()]);
    let over = restarted.repo(&repo("shop", State::Ready), AROUND);
    assert_eq!(over, [Told::Over(note.key.clone())]);
}

#[test]
fn what_was_told_of_a_repo_that_is_gone_is_over() {
    let waits = repo("shop", State::Waiting).waits_for("run `ls`", 7);
    let mut news = News::new(None, []);
    news.repo(&waits, AROUND);
    let mut restarted = News::new(Some(&told_by(&news)), []);
    assert_eq!(restarted.only(std::slice::from_ref(&waits)), []);
    assert_eq!(restarted.only(&[]), all_over(), "removed while no app ran");
    assert_eq!(news.only(&[]), all_over(), "or while nobody heard of it");
    assert_eq!(told_by(&news), "");
    let mut stood = News::new(None, [key(&shop(), "finished"), "closed".to_owned()]);
    assert_eq!(stood.only(std::slice::from_ref(&waits)), []);
    assert_eq!(stood.only(&[]), all_over(), "also where all that stands is news of a turn");
    assert_eq!(stood.only(&[]), []);
}

#[test]
fn the_state_shows_before_its_reason_and_is_told_with_it() {
    let mut news = News::new(None, []);
    assert_eq!(news.repo(&repo("shop", State::Waiting), AROUND), []);
    let told = news.repo(&repo("shop", State::Waiting).waits_for("", 7), AROUND);
    assert_eq!(texts(&told), [("shop needs you", "It waits for a permission that it asked for.")]);
}

#[test]
fn trouble_is_told_when_it_comes_and_not_while_it_stays() {
    let mut news = News::new(None, []);
    let stalled = repo("shop", State::Working).trouble(Code::Stalled);
    assert_eq!(news.repo(&stalled, AROUND), [], "it was so before this start");
    assert_eq!(news.repo(&repo("shop", State::Working), AROUND), []);
    assert_eq!(texts(&news.repo(&stalled, AROUND)), [("shop: stalled", "It is so. Do this.")]);
    assert_eq!(news.repo(&stalled, AROUND), []);
    let gone = repo("shop", State::Offline).trouble(Code::FolderGone);
    assert_eq!(news.repo(&gone, AROUND), [], "nobody has it open: its row says so");
}

#[test]
fn a_conversation_beyond_the_window_comes_back_on_resume() {
    let mut news = News::new(None, []);
    news.repo(&repo("shop", State::Ready).last_turn(5 * 24), AROUND);
    let told = news.notice(&shop(), &reaped(), AROUND);
    let [(_, body)] = texts(&told)[..] else { panic!("one note") };
    assert!(body.ends_with("Its conversation is kept: Resume brings it back."), "{body}");
}

#[test]
fn nothing_is_said_to_be_kept_that_is_not_picked_up() {
    let loss = Loss { engine: "Gemini CLI".into(), remedy: "Set it to false".into() };
    let stays = "The conversation stays on disk, but Gemini CLI would delete the conversation if it were resumed. Set it \
                 to false, and it can be.";
    let ended = Notice::EndedByItself("It was killed.".into());
    let body = |shown: &Shown, notice: &Notice| {
        let mut news = News::new(None, []);
        news.repo(shown, AROUND);
        let told = news.notice(&shop(), notice, AROUND);
        texts(&told)[0].1.to_owned()
    };
    let shown = || repo("shop", State::Ready).last_turn(6);
    let listed = shown().keeps(Keeps::Listed(loss));
    assert_eq!(body(&listed, &reaped()), format!("Idle for 6 h. Freed 266 MB. {stays}"));
    assert_eq!(body(&listed, &ended), format!("{stays} It was killed."));
    // A shell, and a conversation in which nothing was asked.
    for nothing in [shown().keeps(Keeps::Nothing), repo("shop", State::Ready)] {
        assert_eq!(body(&nothing, &reaped()), "Idle for 6 h. Freed 266 MB.");
        assert_eq!(body(&nothing, &ended), "It was killed.");
    }
}

#[test]
fn settings_that_cant_be_read_are_told_until_they_can() {
    let broken = |line| Trouble::new(Code::BadSettings, format!("Line {line} is no setting."), [""; 0]);
    let mut news = News::new(None, []);
    assert_eq!(news.settings(None, AROUND), []);
    let told = news.settings(Some(&broken(3)), AROUND);
    assert_eq!(texts(&told), [(Code::BadSettings.title(), "Line 3 is no setting.")]);
    assert_eq!(news.settings(Some(&broken(3)), AROUND), []);
    assert_eq!(texts(&news.settings(Some(&broken(4)), AROUND)).len(), 1, "another line");
    assert_eq!(news.settings(None, AROUND), [Told::Over("settings".into())]);
    assert_eq!(news.settings(None, AROUND), []);
    assert_eq!(News::new(None, []).settings(Some(&broken(3)), SILENT), []);
    let mut restarted = News::new(None, ["settings".to_owned()]);
    assert_eq!(restarted.settings(None, AROUND), [Told::Over("settings".into())], "mended while no app ran");
}

mod refused;
