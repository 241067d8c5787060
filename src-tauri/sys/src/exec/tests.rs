use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Refusal, emulated, refusal};

fn file(folder: &Path, content: &[u8], mode: u32) -> PathBuf {
    let path = folder.join("program");
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn what_runs_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(refusal(Path::new("/bin/sh")), None);
    assert_eq!(refusal(&std::env::current_exe().unwrap()), None);
    for script in [&b"#!/bin/sh\nexit 0\n"[..], b"#! /bin/sh -e\n", b"#!/usr/bin/env sh\n", b"exit 0\n", b""]
    {
        assert_eq!(refusal(&file(folder.path(), script, 0o755)), None, "{script:?}");
    }
}

#[test]
fn what_the_kernel_refuses_is_said_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let said = |content: &[u8], mode| refusal(&file(folder.path(), content, mode)).map(|why| why.to_string());
    assert_eq!(refusal(&file(folder.path(), b"#!/bin/sh\n", 0o644)), Some(Refusal::Forbidden));
    let missing = said(b"#!/opt/no/such/python -u\n", 0o755).unwrap();
    assert!(missing.contains("`/opt/no/such/python`, which is not there"), "{missing}");
    let windows = said(b"#!/bin/sh\r\nexit 0\r\n", 0o755).unwrap();
    assert!(windows.contains(r"`/bin/sh\r`"), "{windows}");
    let inner = folder.path().join("inner");
    fs::write(&inner, "#!/opt/no/such/python\n").unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
    let through = said(format!("#!{}\n", inner.display()).as_bytes(), 0o755).unwrap();
    assert!(through.contains("/opt/no/such/python"), "{through}");
}

#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a test that can't be carried out says so")]
fn a_program_of_another_machine_is_told_from_one_of_ours() {
    if emulated() {
        eprintln!("NOT TRIED: this machine emulates others, so their programs may well run");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut program = fs::read("/bin/sh").unwrap();
    program[18..20].copy_from_slice(&243_u16.to_le_bytes());
    let why = refusal(&file(folder.path(), &program, 0o755)).unwrap().to_string();
    assert!(why.contains("riscv") && why.contains(std::env::consts::ARCH), "{why}");
    let why = refusal(&file(folder.path(), b"\xcf\xfa\xed\xfe rest", 0o755)).unwrap().to_string();
    assert!(why.contains("macOS"), "{why}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_for_another_system_library_is_named_with_what_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let program = fs::read("/bin/sh").unwrap();
    let loader = super::loader(Path::new("/bin/sh"), &program).unwrap();
    let name = loader.to_str().unwrap().as_bytes();
    let at = program.windows(name.len()).position(|window| window == name).unwrap();
    let mut other = program.clone();
    other[at + name.len() - 1] = b'!';
    match refusal(&file(folder.path(), &other, 0o755)) {
        Some(Refusal::NoLoader(missing)) => assert!(missing.to_str().unwrap().ends_with('!'), "{missing:?}"),
        other => panic!("{other:?}"),
    }
}
