//! Output of the real program (2.1.197 and 2.1.332) for tests, with the machine's paths replaced and unused
//! lines emptied.

use std::fs;
use std::path::{Path, PathBuf};

pub(super) fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude").join(name)
}

pub(super) fn bytes(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub(super) fn transcript(name: &str) -> PathBuf {
    path(&format!("transcripts/{name}.jsonl"))
}
