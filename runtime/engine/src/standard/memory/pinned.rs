//! Host memory that devices can access directly ("pinned"), from CUDA's driver if there is one.
//!
//! The driver's library is opened when host memory is first requested, so graphs without host
//! memory do not wait for it. Names, numbers and signatures are those of CUDA's driver API.

#![expect(unsafe_code, reason = "allocators hand out raw memory")]

use gxf::StorageType;
use libloading::{Library, Symbol};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

type Status = c_int;
const SUCCESS: Status = 0;
/// `CU_MEMHOSTALLOC_PORTABLE`: pinned for every device.
const PORTABLE: c_uint = 1;

/// CUDA's driver, with the primary context of its first device.
pub(super) struct Driver {
    context: *mut c_void,
    push_context: unsafe extern "C" fn(*mut c_void) -> Status,
    pop_context: unsafe extern "C" fn(*mut *mut c_void) -> Status,
    allocate: unsafe extern "C" fn(*mut *mut c_void, usize, c_uint) -> Status,
    free: unsafe extern "C" fn(*mut c_void) -> Status,
    /// Never closed, like the libraries of extensions.
    _library: Library,
}

// SAFETY: the context is an identifier for the driver, whose functions any thread may call.
unsafe impl Send for Driver {}
// SAFETY: as above.
unsafe impl Sync for Driver {}

/// The driver of this machine, or the reason there is none.
pub(super) fn driver() -> Result<&'static Driver, &'static str> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    DRIVER.get_or_init(Driver::open).as_ref().map_err(String::as_str)
}

/// The driver that pins this kind of memory; `None` for kinds that are not pinned here.
pub(super) fn driver_for(storage: StorageType) -> Option<&'static Driver> {
    if storage == StorageType::HOST { driver().ok() } else { None }
}

impl Driver {
    fn open() -> Result<Self, String> {
        if cfg!(miri) {
            return Err("Miri opens no libraries".to_owned());
        }
        // SAFETY: a library of this name is CUDA's driver, with the signatures below.
        let library = unsafe { Library::new("libcuda.so.1") }
            .map_err(|error| format!("there is no CUDA driver ({error})"))?;
        let missing = |error: libloading::Error| format!("the CUDA driver is incomplete ({error})");
        let called = |name: &str, status: Status| match status {
            SUCCESS => Ok(()),
            error => Err(format!("CUDA has no device to offer ({name} answers {error})")),
        };
        let (mut device, mut context) = (0, null_mut());
        // SAFETY: the signatures are the driver API's, and the pointers are valid.
        unsafe {
            let initialize: Symbol<'_, unsafe extern "C" fn(c_uint) -> Status> =
                library.get(b"cuInit\0").map_err(missing)?;
            let get_device: Symbol<'_, unsafe extern "C" fn(*mut c_int, c_int) -> Status> =
                library.get(b"cuDeviceGet\0").map_err(missing)?;
            let retain: Symbol<'_, unsafe extern "C" fn(*mut *mut c_void, c_int) -> Status> =
                library.get(b"cuDevicePrimaryCtxRetain\0").map_err(missing)?;
            called("cuInit", initialize(0))?;
            called("cuDeviceGet", get_device(&raw mut device, 0))?;
            called("cuDevicePrimaryCtxRetain", retain(&raw mut context, device))?;
            Ok(Self {
                context,
                push_context: *library.get(b"cuCtxPushCurrent_v2\0").map_err(missing)?,
                pop_context: *library.get(b"cuCtxPopCurrent_v2\0").map_err(missing)?,
                allocate: *library.get(b"cuMemHostAlloc\0").map_err(missing)?,
                free: *library.get(b"cuMemFreeHost\0").map_err(missing)?,
                _library: library,
            })
        }
    }

    /// Calls the driver with its context, and restores the thread's own.
    fn with_context<R>(&self, action: impl FnOnce() -> R) -> Option<R> {
        // SAFETY: the context was retained for the life of the process.
        if unsafe { (self.push_context)(self.context) } != SUCCESS {
            return None;
        }
        let result = action();
        let mut popped = null_mut();
        // SAFETY: the pointer is valid; this pops the context pushed above.
        unsafe { (self.pop_context)(&raw mut popped) };
        Some(result)
    }

    /// Allocates page-aligned memory, not cleared. `None` if none is left.
    pub fn allocate(&self, size: usize) -> Option<NonNull<u8>> {
        let mut start = null_mut();
        // SAFETY: the pointer is valid.
        let status =
            self.with_context(|| unsafe { (self.allocate)(&raw mut start, size, PORTABLE) })?;
        NonNull::new(start.cast()).filter(|_| status == SUCCESS)
    }

    /// Frees memory.
    ///
    /// # Safety
    /// It must come from `allocate` and not be used again.
    pub unsafe fn free(&self, start: NonNull<u8>) {
        // SAFETY: the memory comes from `allocate`, as required. While a process ends, the driver
        // may refuse; its memory then ends with the process.
        self.with_context(|| unsafe { (self.free)(start.as_ptr().cast()) });
    }
}
