//! Small frames to a socket, from any thread.

use super::stream::Stream;
use gxf_link_format::Frame;
use parking_lot::Mutex;
use std::io::{self, ErrorKind, IoSlice};

/// Most bytes that wait for the socket; a peer that lets so many wait is not reading.
const LIMIT: usize = 64 << 10;

/// The writing side of a connection.
pub struct Writer {
    stream: Stream,
    /// Bytes that the socket did not take.
    pending: Mutex<Vec<u8>>,
}

impl Writer {
    pub fn new(stream: Stream) -> Self {
        Self { stream, pending: Mutex::default() }
    }

    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Writes without waiting. Only the outlet of the connection calls it.
    pub fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.stream.write(slices)
    }

    /// Sends a frame, now or when the socket takes it.
    pub fn send(&self, frame: &Frame) {
        self.send_bytes(&frame.to_bytes());
    }

    /// The same for a frame with what follows it.
    pub fn send_bytes(&self, bytes: &[u8]) {
        let mut pending = self.pending.lock();
        pending.extend_from_slice(bytes);
        self.flush_locked(&mut pending);
        if pending.len() > LIMIT {
            self.close();
        }
    }

    /// The socket takes bytes again.
    pub fn flush(&self) {
        match self.stream.flush() {
            Err(error) if error.kind() != ErrorKind::WouldBlock => return self.close(),
            _ => {}
        }
        self.flush_locked(&mut self.pending.lock());
    }

    fn flush_locked(&self, pending: &mut Vec<u8>) {
        while !pending.is_empty() {
            match self.stream.write(&[IoSlice::new(pending)]) {
                Ok(0) => return self.close(),
                Ok(count) => drop(pending.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => return self.close(),
            }
        }
    }

    /// Ends the connection; the network thread hears of it.
    pub fn close(&self) {
        self.stream.close();
    }

    /// The other end, for people.
    pub fn peer(&self) -> String {
        self.stream.peer()
    }

    /// What carries the messages, for people.
    pub fn carrier(&self) -> &'static str {
        self.stream.carrier()
    }
}
