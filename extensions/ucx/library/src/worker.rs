//! What progresses, listens and connects.

use crate::abi::{
    BUSY, CLIENT_SERVER, ENDPOINT_ERROR_HANDLER, ENDPOINT_ERROR_MODE, ENDPOINT_FLAGS,
    ENDPOINT_LOCAL_ADDRESS, ENDPOINT_REQUEST, ENDPOINT_SOCKET_ADDRESS, ENDPOINT_USER_DATA,
    ERRORS_OF_PEERS, EndpointParameters, Handler, LISTENER_ADDRESS, LISTENER_CONNECTION_HANDLER,
    ListenerParameters, REQUEST_CLIENT_ADDRESS, RawEndpoint, RawRequest, RequestAttributes,
    SocketAddress, Status, THREADS_SERIALIZED, WORKER_THREAD_MODE, WorkerParameters,
};
use crate::endpoint::Endpoint;
use crate::library::Library;
use crate::shared::{Inbox, Note, Raw, Shared, State, noted};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// Most steps of progress before others get their turn.
const STEPS: usize = 1000;

/// Listens and connects. One thread polls it; endpoints may be written to from any thread.
pub struct Worker(Arc<Shared>);

/// Something that happened.
pub enum Event {
    /// The endpoint has bytes, takes bytes again, or is of no use any more.
    Ready(usize),
    /// Somebody connects to a listener.
    Asked(Request),
}

/// Somebody who connects to a listener; turned away if dropped.
pub struct Request {
    shared: Arc<Shared>,
    /// The listener.
    pub listener: usize,
    raw: RawRequest,
}

// SAFETY: the request is only used while the worker's lock is held.
unsafe impl Send for Request {}

unsafe extern "C" fn asked(request: RawRequest, argument: *mut c_void) {
    // SAFETY: UCX calls with the argument that it was given.
    let (inbox, id) = unsafe { noted(argument) };
    inbox.lock().requests.push((id, request));
}

/// UCX gives the endpoint's user data instead of the handler's own argument.
unsafe extern "C" fn failed(argument: *mut c_void, _endpoint: RawEndpoint, status: Status) {
    // SAFETY: as above.
    let (inbox, id) = unsafe { noted(argument) };
    inbox.lock().failed.push((id, status));
}

/// An address as the system's calls take it.
struct SystemAddress(libc::sockaddr_storage, u32);

impl SystemAddress {
    fn new(address: SocketAddr) -> Self {
        // SAFETY: all bytes zero is a value of it.
        let mut storage: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
        let place = (&raw mut storage).cast::<c_void>();
        let size = match address {
            SocketAddr::V4(address) => {
                let ip = libc::in_addr { s_addr: u32::from_ne_bytes(address.ip().octets()) };
                let value = libc::sockaddr_in {
                    sin_family: libc::AF_INET as libc::sa_family_t,
                    sin_port: address.port().to_be(),
                    sin_addr: ip,
                    sin_zero: [0; 8],
                };
                // SAFETY: the storage is large enough for each kind of address, and aligned.
                unsafe { place.cast::<libc::sockaddr_in>().write(value) };
                size_of_val(&value)
            }
            SocketAddr::V6(address) => {
                let value = libc::sockaddr_in6 {
                    sin6_family: libc::AF_INET6 as libc::sa_family_t,
                    sin6_port: address.port().to_be(),
                    sin6_flowinfo: address.flowinfo(),
                    sin6_addr: libc::in6_addr { s6_addr: address.ip().octets() },
                    sin6_scope_id: address.scope_id(),
                };
                // SAFETY: as above.
                unsafe { place.cast::<libc::sockaddr_in6>().write(value) };
                size_of_val(&value)
            }
        };
        Self(storage, u32::try_from(size).unwrap_or_default())
    }

    fn get(storage: &libc::sockaddr_storage) -> Option<SocketAddr> {
        let place = (&raw const *storage).cast::<c_void>();
        match c_int::from(storage.ss_family) {
            libc::AF_INET => {
                // SAFETY: the family says what is there, and the storage is large enough for each.
                let found = unsafe { place.cast::<libc::sockaddr_in>().read() };
                let ip = Ipv4Addr::from(found.sin_addr.s_addr.to_ne_bytes());
                Some((ip, u16::from_be(found.sin_port)).into())
            }
            libc::AF_INET6 => {
                // SAFETY: as above.
                let found = unsafe { place.cast::<libc::sockaddr_in6>().read() };
                let ip = Ipv6Addr::from(found.sin6_addr.s6_addr);
                Some((ip, u16::from_be(found.sin6_port)).into())
            }
            _ => None,
        }
    }

    fn as_raw(&self) -> SocketAddress {
        SocketAddress { address: (&raw const self.0).cast(), size: self.1 }
    }
}

const NO_ADDRESS: SocketAddress = SocketAddress { address: std::ptr::null(), size: 0 };

impl Worker {
    /// A worker with nothing to do.
    ///
    /// # Errors
    /// UCX refuses.
    pub fn new(library: Arc<Library>) -> Result<Self, String> {
        let parameters = WorkerParameters {
            field_mask: WORKER_THREAD_MODE,
            thread_mode: THREADS_SERIALIZED,
            cpu_mask: [0; 16],
            events: 0,
            user_data: std::ptr::null(),
            event_fd: -1,
            flags: 0,
            name: std::ptr::null(),
            am_alignment: 0,
            client_id: 0,
        };
        let mut worker = std::ptr::null_mut();
        // SAFETY: the context exists as long as the library, and only `thread_mode` is read.
        library.check(unsafe {
            (library.functions.ucp_worker_create)(
                library.context,
                &raw const parameters,
                &raw mut worker,
            )
        })?;
        let raw = Raw {
            worker,
            endpoints: HashMap::new(),
            listeners: HashMap::new(),
            closing: Vec::new(),
            closed: Vec::new(),
        };
        Ok(Self(Arc::new(Shared { library, raw: Mutex::new(raw), inbox: Mutex::default() })))
    }

    /// Becomes readable when there is something to poll, once it is armed.
    ///
    /// # Errors
    /// UCX refuses.
    pub fn descriptor(&self) -> Result<c_int, String> {
        let mut descriptor = -1;
        let raw = self.0.raw.lock();
        // SAFETY: the worker exists.
        let status = unsafe {
            (self.0.library.functions.ucp_worker_get_efd)(raw.worker, &raw mut descriptor)
        };
        self.0.library.check(status).map(|()| descriptor)
    }

    /// Whether the thread may sleep until the descriptor is readable; otherwise it must poll again.
    #[must_use]
    pub fn arm(&self) -> bool {
        let raw = self.0.raw.lock();
        let is_quiet = raw.closed.is_empty();
        // SAFETY: the worker exists.
        is_quiet && unsafe { (self.0.library.functions.ucp_worker_arm)(raw.worker) } != BUSY
    }

    /// Listens; requests have the listener's `id`.
    ///
    /// # Errors
    /// The port is taken, or no network of UCX has the address.
    pub fn listen(&self, id: usize, address: SocketAddr) -> Result<(), String> {
        let Shared { library, raw, inbox } = &*self.0;
        let address = SystemAddress::new(address);
        let note = Box::new(Note { inbox, id });
        let parameters = ListenerParameters {
            field_mask: LISTENER_ADDRESS | LISTENER_CONNECTION_HANDLER,
            socket_address: address.as_raw(),
            accept_handler: Handler { callback: None, argument: std::ptr::null() },
            connection_handler: Handler {
                callback: Some(asked),
                argument: (&raw const *note).cast(),
            },
        };
        let mut raw = raw.lock();
        let mut listener = std::ptr::null_mut();
        // SAFETY: the worker exists, the address is copied, and the argument of the callback stays
        // with the listener.
        let status = unsafe {
            (library.functions.ucp_listener_create)(
                raw.worker,
                &raw const parameters,
                &raw mut listener,
            )
        };
        match status {
            // UCX's own text speaks of a device.
            BUSY => return Err("another program uses the port".to_owned()),
            status => library.check(status)?,
        }
        raw.listeners.insert(id, (listener, note));
        Ok(())
    }

    /// Listens no more.
    pub fn forget(&self, id: usize) {
        let mut raw = self.0.raw.lock();
        if let Some((listener, _note)) = raw.listeners.remove(&id) {
            // SAFETY: it exists, and is not used after this.
            unsafe { (self.0.library.functions.ucp_listener_destroy)(listener) };
        }
    }

    /// Connects, perhaps from a certain address; events have the endpoint's `id`.
    ///
    /// # Errors
    /// No network of UCX leads there.
    pub fn connect(
        &self,
        id: usize,
        to: SocketAddr,
        from: Option<SocketAddr>,
    ) -> Result<Endpoint, String> {
        let (peer, to, from) = (to, SystemAddress::new(to), from.map(SystemAddress::new));
        let local = if from.is_some() { ENDPOINT_LOCAL_ADDRESS } else { 0 };
        self.0.endpoint(id, Some(peer), |parameters| {
            parameters.field_mask |= ENDPOINT_SOCKET_ADDRESS | ENDPOINT_FLAGS | local;
            parameters.flags = CLIENT_SERVER;
            parameters.socket_address = to.as_raw();
            parameters.local_socket_address =
                from.as_ref().map_or(NO_ADDRESS, SystemAddress::as_raw);
        })
    }

    /// Does what there is to do, and says what happened.
    #[must_use]
    pub fn poll(&self) -> Vec<Event> {
        let Shared { library, raw, inbox } = &*self.0;
        let functions = &library.functions;
        let mut raw = raw.lock();
        let mut ready = std::mem::take(&mut raw.closed);
        for _ in 0..STEPS {
            // SAFETY: the worker exists.
            let done = unsafe { (functions.ucp_worker_progress)(raw.worker) };
            raw.with_bytes(library, &mut ready);
            // What else arrives, UCX copies unless it has the memory for it.
            if done == 0 || !ready.is_empty() {
                break;
            }
        }
        let Inbox { requests, failed } = std::mem::take(&mut *inbox.lock());
        for (id, status) in failed {
            if let Some(state) = raw.endpoints.get_mut(&id) {
                state.failed = Some(status);
                ready.push(id);
            }
        }
        for (id, state) in &mut raw.endpoints {
            if state.reap(library) || state.has_filled(library) {
                ready.push(*id);
            }
        }
        raw.closing.retain_mut(|closing| !closing.is_done(library));
        let requests = requests
            .into_iter()
            .map(|(listener, raw)| Event::Asked(Request { shared: self.0.clone(), listener, raw }));
        requests.chain(ready.into_iter().map(Event::Ready)).collect()
    }
}

impl Shared {
    /// Makes an endpoint; `prepare` says with whom.
    fn endpoint(
        self: &Arc<Self>,
        id: usize,
        peer: Option<SocketAddr>,
        prepare: impl FnOnce(&mut EndpointParameters),
    ) -> Result<Endpoint, String> {
        let note = Box::new(Note { inbox: &raw const self.inbox, id });
        let mut parameters = EndpointParameters {
            field_mask: ENDPOINT_ERROR_MODE | ENDPOINT_ERROR_HANDLER | ENDPOINT_USER_DATA,
            address: std::ptr::null(),
            error_mode: ERRORS_OF_PEERS,
            error_handler: Handler { callback: Some(failed), argument: std::ptr::null() },
            user_data: (&raw const *note).cast(),
            flags: 0,
            socket_address: NO_ADDRESS,
            connection_request: std::ptr::null_mut(),
            name: std::ptr::null(),
            local_socket_address: NO_ADDRESS,
        };
        prepare(&mut parameters);
        let mut raw = self.raw.lock();
        let mut endpoint = std::ptr::null_mut();
        // SAFETY: the worker exists, addresses are copied, and the note stays with the endpoint.
        self.library.check(unsafe {
            (self.library.functions.ucp_ep_create)(
                raw.worker,
                &raw const parameters,
                &raw mut endpoint,
            )
        })?;
        raw.endpoints.insert(id, State::new(endpoint, note));
        drop(raw);
        Ok(Endpoint::new(self.clone(), id, peer))
    }
}

impl Request {
    /// Accepts; events have the endpoint's `id`.
    ///
    /// # Errors
    /// The other end is gone.
    pub fn accept(mut self, id: usize) -> Result<Endpoint, String> {
        let peer = self.peer();
        let request = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        self.shared.clone().endpoint(id, peer, |parameters| {
            parameters.field_mask |= ENDPOINT_REQUEST;
            parameters.connection_request = request;
        })
    }

    /// Who asks, if UCX knows.
    fn peer(&self) -> Option<SocketAddr> {
        let mut attributes = RequestAttributes {
            field_mask: REQUEST_CLIENT_ADDRESS,
            // SAFETY: all bytes zero is a value of it.
            client_address: unsafe { std::mem::zeroed() },
            client_id: 0,
        };
        let library = &self.shared.library;
        let _raw = self.shared.raw.lock();
        // SAFETY: the request was not accepted or rejected, and only the address is asked for.
        let status =
            unsafe { (library.functions.ucp_conn_request_query)(self.raw, &raw mut attributes) };
        library.check(status).ok()?;
        SystemAddress::get(&attributes.client_address)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if self.raw.is_null() {
            return;
        }
        let raw = self.shared.raw.lock();
        if let Some((listener, _)) = raw.listeners.get(&self.listener) {
            // SAFETY: the listener exists, and the request was not accepted.
            unsafe { (self.shared.library.functions.ucp_listener_reject)(*listener, self.raw) };
        }
    }
}
