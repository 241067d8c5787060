//! Whether the system would execute a file, checked beforehand: a child that can't be executed has no means
//! to say why.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// The bytes to read of a file's start. The kernel reads 256 bytes for a script's first line; headers of a
/// native program are shorter.
const HEAD: u64 = 4096;

/// How many scripts may be each other's interpreters, as in the kernel.
const INTERPRETERS_MAX: usize = 4;

/// Where Linux lists other means of executing files, such as emulators for other machines.
const HANDLERS: &str = "/proc/sys/fs/binfmt_misc";

/// Why a file isn't executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such file.
    #[error("it is not there")]
    Gone,
    /// This user may not execute it, or it is in a place where nothing may be executed.
    #[error("you have no permission to execute it, or its disk is mounted `noexec`")]
    Forbidden,
    /// Its first line names a program that doesn't exist.
    #[error("its first line asks for `{0}`, which is not there")]
    NoInterpreter(String),
    /// Its first line names a program that can't be executed itself.
    #[error("its first line asks for `{interpreter}`, which can't be executed: {why}")]
    UnfitInterpreter {
        /// The program.
        interpreter: String,
        /// The reason.
        why: Box<Self>,
    },
    /// It was built for another machine or system.
    #[error("it was built for {0}, and this machine is {here}", here = here())]
    OtherMachine(String),
    /// The system's loader for it doesn't exist: it was built for another system library.
    #[error("it needs `{}`, which is not there: it was built for another system library", .0.display())]
    NoLoader(PathBuf),
}

/// What prevents the system from executing this file. `None`: nothing that can be seen beforehand.
#[must_use]
pub fn refusal(path: &Path) -> Option<Refusal> {
    refused(path, INTERPRETERS_MAX)
}

fn refused(path: &Path, interpreters: usize) -> Option<Refusal> {
    match rustix::fs::access(path, Access::EXEC_OK) {
        Ok(()) => {}
        Err(rustix::io::Errno::NOENT) => return Some(Refusal::Gone),
        Err(_) => return Some(Refusal::Forbidden),
    }
    let mut head = Vec::new();
    // A file that may be executed but not read shows nothing.
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    if let Some(line) = head.strip_prefix(b"#!") {
        return script(line, interpreters);
    }
    if cfg!(target_os = "linux") { native(path, &head) } else { None }
}

/// The line after `#!`: an interpreter, and possibly one argument.
fn script(line: &[u8], interpreters: usize) -> Option<Refusal> {
    let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let interpreter = line.trim_matches([' ', '\t']).split([' ', '\t']).next().unwrap_or_default();
    if interpreter.is_empty() {
        return None; // a shell executes it
    }
    let shown = || interpreter.escape_default().to_string();
    if !Path::new(interpreter).is_file() {
        return Some(Refusal::NoInterpreter(shown()));
    }
    let why = refused(Path::new(interpreter), interpreters.checked_sub(1)?)?;
    Some(Refusal::UnfitInterpreter { interpreter: shown(), why: Box::new(why) })
}

fn native(path: &Path, head: &[u8]) -> Option<Refusal> {
    let other = |name: &str| (!emulated()).then(|| Refusal::OtherMachine(name.into()));
    match head {
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => return other("macOS"),
        [b'M', b'Z', ..] => return other("Windows"),
        [0x7f, b'E', b'L', b'F', ..] => {}
        _ => return None, // a shell executes it, as it does in a terminal
    }
    let machine = u16_at(head, 18)?;
    let runs: &[u16] = match std::env::consts::ARCH {
        "x86_64" => &[X86_64, X86],
        "aarch64" => &[ARM_64, ARM],
        _ => return None,
    };
    if !runs.contains(&machine) {
        return other(&machine_name(machine));
    }
    let loader = loader(path, head)?;
    (!loader.is_file()).then_some(Refusal::NoLoader(loader))
}

// Machines by their numbers in the ELF header (System V ABI, `e_machine`).
const X86: u16 = 3;
const ARM: u16 = 40;
const X86_64: u16 = 62;
const ARM_64: u16 = 183;
const RISC_V: u16 = 243;

fn machine_name(machine: u16) -> String {
    match machine {
        X86 => "x86".into(),
        ARM => "arm".into(),
        X86_64 => "x86_64".into(),
        ARM_64 => "aarch64".into(),
        RISC_V => "riscv".into(),
        other => format!("another processor ({other})"),
    }
}

fn here() -> String {
    format!("{} with {}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The program that loads a 64-bit ELF file, if it names one (program header `PT_INTERP`).
fn loader(path: &Path, head: &[u8]) -> Option<PathBuf> {
    const CLASS_64: u8 = 2;
    const PT_INTERP: u32 = 3;
    const PATH_MAX: u64 = 4096;
    if head.get(4) != Some(&CLASS_64) {
        return None;
    }
    let (table, size, count) = (u64_at(head, 32)?, u16_at(head, 54)?, u16_at(head, 56)?);
    for number in 0..usize::from(count) {
        let at = usize::try_from(table).ok()?.checked_add(number * usize::from(size))?;
        let kind = head.get(at..at.checked_add(4)?)?;
        if u32::from_le_bytes(kind.try_into().ok()?) != PT_INTERP {
            continue;
        }
        let (from, length) = (u64_at(head, at + 8)?, u64_at(head, at + 32)?.min(PATH_MAX));
        let mut name = vec![0; usize::try_from(length).ok()?];
        std::os::unix::fs::FileExt::read_exact_at(&File::open(path).ok()?, &mut name, from).ok()?;
        let name = name.split(|&byte| byte == 0).next()?;
        return Some(PathBuf::from(String::from_utf8_lossy(name).into_owned()));
    }
    None
}

/// Whether an emulator is registered: then files that the kernel can't execute may run anyway.
fn emulated() -> bool {
    let entries = fs::read_dir(HANDLERS).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name != "register" && name != "status")
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at.checked_add(2)?)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
