//! `_exit` and `_Exit` for the extensions of this program: no end of the process passes for success,
//! or goes without a word about who asked for it.
//!
//! The program's dynamic symbols come before those of C's library, which does not use them itself.

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
