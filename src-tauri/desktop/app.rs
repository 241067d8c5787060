//! The app's main loop: takes in what happens, and updates the tray, the notifications and the window.
//!
//! It decides nothing about repos. What is shown comes from pure functions ([`menu::tray`], [`News`],
//! [`quit::question`]); orders go to the runner.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use repose_console::{CancellationToken, Links, Wanted};
use repose_core::decision::Pick;
use repose_core::ids::RepoId;
use repose_core::work::OnWork;
use repose_runner::{Change, Runner};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};

use self::asks::Asks;
use crate::event::{Event, Events};
use crate::notify::bus::Bus;
use crate::notify::held::Held;
use crate::notify::instead::Dialogs;
use crate::notify::news::{Around, News, Note, Press, Told};
use crate::notify::{own, stood};
use crate::orders::{Order, Orders};
use crate::quit::way::Way;
use crate::tray::item::{self, Panel};
use crate::tray::menu::{self, Action, Tray};
use crate::tray::seen::{Seen, Wait};
use crate::window::{Heard, Number, Place, Said, Window};
use crate::{Programs, autostart, browser, doctor};

/// How long a notification without buttons is held back: the news that an agent waits comes a moment before
/// the news of what can be answered.
const CHOICES_WITHIN: Duration = Duration::from_secs(1);

/// How long the tray waits for further changes, since changes come in groups.
const SETTLES: Duration = Duration::from_millis(100);

/// How long to wait for a panel that shows icons: at login both start together, and a panel that is replaced
/// comes back. After that the window is the way in, and a notification says why.
const PANEL_WITHIN: Duration = Duration::from_secs(10);

/// The key under which the runner's store keeps what this app has notified about.
const TOLD: &str = "desktop.told";
/// The key under which the store keeps which of those notifications can still be seen.
const STANDING: &str = "desktop.standing";
const TOLD_CLOSED: &str = "desktop.told.closed";
const TOLD_NO_PANEL: &str = "desktop.told.no-panel";

/// The app.
pub(crate) struct App {
    runner: Runner,
    links: Links,
    programs: Programs,
    orders: Orders,
    events: Events,
    heard: UnboundedReceiver<Event>,
    window: Window,
    news: News,
    /// Keys of notifications that the desktop's service hasn't taken.
    untold: BTreeSet<String>,
    held: Held,
    bus: Bus,
    panel: Panel,
    /// Whether a panel shows the icon.
    seen: Seen,
    autostart: Option<PathBuf>,
    /// The program that is started at login.
    starts_anew: PathBuf,
    /// Where its state lies, if somebody has put that elsewhere.
    state: Option<PathBuf>,
    hidden: bool,
    /// How far a wish to quit is.
    way: Way,
    /// The dialog that asks whether to quit.
    asks: Asks,
    /// Tell what no notification can.
    dialogs: Dialogs,
    quits: bool,
}

impl App {
    /// `changes` are the runner's, from its first moment on.
    pub(crate) fn new(
        runner: Runner,
        changes: broadcast::Receiver<Change>,
        links: Links,
        programs: Programs,
        hidden: bool,
    ) -> Self {
        let (events, heard) = Events::new();
        let kept = |key| {
            runner.value(key).unwrap_or_else(|trouble| {
                tracing::warn!("{}", trouble.sentence);
                None
            })
        };
        let (told, standing) = (kept(TOLD), kept(STANDING));
        let (_, stood) = stood::read(standing.as_deref().unwrap_or_default());
        let news = News::new(told.as_deref(), stood.into_iter().map(|one| one.key));
        let autostart = autostart::folder(|name| std::env::var_os(name));
        let (repos, at_login) = (runner.clone(), autostart.clone());
        let tray = move || tray(&repos, at_login.as_deref());
        tokio::spawn(follow(changes, events.clone()));
        Self {
            orders: Orders::new(runner.clone(), events.clone()),
            window: Window::new(programs.window.clone(), events.clone()),
            dialogs: Dialogs::new(programs.window.clone(), events.clone()),
            news,
            untold: BTreeSet::new(),
            held: Held::default(),
            bus: Bus::begin(standing, events.clone()),
            panel: item::offer(tray, events.clone()),
            starts_anew: autostart::program(&programs.own, |name| std::env::var_os(name)),
            state: autostart::state(|name| std::env::var_os(name)),
            runner,
            links,
            programs,
            events,
            heard,
            seen: Seen::default(),
            autostart,
            hidden,
            way: Way::default(),
            asks: Asks::default(),
            quits: false,
        }
    }

    /// Runs until somebody quits, or `stop`. `asked` receives other programs' requests for the window.
    pub(crate) async fn run(mut self, mut asked: Receiver<Wanted>, stop: CancellationToken) {
        self.begin().await;
        let mut settles = None;
        while !self.quits {
            let settled = async {
                match settles {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            let event = tokio::select! {
                // Whoever requests the window of an app that is about to quit should look elsewhere.
                biased;
                () = stop.cancelled() => break,
                () = settled => {
                    settles = None;
                    self.panel.show(tray(&self.runner, self.autostart.as_deref()));
                    continue;
                }
                Some(event) = self.heard.recv() => event,
                Some(wanted) = asked.recv() => match wanted {
                    Wanted::Window { repo, comes } => {
                        // The asker may have given up.
                        let _ = comes.send(());
                        Event::Show(repo.map_or(Place::Any, |repo| Place::Repo(RepoId::new(repo))))
                    }
                    Wanted::Checks(found) => {
                        doctor::look(self.programs.window.clone(), self.seen.now(), found);
                        continue;
                    }
                }
            };
            self.handle(event).await;
            settles.get_or_insert_with(|| tokio::time::Instant::now() + SETTLES);
        }
        stop.cancel();
        let (runner, news, held) = (self.runner, self.news, self.held);
        let notes = self.bus.end(|standing, untold| {
            keep(&runner, STANDING, standing);
            keep(&runner, TOLD, &news.told(&untold.iter().chain(held.keys()).cloned().collect()));
        });
        tokio::join!(notes, self.window.end());
    }

    async fn begin(&mut self) {
        let wait = self.seen.wait();
        self.wait_for_panel(wait);
        if !self.hidden {
            self.open(Place::Any).await;
        }
        self.all_looked_at();
    }

    fn wait_for_panel(&self, wait: Wait) {
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PANEL_WITHIN).await;
            events.tell(Event::NoPanelYet(wait));
        });
    }

    async fn handle(&mut self, event: Event) {
        match event {
            Event::Changed(change) => self.changed(change),
            Event::ChangedMuch => self.all_looked_at(),
            Event::Chosen(action) => self.chosen(action).await,
            Event::Panel(seen) => {
                tracing::info!(seen, "a panel for the tray's icon");
                if let Some(wait) = self.seen.is_now(seen) {
                    self.wait_for_panel(wait);
                }
                if seen {
                    self.tell(Told::Over(own::NO_PANEL.into()));
                }
                // Once a panel was seen, this is no longer a start without one.
                self.hidden &= !seen;
            }
            Event::NoPanelYet(wait) if self.seen.is_missing(wait) => self.no_panel_yet().await,
            Event::NoPanelYet(_) | Event::MenuOpens => {}
            Event::Window(number, said) => self.window_said(number, said).await,
            Event::Pressed(Press::Open(place)) | Event::Show(place) => self.open(place).await,
            Event::Pressed(Press::Anyway(orders)) => {
                let over = self.news.answered(&orders);
                over.into_iter().for_each(|told| self.tell(told));
                self.orders.give_all(orders);
            }
            Event::Pressed(Press::Decide(repo, decision, choice)) => {
                let pick = Pick { choice, words: None };
                self.orders.give(repo, Order::Decide { decision, pick });
            }
            Event::Pressed(Press::Quit(asked, choice)) => self.answered(*asked, choice),
            Event::Noted { note, shown } => self.noted(*note, shown).await,
            Event::Said(answer) => self.said(answer).await,
            Event::Due(note) if self.held.due(&note) => {
                self.keep_told();
                self.bus.tell(Told::Note(*note));
            }
            Event::Due(_) => {}
            Event::Standing(text) => keep(&self.runner, STANDING, &text),
            Event::Refused(repo, trouble) => self.refused(&[(repo, trouble)]),
            Event::RefusedTogether(refused) => self.refused(&refused),
            Event::AllRefused(trouble) => self.tell(Told::Note(own::all_refused(&trouble))),
            Event::Answered(asked, choice) => self.answered(asked, choice),
            Event::NoDialog(question) => {
                self.asks.over();
                self.tell(Told::Note(own::of_quit(&question)));
            }
            Event::NoBrowser(why) => self.tell(Told::Note(own::no_browser(&why))),
            Event::Stopped(refused) => self.stopped(&refused),
        }
    }

    fn changed(&mut self, change: Change) {
        let around = self.around();
        let told = match change {
            // In its present state: what it was when this was reported may be over.
            Change::Repo(shown) => match self.runner.shown(&shown.id) {
                Some(shown) => self.news.repo(&shown, around),
                None => return, // its removal is reported next
            },
            Change::Removed(repo) => self.news.removed(&repo),
            Change::Notice(repo, notice) => self.news.notice(&repo, &notice, around),
            Change::Settings => self.news.settings(self.runner.settings().1.as_ref(), around),
            Change::Totals(_) | Change::Grew(..) => return,
        };
        self.tell_all(told);
    }

    fn all_looked_at(&mut self) {
        self.changed(Change::Settings);
        let (around, all) = (self.around(), self.runner.list());
        let gone = self.news.only(&all);
        self.tell_all(gone);
        for shown in all {
            let told = self.news.repo(&shown, around);
            self.tell_all(told);
        }
    }

    async fn chosen(&mut self, action: Action) {
        match action {
            Action::Open(place) => self.open(place).await,
            Action::Browse => self.browse(&Place::Any),
            Action::Pause(repo) => self.orders.give(repo, Order::Pause(OnWork::Refuse)),
            Action::Stop(repo) => self.orders.give(repo, Order::Stop(OnWork::Refuse)),
            Action::Resume(repo) => self.orders.give(repo, Order::Resume),
            Action::Interrupt(repo) => self.orders.give(repo, Order::Interrupt),
            Action::PauseAll => self.orders.pause_all(),
            Action::ResumeAll => self.orders.resume_all(),
            Action::StartAtLogin(on) => self.start_at_login(on),
            Action::Quit => self.quit(),
        }
    }

    async fn window_said(&mut self, number: Number, said: Said) {
        match self.window.said(number, said) {
            Heard::Nothing => {}
            Heard::Quit => self.quit(),
            Heard::Closed => {
                self.untold.remove(own::CLOSED);
                self.say_once(TOLD_CLOSED, own::closed(self.seen.now()));
            }
            Heard::Missed(place) => self.open(place).await,
            Heard::Cannot(place, words) => {
                tracing::warn!(words, "no window, so the console opens in the browser");
                self.browse(&place);
            }
            Heard::Broke(words) => {
                tracing::warn!(words, "the window ended badly");
                self.tell(Told::Note(own::window_broke()));
            }
        }
    }

    /// No panel shows the icon, so the window is the way in.
    async fn no_panel_yet(&mut self) {
        self.say_once(TOLD_NO_PANEL, own::no_panel());
        if std::mem::take(&mut self.hidden) {
            self.open(Place::Any).await;
        }
    }

    async fn open(&mut self, place: Place) {
        let links = self.links.clone();
        if let Err(error) = self.window.show(&place, || links.window()).await {
            tracing::warn!(%error, "no window, so the console opens in the browser");
            self.browse(&place);
        }
    }

    fn browse(&self, place: &Place) {
        let place = place.fragment().unwrap_or_default();
        let (link, events) = (self.links.browser() + &place, self.events.clone());
        tokio::spawn(async move {
            if let Err(error) = browser::open(&link).await {
                events.tell(Event::NoBrowser(error.to_string()));
            }
        });
    }

    fn start_at_login(&mut self, on: bool) {
        let Some(folder) = &self.autostart else { return };
        if let Err(error) = autostart::set(folder, &self.starts_anew, self.state.as_deref(), on) {
            let body = format!("{} can't be changed: {error}.", folder.display());
            self.tell(Told::Note(own::login_unchanged(&body)));
        }
    }

    fn around(&self) -> Around {
        let (settings, _) = self.runner.settings();
        let (notify, window) = (settings.notify, settings.policy.resume_within);
        Around { notify, window, front: self.window.front(), now: repose_sys::clock::now().wall }
    }

    /// Notifies unless that was done before, including by an earlier start.
    fn say_once(&mut self, key: &str, note: Note) {
        if self.runner.value(key).is_ok_and(|said| said.is_none()) {
            self.tell(Told::Note(note));
        }
    }

    fn tell_all(&mut self, told: Vec<Told>) {
        if told.is_empty() {
            return;
        }
        for told in &told {
            match told {
                Told::Note(Note { key, .. }) | Told::Over(key) => self.untold.remove(key),
                Told::Instead(_) => false, // seen or not as the one before
            };
        }
        let told: Vec<Told> = told.into_iter().filter_map(|told| self.held_back(told)).collect();
        // Recorded before it is shown: a crash in between loses a notification rather than repeating it.
        self.keep_told();
        for told in told {
            self.tell(told);
        }
    }

    /// The part of this that is to be done now. `None`: it is held back.
    fn held_back(&mut self, told: Told) -> Option<Told> {
        let note = match &told {
            Told::Note(note) | Told::Instead(note) => Some(Box::new(note.clone())),
            Told::Over(_) => None,
        };
        let now = self.held.now(told);
        if let (None, Some(note)) = (&now, note) {
            let events = self.events.clone();
            tokio::spawn(async move {
                tokio::time::sleep(CHOICES_WITHIN).await;
                events.tell(Event::Due(note));
            });
        }
        now
    }

    fn keep_told(&self) {
        let unseen = self.untold.iter().chain(self.held.keys()).cloned().collect();
        keep(&self.runner, TOLD, &self.news.told(&unseen));
    }

    fn tell(&mut self, told: Told) {
        if let Told::Over(key) = &told {
            self.dialogs.over(key);
        }
        self.bus.tell(told);
    }
}

fn tray(runner: &Runner, autostart: Option<&Path>) -> Tray {
    let at_login = autostart.is_some_and(autostart::is_on);
    menu::tray(&runner.list(), runner.totals(), runner.settings().1.as_ref(), at_login)
}

/// Reports every change as an event.
async fn follow(mut changes: broadcast::Receiver<Change>, events: Events) {
    loop {
        match changes.recv().await {
            // There are several a second during a turn, and nothing here shows a conversation.
            Ok(Change::Grew(..)) => {}
            Ok(change) => events.tell(Event::Changed(change)),
            Err(RecvError::Lagged(_)) => events.tell(Event::ChangedMuch),
            Err(RecvError::Closed) => break,
        }
    }
}

fn keep(runner: &Runner, key: &str, value: &str) {
    if let Err(trouble) = runner.set_value(key, value) {
        tracing::warn!("{}", trouble.sentence);
    }
}

mod asks;
mod delivery;
