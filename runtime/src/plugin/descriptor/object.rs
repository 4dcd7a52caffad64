//! Extensions that come as an object of the C++ headers' `ComponentFactory`: from a function
//! `GxfExtensionFactory` somebody wrote by hand, or from a program that made one.

use gxf_plugin_abi::{ExtensionDescriptor, ResultCode};
use std::ffi::c_void;

/// GXF's way into an extension: `gxf_result_t GxfExtensionFactory(void** result)`.
pub(super) const FUNCTION: &str = "GxfExtensionFactory";

/// The beginning of such an object, as `gxf/std/component_factory.hpp` has it.
#[repr(C)]
#[derive(Clone, Copy)]
struct ComponentFactory {
    virtual_functions: *const c_void,
    magic: u64,
    describe: Option<unsafe extern "C" fn(*mut c_void) -> *const ExtensionDescriptor>,
}

/// `FactoryMark::magic` of the header.
const MAGIC: u64 = 0x5443_4146_2046_5847;

/// The descriptor of an object; `None` when it is none of these headers, or has none.
///
/// # Safety
/// The first bytes at the address must be readable, and be those of such an object if they say so.
pub(super) unsafe fn descriptor_of(object: *mut c_void) -> Option<*const ExtensionDescriptor> {
    if object.is_null() {
        return None;
    }
    // SAFETY: the caller's promise; the address of something else need not be aligned. The function
    // is looked at only after the number before it was the right one.
    let magic = unsafe { (&raw const (*object.cast::<ComponentFactory>()).magic).read_unaligned() };
    if magic != MAGIC {
        return None;
    }
    // SAFETY: it is an object of the headers.
    let factory = unsafe { object.cast::<ComponentFactory>().read_unaligned() };
    // SAFETY: as above.
    let descriptor = unsafe { (factory.describe?)(object) };
    (!descriptor.is_null()).then_some(descriptor)
}

/// The descriptor of what a library's function hands out.
///
/// # Errors
/// The code the function failed with.
///
/// # Safety
/// `function` must be [`FUNCTION`] of a library that stays open.
pub(super) unsafe fn from_function(
    function: *const c_void,
) -> Result<Option<*const ExtensionDescriptor>, ResultCode> {
    // SAFETY: the caller's promise.
    let function = unsafe {
        std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut *mut c_void) -> ResultCode>(
            function,
        )
    };
    let mut object = std::ptr::null_mut();
    // SAFETY: as above; the result is room for one pointer.
    match unsafe { function(&raw mut object) } {
        // SAFETY: what such a function hands out is an object with virtual functions and members.
        ResultCode::SUCCESS => Ok(unsafe { descriptor_of(object) }),
        code => Err(code),
    }
}
