//! Which crate may use which, what the core must never use, and that no engine is asked for by its name. A rule whose
//! subject no longer exists fails too.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Every crate of the workspace with the crates of the workspace that it may use, lowest first.
const ARROWS: &[(&str, &[&str])] = &[
    ("repose-core", &[]),
    ("repose-sys", &["repose-core"]),
    ("repose-engine", &["repose-core", "repose-sys"]),
    ("repose-hold", &["repose-core", "repose-sys", "repose-engine"]),
    ("repose-runner", &["repose-core", "repose-sys", "repose-engine", "repose-hold"]),
    ("repose-console", &["repose-core", "repose-sys", "repose-engine", "repose-hold", "repose-runner"]),
    (
        "repose-app",
        &["repose-core", "repose-sys", "repose-engine", "repose-hold", "repose-runner", "repose-console"],
    ),
];

/// Parts of the standard library that a pure core must not use: files, environment, clocks, threads,
/// networking.
const IMPURE: &[&str] = &["env", "fs", "io", "net", "process", "thread", "Instant", "SystemTime"];

/// Libraries that draw windows on Linux. The headless program links none of them.
const WINDOWS: &[&str] = &["gtk", "gdk", "webkit2gtk", "javascriptcore", "wry", "tao", "tauri"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(args).current_dir(root()).output().expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {args:?}: {errors}");
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("cargo prints JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

fn name(value: &Value) -> &str {
    value["name"].as_str().expect("a name")
}

#[test]
fn the_rules_name_every_crate_and_no_other() {
    let mut found: Vec<_> = packages().iter().map(|package| name(package).to_owned()).collect();
    let mut ruled: Vec<_> = ARROWS.iter().map(|(krate, _)| (*krate).to_owned()).collect();
    found.sort();
    ruled.sort();
    assert_eq!(
        found, ruled,
        "left: the workspace's crates; right: the crates with a rule in tests/arrows.rs"
    );
}

#[test]
fn crates_use_only_what_stands_below_them() {
    for package in packages() {
        let (_, allowed) =
            ARROWS.iter().find(|(krate, _)| *krate == name(&package)).expect("a crate with a rule");
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let ours = ARROWS.iter().any(|(krate, _)| *krate == name(dependency));
            let fine = !ours || allowed.contains(&name(dependency));
            assert!(fine, "{} must not use {}", name(&package), name(dependency));
        }
    }
}

#[test]
fn the_core_depends_on_nothing() {
    let packages = packages();
    let core = packages.iter().find(|package| name(package) == "repose-core").expect("the core");
    let dependencies = core["dependencies"].as_array().expect("dependencies");
    let needed: Vec<_> =
        dependencies.iter().filter(|dependency| dependency["kind"] != "dev").map(name).collect();
    assert_eq!(needed, Vec::<&str>::new(), "the core decides; it needs nobody's help for that");
}

#[test]
fn the_core_takes_nothing_impure_from_the_standard_library() {
    let files = files_in(&root().join("src-tauri/core/src"), &["rs"]);
    assert!(!files.is_empty(), "the core has moved: tell this test where to");
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a readable source");
        assert_eq!(impure(&source), None, "in {}", file.display());
    }
}

#[test]
fn the_impure_parts_are_seen_however_they_are_written() {
    let cases = [
        ("use std::time::Duration;", None),
        ("use std::collections::{BTreeMap, btree_map::Entry};", None),
        ("// std::fs is none of our business", None),
        ("use std::time::{Duration, Instant};", Some("Instant")),
        ("use std::{\n    env,\n    fmt,\n};", Some("env")),
        ("let x = std::fs::read(path);", Some("fs")),
        ("fn f() -> std::io::Result<()> {}", Some("io")),
        ("let now = std::time::SystemTime::now();", Some("SystemTime")),
    ];
    for (source, expected) in cases {
        assert_eq!(impure(source).as_deref(), expected, "{source}");
    }
}

/// The first impure part of the standard library that this source names.
fn impure(source: &str) -> Option<String> {
    let code: String = source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    code.match_indices("std::").find_map(|(at, _)| {
        let path = &code[at..];
        let path = &path[..path.find([';', '(', ')', '=', '"']).unwrap_or(path.len())];
        let mut parts = path.split(|c: char| !c.is_alphanumeric() && c != '_');
        parts.find(|part| IMPURE.contains(part)).map(str::to_owned)
    })
}

/// What differs between engines is said in the description of each, and nowhere else is asked which one it is.
#[test]
fn no_engine_is_named_outside_of_its_description() {
    let engine = root().join("src-tauri/engine");
    let mut files = files_in(&root().join("src-tauri"), &["rs"]);
    files.retain(|file| !file.starts_with(&engine) && !is_of_tests(file));
    files.extend(
        files_in(&root().join("ui/src"), &["ts", "svelte"]).into_iter().filter(|file| !is_of_tests(file)),
    );
    assert!(files.len() > 200, "the sources have moved: tell this test where to");
    for file in files {
        let source = std::fs::read_to_string(&file).expect("a readable source");
        for built_in in repose_engine::built_in() {
            let name = built_in.name();
            let named = ['"', '\''].iter().any(|quote| source.contains(&format!("{quote}{name}{quote}")));
            assert!(!named, "{} asks for the engine {name}", file.display());
        }
    }
}

/// Sources that only tests use.
fn is_of_tests(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let named = name == "tests.rs" || name == "fixture.rs" || name.ends_with(".test.ts");
    let inside = file.strip_prefix(root()).unwrap_or(file);
    named || inside.components().any(|part| part.as_os_str() == "tests")
}

#[test]
fn neither_the_headless_program_nor_the_apps_resident_part_draws_a_window() {
    let drawn_with = |features: &str| {
        let tree = [
            "tree",
            "--offline",
            "-p",
            "repose-app",
            "-e",
            "normal,build",
            "--prefix",
            "none",
            "--features",
            features,
        ];
        let tree = cargo(&tree);
        assert!(tree.contains("repose-core"), "`cargo tree` prints something else now: {tree}");
        tree.lines().filter(|line| draws(line)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(drawn_with(""), Vec::<String>::new());
    assert_eq!(drawn_with("tray"), Vec::<String>::new());
    assert_ne!(drawn_with("window"), Vec::<String>::new(), "the window's libraries have other names now");
}

fn draws(line: &str) -> bool {
    let krate = line.split(' ').next().unwrap_or_default();
    WINDOWS.iter().any(|window| krate == *window || krate == format!("{window}-sys"))
}

/// The files in a folder, and below it, whose names end so.
fn files_in(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.ends_with("node_modules") {
            continue;
        }
        if path.is_dir() {
            files.extend(files_in(&path, extensions));
        } else if path
            .extension()
            .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
        {
            files.push(path);
        }
    }
    files
}
