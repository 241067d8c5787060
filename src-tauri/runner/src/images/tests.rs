use std::fs;
use std::os::unix::fs::PermissionsExt;

use repose_core::trouble::Code;

use super::{IMAGE_MAX, IMAGES_KEPT, forget, keep, kept};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand so on";

#[test]
fn a_picture_is_kept_for_its_user_alone_and_named_by_what_it_is() {
    let temp = tempfile::tempdir().expect("temp");
    let folder = temp.path().join("images/r1");
    let kinds: [(&[u8], &str); 4] =
        [(PNG, "png"), (b"\xff\xd8\xff\xe0", "jpg"), (b"GIF89a", "gif"), (b"RIFF\x01\0\0\0WEBPVP8 ", "webp")];
    for (bytes, end) in kinds {
        let path = keep(&folder, bytes).expect("kept");
        assert_eq!(path.extension().and_then(|end| end.to_str()), Some(end));
        assert_eq!(fs::read(&path).expect("there"), bytes);
        assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::metadata(&folder).expect("there").permissions().mode() & 0o777, 0o700);
    forget(&folder);
    assert!(!folder.exists());
    forget(&folder);
}

#[test]
fn what_was_kept_can_be_had_by_its_name_and_nothing_else_can() {
    let temp = tempfile::tempdir().expect("temp");
    let folder = temp.path().join("r1");
    let path = keep(&folder, PNG).expect("kept");
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    assert_eq!(kept(&folder, name), Some((PNG.to_vec(), "image/png")));
    let other = folder.join(name.replace(".png", ".txt"));
    fs::write(&other, "no picture").expect("written");
    fs::write(temp.path().join("secret.png"), PNG).expect("written");
    let none = ["", ".", "..", "../secret.png", "secret.png", &name.replace(".png", ".txt"), &name[1..]];
    for name in none {
        assert_eq!(kept(&folder, name), None, "{name}");
    }
    let long = format!("{}.x/../../secret.png", &name[..32]);
    assert_eq!(kept(&folder, &long), None);
}

#[test]
fn what_only_says_that_it_is_a_picture_is_refused() {
    let temp = tempfile::tempdir().expect("temp");
    let large = [PNG, &vec![0; IMAGE_MAX]].concat();
    let svg: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    for bytes in [&b""[..], b"\x89PNG", b"#!/bin/sh\n", svg, b"RIFF\x01\0\0\0WAVE", &large] {
        assert_eq!(keep(temp.path(), bytes).expect_err("refused").code, Code::UnfitImage);
    }
    assert_eq!(fs::read_dir(temp.path()).expect("there").count(), 0);
}

#[test]
fn the_oldest_goes_when_there_are_many() {
    let temp = tempfile::tempdir().expect("temp");
    let first = keep(temp.path(), PNG).expect("kept");
    for _ in 0..IMAGES_KEPT {
        keep(temp.path(), PNG).expect("kept");
    }
    assert!(!first.exists());
    assert_eq!(fs::read_dir(temp.path()).expect("there").count(), IMAGES_KEPT);
}
