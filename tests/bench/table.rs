//! A table for people: one row for each number, with its budget.

use std::time::Duration;

/// Prints the header.
pub(crate) fn head() {
    print("what", "measured", "budget");
}

/// Prints one number with its budget, or with `-` if it is only for comparison.
#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
pub(crate) fn print(what: &str, measured: &str, budget: &str) {
    println!("{what:<54} {measured:>12} {budget:>12}");
}

/// Prints a row of a separate table: a name and its numbers.
#[expect(clippy::print_stdout, reason = "printing is what a bench is for")]
pub(crate) fn columns(cells: &[&str]) {
    let (name, numbers) = cells.split_first().expect("a row has a name");
    let numbers: String = numbers.iter().map(|number| format!(" {number:>20}")).collect();
    println!("{name:<12}{numbers}");
}

/// The median of an odd number of spans.
pub(crate) fn median(mut spans: Vec<Duration>) -> Duration {
    spans.sort();
    spans[spans.len() / 2]
}

pub(crate) fn millis(span: Duration) -> String {
    format!("{:.1} ms", span.as_secs_f64() * 1000.0)
}

pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

pub(crate) fn percent(ratio: f64) -> String {
    format!("{:.2} %", ratio * 100.0)
}
