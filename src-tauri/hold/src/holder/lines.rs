//! Splits a `text/event-stream` into lines; an engine's JSON takes one line per event.

/// The most bytes of an event. A longer one is ignored: it contains a whole file, and nothing that a holder
/// needs.
const EVENT_MAX: usize = 4 * 1024 * 1024;

/// The beginning of an unfinished line.
#[derive(Debug, Default)]
pub(super) struct Lines {
    held: Vec<u8>,
    /// Whether the unfinished line is already too long.
    passing: bool,
}

impl Lines {
    /// The data of all lines that end within `bytes`.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut events = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.passing |= self.held.len() + piece.len() > EVENT_MAX;
            if self.passing {
                self.held.clear();
            } else {
                self.held.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.held);
                if !std::mem::take(&mut self.passing) {
                    events.extend(data(&line));
                }
            }
        }
        events
    }
}

fn data(line: &[u8]) -> Option<Vec<u8>> {
    Some(line.strip_prefix(b"data:")?.trim_ascii().to_vec())
}

#[cfg(test)]
mod tests;
