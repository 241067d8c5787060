//! Looking at real processes: which there are, what they hold, what they do.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;

use crate::support::{bash, spawn, until, written};
use repose_sys::memory::Measured;
use repose_sys::{ProcessId, end, memory, sockets, tree};

fn finish(children: Vec<std::process::Child>) {
    for mut child in children {
        let id = ProcessId::of(child.id());
        if let Some(id) = id {
            let _ = end::kill_below(id, &[], Duration::from_secs(10));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

#[test]
fn a_tree_is_seen_whole_with_what_each_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let (child, root) = spawn(bash(
        dir.path(),
        "setsid bash -c 'echo $$ > leader; sleep 1000 & wait' & bash -c 'exit 3' & wait %1",
    ));
    let leader = written(&dir.path().join("leader"));
    let below = until("the grandchild", || {
        let below = tree::below(root);
        (below.members.len() == 2).then_some(below)
    });
    let of_leader = below.members.iter().find(|member| member.id == leader).expect("the leader");
    let sleeper = below.members.iter().find(|member| member.parent == leader.pid).expect("its child");
    assert_eq!((of_leader.session, of_leader.group, of_leader.parent), (leader.pid, leader.pid, root.pid));
    assert_eq!((sleeper.session, sleeper.name.as_str()), (leader.pid, "sleep"));
    assert_eq!(sleeper.command, ["sleep", "1000"]);
    assert_eq!(sleeper.id.command(), Some(vec!["sleep".to_owned(), "1000".to_owned()]));
    assert_eq!(below.ids().len(), 2);
    assert!(!below.ids().contains(&root));
    let gone = ProcessId { pid: root.pid, start: root.start + 1 };
    assert_eq!(tree::below(gone), tree::Tree::default());
    finish(vec![child]);
}

#[test]
fn one_that_ends_while_it_is_looked_at_is_known_to_have_ended() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut child, id) = spawn(bash(dir.path(), "read -t 1000 <> <(:)"));
    let seen = tree::all().into_iter().find(|member| member.id == id).expect("it is seen");
    let unnamed = tree::Member { command: Vec::new(), ..seen };
    assert!(!unnamed.has_ended(), "a live one may have no command line");
    child.kill().expect("it runs");
    until("its end", || unnamed.has_ended().then_some(()));
    finish(vec![child]);
}

#[test]
fn arguments_are_told_apart_and_kept_when_empty() {
    let dir = tempfile::tempdir().expect("a folder");
    let (child, id) =
        spawn(bash(dir.path(), "exec -a 'odd name' bash -c 'read -t 1000 <> <(:); :' x '' 'a b' ''"));
    let command = until("the second program", || id.command().filter(|command| command[0] == "odd name"));
    assert_eq!(command[3..], ["x", "", "a b", ""]);
    finish(vec![child]);
}

#[test]
fn the_mark_finds_what_has_lost_its_parents() {
    let dir = tempfile::tempdir().expect("a folder");
    let mark = format!("test-{}", std::process::id());
    let script = "( setsid bash -c 'echo $$ > orphan; exec sleep 1000' & ); env -i setsid bash -c 'echo $$ > wiped; exec sleep 1000' & wait";
    let mut command = bash(dir.path(), script);
    command.env(tree::MARK, &mark);
    let (child, root) = spawn(command);
    let (orphan, wiped) = (written(&dir.path().join("orphan")), written(&dir.path().join("wiped")));
    let found = until("both that carry the mark", || {
        let found: Vec<ProcessId> = tree::marked(&mark).into_iter().map(|member| member.id).collect();
        (found.contains(&root) && found.contains(&orphan)).then_some(found)
    });
    assert!(!found.contains(&wiped), "a wiped environment carries no mark");
    assert_eq!(tree::marked(&mark[..mark.len() - 1]), [], "a mark is matched whole");
    let ended = end::these(&found, Duration::from_secs(10));
    assert_eq!((ended.left, orphan.alive()), (vec![], false));
    assert_eq!(tree::marked(&mark), []);
    end::kill_exact(wiped).expect("it ends");
    finish(vec![child]);
}

#[test]
fn memory_is_what_the_kernel_says_by_hand() {
    let dir = tempfile::tempdir().expect("a folder");
    // 32 MB in the parent, shared with two forks that write nothing.
    let script = "x=$(head -c 32000000 /dev/zero | tr '\\0' x); (read -t 1000 <> <(:); :) & (read -t 1000 <> <(:); :) & echo $! > last; wait";
    let (child, root) = spawn(bash(dir.path(), script));
    written(&dir.path().join("last"));
    // The forks start processes of a moment's life: looked at is the tree once those are gone.
    let (told, by_hand, all) = until("two looks at both forks that agree", || {
        let mut all = vec![root];
        all.extend(tree::below(root).ids());
        let before = by_hand(&all).filter(|_| all.len() == 3)?;
        let told = memory::of(&all);
        (by_hand(&all) == Some(before)).then_some((told, before, all))
    });
    assert_eq!((told.processes, told.measured), (all.len(), Measured::Pss));
    assert!(told.bytes.abs_diff(by_hand) * 50 < by_hand, "{} against {by_hand}", told.bytes);
    assert!(told.bytes > 32_000_000 && told.bytes < 96_000_000, "shared pages count once: {}", told.bytes);

    let twice: Vec<ProcessId> = all.iter().chain(&all).copied().collect();
    assert_eq!(memory::of(&twice).processes, all.len());
    let reused = ProcessId { pid: root.pid, start: root.start + 1 };
    assert_eq!(memory::of(&[reused]).bytes, 0);
    finish(vec![child]);
    assert_eq!((memory::of(&all).bytes, memory::of(&all).processes), (0, 0));
}

fn by_hand(ids: &[ProcessId]) -> Option<u64> {
    let field = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).expect("the field");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    };
    ids.iter()
        .map(|id| std::fs::read_to_string(format!("/proc/{}/smaps_rollup", id.pid)).ok())
        .map(|text| text.map(|text| field(&text, "Pss:") + field(&text, "SwapPss:")))
        .sum()
}

#[test]
fn memory_of_another_user_is_resident_size_and_said_so() {
    let asked = std::thread::spawn(|| {
        if rustix::process::geteuid().is_root() {
            let nobody = rustix::process::Uid::from_raw(65534);
            rustix::thread::set_thread_uid(nobody).expect("this thread becomes nobody");
        }
        let init = ProcessId::of(1).expect("init");
        let status = std::fs::read_to_string("/proc/1/status").expect("its status");
        (memory::of(&[init]), status)
    });
    let (told, status) = asked.join().expect("the thread ends");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its size");
    let resident: u64 = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024;
    assert_eq!((told.processes, told.measured), (1, Measured::Rss));
    // The kernel counts resident pages in batches for one of the two files.
    assert!(told.bytes > 0 && told.bytes.abs_diff(resident) < 2 * 1024 * 1024, "{} {resident}", told.bytes);
}

#[test]
fn the_machine_has_the_memory_that_meminfo_says() {
    let text = std::fs::read_to_string("/proc/meminfo").expect("meminfo");
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:")).expect("the total");
    let total: u64 = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024;
    assert_eq!(memory::of_machine(), total);
}

#[test]
fn listening_sockets_are_known_by_who_holds_them() {
    let own = ProcessId::own().expect("this process");
    let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    let v6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).ok();
    let address = v4.local_addr().expect("its address");
    let _talking = std::net::TcpStream::connect(address).expect("a connection");
    let found = |id| -> Vec<SocketAddr> {
        sockets::listening(&[id]).expect("an answer").iter().map(|socket| socket.address).collect()
    };
    assert_eq!(found(own).iter().filter(|seen| **seen == address).count(), 1);
    if let Some(v6) = v6 {
        assert!(found(own).contains(&v6.local_addr().expect("its address")));
    }
    let (mut child, other) = spawn({
        let mut command = Command::new("sleep");
        command.arg("1000");
        command
    });
    assert_eq!(found(other), [], "a child that holds none has none");
    child.kill().expect("it ends");
    child.wait().expect("its status");
    drop(v4);
    assert!(!found(own).contains(&address));
}

#[test]
fn who_used_cpu_is_busy_and_who_slept_is_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let (child, root) =
        spawn(bash(dir.path(), "(while :; do :; done) & echo $! > busy; sleep 1000 & echo $! > idle; wait"));
    let (busy, idle) = (written(&dir.path().join("busy")), written(&dir.path().join("idle")));
    let before = tree::below(root).members;
    let used = until("some cpu was used", || {
        let used = tree::busy(&before, &tree::below(root).members);
        used.iter().any(|(_, time)| *time >= Duration::from_millis(50)).then_some(used)
    });
    assert_eq!(used.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [busy]);
    assert!(used.iter().all(|(id, _)| *id != idle));
    let new = tree::busy(&[], &tree::below(root).members);
    assert!(new.iter().any(|(id, time)| *id == busy && *time >= used[0].1), "one that is new counts whole");
    finish(vec![child]);
}
