use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{folder, is_on, set};

#[test]
fn it_is_off_until_it_is_set_and_off_again_after() {
    let home = tempfile::tempdir().expect("a temp folder");
    let folder = home.path().join("autostart");
    assert!(!is_on(&folder));
    set(&folder, Path::new("/opt/re pose/repose-desktop"), true).expect("a writable folder");
    assert!(is_on(&folder));
    let entry = fs::read_to_string(folder.join("repose.desktop")).expect("an entry");
    assert!(entry.contains("\nExec=\"/opt/re pose/repose-desktop\" --hidden\n"), "{entry}");
    fs::write(folder.join("repose.desktop"), format!("{entry}X-GNOME-Autostart-enabled=false\n"))
        .expect("a file");
    assert!(!is_on(&folder), "the desktop's own settings switched it off");
    set(&folder, Path::new("/opt/repose-desktop"), true).expect("a writable folder");
    assert!(is_on(&folder));
    set(&folder, Path::new("/opt/repose-desktop"), false).expect("a writable folder");
    assert!(!is_on(&folder));
    set(&folder, Path::new("/opt/repose-desktop"), false).expect("nothing to do");
}

#[test]
fn a_program_of_any_name_is_one_word() {
    assert_eq!(super::quoted(r#"/a b/"c"/$d/%e"#), r#""/a b/\\"c\\"/\\$d/%%e""#);
}

#[test]
fn the_folder_is_the_desktops() {
    let with = |xdg: Option<&str>, home: Option<&str>| {
        let (xdg, home) = (xdg.map(OsString::from), home.map(OsString::from));
        folder(|name| if name == "HOME" { home.clone() } else { xdg.clone() })
    };
    assert_eq!(with(Some("/x"), Some("/h")), Some(PathBuf::from("/x/autostart")));
    assert_eq!(with(None, Some("/h")), Some(PathBuf::from("/h/.config/autostart")));
    assert_eq!(with(Some("relative"), Some("/h")), Some(PathBuf::from("/h/.config/autostart")));
    assert_eq!(with(None, None), None);
}
