//! One end of a connection.

use crate::abi::{Outcome, RequestParameters};
use crate::shared::{Chunk, SENDS, Shared, failure};
use std::io::{self, ErrorKind, IoSlice};
use std::sync::Arc;

/// Most bytes that are sent at once.
const SEND_LIMIT: usize = 256 << 10;

/// One end of a connection. Bytes arrive in order.
pub struct Endpoint {
    shared: Arc<Shared>,
    id: usize,
}

impl Endpoint {
    pub(crate) fn new(shared: Arc<Shared>, id: usize) -> Self {
        Self { shared, id }
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

    /// Writes some bytes.
    ///
    /// # Errors
    /// [`ErrorKind::WouldBlock`] if UCX takes none now, or the connection has failed.
    pub fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
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
        let mut buffer = state.spare.pop().unwrap_or_default();
        buffer.clear();
        for slice in slices {
            let room = SEND_LIMIT - buffer.len();
            buffer.extend_from_slice(&slice[..slice.len().min(room)]);
        }
        let (size, parameters) = (buffer.len(), RequestParameters::NONE);
        // SAFETY: the endpoint exists, and the bytes stay until the request is done.
        let sent = unsafe {
            (library.functions.ucp_stream_send_nbx)(
                state.raw,
                buffer.as_ptr().cast(),
                size,
                &raw const parameters,
            )
        };
        match sent.outcome() {
            Outcome::Done => state.spare.push(buffer),
            Outcome::Failed(status) => return Err(failure(library, status)),
            Outcome::Pending(request) => {
                state.in_flight.push_back((request, buffer));
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
