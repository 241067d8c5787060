use proptest::prelude::*;
use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::{Level, Said, Signal, Source, Wait};
use repose_core::time::Wall;

use super::{OWN, OpenCode, SUBAGENT, kept};
use crate::feed::{Known, News};
use crate::harm::{harm, harmed};
use crate::{Engine, Env};

const OTHER: &str = "ses_other";

/// What an engine's process was started at, in a home whose last prompt is of 50.
const SINCE: Wall = Wall(45);

fn heard(env: &Env, own: Option<&str>, from: &str, body: &str) -> Vec<(String, Said)> {
    heard_after(env, own, from, body, &mut Known::default())
}

fn heard_after(
    env: &Env,
    own: Option<&str>,
    from: &str,
    body: &str,
    known: &mut Known,
) -> Vec<(String, Said)> {
    let own = own.map(ConversationId::new);
    let (conversation, body) = (own.as_ref(), body.as_bytes());
    let news = News { env, conversation, since: SINCE, at: Wall(1_000), from, body };
    let named =
        |signal: Signal| (signal.conversation.map(|id| id.to_string()).unwrap_or_default(), signal.said);
    OpenCode.heard(&news, known).into_iter().map(named).collect()
}

fn event(env: &Env, own: Option<&str>, kind: &str, properties: &str) -> Vec<(String, Said)> {
    heard(env, own, "/event", &format!(r#"{{"id":"evt_1","type":"{kind}","properties":{properties}}}"#))
}

fn status(env: &Env, own: Option<&str>, session: &str, word: &str) -> Vec<(String, Said)> {
    let properties = format!(r#"{{"sessionID":"{session}","status":{{"type":"{word}"}}}}"#);
    event(env, own, "session.status", &properties)
}

fn told(session: &str, word: &str) -> String {
    let properties = format!(r#"{{"sessionID":"{session}","status":{{"type":"{word}"}}}}"#);
    format!(r#"{{"type":"session.status","properties":{properties}}}"#)
}

fn own(said: Said) -> (String, Said) {
    (OWN.to_owned(), said)
}

#[test]
fn a_prompt_is_taken_once_it_works_and_the_first_in_another_conversation_goes_over_to_that() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let source = |own| match status(&env, own, OWN, "busy").as_slice() {
        [(_, Said::PromptTaken { .. }), (_, Said::Level(Level::Busy))] => None,
        [
            (_, Said::Started { source, .. }),
            (_, Said::PromptTaken { text, .. }),
            (_, Said::Level(Level::Busy)),
        ] if text == "wait" => Some(source.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(source(Some(OWN)), None);
    assert_eq!(source(None), Some(Source::New));
    assert_eq!(source(Some(OTHER)), Some(Source::Cleared));

    // It says so again in each step of a turn.
    let mut known = Known { prompt: Some(PromptId::new("msg_6")), ..Known::default() };
    let busy = [own(Said::Level(Level::Busy))];
    assert_eq!(heard_after(&env, Some(OWN), "/event", &told(OWN, "retry"), &mut known), busy);

    let part = format!(r#"{{"sessionID":"{OWN}","part":{{"type":"text","text":"wait"}},"time":1}}"#);
    let said = event(&env, Some(OWN), "message.part.updated", &part);
    assert_eq!(said, [own(Said::ToolUsed)], "a sign of life, also where one is copied");
}

#[test]
fn what_a_subagent_does_is_no_news() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    for session in [SUBAGENT, "ses_unknown"] {
        for word in ["busy", "retry", "idle", "musing"] {
            assert_eq!(status(&env, Some(OWN), session, word), [], "{session} is {word}");
        }
    }
    let body = format!(r#"{{"{SUBAGENT}":{{"type":"busy"}}}}"#);
    assert_eq!(heard(&env, None, "/session/status", &body), [(String::new(), Said::Level(Level::Idle))]);
}

#[test]
fn a_prompt_from_before_the_process_is_none_that_it_took() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, connection) = kept(temp.path());
    connection.execute("DELETE FROM message WHERE id IN ('msg_6', 'msg_7')", []).expect("rows");
    // What is left was asked before 45: a conversation that was taken up is compacted.
    assert_eq!(status(&env, Some(OWN), OWN, "busy"), [own(Said::Level(Level::Busy))]);
    let over = status(&env, Some(OTHER), OWN, "busy");
    assert!(
        matches!(over.as_slice(), [(_, Said::Started { .. }), (_, Said::Level(Level::Busy))]),
        "{over:?}"
    );
}

#[test]
fn one_that_comes_to_rest_says_how_its_turn_ended() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, connection) = kept(temp.path());
    let mut known = Known { prompt: Some(PromptId::new("msg_6")), ..Known::default() };
    let mut idle = || heard_after(&env, Some(OWN), "/event", &told(OWN, "idle"), &mut known);
    assert_eq!(idle(), [own(Said::Interrupted), own(Said::Level(Level::Idle))]);
    connection
        .execute("DELETE FROM message WHERE time_created > 29 AND session_id = ?1", [OWN])
        .expect("rows");
    let said = idle();
    assert!(matches!(&said[0].1, Said::Stopped { text, .. } if text == "Done."), "{said:?}");

    let error =
        format!(r#"{{"sessionID":"{OWN}","error":{{"name":"APIError","data":{{"message":"asked for"}}}}}}"#);
    assert_eq!(
        event(&env, Some(OWN), "session.error", &error),
        [own(Said::Failed { error: "asked for".into() })]
    );
    let aborted = error.replace("APIError", "MessageAbortedError");
    assert_eq!(event(&env, Some(OWN), "session.error", &aborted), [own(Said::Interrupted)]);
    assert_eq!(event(&env, Some(OWN), "plugin.added", "{}"), []);
    assert_eq!(heard(&env, Some(OWN), "/event", "{"), []);
}

#[test]
fn a_turn_that_failed_rests_once_it_has_said_so_twice() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, connection) = kept(temp.path());
    let mut known = Known { prompt: Some(PromptId::new("msg_6")), ..Known::default() };
    let mut hear = |at: u64, body: &str| {
        let (own, body) = (ConversationId::new(OWN), body.as_bytes());
        let news =
            News { env: &env, conversation: Some(&own), since: SINCE, at: Wall(at), from: "/event", body };
        let heard = OpenCode.heard(&news, &mut known);
        heard.into_iter().map(|signal| signal.said).collect::<Vec<_>>()
    };
    let (idle, alive) = (told(OWN, "idle"), r#"{"type":"server.heartbeat","properties":{}}"#);
    let error = format!(
        r#"{{"type":"session.error","properties":{{"sessionID":"{OWN}","error":{{"name":"MessageAbortedError"}}}}}}"#
    );
    let rests = [Said::Interrupted, Said::Level(Level::Idle)];
    assert_eq!((hear(1_000, &error), hear(1_001, &idle)), (vec![Said::Interrupted], Vec::new()));
    assert_eq!(hear(1_100, alive), []);
    assert_eq!((hear(1_150, &idle), hear(9_000, alive)), (rests.to_vec(), Vec::new()));

    // A second time that doesn't come isn't waited for.
    assert_eq!((hear(1_000, &error), hear(1_001, &idle)), (vec![Said::Interrupted], Vec::new()));
    assert_eq!((hear(6_001, alive), hear(16_000, alive)), (rests.to_vec(), Vec::new()));

    // It failed before it called its model, and says it once.
    connection.execute("DELETE FROM message WHERE id = 'msg_7'", []).expect("a row");
    hear(1_000, &error);
    assert_eq!(hear(1_001, &idle), [Said::Level(Level::Idle)]);
}

#[test]
fn a_turn_that_was_begun_while_nothing_was_heard_is_told_after_the_one_before() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let mut known = Known { prompt: Some(PromptId::new("msg_4")), ..Known::default() };
    let said = heard_after(&env, Some(OWN), "/session/status", "{}", &mut known);
    let [failed, (_, Said::PromptTaken { prompt, .. }), interrupted, idle] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!(*failed, own(Said::Failed { error: "no such model".into() }));
    assert_eq!((prompt, &known.prompt), (&Some(PromptId::new("msg_6")), &Some(PromptId::new("msg_6"))));
    assert_eq!((interrupted, idle), (&own(Said::Interrupted), &own(Said::Level(Level::Idle))));
}

#[test]
fn a_subagent_that_asks_waits_for_the_same_user() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let asked =
        format!(r#"{{"id":"per_1","sessionID":"{SUBAGENT}","permission":"bash","patterns":["touch made"]}}"#);
    let waits = [own(Said::Level(Level::Waiting(Wait::Permission("run `touch made`".into()))))];
    assert_eq!(event(&env, Some(OWN), "permission.asked", &asked), waits);
    let replied = format!(r#"{{"sessionID":"{SUBAGENT}","requestID":"per_1","reply":"once"}}"#);
    assert_eq!(event(&env, Some(OWN), "permission.replied", &replied), [own(Said::Level(Level::Busy))]);
    assert_eq!(event(&env, Some(OTHER), "permission.replied", &replied), []);
    let question = format!(
        r#"{{"id":"que_1","sessionID":"{OWN}","questions":[{{"question":"Which port?","options":[]}}]}}"#
    );
    let choice = own(Said::Level(Level::Waiting(Wait::Choice("Which port?".into()))));
    assert_eq!(event(&env, Some(OWN), "question.asked", &question), [choice]);

    // The same, for one who begins to listen while it waits.
    assert_eq!(heard(&env, Some(OWN), "/permission", &format!("[{asked}]")), waits);
    assert_eq!(heard(&env, Some(OTHER), "/permission", &format!("[{asked}]")), []);
}

#[test]
fn one_that_is_decided_leaves_what_else_is_waited_for() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let mut known = Known { prompt: Some(PromptId::new("msg_6")), ..Known::default() };
    let asks = |id: &str, what: &str| {
        format!(
            r#"{{"id":"{id}","sessionID":"{OWN}","permission":"bash","patterns":["{what}"],"metadata":{{}}}}"#
        )
    };
    let wait = |what: &str| own(Said::Level(Level::Waiting(Wait::Permission(format!("run `{what}`")))));
    let mut hear = |kind: &str, properties: &str| {
        let body = format!(r#"{{"type":"{kind}","properties":{properties}}}"#);
        heard_after(&env, Some(OWN), "/event", &body, &mut known)
    };
    let replied = |id: &str| format!(r#"{{"sessionID":"{OWN}","requestID":"{id}","reply":"once"}}"#);
    let busy = own(Said::Level(Level::Busy));
    hear("permission.asked", &asks("per_1", "touch one"));
    hear("permission.asked", &asks("per_2", "touch two"));
    assert_eq!(hear("permission.replied", &replied("per_1")), [wait("touch two")]);
    assert_eq!(hear("permission.replied", &replied("per_2")), std::slice::from_ref(&busy));

    // Whoever begins to listen anew knows of no others than those that stand now.
    hear("permission.asked", &asks("per_3", "touch three"));
    let busy_now = format!(r#"{{"{OWN}":{{"type":"busy"}}}}"#);
    assert_eq!(heard_after(&env, Some(OWN), "/session/status", &busy_now, &mut known), [busy]);
}

#[test]
fn who_begins_to_listen_hears_how_it_stands() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let stands = |own, body: &str| heard(&env, own, "/session/status", body);
    let busy = format!(r#"{{"{OWN}":{{"type":"busy"}}}}"#);
    assert_eq!(stands(Some(OWN), &busy).last(), Some(&own(Said::Level(Level::Busy))));
    assert_eq!(stands(Some(OWN), "{}").last(), Some(&own(Said::Level(Level::Idle))));
    assert_eq!(stands(None, "{}"), [(String::new(), Said::Level(Level::Idle))]);
    // It was given its first prompt while nothing was heard.
    let begun = stands(None, &format!(r#"{{"{SUBAGENT}":{{"type":"busy"}},"{OWN}":{{"type":"busy"}}}}"#));
    let [(_, Said::Started { source: Source::New, .. }), (_, Said::PromptTaken { .. }), last] =
        begun.as_slice()
    else {
        panic!("{begun:?}")
    };
    assert_eq!(*last, own(Said::Level(Level::Busy)));
}

/// Events of its own, as it sends them.
const EVENTS: [&str; 3] = [
    r#"{"id":"evt_1","type":"session.status","properties":{"sessionID":"ses_own","status":{"type":"busy"}}}"#,
    r#"{"id":"evt_1","type":"session.error","properties":{"sessionID":"ses_own","error":{"name":"APIError","data":{"message":"no"}}}}"#,
    r#"{"id":"evt_1","type":"permission.asked","properties":{"id":"per_1","sessionID":"ses_own","permission":"bash","patterns":["touch x"],"metadata":{"command":"touch x"},"always":[]}}"#,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn harmed_events_are_read_or_left_alone(
        event in prop::sample::select(&EVENTS[..]),
        harms in prop::collection::vec(harm(), 1..6),
    ) {
        let temp = tempfile::tempdir().expect("a temp folder");
        let (env, _path, _connection) = kept(temp.path());
        let conversation = ConversationId::new(OWN);
        let body = harmed(event.replace("ses_own", OWN).as_bytes(), &harms);
        let news = News { env: &env, conversation: Some(&conversation), since: SINCE, at: Wall(1), from: "/event", body: &body };
        let _heard = OpenCode.heard(&news, &mut Known::default());
    }
}
