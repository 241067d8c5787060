//! The identity of the process at the other end of a Unix socket.

use std::io;
use std::os::fd::AsFd;

use crate::platform;

/// User id of the process that connected (or that listens, seen from the client), as it was when
/// the connection was made. The kernel says so, not the peer (SO_PEERCRED on Linux).
///
/// # Errors
/// If the descriptor is no connected Unix socket; `Unsupported` on macOS. A caller that meets an
/// error refuses the peer.
pub fn uid(socket: impl AsFd) -> io::Result<u32> {
    platform::peer_uid(socket)
}

/// Whether the peer runs as the calling process's user.
///
/// # Errors
/// As [`uid`].
pub fn is_me(socket: impl AsFd) -> io::Result<bool> {
    Ok(uid(socket)? == rustix::process::geteuid().as_raw())
}
