//! The scheduling terms. Each looks at the oldest message of its receiver; a wake-up comes from the
//! device, without polling unless `latency` asks for it.

use crate::waiter::{Latency, Waiter, condition, head};
use gxf::Uid;
use gxf::prelude::*;
use gxf_device::{Buffer, Event, Fence, Stream, StreamId, settle};
use parking_lot::Mutex;

/// Lets an entity tick when the streams of the oldest message in a receiver have done their work up
/// to its sending. A message without a stream is ready.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CudaStreamSchedulingTerm {
    /// The receiver to watch.
    receiver: Parameter<Handle<Receiver>>,
    /// How the entity is woken: `normal` has the driver call back; with `low` a thread polls the
    /// device, which is sooner and keeps a processor busy meanwhile.
    #[parameter(default = Latency::normal)]
    latency: Parameter<Latency>,
    waiter: Waiter,
    /// For a message that names a stream and brings no fence: its id, and the fence recorded for it.
    recorded: Mutex<Option<(Uid, Fence)>>,
    context: Mutex<Option<gxf::ContextHandle>>,
}

/// Lets an entity tick when the device has reached the event in the oldest message of a receiver. A
/// message without the event is ready.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CudaEventSchedulingTerm {
    /// The receiver to watch.
    receiver: Parameter<Handle<Receiver>>,
    /// Name of the event in the message; the first one if empty.
    #[parameter(default = "")]
    event_name: Parameter<String>,
    /// How the entity is woken: `normal` has the driver call back; with `low` a thread polls the
    /// device, which is sooner and keeps a processor busy meanwhile.
    #[parameter(default = Latency::normal)]
    latency: Parameter<Latency>,
    waiter: Waiter,
}

/// Lets an entity tick when the CudaBuffer in the oldest message of a receiver is valid.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CudaBufferAvailableSchedulingTerm {
    /// The receiver to watch.
    receiver: Parameter<Handle<Receiver>>,
    /// How the entity is woken: `normal` has the driver call back; with `low` a thread polls the
    /// device, which is sooner and keeps a processor busy meanwhile.
    #[parameter(default = Latency::normal)]
    latency: Parameter<Latency>,
    waiter: Waiter,
}

impl Lifecycle for CudaStreamSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *self.context.lock() = Some(context.handle());
        self.waiter.open(context);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.recorded.lock() = None;
        settle();
        Ok(())
    }
}

impl CudaStreamSchedulingTerm {
    /// The end of the work that its stream has now; the same for each look at a message.
    fn end_of_stream(&self, message: &Message) -> Result<Fence> {
        let id = message.find_all::<StreamId>().find(|id| id.0.stream_cid != 0);
        let Some(id) = id else { return Ok(Fence::default()) };
        let eid = message.eid();
        let mut recorded = self.recorded.lock();
        if let Some((known, fence)) = &*recorded
            && *known == eid
        {
            return Ok(fence.clone());
        }
        let context = self.context.lock();
        let context = context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let fence = Stream::of(&context.resolve(id.0.stream_cid)?)?.record()?;
        *recorded = Some((eid, fence.clone()));
        Ok(fence)
    }
}

impl implement::SchedulingTerm for CudaStreamSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let Some(message) = head(&self.receiver) else {
            return Ok(condition(ConditionType::WAIT, now));
        };
        if message.find_all::<Fence>().next().is_some() {
            return self.waiter.condition(message.find_all().map(Fence::point), *self.latency, now);
        }
        let fence = self.end_of_stream(&message)?;
        self.waiter.condition(std::iter::once(fence.point()), *self.latency, now)
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        add(self.receiver.cid());
    }
}

impl Lifecycle for CudaEventSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.waiter.open(context);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        settle();
        Ok(())
    }
}

impl implement::SchedulingTerm for CudaEventSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let Some(message) = head(&self.receiver) else {
            return Ok(condition(ConditionType::WAIT, now));
        };
        match message.try_get::<Event>(&self.event_name) {
            Some(event) => {
                self.waiter.condition(std::iter::once(event.point()), *self.latency, now)
            }
            None => Ok(condition(ConditionType::READY, now)),
        }
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        add(self.receiver.cid());
    }
}

impl Lifecycle for CudaBufferAvailableSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.waiter.open(context);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        settle();
        Ok(())
    }
}

impl implement::SchedulingTerm for CudaBufferAvailableSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let message = head(&self.receiver);
        let buffer = message.as_ref().and_then(|message| message.try_get::<Buffer>(""));
        match buffer {
            Some(buffer) => {
                let points = std::iter::once(buffer.fence().point());
                self.waiter.condition(points, *self.latency, now)
            }
            None => Ok(condition(ConditionType::WAIT, now)),
        }
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        add(self.receiver.cid());
    }
}
