//! What this machine offers of CUDA.

use gxf::Result;
use gxf_device::{Device, driver};

/// A device.
pub struct CudaDevice {
    /// Number of the device.
    pub number: i32,
    /// Its name.
    pub name: String,
    /// Compute capability, such as 9 and 0.
    pub capability: (i32, i32),
    /// Number of multiprocessors.
    pub processors: i32,
    /// Memory in bytes.
    pub memory: u64,
}

/// The driver and its devices.
pub struct Cuda {
    /// Version of the driver's interface, such as 12 and 4.
    pub version: (i32, i32),
    /// The devices.
    pub devices: Vec<CudaDevice>,
    /// Functions of newer drivers that gxe makes use of, and whether this one has them.
    pub functions: Vec<(&'static str, bool)>,
}

/// Opens the driver, if that has not happened, and asks it.
///
/// # Errors
/// If there is no driver or no device; the text says what is missing.
pub fn cuda() -> Result<Cuda> {
    let driver = driver()?;
    let devices = (0..driver.device_count()).map(|number| {
        let device = Device::get(number)?;
        Ok(CudaDevice {
            number,
            name: device.name()?,
            capability: device.capability()?,
            processors: device.processors()?,
            memory: device.total_memory()?,
        })
    });
    Ok(Cuda {
        version: (driver.version() / 1000, driver.version() % 1000 / 10),
        devices: devices.collect::<Result<_>>()?,
        functions: driver.newer_functions(),
    })
}
