//! Types and numbers of UCX's API, version 1.10 and later.

use std::ffi::{c_int, c_uint, c_void};

/// `ucs_status_t`, a packed enumeration.
pub type Status = i8;
pub const OK: Status = 0;
pub const IN_PROGRESS: Status = 1;
pub const BUSY: Status = -15;
/// Pointers from here on are statuses (`UCS_ERR_LAST`).
const LAST_ERROR: isize = -100;

pub type Context = *mut c_void;
pub type RawWorker = *mut c_void;
pub type RawEndpoint = *mut c_void;
pub type RawListener = *mut c_void;
pub type RawRequest = *mut c_void;
pub type Configuration = *mut c_void;

/// `ucs_status_ptr_t`: nothing, a request, or a status.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct StatusPointer(pub *mut c_void);

/// What it holds.
pub enum Outcome {
    Done,
    Pending(RawRequest),
    Failed(Status),
}

impl StatusPointer {
    pub fn outcome(self) -> Outcome {
        match self.0.addr().cast_signed() {
            0 => Outcome::Done,
            number @ LAST_ERROR..0 => Outcome::Failed(i8::try_from(number).unwrap_or(-3)),
            _ => Outcome::Pending(self.0),
        }
    }
}

#[repr(C)]
pub struct Parameters {
    pub field_mask: u64,
    pub features: u64,
    pub request_size: usize,
    pub request_init: *const c_void,
    pub request_cleanup: *const c_void,
    pub tag_sender_mask: u64,
    pub mt_workers_shared: c_int,
    pub estimated_num_eps: usize,
    pub estimated_num_ppn: usize,
    pub name: *const c_void,
}

pub const PARAMETER_FEATURES: u64 = 1;
pub const FEATURE_WAKEUP: u64 = 1 << 4;
pub const FEATURE_STREAM: u64 = 1 << 5;

#[repr(C)]
pub struct WorkerParameters {
    pub field_mask: u64,
    pub thread_mode: c_int,
    pub cpu_mask: [u64; 16],
    pub events: c_uint,
    pub user_data: *const c_void,
    pub event_fd: c_int,
    pub flags: u64,
    pub name: *const c_void,
    pub am_alignment: usize,
    pub client_id: u64,
}

pub const WORKER_THREAD_MODE: u64 = 1;
pub const THREADS_SERIALIZED: c_int = 1;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct SocketAddress {
    pub address: *const c_void,
    pub size: u32,
}

#[repr(C)]
pub struct Handler<Callback> {
    pub callback: Option<Callback>,
    pub argument: *const c_void,
}

pub type OnConnection = unsafe extern "C" fn(RawRequest, *mut c_void);
pub type OnError = unsafe extern "C" fn(*mut c_void, RawEndpoint, Status);

#[repr(C)]
pub struct ListenerParameters {
    pub field_mask: u64,
    pub socket_address: SocketAddress,
    pub accept_handler: Handler<OnConnection>,
    pub connection_handler: Handler<OnConnection>,
}

/// `ucp_conn_request_attr_t`.
#[repr(C)]
pub struct RequestAttributes {
    pub field_mask: u64,
    pub client_address: libc::sockaddr_storage,
    pub client_id: u64,
}

pub const REQUEST_CLIENT_ADDRESS: u64 = 1;

pub const LISTENER_ADDRESS: u64 = 1;
pub const LISTENER_CONNECTION_HANDLER: u64 = 1 << 2;

#[repr(C)]
pub struct EndpointParameters {
    pub field_mask: u64,
    pub address: *const c_void,
    pub error_mode: c_int,
    pub error_handler: Handler<OnError>,
    pub user_data: *const c_void,
    pub flags: c_uint,
    pub socket_address: SocketAddress,
    pub connection_request: RawRequest,
    pub name: *const c_void,
    pub local_socket_address: SocketAddress,
}

pub const ENDPOINT_ERROR_MODE: u64 = 1 << 1;
pub const ENDPOINT_ERROR_HANDLER: u64 = 1 << 2;
pub const ENDPOINT_USER_DATA: u64 = 1 << 3;
pub const ENDPOINT_SOCKET_ADDRESS: u64 = 1 << 4;
pub const ENDPOINT_FLAGS: u64 = 1 << 5;
pub const ENDPOINT_REQUEST: u64 = 1 << 6;
pub const ENDPOINT_LOCAL_ADDRESS: u64 = 1 << 8;
pub const ERRORS_OF_PEERS: c_int = 1;
pub const CLIENT_SERVER: c_uint = 1;

/// `ucp_request_param_t`.
#[repr(C)]
pub struct RequestParameters {
    pub attributes: u32,
    pub flags: u32,
    pub request: *const c_void,
    pub callback: *const c_void,
    pub datatype: u64,
    pub user_data: *const c_void,
    pub reply_buffer: *const c_void,
    pub memory_type: c_int,
    pub receive_info: *const c_void,
    pub memory: *const c_void,
}

pub const ATTRIBUTE_FLAGS: u32 = 1 << 4;
pub const CLOSE_FORCE: u32 = 1;
pub const RECEIVE_ALL: u32 = 1;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct ReadyEndpoint {
    pub endpoint: RawEndpoint,
    pub user_data: *mut c_void,
    pub flags: c_uint,
    pub reserved: [u8; 16],
}

impl RequestParameters {
    pub const NONE: Self = Self {
        attributes: 0,
        flags: 0,
        request: std::ptr::null(),
        callback: std::ptr::null(),
        datatype: 0,
        user_data: std::ptr::null(),
        reply_buffer: std::ptr::null(),
        memory_type: 0,
        receive_info: std::ptr::null(),
        memory: std::ptr::null(),
    };
}
