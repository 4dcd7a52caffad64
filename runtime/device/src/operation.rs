//! Operations within one device: kernels, copies and fills. Two that are equal do the same.

use crate::error::call;
use crate::grid::Grid;
use cudarc::driver::sys::{CUDA_MEMCPY2D, CUdeviceptr, CUfunction, CUmemorytype, CUstream};
use gxf::{Error, Result};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr::null_mut;

/// An operation. Its addresses are those of device memory.
#[derive(Clone, PartialEq)]
pub(crate) enum Operation {
    Launch(Launch),
    Copy { to: CUdeviceptr, from: CUdeviceptr, size: usize },
    CopyRows { to: CUdeviceptr, from: CUdeviceptr, length: usize, rows: usize, stride: usize },
    Fill { to: CUdeviceptr, byte: u8, size: usize },
}

/// A kernel with its arguments.
#[derive(Clone, PartialEq)]
pub(crate) struct Launch {
    name: &'static str,
    /// The driver's function, as a number; its module stays loaded.
    function: usize,
    grid: Grid,
    arguments: SmallVec<[u64; 16]>,
}

impl Launch {
    /// A kernel with one parameter, a structure laid out like `A`.
    pub fn new<A: Copy>(
        name: &'static str,
        function: CUfunction,
        grid: Grid,
        arguments: &A,
    ) -> Self {
        // SAFETY: the structure is that long.
        unsafe {
            Self::of_bytes(
                name,
                function,
                grid,
                (std::ptr::from_ref(arguments).cast(), size_of::<A>()),
            )
        }
    }

    /// A kernel with one parameter, of these bytes.
    ///
    /// # Safety
    /// So many bytes must be there. They need not all have a value.
    pub unsafe fn of_bytes(
        name: &'static str,
        function: CUfunction,
        grid: Grid,
        (from, size): (*const u8, usize),
    ) -> Self {
        let mut words: SmallVec<[u64; 16]> = smallvec::smallvec![0; size.div_ceil(8)];
        let bytes = words.as_mut_ptr().cast::<u8>();
        // SAFETY: the words are as long as the parameter. The assembly has no instructions; for all
        // the compiler knows, it writes the bytes, so those between the structure's fields, which
        // need not have a value, have one.
        unsafe {
            bytes.copy_from_nonoverlapping(from, size);
            std::arch::asm!("/* {0} */", in(reg) bytes, options(nostack, preserves_flags));
        }
        Self { name, function: function.expose_provenance(), grid, arguments: words }
    }
}

impl Operation {
    /// Enqueues it on a stream, which is alive.
    pub fn enqueue(&self, stream: CUstream) -> Result<()> {
        // Memory is alive until the work is done: its owner waits for the noted uses.
        match *self {
            Self::Launch(ref launch) => launch.enqueue(stream),
            Self::Copy { to, from, size } => call!(cuMemcpyDtoDAsync_v2(to, from, size, stream)),
            Self::CopyRows { to, from, length, rows, stride } => {
                let copy = CUDA_MEMCPY2D {
                    srcXInBytes: 0,
                    srcY: 0,
                    srcMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    srcHost: std::ptr::null(),
                    srcDevice: from,
                    srcArray: null_mut(),
                    srcPitch: stride,
                    dstXInBytes: 0,
                    dstY: 0,
                    dstMemoryType: CUmemorytype::CU_MEMORYTYPE_DEVICE,
                    dstHost: null_mut(),
                    dstDevice: to,
                    dstArray: null_mut(),
                    dstPitch: length,
                    WidthInBytes: length,
                    Height: rows,
                };
                // The structure is valid during the call.
                call!(cuMemcpy2DAsync_v2(&raw const copy, stream))
            }
            Self::Fill { to, byte, size } => call!(cuMemsetD8Async(to, byte, size, stream)),
        }
    }
}

impl Launch {
    fn enqueue(&self, stream: CUstream) -> Result<()> {
        let Grid { blocks, threads, shared_bytes } = self.grid;
        let function: CUfunction = std::ptr::with_exposed_provenance_mut(self.function);
        let mut parameters = [self.arguments.as_ptr().cast_mut().cast::<c_void>()];
        // The driver reads the structure during the call.
        call!(cuLaunchKernel(
            function,
            blocks[0],
            blocks[1],
            blocks[2],
            threads[0],
            threads[1],
            threads[2],
            shared_bytes,
            stream,
            parameters.as_mut_ptr(),
            null_mut()
        ))
        .map_err(|error| Error::new(error.code(), format!("the kernel `{}`: {error}", self.name)))
    }
}
