//! GXF's StreamExtension: `StreamSync` orders the work of one stream after that of another. GXF's uses
//! NvSci; here events of CUDA do it, and no thread waits.
#![forbid(unsafe_code)]

use gxf::RawStream;
use gxf::prelude::*;
use gxf_device::{Device, Fence, Stream, StreamSyncId};
use parking_lot::Mutex;

/// Orders the work of one stream after that of another, on the devices. One codelet signals behind its
/// work and names this component in its messages with a StreamSyncId; another one, which works on
/// another stream, waits.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StreamSync {
    /// What signals. Kept for GXF's app files: whatever the number, it is a CUDA stream here.
    #[parameter(default = 0)]
    signaler: Parameter<i32>,
    /// What waits. Kept for GXF's app files: whatever the number, it is a CUDA stream here.
    #[parameter(default = 0)]
    waiter: Parameter<i32>,
    /// Number of the device whose streams signal.
    #[parameter(default = 0, minimum = 0)]
    signaler_gpu_id: Parameter<i32>,
    /// Number of the device whose streams wait.
    #[parameter(default = 0, minimum = 0)]
    waiter_gpu_id: Parameter<i32>,
    /// The last mark.
    signaled: Mutex<Option<Fence>>,
}

impl Lifecycle for StreamSync {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        Device::get(*self.signaler_gpu_id).map_err(|error| error.context("`signaler_gpu_id`"))?;
        Device::get(*self.waiter_gpu_id).map_err(|error| error.context("`waiter_gpu_id`"))?;
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.signaled.lock() = None;
        Ok(())
    }
}

impl implement::StreamSync for StreamSync {
    fn signal(&self, stream: RawStream<'_>) -> Result<()> {
        let stream = Stream::adopt(Device::get(*self.signaler_gpu_id)?, stream);
        let fence = stream.record()?;
        // The former mark is dropped without the lock.
        let former = self.signaled.lock().replace(fence);
        drop(former);
        Ok(())
    }

    fn wait(&self, stream: RawStream<'_>) -> Result<()> {
        let signaled = self.signaled.lock().clone().ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_EXECUTION_SEQUENCE,
                "nothing has signaled this StreamSync yet, so there is nothing to wait for",
            )
        })?;
        Stream::adopt(Device::get(*self.waiter_gpu_id)?, stream).wait(&signaled)
    }
}

gxf::gxf_ext_factory! {
    id: 0x918e6ad78e1a43aa, 0x9b49251d4b6072b0;
    name: "StreamExtension";
    version: "0.5.0";
    description: "Orders the work of streams after each other";
    license: "Apache-2.0";
    display_name: "Stream";
    category: "CUDA";
    brief: "Orders the work of streams after each other";
    components: [
        StreamSync: Component + StreamSync {
            id: 0x0011bee75d5343ee, 0xaafa61485a436bc4;
            name: "nvidia::gxf::StreamSync";
        },
    ];
    payloads: [
        StreamSyncId { name: "nvidia::gxf::StreamSyncId"; },
    ];
}
