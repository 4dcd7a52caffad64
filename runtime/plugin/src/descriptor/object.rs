//! Extensions as objects of the C++ headers' `ComponentFactory`: from a hand-written function
//! `GxfExtensionFactory`, or created by a program.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use gxf_plugin_abi::{ExtensionDescriptor, ResultCode};
use std::ffi::c_void;

/// GXF's entry point of an extension: `gxf_result_t GxfExtensionFactory(void** result)`.
pub(super) const FUNCTION: &str = "GxfExtensionFactory";

/// The start of such an object, as in `gxf/std/component_factory.hpp`.
#[repr(C)]
#[derive(Clone, Copy)]
struct ComponentFactory {
    virtual_functions: *const c_void,
    magic: u64,
    describe: Option<unsafe extern "C" fn(*mut c_void) -> *const ExtensionDescriptor>,
}

/// `FactoryMark::magic` of the header.
const MAGIC: u64 = 0x5443_4146_2046_5847;

/// The descriptor of an object; `None` if the object is not from these headers, or has none.
///
/// # Safety
/// The first bytes at the address must be readable. If they identify such an object, it must be
/// one.
pub(super) unsafe fn descriptor_of(object: *mut c_void) -> Option<*const ExtensionDescriptor> {
    if object.is_null() {
        return None;
    }
    // SAFETY: the first bytes at the address are readable, aligned or not. The function is read
    // only after the magic number before it matched.
    let magic = unsafe { (&raw const (*object.cast::<ComponentFactory>()).magic).read_unaligned() };
    if magic != MAGIC {
        return None;
    }
    // SAFETY: the magic number identifies an object of the headers.
    let factory = unsafe { object.cast::<ComponentFactory>().read_unaligned() };
    // SAFETY: the magic number identifies an object of the headers.
    let descriptor = unsafe { (factory.describe?)(object) };
    (!descriptor.is_null()).then_some(descriptor)
}

/// The descriptor from a library's function.
///
/// # Errors
/// The code that the function failed with.
///
/// # Safety
/// `function` must be [`FUNCTION`] of a library that stays open.
pub(super) unsafe fn from_function(
    function: *const c_void,
) -> Result<Option<*const ExtensionDescriptor>, ResultCode> {
    // SAFETY: `function` is [`FUNCTION`] of a library that stays open.
    let function = unsafe {
        std::mem::transmute::<*const c_void, unsafe extern "C" fn(*mut *mut c_void) -> ResultCode>(
            function,
        )
    };
    let mut object = std::ptr::null_mut();
    // SAFETY: the result is a valid place for one pointer.
    match unsafe { function(&raw mut object) } {
        // SAFETY: such a function returns an object with virtual functions and members.
        ResultCode::SUCCESS => Ok(unsafe { descriptor_of(object) }),
        code => Err(code),
    }
}
