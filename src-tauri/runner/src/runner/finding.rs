//! Which repo a person means.

use std::path::{Path, PathBuf};

use repose_core::ids::RepoId;
use repose_core::trouble::{Code, Trouble};

use super::Runner;
use crate::may_hang::LOOKS_WITHIN;
use crate::shown::Shown;

impl Runner {
    /// The repo that a person means: by id, by name, or by the whole path of its folder or of anything in it.
    /// Inside several repos it is the innermost, as with git. What isn't there is inside no repo: a mistyped
    /// path must not turn an order for one repo into an order for the one around it.
    ///
    /// # Errors
    /// If no repo or more than one matches.
    pub async fn find(&self, reference: &str) -> Result<RepoId, Trouble> {
        let repos = self.list();
        let path = Path::new(reference);
        let own = |repo: &&Shown| {
            repo.id.as_str() == reference
                || repo.name == reference
                || (path.is_absolute() && repo.path == path)
        };
        if let Some(repo) = repos.iter().find(own) {
            return Ok(repo.id.clone());
        }
        let Some(real) = real(path).await else { return Err(no_such_repo(reference)) };
        let innermost = repos.iter().filter(|repo| real.starts_with(&repo.path));
        if let Some(repo) = innermost.max_by_key(|repo| repo.path.components().count()) {
            return Ok(repo.id.clone());
        }
        // A repo's own path may have become a link since it was added.
        let around: Vec<_> =
            self.real_places(&repos).await.into_iter().filter(|(_, place)| real.starts_with(place)).collect();
        let depth = around.iter().map(|(_, place)| place.components().count()).max();
        let innermost = around.iter().filter(|(_, place)| Some(place.components().count()) == depth);
        match innermost.map(|(repo, _)| *repo).collect::<Vec<_>>().as_slice() {
            [] => Err(no_such_repo(reference)),
            [one] => Ok(one.id.clone()),
            several => Err(ambiguous(reference, several)),
        }
    }

    /// The repo whose folder this is, also if its path leads there through a link that was made since.
    pub(super) async fn at<'a>(&self, path: &Path, repos: &'a [Shown]) -> Option<&'a Shown> {
        let known = repos.iter().find(|repo| repo.path == path);
        if known.is_some() {
            return known;
        }
        self.real_places(repos).await.into_iter().find(|(_, place)| place == path).map(|(repo, _)| repo)
    }

    /// Where the paths of the repos lead now, without those that can't be told.
    async fn real_places<'a>(&self, repos: &'a [Shown]) -> Vec<(&'a Shown, PathBuf)> {
        let looks = repos.iter().enumerate().map(|(index, repo)| {
            let path = repo.path.clone();
            (repo.id.clone(), move || (index, std::fs::canonicalize(path).ok()))
        });
        let mut places = Vec::new();
        let tell = |_, seen: Option<(usize, Option<PathBuf>)>| {
            places.extend(seen.and_then(|(index, real)| repos.get(index).zip(real)));
        };
        self.inner.shared.looks.look_each(LOOKS_WITHIN, looks, tell).await;
        places
    }
}

/// Where a whole path leads. `None`: it isn't whole, nothing is there, or that can't be told in time.
async fn real(path: &Path) -> Option<PathBuf> {
    let path = path.is_absolute().then(|| path.to_owned())?;
    let look = tokio::task::spawn_blocking(move || std::fs::canonicalize(path).ok());
    tokio::time::timeout(LOOKS_WITHIN, look).await.ok()?.ok()?
}

fn no_such_repo(reference: &str) -> Trouble {
    let is_path = reference.contains('/');
    let sentence = if is_path {
        format!("No repo is at {reference}.")
    } else {
        format!("No repo is called {reference}. (A folder is written as a path: `./NAME`.)")
    };
    Trouble::new(
        Code::NoSuchRepo,
        sentence,
        ["See what there is: `repose ls`.", "Add it: `repose add PATH`."],
    )
}

fn ambiguous(reference: &str, repos: &[&Shown]) -> Trouble {
    let names: Vec<&str> = repos.iter().map(|repo| repo.name.as_str()).collect();
    Trouble::new(
        Code::AmbiguousRepo,
        format!("Several repos are at {reference}: {}.", names.join(", ")),
        ["Say which by its name."],
    )
}
