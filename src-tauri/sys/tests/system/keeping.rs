//! Locks, private files, peers, clocks, room, and programs started on their own.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{bash, in_own_process, until, written};
use repose_sys::lock::LockError;
use repose_sys::private::PrivateError;
use repose_sys::{ProcessId, clock, detached, disk, end, lock, peer, private, tree};

#[test]
fn a_lock_has_one_holder_who_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("lock");
    let held = lock::exclusive(&path).expect("free");
    assert_eq!(std::fs::metadata(&path).expect("the file").mode() & 0o777, 0o600);
    let refused = lock::exclusive(&path).expect_err("held");
    assert!(matches!(refused, LockError::Held { pid: Some(pid), .. } if pid == std::process::id()));
    assert!(refused.to_string().contains(&format!("process {}", std::process::id())));
    drop(held);
    drop(lock::exclusive(&path).expect("free again"));
    assert!(matches!(lock::exclusive(&dir.path().join("no/lock")), Err(LockError::Io { .. })));
}

const HOLD: &str = "REPOSE_SYS_TEST_LOCK";

#[test]
fn a_lock_is_free_once_its_holder_was_killed() {
    if let Some(path) = std::env::var_os(HOLD) {
        let _held = until("it is free between two looks", || lock::exclusive(Path::new(&path)).ok());
        loop {
            std::thread::park();
        }
    }
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("lock");
    let mut holder = Command::new(std::env::current_exe().expect("the test binary"))
        .args(["--exact", "keeping::a_lock_is_free_once_its_holder_was_killed"])
        .env(HOLD, &path)
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let named = until("the other process holds it", || match lock::exclusive(&path) {
        Err(LockError::Held { pid, .. }) => pid,
        Err(LockError::Io { .. }) | Ok(_) => None,
    });
    assert_eq!(named, holder.id());
    // At once, as a script does that kills one and starts the next: it may still be dying.
    holder.kill().expect("it is killed");
    let _held = lock::exclusive(&path).expect("free though the dead pid still stands in the file");
    holder.wait().expect("its status");
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), format!("{}\n", std::process::id()));
}

#[test]
fn a_private_folder_is_made_and_repaired() {
    let dir = tempfile::tempdir().expect("a folder");
    let deep = dir.path().join("a/b");
    private::create_private_dir(&deep).expect("made");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").mode() & 0o7777;
    assert_eq!((mode(&dir.path().join("a")), mode(&deep)), (0o700, 0o700));
    std::fs::set_permissions(&deep, std::fs::Permissions::from_mode(0o755)).expect("opened up");
    private::create_private_dir(&deep).expect("repaired");
    assert_eq!(mode(&deep), 0o700);
    let file = dir.path().join("file");
    std::fs::write(&file, "").expect("a file");
    assert!(matches!(private::create_private_dir(&file), Err(PrivateError::Io { .. })));
}

#[test]
fn another_users_folder_is_refused_and_left_as_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let foreign = if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(dir.path(), Some(65534), None).expect("given away");
        dir.path()
    } else {
        Path::new("/")
    };
    let before = std::fs::metadata(foreign).expect("it is there").mode();
    let error = private::create_private_dir(foreign).expect_err("refused");
    assert!(matches!(error, PrivateError::NotOurs { .. }), "{error}");
    assert_eq!(std::fs::metadata(foreign).expect("it is there").mode(), before);
}

#[test]
fn a_private_file_is_replaced_whole() {
    for write in [private::write_private, private::write_private_for_this_boot] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("secret");
        std::fs::write(&path, "old and longer").expect("an old one");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("open to all");
        let before = std::fs::metadata(&path).expect("it is there").ino();
        write(&path, b"new").expect("written");
        let after = std::fs::metadata(&path).expect("it is there");
        assert_eq!(
            (std::fs::read(&path).expect("its bytes"), after.mode() & 0o7777),
            (b"new".to_vec(), 0o600)
        );
        assert_ne!(after.ino(), before, "a reader of the old one keeps the old one");
        assert_eq!(
            std::fs::read_dir(dir.path()).expect("the folder").count(),
            1,
            "nothing is left beside it"
        );
    }
}

#[test]
fn a_private_file_that_can_not_be_put_in_place_leaves_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    let taken = dir.path().join("taken");
    std::fs::create_dir(&taken).expect("a folder of that name");
    for write in [private::write_private, private::write_private_for_this_boot] {
        assert!(matches!(write(&taken, b"x"), Err(PrivateError::Io { .. })));
        assert_eq!(std::fs::read_dir(dir.path()).expect("the folder").count(), 1);
    }
    assert!(private::write_private(&dir.path().join("no/file"), b"x").is_err());
}

#[test]
fn the_peer_of_a_socket_is_known() {
    let dir = tempfile::tempdir().expect("a folder");
    let listener = UnixListener::bind(dir.path().join("socket")).expect("a socket");
    let client = UnixStream::connect(dir.path().join("socket")).expect("connected");
    let (server, _) = listener.accept().expect("accepted");
    let own = rustix::process::geteuid().as_raw();
    assert_eq!((peer::uid(&server).expect("an answer"), peer::uid(&client).expect("an answer")), (own, own));
    assert!(peer::is_me(&server).expect("an answer"));
    let file = std::fs::File::open(dir.path()).expect("no socket");
    assert!(peer::is_me(&file).is_err());
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that can't be carried out says so")]
fn a_peer_that_is_somebody_else_is_not_me() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("NOT TRIED: only root can make a socket of another user's");
        return;
    }
    let (mine, theirs) = std::thread::spawn(|| {
        rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65534))
            .expect("this thread becomes nobody");
        UnixStream::pair().expect("sockets made by nobody")
    })
    .join()
    .expect("the thread ends");
    assert_eq!(peer::uid(&mine).expect("an answer"), 65534);
    assert!(!peer::is_me(&theirs).expect("an answer"));
}

#[test]
fn the_clocks_agree_with_the_kernels() {
    let before = clock::now();
    std::thread::sleep(Duration::from_millis(20));
    let after = clock::now();
    let awake = after.awake.since(before.awake);
    assert!(awake >= Duration::from_millis(20) && awake < Duration::from_secs(20), "{awake:?}");
    let uptime = std::fs::read_to_string("/proc/uptime").expect("uptime");
    let uptime: f64 = uptime.split(' ').next().expect("a field").parse().expect("seconds");
    let with_sleep = Duration::from_millis(after.awake.0 + after.slept).as_secs_f64();
    assert!((uptime - with_sleep).abs() < 20.0, "{uptime} {with_sleep}");
    assert!(after.slept.abs_diff(clock::asleep_total()) < 20_000);
    let date = Command::new("date").arg("+%s").output().expect("date");
    let seconds: u64 = String::from_utf8_lossy(&date.stdout).trim().parse().expect("seconds");
    assert!(seconds.abs_diff(after.wall.0 / 1000) < 20);
}

#[test]
fn room_on_the_disk_is_what_df_says() {
    let dir = tempfile::tempdir().expect("a folder");
    let df = Command::new("df").args(["--output=avail", "-B1"]).arg(dir.path()).output().expect("df");
    let text = String::from_utf8_lossy(&df.stdout);
    let told: u64 = text.lines().nth(1).expect("a line").trim().parse().expect("bytes");
    let free = disk::free(dir.path()).expect("an answer");
    assert!(free.abs_diff(told) < 1 << 30, "{free} {told}");
    assert!(disk::free(&dir.path().join("missing")).is_err());
}

#[test]
fn a_program_that_is_still_open_for_writing_starts_once_it_is_closed() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = dir.path().join("copy");
    std::fs::copy("/bin/true", &program).expect("a copy");
    let writes = std::fs::OpenOptions::new().append(true).open(&program).expect("open for writing");
    let refused = Command::new(&program).spawn().expect_err("it is busy");
    assert_eq!(refused.kind(), std::io::ErrorKind::ExecutableFileBusy);
    let closes = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(writes);
    });
    let mut child = detached::spawn(&mut Command::new(&program)).expect("it starts");
    assert!(child.wait().expect("its status").success());
    closes.join().expect("the thread ends");
}

#[test]
fn a_lock_whose_file_is_removed_is_made_again_and_that_on_its_folder_holds_meanwhile() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("lock");
    let mut held = lock::exclusive(&path).expect("free");
    let folder = lock::folder(dir.path()).expect("free");
    std::fs::remove_file(&path).expect("the lock's file");
    let refused = lock::folder(dir.path()).expect_err("held");
    assert!(matches!(refused, LockError::Held { pid: None, .. }), "{refused}");
    held.renew(&path).expect("nobody else has it");
    let refused = lock::exclusive(&path).expect_err("held");
    assert!(
        matches!(refused, LockError::Held { pid: Some(pid), .. } if pid == std::process::id()),
        "{refused}"
    );
    drop(folder);
    lock::folder(dir.path()).expect("free again");
}

#[test]
fn a_lock_that_is_let_go_is_free_whoever_still_has_its_file_open() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("lock");
    let held = lock::exclusive(&path).expect("the lock");
    // As a child of a fork has it, until it executes something.
    let file = std::fs::read_dir("/proc/self/fd").expect("our own files").find_map(|entry| {
        let entry = entry.ok()?;
        let same = std::fs::read_link(entry.path()).is_ok_and(|to| to == path);
        same.then(|| entry.file_name().to_string_lossy().parse::<i32>().ok()).flatten()
    });
    let copy = rustix::process::pidfd_open(rustix::process::getpid(), rustix::process::PidfdFlags::empty())
        .and_then(|own| {
            let flags = rustix::process::PidfdGetfdFlags::empty();
            rustix::process::pidfd_getfd(own, file.expect("the lock's file"), flags)
        })
        .expect("a second descriptor of the same open file");
    drop(held);
    lock::exclusive(&path).expect("free again");
    drop(copy);
}

#[test]
fn a_detached_program_has_a_session_of_its_own_and_outlives_its_starter() {
    const START: &str = "REPOSE_SYS_TEST_START";
    if let Some(dir) = std::env::var_os(START) {
        let mut command =
            bash(Path::new(&dir), "echo $$ > detached.new; mv detached.new detached; exec sleep 1000");
        drop(detached::spawn(&mut command).expect("it starts"));
        written(&Path::new(&dir).join("detached"));
        return;
    }
    in_own_process("keeping::a_detached_program_has_a_session_of_its_own_and_outlives_its_starter", || {
        end::become_subreaper().expect("a subreaper");
        let dir = tempfile::tempdir().expect("a folder");
        let mut starter = Command::new(std::env::current_exe().expect("the test binary"))
            .args([
                "--exact",
                "keeping::a_detached_program_has_a_session_of_its_own_and_outlives_its_starter",
            ])
            .env(START, dir.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        assert!(starter.wait().expect("its status").success());
        let id = written(&dir.path().join("detached"));
        let own = ProcessId::own().expect("this process");
        let member =
            tree::below(own).members.into_iter().find(|member| member.id == id).expect("it outlives it");
        assert_eq!((member.session, member.group), (id.pid, id.pid));
        let ended = end::kill_below(own, &[], Duration::from_secs(10));
        assert_eq!((ended.killed, ended.left), (vec![id], vec![]));
        assert_eq!(tree::below(own), tree::Tree::default(), "and it is reaped");
    });
}
