//! A clock that a test moves: for the holders of a world, and with them for everything that they decide.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::World;
use super::world::REPOSE;

/// The clock of the holders that start from now on.
pub(crate) struct Clock {
    file: PathBuf,
    awake: u64,
    asleep: u64,
}

impl Clock {
    /// Gives later holders of the world a clock of its own, which shows the real time at first. A holder has
    /// started before.
    ///
    /// A holder gets no environment of anybody's, so the program's copy that it runs from becomes a script of
    /// the same length that sets one.
    pub(crate) fn of(world: &World) -> Self {
        let (library, file) = (world.home().join("clock.so"), world.home().join("clock"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/clock.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .args([&library, &source])
            .status()
            .expect("a C compiler, which links Rust programs too");
        assert!(built.success(), "{built}");
        let mut clock = Self { file, awake: 0, asleep: 0 };
        clock.show();
        let mut builds = std::fs::read_dir(world.state().join("programs")).expect("the program's copies");
        let copy = builds.next().expect("the copy of this build").expect("an entry").path().join("repose");
        let length = copy.metadata().expect("a copy").len();
        let set = format!("LD_PRELOAD={} CLOCK_FILE={}", library.display(), clock.file.display());
        let script = format!("#!/bin/sh\n{set} exec {REPOSE} \"$@\"\n");
        std::fs::remove_file(&copy).expect("a file of the world's");
        let mut file = File::create(&copy).expect("a writable state folder");
        file.write_all(script.as_bytes()).and_then(|()| file.set_len(length)).expect("a script");
        file.set_permissions(std::fs::Permissions::from_mode(0o700)).expect("a script of ours");
        clock
    }

    /// The machine has been awake for this much longer. Whole seconds.
    pub(crate) fn passes(&mut self, span: Duration) {
        self.awake += span.as_secs();
        self.show();
    }

    /// The machine slept for this long, and has just woken. Whole seconds.
    pub(crate) fn sleeps(&mut self, span: Duration) {
        self.asleep += span.as_secs();
        self.show();
    }

    fn show(&mut self) {
        let part = self.file.with_extension("part");
        std::fs::write(&part, format!("{} {}\n", self.awake, self.asleep)).expect("a writable home");
        std::fs::rename(part, &self.file).expect("a writable home");
    }
}
