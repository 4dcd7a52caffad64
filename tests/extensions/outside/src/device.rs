//! A queue of a device that does not exist, for the threads of actor plans.

use gxf::implement::DeviceQueue;
use gxf::prelude::*;

/// Says on which thread its users are.
#[derive(Component, Default)]
pub struct Device {
    /// Kind of the device.
    kind: Parameter<String>,
    /// Whether it refuses threads.
    #[parameter(default = false)]
    refuses: Parameter<bool>,
}

impl DeviceQueue for Device {
    fn device(&self) -> Result<String> {
        Ok(self.kind.get().clone())
    }

    fn begin_thread(&self) -> Result<()> {
        if *self.refuses {
            return Err(Error::new(ResultCode::OUT_OF_MEMORY, "the device is full"));
        }
        // The host's standard library knows the name, this one does not.
        let name = std::fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
        gxf::info!("device {} begins on {}", *self.kind, name.trim_end());
        Ok(())
    }
}
