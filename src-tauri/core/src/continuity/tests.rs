use std::time::Duration;

use super::{Asked, Continuity, Outcome, Plan, Previous, Reason, confirm, decide};
use crate::conversation::{Conversation, Engine, Loss, OnDisk, Transcript, Turns};
use crate::ids::{ConversationId, EngineName};
use crate::signal::Source;
use crate::time::Wall;

const DAY: u64 = 86_400_000;
const NOW: Wall = Wall(100 * DAY);
const WINDOW: Duration = Duration::from_secs(4 * 86_400);

fn engine() -> Engine {
    Engine {
        name: EngineName::new("claude"),
        title: "Claude Code".into(),
        keeps_conversations: true,
        forks: true,
    }
}

/// Its engine's title is told only where it is another engine than the repo's.
fn with_codex(conversation: &Conversation) -> Previous<'_> {
    Previous { conversation, with: "Codex" }
}

fn days_old(days: u64) -> Conversation {
    Conversation {
        id: ConversationId::new("c1"),
        engine: EngineName::new("claude"),
        last_turn: Some(Wall(NOW.0 - days * DAY)),
        turns: Turns::Counted(5),
        context_tokens: None,
        transcript: None,
        on_disk: OnDisk::There,
    }
}

fn resume(days: u64) -> Plan {
    Plan::Resume { conversation: ConversationId::new("c1"), idle: Some(Duration::from_secs(days * 86_400)) }
}

#[test]
fn invariant_09_the_window_binds_only_what_nobody_asked_for() {
    let other = Conversation { engine: EngineName::new("codex"), ..days_old(1) };
    let silent = Conversation { turns: Turns::NONE, ..days_old(1) };
    let gone = Conversation { on_disk: OnDisk::Gone, ..days_old(1) };
    let file = Some("/t.jsonl".to_owned());
    let transcript = Some(Transcript::new(EngineName::new("claude"), "/t.jsonl".into()));
    let broken = |on_disk| Conversation { on_disk, transcript: transcript.clone(), ..days_old(1) };
    let (damaged, emptied) = (broken(OnDisk::Unreadable), broken(OnDisk::Blank));
    let ageless = Conversation { last_turn: None, ..days_old(1) };
    let ahead = Conversation { last_turn: Some(Wall(NOW.0 + DAY)), ..days_old(1) };
    let just_in = Conversation { last_turn: Some(Wall(NOW.0 - 4 * DAY + 1)), ..days_old(1) };
    let fresh = Plan::Fresh;
    let ageless_resumed = Plan::Resume { conversation: ConversationId::new("c1"), idle: None };
    let too_old = |days: u64| fresh(Reason::TooOld { age: Duration::from_secs(days * 86_400) });
    let switched = || fresh(Reason::EngineSwitched { from: "Codex".into() });
    let table = [
        (Some(days_old(1)), Asked::Fresh, fresh(Reason::AskedFor)),
        (None, Asked::Fresh, fresh(Reason::AskedFor)),
        (None, Asked::Nothing, fresh(Reason::First)),
        (None, Asked::Resume, fresh(Reason::First)),
        (Some(other.clone()), Asked::Nothing, switched()),
        (Some(other), Asked::Resume, switched()),
        (Some(silent.clone()), Asked::Nothing, fresh(Reason::NeverGotATurn)),
        (Some(silent), Asked::Resume, fresh(Reason::NeverGotATurn)),
        (Some(gone.clone()), Asked::Nothing, fresh(Reason::FileGone)),
        (Some(gone), Asked::Resume, fresh(Reason::FileGone)),
        (Some(damaged.clone()), Asked::Resume, fresh(Reason::FileUnreadable { file: file.clone() })),
        (Some(damaged), Asked::Nothing, fresh(Reason::FileUnreadable { file: file.clone() })),
        (Some(emptied), Asked::Resume, fresh(Reason::FileBlank { file: file.clone() })),
        (Some(ageless.clone()), Asked::Nothing, fresh(Reason::AgeUnknown)),
        (Some(ageless), Asked::Resume, ageless_resumed.clone()),
        (Some(days_old(3)), Asked::Nothing, resume(3)),
        (Some(days_old(4)), Asked::Nothing, too_old(4)),
        (Some(days_old(9)), Asked::Nothing, too_old(9)),
        (Some(days_old(90)), Asked::Resume, resume(90)),
        (Some(ahead), Asked::Nothing, ageless_resumed),
    ];
    for (previous, asked, plan) in table {
        let decided = decide(previous.as_ref().map(with_codex), &engine(), None, asked, WINDOW, NOW);
        assert_eq!(decided, plan, "{previous:?}, {asked:?}");
    }
    assert!(matches!(
        decide(Some(with_codex(&just_in)), &engine(), None, Asked::Nothing, WINDOW, NOW),
        Plan::Resume { .. }
    ));
}

fn loss() -> Loss {
    Loss { engine: "Gemini CLI".into(), remedy: "Set keep to true in ~/.settings".into() }
}

#[test]
fn a_conversation_that_would_be_lost_is_not_taken_up_and_the_sentence_says_what_to_do() {
    let decided =
        |asked| decide(Some(with_codex(&days_old(1))), &engine(), Some(&loss()), asked, WINDOW, NOW);
    for asked in [Asked::Nothing, Asked::Resume, Asked::Fork] {
        assert_eq!(decided(asked), Plan::Fresh(Reason::WouldBeLost(loss())), "{asked:?}");
    }
    assert_eq!(decided(Asked::Fresh), Plan::Fresh(Reason::AskedFor));
    let outcome = Outcome::Fresh(Reason::WouldBeLost(loss()));
    let told = Continuity { outcome, interrupted: Vec::new(), at: NOW };
    assert_eq!(
        told.sentence(),
        "Started fresh: Gemini CLI would delete the previous conversation if it were resumed. Set keep to true in \
         ~/.settings, and it can be."
    );
}

#[test]
fn an_engine_that_keeps_none_always_begins_fresh() {
    let shell = Engine { keeps_conversations: false, title: "Shell".into(), ..engine() };
    for asked in [Asked::Nothing, Asked::Resume] {
        let plan = decide(Some(with_codex(&days_old(1))), &shell, None, asked, WINDOW, NOW);
        assert_eq!(plan, Plan::Fresh(Reason::EngineKeepsNone { engine: "Shell".into() }));
    }
}

#[test]
fn an_engine_that_makes_no_copies_is_never_told_to() {
    let helper = Engine { forks: false, title: "Helper".into(), ..engine() };
    let plan = |asked| decide(Some(with_codex(&days_old(1))), &helper, None, asked, WINDOW, NOW);
    assert_eq!(plan(Asked::Fork), Plan::Fresh(Reason::EngineCopiesNone { engine: "Helper".into() }));
    assert_eq!((plan(Asked::Nothing), plan(Asked::Resume)), (resume(1), resume(1)));
}

#[test]
fn invariant_10_only_the_confirmed_conversation_counts_as_resumed() {
    let (c1, c2) = (ConversationId::new("c1"), ConversationId::new("c2"));
    let resumed = Outcome::Resumed { idle: Some(Duration::from_secs(86_400)) };
    let new = Outcome::Fresh(Reason::EngineStartedNew);
    let table = [
        (resume(1), Some(&c1), Source::Resumed, resumed.clone()),
        (resume(1), Some(&c1), Source::Compacted, resumed),
        (resume(1), Some(&c2), Source::Resumed, new.clone()),
        (resume(1), Some(&c1), Source::New, new.clone()),
        (resume(1), Some(&c2), Source::New, new.clone()),
        (resume(1), Some(&c2), Source::Forked, new.clone()),
        (resume(1), Some(&c2), Source::Cleared, new.clone()),
        (resume(1), None, Source::Resumed, new),
        (Plan::Fresh(Reason::First), Some(&c2), Source::New, Outcome::Fresh(Reason::First)),
        (Plan::Fresh(Reason::AskedFor), None, Source::New, Outcome::Fresh(Reason::AskedFor)),
    ];
    for (plan, conversation, source, outcome) in table {
        assert_eq!(confirm(&plan, conversation, &source), outcome, "{plan:?} {conversation:?} {source:?}");
    }
}

#[test]
fn invariant_11_every_outcome_has_its_code_and_its_one_sentence() {
    let age = Duration::from_secs(9 * 86_400);
    let from = "Codex".to_owned();
    let outcomes = [
        (Outcome::Resumed { idle: Some(age) }, "resumed", "resumed"),
        (Outcome::Resumed { idle: None }, "resumed", "resumed"),
        (Outcome::WentOver { picked_up: true }, "resumed", "went_over"),
        (Outcome::WentOver { picked_up: false }, "fresh", "went_over"),
        (Outcome::Fresh(Reason::AskedFor), "fresh", "asked_for"),
        (Outcome::Fresh(Reason::EngineKeepsNone { engine: "Shell".into() }), "fresh", "engine_keeps_none"),
        (Outcome::Fresh(Reason::First), "fresh", "first"),
        (Outcome::Fresh(Reason::EngineSwitched { from: from.clone() }), "fresh", "engine_switched"),
        (Outcome::Fresh(Reason::NeverGotATurn), "fresh", "never_got_a_turn"),
        (Outcome::Fresh(Reason::AgeUnknown), "fresh", "age_unknown"),
        (Outcome::Fresh(Reason::TooOld { age }), "fresh", "too_old"),
        (Outcome::Fresh(Reason::FileGone), "fresh", "file_gone"),
        (Outcome::Fresh(Reason::FileUnreadable { file: None }), "fresh", "file_unreadable"),
        (Outcome::Fresh(Reason::FileBlank { file: None }), "fresh", "file_blank"),
        (Outcome::Fresh(Reason::EngineStartedNew), "fresh", "engine_started_new"),
        (Outcome::Fresh(Reason::EngineLostIt), "fresh", "engine_lost_it"),
        (Outcome::Fresh(Reason::WouldBeLost(loss())), "fresh", "would_be_lost"),
        (Outcome::Fresh(Reason::EngineCopiesNone { engine: "X".into() }), "fresh", "engine_copies_none"),
    ];
    for (outcome, kind, code) in outcomes {
        let told = Continuity { outcome, interrupted: Vec::new(), at: NOW };
        let sentence = told.sentence();
        let start = match (kind, code) {
            (_, "went_over") => "Went over to an",
            ("fresh", _) => "Started fresh: ",
            _ => "Picked up this repo's previous conversation",
        };
        assert!(sentence.starts_with(start) && sentence.ends_with('.'), "{sentence}");
        assert_eq!((told.kind(), told.code()), (kind, code));
        let named = Continuity { interrupted: vec!["a".into(), "b".into()], ..told };
        assert_eq!(named.sentence(), format!("{sentence} Left unfinished when it was ended: a and b."));
    }
    let told = Continuity { outcome: Outcome::Fresh(Reason::TooOld { age }), interrupted: vec![], at: NOW };
    assert_eq!(told.sentence(), "Started fresh: the previous conversation was 9 days old.");
    let told = Continuity { outcome: Outcome::Fresh(Reason::EngineSwitched { from }), ..told };
    assert_eq!(told.sentence(), "Started fresh: the previous conversation was with Codex.");
}
