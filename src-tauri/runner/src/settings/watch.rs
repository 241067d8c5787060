//! Seeing the file change.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::{RecursiveMode, Watcher};
use tokio::sync::{mpsc, watch};

use super::{Loaded, Settings};

/// Without a watch the file is read this often.
const LOOKED_AT_EVERY: Duration = Duration::from_secs(5);

/// Editors write a file in several steps: after the first change it is left alone for this long.
const SETTLES: Duration = Duration::from_millis(50);

/// The settings of this file, now and whenever it changes. Lasts as long as a receiver does.
pub(crate) fn watch(path: &Path) -> watch::Receiver<Loaded> {
    let first = match Settings::load(path) {
        Ok(settings) => Loaded { settings: Arc::new(settings), trouble: None },
        Err(error) => Loaded { settings: Arc::default(), trouble: Some(error.trouble()) },
    };
    let (loaded, receiver) = watch::channel(first);
    tokio::spawn(follow(path.to_owned(), loaded));
    receiver
}

async fn follow(path: std::path::PathBuf, loaded: watch::Sender<Loaded>) {
    let (changed, mut changes) = mpsc::unbounded_channel();
    let name = path.file_name().map(std::ffi::OsStr::to_owned);
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let ours = |event: &notify::Event| {
            event.need_rescan() || event.paths.iter().any(|path| path.file_name() == name.as_deref())
        };
        // Reading the file is an event too, and none that matters.
        if event.is_ok_and(|event| !event.kind.is_access() && ours(&event)) {
            let _ = changed.send(());
        }
    });
    // The folder, because a file that is replaced takes a watch on itself away.
    let watching = watcher.and_then(|mut watcher| {
        let folder = path.parent().unwrap_or(Path::new("/"));
        watcher.watch(folder, RecursiveMode::NonRecursive)?;
        Ok(watcher)
    });
    if let Err(error) = &watching {
        tracing::warn!(%error, "the settings are not watched; they are read every {} s", LOOKED_AT_EVERY.as_secs());
    }
    loop {
        tokio::select! {
            () = loaded.closed() => return,
            _ = changes.recv(), if watching.is_ok() => tokio::time::sleep(SETTLES).await,
            () = tokio::time::sleep(LOOKED_AT_EVERY), if watching.is_err() => {}
        }
        while changes.try_recv().is_ok() {}
        let (path, before) = (path.clone(), loaded.borrow().clone());
        let Ok(now) = tokio::task::spawn_blocking(move || reload(&path, before)).await else { continue };
        loaded.send_if_modified(|loaded| {
            let differs = now.trouble != loaded.trouble || now.settings != loaded.settings;
            *loaded = now;
            differs
        });
    }
}

fn reload(path: &Path, before: Loaded) -> Loaded {
    match Settings::load(path) {
        Ok(settings) => Loaded { settings: Arc::new(settings), trouble: None },
        Err(error) => {
            tracing::warn!(%error, "the settings can't be taken");
            Loaded { settings: before.settings, trouble: Some(error.trouble()) }
        }
    }
}
