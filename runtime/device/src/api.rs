//! The driver's functions, with cudarc's types for what they take.
//!
//! cudarc's own functions return an enum, and the answer of a newer driver may be a number that the
//! enum does not have, which would be undefined behaviour. So they are looked up here and return the
//! number. cudarc's loader also panics where a function is missing; this one names it.

use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUgraph, CUgraphExec, CUgraphNode, CUhostFn, CUjit_option, CUmemPool_attribute, CUmemPoolProps,
    CUmemoryPool, CUmodule, CUstream, CUstreamCaptureMode,
};
use libloading::Library;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};

/// The driver's `CUdevResource`, with the number of multiprocessors of one of that type.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct DevResource {
    pub kind: c_uint,
    padding: [u8; 92],
    pub processors: c_uint,
    rest: [u8; 44],
}

const _: () = assert!(size_of::<DevResource>() == 144);

impl DevResource {
    pub const EMPTY: Self = Self { kind: 0, padding: [0; 92], processors: 0, rest: [0; 44] };
}

/// Defines the table of functions and its loader.
macro_rules! functions {
    (
        required { $($name:ident($($type:ty),*);)* }
        newer { $($newer:ident($($newer_type:ty),*);)* }
    ) => {
        /// The driver's functions. Each returns the driver's number of an error, 0 for success.
        #[expect(non_snake_case, reason = "the driver's names")]
        pub(crate) struct Api {
            $(pub $name: unsafe extern "C" fn($($type),*) -> u32,)*
            $(pub $newer: Option<unsafe extern "C" fn($($newer_type),*) -> u32>,)*
        }

        impl Api {
            /// Looks the functions up.
            ///
            /// # Errors
            /// The name of one that every driver since 11.4 has, and this one lacks.
            pub fn of(library: &Library) -> Result<Self, &'static str> {
                Ok(Self {
                    // SAFETY: the driver's function of this name has this signature.
                    $($name: unsafe { library.get(stringify!($name)).map(|it| *it) }
                        .map_err(|_| stringify!($name))?,)*
                    // SAFETY: as above.
                    $($newer: unsafe { library.get(stringify!($newer)).map(|it| *it) }.ok(),)*
                })
            }

            /// The newer functions, and whether they are there.
            pub fn newer(&self) -> Vec<(&'static str, bool)> {
                vec![$((stringify!($newer), self.$newer.is_some())),*]
            }
        }
    };
}

functions! {
    required {
    cuCtxGetCurrent(*mut CUcontext);
    cuCtxGetDevice(*mut CUdevice);
    cuCtxPopCurrent_v2(*mut CUcontext);
    cuCtxPushCurrent_v2(CUcontext);
    cuCtxSynchronize();
    cuDeviceGetAttribute(*mut c_int, CUdevice_attribute, CUdevice);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    cuDeviceTotalMem_v2(*mut usize, CUdevice);
    cuDriverGetVersion(*mut c_int);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventDestroy_v2(CUevent);
    cuEventElapsedTime(*mut f32, CUevent, CUevent);
    cuEventQuery(CUevent);
    cuEventRecord(CUevent, CUstream);
    cuEventSynchronize(CUevent);
    cuFuncSetAttribute(CUfunction, c_uint, c_int);
    cuGraphDestroy(CUgraph);
    cuGraphExecDestroy(CUgraphExec);
    cuGraphExecUpdate(CUgraphExec, CUgraph, *mut CUgraphNode, *mut c_uint);
    cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, c_ulonglong);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGetErrorName(u32, *mut *const c_char);
    cuInit(c_uint);
    cuLaunchHostFunc(CUstream, CUhostFn, *mut c_void);
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream,
        *mut *mut c_void, *mut *mut c_void
    );
    cuMemAllocFromPoolAsync(*mut CUdeviceptr, usize, CUmemoryPool, CUstream);
    cuMemAllocManaged(*mut CUdeviceptr, usize, c_uint);
    cuMemAlloc_v2(*mut CUdeviceptr, usize);
    cuMemFreeAsync(CUdeviceptr, CUstream);
    cuMemFreeHost(*mut c_void);
    cuMemFree_v2(CUdeviceptr);
    cuMemGetInfo_v2(*mut usize, *mut usize);
    cuMemHostAlloc(*mut *mut c_void, usize, c_uint);
    cuMemPoolCreate(*mut CUmemoryPool, *const CUmemPoolProps);
    cuMemPoolDestroy(CUmemoryPool);
    cuMemPoolGetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
    cuMemPoolSetAttribute(CUmemoryPool, CUmemPool_attribute, *mut c_void);
    cuMemcpy2DAsync_v2(*const CUDA_MEMCPY2D, CUstream);
    cuMemcpyAsync(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, usize, CUstream);
    cuMemcpyDtoHAsync_v2(*mut c_void, CUdeviceptr, usize, CUstream);
    cuMemcpyHtoDAsync_v2(CUdeviceptr, *const c_void, usize, CUstream);
    cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize, CUstream);
    cuMemsetD8Async(CUdeviceptr, c_uchar, usize, CUstream);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuModuleLoadDataEx(
        *mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void
    );
    cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode);
    cuStreamCreateWithPriority(*mut CUstream, c_uint, c_int);
    cuStreamDestroy_v2(CUstream);
    cuStreamEndCapture(CUstream, *mut CUgraph);
    cuStreamGetCtx(CUstream, *mut CUcontext);
    cuStreamGetPriority(CUstream, *mut c_int);
    cuStreamIsCapturing(CUstream, *mut c_uint);
    cuStreamQuery(CUstream);
    cuStreamSynchronize(CUstream);
    cuStreamWaitEvent(CUstream, CUevent, c_uint);
    cuThreadExchangeStreamCaptureMode(*mut c_uint);

    }
    newer {
    // 12.0
    cuStreamGetId(CUstream, *mut c_ulonglong);
    // 12.4
    cuDeviceGetDevResource(CUdevice, *mut DevResource, c_uint);
    cuDevResourceGenerateDesc(*mut *mut c_void, *mut DevResource, c_uint);
    cuDevSmResourceSplitByCount(
        *mut DevResource, *mut c_uint, *const DevResource, *mut DevResource, c_uint, c_uint
    );
    cuGreenCtxCreate(*mut *mut c_void, *mut c_void, CUdevice, c_uint);
    cuGreenCtxDestroy(*mut c_void);
    // 12.5
    cuGreenCtxStreamCreate(*mut CUstream, *mut c_void, c_uint, c_int);
    cuStreamGetCtx_v2(CUstream, *mut CUcontext, *mut *mut c_void);
    }
}
