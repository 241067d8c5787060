//! Which processes listen for connections.

use std::net::SocketAddr;

use crate::platform;
use crate::process::ProcessId;

/// A TCP socket in the listening state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Listening {
    /// A process that has it open. A socket that several share is listed for each.
    pub process: ProcessId,
    /// Where it listens, as seen in that process's network namespace.
    pub address: SocketAddr,
}

/// The listening TCP sockets (IPv4 and IPv6) that these processes have open. One that is gone has
/// none. Another user's processes can't be looked into and show none.
///
/// # Errors
/// `Unsupported` on macOS, where Repose has no way to ask yet.
pub fn listening(processes: &[ProcessId]) -> std::io::Result<Vec<Listening>> {
    let found = platform::listening(processes)?;
    Ok(found.into_iter().map(|(process, address)| Listening { process, address }).collect())
}

/// The sockets that none of `from` has: a forked child has the sockets of its parent until it executes
/// another program, and serves nothing on them.
pub fn not_inherited<'a>(
    sockets: &'a [Listening],
    from: &'a [ProcessId],
) -> impl Iterator<Item = &'a Listening> {
    let of_theirs = |socket: &&Listening| from.contains(&socket.process);
    sockets.iter().filter(move |socket| {
        !sockets.iter().filter(of_theirs).any(|theirs| theirs.address == socket.address)
    })
}

#[cfg(test)]
mod tests;
