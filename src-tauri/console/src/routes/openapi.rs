//! The API's own description.

use axum::Json;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Document;

use super::{ask, desk, events, folders, login, look, repos, settings, terminal};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Repose",
        description = "Loopback only. A program sends `Authorization: Bearer TOKEN` (the file `token` in the state folder), a \
            browser the cookie that `repose console` gives it; without either all of these are 401. `Host` must be loopback, \
            `Origin` must be the same host, and must be there on everything but GET. Times are RFC 3339 in UTC with \
            milliseconds."
    ),
    paths(
        repos::list,
        repos::add,
        repos::show,
        repos::remove,
        repos::ensure,
        repos::pause,
        repos::resume,
        repos::fresh,
        repos::stop,
        repos::switch,
        repos::interrupt,
        desk::keep_image,
        desk::image,
        desk::show,
        repos::fork,
        repos::answer,
        repos::used,
        repos::pin,
        repos::unpin,
        repos::pause_all,
        repos::resume_all,
        ask::ask,
        ask::answer,
        ask::withdraw,
        look::status,
        look::doctor,
        look::engines,
        look::diagnostics,
        look::runner_log,
        look::why,
        look::asks,
        look::conversations,
        look::conversation,
        look::find,
        look::log,
        look::recent,
        settings::read,
        settings::change,
        events::stream,
        folders::used,
        folders::complete,
        terminal::attach,
        login::link,
        login::window_link,
        login::hand_over,
        login::show,
    ),
    components(schemas(crate::wire::Delta))
)]
struct Api;

pub(super) async fn document() -> Json<Document> {
    Json(Api::openapi())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use utoipa::OpenApi;

    use super::Api;

    /// All texts between `from` and the next `"`.
    fn named<'a>(source: &'a str, from: &str) -> BTreeSet<&'a str> {
        source.split(from).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn every_route_is_described_and_the_page_knows_no_other() {
        let routes: BTreeSet<&str> = include_str!("../routes.rs")
            .split(".route(")
            .skip(1)
            .filter_map(|rest| rest.split('"').nth(1))
            .filter(|path| path.starts_with("/api/") && *path != "/api/openapi.json")
            .collect();
        let document = Api::openapi();
        let described: BTreeSet<&str> = document.paths.paths.keys().map(String::as_str).collect();
        assert_eq!(described, routes);
        let page = include_str!("../../../../ui/src/state/app.svelte.ts");
        let known: BTreeSet<&str> =
            named(page, ": '").iter().filter_map(|rest| rest.split('\'').next()).collect();
        let asked: BTreeSet<&str> = known.into_iter().filter(|path| path.starts_with("/api/")).collect();
        assert!(asked.len() > 5 && asked.is_subset(&described), "{asked:?}");
    }
}
