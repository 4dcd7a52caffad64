//! The border between `libgxf_python_codelet.so`, which the engine loads and which knows no Python,
//! and the Python module `gxe._gxe`, which executes codelets: one function table, which the module
//! publishes as the capsule [`CAPSULE`], and the payload [`PyData`].
//!
//! Both sides are built together and compare [`VERSION`]. This crate imports the SDK only.

#![expect(unsafe_code, reason = "a payload releases a reference of another library")]

use core::ffi::{CStr, c_void};
use gxf::abi::{Condition, HostTable, ResultCode, Text, TickInfo};
use gxf::{Payload, Tid};

/// Name of the capsule with the [`Bridge`].
pub const CAPSULE: &CStr = c"gxe._gxe.bridge";

/// Changes with the layout of [`Bridge`] and [`PyData`].
pub const VERSION: u32 = 2;

/// The functions that the Python module provides. All of them take the interpreter's lock
/// themselves, and report errors through the host as functions of an extension do.
#[repr(C)]
pub struct Bridge {
    /// [`VERSION`] of the module.
    pub version: u32,
    /// Tells the module which host executes the codelets. Called before all others.
    pub attach: unsafe extern "C" fn(host: *const HostTable) -> ResultCode,
    /// Creates the codelet `name` of the file `file` with parameters in YAML.
    pub create: unsafe extern "C" fn(
        info: *const TickInfo,
        name: Text,
        file: Text,
        parameters: Text,
        codelet: *mut *mut c_void,
    ) -> ResultCode,
    /// Starts a codelet.
    pub start: unsafe extern "C" fn(codelet: *mut c_void, info: *const TickInfo) -> ResultCode,
    /// Ticks a codelet.
    pub tick: unsafe extern "C" fn(codelet: *mut c_void, info: *const TickInfo) -> ResultCode,
    /// Stops a codelet.
    pub stop: unsafe extern "C" fn(codelet: *mut c_void, info: *const TickInfo) -> ResultCode,
    /// Creates the scheduling term `name` of the program.
    pub create_term: unsafe extern "C" fn(
        info: *const TickInfo,
        name: Text,
        parameters: Text,
        term: *mut *mut c_void,
    ) -> ResultCode,
    /// The condition of a term at a time.
    pub check:
        unsafe extern "C" fn(term: *mut c_void, now: i64, condition: *mut Condition) -> ResultCode,
    /// Notes an execution of a term's entity.
    pub on_execute: unsafe extern "C" fn(term: *mut c_void, now: i64) -> ResultCode,
    /// Notes the time before a check.
    pub update_state: unsafe extern "C" fn(term: *mut c_void, now: i64) -> ResultCode,
    /// Destroys a term.
    pub destroy_term: unsafe extern "C" fn(term: *mut c_void),
    /// Destroys a codelet.
    pub destroy: unsafe extern "C" fn(codelet: *mut c_void),
    /// Passes the pickle of an object to `write`, which returns before the function does.
    pub pickle: unsafe extern "C" fn(
        object: *mut c_void,
        write: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> ResultCode,
        user: *mut c_void,
    ) -> ResultCode,
    /// Replaces a payload by the object of a pickle.
    pub unpickle:
        unsafe extern "C" fn(bytes: *const u8, size: usize, data: *mut PyData) -> ResultCode,
}

/// A Python object in a message (GXF's `nvidia::gxf::PyData`).
#[repr(C)]
pub struct PyData {
    object: *mut c_void,
    release: Option<unsafe extern "C" fn(*mut c_void)>,
}

// SAFETY: layout and id are stated here only, and both libraries use this crate.
unsafe impl Payload for PyData {
    const TID: Tid = Tid::new(0x890b_6e9c_5bd3_11ee, 0x8c99_0242_ac12_0002);
}

// SAFETY: the object is used only under the interpreter's lock, which `release` takes itself.
unsafe impl Send for PyData {}
// SAFETY: as above.
unsafe impl Sync for PyData {}

impl Default for PyData {
    fn default() -> Self {
        Self { object: core::ptr::null_mut(), release: None }
    }
}

impl PyData {
    /// Owns a reference to an object.
    ///
    /// # Safety
    /// `release` must accept the reference once, from any thread.
    #[must_use]
    pub unsafe fn new(object: *mut c_void, release: unsafe extern "C" fn(*mut c_void)) -> Self {
        Self { object, release: Some(release) }
    }

    /// The object, without a reference; null if there is none.
    #[must_use]
    pub fn object(&self) -> *mut c_void {
        self.object
    }
}

impl Drop for PyData {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: `new` requires a function that accepts this reference once.
            unsafe { release(self.object) };
        }
    }
}
