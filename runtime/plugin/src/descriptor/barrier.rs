//! A frame that no exception passes. What a library's initialisers throw would be unwound through the
//! dynamic linker, which is then broken, to code that cannot tell what it is. Without unwind
//! information for this frame the C++ runtime finds no handler: it says what was thrown and aborts,
//! while the note on the stack still names the library.

use std::ffi::c_void;

// Aligns the stack, moves the arguments and calls. On purpose without `.cfi` directives.
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

/// Calls `call`, which nothing unwinds out of.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn below_barrier<R, F: FnOnce() -> R>(call: F) -> R {
    struct Call<F, R>(Option<F>, Option<R>);
    unsafe extern "C" fn run<R, F: FnOnce() -> R>(data: *mut c_void) {
        // SAFETY: `data` is the `Call` below, which nobody else uses meanwhile.
        let Call(call, result) = unsafe { &mut *data.cast::<Call<F, R>>() };
        *result = call.take().map(|call| call());
    }
    let mut both = Call(Some(call), None);
    // SAFETY: the function takes what it is given here.
    unsafe { gxf_call_below_barrier(run::<R, F>, (&raw mut both).cast()) };
    both.1.expect("the call was made")
}

/// Elsewhere, the process aborts as well, and says less.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn below_barrier<R, F: FnOnce() -> R>(call: F) -> R {
    call()
}
