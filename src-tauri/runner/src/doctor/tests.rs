use std::fs;

use super::{Health, look_at_folders};
use crate::home::Home;

#[test]
fn a_file_in_the_place_of_the_folder_is_what_is_wrong() {
    let temp = tempfile::tempdir().expect("temp");
    let file = temp.path().join("home");
    assert_eq!(look_at_folders(&Home::under(file.clone())), None, "one that isn't there is made");
    assert_eq!(look_at_folders(&Home::under(temp.path().to_owned())), None);
    fs::write(&file, "").expect("written");
    for home in [file.clone(), file.join("deeper")] {
        let wrong = look_at_folders(&Home::under(home)).expect("no folder can be there");
        assert_eq!((wrong.name.as_str(), wrong.health), ("folders", Health::Error));
        assert!(wrong.sentence.starts_with(&format!("{} is no folder", file.display())), "{wrong:?}");
    }
}
