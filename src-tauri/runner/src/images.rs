//! Pictures that are added to a prompt, stored as files that an engine can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_sys::private::{create_private_dir, write_private};

/// The most bytes of a picture. A screenshot of a large screen has a third of that, and models take no larger
/// ones.
pub const IMAGE_MAX: usize = 10 * 1024 * 1024;

/// The most pictures to keep for a repo; the oldest is deleted. An engine reads a picture when it is asked
/// about it.
const IMAGES_KEPT: usize = 200;

/// The most bytes of pictures to keep for a repo; the oldest picture is deleted.
const BYTES_KEPT: u64 = 256 * 1024 * 1024;

/// Held while a picture is stored.
static KEEPING: Mutex<()> = Mutex::new(());

/// The first bytes of each kind of picture, with the extension of its file name.
const KINDS: [(&[u8], &str); 4] =
    [(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF87a", "gif"), (b"GIF89a", "gif")];

/// The media type of each extension.
const MEDIA: [(&str, &str); 4] =
    [("png", "image/png"), ("jpg", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp")];

/// The number of digits in a name, which sorts by time.
const NAME_LEN: usize = 32;

/// Stores a picture in this folder. Blocks.
pub(crate) fn keep(folder: &Path, bytes: &[u8]) -> Result<PathBuf, Trouble> {
    let end = kind(bytes).ok_or_else(no_picture)?;
    if bytes.len() > IMAGE_MAX {
        return Err(too_large());
    }
    // Two at once would delete the same files to make room.
    let _one = KEEPING.lock().unwrap_or_else(PoisonError::into_inner);
    create_private_dir(folder).map_err(|error| not_kept(&error.to_string()))?;
    make_room(folder, bytes.len() as u64).map_err(|error| not_kept(&error.to_string()))?;
    let path = folder.join(format!("{}.{end}", uuid::Uuid::now_v7().simple()));
    write_private(&path, bytes).map_err(|error| not_kept(&error.to_string()))?;
    Ok(path)
}

/// A picture that was stored in this folder, with its media type. `None`: there is none of that name any
/// more. Blocks.
pub(crate) fn kept(folder: &Path, name: &str) -> Option<(Vec<u8>, &'static str)> {
    // Only a name as given by `keep`, which can't lead elsewhere.
    let (stem, _) = name.split_once('.')?;
    let ours = stem.len() == NAME_LEN && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !ours || name.contains(['/', '\\']) {
        return None;
    }
    let bytes = fs::read(folder.join(name)).ok()?;
    let end = kind(&bytes)?;
    let media = MEDIA.iter().find(|(known, _)| *known == end)?.1;
    Some((bytes, media))
}

/// Removes the pictures of a repo.
pub(crate) fn forget(folder: &Path) {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(folder = %folder.display(), %error, "pictures were not removed");
        }
        Ok(()) | Err(_) => {}
    }
}

fn kind(bytes: &[u8]) -> Option<&'static str> {
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let known = KINDS.iter().find(|(first, _)| bytes.starts_with(first)).map(|(_, end)| *end);
    known.or(webp.then_some("webp"))
}

fn make_room(folder: &Path, more: u64) -> io::Result<()> {
    let mut kept: Vec<(PathBuf, u64)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // A picture that is being written has another name until it is complete.
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            kept.push((entry.path(), entry.metadata()?.len()));
        }
    }
    kept.sort();
    let mut bytes = more + kept.iter().map(|(_, bytes)| bytes).sum::<u64>();
    let mut left = kept.len();
    for (path, size) in kept {
        if left < IMAGES_KEPT && bytes <= BYTES_KEPT {
            break;
        }
        fs::remove_file(path)?;
        left -= 1;
        bytes -= size;
    }
    Ok(())
}

fn no_picture() -> Trouble {
    Trouble::new(
        Code::UnfitImage,
        "This is no picture that can be kept: its first bytes aren't those of a PNG, JPEG, GIF or WebP. Nothing was kept.",
        ["Save it as one of those, and paste that."],
    )
}

fn too_large() -> Trouble {
    Trouble::new(
        Code::UnfitImage,
        format!("This picture has more than {}. It was not kept.", words::bytes(IMAGE_MAX as u64)),
        ["Make it smaller.", "Or put it into the repo, and ask about the file."],
    )
}

fn not_kept(why: &str) -> Trouble {
    Trouble::new(
        Code::StoreFailed,
        format!("The picture was not kept: {why}."),
        ["Check the state folder: `repose doctor`."],
    )
}

#[cfg(test)]
mod tests;
