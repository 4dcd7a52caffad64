//! The streams of a codelet.

use crate::device::Device;
use crate::fence::Fence;
use crate::payload::StreamId;
use crate::stream::Stream;
use gxf::abi::CudaStreamId;
use gxf::{ComponentContext, ContextHandle, CudaStream, Handle, Message, Result, Uid};

/// The streams that a codelet meets in messages, and one of its own.
#[derive(Default)]
pub struct Streams {
    known: Vec<(Uid, Stream)>,
    own: Option<Stream>,
}

/// Most streams to remember.
const KNOWN: usize = 64;

/// The streams that a message names, by their components.
fn named(message: &Message) -> impl Iterator<Item = Uid> + '_ {
    message.find_all::<StreamId>().map(|id| id.0.stream_cid).filter(|cid| *cid != 0)
}

fn has_fence(message: &Message) -> bool {
    message.find_all::<Fence>().next().is_some()
}

/// Whether the end of a stream's work may be marked: where a fence says when the data is valid, what somebody
/// captures is left alone.
fn may_be_marked(stream: &Stream, is_fenced: bool) -> Result<bool> {
    Ok(!is_fenced || !stream.is_captured()?)
}

/// The end of what a stream has now. What is held back there need not go first if a fence says when the data
/// is valid: the fence is that of the message's own work, and all else is of later messages.
fn end_now(stream: &Stream, is_fenced: bool) -> Result<Fence> {
    if is_fenced { stream.record_now() } else { stream.record() }
}

impl Streams {
    /// The stream of a component.
    pub fn of_component(&mut self, context: &ComponentContext, cid: Uid) -> Result<Stream> {
        self.known_or(cid, || Handle::resolve(context, cid))
    }

    fn known_or(
        &mut self,
        cid: Uid,
        resolve: impl FnOnce() -> Result<Handle<CudaStream>>,
    ) -> Result<Stream> {
        if let Some((_, stream)) = self.known.iter().find(|(known, _)| *known == cid) {
            return Ok(stream.clone());
        }
        let stream = Stream::of(&resolve()?)?;
        if self.known.len() == KNOWN {
            self.known.remove(0);
        }
        self.known.push((cid, stream.clone()));
        Ok(stream)
    }

    /// The first stream that a message names; `None` if it names none.
    pub fn of_message(
        &mut self,
        context: &ComponentContext,
        message: &Message,
    ) -> Result<Option<Stream>> {
        named(message).next().map(|cid| self.of_component(context, cid)).transpose()
    }

    /// The first stream that a message names if it is one of this device, or else one of the codelet's own
    /// there. It waits for what the other streams that the message names have now.
    pub fn for_message(
        &mut self,
        context: &ComponentContext,
        message: &Message,
        device: Device,
    ) -> Result<Stream> {
        let named = self.of_message(context, message)?;
        let stream = match named.filter(|stream| stream.device() == device) {
            Some(stream) => stream,
            None => self.own(device)?,
        };
        self.follow(context, message, &stream)?;
        Ok(stream)
    }

    /// The payload that names a stream of [`Streams::for_message`]; `None` for the codelet's own one.
    #[must_use]
    pub fn id_of(&self, stream: &Stream) -> Option<StreamId> {
        let known = self.known.iter().find(|(_, known)| known.is_same(stream));
        known.map(|(stream_cid, _)| StreamId(CudaStreamId { stream_cid: *stream_cid }))
    }

    /// Removes the names of streams of other devices from a message whose data is on this device, and
    /// valid at its fences. The message must have no other holders.
    pub fn remove_others(
        &mut self,
        context: &ComponentContext,
        message: &mut Message,
        device: Device,
    ) -> Result<()> {
        let tids = message.payload_types().enumerate();
        let places = tids.filter(|(_, tid)| *tid == <StreamId as gxf::Payload>::TID);
        let cids = message.find_all::<StreamId>().map(|id| id.0.stream_cid);
        let names: Vec<_> = places.map(|(place, _)| place).zip(cids).collect();
        for (place, cid) in names.into_iter().rev() {
            let named = self.of_component(context, cid);
            if named.is_ok_and(|stream| stream.device() != device) {
                message.remove(place)?;
            }
        }
        Ok(())
    }

    /// Makes a stream, such as one of a pool, wait for what the streams that a message names have now.
    /// The fences of the message do not replace that: codelets that call CUDA themselves enqueue work on
    /// such a stream and send the message on, with fences of before. [`crate::Work::input`] waits for
    /// those.
    pub fn follow(
        &mut self,
        context: &ComponentContext,
        message: &Message,
        stream: &Stream,
    ) -> Result<()> {
        let is_fenced = has_fence(message);
        for cid in named(message) {
            let named = self.known_unless_gone(cid, is_fenced, || Handle::resolve(context, cid))?;
            if let Some(named) = named.filter(|named| !named.is_same(stream))
                && may_be_marked(&named, is_fenced)?
            {
                stream.wait(&end_now(&named, is_fenced)?)?;
            }
        }
        Ok(())
    }

    /// The ends of what the streams that a message names have now, of those with work. Its data is valid
    /// behind them and its fences.
    pub fn ends(&mut self, context: &ContextHandle, message: &Message) -> Result<Vec<Fence>> {
        let is_fenced = has_fence(message);
        let mut ends = Vec::new();
        for cid in named(message) {
            let named = self.known_unless_gone(cid, is_fenced, || context.resolve(cid))?;
            if let Some(named) = named
                && may_be_marked(&named, is_fenced)?
                // An event would be pending for a moment, also on a stream without work.
                && !(if is_fenced { named.is_done_now()? } else { named.is_done()? })
            {
                ends.push(end_now(&named, is_fenced)?);
            }
        }
        Ok(ends)
    }

    /// The stream of a component. With a fence, nothing is left to wait for of one that is gone.
    fn known_unless_gone(
        &mut self,
        cid: Uid,
        is_fenced: bool,
        resolve: impl FnOnce() -> Result<Handle<CudaStream>>,
    ) -> Result<Option<Stream>> {
        match self.known_or(cid, resolve) {
            Err(_) if is_fenced => Ok(None),
            found => found.map(Some),
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

/// Blocks the thread until the data of a message is valid: its fences, and what the streams that it names
/// have now, see [`Streams::follow`].
///
/// # Errors
/// If the device failed, or there is no fence and a stream is gone.
pub fn wait_for_data(context: &ContextHandle, message: &Message) -> Result<()> {
    if !may_be_worked_on(message) {
        return Ok(());
    }
    let ends = Streams::default().ends(context, message)?;
    message.find_all().chain(&ends).try_for_each(Fence::synchronize)
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
