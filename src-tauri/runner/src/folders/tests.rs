use std::fs;
use std::path::{Path, PathBuf};

use super::{complete, expanded};

#[test]
fn a_path_is_taken_as_it_is_typed() {
    let home = Some(Path::new("/home/u"));
    let cases = [
        ("/code/x", Some("/code/x")),
        (" /code/x \n", Some("/code/x")),
        ("~", Some("/home/u")),
        ("~/code", Some("/home/u/code")),
        ("~other/code", None),
        ("code/x", None),
        ("", None),
    ];
    for (typed, path) in cases {
        assert_eq!(expanded(typed, home), path.map(PathBuf::from), "{typed:?}");
    }
    assert_eq!(expanded("~/code", None), None);
}

#[test]
fn folders_that_begin_so_are_completed_and_nothing_else_is() {
    let temp = tempfile::tempdir().expect("temp");
    for folder in ["Code", "codes", "other", ".config"] {
        fs::create_dir(temp.path().join(folder)).expect("made");
    }
    fs::write(temp.path().join("code.txt"), "").expect("written");
    let root = temp.path().to_str().expect("UTF-8");
    let found = |typed: &str| complete(typed, Some(temp.path()));
    assert_eq!(found(&format!("{root}/co")), [format!("{root}/Code"), format!("{root}/codes")]);
    assert_eq!(found("~/co"), ["~/Code", "~/codes"]);
    assert_eq!(found("~/"), ["~/Code", "~/codes", "~/other"]);
    assert_eq!(found("~/.c"), ["~/.config"]);
    assert_eq!(found("~/none/x"), Vec::<String>::new());
    assert_eq!(found("relative/x"), Vec::<String>::new());
}

#[test]
fn completions_are_bounded() {
    let temp = tempfile::tempdir().expect("temp");
    for number in 0..super::MATCHES_MAX + 5 {
        fs::create_dir(temp.path().join(format!("repo{number}"))).expect("made");
    }
    assert_eq!(complete("~/repo", Some(temp.path())).len(), super::MATCHES_MAX);
}
