//! The icon in the panel and its menu: what it shows is a value ([`menu`]); one file ([`item`]) touches the
//! real one.

pub(crate) mod item;
pub(crate) mod menu;
mod picture;
