//! What people are told without asking: decided as values ([`news`]), shown by the desktop's own service
//! ([`bus`]), or in dialogs where there is none ([`instead`]).

pub(crate) mod bus;
pub(crate) mod held;
pub(crate) mod instead;
pub(crate) mod news;
pub(crate) mod own;
mod standing;
pub(crate) mod stood;
pub(crate) mod unshown;
