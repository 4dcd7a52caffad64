//! What a worker, its endpoints and its callbacks share.

use crate::abi::{
    ATTRIBUTE_FLAGS, CLOSE_FORCE, IN_PROGRESS, Outcome, RawEndpoint, RawListener, RawRequest,
    RawWorker, ReadyEndpoint, RequestParameters, Status,
};
use crate::library::Library;
use crate::receiving::Receiving;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Sends that UCX may not have finished.
pub const SENDS: usize = 4;
/// How long the last bytes of closed connections may take at the end.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// What the worker and its endpoints share.
pub struct Shared {
    pub library: Arc<Library>,
    pub raw: Mutex<Raw>,
    /// Callbacks use it while `raw` is locked.
    pub inbox: Mutex<Inbox>,
}

/// All that UCX knows.
pub struct Raw {
    pub worker: RawWorker,
    pub endpoints: HashMap<usize, State>,
    pub listeners: HashMap<usize, (RawListener, Box<Note>)>,
    pub closing: Vec<Closing>,
    /// Endpoints that this side has closed, and whose owner does not know it yet.
    pub closed: Vec<usize>,
}

// SAFETY: the pointers are only used while the lock around this is held, as UCX demands.
unsafe impl Send for Raw {}

/// What callbacks note.
#[derive(Default)]
pub struct Inbox {
    pub requests: Vec<(usize, RawRequest)>,
    pub failed: Vec<(usize, Status)>,
}

// SAFETY: as for `Raw`: here the pointers are only kept.
unsafe impl Send for Inbox {}

/// The argument of the callbacks of a listener or an endpoint.
pub struct Note {
    pub inbox: *const Mutex<Inbox>,
    pub id: usize,
}

/// An endpoint whose last bytes are on their way.
pub struct Closing {
    request: Option<RawRequest>,
    state: State,
}

/// The inbox and the number of a listener or an endpoint.
///
/// # Safety
/// The argument is that of a callback.
pub unsafe fn noted<'a>(argument: *mut c_void) -> (&'a Mutex<Inbox>, usize) {
    // SAFETY: the note stays as long as the listener or the endpoint, and its inbox as long as the
    // worker.
    unsafe {
        let note = &*argument.cast::<Note>();
        (&*note.inbox, note.id)
    }
}

/// What the worker knows of an endpoint.
pub struct State {
    pub raw: RawEndpoint,
    pub failed: Option<Status>,
    /// Sends that UCX has not finished, with their bytes.
    pub in_flight: VecDeque<(RawRequest, Sending)>,
    /// Buffers to use again.
    pub spare: Vec<Vec<u8>>,
    /// Whether somebody waits until UCX takes bytes again.
    pub wants_room: bool,
    pub is_closed: bool,
    pub chunk: Option<Chunk>,
    /// Memory that UCX fills; then there is no chunk.
    pub receiving: Option<Receiving>,
    /// What UCX gives to callbacks.
    _note: Box<Note>,
}

/// Bytes that UCX sends.
pub enum Sending {
    /// A copy, in a buffer to use again.
    Copied(Vec<u8>),
    /// Where they are, with what keeps them there.
    Lent(Bytes),
}

impl Sending {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(buffer) => buffer,
            Self::Lent(bytes) => bytes,
        }
    }

    /// They are sent: the buffer.
    pub fn into_buffer(self) -> Option<Vec<u8>> {
        match self {
            Self::Copied(buffer) => Some(buffer),
            Self::Lent(_) => None,
        }
    }
}

/// Bytes that UCX has received, and how many of them are read.
pub struct Chunk {
    pub bytes: *mut c_void,
    pub size: usize,
    pub read: usize,
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
            receiving: None,
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
            let sent = self.in_flight.pop_front();
            self.spare.extend(sent.and_then(|(_, sent)| sent.into_buffer()));
        }
        self.in_flight.len() < SENDS && std::mem::take(&mut self.wants_room)
    }

    /// Whether UCX has filled memory of which nobody knows.
    pub fn has_filled(&self, library: &Library) -> bool {
        self.receiving.as_ref().is_some_and(|receiving| receiving.is_ahead(library))
    }

    /// Gives received bytes back.
    pub fn release_chunk(&mut self, library: &Library) {
        if let Some(chunk) = self.chunk.take() {
            // SAFETY: UCX gave these bytes for this endpoint, and they are not read after this.
            unsafe { (library.functions.ucp_stream_data_release)(self.raw, chunk.bytes) };
        }
    }

    /// The error of a connection that failed.
    pub fn check(&self, library: &Library) -> io::Result<()> {
        match self.failed {
            None => Ok(()),
            Some(status) => Err(failure(library, status)),
        }
    }
}

pub fn failure(library: &Library, status: Status) -> io::Error {
    io::Error::new(ErrorKind::ConnectionReset, format!("UCX: {}", library.text(status)))
}

impl Shared {
    /// Wakes the thread that polls.
    pub fn wake(&self, raw: &Raw) {
        // SAFETY: the worker exists.
        unsafe { (self.library.functions.ucp_worker_signal)(raw.worker) };
    }

    /// The owner of an endpoint is gone. What was sent still arrives, unless the connection is of
    /// no use.
    pub fn close(&self, id: usize) {
        let functions = &self.library.functions;
        let mut raw = self.raw.lock();
        let Some(mut state) = raw.endpoints.remove(&id) else { return };
        state.release_chunk(&self.library);
        let force = RequestParameters {
            attributes: ATTRIBUTE_FLAGS,
            flags: CLOSE_FORCE,
            ..RequestParameters::NONE
        };
        let parameters = if state.failed.is_some() { force } else { RequestParameters::NONE };
        // SAFETY: the endpoint exists, and is not used after this.
        let closed = unsafe { (functions.ucp_ep_close_nbx)(state.raw, &raw const parameters) };
        let request = match closed.outcome() {
            Outcome::Pending(request) => Some(request),
            Outcome::Done | Outcome::Failed(_) => None,
        };
        raw.closing.push(Closing { request, state });
        self.wake(&raw);
    }
}

impl Raw {
    /// Adds the endpoints that have bytes.
    pub fn with_bytes(&self, library: &Library, ready: &mut Vec<usize>) {
        const AT_ONCE: usize = 64;
        loop {
            let empty = ReadyEndpoint {
                endpoint: std::ptr::null_mut(),
                user_data: std::ptr::null_mut(),
                flags: 0,
                reserved: [0; 16],
            };
            let mut found = [empty; AT_ONCE];
            // SAFETY: the worker exists, and the array has so many places.
            let count = unsafe {
                (library.functions.ucp_stream_worker_poll)(
                    self.worker,
                    found.as_mut_ptr(),
                    AT_ONCE,
                    0,
                )
            };
            let count = usize::try_from(count).unwrap_or_default();
            ready.extend(found[..count].iter().map(|found| {
                // SAFETY: the user data of each endpoint is its note.
                unsafe { noted(found.user_data) }.1
            }));
            if count < AT_ONCE {
                return;
            }
        }
    }
}

impl Closing {
    /// Whether everything of it is done.
    pub fn is_done(&mut self, library: &Library) -> bool {
        self.state.reap(library);
        let is_closed = self.request.is_none_or(|request| {
            // SAFETY: the request was not freed.
            unsafe { (library.functions.ucp_request_check_status)(request) != IN_PROGRESS }
        });
        if is_closed && let Some(request) = self.request.take() {
            // SAFETY: it is done, and not used after this.
            unsafe { (library.functions.ucp_request_free)(request) };
        }
        if is_closed && let Some(receiving) = &mut self.state.receiving {
            receiving.end(library);
        }
        is_closed && self.state.in_flight.is_empty()
    }

    /// Leaves what is not done to UCX: a worker that ends must not have requests that somebody holds.
    fn give_up(&mut self, library: &Library) {
        let sends = self.state.in_flight.iter().map(|(request, _)| *request);
        for request in self.request.take().into_iter().chain(sends) {
            // SAFETY: the request was not freed, and is not used after this.
            unsafe { (library.functions.ucp_request_free)(request) };
        }
        if let Some(receiving) = &mut self.state.receiving {
            receiving.end(library);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Self { library, raw, .. } = self;
        let functions = &library.functions;
        let raw = raw.get_mut();
        for (listener, _note) in raw.listeners.drain().map(|(_, all)| all) {
            // SAFETY: it exists, and is not used after this.
            unsafe { (functions.ucp_listener_destroy)(listener) };
        }
        let until = Instant::now() + FLUSH_TIME;
        raw.closing.retain_mut(|closing| !closing.is_done(library));
        while !raw.closing.is_empty() && Instant::now() < until {
            // SAFETY: the worker exists.
            if unsafe { (functions.ucp_worker_progress)(raw.worker) } == 0 {
                std::thread::sleep(Duration::from_micros(100));
            }
            raw.closing.retain_mut(|closing| !closing.is_done(library));
        }
        raw.closing.iter_mut().for_each(|closing| closing.give_up(library));
        // SAFETY: it exists, and is not used after this; buffers that it still sends or fills
        // are freed after it.
        unsafe { (functions.ucp_worker_destroy)(raw.worker) };
    }
}
