//! The app's one loop: what happens goes in, and the tray, the notifications and the window follow.
//!
//! It decides nothing about repos. What is shown is made by pure functions ([`menu::tray`], [`News`],
//! [`quit::question`]); orders go to the runner.

use std::path::PathBuf;
use std::time::Duration;

use repose_console::{CancellationToken, Links, Wanted};
use repose_core::ids::RepoId;
use repose_runner::{Change, Runner};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};

use crate::event::{Event, Events};
use crate::notify::bus::Bus;
use crate::notify::news::{self, Around, News, Note, Press, Told};
use crate::notify::stood;
use crate::orders::{Order, Orders};
use crate::quit::{self, Choice, Question};
use crate::tray::item::{self, Panel};
use crate::tray::menu::{self, Action, Tray};
use crate::window::{self, Heard, Number, Said, Window};
use crate::{Programs, autostart, browser};

/// Changes come in crowds; the tray follows the last of them after this.
const SETTLES: Duration = Duration::from_millis(100);

/// At a start, a panel that shows icons is waited for so long: at login both start together. Then the window is the
/// way in, and a word says why.
const PANEL_WITHIN: Duration = Duration::from_secs(10);

/// Where the runner's store keeps what this app has told.
const TOLD: &str = "desktop.told";
/// Where it keeps what of that can still be seen.
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
    /// Notifications that could be seen when an earlier start ended.
    standing: Option<String>,
    bus: Option<Bus>,
    panel: Option<Panel>,
    /// What the panel was last given.
    given: Option<Tray>,
    /// There is a panel that shows it.
    seen: bool,
    autostart: Option<PathBuf>,
    hidden: bool,
    /// What was asked before quitting, until it is answered.
    asked: Option<Question>,
    quits: bool,
}

impl App {
    pub(crate) fn new(runner: Runner, links: Links, programs: Programs, hidden: bool) -> Self {
        let (events, heard) = Events::new();
        let kept = |key| {
            runner.value(key).unwrap_or_else(|trouble| {
                tracing::warn!("{}", trouble.sentence);
                None
            })
        };
        let (told, standing) = (kept(TOLD), kept(STANDING));
        let (_, stood) = stood::read(standing.as_deref().unwrap_or_default());
        Self {
            orders: Orders::new(runner.clone(), events.clone()),
            window: Window::new(programs.window.clone(), events.clone()),
            news: News::new(told.as_deref(), stood.into_iter().map(|one| one.key)),
            standing,
            runner,
            links,
            programs,
            events,
            heard,
            bus: None,
            panel: None,
            given: None,
            seen: false,
            autostart: autostart::folder(|name| std::env::var_os(name)),
            hidden,
            asked: None,
            quits: false,
        }
    }

    /// Runs until somebody quits, or `stop`. `asked` is where other programs ask for the window.
    pub(crate) async fn run(mut self, mut asked: Receiver<Wanted>, stop: CancellationToken) {
        self.follow();
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
                () = stop.cancelled() => break,
                () = settled => {
                    settles = None;
                    self.show_tray().await;
                    continue;
                }
                Some(Wanted { repo, comes }) = asked.recv() => {
                    // An asker that has given up doesn't hear it.
                    let _ = comes.send(());
                    Event::Show(repo.map(RepoId::new))
                }
                Some(event) = self.heard.recv() => event,
            };
            self.handle(event).await;
            settles.get_or_insert_with(|| tokio::time::Instant::now() + SETTLES);
        }
        stop.cancel();
        if let Some(bus) = &self.bus {
            bus.end().await;
        }
    }

    /// Hears of every change from now on.
    fn follow(&self) {
        let (mut changes, events) = (self.runner.subscribe(), self.events.clone());
        tokio::spawn(async move {
            loop {
                match changes.recv().await {
                    // Several a second while a turn goes on, and nothing here shows a conversation.
                    Ok(Change::Grew(..)) => {}
                    Ok(change) => events.tell(Event::Changed(change)),
                    Err(RecvError::Lagged(_)) => {
                        changes = changes.resubscribe();
                        events.tell(Event::ChangedMuch);
                    }
                    Err(RecvError::Closed) => break,
                }
            }
        });
    }

    async fn begin(&mut self) {
        match Bus::connect(self.standing.take().as_deref(), self.events.clone()).await {
            Ok(bus) => self.bus = Some(bus),
            Err(error) => tracing::warn!(%error, "there is no session bus: no notifications, no tray"),
        }
        let tray = self.tray();
        // It says so itself if nobody shows it.
        self.seen = true;
        match item::offer(tray.clone(), self.events.clone()).await {
            Ok(panel) => (self.panel, self.given) = (Some(panel), Some(tray)),
            Err(error) => {
                tracing::warn!(%error, "no tray");
                self.seen = false;
            }
        }
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(PANEL_WITHIN).await;
            events.tell(Event::NoPanelYet);
        });
        if !self.hidden {
            self.open(None).await;
        }
        self.all_looked_at().await;
    }

    async fn handle(&mut self, event: Event) {
        match event {
            Event::Changed(change) => self.changed(change).await,
            Event::ChangedMuch => self.all_looked_at().await,
            Event::Chosen(action) => self.chosen(action).await,
            Event::Panel(seen) => {
                tracing::info!(seen, "a panel for the tray's icon");
                self.seen = seen;
            }
            Event::NoPanelYet => self.no_panel_yet().await,
            Event::Window(number, said) => self.window_said(number, said).await,
            Event::Pressed(Press::Open(repo)) | Event::Show(repo) => self.open(repo).await,
            Event::Pressed(Press::PauseAnyway(repo)) => {
                self.orders.give(repo, Order::Pause { interrupt: true });
            }
            Event::Pressed(Press::Decide(repo, decision, choice)) => {
                self.orders.give(repo, Order::Decide { decision, choice });
            }
            Event::Pressed(Press::Quit(choice)) => self.events.tell(Event::Answered(choice)),
            Event::NoteClosed => self.keep_standing().await,
            Event::Refused(repo, trouble) => {
                let name = self.runner.shown(&repo).map_or_else(|| repo.to_string(), |shown| shown.name);
                self.tell(Told::Note(news::refused(&repo, &name, &trouble))).await;
            }
            Event::Answered(choice) => {
                let asked = self.asked.take();
                match choice {
                    Choice::Leave => self.quits = true,
                    // Only what was named may be cut off.
                    Choice::Stop if quit::question(&self.runner.list()) == asked => self.orders.stop_all(),
                    Choice::Stop => self.quit().await,
                    Choice::Cancel => {}
                }
            }
            Event::NoBrowser(why) => self.tell(Told::Note(no_browser(&why))).await,
            Event::Stopped(Ok(())) => self.quits = true,
            Event::Stopped(Err((repo, trouble))) => {
                self.events.tell(Event::Refused(repo, trouble));
            }
        }
    }

    async fn changed(&mut self, change: Change) {
        let around = self.around();
        let told = match change {
            Change::Repo(shown) => self.news.repo(&shown, around),
            Change::Removed(repo) => self.news.removed(&repo),
            Change::Notice(repo, notice) => self.news.notice(&repo, &notice, around),
            Change::Totals(_) | Change::Settings | Change::Grew(..) => return,
        };
        self.tell_all(told).await;
    }

    async fn all_looked_at(&mut self) {
        let (around, all) = (self.around(), self.runner.list());
        let gone = self.news.only(&all);
        self.tell_all(gone).await;
        for shown in all {
            let told = self.news.repo(&shown, around);
            self.tell_all(told).await;
        }
    }

    async fn chosen(&mut self, action: Action) {
        match action {
            Action::Open(repo) => self.open(repo).await,
            Action::Browse => self.browse(None),
            Action::Pause(repo) => self.orders.give(repo, Order::Pause { interrupt: false }),
            Action::Resume(repo) => self.orders.give(repo, Order::Resume),
            Action::Interrupt(repo) => self.orders.give(repo, Order::Interrupt),
            Action::PauseAll => self.orders.pause_all(),
            Action::ResumeAll => self.orders.resume_all(),
            Action::StartAtLogin(on) => self.start_at_login(on).await,
            Action::Quit => self.quit().await,
        }
    }

    async fn window_said(&mut self, number: Number, said: Said) {
        match self.window.said(number, said) {
            Heard::Nothing => {}
            Heard::Quit => self.quit().await,
            Heard::Closed => self.say_once(TOLD_CLOSED, closed(self.seen)).await,
            Heard::Missed(repo) => self.open(repo).await,
            Heard::Broke(words) => {
                tracing::warn!(words, "the window ended badly");
                self.tell(Told::Note(news::of_app(
                    "window",
                    "The window could not stay open",
                    "Repose and its agents go on. \"Open in browser\" in the tray, or `repose console`, shows the same.",
                )))
                .await;
            }
        }
    }

    /// No panel shows the icon, so the window is the way in.
    async fn no_panel_yet(&mut self) {
        if self.seen {
            return;
        }
        self.say_once(TOLD_NO_PANEL, no_panel()).await;
        if self.hidden {
            self.open(None).await;
        }
    }

    async fn open(&mut self, repo: Option<RepoId>) {
        let links = self.links.clone();
        if let Err(error) = self.window.show(repo.as_ref(), || links.window()).await {
            tracing::warn!(%error, "no window, so the console opens in the browser");
            self.browse(repo.as_ref());
        }
    }

    fn browse(&self, repo: Option<&RepoId>) {
        let place = repo.map(|repo| format!("#/repo/{repo}")).unwrap_or_default();
        let (link, events) = (self.links.browser() + &place, self.events.clone());
        tokio::spawn(async move {
            if let Err(error) = browser::open(&link).await {
                events.tell(Event::NoBrowser(error.to_string()));
            }
        });
    }

    async fn start_at_login(&mut self, on: bool) {
        let Some(folder) = &self.autostart else { return };
        if let Err(error) = autostart::set(folder, &self.programs.own, on) {
            let body = format!("{} can't be changed: {error}.", folder.display());
            self.tell(Told::Note(news::of_app("login", "Start at login was not changed", &body))).await;
        }
    }

    async fn quit(&mut self) {
        if self.asked.is_some() && self.programs.window.is_some() {
            return; // its dialog is open
        }
        let Some(question) = quit::question(&self.runner.list()) else {
            self.quits = true;
            return;
        };
        self.asked = Some(question.clone());
        let Some(program) = self.programs.window.clone() else {
            return self.tell(Told::Note(news::of_quit(question))).await;
        };
        let events = self.events.clone();
        tokio::spawn(async move {
            let choice = window::ask(&program, question).await;
            events.tell(Event::Answered(choice));
        });
    }

    fn tray(&self) -> Tray {
        let at_login = self.autostart.as_deref().is_some_and(autostart::is_on);
        menu::tray(&self.runner.list(), self.runner.totals(), at_login)
    }

    /// Gives the panel what differs from before.
    async fn show_tray(&mut self) {
        let tray = self.tray();
        if self.given.as_ref() == Some(&tray) {
            return;
        }
        if let Some(panel) = &self.panel {
            panel.show(tray.clone()).await;
        }
        self.given = Some(tray);
    }

    fn around(&self) -> Around {
        let (settings, _) = self.runner.settings();
        Around {
            notify: settings.notify,
            resume_within: settings.policy.resume_within,
            front: self.window.front(),
            now: repose_sys::clock::now().wall,
        }
    }

    /// Says it, unless it was said before, also by an earlier start.
    async fn say_once(&mut self, key: &str, note: Note) {
        if self.runner.value(key).is_ok_and(|said| said.is_some()) {
            return;
        }
        self.tell(Told::Note(note)).await;
        self.keep(key, "1");
    }

    async fn tell_all(&mut self, told: Vec<Told>) {
        if told.is_empty() {
            return;
        }
        // Before it is seen: a crash in between leaves one untold, and none told twice.
        self.keep(TOLD, &self.news.told());
        for told in told {
            self.tell(told).await;
        }
    }

    async fn tell(&self, told: Told) {
        if let Some(bus) = &self.bus {
            bus.tell(told).await;
        }
        self.keep_standing().await;
    }

    async fn keep_standing(&self) {
        if let Some(bus) = &self.bus {
            self.keep(STANDING, &bus.standing().await);
        }
    }

    fn keep(&self, key: &str, value: &str) {
        if let Err(trouble) = self.runner.set_value(key, value) {
            tracing::warn!("{}", trouble.sentence);
        }
    }
}

fn closed(in_tray: bool) -> Note {
    let way_back = if in_tray {
        "Its icon in the panel opens it again and pauses repos; Quit… there ends it."
    } else {
        "Start Repose again to see it. Ctrl+Q in its window ends it."
    };
    news::of_app("closed", "Repose goes on without its window", way_back)
}

fn no_browser(why: &str) -> Note {
    let body = format!("{why}. `repose console --print` gives a link to the console, to be opened by hand.");
    let mut note = news::of_app("browser", "No browser was opened", &body);
    note.click = None; // it could come to the same once more
    note
}

fn no_panel() -> Note {
    news::of_app(
        "no-panel",
        "Repose has no icon on this desktop",
        "No panel here shows tray icons (StatusNotifierItem). Its window is the way in: start Repose again to see it. \
         On GNOME, the extension \"AppIndicator\" adds them.",
    )
}
