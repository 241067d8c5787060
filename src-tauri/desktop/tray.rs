//! The icon in the panel and its menu. What it shows is a value ([`menu`]); only [`item`] touches the real
//! one.

pub(crate) mod item;
pub(crate) mod menu;
mod picture;
pub(crate) mod seen;
