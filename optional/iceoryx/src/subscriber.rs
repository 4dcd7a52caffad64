//! `IceoryxSubscriber`.

use crate::frame::{Frame, FrameHeader, Kind, Taken, Wanted, halves};
use crate::memory::{Ipc, Offer, Received};
use crate::peers::{Waiter, lock};
use crate::service::{IceoryxService, Open, failed};
use gxf::Scattered;
use gxf::prelude::*;
use gxf::{
    AudioBuffer, ContextHandle, EntitySerializer, Payload, SharedCodelet, Tensor, Tid, VideoBuffer,
};
use iceoryx2::port::ReceiveError;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

/// What follows when a publisher goes without a word.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// `wait`: a warning, and the wait for others or its successor.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    wait,
    /// `fail`: the graph ends with an error.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    fail,
}

/// Brings messages that other graphs of this host publish into the graph. Tensors in memory of the
/// service are not copied if it is the allocator of the serializer, and are read only then. It is
/// its own scheduling term, and ends when all publishers that it has seen have ended.
#[derive(Component, Default)]
pub struct IceoryxSubscriber {
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
    /// Service to subscribe to.
    service: Parameter<Handle<IceoryxService>>,
    /// Serializer for the messages, of the same type as the publisher's.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// What follows when a publisher goes without a word.
    #[parameter(default = Lost::wait)]
    on_lost_publisher: Parameter<Lost>,
    run: Mutex<Option<Run>>,
}

struct Run {
    open: Arc<Open>,
    id: [u64; 2],
    waiter: Waiter,
    subscriber: Subscriber<Ipc, [u8], FrameHeader>,
    taken: Publisher<Ipc, Taken, ()>,
    publishers: HashMap<u128, Source>,
    has_ended: bool,
    /// Whether the graph holds as many samples as it may.
    is_full: bool,
    missed: u64,
    unreadable: u64,
    /// Tensors that were copied, and that were not.
    copied: u64,
    passed: u64,
}

/// What is known of a publisher.
#[derive(Default)]
struct Source {
    /// Number of the sample that comes next; none before the first.
    next: Option<u64>,
    /// Parts of the message that comes.
    parts: Vec<Received>,
    has_ended: bool,
}

/// Logs at most this many messages that nobody can read.
const SHOWN: u64 = 3;

/// What a sample brings.
enum Arrival {
    Message(Received, Vec<Received>),
    /// Nothing that can be passed on yet.
    Other,
    Nothing,
}

impl Run {
    fn new(open: Arc<Open>, context: ContextHandle) -> Result<Self> {
        let cannot = format!("`{}` cannot be subscribed to", open.name());
        let taken = open.taken.publisher_builder().create();
        let taken = taken.map_err(|error| failed(&cannot, error))?;
        let listener = open.data.listener_builder().create();
        let listener = listener.map_err(|error| failed(&cannot, error))?;
        let subscriber = open.messages.subscriber_builder().create();
        let subscriber = subscriber.map_err(|error| failed(&cannot, error))?;
        let waiter = open.wait(context, listener, false)?;
        // Publishers wait for subscribers.
        open.ring_room()?;
        let id = halves(subscriber.id().value());
        Ok(Self {
            open,
            id,
            waiter,
            subscriber,
            taken,
            publishers: HashMap::new(),
            has_ended: false,
            is_full: false,
            missed: 0,
            unreadable: 0,
            copied: 0,
            passed: 0,
        })
    }

    /// Tells a publisher what this graph has taken.
    fn tell(&self, publisher: u128, next: u64) -> Result<()> {
        let taken = Taken { publisher: halves(publisher), subscriber: self.id, next };
        let sent = self.taken.send_copy(taken);
        sent.map_err(|error| failed("the publisher cannot be told", error))?;
        self.open.ring_room()
    }

    fn has_samples(&self) -> Result<bool> {
        let there = self.subscriber.has_samples();
        there.map_err(|error| failed("nothing can be received", error))
    }

    /// Takes the next sample.
    fn receive(&mut self) -> Result<Arrival> {
        let sample = match self.subscriber.receive() {
            Ok(Some(sample)) => sample,
            Ok(None) => return Ok(Arrival::Nothing),
            Err(ReceiveError::ExceedsMaxBorrows) => {
                let parts: usize = self.publishers.values().map(|source| source.parts.len()).sum();
                if parts >= self.open.max_borrowed_samples {
                    self.publishers.values_mut().for_each(|source| source.parts.clear());
                    self.complain(&Error::failure(format!(
                        "it has more tensors than `max_borrowed_samples`, {}",
                        self.open.max_borrowed_samples
                    )));
                    return Ok(Arrival::Other);
                }
                self.is_full = true;
                return Ok(Arrival::Nothing);
            }
            Err(error) => return Err(failed("nothing can be received", error)),
        };
        let (header, publisher) = (*sample.user_header(), sample.origin().value());
        let source = self.publishers.entry(publisher).or_default();
        let expected = source.next.unwrap_or(header.sequence);
        if header.sequence != expected {
            self.missed += header.sequence.saturating_sub(expected);
            source.parts.clear();
        }
        source.next = Some(header.sequence.wrapping_add(1));
        match header.kind() {
            Ok(Kind::Part) => {
                source.parts.push(sample);
                Ok(Arrival::Other)
            }
            Ok(Kind::Message) => Ok(Arrival::Message(sample, std::mem::take(&mut source.parts))),
            Ok(Kind::End) => {
                source.has_ended = true;
                self.has_ended = true;
                self.tell(publisher, header.sequence.wrapping_add(1))?;
                Ok(Arrival::Other)
            }
            Err(error) => {
                self.complain(&error);
                Ok(Arrival::Other)
            }
        }
    }

    fn complain(&mut self, error: &Error) {
        self.unreadable += 1;
        if self.unreadable <= SHOWN {
            gxf::warning!("a message of `{}` cannot be read: {error}", self.open.name());
        }
    }

    /// Publishers that are gone, and have not said that nothing follows.
    fn gone(&self) -> Vec<u128> {
        let silent = self.publishers.iter().filter(|(_, source)| !source.has_ended);
        let silent: Vec<u128> = silent.map(|(id, _)| *id).collect();
        if silent.is_empty() {
            return silent;
        }
        let present = self.open.publishers();
        silent.into_iter().filter(|id| !present.contains(id)).collect()
    }

    /// Whether somebody may still publish.
    fn is_publishing(&self) -> bool {
        let ended = |id: &u128| self.publishers.get(id).is_some_and(|source| source.has_ended);
        self.open.publishers().iter().any(|id| !ended(id))
    }
}

impl SharedCodelet for IceoryxSubscriber {
    fn start(&self, context: &TickContext) -> Result<()> {
        *lock(&self.run) = Some(Run::new(self.service.get().get()?, context.handle())?);
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = lock(&self.run);
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        // Before the look at the samples: what a publisher sent before it went is there.
        let gone = run.gone();
        run.is_full = false;
        loop {
            let (sample, parts) = match run.receive()? {
                Arrival::Message(sample, parts) => (sample, parts),
                Arrival::Other => continue,
                Arrival::Nothing => break,
            };
            let (publisher, header) = (sample.origin().value(), *sample.user_header());
            // It began before this graph subscribed, or parts of it were dropped.
            let is_whole = parts.len() >= header.parts as usize;
            let read = self.read(run, &sample, parts, context);
            drop(sample);
            if header.wants(Wanted::Taken) {
                run.tell(publisher, header.sequence.wrapping_add(1))?;
            }
            match read {
                Ok(message) if message.timestamp().is_some() => {
                    return self.output.publish_as_is(message);
                }
                Ok(message) => return self.output.publish(message, context.now()),
                Err(_) if !is_whole => run.missed += 1,
                Err(error) => run.complain(&error),
            }
        }
        if run.is_full {
            return Ok(());
        }
        for publisher in gone {
            // It may have said so meanwhile.
            if run.publishers.remove(&publisher).is_none_or(|source| source.has_ended) {
                continue;
            }
            let text = format!("the publisher {publisher:x} of `{}` is gone", run.open.name());
            if *self.on_lost_publisher.get() == Lost::fail {
                return Err(Error::failure(text));
            }
            gxf::warning!("{text}");
        }
        Ok(())
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let Some(run) = lock(&self.run).take() else { return Ok(()) };
        gxf::debug!(
            "{} tensors of `{}` came without a copy, {} with one",
            run.passed,
            run.open.name(),
            run.copied
        );
        if run.missed > 0 {
            gxf::warning!("{} samples of `{}` were missed", run.missed, run.open.name());
        }
        if run.unreadable > 0 {
            let (count, name) = (run.unreadable, run.open.name());
            gxf::warning!("{count} messages of `{name}` could not be read");
        }
        Ok(())
    }
}

impl IceoryxSubscriber {
    /// Reads a message. Lengths are looked at before anything is allocated for them.
    fn read(
        &self,
        run: &mut Run,
        sample: &Received,
        parts: Vec<Received>,
        context: &TickContext,
    ) -> Result<Message> {
        let sizes: Vec<u64> = parts.iter().map(|part| part.payload().len() as u64).collect();
        let frame = Frame::read(sample.user_header(), &sizes, sample.payload())?;
        // Memory that several tensors share is copied.
        let mut users = vec![0; parts.len()];
        for part in frame.pieces.iter().filter_map(|piece| piece.part) {
            users[part as usize] += 1;
        }
        let mut parts: Vec<Option<Received>> = parts.into_iter().map(Some).collect();
        let mut offers = VecDeque::new();
        let mut addresses = Vec::new();
        for piece in &frame.pieces {
            let part = piece.part.map(|part| part as usize).filter(|part| users[*part] == 1);
            let sample = part.and_then(|part| parts[part].take());
            addresses.push(sample.as_ref().map(|sample| address(sample, piece.offset)));
            if let Some(sample) = sample {
                let (offset, size) = (piece.offset as usize, piece.size as usize);
                offers.push_back(Offer { sample, offset, size });
            }
        }
        let message = context.new_message()?;
        let (scattered, left) = run
            .open
            .memory
            .offering(offers, || Scattered::new(&self.entity_serializer, message, frame.header));
        let mut scattered = scattered?;
        let total: u64 = frame.pieces.iter().map(|piece| piece.size).sum();
        if scattered.size() != total {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                format!("its tensors have {} bytes, and it brings {total}", scattered.size()),
            ));
        }
        let (mut filled, mut is_shared) = (0, false);
        for (piece, offered) in frame.pieces.iter().zip(addresses) {
            if piece.size > 0 && Some(scattered.place(filled).as_ptr().addr()) == offered {
                filled += piece.size;
                is_shared = true;
                run.passed += 1;
                continue;
            }
            let (offset, size) = (piece.offset as usize, piece.size as usize);
            let from = match (piece.part, offered) {
                (Some(_), Some(offered)) => {
                    let mut left = left.iter();
                    left.find(|offer| address(&offer.sample, piece.offset) == offered)
                        .map(|offer| offer.sample.payload())
                }
                (Some(part), None) => parts[part as usize].as_ref().map(|part| part.payload()),
                (None, _) => Some(frame.rest),
            };
            // Memory that was offered was taken by a tensor of another place.
            let from = from.ok_or(ResultCode::INVALID_DATA_FORMAT)?;
            run.copied += 1;
            let mut bytes = &from[offset..offset + size];
            while !bytes.is_empty() {
                let place = scattered.place(filled);
                let size = place.len().min(bytes.len());
                place[..size].copy_from_slice(&bytes[..size]);
                filled += size as u64;
                bytes = &bytes[size..];
            }
        }
        let mut message = scattered.into_message()?;
        if is_shared {
            make_read_only(&mut message)?;
        }
        Ok(message)
    }
}

fn address(sample: &Received, offset: u64) -> usize {
    sample.payload()[offset as usize..].as_ptr().addr()
}

/// Memory of other processes is not writable here.
fn make_read_only(message: &mut Message) -> Result<()> {
    let payloads: Vec<(Tid, String)> =
        message.payloads().map(|payload| (payload.tid, payload.name.to_owned())).collect();
    for (tid, name) in payloads {
        if tid == Tensor::TID {
            message.get_mut::<Tensor>(&name)?.set_read_only();
        } else if tid == VideoBuffer::TID {
            message.get_mut::<VideoBuffer>(&name)?.set_read_only();
        } else if tid == AudioBuffer::TID {
            message.get_mut::<AudioBuffer>(&name)?.set_read_only();
        }
    }
    Ok(())
}

impl implement::SchedulingTerm for IceoryxSubscriber {
    fn check(&self, now: i64) -> Result<Condition> {
        let mut run = lock(&self.run);
        let condition_type = match run.as_mut() {
            // The first tick comes before the start.
            None => ConditionType::READY,
            Some(run) => {
                run.waiter.waiting.arm()?;
                if run.is_full {
                    run.is_full = false;
                    ConditionType::WAIT_EVENT
                } else if run.has_samples()? {
                    ConditionType::READY
                } else if !run.gone().is_empty() {
                    // To say that they are gone.
                    ConditionType::READY
                } else if run.has_ended && !run.is_publishing() {
                    ConditionType::NEVER
                } else {
                    ConditionType::WAIT_EVENT
                }
            }
        };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
