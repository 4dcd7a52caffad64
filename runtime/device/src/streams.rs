//! The streams of a codelet.

use crate::device::Device;
use crate::fence::Fence;
use crate::payload::StreamId;
use crate::stream::Stream;
use gxf::{ComponentContext, ContextHandle, Handle, Message, Result, Uid};

/// The streams that a codelet meets in messages, and one of its own.
#[derive(Default)]
pub struct Streams {
    known: Vec<(Uid, Stream)>,
    own: Option<Stream>,
}

/// Most streams to remember.
const KNOWN: usize = 64;

impl Streams {
    /// The stream of a component.
    pub fn of_component(&mut self, context: &ComponentContext, cid: Uid) -> Result<Stream> {
        if let Some((_, stream)) = self.known.iter().find(|(known, _)| *known == cid) {
            return Ok(stream.clone());
        }
        let stream = Stream::of(&Handle::resolve(context, cid)?)?;
        if self.known.len() == KNOWN {
            self.known.remove(0);
        }
        self.known.push((cid, stream.clone()));
        Ok(stream)
    }

    /// The stream that a message names; `None` if it names none.
    pub fn of_message(
        &mut self,
        context: &ComponentContext,
        message: &Message,
    ) -> Result<Option<Stream>> {
        match message.find_all::<StreamId>().find(|id| id.0.stream_cid != 0) {
            Some(id) => self.of_component(context, id.0.stream_cid).map(Some),
            None => Ok(None),
        }
    }

    /// The stream that a message names, or one of the codelet's own on this device.
    pub fn for_message(
        &mut self,
        context: &ComponentContext,
        message: &Message,
        device: Device,
    ) -> Result<Stream> {
        match self.of_message(context, message)? {
            Some(stream) => Ok(stream),
            None => self.own(device),
        }
    }

    /// Makes another stream than the one that a message names, such as one of a pool, wait for what
    /// that stream has now, unless a fence says when the data is valid: [`crate::Work::input`] waits
    /// for it.
    pub fn follow(
        &mut self,
        context: &ComponentContext,
        message: &Message,
        stream: &Stream,
    ) -> Result<()> {
        let has_fence = message.find_all::<Fence>().next().is_some();
        match self.of_message(context, message)? {
            Some(named) if !has_fence => stream.wait(&named.record()?),
            _ => Ok(()),
        }
    }

    /// The codelet's own stream on this device.
    pub fn own(&mut self, device: Device) -> Result<Stream> {
        match &self.own {
            Some(stream) if stream.device() == device => Ok(stream.clone()),
            _ => Ok(self.own.insert(device.new_stream()?).clone()),
        }
    }

    /// Forgets all streams. Their work goes on.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Says in a message when its data is valid, in place of what it said before. The message must have
/// no other holders.
pub fn set_fence(message: &mut Message, fence: Fence) -> Result<()> {
    remove_fences(message)?;
    message.add("fence", fence).map(drop)
}

/// Says in a message when more of its data is valid. The message must have no other holders.
pub fn add_fence(message: &mut Message, fence: Fence) -> Result<()> {
    // It comes after all others of its stream, but for work that is held back.
    let is_before = |known: &Fence| {
        known.stream_address() == fence.stream_address() && known.point().number() == 0
    };
    if message.find_all::<Fence>().all(is_before) {
        return set_fence(message, fence);
    }
    message.add("fence", fence).map(drop)
}

/// Blocks the thread until the data of a message is valid: its fences, or the stream that it names.
///
/// # Errors
/// If the device failed, or the stream is gone.
pub fn wait_for_data(context: &ContextHandle, message: &Message) -> Result<()> {
    if !may_be_worked_on(message) {
        return Ok(());
    }
    let mut has_fence = false;
    for fence in message.find_all::<Fence>() {
        fence.synchronize()?;
        has_fence = true;
    }
    let streams = message.find_all::<StreamId>().filter(|id| id.0.stream_cid != 0 && !has_fence);
    for id in streams {
        Stream::of(&context.resolve(id.0.stream_cid)?)?.synchronize()?;
    }
    Ok(())
}

/// Whether a device may still work on the data of a message.
#[must_use]
pub fn may_be_worked_on(message: &Message) -> bool {
    let tids = [<Fence as gxf::Payload>::TID, <StreamId as gxf::Payload>::TID];
    message.payload_types().any(|tid| tids.contains(&tid))
}

/// Removes what a message says about the time when its data is valid. The message must have no other
/// holders.
pub fn remove_fences(message: &mut Message) -> Result<()> {
    let is_fence = |message: &Message, index: usize| {
        let tid = <Fence as gxf::Payload>::TID;
        message.payloads().nth(index).is_some_and(|payload| payload.tid == tid)
    };
    for index in (0..message.len()).rev() {
        if is_fence(message, index) {
            message.remove(index)?;
        }
    }
    Ok(())
}
