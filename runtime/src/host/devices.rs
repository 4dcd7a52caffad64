//! `gxe::Devices`: which CUDA device an entity uses.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::inner;
use gxf::support::BuiltIn;
use gxf_engine::standard::resources::GPUDevice;
use gxf_plugin_abi::{Context, DeviceTable, Uid};

/// The table.
pub(super) static DEVICES: DeviceTable = DeviceTable { size: size_of::<DeviceTable>(), device_of };

unsafe extern "C" fn device_of(context: *mut Context, eid: Uid) -> i32 {
    // SAFETY: `context` is null or alive.
    let Ok(inner) = (unsafe { inner(context) }) else { return -1 };
    let resource = inner.graph.resource_of(eid, GPUDevice::TID, "").ok();
    let device = resource.and_then(|resource| resource.native::<GPUDevice>());
    device.map_or(-1, |device| device.number())
}
