//! The events stream: the whole state, then numbered changes.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use repose_runner::{Change, Runner};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::repos::CLIENT_MAX;
use super::{App, READERS_MAX, answer};
use crate::wire::{Delta, Snapshot};

/// The header with which a page identifies itself: the same id with which it reports that somebody uses a
/// repo.
const PAGE: &str = "repose-page";

struct Reader {
    app: App,
    changes: Receiver<Change>,
    /// The number of the last change that was sent; 0 before the first.
    seq: u64,
    /// Whether the whole state is to be sent next.
    anew: bool,
    _place: OwnedSemaphorePermit,
    _page: Option<Page>,
}

/// How many streams each page reads: the next one of a page that connects anew may begin before its last is
/// seen to be gone. There are no more than readers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pages(Arc<Mutex<HashMap<String, usize>>>);

impl Pages {
    fn begins(&self, page: &str) {
        *self.lock().entry(page.to_owned()).or_default() += 1;
    }

    /// `left` is called with the end of its last one, before another can begin.
    fn ends(&self, page: &str, left: impl FnOnce()) {
        let mut pages = self.lock();
        match pages.get_mut(page) {
            Some(streams) if *streams > 1 => *streams -= 1,
            Some(_) | None => {
                pages.remove(page);
                left();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The page that reads. When its last stream ends, nobody uses any repo through it: a window that was closed
/// can't report that any more.
struct Page {
    pages: Pages,
    runner: Runner,
    client: String,
}

impl Page {
    fn new(app: &App, client: &str) -> Self {
        app.pages.begins(client);
        Self { pages: app.pages.clone(), runner: app.runner.clone(), client: client.to_owned() }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.pages.ends(&self.client, || self.runner.left(&self.client));
    }
}

/// Server-sent events. `snapshot` comes first, and again whenever the reader was too slow for the changes;
/// each `delta` has the next number, from 1 in each connection. Opens nothing. Once a page that identified
/// itself stops reading, nobody uses a repo through it.
#[utoipa::path(get, path = "/api/events", params(
    ("Repose-Page" = Option<String>, Header, description = "The page's word, as in `used`")), responses(
    (status = 200, description = "Events `snapshot` and `delta`", content_type = "text/event-stream", body = Snapshot),
    (status = 503, description = "Too many readers")))]
pub(super) async fn stream(State(app): State<App>, headers: HeaderMap) -> Response {
    let Ok(place) = Arc::clone(&app.readers).try_acquire_owned() else {
        let sentence = format!("{READERS_MAX} readers follow the events already. Close one.");
        return answer::plain(StatusCode::SERVICE_UNAVAILABLE, "too_many", &sentence);
    };
    let changes = app.runner.subscribe();
    let word = headers.get(PAGE).and_then(|word| word.to_str().ok()).filter(|word| word.len() <= CLIENT_MAX);
    let page = word.map(|word| Page::new(&app, word));
    let reader = Reader { app, changes, seq: 0, anew: true, _place: place, _page: page };
    let events = stream::unfold(reader, async |mut reader| {
        let event = reader.next().await?;
        Some((Ok::<_, Infallible>(event), reader))
    });
    Sse::new(Box::pin(events)).keep_alive(KeepAlive::default()).into_response()
}

impl Reader {
    /// The next event. `None`: the runner stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if self.anew {
                self.anew = false;
                return event("snapshot", self.seq, &self.snapshot());
            }
            let change = tokio::select! {
                () = self.app.stop.cancelled() => return None,
                change = self.changes.recv() => change,
            };
            match change {
                Ok(change) if !Delta::tells(&change) => {}
                Ok(change) => {
                    self.seq += 1;
                    return event("delta", self.seq, &Delta::new(self.seq, change));
                }
                Err(RecvError::Lagged(_)) => {
                    // What is still queued is older than what is read now.
                    self.changes = self.changes.resubscribe();
                    self.anew = true;
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        let repos = self.app.runner.map(|repo| repo.into());
        Snapshot { seq: self.seq, repos, totals: self.app.runner.totals().into() }
    }
}

fn event(name: &str, seq: u64, data: &impl Serialize) -> Option<Event> {
    Event::default().event(name).id(seq.to_string()).json_data(data).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use repose_runner::{Change, Home, Runner, Totals};
    use tokio::sync::{Semaphore, broadcast};

    use super::super::App;
    use super::{Pages, READERS_MAX, Reader};
    use crate::auth::Auth;

    #[test]
    fn a_page_is_left_with_the_end_of_its_last_stream() {
        let pages = Pages::default();
        let ends = |page| {
            let mut left = false;
            pages.ends(page, || left = true);
            left
        };
        pages.begins("one");
        pages.begins("other");
        pages.begins("one"); // it connects anew, and the stream before is still there
        assert!(!ends("one"), "it reads on");
        assert!(ends("other") && ends("one"));
        pages.begins("one");
        assert!(ends("one"));
    }

    #[tokio::test]
    async fn a_reader_that_was_too_slow_for_the_changes_gets_everything_anew() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let home = Home::under(folder.path().join("repose"));
        let options = repose_runner::Options { program: "/bin/false".into(), env: Vec::new() };
        let runner = Runner::start(home, options).await.expect("a runner");
        let kept = |name| folder.path().join(name);
        let auth = Auth::open(&kept("token"), &kept("logins"), 1).expect("a writable folder");
        let app =
            App::new(runner.clone(), Arc::new(auth), "http://127.0.0.1:1", false, None, Default::default());
        let (changes, heard) = broadcast::channel(2);
        let place = Arc::new(Semaphore::new(READERS_MAX)).try_acquire_owned().expect("a place");
        let mut reader = Reader { app, changes: heard, seq: 0, anew: true, _place: place, _page: None };
        let tell = || changes.send(Change::Totals(Totals::default())).expect("a reader");
        let mut next = async || format!("{:?}", reader.next().await.expect("an event"));

        assert!(next().await.contains("snapshot"));
        tell();
        assert!(next().await.contains("delta"));
        (0..5).for_each(|_| {
            tell();
        });
        assert!(next().await.contains("snapshot"), "what was missed can't be told one by one");
        tell();
        let after = next().await;
        assert!(after.contains("delta") && after.contains("\\\"seq\\\":2"), "{after}");
        runner.shutdown();
    }
}
