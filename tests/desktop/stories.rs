//! What a user does with the app.

mod costs;
mod notes;
mod panel;
mod quit;
mod starts;
mod tray;
mod window;
