//! UCX's functions, and a context.

use crate::abi::{
    Configuration, Context, EndpointParameters, FEATURE_STREAM, FEATURE_WAKEUP, ListenerParameters,
    OK, PARAMETER_FEATURES, Parameters, RawEndpoint, RawListener, RawRequest, RawWorker,
    ReadyEndpoint, RequestAttributes, RequestParameters, Status, StatusPointer, WorkerParameters,
};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

const LIBRARY: &str = "libucp.so.0";
/// The version of the API that `abi.rs` describes. Later ones accept it.
const VERSION: (c_uint, c_uint) = (1, 10);
/// Lets UCX listen at a port of which old connections are not forgotten yet: else a receiver that was
/// killed could not be started again for a minute. Two listeners share no port by it. The option is
/// that of all connection managers: UCX 1.13 knows that of one, `TCP_CM_REUSEADDR`, in the environment
/// only.
const REUSE: (&CStr, &CStr) = (c"CM_REUSEADDR", c"y");
/// Environment variables by which somebody may decide otherwise.
const REUSE_VARIABLES: [&str; 3] =
    ["UCX_CM_REUSEADDR", "UCX_TCP_CM_REUSEADDR", "UCX_RDMA_CM_REUSEADDR"];

/// The device for connections of this host alone. By default, UCX listens at each device.
const LOOPBACK: (&CStr, &CStr) = (c"NET_DEVICES", c"lo");
/// The environment variable by which somebody may decide otherwise.
const DEVICES: &str = "UCX_NET_DEVICES";

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions that are used.
        pub struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn find(library: &libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the types are those of `ucp/api/ucp.h`, and the library stays loaded
                    // as long as the functions are used (see `Library`).
                    $($name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? },)*
                })
            }
        }
    };
}

functions! {
    ucp_get_version_string: fn() -> *const c_char;
    ucp_config_read: fn(*const c_char, *const c_char, *mut Configuration) -> Status;
    ucp_config_modify: fn(Configuration, *const c_char, *const c_char) -> Status;
    ucp_config_release: fn(Configuration);
    ucp_init_version: fn(c_uint, c_uint, *const Parameters, Configuration, *mut Context) -> Status;
    ucp_cleanup: fn(Context);
    ucp_worker_create: fn(Context, *const WorkerParameters, *mut RawWorker) -> Status;
    ucp_worker_destroy: fn(RawWorker);
    ucp_worker_get_efd: fn(RawWorker, *mut c_int) -> Status;
    ucp_worker_arm: fn(RawWorker) -> Status;
    ucp_worker_signal: fn(RawWorker) -> Status;
    ucp_worker_progress: fn(RawWorker) -> c_uint;
    ucp_listener_create: fn(RawWorker, *const ListenerParameters, *mut RawListener) -> Status;
    ucp_listener_destroy: fn(RawListener);
    ucp_listener_reject: fn(RawListener, RawRequest) -> Status;
    ucp_conn_request_query: fn(RawRequest, *mut RequestAttributes) -> Status;
    ucp_ep_create: fn(RawWorker, *const EndpointParameters, *mut RawEndpoint) -> Status;
    ucp_ep_close_nbx: fn(RawEndpoint, *const RequestParameters) -> StatusPointer;
    ucp_request_check_status: fn(RawRequest) -> Status;
    ucp_request_free: fn(RawRequest);
    ucp_stream_send_nbx: fn(RawEndpoint, *const c_void, usize, *const RequestParameters) -> StatusPointer;
    ucp_stream_recv_nbx: fn(RawEndpoint, *mut c_void, usize, *mut usize, *const RequestParameters) -> StatusPointer;
    ucp_stream_recv_data_nb: fn(RawEndpoint, *mut usize) -> StatusPointer;
    ucp_stream_data_release: fn(RawEndpoint, *mut c_void);
    ucp_stream_worker_poll: fn(RawWorker, *mut ReadyEndpoint, usize, c_uint) -> isize;
}

/// UCX, with a context.
pub struct Library {
    pub(crate) functions: Functions,
    pub(crate) context: Context,
    describe: Option<unsafe extern "C" fn(Status) -> *const c_char>,
    /// Whether it connects within this host alone.
    pub is_local: bool,
    /// After the functions.
    _library: libloading::Library,
    _services: Option<libloading::Library>,
}

// SAFETY: UCX's context may be used from all threads; it is only used to make workers.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Opens UCX: if `is_local`, for connections within this host alone, unless the environment says which
    /// devices it may use.
    ///
    /// # Errors
    /// This machine has no UCX, or none that can be used; the text says what is missing.
    pub fn open(is_local: bool) -> Result<Arc<Self>, String> {
        // SAFETY: the initializers of UCX's libraries do nothing but register things of their own.
        let library = unsafe { libloading::Library::new(LIBRARY) }.map_err(|error| {
            format!("UCX cannot be opened, install it (libucx0 or ucx): {error}")
        })?;
        let functions = Functions::find(&library)
            .map_err(|error| format!("'{LIBRARY}' is no UCX of version 1.10 or later: {error}"))?;
        // SAFETY: as above. It is loaded already, because the other one needs it.
        let services = unsafe { libloading::Library::new("libucs.so.0") }.ok();
        let describe = services.as_ref().and_then(|services| {
            // SAFETY: the type is that of `ucs/type/status.h`.
            unsafe { services.get(b"ucs_status_string\0") }.ok().map(|found| *found)
        });
        let is_local = is_local && std::env::var_os(DEVICES).is_none();
        let context = make_context(&functions, is_local)
            .map_err(|status| format!("UCX cannot be used: {}", text(describe, status)))?;
        Ok(Arc::new(Self {
            functions,
            context,
            describe,
            is_local,
            _library: library,
            _services: services,
        }))
    }

    /// Its version, for people.
    #[must_use]
    pub fn version(&self) -> String {
        // SAFETY: it takes nothing, and returns a text that stays.
        let version = unsafe { CStr::from_ptr((self.functions.ucp_get_version_string)()) };
        version.to_string_lossy().into_owned()
    }

    /// What a status means, for people.
    pub(crate) fn text(&self, status: Status) -> String {
        text(self.describe, status)
    }

    /// An error unless the status is fine.
    pub(crate) fn check(&self, status: Status) -> Result<(), String> {
        if status == OK { Ok(()) } else { Err(self.text(status)) }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the context exists, and all its workers are gone, because they hold the library.
        unsafe { (self.functions.ucp_cleanup)(self.context) };
    }
}

fn make_context(functions: &Functions, is_local: bool) -> Result<Context, Status> {
    let check = |status| if status == OK { Ok(()) } else { Err(status) };
    let mut configuration = std::ptr::null_mut();
    // SAFETY: null means the usual environment variables and files.
    check(unsafe {
        (functions.ucp_config_read)(std::ptr::null(), std::ptr::null(), &raw mut configuration)
    })?;
    let reuses = REUSE_VARIABLES.iter().all(|name| std::env::var_os(name).is_none());
    let settings = [(reuses, REUSE), (is_local, LOOPBACK)];
    for (_, (name, value)) in settings.into_iter().filter(|(is_wanted, _)| *is_wanted) {
        // SAFETY: the configuration exists, and the texts, which end in zero, are copied. A version
        // that does not know the name says so, and does without.
        _ = unsafe { (functions.ucp_config_modify)(configuration, name.as_ptr(), value.as_ptr()) };
    }
    let parameters = Parameters {
        field_mask: PARAMETER_FEATURES,
        features: FEATURE_STREAM | FEATURE_WAKEUP,
        request_size: 0,
        request_init: std::ptr::null(),
        request_cleanup: std::ptr::null(),
        tag_sender_mask: 0,
        mt_workers_shared: 0,
        estimated_num_eps: 0,
        estimated_num_ppn: 0,
        name: std::ptr::null(),
    };
    let mut context = std::ptr::null_mut();
    let (major, minor) = VERSION;
    // SAFETY: the parameters are those of this version, of which only `features` is read, and the
    // configuration exists.
    let status = unsafe {
        (functions.ucp_init_version)(
            major,
            minor,
            &raw const parameters,
            configuration,
            &raw mut context,
        )
    };
    // SAFETY: it exists, and is not used after this.
    unsafe { (functions.ucp_config_release)(configuration) };
    check(status).map(|()| context)
}

fn text(describe: Option<unsafe extern "C" fn(Status) -> *const c_char>, status: Status) -> String {
    match describe {
        Some(describe) => {
            // SAFETY: it takes any status, and returns a text that stays.
            let text = unsafe { CStr::from_ptr(describe(status)) };
            text.to_string_lossy().into_owned()
        }
        None => format!("status {status}"),
    }
}
