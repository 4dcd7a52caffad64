//! `IceoryxPublisher`.

use crate::frame::{FrameHeader, Kind, Piece, Taken, Wanted, halves, write_piece};
use crate::memory::{Ipc, Leaving, Loan};
use crate::peers::{Waiter, lock};
use crate::service::{IceoryxService, Open, failed};
use gxf::Gathered;
use gxf::prelude::*;
use gxf::{ContextHandle, EntitySerializer, SharedCodelet, Uid};
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::subscriber::Subscriber;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Publishes the messages of a receiver to graphs of the same host. Tensors in memory of the service
/// are not copied. It waits until somebody subscribes, and at its end until the subscribers have
/// everything. It is its own scheduling term.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct IceoryxPublisher {
    /// Receiver of the messages.
    input: Parameter<Handle<Receiver>>,
    /// Service to publish to.
    service: Parameter<Handle<IceoryxService>>,
    /// Serializer for the messages. With a UcxEntitySerializer, tensors in memory of the service are
    /// not copied.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Whether the graph waits for slow subscribers; otherwise these miss messages.
    #[parameter(default = true)]
    block: Parameter<bool>,
    /// Whether messages wait for the first subscriber; otherwise nobody gets those sent before.
    #[parameter(default = true)]
    wait_for_subscriber: Parameter<bool>,
    /// How long the end waits until the subscribers have everything, in seconds.
    #[parameter(default = 10, unit = "s")]
    end_time_out: Parameter<u64>,
    run: Mutex<Option<Run>>,
}

struct Run {
    open: Arc<Open>,
    id: [u64; 2],
    waiter: Waiter,
    data: Notifier<Ipc>,
    taken: Subscriber<Ipc, Taken, ()>,
    /// By subscriber: the number of the first sample that it has not taken.
    subscribers: HashMap<u128, u64>,
    /// Number of the next sample, and what it was at the last look at the subscribers.
    next: u64,
    looked_at: u64,
    /// Whether memory was short at the last look, and the number of the sample for the next look.
    is_short: bool,
    look_at: u64,
    /// Tensors that were copied, and that were not.
    copied: u64,
    passed: u64,
    /// A message that waits for memory.
    message: Option<Gathered>,
    /// A message that waits for its turn.
    frame: Option<Frame>,
}

/// A message whose samples are written.
struct Frame {
    parts: Vec<Part>,
    message: Loan,
}

enum Part {
    Ready(Loan),
    /// Address of a loan that tensors of this graph may still use.
    Leaving(usize),
}

impl Run {
    fn new(open: Arc<Open>, context: ContextHandle) -> Result<Self> {
        let cannot = format!("`{}` cannot be published", open.name());
        let publisher = open.publisher()?;
        let data = open.data.notifier_builder().create();
        let data = data.map_err(|error| failed(&cannot, error))?;
        let taken = open.taken.subscriber_builder().create();
        let taken = taken.map_err(|error| failed(&cannot, error))?;
        let listener = open.room.listener_builder().create();
        let listener = listener.map_err(|error| failed(&cannot, error))?;
        let waiter = open.wait(context, listener, true)?;
        let id = halves(publisher.id().value());
        let subscribers = HashMap::new();
        Ok(Self {
            open,
            id,
            waiter,
            data,
            taken,
            subscribers,
            next: 0,
            looked_at: 0,
            is_short: false,
            look_at: 0,
            copied: 0,
            passed: 0,
            message: None,
            frame: None,
        })
    }

    /// Samples on their way to the slowest subscriber.
    fn on_their_way(&mut self) -> Result<u64> {
        let present = self.open.subscribers();
        self.subscribers.retain(|id, _| present.contains(id));
        for id in present {
            // A newcomer gets what follows, and perhaps what was sent since the last look.
            self.subscribers.entry(id).or_insert(self.looked_at);
        }
        self.looked_at = self.next;
        let failed = |error| failed("the subscribers cannot be heard", error);
        while let Some(taken) = self.taken.receive().map_err(failed)? {
            if taken.publisher != self.id {
                continue;
            }
            let [high, low] = taken.subscriber;
            if let Some(next) =
                self.subscribers.get_mut(&(u128::from(high) << 64 | u128::from(low)))
            {
                *next = taken.next.clamp(*next, self.next);
            }
        }
        let slowest = self.subscribers.values().min().copied().unwrap_or(self.next);
        Ok(self.next - slowest)
    }

    /// Writes the samples of a message; gives it back if there is no memory.
    fn prepare(&mut self, message: Gathered) -> Result<std::result::Result<Frame, Gathered>> {
        let memory = self.open.memory.clone();
        let mut leaving = Vec::new();
        let mut described = Vec::new();
        let mut rest = 0;
        for bytes in message.pieces() {
            let size = bytes.len() as u64;
            let piece = match memory.leave(bytes) {
                Some((address, offset)) => {
                    let known = leaving.iter().position(|known| *known == address);
                    let part = known.unwrap_or_else(|| {
                        leaving.push(address);
                        leaving.len() - 1
                    });
                    Piece { part: Some(part as u32), offset, size }
                }
                None => {
                    rest += size;
                    Piece { part: None, offset: rest - size, size }
                }
            };
            write_piece(piece, &mut described);
        }
        let size = described.len() + message.header().len() + rest as usize;
        let Some(mut loan) = self.open.loan(size)? else { return Ok(Err(message)) };
        let mut header = FrameHeader::new(Kind::Message, 0);
        header.parts = leaving.len() as u32;
        header.pieces = message.pieces().count() as u64;
        header.header_size = message.header().len() as u64;
        *loan.user_header_mut() = header;
        let mut to = loan.payload_mut();
        let mut write = |bytes: &[u8]| {
            let (place, rest) = std::mem::take(&mut to).split_at_mut(bytes.len());
            place.copy_from_slice(bytes);
            to = rest;
        };
        write(&described);
        write(message.header());
        for bytes in message.pieces() {
            if memory.leave(bytes).is_none() {
                write(bytes);
                self.copied += 1;
            }
        }
        self.passed += leaving.len() as u64;
        // Tensors that only this message has go now, and leave their memory.
        drop(message);
        let parts = leaving.into_iter().map(|address| match memory.leaving(address) {
            Leaving::Free(loan) => Part::Ready(loan),
            Leaving::InUse(address) => Part::Leaving(address),
        });
        Ok(Ok(Frame { parts: parts.collect(), message: loan }))
    }

    /// Whether the samples can be sent as they are, after copies of what this graph still uses.
    fn complete(&mut self, frame: &mut Frame) -> Result<bool> {
        for part in &mut frame.parts {
            let Part::Leaving(address) = *part else { continue };
            let mut is_full = false;
            let copied = self.open.memory.copy(address, |size| {
                let loan = self.open.loan(size)?;
                is_full = loan.is_none();
                loan.ok_or_else(|| ResultCode::OUT_OF_MEMORY.into())
            });
            match copied {
                Ok(loan) => {
                    *part = Part::Ready(loan);
                    self.copied += 1;
                    self.passed -= 1;
                }
                Err(_) if is_full => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Sends a sample. `on_their_way` samples are, including it.
    fn send(&mut self, mut sample: Loan, on_their_way: u64) -> Result<()> {
        if self.next >= self.look_at {
            self.is_short = self.open.is_short()?;
            self.look_at = self.next + self.open.max_samples as u64 / 4;
        }
        let room = self.open.buffer_size as u64;
        let header = sample.user_header_mut();
        header.sequence = self.next;
        if 2 * on_their_way >= room {
            header.want(Wanted::Taken);
        }
        if self.is_short {
            header.want(Wanted::Free);
        }
        sample.send().map_err(|error| failed("a message cannot be published", error))?;
        self.next += 1;
        Ok(())
    }

    fn ring(&self) -> Result<()> {
        let rung = self.data.notify();
        rung.map(drop).map_err(|error| failed("the subscribers cannot be told", error))
    }

    /// Sends a message unless it must wait.
    fn send_frame(&mut self, mut frame: Frame, blocks: bool) -> Result<bool> {
        if !self.complete(&mut frame)? {
            self.frame = Some(frame);
            return Ok(false);
        }
        let (count, room) = (frame.parts.len() as u64 + 1, self.open.buffer_size as u64);
        if count > room {
            return Err(Error::failure(format!(
                "a message needs {count} samples, and the `buffer_size` of `{}` is {room}",
                self.open.name()
            )));
        }
        let mut on_their_way = self.on_their_way()?;
        if blocks && on_their_way + count > room {
            self.frame = Some(frame);
            return Ok(false);
        }
        for part in frame.parts {
            let Part::Ready(mut loan) = part else { continue };
            *loan.user_header_mut() = FrameHeader::new(Kind::Part, 0);
            on_their_way += 1;
            self.send(loan, on_their_way)?;
        }
        self.send(frame.message, on_their_way + 1)?;
        self.ring()?;
        Ok(true)
    }
}

impl Lifecycle for IceoryxPublisher {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        self.service.get().claim()
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.service.get().release();
        Ok(())
    }
}

impl SharedCodelet for IceoryxPublisher {
    fn start(&self, context: &TickContext) -> Result<()> {
        *lock(&self.run) = Some(Run::new(self.service.get().get()?, context.handle())?);
        Ok(())
    }

    fn tick(&self, _context: &TickContext) -> Result<()> {
        let mut run = lock(&self.run);
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        loop {
            let frame = match run.frame.take() {
                Some(frame) => frame,
                None => {
                    let message = match run.message.take() {
                        Some(message) => message,
                        None => {
                            let Some(message) = self.input.try_receive()? else { return Ok(()) };
                            Gathered::new(&self.entity_serializer, message, Vec::new())?
                        }
                    };
                    match run.prepare(message)? {
                        Ok(frame) => frame,
                        Err(message) => {
                            run.message = Some(message);
                            return Ok(());
                        }
                    }
                }
            };
            if !run.send_frame(frame, *self.block.get())? {
                return Ok(());
            }
        }
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let Some(mut run) = lock(&self.run).take() else { return Ok(()) };
        gxf::debug!(
            "{} tensors to `{}` went without a copy, {} with one",
            run.passed,
            run.open.name(),
            run.copied
        );
        let unsent = usize::from(run.message.is_some() || run.frame.is_some());
        let end = Instant::now() + Duration::from_secs(*self.end_time_out.get());
        let mut has_ended = false;
        loop {
            let on_their_way = run.on_their_way()?;
            if !has_ended
                && on_their_way < run.open.buffer_size as u64
                && let Some(mut sample) = run.open.loan(1)?
            {
                let mut header = FrameHeader::new(Kind::End, 0);
                header.want(Wanted::Taken);
                *sample.user_header_mut() = header;
                run.send(sample, on_their_way + 1)?;
                run.ring()?;
                has_ended = true;
                continue;
            }
            if has_ended && on_their_way == 0 {
                break;
            }
            if Instant::now() >= end {
                gxf::warning!(
                    "not all subscribers to `{}` have said that they have everything; their last \
                     messages may be lost",
                    run.open.name()
                );
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        if unsent > 0 {
            gxf::warning!(
                "a message to `{}` waited for a slow subscriber, and is lost",
                run.open.name()
            );
        }
        Ok(())
    }
}

impl implement::SchedulingTerm for IceoryxPublisher {
    fn check(&self, now: i64) -> Result<Condition> {
        let has_message = self.input.message_count() + self.input.back_count() > 0;
        let mut run = lock(&self.run);
        let condition_type = match run.as_mut() {
            // The first tick comes before the start.
            None if has_message => ConditionType::READY,
            None => ConditionType::WAIT,
            Some(run) if !has_message && run.message.is_none() && run.frame.is_none() => {
                ConditionType::WAIT
            }
            Some(run) => {
                run.waiter.waiting.arm()?;
                if self.can_send(run)? { ConditionType::READY } else { ConditionType::WAIT_EVENT }
            }
        };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        // Called before all parameters are set, too.
        if let Some(input) = self.input.try_get() {
            add(input.cid());
        }
    }
}

impl IceoryxPublisher {
    /// Whether a tick would send something, as far as can be seen.
    fn can_send(&self, run: &mut Run) -> Result<bool> {
        if *self.wait_for_subscriber.get() && run.open.subscribers().is_empty() {
            return Ok(false);
        }
        let count = run.frame.as_ref().map_or(1, |frame| frame.parts.len() as u64 + 1);
        let must_wait = *self.block.get()
            && run.on_their_way()?.saturating_add(count) > run.open.buffer_size as u64;
        if must_wait {
            return Ok(false);
        }
        let is_waiting_for_memory = run.message.is_some()
            || run.frame.as_ref().is_some_and(|frame| {
                frame.parts.iter().any(|part| matches!(part, Part::Leaving(_)))
            });
        Ok(!is_waiting_for_memory || run.open.loan(1)?.is_some())
    }
}
