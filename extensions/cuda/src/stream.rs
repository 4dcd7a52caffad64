//! `CudaStream`.

use gxf::RawEvent;
use gxf::prelude::*;
use gxf_device::{Action, Stream, settle, when_done};
use parking_lot::RwLock;
use std::ffi::c_void;
use std::ptr::null_mut;

/// A stream of a device. A CudaStreamPool makes an entity with this component for each stream.
#[derive(Component, Default)]
pub struct CudaStream {
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    /// Lives as long as the component, whose holders rely on it.
    made: Option<Stream>,
    /// Whether the pool is active.
    is_open: bool,
}

impl CudaStream {
    /// Gives a new component its stream.
    pub fn set(&self, stream: Stream) {
        self.state.write().made = Some(stream);
    }

    /// Says whether the pool is active. Without it nobody gets the stream.
    pub fn set_open(&self, is_open: bool) {
        self.state.write().is_open = is_open;
    }

    /// The stream, while the pool is active.
    pub fn get(&self) -> Result<Stream> {
        let state = self.state.read();
        state.made.clone().filter(|_| state.is_open).ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the stream does not belong to a CudaStreamPool that is active",
            )
        })
    }
}

impl implement::CudaStream for CudaStream {
    fn stream(&self) -> *mut c_void {
        let state = self.state.read();
        let stream = state.made.as_ref().filter(|_| state.is_open);
        stream.map_or(null_mut(), |stream| stream.handle().as_ptr())
    }

    fn device(&self) -> i32 {
        self.get().map_or(-1, |stream| stream.device().ordinal())
    }

    fn synchronize(&self) -> Result<()> {
        self.get()?.synchronize()
    }

    fn record(&self, event: RawEvent<'_>, callback: gxf::Callback) -> Result<()> {
        let stream = self.get()?;
        if !event.is_null() {
            stream.record_event(event)?;
        }
        when_done(stream.record()?.point(), Action::Run(Box::new(move || callback.call())))
    }

    fn reset_events(&self) -> Result<()> {
        settle();
        Ok(())
    }
}
