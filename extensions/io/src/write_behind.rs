//! The thread that writes to a peer, so that no thread of the scheduler waits for it.

use crate::address::Address;
use crate::lock;
use crate::program::End;
use crate::read_ahead::connect;
use gxf::prelude::*;
use gxf::{ContextHandle, WakeToken};
use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A sink waits while this many bytes are not written yet.
const LIMIT: usize = 1 << 20;
/// A datagram carries as many lines as fit into this many bytes, which pass most networks whole.
const DATAGRAM: usize = 1400;
/// Pause between two attempts to connect.
const RETRY: Duration = Duration::from_millis(200);
/// A stop waits for a peer as long as it takes something within this time.
const PATIENCE: Duration = Duration::from_secs(1);
/// The same for a program, which may have much to do when it got everything.
const PATIENCE_WITH_PROGRAMS: Duration = Duration::from_secs(60);

/// Whether a sink should tick: it has room, which `has_room_or` says, or there is a token for when it
/// has.
pub fn condition(
    context: &Mutex<Option<ContextHandle>>,
    now: i64,
    has_room_or: impl FnOnce(&dyn Fn() -> Result<WakeToken>) -> Result<bool>,
) -> Result<Condition> {
    let has_room = has_room_or(&|| {
        let context = lock(context);
        context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?.wake_token()
    })?;
    let condition_type = if has_room { ConditionType::READY } else { ConditionType::WAIT_EVENT };
    Ok(Condition { condition_type, target: now })
}

/// Bytes that a thread writes.
pub struct WriteBehind {
    shared: Arc<Shared>,
    address: Address,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Vec<u8>>,
    /// Bytes that are not written, including those being written.
    bytes: usize,
    failed: Option<Error>,
    token: Option<WakeToken>,
    /// No more pieces come.
    is_closed: bool,
    is_over: bool,
    /// Ends what keeps the thread waiting, as far as that is possible.
    peer: Option<TcpStream>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WriteBehind {
    /// Starts writing. `context` ends the graph when the peer is lost.
    pub fn start(address: Address, reconnect: bool, context: ContextHandle) -> Result<Self> {
        let shared = Arc::new(Shared::default());
        let thread = Thread { shared: shared.clone(), address: address.clone(), reconnect };
        std::thread::Builder::new().name("gxe-write".to_owned()).spawn(move || {
            if let Some(error) = thread.run() {
                // The graph may have ended already; then `finish` reports the error.
                _ = context.fail(&error);
            }
        })?;
        Ok(Self { shared, address })
    }

    /// Adds bytes, which for datagrams end with a newline or are one datagram.
    pub fn write(&self, piece: Vec<u8>) -> Result<()> {
        let mut state = self.shared.lock();
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        state.bytes += piece.len();
        state.pieces.push_back(piece);
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Whether there is room; if not, the token is used once there is.
    pub fn has_room_or(&self, token: impl FnOnce() -> Result<WakeToken>) -> Result<bool> {
        let mut state = self.shared.lock();
        if state.bytes < LIMIT || state.failed.is_some() {
            return Ok(true);
        }
        if state.token.is_none() {
            state.token = Some(token()?);
        }
        Ok(false)
    }

    /// Waits until everything is written, as long as the peer goes on taking it.
    pub fn finish(self) -> Result<()> {
        let mut state = self.shared.lock();
        state.is_closed = true;
        self.shared.changed.notify_all();
        let mut left = state.bytes;
        let patience = match self.address {
            Address::Program(_) => PATIENCE_WITH_PROGRAMS,
            _ => PATIENCE,
        };
        let mut deadline = Instant::now() + patience;
        while !state.is_over {
            let now = Instant::now();
            if state.bytes < left {
                left = state.bytes;
                deadline = now + patience;
            }
            if now >= deadline {
                if let Some(peer) = state.peer.take() {
                    // It has gone if this fails.
                    _ = peer.shutdown(std::net::Shutdown::Both);
                }
                return Err(Error::failure(format!(
                    "`{}` does not take the last {left} bytes, which are lost",
                    self.address
                )));
            }
            let waited = self.shared.changed.wait_timeout(state, deadline - now);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.failed.take().map_or(Ok(()), Err)
    }
}

struct Thread {
    shared: Arc<Shared>,
    address: Address,
    reconnect: bool,
}

impl Thread {
    /// Writes everything. Returns the error that ends it.
    fn run(self) -> Option<Error> {
        let ended = self.write_all();
        let mut state = self.shared.lock();
        let error = ended.err().map(|error| {
            let code = Error::from(io::Error::from(error.kind())).code();
            Error::new(code, format!("`{}` cannot be written: {error}", self.address))
        });
        state.failed.clone_from(&error);
        state.is_over = true;
        state.peer = None;
        let token = state.token.take();
        drop(state);
        self.shared.changed.notify_all();
        if let Some(token) = token {
            token.wake();
        }
        error
    }

    fn write_all(&self) -> io::Result<()> {
        match &self.address {
            Address::Standard => self.write_stream(&mut io::stdout()),
            Address::File(path) => {
                // A FIFO; without NONBLOCK, opening it waits for its reader.
                let mut file = OpenOptions::new().write(true).open(path)?;
                self.write_stream(&mut file)
            }
            Address::Program(program) => {
                let mut running = program.start(End::Input)?;
                let input = running.child.stdin.take();
                let written = self.write_stream(&mut input.ok_or(ErrorKind::BrokenPipe)?);
                // A program that ended says why better than a broken pipe.
                running.finish().and(written)
            }
            Address::Connect(place) => self.write_peers(|| connect(place).map(Some)),
            Address::Listen(place) => {
                let listener = TcpListener::bind(place)?;
                gxf::info!("waiting for a connection to {}", listener.local_addr()?);
                listener.set_nonblocking(true)?;
                self.write_peers(|| match listener.accept() {
                    Ok((peer, _)) => {
                        peer.set_nonblocking(false)?;
                        Ok(Some(peer))
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
                    Err(error) => Err(error),
                })
            }
            Address::Datagrams(place) => {
                let socket =
                    UdpSocket::bind(if place.starts_with('[') { "[::]:0" } else { "0.0.0.0:0" })?;
                socket.connect(place)?;
                while let Some(piece) = self.next() {
                    for datagram in datagrams(&piece) {
                        match socket.send(datagram) {
                            // Nobody listens there now; datagrams are not acknowledged.
                            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                            sent => drop(sent?),
                        }
                    }
                    self.wrote(piece.len());
                }
                Ok(())
            }
        }
    }

    /// Writes to one peer after another.
    fn write_peers(
        &self,
        mut next: impl FnMut() -> io::Result<Option<TcpStream>>,
    ) -> io::Result<()> {
        loop {
            let ended = match next() {
                Ok(Some(mut peer)) => {
                    self.shared.lock().peer = peer.try_clone().ok();
                    let ended = self.write_stream(&mut peer);
                    if ended.is_ok() {
                        return Ok(());
                    }
                    ended
                }
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            };
            match ended {
                Err(error) if !self.reconnect => return Err(error),
                Err(error) => gxf::warning!("`{}`: {error}; trying again", self.address),
                Ok(()) => {}
            }
            let state = self.shared.lock();
            if state.is_closed && state.bytes == 0 {
                return Ok(());
            }
            drop(self.shared.changed.wait_timeout(state, RETRY));
        }
    }

    fn write_stream(&self, stream: &mut dyn Write) -> io::Result<()> {
        while let Some(piece) = self.next() {
            // In small writes, so that `finish` sees a slow reader take something.
            let mut left = piece.len();
            for part in piece.chunks(64 << 10) {
                let written = stream.write_all(part);
                // With the peer goes the rest of the piece.
                let gone = if written.is_ok() { part.len() } else { left };
                self.wrote(gone);
                written?;
                left -= part.len();
            }
            stream.flush()?;
        }
        Ok(())
    }

    /// Waits for the next piece; `None` when no more come.
    fn next(&self) -> Option<Vec<u8>> {
        let state = self.shared.lock();
        let waits = |state: &mut State| state.pieces.is_empty() && !state.is_closed;
        let waited = self.shared.changed.wait_while(state, waits);
        waited.unwrap_or_else(PoisonError::into_inner).pieces.pop_front()
    }

    fn wrote(&self, bytes: usize) {
        let mut state = self.shared.lock();
        state.bytes -= bytes;
        let token = if state.bytes < LIMIT { state.token.take() } else { None };
        drop(state);
        self.shared.changed.notify_all();
        if let Some(token) = token {
            token.wake();
        }
    }
}

/// Cuts a piece into datagrams, between lines where possible.
fn datagrams(piece: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = piece;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let length = if rest.len() <= DATAGRAM {
            rest.len()
        } else {
            let fits = memchr::memrchr(b'\n', &rest[..DATAGRAM]);
            let longer = || memchr::memchr(b'\n', rest).filter(|end| *end < 65_000);
            fits.or_else(longer).map_or(DATAGRAM, |end| end + 1)
        };
        let (datagram, others) = rest.split_at(length);
        rest = others;
        Some(datagram)
    })
}

#[cfg(test)]
mod tests {
    use super::{Shared, Thread, datagrams};
    use crate::address::Address;
    use std::io::{self, ErrorKind, Write};
    use std::sync::Arc;

    /// Takes one part of a piece.
    struct Lost(bool);

    impl Write for Lost {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            match std::mem::replace(&mut self.0, true) {
                true => Err(ErrorKind::ConnectionReset.into()),
                false => Ok(bytes.len()),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_one_peer_lost_does_not_count_against_the_next() {
        let shared = Arc::new(Shared::default());
        for size in [1 << 20, 10] {
            let mut state = shared.lock();
            state.bytes += size;
            state.pieces.push_back(vec![0; size]);
            state.is_closed = true;
        }
        let thread = Thread { shared: shared.clone(), address: Address::Standard, reconnect: true };
        thread.write_stream(&mut Lost(false)).unwrap_err();
        assert_eq!(shared.lock().bytes, 10);
        let mut next = Vec::new();
        thread.write_stream(&mut next).unwrap();
        assert_eq!((next.len(), shared.lock().bytes), (10, 0));
    }

    #[test]
    fn datagrams_end_with_lines() {
        let text = "0123456789\n".repeat(200);
        let cut: Vec<_> = datagrams(text.as_bytes()).collect();
        assert!(cut.len() > 1 && cut.iter().all(|part| part.ends_with(b"\n")));
        assert_eq!(cut.concat(), text.as_bytes());
    }
}
