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
    /// A stream of the driver, of this device or another one.
    pub fn get(&self, device: i32, stream: RawStream<'_>) -> Result<Stream> {
        let device = Device::get(device)?;
        let adopted = Stream::adopt(device, stream);
        // Without numbers nothing says that this is the one known.
        let Some(number) = adopted.number()? else { return Stream::adopt_any(device, stream) };
        let mut streams = self.0.lock();
        match streams.get(&stream.as_ptr().addr()) {
            Some((known, stream)) if *known == number => Ok(stream.clone()),
            _ => {
                // Memory of one device may be used on a stream of another one.
                let adopted = Stream::adopt_any(device, stream)?;
                streams.insert(stream.as_ptr().addr(), (number, adopted.clone()));
                Ok(adopted)
            }
        }
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
