//! Opens the driver.

use crate::error::remedy;
use cudarc::driver::sys::{self, CUresult};
use gxf::{Error, Result, ResultCode};
use libloading::Library;
use std::sync::OnceLock;

/// CUDA's driver on this machine.
pub struct Driver {
    /// Version of the driver API, 12040 for 12.4.
    version: i32,
    device_count: i32,
    /// Never closed, like the libraries of extensions.
    library: Library,
}

/// The file of the driver.
const FILE: &str = "libcuda.so.1";

/// Functions that every driver since 11.4 has. Those that are newer are looked up before their use.
const REQUIRED: [&str; 43] = [
    "cuCtxGetCurrent",
    "cuCtxPopCurrent_v2",
    "cuCtxPushCurrent_v2",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuDriverGetVersion",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuInit",
    "cuLaunchHostFunc",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuMemAllocManaged",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuMemcpyAsync",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyPeerAsync",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadDataEx",
    "cuStreamCreateWithPriority",
    "cuStreamDestroy_v2",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Opens the driver, once.
///
/// # Errors
/// What is missing: the driver, a device, or a function that is older than the driver.
pub fn driver() -> Result<&'static Driver> {
    static DRIVER: OnceLock<std::result::Result<Driver, String>> = OnceLock::new();
    let driver = DRIVER.get_or_init(Driver::open).as_ref();
    driver.map_err(|text| Error::new(ResultCode::FAILURE, text.clone()))
}

impl Driver {
    fn open() -> std::result::Result<Self, String> {
        if cfg!(miri) {
            return Err("Miri opens no libraries".to_owned());
        }
        // cudarc's own loader panics if there is no driver or a function is missing, so both are
        // made sure of first.
        // SAFETY: a library of this name is CUDA's driver, whose initialisers any program may run.
        let library = unsafe { Library::new(FILE) }.map_err(|error| {
            // The error itself only says that it could not be opened.
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            format!("there is no CUDA driver ({})", reason.unwrap_or_else(|| error.to_string()))
        })?;
        for name in REQUIRED {
            // SAFETY: the symbol is only looked up.
            if unsafe { library.get::<*const ()>(name) }.is_err() {
                return Err(format!(
                    "the CUDA driver is incomplete: it lacks `{name}`; CUDA 11.4 or newer is needed"
                ));
            }
        }
        let called = |name: &str, answer: CUresult| match answer {
            CUresult::CUDA_SUCCESS => Ok(()),
            answer => {
                let number = answer as u32;
                let remedy = remedy(number).map_or(String::new(), |text| format!(": {text}"));
                Err(format!("CUDA has no device to offer ({name} answers {number}{remedy})"))
            }
        };
        let (mut version, mut device_count) = (0, 0);
        // SAFETY: the functions are there, see above; the pointers are valid.
        unsafe {
            called("cuInit", sys::cuInit(0))?;
            called("cuDriverGetVersion", sys::cuDriverGetVersion(&raw mut version))?;
            called("cuDeviceGetCount", sys::cuDeviceGetCount(&raw mut device_count))?;
        }
        if device_count == 0 {
            return Err("CUDA has no device to offer (cuDeviceGetCount answers 0)".to_owned());
        }
        Ok(Self { version, device_count, library })
    }

    /// Version of the driver API: 12040 for 12.4.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// Number of devices.
    #[must_use]
    pub fn device_count(&self) -> i32 {
        self.device_count
    }

    /// Whether the driver has a function that is newer than 11.4.
    #[must_use]
    pub fn has(&self, function: &str) -> bool {
        // SAFETY: the symbol is only looked up.
        unsafe { self.library.get::<*const ()>(function) }.is_ok()
    }
}
