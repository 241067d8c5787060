//! How memory is measured. That it is measured at all is up to the crates above.

/// How memory was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// Proportional set size and its share of swap: a page that n processes share counts for
    /// 1/n in each, so that a sum over a tree is true.
    Pss,
    /// Resident set size: shared pages count in full in every process, swap not at all. Of a tree
    /// whose processes share much it can be several times the truth.
    Rss,
}
