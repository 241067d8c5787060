use repose_core::ids::{ConversationId, PromptId};
use repose_core::signal::{Level, Said, Signal, Source, Wait};
use repose_core::time::Wall;

use super::{OWN, OpenCode, SUBAGENT, kept};
use crate::feed::News;
use crate::{Engine, Env};

const OTHER: &str = "ses_other";

fn heard(env: &Env, own: Option<&str>, from: &str, body: &str) -> Vec<(String, Said)> {
    let own = own.map(ConversationId::new);
    let news =
        News { env, conversation: own.as_ref(), prompt: None, at: Wall(7), from, body: body.as_bytes() };
    let named =
        |signal: Signal| (signal.conversation.map(|id| id.to_string()).unwrap_or_default(), signal.said);
    OpenCode.heard(&news).into_iter().map(named).collect()
}

fn event(env: &Env, own: Option<&str>, kind: &str, properties: &str) -> Vec<(String, Said)> {
    heard(env, own, "/event", &format!(r#"{{"id":"evt_1","type":"{kind}","properties":{properties}}}"#))
}

fn status(env: &Env, own: Option<&str>, session: &str, word: &str) -> Vec<(String, Said)> {
    let properties = format!(r#"{{"sessionID":"{session}","status":{{"type":"{word}"}}}}"#);
    event(env, own, "session.status", &properties)
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
    let works = |session: &str| [(session.to_owned(), Said::Level(Level::Busy))];
    assert_eq!(status(&env, Some(OWN), SUBAGENT, "busy"), works(SUBAGENT));
    assert_eq!(status(&env, Some(OWN), "ses_unknown", "busy"), works("ses_unknown"));

    // It says so again in each step of a turn.
    let (own, prompt) = (ConversationId::new(OWN), PromptId::new("msg_6"));
    let body = format!(
        r#"{{"type":"session.status","properties":{{"sessionID":"{OWN}","status":{{"type":"retry"}}}}}}"#
    );
    let (conversation, prompt, at) = (Some(&own), Some(&prompt), Wall(7));
    let news = News { env: &env, conversation, prompt, at, from: "/event", body: body.as_bytes() };
    let said: Vec<Said> = OpenCode.heard(&news).into_iter().map(|signal| signal.said).collect();
    assert_eq!(said, [Said::Level(Level::Busy)]);

    let part = format!(r#"{{"sessionID":"{OWN}","part":{{"type":"text","text":"wait"}},"time":1}}"#);
    let said = event(&env, Some(OWN), "message.part.updated", &part);
    assert_eq!(said, [(OWN.to_owned(), Said::ToolUsed)], "a sign of life, also where one is copied");
}

#[test]
fn one_that_comes_to_rest_says_how_its_turn_ended() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, connection) = kept(temp.path());
    let status = |session: &str, word: &str| status(&env, Some(OWN), session, word);
    let own = |said| (OWN.to_owned(), said);
    assert_eq!(status(OWN, "idle"), [own(Said::Interrupted), own(Said::Level(Level::Idle))]);
    assert_eq!(status(SUBAGENT, "idle"), [(SUBAGENT.to_owned(), Said::Level(Level::Idle))]);
    connection
        .execute("DELETE FROM message WHERE time_created > 29 AND session_id = ?1", [OWN])
        .expect("rows");
    let said = status(OWN, "idle");
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
fn a_subagent_that_asks_waits_for_the_same_user() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let own = |said| (OWN.to_owned(), said);
    let asked =
        format!(r#"{{"id":"per_1","sessionID":"{SUBAGENT}","permission":"bash","patterns":["touch made"]}}"#);
    let waits = [own(Said::NeedsDecision(Wait::Permission("run `touch made`".into())))];
    assert_eq!(event(&env, Some(OWN), "permission.asked", &asked), waits);
    let replied = format!(r#"{{"sessionID":"{SUBAGENT}","requestID":"per_1","reply":"once"}}"#);
    assert_eq!(event(&env, Some(OWN), "permission.replied", &replied), [own(Said::Level(Level::Busy))]);
    let question =
        format!(r#"{{"sessionID":"{OWN}","questions":[{{"question":"Which port?","options":[]}}]}}"#);
    let choice = own(Said::NeedsDecision(Wait::Choice("Which port?".into())));
    assert_eq!(event(&env, Some(OWN), "question.asked", &question), [choice]);

    // The same, for one who begins to listen while it waits.
    assert_eq!(heard(&env, Some(OWN), "/permission", &format!("[{asked}]")), waits);
    assert_eq!(heard(&env, Some(OTHER), "/permission", &format!("[{asked}]")), []);
}

#[test]
fn who_begins_to_listen_hears_how_it_stands() {
    let temp = tempfile::tempdir().expect("a temp folder");
    let (env, _path, _connection) = kept(temp.path());
    let stands = |own, body: &str| heard(&env, own, "/session/status", body);
    let busy = format!(r#"{{"{OWN}":{{"type":"busy"}}}}"#);
    assert_eq!(stands(Some(OWN), &busy).last(), Some(&(OWN.to_owned(), Said::Level(Level::Busy))));
    assert_eq!(stands(Some(OWN), "{}").last(), Some(&(OWN.to_owned(), Said::Level(Level::Idle))));
    assert_eq!(stands(None, "{}"), [(String::new(), Said::Level(Level::Idle))]);
}
