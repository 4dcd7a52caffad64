//! `_exit` and `_Exit` for extensions: the end of the process does not pass for success, and the
//! log names its cause.
//!
//! The program's dynamic symbols take precedence over libc's, which does not use them itself.

#![expect(unsafe_code, reason = "a symbol is exported under the name that C's library gives it")]

use std::ffi::c_int;

#[unsafe(no_mangle)]
extern "C" fn _exit(status: c_int) -> ! {
    gxf_runtime::end_at_once(status)
}

#[unsafe(no_mangle)]
extern "C" fn _Exit(status: c_int) -> ! {
    gxf_runtime::end_at_once(status)
}
