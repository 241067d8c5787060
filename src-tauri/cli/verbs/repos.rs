//! `add`, `ls`, `status REPO`, `pin`, `unpin`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use repose_console::wire;
use repose_core::trouble::Code;
use repose_core::words;
use serde_json::json;

use super::Says;
use crate::args::Add;
use crate::client::{Client, from_root, of_repo, read};
use crate::failure::Failure;
use crate::print;

/// The exit code of an `add` that was called off, the same as for a refusal.
const NOT_ADDED: u8 = 3;

pub(super) async fn add(args: Add, client: &Client, says: Says) -> Result<(), Failure> {
    let Add { path, engine, name, no_adopt, yes } = args;
    if path.canonicalize().is_ok_and(|whole| whole.to_str().is_none()) {
        return Err(Failure::new(
            Code::BadRequest,
            format!(
                "The path {} is no UTF-8 text, so no repo can be there. Nothing was added.",
                path.display()
            ),
            ["Rename the folder, or the one above it whose name isn't."],
        ));
    }
    let path = from_root(&path);
    if let Some(what) = holds_all(&path).filter(|_| !yes) {
        sure(what, says)?;
    }
    let new = wire::New { path, engine, name, adopt: !no_adopt };
    let value = client.post("/api/repos", &new).await?;
    says.answer(value, |value| {
        let wire::Added { repo, moved } = read(value)?;
        let mut text = format!("Added {} ({}) with {}.", repo.name, print::plain(&repo.path), repo.engine);
        text.extend(repo.conversation.as_ref().map(|latest| of_latest(&repo, latest)));
        text.extend(moved.as_ref().and_then(|moved| moved_from(&repo, moved)));
        if let Some(trouble) = &repo.trouble {
            text.push_str(&format!("\n{}", trouble.message));
            trouble.hints.iter().for_each(|hint| text.push_str(&format!("\n  {hint}")));
        }
        Ok(text)
    })
}

/// What a folder is that holds nearly everything.
fn holds_all(path: &str) -> Option<&'static str> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    match Path::new(path) {
        root if root.parent().is_none() => Some("the whole machine"),
        folder if home.is_some_and(|home| home.starts_with(folder)) => Some("a whole home folder"),
        _ => None,
    }
}

/// Asks, as the page does. Without a terminal nobody can answer, and nothing is added.
fn sure(what: &str, says: Says) -> Result<(), Failure> {
    let warning = format!("That is {what}: its agent would look at, and could change, everything in it.");
    if says.json || !std::io::stdin().is_terminal() {
        let hints = ["Add the folder of one project.", "Or say that it is meant: `--yes`."];
        return Err(Failure::new(Code::BadRequest, format!("{warning} Nothing was added."), hints));
    }
    print::aside(&format!("{warning} Add it? [y/N]"));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(());
    }
    print::aside("Nothing was added.");
    Err(Failure::Printed(NOT_ADDED))
}

/// What happens to the conversation that the engine already has for the folder.
fn of_latest(repo: &wire::Repo, latest: &wire::Conversation) -> String {
    let now = repose_sys::clock::now().wall;
    let what = match repo.keeps {
        wire::Keeps::PickedUp if repo.picked_up_until.is_some_and(|until| until.0 > now) => {
            "will be picked up.".to_owned()
        }
        wire::Keeps::PickedUp => {
            let name = words::shell_word(&repo.name);
            format!("isn't picked up by itself: `repose resume {name}` brings it back.")
        }
        wire::Keeps::Listed => "isn't picked up: `repose doctor` says why.".to_owned(),
        wire::Keeps::Nothing => return String::new(),
    };
    let turns = print::turns(latest.turns).map_or_else(String::new, |turns| format!("has {turns} and "));
    format!(" Its latest conversation {turns}{what}")
}

/// The conversation that may have been this repo's in an earlier place of its folder.
fn moved_from(repo: &wire::Repo, moved: &wire::Listed) -> Option<String> {
    let (from, id) = (moved.moved_from.as_ref()?, &moved.conversation.id);
    let title = moved.title.as_ref().map_or_else(String::new, |title| format!(" (“{title}”)"));
    Some(format!(
        "\nIf its folder was {} before, there is a conversation{title} to go on with in a copy:\n  `repose fork {} \
         --conversation {id}`",
        print::plain(from),
        words::shell_word(&repo.name)
    ))
}

pub(super) async fn ls(client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get("/api/repos").await?;
    says.answer(value, |value| {
        let wire::Repos { repos, totals } = read(value)?;
        Ok(print::repos(&repos, &totals))
    })?;
    super::look::settings(client, says).await
}

pub(super) async fn status(repo: &str, client: &Client, says: Says) -> Result<(), Failure> {
    let value = client.get(&of_repo(repo, "")).await?;
    says.answer(value, |value| Ok(print::repo(&read(value)?)))
}

pub(super) async fn pin(repo: &str, pinned: bool, client: &Client, says: Says) -> Result<(), Failure> {
    let verb = if pinned { "pin" } else { "unpin" };
    let value = client.post(&of_repo(repo, verb), &json!({})).await?;
    says.answer(value, |value| {
        let name = read::<wire::Changed>(value)?.repo.name;
        Ok(match pinned {
            true => format!("{name} is pinned: its agent is not let go when it is idle."),
            false => format!("{name} isn't pinned any more."),
        })
    })
}
