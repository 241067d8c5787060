//! The operating system as Repose asks it, tried on real processes, files and sockets.

mod ending;
mod keeping;
mod login;
mod looking;
mod support;
