//! The ports of an entity: its receivers, its transmitters, and the targets of these.
//!
//! A message that a receiver of policy 2 has no room for stays in the transmitter if that has a
//! `DownstreamReceptive`, which answers WAIT until everything is sent. Each of several receivers
//! gets it as soon as there is room in its own, and later messages wait for the first.

use crate::entity::failure::Failure;
use crate::entity::port::{ReceiverPort, TransmitterPort, Wake};
use crate::entity::promise::Promise;
use crate::entity::register::Link;
use crate::standard::queue::{DoubleBuffer, Pushed};
use crate::standard::term::DownstreamReceptiveSchedulingTerm;
use gxf::{Message, Transmitter};
use gxf_plugin::component::{Interface, Native};
use gxf_plugin::message::pool::published;
use gxf_plugin_abi::ResultCode;
use std::hint::cold_path;

/// What happened to a message for one receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delivery {
    /// The receiver has it.
    Kept,
    /// Kept; the receiver's oldest message is lost.
    Displaced,
    /// The receiver refused it.
    Lost,
}

/// Why an outbox was not emptied.
pub enum Unsent {
    /// A receiver has no room.
    Held,
    /// A queue answered with an error.
    Failed(Failure),
}

/// Observes every message that is sent.
pub trait Watch {
    /// A message was sent to the target at this position of the outbox.
    fn delivered(&mut self, place: usize, queue: &ReceiverPort, message: u64, how: Delivery);
}

/// No observer.
impl Watch for () {
    #[inline(always)]
    fn delivered(&mut self, _place: usize, _queue: &ReceiverPort, _message: u64, _how: Delivery) {}
}

/// Identifies a message among those that are alive.
#[inline]
pub fn identity(message: &Message) -> u64 {
    message.as_raw().as_ptr().addr() as u64
}

/// A receiver of the entity.
pub struct Inbox {
    /// The port.
    pub receiver: ReceiverPort,
    /// Entities that wait for room here.
    pub senders: Vec<u32>,
    /// The largest room that one of them waits for.
    pub wanted_room: usize,
    /// Messages in the main stage before the tick.
    pub before: usize,
    /// Whether the queue's policy dropped messages when they were taken in, which also made room.
    pub dropped: bool,
    /// Brings the messages, if their sender is on another thread.
    pub link: Option<Link>,
}

impl Inbox {
    /// Moves what has arrived to where the codelets find it, before a tick.
    #[inline(always)]
    pub fn take_in(&mut self) -> std::result::Result<(), Failure> {
        // Mostly it fits into our own queue.
        if let ReceiverPort::Own(receiver) = &self.receiver
            && let Some(main) = receiver.buffer.sync_what_fits()
        {
            (self.before, self.dropped) = (main, false);
            return Ok(());
        }
        cold_path();
        let synced = self.receiver.sync().map_err(|error| {
            Failure::of(self.receiver.component(), "sync of the receiver", error)
        })?;
        (self.before, self.dropped) = (synced.main, synced.dropped);
        Ok(())
    }

    /// Wakes the entities that wait for the room that the tick made.
    #[inline(always)]
    pub fn tell_of_room(&self, waker: &mut impl Wake) {
        let is_watched = matches!(self.senders[..], [sender] if waker.is_watched(sender));
        if !is_watched && self.made_room() {
            for sender in &self.senders {
                waker.wake(*sender);
            }
        }
        if let Some(link) = &self.link {
            link.give_back();
        }
    }

    /// Whether the tick made room that an entity may wait for.
    ///
    /// No entity waits if there was never too little room during the tick. There were never more
    /// messages than those taken in before the tick and those that have arrived by now.
    #[inline]
    pub fn made_room(&self) -> bool {
        if self.senders.is_empty() {
            return false;
        }
        if self.dropped {
            cold_path();
            return true;
        }
        match &self.receiver {
            ReceiverPort::Own(receiver) => receiver.made_room(self.before, self.wanted_room),
            ReceiverPort::Other(receiver) => receiver.message_count() < self.before,
        }
    }
}

/// A transmitter of the entity.
pub struct Outbox {
    /// The port.
    pub transmitter: TransmitterPort,
    /// The connected receivers.
    pub targets: Vec<Target>,
    /// The terms of the entity that ask for room behind the transmitter.
    pub back_pressure: Vec<Native<DownstreamReceptiveSchedulingTerm>>,
    /// Whether the first message in the transmitter is still owed to some targets.
    pub holds: bool,
    /// Leads to another process, if the transmitter does.
    pub link: Option<Box<Interface<gxf::Link>>>,
}

/// A receiver connected to a transmitter.
pub struct Target {
    /// The port of the receiver. Never [`ReceiverPort::Own`] if there is a register.
    pub queue: ReceiverPort,
    /// Takes the messages, if the receiver is on another thread.
    pub link: Option<Link>,
    /// Entities to wake when a message arrives: the receiver's own, and those that watch it.
    pub wake: Vec<u32>,
    /// Whether the sender keeps refused messages.
    pub careful: bool,
    /// The receiver has policy 2.
    pub faults: bool,
    /// Index of the promise for this receiver, if other entities share it.
    pub promise: Option<usize>,
    /// Whether the first message in the transmitter is still owed to this target.
    pub owed: bool,
    /// Messages the receiver refused.
    pub lost: u64,
    /// The transmitter as in files, `entity/component`.
    pub from: Box<str>,
    /// The receiver as in files.
    pub to: Box<str>,
}

impl Outbox {
    /// Sends what a tick published, if nothing is held and no room is promised to others.
    #[inline(always)]
    pub fn send(&mut self, now: i64, waker: &mut impl Wake) -> std::result::Result<(), Unsent> {
        let transmitter = match &self.transmitter {
            TransmitterPort::Own(transmitter) => transmitter,
            TransmitterPort::Other(transmitter) => {
                cold_path();
                return match &self.link {
                    Some(link) if self.targets.is_empty() => self.send_over(link, transmitter, now),
                    _ => self.send_all(now, true, &mut [], waker, &mut ()),
                };
            }
        };
        let buffer = &transmitter.buffer;
        // Mostly there is one message for one receiver, which takes it.
        let [target] = &mut self.targets[..] else {
            cold_path();
            return if buffer.back_count() > 0 { self.send_queued(now, waker) } else { Ok(()) };
        };
        let Some((message, has_more)) = buffer.take() else { return Ok(()) };
        let message = match published(message, now) {
            Ok(message) => message,
            Err(code) => return Err(self.failed(code.into())),
        };
        if let Some(message) = target.hand(message) {
            cold_path();
            buffer.put_back(message);
            return Err(self.hold_published(now));
        }
        if has_more {
            cold_path();
            return self.send_queued(now, waker);
        }
        match &target.wake[..] {
            [entity] => waker.wake(*entity),
            several => {
                cold_path();
                several.iter().for_each(|entity| waker.wake(*entity));
            }
        }
        Ok(())
    }

    /// The same for a transmitter whose only receiver is elsewhere: its link takes all messages.
    #[inline(never)]
    fn send_over(
        &self,
        link: &Interface<gxf::Link>,
        transmitter: &Interface<Transmitter>,
        now: i64,
    ) -> std::result::Result<(), Unsent> {
        let failed = |error| self.failed(error);
        transmitter.call("sync", |transmitter| transmitter.sync()).map_err(failed)?;
        transmitter.call("sync_io", |transmitter| transmitter.sync_io()).map_err(failed)?;
        for _ in 0..transmitter.message_count() {
            let popped = transmitter.call("pop", |transmitter| transmitter.pop());
            let message = published(popped.map_err(failed)?, now);
            let message = message.map_err(|code| self.failed(code.into()))?;
            link.call("send", |link| link.send(message)).map_err(failed)?;
        }
        Ok(())
    }

    /// The same for our own transmitter with any number of messages and targets.
    #[inline(never)]
    pub fn send_queued(
        &mut self,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<(), Unsent> {
        let mut held = false;
        while let TransmitterPort::Own(transmitter) = &self.transmitter
            && let Some((message, _)) = transmitter.buffer.take()
        {
            let message = published(message, now).map_err(|code| self.failed(code.into()))?;
            if let Some(message) = deliver(&mut self.targets, message) {
                transmitter.buffer.put_back(message);
                held = true;
                break;
            }
        }
        for entity in self.targets.iter().flat_map(|target| &target.wake) {
            waker.wake(*entity);
        }
        if held { Err(self.hold_published(now)) } else { Ok(()) }
    }

    /// Sends what is in the transmitter, whether room is promised or not. After a tick, that
    /// publishes it; otherwise it was held.
    #[inline(never)]
    pub fn send_all(
        &mut self,
        now: i64,
        after_tick: bool,
        promises: &mut [Promise],
        waker: &mut impl Wake,
        watch: &mut (impl Watch + ?Sized),
    ) -> std::result::Result<(), Unsent> {
        if let TransmitterPort::Other(transmitter) = &self.transmitter {
            let failed = |error| self.failed(error);
            transmitter.call("sync", |transmitter| transmitter.sync()).map_err(failed)?;
            transmitter.call("sync_io", |transmitter| transmitter.sync_io()).map_err(failed)?;
        }
        let count = match &self.transmitter {
            TransmitterPort::Own(_) => self.transmitter.message_count(),
            TransmitterPort::Other(transmitter) => transmitter.message_count(),
        };
        // What our own transmitter holds got its publication time when it was published.
        let publishes = after_tick || matches!(self.transmitter, TransmitterPort::Other(_));
        let mut held = false;
        let mut sent = false;
        for _ in 0..count {
            let Some((mut message, taken)) = self.first()? else { break };
            if publishes {
                message = published(message, now).map_err(|code| self.failed(code.into()))?;
            }
            let over_link = self.link.is_some().then(|| message.clone());
            if let Some(message) = self.offer(message, promises, watch, &mut sent) {
                if let TransmitterPort::Own(transmitter) = &self.transmitter {
                    transmitter.buffer.put_back(message);
                }
                // A foreign transmitter that cannot show its messages cannot keep one, either.
                held = !taken;
                break;
            }
            self.holds = false;
            if let (Some(link), Some(message)) = (&self.link, over_link) {
                let passed = link.call("send", |link| link.send(message));
                passed.map_err(|error| self.failed(error))?;
            }
            if let TransmitterPort::Other(transmitter) = &self.transmitter
                && !taken
            {
                let popped = transmitter.call("pop", |transmitter| transmitter.pop());
                popped.map(drop).map_err(|error| self.failed(error))?;
            }
        }
        if sent {
            for entity in self.targets.iter().flat_map(|target| &target.wake) {
                waker.wake(*entity);
            }
        }
        if held && after_tick {
            return Err(self.hold_published(now));
        }
        self.hold(held);
        if held { Err(Unsent::Held) } else { Ok(()) }
    }

    /// Holds what was published at time `now`. The messages behind the refused one get their
    /// publication time, too: they may wait for long.
    #[cold]
    fn hold_published(&mut self, now: i64) -> Unsent {
        self.hold(true);
        if let TransmitterPort::Own(transmitter) = &self.transmitter
            && let Err(code) = transmitter.buffer.replace_each(|message| published(message, now))
        {
            return self.failed(code.into());
        }
        Unsent::Held
    }

    /// The message to send next, and whether a foreign transmitter has given it away: it is left
    /// there if refused messages are kept, because nothing can be put back.
    fn first(&self) -> std::result::Result<Option<(Message, bool)>, Unsent> {
        match &self.transmitter {
            TransmitterPort::Own(own) => Ok(own.buffer.take().map(|(message, _)| (message, false))),
            TransmitterPort::Other(transmitter) => {
                // Nobody else refuses what goes over a link.
                if self.keeps()
                    && !self.targets.is_empty()
                    && let Ok(message) = transmitter.call("peek", |transmitter| transmitter.peek(0))
                {
                    return Ok(Some((message, false)));
                }
                let popped = transmitter.call("pop", |transmitter| transmitter.pop());
                popped.map(|message| Some((message, true))).map_err(|error| self.failed(error))
            }
        }
    }

    /// Offers a message to every target that it is owed to; the last one gets it without another
    /// reference, because its entity may change it at once. Returns the message if it is still owed to
    /// some of them.
    fn offer(
        &mut self,
        message: Message,
        promises: &mut [Promise],
        watch: &mut (impl Watch + ?Sized),
        sent: &mut bool,
    ) -> Option<Message> {
        let holds = self.holds;
        let is_meant = |target: &Target| target.owed || !holds;
        let last = self.targets.iter().rposition(is_meant)?;
        let identity = identity(&message);
        let (mut message, mut owed) = (Some(message), None);
        for (place, target) in self.targets[..=last].iter_mut().enumerate() {
            if !is_meant(target) {
                continue;
            }
            let own = if place == last { message.take() } else { message.clone() };
            match target.offer(own?, promises) {
                Ok(how) => {
                    *sent = true;
                    watch.delivered(place, &target.queue, identity, how);
                }
                Err(refused) => owed = Some(refused),
            }
        }
        owed
    }

    /// Whether the transmitter keeps refused messages.
    fn keeps(&self) -> bool {
        !self.back_pressure.is_empty()
    }

    /// Notes whether the first message is owed to some targets.
    fn hold(&mut self, holds: bool) {
        self.holds = holds;
        for term in &self.back_pressure {
            term.hold(holds);
        }
        for target in self.targets.iter_mut().filter(|_| !holds) {
            target.owed = false;
        }
    }

    /// No longer waits for room for what it holds.
    pub fn give_up(&mut self) {
        self.hold(false);
    }

    /// The receivers the first message is owed to, as files write them.
    pub fn owed_to(&self) -> Vec<&str> {
        let owed = self.targets.iter().filter(|target| self.holds && target.owed);
        owed.map(|target| &*target.to).collect()
    }

    /// Continues with the held message of another outbox of the same transmitter.
    pub fn continue_from(&mut self, before: &Self) {
        self.holds = before.holds;
        for target in &mut self.targets {
            let cid = target.queue.component().cid();
            let known = before.targets.iter().find(|known| known.queue.component().cid() == cid);
            target.owed = known.is_some_and(|known| known.owed);
        }
    }

    /// A call of the transmitter failed.
    #[cold]
    pub fn failed(&self, error: gxf::Error) -> Unsent {
        Unsent::Failed(Failure::of(self.transmitter.component(), "sync of the transmitter", error))
    }
}

/// Hands a message to every target; the last one gets it without another reference. Returns the
/// message if it is still owed to some of them.
#[inline(always)]
fn deliver(targets: &mut [Target], message: Message) -> Option<Message> {
    let (last, others) = targets.split_last_mut()?;
    let mut owed = None;
    for target in others {
        if let Some(message) = target.hand(message.clone()) {
            owed = Some(message);
        }
    }
    last.hand(message).or(owed)
}

impl Target {
    /// Sends a message here unless its room is promised to others.
    fn offer(
        &mut self,
        message: Message,
        promises: &mut [Promise],
    ) -> std::result::Result<Delivery, Message> {
        let promise = self.promise.and_then(|place| promises.get_mut(place));
        let is_admitted = promise.is_none_or(Promise::admit);
        let offered = match &self.queue {
            ReceiverPort::Own(queue) if !is_admitted => {
                let pushed = queue.buffer.push_without_room(message);
                self.pushed(pushed)
            }
            ReceiverPort::Other(_) if !is_admitted && self.faults => Err(message),
            _ => self.deliver(message),
        };
        self.owed = offered.is_err();
        offered
    }

    /// Sends a message here; returns the message if it is still owed.
    #[inline(always)]
    fn hand(&mut self, message: Message) -> Option<Message> {
        let message = match &self.queue {
            ReceiverPort::Own(queue) => queue.buffer.push_into_room(message)?,
            ReceiverPort::Other(_) => message,
        };
        cold_path();
        self.deliver(message).err()
    }

    #[inline(never)]
    fn deliver(&mut self, message: Message) -> std::result::Result<Delivery, Message> {
        match &self.queue {
            ReceiverPort::Own(queue) => match queue.buffer.try_push(message, self.careful) {
                Pushed::Kept => Ok(Delivery::Kept),
                pushed => self.pushed(pushed),
            },
            ReceiverPort::Other(_) => self.deliver_abroad(message),
        }
    }

    #[inline(never)]
    fn deliver_abroad(&mut self, message: Message) -> std::result::Result<Delivery, Message> {
        if let Some(link) = &self.link {
            return match link.send(message) {
                None => Ok(Delivery::Kept),
                Some(message) => {
                    self.owed = true;
                    Err(message)
                }
            };
        }
        let ReceiverPort::Other(queue) = &self.queue else { return Err(message) };
        if !self.careful {
            let pushed = queue.call_unless_left("push", |queue| queue.push(message));
            return Ok(match pushed {
                Ok(()) => Delivery::Kept,
                Err(error) => self.lose(&error),
            });
        }
        let pushed = queue.call_unless_left("push", |queue| {
            let held = || queue.message_count() + queue.back_count();
            if self.faults && held() >= queue.capacity() {
                return Err(ResultCode::EXCEEDING_PREALLOCATED_SIZE.into());
            }
            queue.push(message.clone())
        });
        match pushed {
            Ok(()) => Ok(Delivery::Kept),
            Err(error) if error.code() == ResultCode::EXCEEDING_PREALLOCATED_SIZE => {
                self.owed = true;
                Err(message)
            }
            Err(error) => Ok(self.lose(&error)),
        }
    }

    /// A refused message is kept, or lost, as in GXF, but not silently.
    #[cold]
    fn pushed(&mut self, pushed: Pushed) -> std::result::Result<Delivery, Message> {
        match pushed {
            Pushed::Kept => Ok(Delivery::Kept),
            Pushed::Displaced => Ok(Delivery::Displaced),
            Pushed::Rejected => Ok(Delivery::Lost),
            Pushed::Refused(message) if self.careful => {
                self.owed = true;
                Err(message)
            }
            Pushed::Refused(_) => {
                let error = self.queue.buffer().map(DoubleBuffer::lose);
                Ok(error.map_or(Delivery::Lost, |error| self.lose(&error)))
            }
        }
    }

    #[cold]
    fn lose(&mut self, error: &gxf::Error) -> Delivery {
        self.lost += 1;
        if self.lost == 1 {
            tracing::warn!(
                "a message from transmitter `{}` to receiver `{}` is lost: {error}. Further losses \
                 on this connection are counted, not logged",
                self.from,
                self.to,
            );
        }
        Delivery::Lost
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if self.lost > 1 {
            tracing::warn!(
                "receiver `{}` refused {} messages of `{}` in all",
                self.to,
                self.lost,
                self.from
            );
        }
    }
}
