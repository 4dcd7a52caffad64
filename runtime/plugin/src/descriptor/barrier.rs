//! A frame that no exception passes. An exception from a library's initialisers would unwind
//! through the dynamic linker, breaking it, to code that cannot interpret it. Without unwind
//! information for this frame, the C++ runtime finds no handler: it prints what was thrown and
//! aborts while the note on the stack still names the library.

use std::ffi::c_void;

// Aligns the stack, moves the arguments and calls. Deliberately has no `.cfi` directives.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".hidden gxf_call_below_barrier",
    ".globl gxf_call_below_barrier",
    "gxf_call_below_barrier:",
    "push rbp",
    "mov rax, rdi",
    "mov rdi, rsi",
    "call rax",
    "pop rbp",
    "ret",
);
#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".hidden gxf_call_below_barrier",
    ".globl gxf_call_below_barrier",
    "gxf_call_below_barrier:",
    "stp x29, x30, [sp, #-16]!",
    "mov x9, x0",
    "mov x0, x1",
    "blr x9",
    "ldp x29, x30, [sp], #16",
    "ret",
);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe extern "C" {
    /// Calls `function` with `data`.
    fn gxf_call_below_barrier(function: unsafe extern "C" fn(*mut c_void), data: *mut c_void);
}

/// Calls `call`; nothing unwinds out of it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn below_barrier<R, F: FnOnce() -> R>(call: F) -> R {
    struct Call<F, R>(Option<F>, Option<R>);
    unsafe extern "C" fn run<R, F: FnOnce() -> R>(data: *mut c_void) {
        // SAFETY: `data` is the `Call` below, which has no other users.
        let Call(call, result) = unsafe { &mut *data.cast::<Call<F, R>>() };
        *result = call.take().map(|call| call());
    }
    let mut both = Call(Some(call), None);
    // SAFETY: `run` expects a `Call`.
    unsafe { gxf_call_below_barrier(run::<R, F>, (&raw mut both).cast()) };
    both.1.expect("the call was made")
}

/// On other processors the process aborts, too, with a less specific message.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn below_barrier<R, F: FnOnce() -> R>(call: F) -> R {
    call()
}
