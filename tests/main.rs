//! Whole stories, told to the real programs. One test binary: the support is compiled once.

mod stories;
mod support;
