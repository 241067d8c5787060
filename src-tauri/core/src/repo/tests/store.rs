//! The store refuses.
