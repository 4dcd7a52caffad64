//! Follows one entity through its executions, for statistics and traces.

use super::devices::DEVICES;
use super::glance::{Look, Sample, TICKS};
use super::record::{Delivered, Record};
use super::time::{Origin, nanoseconds_since};
use super::trace::{Event, Recording};
use crate::entity::observer::Observer;
use crate::entity::port::ReceiverPort;
use crate::entity::ports::{Delivery, Inbox, Outbox, Watch, identity};
use gxf::{Message, Payload};
use gxf_device::Fence;
use gxf_plugin_abi::{Condition, ConditionType, Tid, Uid};
use parking_lot::Mutex;
use std::sync::Arc;

/// Most messages in a receiver to follow from before a tick to that tick.
const FOLLOWED: usize = 64;

/// No term keeps the entity waiting.
const NOBODY: usize = usize::MAX;

/// Whether the work of an entity cannot wait for that of the entities that its messages go to.
pub type ChainEnd = Arc<dyn Fn(Uid) -> bool + Send + Sync>;

/// Follows one entity. The executing thread calls it.
pub(super) struct EntityObserver {
    /// The entity's index in the schedule.
    entity: u32,
    record: Option<Arc<Mutex<Record>>>,
    recording: Option<Arc<Recording>>,
    /// Times count from here.
    origin: Origin,
    /// Start of the tick, or end of the last codelet or tick.
    begin: u64,
    end: u64,
    /// Time of the tick in nanoseconds of the scheduler's clock.
    tick_time: i64,
    /// For the trace: the term that keeps the entity waiting, or [`DEVICES`].
    waits_for: usize,
    /// The messages that the receivers held before the tick, with their queues.
    held: Vec<(Uid, u64)>,
    /// Number of these for each receiver.
    held_by: Vec<usize>,
    delivered: Vec<Delivered>,
    /// Bytes of the payloads of the message that is about to be sent.
    payload: u64,
    /// Where the time of a tick goes, and the number of ticks left to measure.
    sample: Option<(Arc<Sample>, u32)>,
    looks: Vec<Arc<Look>>,
    /// Whether chains of work on devices end with this entity, if it may make such work.
    chain_end: Option<(Uid, ChainEnd)>,
}

impl EntityObserver {
    pub fn new(
        entity: u32,
        origin: Origin,
        record: Option<Arc<Mutex<Record>>>,
        recording: Option<Arc<Recording>>,
    ) -> Self {
        Self {
            entity,
            record,
            recording,
            origin,
            begin: 0,
            end: 0,
            tick_time: 0,
            waits_for: NOBODY,
            held: Vec::new(),
            held_by: Vec::new(),
            delivered: Vec::new(),
            payload: 0,
            sample: None,
            looks: Vec::new(),
            chain_end: None,
        }
    }

    /// Also measures a few ticks, and looks at messages.
    pub fn glancing(self, sample: Option<Arc<Sample>>, looks: Vec<Arc<Look>>) -> Self {
        Self { sample: sample.map(|sample| (sample, TICKS)), looks, ..self }
    }

    /// Also sees that messages bear no work that is held back where a chain of it ends.
    pub fn ending(self, chain_end: Option<(Uid, ChainEnd)>) -> Self {
        Self { chain_end, ..self }
    }

    fn look(&mut self, queue: Uid, message: impl FnOnce() -> Option<Message>) {
        self.looks.retain(|look| !look.is_done());
        let mut looks = self.looks.iter().filter(|look| look.queue() == queue).peekable();
        if looks.peek().is_none() {
            return;
        }
        let Some(message) = message() else { return };
        for look in looks {
            look.at(&message);
        }
    }

    #[inline]
    fn now(&self) -> u64 {
        nanoseconds_since(self.origin)
    }
}

impl Observer for EntityObserver {
    fn term(&mut self, index: usize, condition: Condition, now: i64) {
        if let Some(record) = &self.record {
            record.lock().term(index, expired(condition, now), now);
        }
    }

    fn condition(&mut self, condition: Condition, culprit: usize, now: i64) {
        let condition = expired(condition, now);
        self.tick_time = now;
        if let Some(record) = &self.record {
            record.lock().condition(condition, culprit, now);
        }
        if let Some(recording) = &self.recording {
            let waits_for = match condition.condition_type {
                ConditionType::READY => NOBODY,
                _ => culprit,
            };
            if waits_for != self.waits_for {
                self.waits_for = waits_for;
                if waits_for != NOBODY {
                    let state = condition.condition_type.0.unsigned_abs();
                    recording.write(Event::wait(self.now(), self.entity, waits_for, state));
                }
            }
        }
    }

    fn held(&mut self, now: i64) {
        if let Some(record) = &self.record {
            record.lock().held(now);
        }
        if let Some(recording) = &self.recording
            && self.waits_for != DEVICES
        {
            self.waits_for = DEVICES;
            recording.write(Event::wait_for_devices(self.now(), self.entity));
        }
    }

    fn tick_begins(&mut self, inboxes: &[Inbox]) {
        if !self.looks.is_empty() {
            for inbox in inboxes.iter().filter(|inbox| inbox.before > 0) {
                let latest = i32::try_from(inbox.before - 1).unwrap_or(0);
                let queue = inbox.receiver.component().cid();
                self.look(queue, || inbox.receiver.peek(latest));
            }
        }
        if let Some(recording) = &self.recording {
            self.held.clear();
            self.held_by.clear();
            for inbox in inboxes {
                let first = self.held.len();
                let queue = inbox.receiver.component().cid();
                // At most `FOLLOWED`, so that the number fits.
                let places = 0..i32::try_from(inbox.before.min(FOLLOWED)).unwrap_or(0);
                let messages = places.filter_map(|place| inbox.receiver.peek(place));
                self.held.extend(messages.map(|message| (queue, identity(&message))));
                self.held_by.push(self.held.len() - first);
            }
            self.begin = nanoseconds_since(self.origin);
            recording.write(Event::tick_begin(self.begin, self.entity));
        } else {
            self.begin = self.now();
        }
        self.end = self.begin;
    }

    fn codelet_ended(&mut self, index: usize) {
        let now = self.now();
        let before = std::mem::replace(&mut self.end, now);
        if let Some(record) = &self.record {
            record.lock().codelet_ticked(index, self.end - before);
        }
        if let Some(recording) = &self.recording {
            recording.write(Event::codelet(before, self.entity, index, self.end));
        }
    }

    fn tick_ended(&mut self, succeeded: bool, inboxes: &[Inbox]) {
        if let Some(record) = &self.record {
            let mut record = record.lock();
            record.ticked(succeeded, self.end - self.begin, self.tick_time);
            for (index, inbox) in inboxes.iter().enumerate() {
                record.received(index, inbox.before, taken(inbox));
            }
        }
        if let Some((sample, left)) = &mut self.sample {
            sample.add(self.end - self.begin);
            *left -= 1;
            if *left == 0 {
                self.sample = None;
            }
        }
        let Some(recording) = &self.recording else { return };
        let mut first = 0;
        for (inbox, held) in inboxes.iter().zip(&self.held_by) {
            for (queue, message) in &self.held[first..first + taken(inbox).min(*held)] {
                recording.write(Event::received(self.begin, self.entity, *message, *queue));
            }
            first += held;
        }
        recording.write(Event::tick_end(self.end, self.entity, succeeded, self.begin));
        for inbox in inboxes {
            let queue = inbox.receiver.component().cid();
            let depth = inbox.receiver.main_count();
            recording.write(Event::depth(self.end, self.entity, depth, queue));
        }
    }

    fn send_begins(&mut self, outbox: &Outbox) {
        self.delivered.clear();
        if let Some((eid, is_end)) = &self.chain_end
            && outbox.transmitter.message_count() > 0
            && is_end(*eid)
        {
            let fences = |message: Message| {
                for fence in message.find_all::<Fence>() {
                    // The codelet that made the work hears of an error.
                    _ = fence.let_go("a message that says when it is done is sent on");
                }
            };
            outbox.transmitter.messages().for_each(fences);
        }
        if self.record.is_some() {
            self.payload = outbox.transmitter.latest().map_or(0, |message| payload_bytes(&message));
        }
        if !self.looks.is_empty() {
            self.look(outbox.transmitter.component().cid(), || outbox.transmitter.latest());
        }
    }

    fn send_ended(&mut self, index: usize, messages: usize) {
        if let Some(record) = &self.record {
            record.lock().sent(index, messages, self.payload, &self.delivered);
        }
        if let Some(recording) = &self.recording {
            for Delivered { message, depth, queue, how, .. } in &self.delivered {
                if *how != Delivery::Lost {
                    recording.write(Event::sent(self.end, self.entity, *message, *depth, *queue));
                }
            }
        }
    }

    fn has_finished(&self) -> bool {
        self.chain_end.is_none()
            && self.record.is_none()
            && self.recording.is_none()
            && self.sample.is_none()
            && self.looks.iter().all(|look| look.is_done())
    }
}

impl Watch for EntityObserver {
    #[inline]
    fn delivered(&mut self, place: usize, queue: &ReceiverPort, message: u64, how: Delivery) {
        // Only a trace shows how full the queues are.
        let (depth, cid) = if self.recording.is_some() {
            (queue.message_count(), queue.component().cid())
        } else {
            (0, 0)
        };
        self.delivered.push(Delivered { target: place, message, depth, queue: cid, how });
    }
}

/// Bytes of the payloads of a message, with those of the buffers that tensors, frames and audio
/// hold. The timestamp is none of them.
fn payload_bytes(message: &Message) -> u64 {
    let inline = message.payloads().filter(|payload| !HOLDS_MEMORY.contains(&payload.tid));
    let inline = inline.filter(|payload| payload.tid != gxf::Timestamp::TID);
    let tensors = message.find_all::<gxf::Tensor>().map(|tensor| tensor.memory());
    let frames = message.find_all::<gxf::VideoBuffer>().map(|frame| frame.memory());
    let audio = message.find_all::<gxf::AudioBuffer>().map(|audio| audio.memory());
    let buffers = tensors.chain(frames).chain(audio).map(gxf::MemoryBuffer::size);
    inline.map(|payload| payload.size as u64).chain(buffers).sum()
}

/// The payload types whose buffers count in place of their own size.
const HOLDS_MEMORY: [Tid; 3] = [gxf::Tensor::TID, gxf::VideoBuffer::TID, gxf::AudioBuffer::TID];

/// Number of messages that the tick took from a receiver.
fn taken(inbox: &Inbox) -> usize {
    inbox.before.saturating_sub(inbox.receiver.main_count())
}

/// A time that has come is no longer waited for.
fn expired(condition: Condition, now: i64) -> Condition {
    if condition.condition_type == ConditionType::WAIT_TIME && condition.target <= now {
        return Condition { condition_type: ConditionType::READY, ..condition };
    }
    condition
}
