//! Memory that streams of a device still use.

use gxf::{RawStream, Result};
use gxf_device::{Device, Fence, Stream};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

/// The streams that users of an allocator name, by address, with the driver's number. They belong to
/// others, so after the end of one, another may have its address.
#[derive(Default)]
pub(super) struct Streams(Mutex<FxHashMap<usize, (u64, Stream)>>);

impl Streams {
    /// A stream of the driver.
    pub fn get(&self, device: i32, stream: RawStream<'_>) -> Result<Stream> {
        let adopted = Stream::adopt(Device::get(device)?, stream);
        // Without numbers nothing says that this is the one known.
        let Some(number) = adopted.number()? else { return Ok(adopted) };
        let mut streams = self.0.lock();
        let known = streams.entry(stream.as_ptr().addr()).or_insert((number, adopted.clone()));
        if known.0 != number {
            *known = (number, adopted);
        }
        Ok(known.1.clone())
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
