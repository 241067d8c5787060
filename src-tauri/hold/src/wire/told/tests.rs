use proptest::prelude::*;

use super::*;

/// The frozen orders as the first version had them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum First {
    Freeze { interrupt: bool, must_resume: bool },
    End,
}

fn ordered<T: Serialize, U: for<'de> Deserialize<'de>>(op: T) -> U {
    let sent = serde_json::to_string(&Asked { id: 7, op }).unwrap();
    serde_json::from_str::<Asked<U>>(&sent).unwrap().op
}

#[test]
fn an_older_holder_takes_what_it_knows_of_a_freeze_and_an_end() {
    let freeze = Op::Freeze { interrupt: true, must_resume: false, ordered: 9 };
    assert_eq!(ordered::<_, First>(freeze), First::Freeze { interrupt: true, must_resume: false });
    assert_eq!(ordered::<_, First>(Op::End { freeze: Some(9) }), First::End);
}

fn view() -> View {
    View {
        activity: repose_core::session::Activity::Idle { since: repose_core::time::Now::default() },
        conversation: None,
        decision: None,
        holds: Vec::new(),
        reap_at: None,
        ready_for_ask: Ok(()),
        interaction: Wall(7),
        used: Some(repose_core::time::Awake(7)),
        frozen: false,
        trouble: None,
    }
}

#[test]
fn an_older_holder_does_not_say_when_it_was_used_last() {
    let view = view();
    let mut sent = serde_json::to_value(view.out()).unwrap();
    let read = |sent: &Value| View::back(serde_json::from_value(sent.clone()).unwrap()).used;
    assert_eq!(read(&sent), view.used);
    sent.as_object_mut().unwrap().remove("used");
    assert_eq!(read(&sent), None);
}

#[test]
fn what_an_older_holder_cut_is_not_shown_as_whole() {
    let question = |detail: &str, detail_cut| repose_core::decision::Question {
        conversation: repose_core::ids::ConversationId::new("c1"),
        wait: repose_core::signal::Wait::Trust,
        detail: Some(detail.into()),
        detail_cut,
        choices: Vec::new(),
    };
    let read =
        |sent: &Value| repose_core::decision::Question::back(serde_json::from_value(sent.clone()).unwrap());
    for (detail, cut) in [("echo one\u{2026}", true), ("echo one", false), ("echo \u{2026}", false)] {
        let mut sent = serde_json::to_value(question(detail, cut).out()).unwrap();
        assert_eq!(read(&sent), question(detail, cut), "{sent}");
        sent.as_object_mut().unwrap().remove("detail_cut");
        assert_eq!(read(&sent).detail_cut, detail.ends_with('\u{2026}'));
    }
}

#[test]
fn an_older_holder_does_not_say_how_long_a_turn_worked() {
    let outcome = repose_core::session::TurnOutcome::Interrupted;
    let over = Fact::TurnOver { ask: None, outcome, at: Wall(7), worked: Some(Duration::from_secs(9)) };
    let mut sent = serde_json::to_value(over.out()).unwrap();
    let read = |sent: &Value| Fact::back(serde_json::from_value(sent.clone()).unwrap());
    assert_eq!(read(&sent), over);
    sent["turn_over"].as_object_mut().unwrap().remove("worked");
    assert!(matches!(read(&sent), Fact::TurnOver { worked: None, .. }));
}

#[test]
fn the_end_of_an_older_runner_names_no_freeze() {
    let freeze = ordered(First::Freeze { interrupt: true, must_resume: false });
    assert!(matches!(freeze, Op::Freeze { interrupt: true, must_resume: false, ordered: 0 }), "{freeze:?}");
    assert!(matches!(ordered(First::End), Op::End { freeze: None }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_in_a_harmed_frame_is_read_or_refused(
        at in any::<prop::sample::Index>(),
        gone in 0..12_usize,
        junk in prop::collection::vec(prop::sample::select(&b"\0\"\\{}[]:,\xff 9-e.nt"[..]), 0..6),
    ) {
        let outcome = repose_core::session::TurnOutcome::Interrupted;
        let over = Fact::TurnOver { ask: None, outcome, at: Wall(7), worked: Some(Duration::from_secs(9)) };
        let freeze = Asked { id: 7, op: Op::Freeze { interrupt: true, must_resume: false, ordered: 9 } };
        let harmed = |sent: serde_json::Result<Vec<u8>>| {
            let mut bytes = sent.unwrap();
            let at = at.index(bytes.len());
            bytes.splice(at..(at + gone).min(bytes.len()), junk.iter().copied());
            bytes
        };
        let _read = serde_json::from_slice::<Asked<Op>>(&harmed(serde_json::to_vec(&freeze)));
        let _read = serde_json::from_slice(&harmed(serde_json::to_vec(&view().out()))).map(View::back);
        let _read = serde_json::from_slice(&harmed(serde_json::to_vec(&over.out()))).map(Fact::back);
    }
}
