use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{folder, is_on, program, quoted, set, started, state};

#[test]
fn it_is_off_until_it_is_set_and_off_again_after() {
    let home = tempfile::tempdir().expect("a temp folder");
    let folder = home.path().join("autostart");
    assert!(!is_on(&folder));
    let program = home.path().join("re pose-desktop");
    fs::write(&program, "").expect("a writable folder");
    set(&folder, &program, None, true).expect("a writable folder");
    assert!(is_on(&folder));
    let entry = fs::read_to_string(folder.join("repose.desktop")).expect("an entry");
    assert!(entry.contains(&format!("\nExec=\"{}\" --hidden\n", program.display())), "{entry}");
    fs::write(folder.join("repose.desktop"), format!("{entry}X-GNOME-Autostart-enabled=false\n"))
        .expect("a file");
    assert!(!is_on(&folder), "the desktop's own settings switched it off");
    set(&folder, &program, None, true).expect("a writable folder");
    assert!(is_on(&folder));
    fs::remove_file(&program).expect("our own file");
    assert!(!is_on(&folder), "a login starts nothing: the program is gone");
    set(&folder, Path::new("/opt/repose-desktop"), None, false).expect("a writable folder");
    assert!(!is_on(&folder));
    set(&folder, Path::new("/opt/repose-desktop"), None, false).expect("nothing to do");
}

#[test]
fn a_program_of_any_name_is_one_word() {
    let odd = r#"/a b/"c"/$d/%e\f"#;
    assert_eq!(quoted(odd), r#""/a b/\\"c\\"/\\$d/%%e\\\\f""#);
    assert_eq!(started(&format!("{} --hidden", quoted(odd))), odd, "and is read again");
    assert_eq!(started("repose-desktop --hidden"), "repose-desktop");
    assert_eq!(started(""), "");
}

#[test]
fn a_login_finds_the_state_where_somebody_has_put_it() {
    let home = tempfile::tempdir().expect("a temp folder");
    let folder = home.path().join("autostart");
    let (program, elsewhere) = (home.path().join("repose-desktop"), home.path().join("my state"));
    fs::write(&program, "").expect("a writable folder");
    set(&folder, &program, Some(&elsewhere), true).expect("a writable folder");
    let entry = fs::read_to_string(folder.join("repose.desktop")).expect("an entry");
    let exec =
        format!("\nExec=env \"REPOSE_HOME={}\" \"{}\" --hidden\n", elsewhere.display(), program.display());
    assert!(entry.contains(&exec), "{entry}");
    assert!(is_on(&folder));
    fs::remove_file(&program).expect("our own file");
    assert!(!is_on(&folder), "it is the program that is looked for, and not `env`");

    let with = |value: Option<&str>| state(|_| value.map(OsString::from));
    assert_eq!(with(Some("/s")), Some(PathBuf::from("/s")));
    assert_eq!((with(Some("")), with(None)), (None, None));
}

#[test]
fn a_login_starts_the_image_and_not_what_is_mounted_of_it() {
    let home = tempfile::tempdir().expect("a temp folder");
    let (image, own) = (home.path().join("Repose.AppImage"), Path::new("/tmp/.mount/usr/bin/repose-desktop"));
    let env = |name: &str| (name == "APPIMAGE").then(|| image.clone().into_os_string());
    assert_eq!(program(own, env), own, "there is no such file");
    fs::write(&image, "").expect("a writable folder");
    assert_eq!(program(own, env), image);
    assert_eq!(program(own, |_| None), own);
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
