//! The real desktop app: its own X server and session bus, a panel and a notification service that the test
//! owns, the real Claude Code, and the real window driven through WebKitWebDriver.

mod app;
mod bus;
mod driver;
#[path = "../support/processor.rs"]
mod processor;
mod real_panel;
mod screen;
mod stories;
#[expect(dead_code, reason = "the stories of the command line use more of it")]
#[path = "../support/mod.rs"]
mod support;
