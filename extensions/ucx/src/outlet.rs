//! The sending end of a link: what `UcxTransmitter` shares with the network.

use crate::entity_serializer::MessageSerializer;
use crate::inlet::{Inlet, LocalSource, Passed};
use crate::owner::{Owner, state_of};
use crate::sent::Sent;
use crate::socket::Writer;
use crate::writes::{PostponedWrites, Writes};
use gxf::{
    AudioBuffer, Error, LinkCounts, LinkState, LinkStatistics, Message, Result, ResultCode,
    StorageType, Tensor, VideoBuffer,
};
use gxf_device::{may_be_worked_on, wait_for_data};
use gxf_link_format::{FRAME_SIZE, Frame, Kind};
use gxf_link_state::{Burst, LinkPhase, Room};
use parking_lot::{Condvar, Mutex, MutexGuard};
use smallvec::smallvec;
use std::collections::VecDeque;
use std::io::{ErrorKind, IoSlice};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// So many messages, or so many bytes, are written without waiting for more.
const TOGETHER: usize = 96;
const TOGETHER_BYTES: usize = 64 << 10;

/// The sending end of a link.
pub struct Outlet {
    pub owner: Owner,
    /// Identifies this run of the transmitter.
    pub run: u64,
    capacity: usize,
    policy: u64,
    serializer: MessageSerializer,
    /// Whether messages must not have device memory.
    cpu_data_only: bool,
    /// Size that the buffer of a message begins with.
    buffer_size: usize,
    sending: Mutex<Sending>,
    /// Signalled when the link has ended, or came closer to it.
    progress: Condvar,
    phase: LinkPhase,
    /// Messages that may be sent now.
    room: Room,
    round_trip: AtomicU64,
    /// The receiver's room of which the entity has been notified; for a receiver of this process,
    /// how often it made some.
    noted: AtomicU64,
    writes: Arc<PostponedWrites>,
    network: Weak<dyn OutletNetwork>,
    /// The outlet itself.
    this: Weak<Self>,
}

#[derive(Default)]
struct Sending {
    carrier: Carrier,
    /// Messages for which there is no credit.
    waiting: VecDeque<Message>,
    /// Messages that the receiver has not acknowledged.
    sent: Sent,
    /// Number of messages that the receiver has, and that it may get in all.
    acknowledged: u64,
    granted: u64,
    /// The most messages that it allowed at once.
    window: u64,
    /// Small frames to send before the next message.
    small: Vec<u8>,
    is_finishing: bool,
    /// Whether nobody looks for the receiver any more.
    is_given_up: bool,
    /// When the receiver last took something, or the entity finished.
    latest_progress: Option<Instant>,
    /// Bytes of bodies that the receiver had read by its latest sign of life.
    read: u64,
    has_sent_end: bool,
    burst: Burst,
    /// Whether what is not written is written a moment later.
    is_postponed: bool,
    /// When the first of what is not written was postponed.
    postponed_at: Option<Instant>,
    /// Whether something was postponed since what was overdue was written.
    is_active: bool,
    messages: u64,
    bytes: u64,
    connections: u64,
    dropped: u64,
    peer: String,
}

impl Sending {
    /// Number of the next message.
    fn sequence(&self) -> u64 {
        self.acknowledged + self.sent.len() as u64
    }

    /// Whether the receiver allows another message.
    fn has_credit(&self) -> bool {
        self.sequence() < self.granted
    }
}

/// How messages leave.
#[derive(Default)]
enum Carrier {
    #[default]
    None,
    /// To a receiver of this process.
    Local(Arc<Inlet>),
    /// Over a connection.
    Remote(Arc<Writer>),
}

/// Numbers of messages that the receiver has not acknowledged.
#[derive(Clone, Copy)]
pub struct Undelivered {
    unsent: usize,
    /// They left this process, and may have arrived.
    unknown: usize,
}

impl Undelivered {
    fn count(self) -> usize {
        self.unsent + self.unknown
    }

    /// What is known of them, if there are any. `name` is their transmitter.
    pub fn described(self, name: &str, peer: &str) -> Option<String> {
        let Self { unsent, unknown } = self;
        Some(match (unsent, unknown) {
            (0, 0) => return None,
            (_, 0) => format!("{unsent} messages of `{name}` were not sent to {peer}"),
            (0, _) => format!(
                "it is not known whether {unknown} messages of `{name}` have arrived at {peer}"
            ),
            _ => format!(
                "{unsent} messages of `{name}` were not sent to {peer}, and it is not known whether \
                 {unknown} earlier ones have arrived"
            ),
        })
    }
}

/// When a message is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    Now,
    /// Now, or together with those that are likely to follow at once.
    WithOthers,
    /// Now, but what is postponed stays so unless more is sent, or nothing follows.
    IfNotPostponed,
}

/// The network of a context, for outlets with receivers of this process.
pub trait OutletNetwork: Send + Sync {
    /// An outlet has no receiver any more.
    fn receiver_gone(&self, outlet: Arc<Outlet>);
}

/// What a transmitter is made of.
pub struct OutletOptions {
    pub owner: Owner,
    pub run: u64,
    pub capacity: usize,
    pub policy: u64,
    pub serializer: MessageSerializer,
    pub cpu_data_only: bool,
    pub buffer_size: usize,
    pub writes: Arc<PostponedWrites>,
    pub network: Weak<dyn OutletNetwork>,
}

impl Outlet {
    pub fn new(options: OutletOptions) -> Arc<Self> {
        let OutletOptions {
            owner,
            run,
            capacity,
            policy,
            serializer,
            cpu_data_only,
            buffer_size,
            writes,
            network,
        } = options;
        Arc::new_cyclic(|this| Self {
            owner,
            run,
            capacity,
            policy,
            serializer,
            cpu_data_only,
            buffer_size,
            sending: Mutex::default(),
            progress: Condvar::new(),
            phase: LinkPhase::default(),
            room: Room::default(),
            round_trip: AtomicU64::new(0),
            noted: AtomicU64::new(0),
            writes,
            network,
            this: this.clone(),
        })
    }

    // --- for the transmitter ---

    pub fn state(&self) -> LinkState {
        state_of(self.phase.get())
    }

    pub fn room(&self) -> u64 {
        self.room.ask()
    }

    /// Sends a message, or keeps it until there is a credit.
    pub fn send(&self, message: Message) -> Result<()> {
        if self.cpu_data_only {
            self.require_host(&message)?;
        }
        let mut sending = self.sending.lock();
        if matches!(sending.carrier, Carrier::Remote(_))
            && sending.waiting.is_empty()
            && self.sends_small(&mut sending, &message)?
        {
            // The usual case.
            return self.pump(sending, When::WithOthers);
        }
        if !matches!(sending.carrier, Carrier::Local(_)) && may_be_worked_on(&message) {
            drop(sending);
            // The receiver's process knows nothing of this one's streams. Here, in the sender's tick,
            // the wait is nobody else's.
            wait_for_data(&self.owner.context, &message)?;
            sending = self.sending.lock();
        }
        if self.state() == LinkState::ENDED {
            sending.dropped += 1;
            return Ok(());
        }
        if sending.waiting.is_empty() {
            sending.waiting.push_back(message);
            return self.pump(sending, When::WithOthers);
        }
        if sending.waiting.len() >= self.capacity {
            match self.policy {
                0 => {
                    let oldest = sending.waiting.pop_front();
                    sending.waiting.push_back(message);
                    sending.dropped += 1;
                    drop(oldest);
                }
                1 => sending.dropped += 1,
                _ => return Err(self.full(&sending)),
            }
            return Ok(());
        }
        sending.waiting.push_back(message);
        Ok(())
    }

    fn require_host(&self, message: &Message) -> Result<()> {
        let tensors = message.find_all::<Tensor>().map(Tensor::storage_type);
        let frames = message.find_all::<VideoBuffer>().map(VideoBuffer::storage_type);
        let sounds = message.find_all::<AudioBuffer>().map(AudioBuffer::storage_type);
        let is_on_device = |storage| storage == StorageType::DEVICE;
        if !tensors.chain(frames).chain(sounds).any(is_on_device) {
            return Ok(());
        }
        let (name, peer) = (&self.owner.name, self.peer());
        let text = format!(
            "`{name}` does not send data in device memory to {peer}, because `cpu_data_only` is \
             true; copy it to the host with a TensorCopier, or set `cpu_data_only: false`"
        );
        Err(Error::new(ResultCode::MEMORY_INVALID_STORAGE_MODE, text))
    }

    #[cold]
    fn full(&self, sending: &Sending) -> Error {
        let (name, capacity, peer) = (&self.owner.name, self.capacity, &sending.peer);
        let reason = match (&sending.carrier, sending.connections) {
            (Carrier::None, 0) => format!("there is no connection to {peer}"),
            (Carrier::None, _) => {
                format!("the connection to {peer} is lost, and has not come back")
            }
            _ => format!("{peer} has no room"),
        };
        Error::new(
            ResultCode::EXCEEDING_PREALLOCATED_SIZE,
            format!(
                "the queue `{name}` is full (capacity {capacity}, policy 2 \"fault\"), because \
                 {reason}; enlarge `capacity`, choose policy 0 (drop the oldest) or 1 \
                 (drop the newest), or slow the sender down with a \
                 DownstreamReceptiveSchedulingTerm"
            ),
        )
    }

    /// The entity publishes no more: ends the link once everything is sent.
    pub fn finish(&self) -> Result<()> {
        let mut sending = self.sending.lock();
        sending.is_finishing = true;
        sending.latest_progress = Some(Instant::now());
        self.pump(sending, When::Now)
    }

    /// Waits until everything is sent and the other end knows that nothing follows, but no longer
    /// than `patience` without any progress, and not if the entity did not end regularly. The links of
    /// a graph finish together and are waited for one after the other, so that their times pass at
    /// once.
    pub fn wait_until_done(&self, patience: Duration) {
        let mut has_said = false;
        let mut sending = self.sending.lock();
        while sending.is_finishing && !sending.is_given_up && self.state() != LinkState::ENDED {
            let now = Instant::now();
            let until = sending.latest_progress.unwrap_or(now) + patience;
            if until <= now {
                return;
            }
            if !std::mem::replace(&mut has_said, true) {
                let (name, peer) = (&self.owner.name, sending.peer.clone());
                let is_connected = !matches!(sending.carrier, Carrier::None);
                MutexGuard::unlocked(&mut sending, || match is_connected {
                    true => gxf::debug!("`{name}` waits until {peer} has everything"),
                    false => {
                        let seconds = patience.as_secs_f32();
                        gxf::warning!("`{name}` is not connected to {peer}; it waits {seconds} s");
                    }
                });
                continue;
            }
            _ = self.progress.wait_until(&mut sending, until);
        }
    }

    /// Drops what was not delivered, as far as is known.
    pub fn abandon(&self) -> Undelivered {
        let mut sending = self.sending.lock();
        let was_open = self.phase.close();
        let carrier = std::mem::take(&mut sending.carrier);
        // Who waits for room waits for ever, and is not told that there is some.
        self.count(&sending);
        self.progress.notify_all();
        let lost = Undelivered {
            unsent: sending.waiting.len() + sending.sent.unwritten(),
            unknown: sending.sent.written(),
        };
        sending.dropped += lost.count() as u64;
        let dropped = (std::mem::take(&mut sending.waiting), std::mem::take(&mut sending.sent));
        drop(sending);
        drop(dropped);
        match carrier {
            Carrier::None => {}
            Carrier::Remote(writer) => writer.close(),
            Carrier::Local(inlet) => {
                if was_open {
                    inlet.detach_local(self.run);
                }
                self.tell_network();
            }
        }
        lost
    }

    pub fn statistics(&self) -> LinkStatistics {
        let sending = self.sending.lock();
        LinkStatistics {
            messages: sending.messages,
            bytes: sending.bytes,
            queued: (sending.waiting.len() + sending.sent.len()) as u64,
            credits: self.credits(&sending),
            round_trip: self.round_trip.load(Ordering::Relaxed),
            reconnects: sending.connections.saturating_sub(1),
            dropped: sending.dropped,
        }
    }

    /// What was sent, and of what room the entity knows.
    pub fn counts(&self) -> LinkCounts {
        let sending = self.sending.lock();
        let room = self.noted.load(Ordering::Acquire);
        LinkCounts { run: self.run, messages: sending.messages, room }
    }

    /// The other end, for people.
    pub fn peer(&self) -> String {
        self.sending.lock().peer.clone()
    }

    pub fn set_peer(&self, peer: String) {
        self.sending.lock().peer = peer;
    }

    // --- for the network ---

    /// The receiver is in this process.
    pub fn attach_local(&self, inlet: &Arc<Inlet>) {
        let mut sending = self.sending.lock();
        sending.carrier = Carrier::Local(inlet.clone());
        sending.peer = format!("`{}` in this process", inlet.owner.name);
        self.attached(sending);
    }

    /// The network hears that there is no receiver of this process any more.
    fn tell_network(&self) {
        if let (Some(network), Some(this)) = (self.network.upgrade(), self.this.upgrade()) {
            network.receiver_gone(this);
        }
    }

    /// The first message that may come again after a new connection.
    pub fn next(&self) -> u64 {
        self.sending.lock().acknowledged
    }

    /// The receiver has greeted: it has so many messages, and may get so many.
    pub fn attach(
        &self,
        writer: &Arc<Writer>,
        has: u64,
        granted: u64,
        peer: String,
    ) -> std::result::Result<(), String> {
        let mut sending = self.sending.lock();
        acknowledge(&mut sending, has)?;
        sending.granted = granted;
        sending.window = granted.saturating_sub(has);
        sending.peer = peer;
        // What the receiver does not have goes again.
        sending.sent.rewind();
        sending.small.clear();
        sending.has_sent_end = false;
        sending.carrier = Carrier::Remote(writer.clone());
        self.attached(sending);
        self.noted.store(granted, Ordering::Release);
        Ok(())
    }

    fn attached(&self, mut sending: MutexGuard<'_, Sending>) {
        sending.connections += 1;
        sending.latest_progress = Some(Instant::now());
        self.phase.connect();
        self.pump_or_fail(sending, When::Now);
        self.owner.notify();
    }

    /// The connection is gone; another one may follow. Returns whether this one was in use.
    pub fn detach(&self, writer: &Arc<Writer>) -> bool {
        let mut sending = self.sending.lock();
        let is_this =
            matches!(&sending.carrier, Carrier::Remote(used) if Arc::ptr_eq(used, writer));
        if is_this {
            sending.carrier = Carrier::None;
            self.phase.reset();
            self.count(&sending);
        }
        is_this
    }

    /// The receiver has so many messages, and may get so many. `Err` if that cannot be.
    pub fn credit(&self, has: u64, granted: u64) -> std::result::Result<(), String> {
        let mut sending = self.sending.lock();
        let most = sending.acknowledged + sending.sent.written() as u64;
        if has > most {
            return Err(format!("the peer says that it has {has} messages of {most}"));
        }
        acknowledge(&mut sending, has)?;
        sending.latest_progress = Some(Instant::now());
        self.progress.notify_all();
        sending.granted = sending.granted.max(granted);
        let granted = sending.granted;
        sending.window = sending.window.max(granted.saturating_sub(has));
        let before = self.room.get();
        self.pump_or_fail(sending, When::IfNotPostponed);
        self.notify_of_room(before);
        self.noted.store(granted, Ordering::Release);
        Ok(())
    }

    /// The receiver has read so many bytes of bodies, perhaps of a message that takes long.
    pub fn has_read(&self, bytes: u64) {
        let mut sending = self.sending.lock();
        if std::mem::replace(&mut sending.read, bytes) != bytes {
            sending.latest_progress = Some(Instant::now());
        }
    }

    /// The connection takes bytes again. Returns whether it took many.
    pub fn flush(&self) -> bool {
        let sending = self.sending.lock();
        let moves_much = sending.sent.is_within_message();
        self.pump_or_fail(sending, When::Now);
        moves_much
    }

    /// Sends a small frame with the next bytes.
    pub fn send_small(&self, frame: &Frame) {
        let mut sending = self.sending.lock();
        add_latest(&mut sending.small, frame);
        self.pump_or_fail(sending, When::Now);
    }

    /// Nobody looks for the receiver any more, so there is nothing to wait for.
    pub fn give_up(&self) {
        self.sending.lock().is_given_up = true;
        self.progress.notify_all();
    }

    /// The other end answered after so many nanoseconds, and its clock is ahead by `offset`.
    pub fn answered(&self, round_trip: u64, offset: i64) {
        self.round_trip.store(round_trip, Ordering::Relaxed);
        let Owner { context, queue: name, .. } = &self.owner;
        gxf::trace::link_clock(context, name, self.run, offset, round_trip / 2);
    }

    fn pump_or_fail(&self, sending: MutexGuard<'_, Sending>, when: When) {
        if let Err(error) = self.pump(sending, when) {
            _ = self.owner.context.fail(&error.context(&self.owner.name));
        }
    }

    /// Sends what may be sent.
    fn pump(&self, mut sending: MutexGuard<'_, Sending>, when: When) -> Result<()> {
        // Taken for the call, which needs the rest of what is sent.
        match std::mem::take(&mut sending.carrier) {
            Carrier::None => {
                self.count(&sending);
                Ok(())
            }
            Carrier::Local(inlet) => {
                sending.carrier = Carrier::Local(inlet.clone());
                self.pump_local(sending, &inlet);
                Ok(())
            }
            Carrier::Remote(writer) => {
                let pumped = self.pump_remote(&mut sending, &writer, when);
                sending.carrier = Carrier::Remote(writer);
                self.count(&sending);
                pumped
            }
        }
    }

    fn pump_local(&self, mut sending: MutexGuard<'_, Sending>, inlet: &Inlet) {
        let mut has_passed = false;
        while let Some(message) = sending.waiting.pop_front() {
            match inlet.pass(message, &self.owner) {
                Passed::Taken => {
                    sending.messages += 1;
                    has_passed = true;
                }
                Passed::Full(message) => {
                    sending.waiting.push_front(message);
                    break;
                }
                Passed::Ended(message) => {
                    drop(message);
                    sending.dropped += 1 + sending.waiting.len() as u64;
                    sending.waiting.clear();
                    _ = self.phase.close();
                }
            }
        }
        let ends = sending.is_finishing && sending.waiting.is_empty() && self.phase.close();
        self.count(&sending);
        // The entity that hears of it soon asks for this lock, to say that it has room again.
        drop(sending);
        if has_passed {
            inlet.announce();
        }
        if ends {
            _ = inlet.ended_by_peer(None);
        }
    }

    fn pump_remote(&self, sending: &mut Sending, writer: &Arc<Writer>, when: When) -> Result<()> {
        let messages = sending.messages;
        while sending.has_credit() {
            let Some(message) = sending.waiting.pop_front() else { break };
            let sequence = sending.sequence();
            let size = sending.sent.push(&self.serializer, message, sequence, self.buffer_size)?;
            self.note_sent(sending, sequence, size);
        }
        if sending.is_finishing && sending.waiting.is_empty() && !sending.has_sent_end {
            // Behind all messages: small frames are only written between two of them.
            if sending.sent.unwritten() == 0 || self.write(sending, writer) {
                let count = sending.sequence();
                sending.small.extend(Frame::small(Kind::End, count, 0).to_bytes());
                sending.has_sent_end = true;
            }
        }
        let waits = match when {
            When::Now => false,
            When::WithOthers => self.postpones(sending),
            When::IfNotPostponed => {
                sending.is_postponed && sending.messages == messages && !sending.is_finishing
            }
        };
        if !waits {
            self.write(sending, writer);
            if when == When::WithOthers {
                sending.burst.written(Instant::now());
            }
        }
        Ok(())
    }

    /// Adds a message of small payloads to those that are sent, if it is one and there is a credit.
    fn sends_small(&self, sending: &mut Sending, message: &Message) -> Result<bool> {
        if !sending.has_credit() {
            return Ok(false);
        }
        let sequence = sending.sequence();
        let Some(size) = sending.sent.push_small(&self.serializer, message, sequence)? else {
            return Ok(false);
        };
        self.note_sent(sending, sequence, size);
        Ok(true)
    }

    /// A message is among those that are sent.
    fn note_sent(&self, sending: &mut Sending, sequence: u64, size: usize) {
        sending.messages += 1;
        sending.bytes += size as u64;
        let Owner { context, queue: name, .. } = &self.owner;
        gxf::trace::link_passed(context, name, self.run, sequence, false);
    }

    /// Whether the write of a message that was just sent waits for those that follow it.
    fn postpones(&self, sending: &mut Sending) -> bool {
        let count = sending.sent.unwritten();
        let has_room = sending.has_credit();
        // The receiver works on one half of what it allows while this end gathers the other.
        let is_much = count >= TOGETHER
            || count as u64 * 2 >= sending.window
            || sending.sent.unwritten_bytes() >= TOGETHER_BYTES;
        let may_wait = has_room && !is_much && !sending.sent.is_within_message();
        let arrivals = self.writes.arrivals();
        // The first of what is not written tells whether it is a burst, so the others need no clock.
        if count > 1 && may_wait && sending.is_postponed && sending.burst.has_heard(arrivals) {
            sending.is_active = true;
            return true;
        }
        let now = Instant::now();
        let is_burst = sending.burst.note(now, arrivals, has_room);
        if !is_burst || !may_wait {
            return false;
        }
        sending.is_active = true;
        if count == 1 {
            sending.postponed_at = Some(now);
        }
        if !sending.is_postponed {
            let this: Weak<dyn Writes> = self.this.clone();
            sending.is_postponed = self.writes.postpone(this);
        }
        sending.is_postponed
    }

    /// Writes what is ready. Returns whether nothing is left; a broken connection is left to the
    /// network thread.
    fn write(&self, sending: &mut Sending, writer: &Writer) -> bool {
        loop {
            let Sending { sent, small, .. } = sending;
            let writes_small = !sent.is_within_message() && !small.is_empty();
            let endpoint = writer.stream().endpoint();
            let large = endpoint.filter(|_| !writes_small).and_then(|_| sent.large_piece());
            let result = if let (Some(endpoint), Some(large)) = (endpoint, large) {
                endpoint.send(large)
            } else {
                let slices = match writes_small {
                    true => smallvec![IoSlice::new(small)],
                    false => sent.slices(endpoint.is_some()),
                };
                if slices.is_empty() {
                    return true;
                }
                writer.write(&slices)
            };
            let taken = match result {
                Ok(0) => {
                    writer.close();
                    return false;
                }
                Ok(taken) => taken,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    if error.kind() != ErrorKind::WouldBlock {
                        writer.close();
                    }
                    return false;
                }
            };
            if writes_small {
                small.drain(..taken);
                continue;
            }
            sent.advance(taken);
        }
    }

    fn credits(&self, sending: &Sending) -> u64 {
        let used = sending.waiting.len() as u64;
        match &sending.carrier {
            Carrier::None => 0,
            Carrier::Local(inlet) => (inlet.room() as u64).saturating_sub(used),
            Carrier::Remote(_) => sending.granted.saturating_sub(sending.sequence() + used),
        }
    }

    /// Has the entity checked if there is more room than before and it asked for that.
    fn notify_of_room(&self, before: u64) {
        if self.room.has_news(before) {
            self.owner.notify();
        }
    }

    fn count(&self, sending: &Sending) {
        self.room.set(self.credits(sending));
    }
}

impl Writes for Outlet {
    fn write_postponed(&self) {
        let sending = self.sending.lock();
        if sending.sent.unwritten() > 0 {
            self.pump_or_fail(sending, When::Now);
        }
    }

    fn write_overdue(&self, longest: Duration) -> bool {
        // Whoever has it sends just now.
        let Some(mut sending) = self.sending.try_lock() else { return false };
        let has_some = sending.sent.unwritten() > 0;
        if has_some && sending.postponed_at.is_some_and(|time| time.elapsed() < longest) {
            return false;
        }
        let goes_on = std::mem::take(&mut sending.is_active);
        sending.is_postponed = goes_on;
        if has_some {
            self.pump_or_fail(sending, When::Now);
        }
        !goes_on
    }
}

impl LocalSource for Outlet {
    fn peer_has_room(&self) {
        let sending = self.sending.lock();
        let before = self.room.get();
        self.pump_or_fail(sending, When::Now);
        self.notify_of_room(before);
        self.noted.fetch_add(1, Ordering::Release);
    }

    fn peer_gone(&self, inlet: &Inlet) {
        let mut sending = self.sending.lock();
        let is_this = matches!(&sending.carrier, Carrier::Local(used) if std::ptr::eq(Arc::as_ptr(used), inlet));
        if !is_this {
            return;
        }
        let gone = std::mem::take(&mut sending.carrier);
        self.phase.reset();
        self.count(&sending);
        drop(sending);
        drop(gone);
        self.tell_network();
    }

    fn peer_ended(&self) {
        let lost = self.abandon().count();
        if lost > 0 {
            let (name, peer) = (&self.owner.name, self.peer());
            gxf::info!("{lost} messages of `{name}` were not needed: {peer} has ended");
        }
        self.owner.notify();
    }
}

/// Adds a small frame to those that are to be sent. One of the same kind that is not written yet is
/// out of date: who sends many heartbeats and reads nothing gets one answer.
fn add_latest(small: &mut Vec<u8>, frame: &Frame) {
    let begun = small.len() % FRAME_SIZE;
    let is_same = |waiting: &&mut [u8; FRAME_SIZE]| {
        Frame::from_bytes(waiting).is_ok_and(|waiting| waiting.kind == frame.kind)
    };
    let (frames, _) = small[begun..].as_chunks_mut();
    match frames.iter_mut().find(is_same) {
        Some(waiting) => *waiting = frame.to_bytes(),
        None => small.extend(frame.to_bytes()),
    }
}

/// Forgets what the receiver has. `Err` if it says that it has more than was sent.
fn acknowledge(sending: &mut Sending, has: u64) -> std::result::Result<(), String> {
    while sending.acknowledged < has {
        if !sending.sent.pop() {
            let sent = sending.acknowledged;
            return Err(format!("the peer says that it has {has} messages of {sent}"));
        }
        sending.acknowledged += 1;
    }
    Ok(())
}
