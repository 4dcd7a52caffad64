//! Memory that UCX fills with what arrives, instead of keeping that until somebody reads it.
//!
//! UCX cannot be told to stop. So the memory belongs to the endpoint until it is filled, or until the
//! endpoint is closed, after which UCX writes nothing more.

use crate::abi::{
    ATTRIBUTE_FLAGS, IN_PROGRESS, OK, Outcome, RECEIVE_ALL, RawEndpoint, RawRequest,
    RequestParameters, Status,
};
use crate::library::Library;
use std::any::Any;
use std::collections::VecDeque;

/// UCX says of each piece when it is filled, which tells a slow connection from a dead one.
const PIECE: usize = 64 << 10;
/// Most pieces that UCX has at once: what arrives for none of them, it copies.
const PIECES: usize = 64;

/// Memory for bytes that arrive.
pub trait Memory: Any + Send {
    /// The memory behind this many bytes, or the first part of it; empty behind the last one.
    fn place(&mut self, filled: u64) -> &mut [u8];
}

/// Memory that UCX fills up to the end of a place.
pub struct Receiving {
    /// Not touched until UCX has filled the place, or writes nothing more.
    memory: Box<dyn Memory>,
    /// What UCX has no request for.
    next: *mut u8,
    left: usize,
    /// Requests that may not be done, in order, with their bytes.
    requests: VecDeque<(RawRequest, usize)>,
}

// SAFETY: the pointers are into the memory, which may be sent, and are used under the worker's lock.
unsafe impl Send for Receiving {}

impl Receiving {
    /// Memory of which so many bytes are filled.
    pub fn new(mut memory: Box<dyn Memory>, filled: u64) -> Self {
        let place = memory.place(filled);
        let (next, left) = (place.as_mut_ptr(), place.len());
        Self { memory, next, left, requests: VecDeque::new() }
    }

    /// Frees the requests that are done, and makes new ones. Returns the number of bytes that UCX has filled
    /// since the latest call.
    ///
    /// # Errors
    /// The connection has failed.
    ///
    /// # Safety
    /// The endpoint must exist, and keep this value until it is closed or all requests are done.
    pub unsafe fn advance(
        &mut self,
        library: &Library,
        endpoint: RawEndpoint,
    ) -> Result<u64, Status> {
        let mut filled = 0;
        while self.is_ahead(library) {
            let Some((request, size)) = self.requests.pop_front() else { break };
            // SAFETY: the request was not freed, and is not used after this.
            let status = unsafe {
                let status = (library.functions.ucp_request_check_status)(request);
                (library.functions.ucp_request_free)(request);
                status
            };
            if status != OK {
                return Err(status);
            }
            filled += size as u64;
        }
        let parameters = RequestParameters {
            attributes: ATTRIBUTE_FLAGS,
            flags: RECEIVE_ALL,
            ..RequestParameters::NONE
        };
        while self.left > 0 && self.requests.len() < PIECES {
            let size = self.left.min(PIECE);
            let mut received = 0;
            // SAFETY: the endpoint exists, and the place has so many bytes, which stay, as the caller
            // promises.
            let outcome = unsafe {
                (library.functions.ucp_stream_recv_nbx)(
                    endpoint,
                    self.next.cast(),
                    size,
                    &raw mut received,
                    &raw const parameters,
                )
            };
            match outcome.outcome() {
                // Only if all that came before is done, too.
                Outcome::Done => filled += size as u64,
                Outcome::Pending(request) => self.requests.push_back((request, size)),
                Outcome::Failed(status) => return Err(status),
            }
            // SAFETY: the place has so many bytes.
            self.next = unsafe { self.next.add(size) };
            self.left -= size;
        }
        Ok(filled)
    }

    /// Whether the first request is done.
    pub fn is_ahead(&self, library: &Library) -> bool {
        self.requests.front().is_some_and(|(request, _)| {
            // SAFETY: the request was not freed.
            unsafe { (library.functions.ucp_request_check_status)(*request) != IN_PROGRESS }
        })
    }

    /// Whether the place is filled.
    pub fn is_done(&self) -> bool {
        self.left == 0 && self.requests.is_empty()
    }

    /// The memory, which UCX has filled.
    pub fn into_memory(self) -> Box<dyn Memory> {
        debug_assert!(self.is_done());
        self.memory
    }

    /// The endpoint is closed: UCX writes nothing more.
    pub fn end(&mut self, library: &Library) {
        for (request, _) in self.requests.drain(..) {
            // SAFETY: the request was not freed, and is not used after this.
            unsafe { (library.functions.ucp_request_free)(request) };
        }
    }
}
