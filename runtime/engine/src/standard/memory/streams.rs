//! Memory that streams of a device still use.

use gxf::Result;
use gxf_device::{Device, Fence, Stream};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ffi::c_void;

/// The streams that users of an allocator name. They belong to others.
#[derive(Default)]
pub(super) struct Streams(Mutex<FxHashMap<usize, Stream>>);

impl Streams {
    /// A stream of the driver.
    pub fn get(&self, device: i32, stream: *mut c_void) -> Result<Stream> {
        let device = Device::get(device)?;
        let mut streams = self.0.lock();
        let known = streams.entry(stream.addr());
        Ok(known.or_insert_with(|| Stream::adopt(device, stream)).clone())
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        self.0.lock().clear();
    }
}

/// Who gets memory that a stream may still use.
#[derive(Clone, Copy)]
pub(super) enum Taker<'a> {
    /// Work of a stream, which waits on the device.
    Stream(&'a Stream),
    /// Anybody: the thread waits.
    Anybody,
}

impl Taker<'_> {
    /// Sees that the work before a fence comes first.
    pub fn after(self, fence: &Fence) -> Result<()> {
        match self {
            Self::Stream(stream) => stream.wait(fence),
            Self::Anybody => fence.synchronize(),
        }
    }
}
