//! Seeing the file change.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use super::{InForce, Loaded, Settings};

/// The file and its folder are looked at this often, for what a watch doesn't see: a folder that is made or
/// replaced, a file system without news. One look costs two system calls.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(5);

/// Editors write a file in several steps: after the first change it is left alone for this long.
const SETTLES: Duration = Duration::from_millis(50);

/// The settings of this file, now and whenever it changes. Lasts as long as a receiver does.
pub(crate) fn watch(path: &Path) -> watch::Receiver<Loaded> {
    let first = match Settings::load(path) {
        Ok(settings) => good(settings),
        Err(error) => {
            let in_force = InForce::Defaults;
            Loaded { settings: Arc::default(), trouble: Some(error.trouble(in_force)), in_force }
        }
    };
    let (loaded, receiver) = watch::channel(first);
    tokio::spawn(follow(path.to_owned(), loaded));
    receiver
}

async fn follow(path: PathBuf, loaded: watch::Sender<Loaded>) {
    let (changed, mut changes) = mpsc::unbounded_channel();
    let mut watched = Watched::default();
    let mut seen = None;
    loop {
        let (file, before) = (path.clone(), loaded.borrow().clone());
        watched.renew(&path, &changed);
        // What changed before the watch stood is read now.
        let looked = tokio::task::spawn_blocking(move || look(&file, seen, before)).await;
        if let Ok((stamp, now)) = looked {
            seen = Some(stamp);
            loaded.send_if_modified(|loaded| {
                let Some(now) = now else { return false };
                let differs = now.trouble != loaded.trouble || now.settings != loaded.settings;
                *loaded = now;
                differs
            });
        }
        tokio::select! {
            () = loaded.closed() => return,
            _ = changes.recv() => tokio::time::sleep(SETTLES).await,
            () = tokio::time::sleep(LOOKED_AT_EVERY) => {}
        }
        while changes.try_recv().is_ok() {}
    }
}

/// What tells one content of the file from another without reading it. `None`: there is no file.
type Stamp = Option<(u64, u64, SystemTime)>;

/// The file, if it isn't as it was seen last.
fn look(path: &Path, seen: Option<Stamp>, before: Loaded) -> (Stamp, Option<Loaded>) {
    let stamp =
        fs::metadata(path).ok().and_then(|meta| Some((meta.ino(), meta.len(), meta.modified().ok()?)));
    // A file system with coarse times can hide a second change in the same moment.
    let fresh = stamp.is_some_and(|(.., at)| at.elapsed().is_ok_and(|age| age < 2 * LOOKED_AT_EVERY));
    let known = seen == Some(stamp) && !fresh;
    (stamp, (!known).then(|| reload(path, before)))
}

/// The folders that are watched: that of the file, because a file that is replaced takes a watch on itself
/// away; and that of the file which a link leads to.
#[derive(Default)]
struct Watched {
    folders: Vec<(u64, u64)>,
    watcher: Option<RecommendedWatcher>,
}

impl Watched {
    /// Watches the folders as they are now. One that isn't there yet, or was replaced by another, is found at
    /// the next look.
    fn renew(&mut self, path: &Path, changed: &mpsc::UnboundedSender<()>) {
        let real = super::behind_links(path);
        let wanted: Vec<&Path> = [path, &real].iter().filter_map(|path| path.parent()).collect();
        let id = |folder: &&Path| fs::metadata(folder).ok().map(|meta| (meta.dev(), meta.ino()));
        let there: Vec<(u64, u64)> = wanted.iter().filter_map(id).collect();
        if there == self.folders {
            return;
        }
        self.folders = there;
        self.watcher = match watcher(path, &real, &wanted, changed.clone()) {
            Ok(watcher) => Some(watcher),
            Err(error) => {
                let every = LOOKED_AT_EVERY.as_secs();
                tracing::warn!(%error, "the settings are not watched; they are looked at every {every} s");
                None
            }
        };
    }
}

fn watcher(
    path: &Path,
    real: &Path,
    folders: &[&Path],
    changed: mpsc::UnboundedSender<()>,
) -> notify::Result<RecommendedWatcher> {
    let names = [path, real].map(|path| path.file_name().map(OsStr::to_owned));
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let ours = |event: &notify::Event| {
            event.need_rescan()
                || event.paths.iter().any(|path| names.contains(&path.file_name().map(OsStr::to_owned)))
        };
        // Reading the file is an event too, and none that matters.
        if event.is_ok_and(|event| !event.kind.is_access() && ours(&event)) {
            // Nobody follows it any more.
            let _ = changed.send(());
        }
    })?;
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

fn good(settings: Settings) -> Loaded {
    Loaded { settings: Arc::new(settings), trouble: None, in_force: InForce::LastGood }
}

fn reload(path: &Path, before: Loaded) -> Loaded {
    match Settings::load(path) {
        Ok(settings) => good(settings),
        Err(error) => {
            tracing::warn!(%error, "the settings can't be taken");
            Loaded { trouble: Some(error.trouble(before.in_force)), ..before }
        }
    }
}
