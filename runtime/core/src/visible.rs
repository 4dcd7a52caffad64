//! C++ extensions call the C API. The loader looks for its functions in the program and in global
//! libraries. Python, and programs that opened this library themselves, load it as a local one.

use std::ffi::c_void;
use std::sync::Once;

/// Makes the symbols of this library visible to extensions.
pub(crate) fn make_symbols_visible() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let here: extern "C" fn(i32) -> *const std::ffi::c_char = crate::names::GxfResultStr;
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the address is a function of this library, and the result has room.
        if unsafe { libc::dladdr(here as *const c_void, found.as_mut_ptr()) } == 0 {
            return;
        }
        // SAFETY: the call succeeded. The library is already loaded, so no code of it runs; it
        // stays loaded for ever, because extensions may use it.
        unsafe {
            let name = found.assume_init().dli_fname;
            // The program itself is not such a library, which is harmless.
            libc::dlopen(name, libc::RTLD_NOW | libc::RTLD_NOLOAD | libc::RTLD_GLOBAL);
        }
    });
}
