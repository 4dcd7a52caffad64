//! How far a client is with the handshake of HTTP/2, of which hyper does not tell: looks at the heads
//! of the frames that it sends.

use gxe_serving::Watch;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that a client sends first, always the same ones.
const PREFACE: usize = 24;
/// Bytes of the head of a frame: its length, its type, its flags, the number of its stream.
const HEAD: usize = 9;
/// Types of frames, and a flag.
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const ACKNOWLEDGES: u8 = 1;

/// The frames until the handshake is complete. Whether they are right is for others to say.
struct Greeting {
    /// Bytes until the next head.
    left: usize,
    head: Vec<u8>,
}

impl Greeting {
    fn new() -> Self {
        Self { left: PREFACE, head: Vec::with_capacity(HEAD) }
    }

    /// Looks at the next bytes. Returns whether the client has accepted the server's settings, or asks
    /// already.
    fn is_complete_with(&mut self, mut bytes: &[u8]) -> bool {
        loop {
            bytes = &bytes[self.skip(bytes.len())..];
            let (head, rest) = bytes.split_at(bytes.len().min(HEAD - self.head.len()));
            self.head.extend(head);
            bytes = rest;
            let [high, middle, low, kind, flags, ..] = self.head[..] else { return false };
            if self.head.len() < HEAD {
                return false;
            }
            if kind == HEADERS || (kind == SETTINGS && flags & ACKNOWLEDGES != 0) {
                return true;
            }
            self.left = usize::from(high) << 16 | usize::from(middle) << 8 | usize::from(low);
            self.head.clear();
        }
    }

    fn skip(&mut self, most: usize) -> usize {
        let skipped = self.left.min(most);
        self.left -= skipped;
        skipped
    }
}

/// Notes when a client has greeted.
pub struct Greeted {
    /// Until it is complete.
    greeting: Option<Greeting>,
    is_complete: Arc<AtomicBool>,
}

impl Greeted {
    /// Returns what becomes true, too.
    pub fn new() -> (Self, Arc<AtomicBool>) {
        let is_complete = Arc::<AtomicBool>::default();
        (Self { greeting: Some(Greeting::new()), is_complete: is_complete.clone() }, is_complete)
    }
}

impl Watch for Greeted {
    fn has_read(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.greeting.as_mut().is_some_and(|greeting| greeting.is_complete_with(bytes)) {
            self.greeting = None;
            self.is_complete.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    const SETTINGS: &[u8] = &[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 255, 255];
    const ACCEPTED: &[u8] = &[0, 0, 0, 4, 1, 0, 0, 0, 0];
    const WINDOW: &[u8] = &[0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 1, 1, 1];
    const REQUEST: &[u8] = &[0, 0, 2, 1, 4, 0, 0, 0, 1];

    /// After how many bytes, in pieces of this size, the handshake is complete.
    fn complete_after(bytes: &[u8], piece: usize) -> Option<usize> {
        let mut greeting = Greeting::new();
        let done = bytes.chunks(piece).position(|piece| greeting.is_complete_with(piece));
        done.map(|number| ((number + 1) * piece).min(bytes.len()))
    }

    #[test]
    fn a_client_has_greeted_when_it_accepts_or_asks() {
        for piece in [1, 2, 7, 9, 24, 1000] {
            for last in [ACCEPTED, REQUEST] {
                let whole = [PREFACE, SETTINGS, WINDOW, last].concat();
                let size = whole.len();
                assert_eq!(complete_after(&whole, piece), Some(size), "{piece}");
                assert_eq!(complete_after(&whole[..size - 1], piece), None, "{piece}");
            }
            for bytes in [&[][..], PREFACE, &[PREFACE, SETTINGS, WINDOW].concat()] {
                assert_eq!(complete_after(bytes, piece), None, "{piece}");
            }
            assert_eq!(complete_after(&vec![0xff; 4096], piece), None, "{piece}");
        }
    }
}
