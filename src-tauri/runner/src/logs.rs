//! The last lines of this runner's log.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The most bytes to read of a log at once: some thousand lines.
const READ_MAX: u64 = 256 * 1024;

/// The last lines of a file, oldest first, at most `most`, continued from the file that it replaced. A
/// missing file counts as empty.
pub(crate) fn last_lines(file: &Path, put_aside: &Path, most: usize) -> io::Result<Vec<String>> {
    let mut lines = end_of(file, most)?;
    if lines.len() < most {
        let mut earlier = end_of(put_aside, most - lines.len())?;
        earlier.append(&mut lines);
        lines = earlier;
    }
    Ok(lines)
}

fn end_of(file: &Path, most: usize) -> io::Result<Vec<String>> {
    let mut file = match File::open(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let begin = file.metadata()?.len().saturating_sub(READ_MAX);
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    file.take(READ_MAX).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    // The first line is incomplete.
    let whole: Vec<&str> = text.lines().skip(usize::from(begin > 0)).collect();
    let wanted = whole.len().saturating_sub(most);
    Ok(whole[wanted..].iter().map(|line| (*line).to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::{READ_MAX, last_lines};

    #[test]
    fn the_last_lines_are_read_over_both_files_and_never_more_than_a_bounded_part() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (file, aside) = (folder.path().join("log"), folder.path().join("log.1"));
        let read = |most| last_lines(&file, &aside, most).expect("readable files");
        assert_eq!(read(3), Vec::<String>::new());
        std::fs::write(&aside, "one\ntwo\n").expect("a writable folder");
        std::fs::write(&file, "three\nfo\u{fffd}ur\n").expect("a writable folder");
        assert_eq!(read(3), ["two", "three", "fo\u{fffd}ur"]);
        assert_eq!(read(1), ["fo\u{fffd}ur"]);

        let line = "x".repeat(99);
        let many = READ_MAX as usize / 100 + 10;
        std::fs::write(&file, format!("{line}\n").repeat(many)).expect("a writable folder");
        let lines = read(many);
        assert!(lines[2..].iter().all(|read| *read == line), "cut in the middle");
        assert_eq!(lines[..2], ["one", "two"]);
    }
}
