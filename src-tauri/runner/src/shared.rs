//! State that all actors of a runner share.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use repose_core::ids::{RepoId, SessionId};
use repose_core::repo::{Notice, State};
use repose_sys::clock::now;
use tokio::sync::{broadcast, watch};

use crate::env::Environment;
use crate::growth::Growth;
use crate::home::Home;
use crate::may_hang::Looks;
use crate::measures::{Measure, Measures};
use crate::program::Programs;
use crate::room::Room;
use crate::settings::{Loaded, Settings};
use crate::shown::{Change, Measured, Shown, Totals};
use crate::store::Store;

/// How many changes a slow reader may be behind. One that is further behind reads the whole state again.
const CHANGES_KEPT: usize = 1_024;

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) home: Home,
    pub(crate) store: Store,
    pub(crate) settings: watch::Receiver<Loaded>,
    pub(crate) env: Environment,
    pub(crate) programs: Programs,
    pub(crate) growth: Growth,
    pub(crate) room: Room,
    pub(crate) looks: Looks,
    /// For how long there was no runner before this one. `None`: unknown.
    pub(crate) absence: Option<Duration>,
    changes: broadcast::Sender<Change>,
    board: Mutex<Board>,
}

/// What is shown of repos, for readers that don't wait for an actor.
#[derive(Debug, Default)]
struct Board {
    repos: BTreeMap<u64, Shown>,
    places: HashMap<RepoId, u64>,
    next: u64,
    gate: bool,
    totals: Totals,
    /// Each repo's memory over time.
    measures: Measures,
    /// The process ids of engines that Repose started, by session.
    engines: HashMap<SessionId, u32>,
}

impl Shared {
    pub(crate) fn new(
        home: Home,
        store: Store,
        settings: watch::Receiver<Loaded>,
        env: Environment,
        programs: Programs,
        absence: Option<Duration>,
    ) -> Arc<Self> {
        let (changes, _) = broadcast::channel(CHANGES_KEPT);
        let growth = Growth::begin(changes.downgrade());
        Arc::new(Self {
            home,
            store,
            settings,
            env,
            programs,
            growth,
            room: Room::default(),
            looks: Looks::default(),
            absence,
            changes,
            board: Mutex::default(),
        })
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.borrow().settings)
    }

    pub(crate) fn session_dir(&self, session: &SessionId) -> PathBuf {
        self.home.sessions().join(session.as_str())
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Broadcasts a change, if anybody listens.
    pub(crate) fn tell(&self, change: Change) {
        let _ = self.changes.send(change);
    }

    pub(crate) fn notice(&self, repo: &RepoId, notice: Notice) {
        self.tell(Change::Notice(repo.clone(), notice));
    }

    /// Puts a repo last in the list.
    pub(crate) fn give_place(&self, repo: &RepoId) {
        self.board().place(repo);
    }

    /// Shows a repo, if it differs from what was shown before.
    pub(crate) fn show(&self, shown: Shown) {
        let mut board = self.board();
        let place = board.place(&shown.id);
        let before = board.repos.get(&place);
        if before == Some(&shown) {
            return;
        }
        let ended = before.is_some_and(|before| before.freed.is_none());
        let at = now().wall;
        if let Some(freed) = shown.freed.filter(|_| ended) {
            // An engine may have started and ended between two looks; its end measured its memory.
            board.measures.note(&shown.id, freed.bytes, at);
        }
        board.measures.note(&shown.id, shown.memory.map_or(0, |memory| memory.bytes), at);
        board.repos.insert(place, shown.clone());
        self.tell(Change::Repo(Box::new(shown)));
        self.tell_totals(&mut board);
    }

    pub(crate) fn hide(&self, repo: &RepoId) {
        let mut board = self.board();
        let Some(place) = board.places.remove(repo) else { return };
        board.repos.remove(&place);
        board.measures.forget(repo);
        self.tell(Change::Removed(repo.clone()));
        self.tell_totals(&mut board);
    }

    /// Applies `see` to each repo, in the order of the list.
    pub(crate) fn map<T>(&self, see: impl FnMut(&Shown) -> T) -> Vec<T> {
        self.board().repos.values().map(see).collect()
    }

    pub(crate) fn shown(&self, repo: &RepoId) -> Option<Shown> {
        let board = self.board();
        board.repos.get(board.places.get(repo)?).cloned()
    }

    /// Each repo's memory over time and now, in the order of the list. Repos that never had an engine are
    /// left out.
    pub(crate) fn measures(&self) -> Vec<Measured> {
        let board = self.board();
        let at = now().wall;
        let of = |shown: &Shown| {
            let mut measures = board.measures.of(&shown.id);
            if !measures.is_empty() {
                measures.push(Measure { at, bytes: shown.memory.map_or(0, |memory| memory.bytes) });
            }
            Measured { repo: shown.id.clone(), name: shown.name.clone(), measures }
        };
        board.repos.values().map(of).filter(|measured| !measured.measures.is_empty()).collect()
    }

    pub(crate) fn totals(&self) -> Totals {
        self.board().totals
    }

    /// Sets the gate: whether everything is paused.
    pub(crate) fn set_gate(&self, closed: bool) {
        let mut board = self.board();
        board.gate = closed;
        self.tell_totals(&mut board);
    }

    pub(crate) fn engine_runs(&self, session: &SessionId, pid: Option<u32>) {
        let mut board = self.board();
        match pid {
            Some(pid) => board.engines.insert(session.clone(), pid),
            None => board.engines.remove(session),
        };
    }

    /// Whether the session is live and its engine's process is known.
    pub(crate) fn holds(&self, session: &SessionId) -> bool {
        self.board().engines.contains_key(session)
    }

    /// The process ids of engines that Repose started.
    pub(crate) fn engine_pids(&self) -> Vec<u32> {
        self.board().engines.values().copied().collect()
    }

    fn tell_totals(&self, board: &mut Board) {
        let totals = Totals { gate: board.gate, ..totals(board.repos.values()) };
        if board.totals != totals {
            board.totals = totals;
            self.tell(Change::Totals(totals));
        }
    }

    fn board(&self) -> std::sync::MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Board {
    fn place(&mut self, repo: &RepoId) -> u64 {
        *self.places.entry(repo.clone()).or_insert_with(|| {
            self.next += 1;
            self.next
        })
    }
}

fn totals<'a>(repos: impl Iterator<Item = &'a Shown>) -> Totals {
    repos.fold(Totals::default(), |mut totals, repo| {
        totals.live += usize::from(repo.state.is_live());
        totals.paused += usize::from(repo.state == State::Paused);
        totals.live_bytes += repo.memory.map_or(0, |memory| memory.bytes);
        totals.freed_bytes += repo.freed.map_or(0, |freed| freed.bytes);
        totals
    })
}
