//! Looking at repos and the runner. Nothing here opens an engine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repose_core::conversation::{Conversation, OnDisk};
use repose_core::ids::{ConversationId, EngineName, RepoId};
use repose_core::repo::no_such_conversation;
use repose_core::trouble::{Code, Trouble};
use repose_core::words;
use repose_engine::EngineRef;
use repose_engine::transcript::{Listed, Place};
use repose_sys::clock::now;
use tokio::sync::{broadcast, mpsc, oneshot};

use super::{Runner, fault};
use crate::actor::{Handle, Wake};
use crate::check::{Facts, kept_at, look_into};
use crate::engines::{self, EngineFound};
use crate::env::may_help;
use crate::folders::{self, Folder};
use crate::found::{self, Found};
use crate::passages::{self, Open, Passages};
use crate::shared::Shared;
use crate::shown::{
    AskShown, Change, ConversationShown, Live, LogEntry, LogEntryOf, LogWhat, Measured, Shown, Totals,
};
use crate::{logs, moved, settings};

/// A look at an engine's processes that somebody waits for takes no longer. It usually takes milliseconds.
const SCANNED_WITHIN: Duration = Duration::from_secs(2);

impl Runner {
    /// All repos, in the order of adding. Opens nothing.
    #[must_use]
    pub fn list(&self) -> Vec<Shown> {
        self.map(Shown::clone)
    }

    /// Applies `see` to each repo without copying it. `see` must be fast: nothing is shown meanwhile.
    #[must_use]
    pub fn map<T>(&self, see: impl FnMut(&Shown) -> T) -> Vec<T> {
        self.inner.shared.map(see)
    }

    /// One repo. Opens nothing.
    #[must_use]
    pub fn shown(&self, repo: &RepoId) -> Option<Shown> {
        self.inner.shared.shown(repo)
    }

    /// One repo, with what holds its engine now: its processes are looked at for this. Opens nothing.
    pub async fn looked_at(&self, repo: &RepoId) -> Option<Shown> {
        let (seen, mut looked) = mpsc::unbounded_channel();
        self.actor(repo).ok()?.handle.send(Wake::Scan(seen));
        // A holder that doesn't answer is shown as it was last seen.
        let _ = tokio::time::timeout(SCANNED_WITHIN, looked.recv()).await;
        self.shown(repo)
    }

    /// All asks of a repo that aren't over, in order; [`Shown::asks`] has only the first. `None`: there is no such repo.
    pub async fn asks(&self, repo: &RepoId) -> Option<Vec<AskShown>> {
        let (reply, asks) = oneshot::channel();
        self.actor(repo).ok()?.handle.send(Wake::Asks(reply));
        asks.await.ok()
    }

    /// Totals over all repos.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.inner.shared.totals()
    }

    /// All changes from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.inner.shared.subscribe()
    }

    /// The repo's conversations, newest first: those in its history, and those that its engine has for its
    /// folder.
    ///
    /// # Errors
    /// If they can't be read.
    pub async fn conversations(&self, repo: &RepoId) -> Result<Vec<ConversationShown>, Trouble> {
        let facts = self.actor(repo)?.facts;
        let shared = Arc::clone(&self.inner.shared);
        let env = shared.env_for(&facts).await;
        let others = self.other_engines(&facts).await?;
        let listed = move || conversations(&facts, &shared, &env, &others);
        tokio::task::spawn_blocking(listed).await.map_err(|error| fault(&error))?
    }

    /// The other engines with which the repo has conversations, as far as the settings still describe them, each
    /// with its environment.
    async fn other_engines(&self, facts: &Facts) -> Result<Vec<(EngineRef, repose_engine::Env)>, Trouble> {
        let known = self.known_conversations(&facts.id).await?;
        let mut names: BTreeSet<EngineName> = known.into_iter().map(|known| known.engine).collect();
        names.remove(&facts.engine_name());
        let settings = self.inner.shared.settings();
        let mut others = Vec::new();
        for engine in names.iter().filter_map(|name| settings.engine(name.as_str())) {
            let facts = Facts { engine: Arc::clone(&engine), ..facts.clone() };
            others.push((engine, self.inner.shared.env_for(&facts).await));
        }
        Ok(others)
    }

    async fn known_conversations(&self, repo: &RepoId) -> Result<Vec<Conversation>, Trouble> {
        let (store, repo) = (self.inner.shared.store.clone(), repo.clone());
        let known = tokio::task::spawn_blocking(move || store.conversations(&repo)).await;
        let known = known.map_err(|error| fault(&error))?.map_err(|error| error.trouble())?;
        Ok(known.into_iter().map(|(known, _)| known).collect())
    }

    /// What reads a conversation of the repo: the engine that keeps it, which may be another than the repo's now.
    async fn reader(&self, repo: &RepoId, id: ConversationId) -> Result<Reader, Trouble> {
        let facts = self.actor(repo)?.facts;
        let known = self.known_conversations(repo).await?.into_iter().find(|known| known.id == id);
        let settings = self.inner.shared.settings();
        let keeper = known.as_ref().filter(|known| known.engine != facts.engine_name());
        let facts = match keeper.and_then(|known| settings.engine(known.engine.as_str())) {
            Some(engine) => Facts { engine, ..facts },
            None => facts,
        };
        let env = self.inner.shared.env_for(&facts).await;
        Ok(Reader { facts, env, id, known })
    }

    /// A part of a conversation: the last entries, or those before `before`, with the opens between them.
    /// Reads no more of the transcript than necessary.
    ///
    /// # Errors
    /// If there is no such conversation, or it can't be read.
    pub async fn conversation_page(
        &self,
        repo: &RepoId,
        conversation: Option<&str>,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Passages, Trouble> {
        let Some(id) = conversation.map(ConversationId::new).or_else(|| self.current(repo)) else {
            self.actor(repo)?; // a repo that is gone has no conversation either
            return Ok(Passages::default());
        };
        let reader = self.reader(repo, id).await?;
        let shared = Arc::clone(&self.inner.shared);
        let newest = before.is_none();
        let read = move || {
            let opens = opens(&reader.facts, &shared, &reader.id)?;
            let Some(path) = reader.transcript()? else {
                let passages = passages::placed(Vec::new(), None, newest, opens);
                return Ok(Passages { passages, ..Passages::default() });
            };
            let (engine, place) = (&*reader.facts.engine, Place { path: &path, id: &reader.id });
            let page = engine.entries(place, before, limit);
            let page = page.and_then(|page| passages::with_opens(engine, place, page, newest, opens));
            page.map_err(|error| unreadable(&path, &error))
        };
        tokio::task::spawn_blocking(read).await.map_err(|error| fault(&error))?
    }

    /// Searches a conversation for a text from its end, or from `before`, towards its start. Reads only a
    /// part at a time; the result says where to continue.
    ///
    /// # Errors
    /// If there is no such conversation, or it can't be read.
    pub async fn conversation_find(
        &self,
        repo: &RepoId,
        conversation: Option<&str>,
        text: String,
        before: Option<u64>,
    ) -> Result<Found, Trouble> {
        let Some(id) = conversation.map(ConversationId::new).or_else(|| self.current(repo)) else {
            self.actor(repo)?; // a repo that is gone has no conversation either
            return Ok(Found::default());
        };
        let reader = self.reader(repo, id).await?;
        let look = move || {
            let Some(path) = reader.transcript()? else { return Ok(Found::default()) };
            let place = Place { path: &path, id: &reader.id };
            let found = found::find(&*reader.facts.engine, place, &text, before);
            found.map_err(|error| unreadable(&path, &error))
        };
        tokio::task::spawn_blocking(look).await.map_err(|error| fault(&error))?
    }

    fn current(&self, repo: &RepoId) -> Option<ConversationId> {
        self.shown(repo).and_then(|shown| shown.conversation).map(|conversation| conversation.id)
    }

    /// Folders in which an engine was used before and that still exist, newest first.
    pub async fn folders(&self) -> Vec<Folder> {
        let shared = &self.inner.shared;
        let added: Vec<PathBuf> = self.list().into_iter().map(|repo| repo.path).collect();
        let mut found = Vec::new();
        for engine in repose_engine::built_in() {
            let settings = shared.settings().engines.get(engine.name()).cloned().unwrap_or_default();
            let env = shared.env.known(&settings).await;
            let (ours, added) = (shared.engine_pids(), added.clone());
            let looked = tokio::task::spawn_blocking(move || folders::used(&*engine, &env, &ours, &added));
            found.extend(looked.await.unwrap_or_default());
        }
        found
    }

    /// The folders whose paths begin with `typed`, in the form in which they would be typed.
    pub async fn complete(&self, typed: &str) -> Vec<String> {
        let (typed, home) = (typed.to_owned(), self.user_home().await);
        let looked = tokio::task::spawn_blocking(move || folders::complete(&typed, home.as_deref()));
        looked.await.unwrap_or_default()
    }

    /// The path that a person typed: absolute, or below the home folder with `~`. `None`: a relative path.
    pub async fn typed_path(&self, typed: &str) -> Option<PathBuf> {
        folders::expanded(typed, self.user_home().await.as_deref())
    }

    async fn user_home(&self) -> Option<PathBuf> {
        let env = self.inner.shared.env.known(&settings::EngineSettings::default()).await;
        env.home().map(Path::to_owned)
    }

    /// What happened in a repo, oldest first: the last `limit` entries, or those after `after`.
    ///
    /// # Errors
    /// If the store can't be read.
    pub async fn log(
        &self,
        repo: &RepoId,
        after: Option<i64>,
        limit: usize,
    ) -> Result<Vec<LogEntry>, Trouble> {
        let (store, repo) = (self.inner.shared.store.clone(), repo.clone());
        let read = tokio::task::spawn_blocking(move || store.log(&repo, after, limit)).await;
        read.map_err(|error| fault(&error))?.map_err(|error| error.trouble())
    }

    /// What happened last in all repos, latest first: at most `limit` entries.
    ///
    /// # Errors
    /// If the store can't be read.
    pub async fn latest(&self, limit: usize) -> Result<Vec<LogEntryOf>, Trouble> {
        let store = self.inner.shared.store.clone();
        let read = tokio::task::spawn_blocking(move || store.latest(limit)).await;
        read.map_err(|error| fault(&error))?.map_err(|error| error.trouble())
    }

    /// All live sessions.
    pub async fn diagnostics(&self) -> Vec<Live> {
        let handles: Vec<Handle> = self.actors().values().map(|actor| actor.handle.clone()).collect();
        let mut live = Vec::new();
        for handle in handles {
            let (reply, answer) = oneshot::channel();
            handle.send(Wake::Live(reply));
            live.extend(answer.await.ok().flatten().map(|live| *live));
        }
        live.sort_by(|a, b| a.name.cmp(&b.name));
        live
    }

    /// All engines that a repo can have, as installed on this machine. Takes as long as the slowest needs to
    /// report its version.
    pub async fn engines(&self) -> Vec<EngineFound> {
        let shared = Arc::clone(&self.inner.shared);
        let base = shared.env.known(&settings::EngineSettings::default()).await;
        let looked = tokio::task::spawn_blocking(move || engines::all(&shared.settings(), &base));
        let found: Vec<EngineFound> = looked.await.unwrap_or_default();
        if found.iter().any(|engine| engine.trouble.as_ref().is_some_and(|trouble| may_help(trouble, true))) {
            self.inner.shared.env.look_again_for_the_next();
        }
        found
    }

    /// The last lines of the runner's own log, oldest first, at most `most`.
    ///
    /// # Errors
    /// If the file can't be read.
    pub async fn log_lines(&self, most: usize) -> Result<Vec<String>, Trouble> {
        let (file, put_aside) = (self.home().log(), self.home().log_put_aside());
        let shown = file.display().to_string();
        let read = tokio::task::spawn_blocking(move || logs::last_lines(&file, &put_aside, most)).await;
        read.map_err(|error| fault(&error))?.map_err(|error| {
            let hint = "Look at the file's owner and mode.";
            Trouble::new(Code::Internal, format!("{shown} can't be read: {error}."), [hint])
        })
    }

    /// The memory of each repo's engine over time, since this runner started.
    #[must_use]
    pub fn measures(&self) -> Vec<Measured> {
        self.inner.shared.measures()
    }

    /// Checks everything that Repose needs, and says what to do.
    pub async fn doctor(&self) -> crate::doctor::Report {
        let live = self.diagnostics().await;
        crate::doctor::look(&self.inner.shared, self.list(), live).await
    }
}

/// A conversation of a repo, with what reads it.
struct Reader {
    /// The repo, with the engine that keeps the conversation.
    facts: Facts,
    env: repose_engine::Env,
    id: ConversationId,
    /// What the store has of it.
    known: Option<Conversation>,
}

impl Reader {
    /// The path of its transcript. `None`: Repose knows the conversation, but its transcript is gone.
    fn transcript(&self) -> Result<Option<PathBuf>, Trouble> {
        let Self { facts, env, id, known } = self;
        let path = kept_at(facts, env, id, known.as_ref());
        match path.filter(|path| path.is_file()) {
            None if known.is_none() => Err(no_such_conversation(&words::shell_word(&facts.name), id)),
            path => Ok(path),
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Trouble {
    let hints = ["Check that file's permissions."];
    Trouble::new(Code::FolderUnreadable, format!("{} can't be read: {error}.", path.display()), hints)
}

fn opens(facts: &Facts, shared: &Shared, id: &ConversationId) -> Result<Vec<Open>, Trouble> {
    let rows = shared.store.opens(&facts.id, id).map_err(|error| error.trouble())?;
    let open = |row: LogEntry| match row.what {
        LogWhat::Opened { continuity, .. } => Some(Open { id: row.id, continuity }),
        LogWhat::Asked { .. }
        | LogWhat::Answered { .. }
        | LogWhat::Failed { .. }
        | LogWhat::TakenBack { .. }
        | LogWhat::Reaped { .. }
        | LogWhat::Paused(_)
        | LogWhat::Moved(_)
        | LogWhat::Ended { .. }
        | LogWhat::Trouble { .. }
        | LogWhat::OrderDropped { .. }
        | LogWhat::Resumed
        | LogWhat::Stopped(_)
        | LogWhat::Interrupted { .. }
        | LogWhat::Waited { .. }
        | LogWhat::Decided { .. }
        | LogWhat::Engine { .. }
        | LogWhat::Gate { .. } => None,
    };
    Ok(rows.into_iter().filter_map(open).collect())
}

/// A conversation that the repo's engine doesn't list for the folder. For another engine's conversation, only
/// the transcript's existence is checked. One that can't be read is a row that says so.
fn as_it_is(facts: &Facts, env: &repose_engine::Env, known: Conversation) -> Conversation {
    if known.engine == facts.engine_name() {
        let id = known.id.clone();
        return match look_into(facts, env, &id, Some(known.clone())) {
            Ok(found) => found.unwrap_or(known),
            Err(_) => Conversation { on_disk: OnDisk::Unreadable, ..known },
        };
    }
    let there = known.transcript.as_ref().is_some_and(|file| Path::new(file.shown()).exists());
    if there { known } else { Conversation { on_disk: OnDisk::Gone, ..known } }
}

fn conversations(
    facts: &Facts,
    shared: &Shared,
    env: &repose_engine::Env,
    others: &[(EngineRef, repose_engine::Env)],
) -> Result<Vec<ConversationShown>, Trouble> {
    let unreadable = |error: std::io::Error| {
        let hints = ["Check the permissions of its folder in your home."];
        Trouble::new(
            Code::FolderUnreadable,
            format!("{}'s records can't be read: {error}.", facts.engine.title()),
            hints,
        )
    };
    let listed = facts.engine.conversations(env, &facts.path).map_err(unreadable)?;
    let moved = moved::conversations(facts, shared, env).map_err(unreadable)?;
    let known = shared.store.conversations(&facts.id).map_err(|error| error.trouble())?;
    let engine = EngineName::new(facts.engine.name());
    let current = known
        .iter()
        .find(|(known, current)| *current && known.engine == engine)
        .map(|(known, _)| known.id.clone());
    let listed = listed.into_iter().map(|listed| (None, listed));
    let moved = moved.into_iter().map(|moved| (Some(moved.from), moved.listed));
    let mut shown: Vec<ConversationShown> = listed
        .chain(moved)
        .map(|(moved_from, listed)| ConversationShown {
            current: Some(&listed.conversation.id) == current.as_ref(),
            conversation: listed.conversation,
            title: listed.title,
            size: listed.size,
            moved_from,
        })
        .collect();
    let of_others: Vec<Listed> = others
        .iter()
        .flat_map(|(other, env)| other.conversations(env, &facts.path).unwrap_or_default())
        .collect();
    for (conversation, is_current) in known {
        if shown.iter().any(|shown| shown.conversation.id == conversation.id) {
            continue;
        }
        let current = is_current && conversation.engine == engine;
        let listed = of_others.iter().find(|listed| {
            (&listed.conversation.id, &listed.conversation.engine) == (&conversation.id, &conversation.engine)
        });
        let conversation = match listed {
            Some(listed) => listed.conversation.clone(),
            None => as_it_is(facts, env, conversation),
        };
        if !is_current && conversation.never_was() {
            continue;
        }
        shown.push(ConversationShown {
            title: listed.and_then(|listed| listed.title.clone()),
            size: listed.map_or(0, |listed| listed.size),
            conversation,
            current,
            moved_from: None,
        });
    }
    // A copy that nobody has asked anything yet is what the repo goes on with.
    let newest =
        |shown: &ConversationShown| shown.conversation.last_turn.or(shown.current.then_some(now().wall));
    shown.sort_by_key(|shown| std::cmp::Reverse(newest(shown)));
    Ok(shown)
}
