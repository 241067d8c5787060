use super::{Listening, not_inherited};
use crate::process::ProcessId;

#[test]
fn a_socket_that_a_child_only_has_from_its_parent_isnt_its_own() {
    let (parent, child) = (ProcessId { pid: 7, start: 1 }, ProcessId { pid: 8, start: 2 });
    let at = |process, port: u16| Listening { process, address: ([127, 0, 0, 1], port).into() };
    let sockets = [at(parent, 4096), at(child, 4096), at(child, 5173)];
    assert_eq!(not_inherited(&sockets, &[parent]).collect::<Vec<_>>(), [&at(child, 5173)]);
    assert_eq!(not_inherited(&sockets, &[]).count(), 3);
}
