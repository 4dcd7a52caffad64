//! Opens the driver.

use crate::api::Api;
use gxf::{Error, Result, ResultCode};
use libloading::Library;
use std::sync::OnceLock;

/// CUDA's driver on this machine.
pub struct Driver {
    /// Version of the driver API, 12040 for 12.4.
    version: i32,
    device_count: i32,
    pub(crate) api: Api,
    /// Never closed, like the libraries of extensions.
    _library: Library,
}

/// The file of the driver.
const FILE: &str = "libcuda.so.1";

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
        // SAFETY: a library of this name is CUDA's driver, whose initialisers any program may run.
        let library = unsafe { Library::new(FILE) }.map_err(|error| {
            // The error itself only says that it could not be opened.
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let reason = reason.unwrap_or_else(|| error.to_string());
            let problem = match reason.contains("No such file") {
                true => "there is no CUDA driver",
                false => "the CUDA driver cannot be opened",
            };
            format!("{problem} ({reason})")
        })?;
        let api = Api::of(&library).map_err(|name| {
            format!(
                "the CUDA driver is incomplete: it lacks `{name}`; CUDA 11.4 or newer is needed"
            )
        })?;
        let called = |name: &str, number: u32| {
            if number == 0 {
                return Ok(());
            }
            let remedy = remedy(number).map_or(String::new(), |text| format!(": {text}"));
            let problem = match is_sticky(number) {
                // Of work of another library, which opened the driver before.
                true => {
                    "CUDA refuses all work since an error; with --cuda-sync, gxe names whose work failed"
                }
                false => "CUDA has no device to offer",
            };
            Err(format!("{problem} ({name} answers {number}{remedy})"))
        };
        let (mut version, mut device_count) = (0, 0);
        // SAFETY: the pointers are valid.
        unsafe {
            called("cuInit", (api.cuInit)(0))?;
            called("cuDriverGetVersion", (api.cuDriverGetVersion)(&raw mut version))?;
            called("cuDeviceGetCount", (api.cuDeviceGetCount)(&raw mut device_count))?;
        }
        if device_count == 0 {
            return Err("CUDA has no device to offer (cuDeviceGetCount answers 0)".to_owned());
        }
        Ok(Self { version, device_count, api, _library: library })
    }

    /// Version of the driver API: 12040 for 12.4.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// Functions that are newer than 11.4 and have a use here, and whether the driver has them.
    #[must_use]
    pub fn newer_functions(&self) -> Vec<(&'static str, bool)> {
        self.api.newer()
    }

    /// Number of devices.
    #[must_use]
    pub fn device_count(&self) -> i32 {
        self.device_count
    }
}

/// Whether no further call of this process succeeds after an error: uncorrectable ones of memory (214)
/// and of NVLink (220), contained ones (226), those of kernels, leaks of tensor memory (721), the end of
/// the context (709) or of an MPS client (809), and what has no name (999).
pub(crate) fn is_sticky(number: u32) -> bool {
    matches!(number, 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 809 | 999)
}

/// What to do about an error, where there is something.
pub(crate) fn remedy(number: u32) -> Option<&'static str> {
    Some(match number {
        2 => "the device has no memory left; use smaller pools, or fewer of them",
        3 => "the driver is not initialised; is the kernel module of the driver loaded?",
        34 => {
            "this library is the toolkit's stub and no driver; take the toolkit's folder `stubs` \
               out of the library path"
        }
        46 => "another program has the device for itself",
        100 => "no device is visible; CUDA_VISIBLE_DEVICES may hide it",
        101 => "there is no device of this number",
        218 => "the driver cannot compile the kernel for this device",
        222 => "the driver is too old for the kernel; install a newer one",
        700 => {
            "a kernel or a copy used memory that does not exist; run with CUDA_LAUNCH_BLOCKING=1 \
                or under compute-sanitizer to find it"
        }
        702 => "a kernel ran for too long",
        719 => "a kernel failed; run it under compute-sanitizer to find out why",
        801 => "the device or the driver does not support this",
        803 => {
            "the driver's library and its kernel module are of different versions; restart the \
                machine, or install the driver again"
        }
        804 => "the driver is older than the library; install a newer driver",
        999 => "the driver gives no reason; `dmesg` may have one",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the driver's documentation of its errors says: "the process must be terminated", or the
    /// context "cannot be used anymore".
    #[test]
    fn errors_after_which_the_process_must_end_are_sticky() {
        for number in [214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 809] {
            assert!(is_sticky(number), "{number}");
        }
        // Wrong arguments, a launch that is too large, peers, host memory that is registered or not, a
        // cooperative launch, and a capture.
        for number in [1, 2, 400, 600, 701, 704, 711, 712, 713, 720, 900, 901] {
            assert!(!is_sticky(number), "{number}");
        }
    }
}
