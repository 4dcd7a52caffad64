//! The operations of a piece of work, as the host takes them over.

use crate::operation::Operation;
use cudarc::driver::sys::CUstream;
use gxf::abi::CudaPiece;
use gxf::host::check;
use gxf::support::guard;
use gxf::{Result, ResultCode};
use std::ffi::c_void;

unsafe extern "C" fn enqueue(user: *mut c_void, stream: *mut c_void) -> ResultCode {
    // SAFETY: the operations of `of`, until they are released.
    let operations = unsafe { &*user.cast::<Vec<Operation>>() };
    guard(|| operations.iter().try_for_each(|operation| operation.enqueue(stream.cast())))
}

unsafe extern "C" fn equals(user: *mut c_void, other: *mut c_void) -> bool {
    // SAFETY: as above, for both.
    unsafe { *user.cast::<Vec<Operation>>() == *other.cast::<Vec<Operation>>() }
}

unsafe extern "C" fn release(user: *mut c_void) {
    // SAFETY: the box of `of`, which is released once.
    drop(unsafe { Box::from_raw(user.cast::<Vec<Operation>>()) });
}

/// Operations of this library.
pub(crate) fn of(operations: Vec<Operation>) -> CudaPiece {
    CudaPiece {
        operations: operations.len() as u64,
        user: Box::into_raw(Box::new(operations)).cast(),
        enqueue,
        equals,
        release,
    }
}

/// A piece of work, of any library. Equal ones do the same.
pub struct Piece(CudaPiece);

// SAFETY: the ABI lets any thread use a piece.
unsafe impl Send for Piece {}
// SAFETY: as above.
unsafe impl Sync for Piece {}

impl Piece {
    /// Takes a piece over from its ABI form.
    ///
    /// # Safety
    /// The ABI's rules for pieces must hold, and nobody else may release it.
    #[must_use]
    pub unsafe fn from_raw(raw: CudaPiece) -> Self {
        Self(raw)
    }

    /// Number of operations.
    pub(crate) fn operations(&self) -> u64 {
        self.0.operations
    }

    /// Enqueues the operations on a stream, which is alive, in the current context.
    pub(crate) fn enqueue(&self, stream: CUstream) -> Result<()> {
        // SAFETY: the piece is not released yet, and the stream is alive.
        check(unsafe { (self.0.enqueue)(self.0.user, stream.cast()) })
    }
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: both are of one library, and not released yet.
        std::ptr::fn_addr_eq(self.0.equals, other.0.equals)
            && unsafe { (self.0.equals)(self.0.user, other.0.user) }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // SAFETY: nobody uses the piece any more.
        unsafe { (self.0.release)(self.0.user) };
    }
}
