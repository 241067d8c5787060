use super::{LevelBy, built_in, find};
use crate::ask::UnfitText;
use crate::told::Login;

#[test]
fn every_engine_is_found_by_its_own_name_and_by_no_other() {
    for engine in built_in() {
        let all = built_in();
        let same: Vec<_> = all.iter().filter(|other| other.name() == engine.name()).collect();
        assert_eq!(same.len(), 1, "{}", engine.name());
        assert_eq!(
            find(engine.name()).map(|found| found.title().to_owned()),
            Some(engine.title().to_owned())
        );
    }
    assert!(find("no-such-engine").is_none());
}

#[test]
fn what_an_engine_says_of_itself_holds_together() {
    for engine in built_in() {
        let described = engine.described();
        assert_eq!(described.name.as_str(), engine.name());
        assert_eq!(described.keeps_conversations, engine.keeps_conversations());
        // A conversation that can be pinned is one that is kept.
        assert!(engine.new_conversation().is_none() || engine.keeps_conversations());
        let levels = engine.level_file(&crate::Env::new([("HOME", "/home/me")]), 1).is_some();
        assert_eq!(levels, engine.speaks().level == LevelBy::File);
        assert!(!engine.interrupt().is_empty() && !engine.end_within().is_zero());
    }
}

#[test]
fn no_engine_is_sent_what_a_terminal_takes_for_keys() {
    for engine in built_in() {
        assert!(matches!(engine.keys("x\u{1b}[201~\r"), Err(UnfitText::Control { .. })), "{}", engine.name());
        assert_eq!(engine.keys(" \n"), Err(UnfitText::Empty));
        let keys = engine.keys("a\r\nb").expect("fits");
        assert_eq!((keys.paste, keys.submit), (b"\x1b[200~a\nb\x1b[201~".to_vec(), b"\r".to_vec()));
    }
}

#[test]
fn whether_an_engine_is_logged_in_is_told_as_far_as_its_files_and_the_environment_say() {
    const OPENCODE: &str = ".local/share/opencode/auth.json";
    let known = |yes| Login::Known(yes);
    let by_files = [
        ("codex", "", "", known(false)),
        ("codex", ".codex/auth.json", "{}", known(true)),
        ("codex", ".codex/config.toml", "model_provider = \"mine\"\n", Login::Unknown),
        ("codex", ".codex/config.toml", "model = \"o\"\n", known(false)),
        ("gemini", "", "", known(false)),
        ("gemini", ".gemini/oauth_creds.json", "{}", known(true)),
        ("gemini", ".gemini/.env", "GEMINI_API_KEY=x\n", Login::Unknown),
        (
            "gemini",
            ".gemini/settings.json",
            r#"{"security":{"auth":{"selectedType":"vertex-ai"}}}"#,
            Login::Unknown,
        ),
        ("opencode", "", "", Login::Unknown),
        ("opencode", OPENCODE, "{}", Login::Unknown),
        ("opencode", OPENCODE, r#"{"anthropic":{"type":"api","key":"x"}}"#, known(true)),
        ("opencode", OPENCODE, "not JSON", Login::Unknown),
    ];
    for (name, file, content, login) in by_files {
        let home = tempfile::tempdir().expect("a temp folder");
        if !file.is_empty() {
            let path = home.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("our folder");
            std::fs::write(path, content).expect("our folder");
        }
        let env = crate::Env::new([("HOME", home.path())]);
        assert_eq!(find(name).expect("built in").login(&env), login, "{name} with {file}: {content}");
    }
    for (name, key) in [("codex", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY")] {
        let env = crate::Env::new([("HOME", "/nowhere"), (key, "x")]);
        assert_eq!(find(name).expect("built in").login(&env), known(true), "{name} with {key}");
    }
}
