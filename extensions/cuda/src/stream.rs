//! `CudaStream`.

use gxf::prelude::*;
use gxf_device::{Action, Stream, settle, when_done};
use parking_lot::RwLock;
use std::ffi::c_void;
use std::ptr::null_mut;

/// A stream of a device. A CudaStreamPool makes an entity with this component for each stream.
#[derive(Component, Default)]
pub struct CudaStream {
    stream: RwLock<Option<Stream>>,
}

impl CudaStream {
    /// Gives the component its stream.
    pub fn set(&self, stream: Stream) {
        *self.stream.write() = Some(stream);
    }

    /// Whether the component has a stream.
    pub fn is_set(&self) -> bool {
        self.stream.read().is_some()
    }

    /// Takes the stream away. It ends with its last user.
    pub fn clear(&self) {
        *self.stream.write() = None;
    }

    fn get(&self) -> Result<Stream> {
        self.stream.read().clone().ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the stream does not belong to a CudaStreamPool that is active",
            )
        })
    }
}

impl implement::CudaStream for CudaStream {
    fn stream(&self) -> *mut c_void {
        self.stream.read().as_ref().map_or(null_mut(), Stream::handle)
    }

    fn device(&self) -> i32 {
        self.stream.read().as_ref().map_or(-1, |stream| stream.device().ordinal())
    }

    fn synchronize(&self) -> Result<()> {
        self.get()?.synchronize()
    }

    fn record(&self, event: *mut c_void, callback: gxf::Callback) -> Result<()> {
        let stream = self.get()?;
        if !event.is_null() {
            stream.record_event(event)?;
        }
        when_done(&stream.record()?, Action::Run(Box::new(move || callback.call())))
    }

    fn reset_events(&self) -> Result<()> {
        settle();
        Ok(())
    }
}
