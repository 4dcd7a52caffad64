//! `CudaStreamSync`.

use gxf::prelude::*;
use gxf_device::{Fence, StreamId, Streams};

/// Waits until the work on the data of a message is done, and forwards the message. The wait blocks a
/// thread; a CudaStreamSchedulingTerm waits without one.
#[derive(Component, Default)]
pub struct CudaStreamSync {
    /// Receiver of the messages.
    rx: Parameter<Handle<Receiver>>,
    /// Transmitter of the messages; without it they end here.
    tx: Parameter<Option<Handle<Transmitter>>>,
    streams: Streams,
}

impl Codelet for CudaStreamSync {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.rx.receive()?;
        for fence in message.find_all::<Fence>() {
            fence.synchronize()?;
        }
        for id in message.find_all::<StreamId>().filter(|id| id.0.stream_cid != 0) {
            self.streams.of_component(context, id.0.stream_cid)?.synchronize()?;
        }
        match self.tx.as_ref() {
            Some(tx) => tx.publish_as_is(message),
            None => Ok(()),
        }
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        Ok(())
    }
}
