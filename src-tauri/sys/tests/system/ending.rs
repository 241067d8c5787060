//! Ending trees of real processes that do what they can to get away.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use crate::support::{bash, in_own_process, spawn, until, written};
use repose_sys::{ProcessId, State, end, tree};

const BOUND: Duration = Duration::from_secs(10);

/// Every way out that was known to work against a plain kill of the child, its group or session.
const ESCAPES: &str = r#"
set -m
sleep 1001 & echo $! > job
setsid bash -c 'echo $$ > setsid; exec sleep 1002' &
( ( bash -c 'echo $$ > double; exec sleep 1003' & ) & )
nohup bash -c 'echo $$ > nohup; exec sleep 1004' &
bash -c 'trap "" HUP TERM INT; echo $$ > deaf; while :; do read -t 1000 <> <(:); done' &
env -i setsid bash -c 'echo $$ > wiped; exec sleep 1005' &
setsid bash -c '( setsid bash -c "echo \$\$ > orphan; exec sleep 1006" & ); exit 0' &
wait
"#;

const ESCAPED: [&str; 7] = ["job", "setsid", "double", "nohup", "deaf", "wiped", "orphan"];

#[test]
fn nothing_below_a_subreaper_survives() {
    in_own_process("ending::nothing_below_a_subreaper_survives", || {
        end::become_subreaper().expect("a subreaper");
        let dir = tempfile::tempdir().expect("a folder");
        let (mut engine, root) = spawn(bash(dir.path(), ESCAPES));
        let escaped = ESCAPED.map(|name| written(&dir.path().join(name)));
        let own = ProcessId::own().expect("this process");
        let seen = tree::below(own).ids();
        assert!(escaped.iter().all(|id| seen.contains(id)), "{escaped:?} in {seen:?}");

        let ended = end::kill_below(own, &[engine.id()], BOUND);

        assert_eq!(ended.left, []);
        assert!(ended.killed.contains(&root));
        assert!(escaped.iter().all(|id| ended.killed.contains(id) && !id.alive()), "{ended:?}");
        assert!(ended.took < BOUND);
        let rest = tree::below(own);
        assert_eq!(rest.members, []);
        // Only the one whose status the caller asks for is left to be waited for.
        assert_eq!(rest.zombies, [root]);
        assert_eq!(engine.wait().expect("its status was not taken").signal(), Some(9));
    });
}

#[test]
fn a_tree_that_keeps_forking_is_caught() {
    in_own_process("ending::a_tree_that_keeps_forking_is_caught", || {
        end::become_subreaper().expect("a subreaper");
        let dir = tempfile::tempdir().expect("a folder");
        let forking = "for i in 1 2 3; do setsid bash -c 'echo $$ > forker; while :; do (setsid sleep 0.02 &) ; done' & done; wait";
        let (mut engine, _) = spawn(bash(dir.path(), forking));
        written(&dir.path().join("forker"));
        let own = ProcessId::own().expect("this process");
        let ended = end::kill_below(own, &[engine.id()], BOUND);
        assert_eq!(ended.left, []);
        assert_eq!(tree::below(own).members, []);
        engine.wait().expect("its status");
    });
}

#[test]
fn a_root_that_is_not_the_caller_is_spared() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut root, id) =
        spawn(bash(dir.path(), "sleep 1000 & echo $! > child; while :; do wait; read -t 1000 <> <(:); done"));
    let child = written(&dir.path().join("child"));
    let ended = end::kill_below(id, &[], BOUND);
    assert!(ended.killed.contains(&child) && !child.alive(), "{ended:?}");
    assert!(!ended.killed.contains(&id) && !ended.left.contains(&id));
    assert!(root.try_wait().expect("its status").is_none(), "the root itself goes on");
    root.kill().expect("the root ends");
    root.wait().expect("its status");
}

#[test]
fn orphans_that_ended_are_reaped_and_children_left_to_their_waiter() {
    in_own_process("ending::orphans_that_ended_are_reaped_and_children_left_to_their_waiter", || {
        end::become_subreaper().expect("a subreaper");
        let dir = tempfile::tempdir().expect("a folder");
        let go = dir.path().join("go");
        rustix::fs::mknodat(rustix::fs::CWD, &go, rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .expect("a fifo");
        let script = "( bash -c 'echo $$ > orphan; read < go' & ); exit 7";
        let (mut own_child, child) = spawn(bash(dir.path(), script));
        let orphan = written(&dir.path().join("orphan"));
        let own = ProcessId::own().expect("this process");
        std::fs::write(&go, "\n").expect("the orphan is let go");
        until("both are zombies of this process", || {
            let zombies = tree::below(own).zombies;
            (zombies.contains(&orphan) && zombies.contains(&child)).then_some(())
        });
        let reaped = end::reap_adopted(&[own_child.id()]);
        assert!(reaped.contains(&orphan) && !reaped.contains(&child), "{reaped:?}");
        assert_eq!(tree::below(own).zombies, [child]);
        assert_eq!(own_child.wait().expect("its status was not taken").code(), Some(7));
    });
}

#[test]
fn only_exact_matches_are_ended() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut first, meant) = spawn(bash(dir.path(), "trap '' TERM HUP; sleep 1000 & echo $! > child; wait"));
    let (mut second, other) = spawn(bash(dir.path(), "exec sleep 1000"));
    let child = written(&dir.path().join("child"));
    // The pid of a living process with another start time: what a reused pid looks like.
    let reused = ProcessId { pid: other.pid, start: other.start - 1 };
    let ended = end::these(&[meant, reused], BOUND);
    assert_eq!((ended.killed, ended.left), (vec![meant], vec![]));
    assert!(other.alive() && child.alive());
    let ended = end::these(&[meant, child, other], BOUND);
    assert_eq!(ended.left, []);
    assert!(!ended.killed.contains(&meant), "a zombie is not killed again");
    assert_eq!(first.wait().expect("its status").signal(), Some(9));
    assert_eq!(second.wait().expect("its status").signal(), Some(9));
}

#[test]
fn a_reused_pid_gets_no_signal() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut child, id) = spawn(bash(dir.path(), "exec sleep 1000"));
    let reused = ProcessId { pid: id.pid, start: id.start + 1 };
    assert!(matches!(end::terminate(reused), Err(end::SignalError::Gone { .. })));
    assert!(matches!(end::kill_exact(reused), Err(end::SignalError::Gone { .. })));
    assert!(end::wait(reused, Duration::ZERO), "what is meant is gone");
    assert!(!end::wait(id, Duration::from_millis(50)), "and this one is not");
    end::terminate(id).expect("the right one gets it");
    assert!(end::wait(id, BOUND));
    assert!(matches!(end::kill_exact(id), Err(end::SignalError::Gone { .. })), "a zombie takes no signal");
    assert_eq!(child.wait().expect("its status").signal(), Some(15));
}

#[test]
fn a_deaf_process_is_killed_and_not_asked() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut child, id) =
        spawn(bash(dir.path(), "trap '' TERM; echo $$ > ready; while :; do read -t 1000 <> <(:); done"));
    written(&dir.path().join("ready"));
    end::terminate(id).expect("it is asked");
    assert!(!end::wait(id, Duration::from_millis(50)));
    end::kill_exact(id).expect("it is ended");
    assert!(end::wait(id, BOUND));
    assert_eq!(child.wait().expect("its status").signal(), Some(9));
}

#[test]
fn another_users_process_is_refused_and_told_as_left() {
    if !rustix::process::geteuid().is_root() {
        let init = ProcessId::of(1).expect("init");
        assert!(matches!(end::terminate(init), Err(end::SignalError::Refused { pid: 1 })));
        return;
    }
    // As root nothing is refused: the question is asked by a thread that is nobody.
    let dir = tempfile::tempdir().expect("a folder");
    let (mut child, id) = spawn(bash(dir.path(), "exec sleep 1000"));
    let asked = std::thread::spawn(move || {
        rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65534))
            .expect("this thread becomes nobody");
        (end::terminate(id), end::these(&[id], BOUND))
    });
    let (asked, ended) = asked.join().expect("the thread ends");
    let alive = id.alive();
    child.kill().expect("root may");
    child.wait().expect("its status");
    assert!(alive);
    assert!(matches!(asked, Err(end::SignalError::Refused { .. })), "{asked:?}");
    assert_eq!((ended.killed, ended.left), (vec![], vec![id]));
    assert!(ended.took < BOUND, "what can't be ended is not waited for");
}

#[test]
fn a_stopped_process_is_alive_and_a_zombie_is_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let (mut child, id) = spawn(bash(dir.path(), "kill -STOP $$"));
    let own = ProcessId::own().expect("this process");
    until("it is stopped", || {
        tree::below(own).members.into_iter().find(|member| member.id == id && member.state == State::Stopped)
    });
    assert!(id.alive());
    end::kill_exact(id).expect("it is ended");
    assert!(end::wait(id, BOUND));
    assert!(!id.alive());
    assert_eq!(ProcessId::of(id.pid), None, "a zombie is nobody");
    assert_eq!(id.command(), None);
    child.wait().expect("its status");
}
