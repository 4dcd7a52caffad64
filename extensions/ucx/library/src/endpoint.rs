//! One end of a connection.

use crate::abi::{Outcome, RequestParameters};
use crate::receiving::{Memory, Receiving};
use crate::shared::{Chunk, SENDS, Sending, Shared, failure};
use bytes::Bytes;
use std::io::{self, ErrorKind, IoSlice};
use std::net::SocketAddr;
use std::sync::Arc;

/// Most bytes that are copied at once.
const COPY_LIMIT: usize = 256 << 10;

/// One end of a connection. Bytes arrive in order.
pub struct Endpoint {
    shared: Arc<Shared>,
    id: usize,
    /// The other end's, if it is known.
    pub peer: Option<SocketAddr>,
}

/// What UCX has filled since the last time that somebody asked.
pub struct Received {
    /// Number of bytes.
    pub filled: u64,
    /// The memory, if its place is filled.
    pub memory: Option<Box<dyn Memory>>,
}

impl Endpoint {
    pub(crate) fn new(shared: Arc<Shared>, id: usize, peer: Option<SocketAddr>) -> Self {
        Self { shared, id, peer }
    }

    /// Reads what is there.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] if there is nothing, or the connection has failed.
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let library = &self.shared.library;
        let mut raw = self.shared.raw.lock();
        let Some(state) = raw.endpoints.get_mut(&self.id) else { return Ok(0) };
        if state.is_closed {
            return Ok(0);
        }
        if state.chunk.is_none() {
            let mut size = 0;
            // SAFETY: the endpoint exists.
            let received =
                unsafe { (library.functions.ucp_stream_recv_data_nb)(state.raw, &raw mut size) };
            match received.outcome() {
                Outcome::Done => {
                    state.check(library)?;
                    return Err(ErrorKind::WouldBlock.into());
                }
                Outcome::Failed(status) => return Err(failure(library, status)),
                Outcome::Pending(bytes) => state.chunk = Some(Chunk { bytes, size, read: 0 }),
            }
        }
        let Some(chunk) = &mut state.chunk else { return Err(ErrorKind::WouldBlock.into()) };
        let count = bytes.len().min(chunk.size - chunk.read);
        // SAFETY: UCX received so many bytes here, and they stay until they are released.
        let source =
            unsafe { std::slice::from_raw_parts(chunk.bytes.cast::<u8>().add(chunk.read), count) };
        bytes[..count].copy_from_slice(source);
        chunk.read += count;
        if chunk.read == chunk.size {
            state.release_chunk(library);
        }
        Ok(count)
    }

    /// Whether all was read that UCX has given.
    #[must_use]
    pub fn has_read_all(&self) -> bool {
        let raw = self.shared.raw.lock();
        raw.endpoints.get(&self.id).is_some_and(|state| state.chunk.is_none())
    }

    /// Has UCX put what arrives next where memory has its place for it, behind so many bytes. Ask
    /// [`Self::received`] for it before the next read. Only if [`Self::has_read_all`].
    pub fn receive(&self, memory: Box<dyn Memory>, filled: u64) {
        let mut raw = self.shared.raw.lock();
        if let Some(state) = raw.endpoints.get_mut(&self.id) {
            debug_assert!(state.chunk.is_none() && state.receiving.is_none());
            state.receiving = Some(Receiving::new(memory, filled));
        }
    }

    /// What has arrived of that.
    ///
    /// # Errors
    /// The connection has failed.
    pub fn received(&self) -> io::Result<Received> {
        let library = &self.shared.library;
        let mut raw = self.shared.raw.lock();
        let closed = || io::Error::from(ErrorKind::UnexpectedEof);
        let state = raw.endpoints.get_mut(&self.id).filter(|state| !state.is_closed);
        let state = state.ok_or_else(closed)?;
        let raw = state.raw;
        let receiving = state.receiving.as_mut().ok_or_else(closed)?;
        // SAFETY: the endpoint exists, and has the memory until it is closed.
        let filled = unsafe { receiving.advance(library, raw) };
        let filled = filled.map_err(|status| failure(library, status))?;
        if receiving.is_done() {
            let memory = state.receiving.take().map(Receiving::into_memory);
            return Ok(Received { filled, memory });
        }
        if filled == 0 {
            state.check(library)?;
        }
        Ok(Received { filled, memory: None })
    }

    /// Writes some bytes, of which UCX gets a copy.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] if UCX takes none now, or the connection has failed.
    pub fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_made(|spare| {
            let mut buffer = spare.pop().unwrap_or_default();
            buffer.clear();
            for slice in slices {
                let room = COPY_LIMIT - buffer.len();
                buffer.extend_from_slice(&slice[..slice.len().min(room)]);
            }
            Sending::Copied(buffer)
        })
    }

    /// Writes all of the bytes, from where they are.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub fn send(&self, bytes: Bytes) -> io::Result<usize> {
        self.send_made(|_| Sending::Lent(bytes))
    }

    fn send_made(&self, make: impl FnOnce(&mut Vec<Vec<u8>>) -> Sending) -> io::Result<usize> {
        let library = &self.shared.library;
        let mut guard = self.shared.raw.lock();
        let raw = &mut *guard;
        let Some(state) = raw.endpoints.get_mut(&self.id).filter(|state| !state.is_closed) else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        state.check(library)?;
        state.reap(library);
        if state.in_flight.len() >= SENDS {
            state.wants_room = true;
            return Err(ErrorKind::WouldBlock.into());
        }
        let sending = make(&mut state.spare);
        let (bytes, parameters) = (sending.bytes(), RequestParameters::NONE);
        let size = bytes.len();
        // SAFETY: the endpoint exists, and the bytes stay until the request is done.
        let sent = unsafe {
            (library.functions.ucp_stream_send_nbx)(
                state.raw,
                bytes.as_ptr().cast(),
                size,
                &raw const parameters,
            )
        };
        match sent.outcome() {
            Outcome::Done => state.spare.extend(sending.into_buffer()),
            Outcome::Failed(status) => return Err(failure(library, status)),
            Outcome::Pending(request) => {
                state.in_flight.push_back((request, sending));
                self.shared.wake(&guard);
            }
        }
        Ok(size)
    }

    /// Ends the connection; the thread that polls hears of it.
    pub fn close(&self) {
        let mut raw = self.shared.raw.lock();
        let Some(state) = raw.endpoints.get_mut(&self.id) else { return };
        if !std::mem::replace(&mut state.is_closed, true) {
            raw.closed.push(self.id);
            self.shared.wake(&raw);
        }
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shared.close(self.id);
    }
}
