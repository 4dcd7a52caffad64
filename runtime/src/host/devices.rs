//! `gxe::Devices`: which CUDA device an entity uses.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::inner;
use crate::inner::Inner;
use gxf::support::BuiltIn;
use gxf_engine::standard::resources::GPUDevice;
use gxf_plugin_abi::{Context, DeviceTable, Uid};

/// The table.
pub(super) static DEVICES: DeviceTable = DeviceTable { size: size_of::<DeviceTable>(), device_of };

impl Inner {
    /// Number of an entity's device: that of the first GPUDevice in its group.
    pub(crate) fn device_of(&self, eid: Uid) -> Option<i32> {
        let resource = self.graph.resource_of(eid, GPUDevice::TID, "").ok()?;
        resource.native::<GPUDevice>().map(|device| device.number())
    }
}

unsafe extern "C" fn device_of(context: *mut Context, eid: Uid) -> i32 {
    // SAFETY: `context` is null or alive.
    let Ok(inner) = (unsafe { inner(context) }) else { return -1 };
    inner.device_of(eid).unwrap_or(-1)
}
