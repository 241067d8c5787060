//! Pictures that somebody puts into a prompt: kept as files that an engine can read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_sys::private::{create_private_dir, write_private};

/// The largest picture. A screenshot of a large screen is a third of it, and models take no larger ones.
pub const IMAGE_MAX: usize = 10 * 1024 * 1024;

/// So many pictures are kept for a repo. An engine reads one when it is asked about it; the oldest goes.
const IMAGES_KEPT: usize = 200;

/// And so many bytes of them.
const BYTES_KEPT: u64 = 256 * 1024 * 1024;

/// Held while one is kept.
static KEEPING: Mutex<()> = Mutex::new(());

/// What a picture's first bytes are, and how its file's name ends.
const KINDS: [(&[u8], &str); 4] =
    [(b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF87a", "gif"), (b"GIF89a", "gif")];

/// What browsers call each kind.
const MEDIA: [(&str, &str); 4] =
    [("png", "image/png"), ("jpg", "image/jpeg"), ("gif", "image/gif"), ("webp", "image/webp")];

/// The digits of a name, which sorts by time.
const NAME_LEN: usize = 32;

/// Keeps a picture in this folder. Blocks.
pub(crate) fn keep(folder: &Path, bytes: &[u8]) -> Result<PathBuf, Trouble> {
    let end = kind(bytes).ok_or_else(no_picture)?;
    if bytes.len() > IMAGE_MAX {
        return Err(too_large());
    }
    // Two that make room side by side would remove the same files.
    let _one = KEEPING.lock().unwrap_or_else(PoisonError::into_inner);
    create_private_dir(folder).map_err(|error| not_kept(&error.to_string()))?;
    make_room(folder, bytes.len() as u64).map_err(|error| not_kept(&error.to_string()))?;
    let path = folder.join(format!("{}.{end}", uuid::Uuid::now_v7().simple()));
    write_private(&path, bytes).map_err(|error| not_kept(&error.to_string()))?;
    Ok(path)
}

/// A picture that was kept in this folder, and what it is (`image/png`). `None`: there is none of that name,
/// or no more. Blocks.
pub(crate) fn kept(folder: &Path, name: &str) -> Option<(Vec<u8>, &'static str)> {
    // As `keep` names them: nothing that leads anywhere else.
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

/// Removes what was kept for a repo.
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
        // One that is being written beside this has another name until it is whole.
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
