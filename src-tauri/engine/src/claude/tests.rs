//! Files of the real program, damaged at random: whatever they contain, reading ends, and damage affects only
//! what it hit.

use std::fs;

use proptest::prelude::*;
use repose_core::ids::ConversationId;
use repose_core::time::Wall;

use super::fixture;
use crate::Engine;
use crate::claude::Claude;
use crate::harm::{harm, harmed};
use crate::transcript::{Answer, Asked, Place};

const HOOKS: [&str; 8] = [
    "hooks/prompt.json",
    "hooks/stop.json",
    "hooks/stop-background.json",
    "hooks/stop-failure.json",
    "hooks/permission-question.json",
    "hooks/permission-bash.json",
    "hooks/start-resume.json",
    "hooks/notification.json",
];

const LEVELS: [&str; 4] =
    ["status/busy.json", "status/shell.json", "status/waiting-question.json", "status/2.1.197-idle.json"];

const TRANSCRIPTS: [&str; 4] =
    ["2.1.197", "denied-and-background", "interrupted-failed-commands", "question-and-queued"];

fn claude() -> Claude {
    Claude
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn harmed_hook_payloads_and_levels_are_read_or_refused(
        hook in prop::sample::select(&HOOKS[..]),
        level in prop::sample::select(&LEVELS[..]),
        harms in prop::collection::vec(harm(), 1..6),
    ) {
        let _read = claude().signal(&harmed(&fixture::bytes(hook), &harms), Wall(1));
        let _read = claude().level(&harmed(&fixture::bytes(level), &harms));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_harmed_transcript_is_read_as_far_as_it_is_good(
        name in prop::sample::select(&TRANSCRIPTS[..]),
        harms in prop::collection::vec(harm(), 1..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let seed = fixture::bytes(&format!("transcripts/{name}.jsonl"));
        let mut bytes = harmed(&seed, &harms);
        fs::write(&path, &bytes).unwrap();
        let place = Place { path: &path, id: &ConversationId::new("c") };
        claude().tail(place).unwrap();
        let page = claude().entries(place, None, 50).unwrap();
        prop_assert!(page.entries.len() <= 500);
        // What is intact is understood, whatever precedes it.
        let new = concat!(
            "{\"type\":\"user\",\"promptId\":\"p-new\",\"uuid\":\"u-new\",\"isSidechain\":false,",
            "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":\"a new prompt\"}}\n",
            "{\"type\":\"assistant\",\"uuid\":\"v-new\",\"parentUuid\":\"u-new\",\"isSidechain\":false,",
            "\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"message\":{\"id\":\"m-new\",\"role\":\"assistant\",",
            "\"model\":\"m\",\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"its answer\"}]}}\n",
        );
        bytes.push(b'\n');
        bytes.extend_from_slice(new.as_bytes());
        fs::write(&path, &bytes).unwrap();
        let answer = claude().answer_to(place, Asked::Text("a new prompt")).unwrap();
        prop_assert_eq!(answer, Answer::Answered("its answer".into()));
        prop_assert!(claude().tail(place).unwrap().whole);
    }
}
