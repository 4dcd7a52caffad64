//! One end of a connection.

use crate::abi::{IN_PROGRESS, Outcome, RawEndpoint, RawRequest, RequestParameters, Status};
use crate::library::Library;
use crate::worker::{Note, Shared};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::io::{self, ErrorKind, IoSlice};
use std::sync::Arc;

/// Most bytes that are sent at once, and most times that UCX has some to send.
const SEND_LIMIT: usize = 256 << 10;
const SENDS: usize = 4;

/// One end of a connection. Bytes arrive in order.
pub struct Endpoint {
    shared: Arc<Shared>,
    id: usize,
}

/// What the worker knows of it.
pub struct State {
    pub raw: RawEndpoint,
    pub failed: Option<Status>,
    /// Sends that UCX has not finished, with their bytes.
    pub in_flight: VecDeque<(RawRequest, Vec<u8>)>,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
    /// Whether somebody waits until UCX takes bytes again.
    wants_room: bool,
    is_closed: bool,
    chunk: Option<Chunk>,
    /// What UCX gives to callbacks.
    _note: Box<Note>,
}

/// Bytes that UCX has received, and how many of them are read.
struct Chunk {
    bytes: *mut c_void,
    size: usize,
    read: usize,
}

impl State {
    pub fn new(raw: RawEndpoint, note: Box<Note>) -> Self {
        Self {
            raw,
            failed: None,
            in_flight: VecDeque::new(),
            spare: Vec::new(),
            wants_room: false,
            is_closed: false,
            chunk: None,
            _note: note,
        }
    }

    /// Frees what UCX has sent. Returns whether somebody waited for that.
    pub fn reap(&mut self, library: &Library) -> bool {
        while let Some((request, _)) = self.in_flight.front() {
            // SAFETY: the request was not freed.
            let status = unsafe { (library.functions.ucp_request_check_status)(*request) };
            if status == IN_PROGRESS {
                break;
            }
            // SAFETY: it is done, and not used after this.
            unsafe { (library.functions.ucp_request_free)(*request) };
            self.spare.extend(self.in_flight.pop_front().map(|(_, buffer)| buffer));
        }
        self.in_flight.len() < SENDS && std::mem::take(&mut self.wants_room)
    }

    /// Gives received bytes back.
    pub fn release_chunk(&mut self, library: &Library) {
        if let Some(chunk) = self.chunk.take() {
            // SAFETY: UCX gave these bytes for this endpoint, and they are not read after this.
            unsafe { (library.functions.ucp_stream_data_release)(self.raw, chunk.bytes) };
        }
    }

    /// The error of a connection that failed.
    fn check(&self, library: &Library) -> io::Result<()> {
        match self.failed {
            None => Ok(()),
            Some(status) => Err(failure(library, status)),
        }
    }
}

fn failure(library: &Library, status: Status) -> io::Error {
    io::Error::new(ErrorKind::ConnectionReset, format!("UCX: {}", library.text(status)))
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
