//! The scheduling terms. Each looks at the oldest message of its receiver; a wake-up comes from the
//! device, without polling unless `latency` asks for it.

use crate::waiter::{Latency, Waiter, condition, head};
use gxf::Uid;
use gxf::prelude::*;
use gxf_device::{Buffer, Event, Fence, Streams, settle};
use parking_lot::Mutex;

/// Lets an entity tick when the streams of the oldest message in a receiver have done the work that they
/// had when it was first looked at. A message without a stream is ready.
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
    recorded: Mutex<Recorded>,
    context: Mutex<Option<gxf::ContextHandle>>,
}

#[derive(Default)]
struct Recorded {
    streams: Streams,
    /// Id of a message, and the ends of what its streams had when it was first looked at.
    ends: Option<(Uid, Vec<Fence>)>,
}

/// Lets an entity tick when the device has reached the event in the oldest message of a receiver. A
/// message without the event is ready; an event that was not initialised is not.
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

/// Lets an entity tick when the CudaBuffer in the oldest message of a receiver is valid. It waits if
/// nothing was enqueued that makes it valid.
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
        *self.recorded.lock() = Recorded::default();
        settle();
        Ok(())
    }
}

impl CudaStreamSchedulingTerm {
    /// The ends of what its streams have now; the same for each look at a message.
    fn ends_of_streams(&self, message: &Message) -> Result<Vec<Fence>> {
        let eid = message.eid();
        let mut recorded = self.recorded.lock();
        let Recorded { streams, ends } = &mut *recorded;
        if let Some((known, ends)) = ends
            && *known == eid
        {
            return Ok(ends.clone());
        }
        let context = self.context.lock();
        let context = context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let now = streams.ends(context, message)?;
        *ends = Some((eid, now.clone()));
        Ok(now)
    }
}

impl implement::SchedulingTerm for CudaStreamSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let Some(message) = head(&self.receiver) else {
            return Ok(condition(ConditionType::WAIT, now));
        };
        let ends = self.ends_of_streams(&message)?;
        let points = message.find_all().chain(&ends).map(Fence::point);
        self.waiter.condition(&message, points, *self.latency, now)
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        // The same message may come again.
        self.recorded.lock().ends = None;
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
            Some(event) if event.is_unset() => Ok(condition(ConditionType::WAIT, now)),
            Some(event) => {
                let points = std::iter::once(event.point());
                self.waiter.condition(&message, points, *self.latency, now)
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
        let Some(message) = head(&self.receiver) else {
            return Ok(condition(ConditionType::WAIT, now));
        };
        match message.try_get::<Buffer>("") {
            Some(buffer) if !buffer.is_unset() => {
                let points = std::iter::once(buffer.fence().point());
                self.waiter.condition(&message, points, *self.latency, now)
            }
            _ => Ok(condition(ConditionType::WAIT, now)),
        }
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        add(self.receiver.cid());
    }
}
