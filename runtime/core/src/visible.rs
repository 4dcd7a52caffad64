//! Extensions in C++ call the C API, and the loader looks for its functions in the program and in
//! libraries that are visible to all. A program in Python or one that opened this library itself
//! made it visible to nobody.

use std::ffi::c_void;
use std::sync::Once;

/// Makes the symbols of the library this code is part of visible to extensions.
pub(crate) fn make_symbols_visible() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let here: extern "C" fn(i32) -> *const std::ffi::c_char = crate::names::GxfResultStr;
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the address of a function of this library, and room for the result.
        if unsafe { libc::dladdr(here as *const c_void, found.as_mut_ptr()) } == 0 {
            return;
        }
        // SAFETY: the call succeeded. The library is loaded already, so that nothing of it runs; it
        // stays loaded for ever, since extensions may use it.
        unsafe {
            let name = found.assume_init().dli_fname;
            // For the program itself there is no such library, which does no harm.
            libc::dlopen(name, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_GLOBAL);
        }
    });
}
