//! What Repose costs, compared with its budgets. Nothing here fails on a slow machine; it is for a person to
//! read.

#[path = "../support/processor.rs"]
mod processor;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "the stories use more of it")]
mod support;

mod engines;
mod opens;
mod standing;
mod table;

fn main() {
    table::head();
    opens::measure();
    standing::holder();
    standing::runner();
    engines::measure();
}
