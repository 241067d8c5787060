//! The checks before an engine is opened, in this order: folder, engine, login, disk. Also what is known of
//! the conversation that may be resumed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use repose_core::conversation::{Conversation, Found};
use repose_core::ids::{ConversationId, EngineName, RepoId, SessionId};
use repose_core::repo::Checked;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
pub(crate) use repose_core::words::sentence;
use repose_engine::locate::{Missing, Program};
use repose_engine::told::Login;
use repose_engine::transcript::Place;
use repose_engine::{Engine, EngineRef, Env};
use repose_sys::exec::Refusal;

use crate::may_hang::LOOKS_WITHIN;
use crate::settings::EngineSettings;
use crate::shared::Shared;

/// The free disk space in bytes below which nothing is opened: an engine writes its transcript and Repose its
/// journal as they go, and both would be cut off. A first turn writes some 200 kB.
const DISK_NEEDED: u64 = 20 * 1_000_000;

/// The properties of a repo. Only its engine changes while its actor lives: another engine, or other settings
/// for it.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) id: RepoId,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) engine: EngineRef,
}

impl Facts {
    pub(crate) fn engine_name(&self) -> EngineName {
        EngineName::new(self.engine.name())
    }
}

/// Runs all checks. Blocks.
pub(crate) fn check(
    facts: &Facts,
    shared: &Shared,
    env: &Env,
    settings: &EngineSettings,
    conversation: Option<&ConversationId>,
) -> Result<Checked, Trouble> {
    needs(facts, shared, env, settings)?;
    let conversation = match conversation {
        Some(id) => read(facts, shared, env, id)?,
        None => None,
    };
    let with = conversation.as_ref().map_or(facts.engine.title().to_owned(), |known| {
        // An engine that the settings no longer describe has no title.
        let engine = shared.settings().engine(known.engine.as_str());
        engine.map_or(known.engine.to_string(), |engine| engine.title().to_owned())
    });
    let owner = match &conversation {
        Some(conversation) if conversation.engine == facts.engine_name() => {
            let ours = shared.engine_pids();
            let owners = facts.engine.owners(env, &conversation.id, &ours);
            owners.map_err(|error| unreadable_records(&*facts.engine, &error))?.into_iter().next()
        }
        Some(_) | None => None,
    };
    let new_conversation = facts
        .engine
        .new_conversation()
        .unwrap_or_else(|| ConversationId::new(uuid::Uuid::new_v4().to_string()));
    Ok(Checked {
        session: SessionId::new(uuid::Uuid::now_v7().to_string()),
        new_conversation,
        conversation,
        with,
        owner,
        loss: facts.engine.would_lose(env, &facts.path),
    })
}

/// What prevents a repo from opening, without looking at its conversation. Blocks for a few milliseconds.
pub(crate) fn needs(
    facts: &Facts,
    shared: &Shared,
    env: &Env,
    settings: &EngineSettings,
) -> Result<Program, Trouble> {
    folder(&facts.name, &facts.path)?;
    let program = usable(facts, env, settings).map_err(|trouble| match shared.env.without() {
        Some(why) if shared.describes(facts) => behind(&why, trouble),
        Some(_) | None => trouble,
    })?;
    disk(shared.home.state())?;
    kept(facts, env)?;
    Ok(program)
}

/// The engine's program, if it is there and somebody is logged in.
fn usable(facts: &Facts, env: &Env, settings: &EngineSettings) -> Result<Program, Trouble> {
    let program = facts.engine.locate(env, settings.command.as_deref()).map_err(|missing| match missing {
        Missing::NotDescribed { .. } => undescribed(&facts.name, &missing, facts.engine.name()),
        Missing::NotFound { .. } | Missing::NotExecutable { .. } | Missing::Refused { .. } => {
            missing_engine(&*facts.engine, &missing)
        }
    })?;
    match facts.engine.login(env) {
        Login::Known(false) => Err(logged_out(&*facts.engine)),
        Login::Known(true) | Login::NotNeeded | Login::Unknown => Ok(program),
    }
}

/// What is seen without the login shell's environment, told as what it may come from: `why` that isn't known.
fn behind(why: &str, seen: Trouble) -> Trouble {
    let again = "Mend that, and ask again: the shell is asked anew, also by `repose doctor`.".to_owned();
    let hints = std::iter::once(again).chain(seen.hints);
    Trouble::new(Code::LoginShellUnknown, format!("{why} Without it: {}", seen.sentence), hints)
}

/// Fails if a start of the engine would delete conversations.
fn kept(facts: &Facts, env: &Env) -> Result<(), Trouble> {
    let lost = facts.engine.lost_at_start(env, &facts.path);
    let (Some(first), Some(loss)) = (lost.first(), facts.engine.would_lose(env, &facts.path)) else {
        return Ok(());
    };
    let more = match lost.len() {
        1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    Err(Trouble::new(
        Code::WouldDelete,
        format!(
            "As it is set now, {} would delete conversations of this folder when it starts: {first}{more}. Nothing was \
             started, and nothing is lost.",
            loss.engine
        ),
        [format!("{}, then ask again.", loss.remedy)],
    ))
}

/// A conversation as it is on disk now. `None`: this repo has none with that id.
pub(crate) fn read(
    facts: &Facts,
    shared: &Shared,
    env: &Env,
    id: &ConversationId,
) -> Result<Option<Conversation>, Trouble> {
    let known = shared.store.conversations(&facts.id).map_err(|error| error.trouble())?;
    let known = known.into_iter().map(|(conversation, _)| conversation).find(|known| known.id == *id);
    look_into(facts, env, id, known)
}

/// Where the repo's engine finds a conversation, given what is `known` of it. `None`: another engine keeps it, or this one
/// has no place for it.
pub(crate) fn kept_at(
    facts: &Facts,
    env: &Env,
    id: &ConversationId,
    known: Option<&Conversation>,
) -> Option<PathBuf> {
    let engine = facts.engine_name();
    match known {
        Some(known) if known.engine != engine => None,
        Some(Conversation { transcript: Some(transcript), .. }) => {
            transcript.for_reader(&engine).map(PathBuf::from)
        }
        Some(_) | None => facts.engine.transcript_path(env, &facts.path, id),
    }
}

/// A conversation as it is on disk now, given what is `known` of it. One that another engine keeps stays as it is
/// known. Blocks.
pub(crate) fn look_into(
    facts: &Facts,
    env: &Env,
    id: &ConversationId,
    known: Option<Conversation>,
) -> Result<Option<Conversation>, Trouble> {
    let Some(path) = kept_at(facts, env, id, known.as_ref()) else { return Ok(known) };
    let found = match facts.engine.summary(Place { path: &path, id }) {
        Ok(Some(listed)) if listed.conversation.id == *id => Found::Read(listed.conversation),
        Ok(_) => Found::Nothing,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Found::Nothing
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Found::Unreadable,
        Err(error) => return Err(unreadable_records(&*facts.engine, &error)),
    };
    let file = path.to_string_lossy().into_owned();
    let begun = Conversation::begun(id.clone(), facts.engine_name(), Some(file));
    Ok(Conversation::looked_at(known, begun, found))
}

impl Shared {
    /// Checks whether a repo has its folder, within [`LOOKS_WITHIN`].
    pub(crate) async fn look_at_folder(&self, facts: &Facts) -> Result<(), Trouble> {
        let (name, path) = (facts.name.clone(), facts.path.clone());
        let looked = self.looks.look(&facts.id, LOOKS_WITHIN, move || folder(&name, &path)).await;
        looked.unwrap_or_else(|| Err(hangs(&facts.name, &facts.path)))
    }
}

/// The trouble of a folder that doesn't respond.
pub(crate) fn hangs(name: &str, path: &Path) -> Trouble {
    let within = LOOKS_WITHIN.as_secs();
    Trouble::new(
        Code::FolderUnreadable,
        format!("The folder {} can't be used: it gives no answer within {within} s.", path.display()),
        [
            "If it is on a network drive, look whether its server is there.".to_owned(),
            format!("Or remove the repo: `repose rm {}`.", words::shell_word(name)),
        ],
    )
}

/// Fails if the folder of the repo with this name can't be used.
pub(crate) fn folder(name: &str, path: &Path) -> Result<(), Trouble> {
    let shown = path.display();
    let remove = format!("Or remove the repo: `repose rm {}`.", words::shell_word(name));
    let gone = || {
        Trouble::new(
            Code::FolderGone,
            format!("The folder {shown} is gone; its conversations are kept."),
            ["Bring the folder back, and ask again.".to_owned(), remove.clone()],
        )
    };
    let unusable = |why: &str, hint: String| {
        let sentence = format!("The folder {shown} can't be used: {why}.");
        Trouble::new(Code::FolderUnreadable, sentence, [hint, remove.clone()])
    };
    let unreadable = |why: &str| {
        let look = format!("Look at its permissions: `ls -ld {}`.", words::shell_word(&shown.to_string()));
        unusable(why, look)
    };
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(gone()),
        Err(error) => return Err(unreadable(&error.to_string())),
        Ok(meta) if !meta.is_dir() => {
            return Err(unusable("it is not a folder", "Bring the folder back, and ask again.".into()));
        }
        Ok(_) => {}
    }
    let enter = rustix::fs::Access::READ_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(path, enter).map_err(|error| unreadable(&io::Error::from(error).to_string()))
}

fn missing_engine(engine: &dyn Engine, missing: &Missing) -> Trouble {
    let code = match missing {
        Missing::NotFound { .. } | Missing::NotDescribed { .. } => Code::EngineMissing,
        Missing::NotExecutable { .. } | Missing::Refused { .. } => Code::EngineNotExecutable,
    };
    let name = engine.name();
    Trouble::new(
        code,
        sentence(&missing.to_string()),
        [
            match missing {
                Missing::NotFound { .. } | Missing::NotDescribed { .. } => how_to_get(engine),
                Missing::NotExecutable { path } => {
                    let path = words::shell_word(&path.display().to_string());
                    format!("Make it executable, if it is the right file: `chmod +x {path}`.")
                }
                Missing::Refused { why: Refusal::NoInterpreter(name), .. } => {
                    format!("Install `{name}`, or install {} anew.", engine.title())
                }
                Missing::Refused { .. } => format!("Install {} anew, for this machine.", engine.title()),
            },
            format!("If it is somewhere else, say so in the settings: `[engines.{name}] command = \"…\"`."),
            "See what was looked at: `repose doctor`.".into(),
        ],
    )
}

/// The trouble of a repo, of this name, whose engine the settings no longer describe.
fn undescribed(repo: &str, missing: &Missing, engine: &str) -> Trouble {
    Trouble::new(
        Code::EngineMissing,
        sentence(&missing.to_string()),
        [
            format!("Describe it again in the settings: `[engines.{engine}] command = \"…\"`."),
            format!("Or go over to another engine: `repose engine {} NAME`.", words::shell_word(repo)),
        ],
    )
}

/// How to have the engine's program on this machine, in words.
pub(crate) fn how_to_get(engine: &dyn Engine) -> String {
    match engine.install() {
        Some(command) => format!("Install {} and ask again: `{command}`.", engine.title()),
        None => "Install that program and ask again.".into(),
    }
}

fn logged_out(engine: &dyn Engine) -> Trouble {
    Trouble::new(
        Code::EngineLoggedOut,
        format!("{} is not logged in.", engine.title()),
        [format!("Log in: run `{}` once in a terminal.", engine.name()), "Then ask again.".into()],
    )
}

/// Fails if there isn't enough disk space for an open.
pub(crate) fn disk(state: &Path) -> Result<(), Trouble> {
    // If the free space is unknown, the disk isn't known to be full.
    let Ok(free) = repose_sys::disk::free(state) else { return Ok(()) };
    if free >= DISK_NEEDED {
        return Ok(());
    }
    Err(Trouble::new(
        Code::DiskFull,
        format!("The disk has {} left, and an open needs {}.", words::bytes(free), words::bytes(DISK_NEEDED)),
        ["Make room, and ask again."],
    ))
}

fn unreadable_records(engine: &dyn Engine, error: &io::Error) -> Trouble {
    Trouble::new(
        Code::FolderUnreadable,
        format!("{}'s own files can't be read ({error}).", engine.title()),
        ["Look at the permissions of its folder in your home.", "Check it: `repose doctor`."],
    )
}
