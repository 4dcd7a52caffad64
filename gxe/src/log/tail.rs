//! The latest lines of the log, for the live page. Nothing is kept before [`keep`].

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Lines that are kept.
const LINES: usize = 500;
/// Bytes of the longest line.
const LONGEST: usize = 4000;

static TAIL: OnceLock<Mutex<Tail>> = OnceLock::new();

#[derive(Default)]
struct Tail {
    lines: VecDeque<String>,
    /// Number of lines so far.
    written: u64,
}

/// Keeps the lines that are written from now on.
pub fn keep() {
    TAIL.get_or_init(Mutex::default);
}

/// Whether lines are kept.
pub fn is_kept() -> bool {
    TAIL.get().is_some()
}

/// Adds an error of gxe that is not logged.
pub fn add_error(text: &str) {
    if is_kept() {
        add(&super::json::error(text));
    }
}

/// Adds a line, a JSON object.
pub fn add(line: &str) {
    let Some(tail) = TAIL.get().filter(|_| line.len() <= LONGEST) else { return };
    let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    if tail.lines.len() == LINES {
        tail.lines.pop_front();
    }
    tail.lines.push_back(line.trim_end().to_owned());
    tail.written += 1;
}

/// The kept lines after the first `seen` of all, and the number of all.
pub fn since(seen: u64) -> (Vec<String>, u64) {
    let Some(tail) = TAIL.get() else { return (Vec::new(), 0) };
    let tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
    let new = usize::try_from(tail.written.saturating_sub(seen)).unwrap_or(LINES);
    let lines = tail.lines.iter().skip(tail.lines.len().saturating_sub(new));
    (lines.cloned().collect(), tail.written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_gets_what_it_has_not_seen() {
        add("before\n");
        keep();
        assert!(is_kept());
        let (before, seen) = since(0);
        assert!(!before.contains(&"before".to_owned()));
        add("one\n");
        add(&"x".repeat(LONGEST + 1));
        assert_eq!(since(seen), (vec!["one".to_owned()], seen + 1));
        for line in 0..LINES {
            add(&line.to_string());
        }
        let (lines, all) = since(seen);
        assert_eq!((lines.len(), lines[0].as_str(), all), (LINES, "0", seen + 501));
        assert!(since(all).0.is_empty());
    }
}
