//! `DoubleBufferReceiver` and `DoubleBufferTransmitter`: bounded queues with two stages.
//!
//! Messages enter the back stage. `sync`, once before (receiver) or after (transmitter) a tick,
//! moves them to the main stage, where they are taken. So a codelet sees the same messages
//! throughout a tick. Both kinds are a [`Stages`], with a capacity and a policy.

#![expect(unsafe_code, reason = "a queue says whose it is, with a pointer to the graph")]

use crate::standard::outgoing;
use gxf::implement;
use gxf::prelude::*;
use gxf_plugin::message::pool::fetch_ahead;
use gxf_sync::stages::{Advanced, Both, Counts, Stages};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// What happens to a message without room (GXF's numbers).
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Policy {
    /// Drops the oldest message.
    Pop = 0,
    /// Drops the new message silently.
    Reject = 1,
    /// Reports an error.
    Fault = 2,
}

impl Policy {
    /// The policy with this number.
    fn of(number: u64) -> Option<Self> {
        [Self::Pop, Self::Reject, Self::Fault].into_iter().find(|it| *it as u64 == number)
    }
}

/// The result of a [`DoubleBuffer::sync`].
#[derive(Clone, Copy)]
pub struct Synced {
    /// Messages in the main stage.
    pub main: usize,
    /// Whether the policy dropped messages.
    pub dropped: bool,
}

/// The result of a push.
pub enum Pushed {
    /// The queue accepted it.
    Kept,
    /// Kept; the oldest message is lost.
    Displaced,
    /// Lost, as the policy says.
    Rejected,
    /// Policy 2: the sender keeps it, or loses it, which is an error.
    Refused(Message),
}

/// Two stages, and what happens when they are full.
pub struct DoubleBuffer {
    stages: Stages<Message>,
    /// Messages each of the two stages holds; changed only by who holds both sides of the queue.
    capacity: AtomicUsize,
    /// A [`Policy`], changed in the same way.
    policy: AtomicU8,
    /// For reports, from the first use on.
    reported: OnceLock<Arc<Reported>>,
    /// Whose queue it is, known from the first activation on.
    identity: OnceLock<Identity>,
}

/// What later reports say about a queue; they may outlive it.
#[derive(Default)]
pub struct Reported {
    lost: AtomicU64,
    /// The room that a run gave the queue; 0 if that was its capacity.
    room: AtomicUsize,
    /// What brings messages from other threads, as long as it is there.
    registers: Mutex<Vec<Weak<dyn Outstanding>>>,
}

/// Brings messages to a queue.
pub trait Outstanding: Send + Sync {
    /// Messages in the queue and on their way, which the sender may not send anew.
    fn out(&self) -> usize;
}

impl Reported {
    /// Number of messages lost because the queue was full.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// How many messages each stage of a queue of this capacity held in its latest run.
    pub fn room(&self, capacity: usize) -> usize {
        match self.room.load(Ordering::Relaxed) {
            0 => capacity,
            room => room,
        }
    }
}

/// The component that a queue belongs to.
#[derive(Clone, Copy)]
struct Identity {
    context: ComponentContext,
    /// One word: a graph has many queues.
    type_name: &'static &'static str,
}

// SAFETY: the environment behind the context lies in the memory of the component, which its queue
// does not outlive, and host functions may be called from any thread.
unsafe impl Send for Identity {}
// SAFETY: as above.
unsafe impl Sync for Identity {}

impl Default for DoubleBuffer {
    fn default() -> Self {
        Self {
            stages: Stages::default(),
            capacity: AtomicUsize::new(0),
            policy: AtomicU8::new(Policy::Fault as u8),
            reported: OnceLock::new(),
            identity: OnceLock::new(),
        }
    }
}

/// The largest capacity. Sums of it and of a number of messages do not overflow.
pub const UNLIMITED: usize = usize::MAX / 2;

/// Queues up to this size allocate immediately, larger ones as needed.
const RESERVED: usize = 1024;

impl DoubleBuffer {
    /// Messages each of the two stages holds.
    #[inline(always)]
    fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    fn policy(&self) -> Policy {
        Policy::of(self.policy.load(Ordering::Relaxed).into()).unwrap_or(Policy::Fault)
    }

    fn configure(&self, capacity: u64, policy: u64) -> Result<()> {
        if capacity == 0 {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                "`capacity` must be at least 1",
            ));
        }
        let Some(policy) = Policy::of(policy) else {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("`policy` must be 0 (pop), 1 (reject) or 2 (fault), not {policy}"),
            ));
        };
        let mut stages = self.stages.lock();
        let capacity = usize::try_from(capacity).map_or(UNLIMITED, |it| it.min(UNLIMITED));
        self.policy.store(policy as u8, Ordering::Relaxed);
        self.capacity.store(capacity, Ordering::Relaxed);
        reserve(&mut stages, capacity);
        if let Some(reported) = self.reported.get() {
            reported.room.store(0, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Changes the number of messages that each stage holds in a run; returns the previous one.
    pub fn set_room(&self, room: usize) -> usize {
        self.reported().room.store(room, Ordering::Relaxed);
        self.change_room(room)
    }

    /// After a run: the same, back to what it was before. Reports still say what the run had.
    pub fn change_room(&self, room: usize) -> usize {
        let mut stages = self.stages.lock();
        let room = room.min(UNLIMITED);
        let before = self.capacity.swap(room, Ordering::Relaxed);
        reserve(&mut stages, room);
        before
    }

    fn clear(&self) {
        let lost = self.stages.lock().clear();
        drop(lost);
    }

    /// Adds a message to the back stage. With policy 2 a `careful` sender, which keeps what is
    /// refused, never fills both stages together beyond the capacity of one: the next sync would
    /// fail.
    #[inline(always)]
    pub fn try_push(&self, message: Message, careful: bool) -> Pushed {
        let refused = self.push_into_room(message);
        refused.map_or(Pushed::Kept, |message| self.push_too_many(message, careful))
    }

    /// Adds a message to the back stage, or returns it if both stages together are at the capacity:
    /// [`Self::try_push`] then follows the policy.
    #[inline(always)]
    pub fn push_into_room(&self, message: Message) -> Option<Message> {
        self.stages.push(message)
    }

    #[cold]
    fn push_too_many(&self, message: Message, careful: bool) -> Pushed {
        let mut stages = self.stages.lock();
        let length = stages.total();
        stages.reserve(length + 1);
        stages.set_room(self.capacity());
        // Another thread may have made room in the meantime.
        let Some(message) = stages.push(message) else { return Pushed::Kept };
        let policy = self.policy();
        if policy == Policy::Fault && careful {
            return Pushed::Refused(message);
        }
        if self.back_count() < self.capacity() {
            return stages.push_back(message).map_or(Pushed::Kept, Pushed::Refused);
        }
        let lost = match policy {
            Policy::Pop => {
                let oldest = stages.take_oldest_behind();
                // There is a slot: the oldest had one.
                stages.push_back(message).or(oldest)
            }
            Policy::Reject => Some(message),
            Policy::Fault => return Pushed::Refused(message),
        };
        drop(stages);
        // Outside the lock, because dropping a message may call into an extension.
        drop(lost);
        self.count_lost(1);
        if policy == Policy::Pop { Pushed::Displaced } else { Pushed::Rejected }
    }

    /// Treats a message as if the queue were full, because its room is reserved for others.
    #[cold]
    pub fn push_without_room(&self, message: Message) -> Pushed {
        match self.policy() {
            Policy::Fault => return Pushed::Refused(message),
            // Only the newest counts.
            Policy::Pop => return self.try_push(message, false),
            Policy::Reject => {}
        }
        drop(message);
        self.count_lost(1);
        Pushed::Rejected
    }

    /// Puts back a message that [`Self::take`] took.
    #[cold]
    pub fn put_back(&self, message: Message) {
        // There is a slot: the message had one.
        let refused = self.stages.lock().push_front(message);
        drop(refused);
    }

    /// Replaces every message; their order and stages stay.
    ///
    /// # Errors
    /// The first of `replace`; then all messages are lost.
    #[cold]
    pub fn replace_each<E>(
        &self,
        replace: impl FnMut(Message) -> std::result::Result<Message, E>,
    ) -> std::result::Result<(), E> {
        let mut stages = self.stages.lock();
        let main = self.main_count();
        let messages = stages.split_off(0);
        drop(stages);
        // Outside the lock, because replacing a message may drop one.
        let replaced: Vec<Message> =
            messages.into_iter().map(replace).collect::<std::result::Result<_, E>>()?;
        self.stages.lock().restore(replaced, main);
        Ok(())
    }

    #[inline(always)]
    fn push(&self, message: Message) -> Result<()> {
        match self.try_push(message, false) {
            Pushed::Refused(_) => Err(self.lose()),
            _ => Ok(()),
        }
    }

    /// What reports say about the queue.
    pub fn reported(&self) -> &Arc<Reported> {
        self.reported.get_or_init(Arc::default)
    }

    /// Number of messages that were lost because the queue was full.
    pub fn lost(&self) -> u64 {
        self.reported.get().map_or(0, |reported| reported.lost())
    }

    #[cold]
    fn count_lost(&self, messages: u64) {
        self.reported().lost.fetch_add(messages, Ordering::Relaxed);
    }

    /// Counts a message that was refused and is lost; returns the reason.
    #[cold]
    pub fn lose(&self) -> Error {
        self.count_lost(1);
        self.full(self.capacity())
    }

    #[inline(always)]
    fn pop(&self) -> Option<Message> {
        self.stages.pop(|next| fetch_ahead(next.as_raw()))
    }

    /// Takes the next message to send, from either stage; whether there are more.
    #[inline(always)]
    pub fn take(&self) -> Option<(Message, bool)> {
        self.stages.take()
    }

    /// Number of messages in both stages, at one moment.
    #[inline]
    pub fn counts(&self) -> Counts {
        self.stages.counts()
    }

    /// The same for who executes the receiver's entity.
    #[inline(always)]
    pub fn counts_of_receiver(&self) -> Counts {
        self.stages.counts_of_receiver()
    }

    /// The same, but without a look at the back stage if the main stage has this many
    /// messages: then none is counted there. For others, messages that are taken meanwhile may count.
    #[inline(always)]
    pub fn counts_up_to(&self, enough: u64) -> Counts {
        self.stages.counts_up_to(enough)
    }

    /// For reports: from now on, this brings messages to the queue, too.
    pub fn brought_by(&self, register: Weak<dyn Outstanding>) {
        let mut registers = self.reported().registers.lock();
        registers.retain(|known| known.strong_count() > 0);
        registers.push(register);
    }

    /// For reports: messages that take room here, those on their way from other threads included.
    pub fn taken(&self) -> usize {
        let registers = self.reported.get().map(|reported| reported.registers.lock());
        let registers = registers.iter().flat_map(|registers| registers.iter());
        let out = registers.filter_map(Weak::upgrade).map(|register| register.out());
        // What a sender on the same thread has put in is in no register.
        self.total().max(out.sum())
    }

    /// Number of messages in both stages together, at one moment.
    #[inline(always)]
    pub fn total(&self) -> usize {
        self.stages.total()
    }

    /// The same for who sends: with what the receiver takes meanwhile.
    #[inline(always)]
    pub fn total_of_sender(&self) -> usize {
        self.stages.total_of_sender()
    }

    /// Whether there is no message in either stage.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// No fewer than there are messages in both stages; costs a sender less than [`Self::counts`].
    #[inline(always)]
    pub fn at_most(&self) -> usize {
        self.stages.at_most()
    }

    /// Messages in the main stage.
    #[inline]
    pub fn main_count(&self) -> usize {
        self.stages.main_count()
    }

    /// Messages in the back stage.
    #[inline]
    pub fn back_count(&self) -> usize {
        self.stages.back_count()
    }

    /// Moves the back stage to the main stage if it fits there; the number of messages there then.
    #[inline(always)]
    pub fn sync_what_fits(&self) -> Option<usize> {
        self.stages.advance(self.capacity())
    }

    /// The same if the number of messages in the two stages allows it; see [`Stages::advance_if`].
    #[inline(always)]
    pub fn sync_if(&self, allow: impl FnOnce(Counts) -> bool) -> Advanced {
        self.stages.advance_if(self.capacity(), allow)
    }

    /// Moves the back stage to the main stage.
    pub fn sync(&self) -> Result<Synced> {
        match self.sync_what_fits() {
            Some(main) => Ok(Synced { main, dropped: false }),
            None => self.sync_too_many(),
        }
    }

    /// The back stage does not fit behind the main stage.
    #[cold]
    fn sync_too_many(&self) -> Result<Synced> {
        let mut stages = self.stages.lock();
        let capacity = self.capacity();
        let excess = stages.total().saturating_sub(capacity);
        // Another thread may have made room in the meantime.
        let lost = match self.policy() {
            _ if excess == 0 => Vec::new(),
            Policy::Pop => stages.take_front(excess),
            Policy::Reject => stages.split_off(capacity),
            Policy::Fault => {
                drop(stages);
                return Err(self.full(capacity));
            }
        };
        stages.advance();
        let synced = Synced { main: stages.total(), dropped: !lost.is_empty() };
        drop(stages);
        if synced.dropped {
            self.count_lost(lost.len() as u64);
        }
        drop(lost);
        Ok(synced)
    }

    /// A message in one of the stages, which stays there.
    pub fn peek(&self, index: i32, back: bool) -> Result<Message> {
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        self.stages.peek(index, back).ok_or_else(|| ResultCode::QUERY_NOT_FOUND.into())
    }

    /// The error for a message refused by a queue of this capacity. Not under its lock: it asks the
    /// graph for names.
    #[cold]
    fn full(&self, capacity: usize) -> Error {
        let queue = self
            .identity
            .get()
            .map_or(String::new(), |identity| format!(" `{}`", identity.context.place()));
        let sends = |identity: &Identity| *identity.type_name == TRANSMITTER;
        // What one tick publishes, no term divides.
        let (or, slower) = match self.identity.get().is_some_and(sends) {
            true => ("or ", ""),
            false => ("", ", or slow the sender down with a DownstreamReceptiveSchedulingTerm"),
        };
        Error::new(
            ResultCode::EXCEEDING_PREALLOCATED_SIZE,
            format!(
                "the queue{queue} is full (capacity {capacity}, policy 2 \"fault\"); enlarge \
                 `capacity`, {or}choose policy 0 (drop the oldest) or 1 (drop the newest){slower}"
            ),
        )
    }
}

/// The type of queue that a tick publishes to.
const TRANSMITTER: &str = stringify!(DoubleBufferTransmitter);

/// Makes room for what a queue of this capacity gets at once.
fn reserve(stages: &mut Both<'_, Message>, capacity: usize) {
    stages.reserve(capacity.saturating_mul(2).min(RESERVED));
    stages.set_room(capacity);
}

#[cold]
fn empty() -> Error {
    Error::new(ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE, "no message is available")
}

macro_rules! double_buffer_queue {
    ($type:ty) => {
        impl AsRef<DoubleBuffer> for $type {
            #[inline(always)]
            fn as_ref(&self) -> &DoubleBuffer {
                &self.buffer
            }
        }

        impl Lifecycle for $type {
            fn initialize(&self, context: &ComponentContext) -> Result<()> {
                let identity = Identity { context: *context, type_name: &stringify!($type) };
                let _ = self.buffer.identity.set(identity);
                self.buffer.configure(*self.capacity, *self.policy)
            }

            fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
                self.buffer.clear();
                Ok(())
            }
        }

        impl implement::Queue for $type {
            fn push(&self, message: Message) -> Result<()> {
                self.put(message)
            }

            fn pop(&self) -> Result<Message> {
                self.queue().pop().ok_or_else(empty)
            }

            fn peek(&self, index: i32) -> Result<Message> {
                self.queue().peek(index, false)
            }

            fn capacity(&self) -> usize {
                usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX)
            }

            fn message_count(&self) -> usize {
                self.queue().main_count()
            }

            fn back_count(&self) -> usize {
                self.queue().back_count()
            }

            fn sync(&self) -> Result<()> {
                self.queue().sync().map(drop)
            }
        }
    };
}

/// Receives messages into a bounded queue with two stages: the codelet sees a message that arrives
/// during a tick at the next one.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct DoubleBufferReceiver {
    /// Messages each of the two stages holds.
    #[parameter(headline = "Capacity", default = 1, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to a message that does not fit: 0 the oldest is dropped, 1 the newest is
    /// dropped, 2 an error.
    #[parameter(headline = "Policy", default = 2, minimum = 0, maximum = 2)]
    policy: Parameter<u64>,
    /// The queue itself.
    pub buffer: DoubleBuffer,
}

double_buffer_queue!(DoubleBufferReceiver);

impl DoubleBufferReceiver {
    /// Capacity of each stage, in messages, as from the latest initialisation on.
    #[inline]
    pub fn room(&self) -> usize {
        self.buffer.capacity()
    }

    /// Whether a tick that found so many messages has made room for who waits for so much.
    #[inline(always)]
    pub fn made_room(&self, before: usize, wanted: usize) -> bool {
        let held = self.buffer.counts_of_receiver();
        held.main < before && before + held.back + wanted > self.room()
    }

    #[inline(always)]
    fn put(&self, message: Message) -> Result<()> {
        self.buffer.push(message)
    }

    #[inline(always)]
    fn queue(&self) -> &DoubleBuffer {
        &self.buffer
    }
}

impl implement::Receiver for DoubleBufferReceiver {
    fn receive(&self) -> Result<Message> {
        self.buffer.pop().ok_or_else(empty)
    }

    fn peek_back(&self, index: i32) -> Result<Message> {
        self.buffer.peek(index, true)
    }
}

/// Sends messages from a bounded queue with two stages: messages that a tick publishes are sent
/// after the tick succeeds.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct DoubleBufferTransmitter {
    /// Messages each of the two stages holds.
    #[parameter(headline = "Capacity", default = 1, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to a message that does not fit: 0 the oldest is dropped, 1 the newest is
    /// dropped, 2 an error.
    #[parameter(headline = "Policy", default = 2, minimum = 0, maximum = 2)]
    policy: Parameter<u64>,
    /// The queue itself.
    pub buffer: DoubleBuffer,
}

double_buffer_queue!(DoubleBufferTransmitter);

impl DoubleBufferTransmitter {
    /// Identifies it, see [`outgoing`].
    pub fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    #[inline(always)]
    fn put(&self, message: Message) -> Result<()> {
        match outgoing::keep(self.address(), message, || self.buffer.is_empty()) {
            None => Ok(()),
            Some(message) => self.put_behind(message),
        }
    }

    /// Separate, so that the usual path saves no registers.
    #[inline(never)]
    fn put_behind(&self, message: Message) -> Result<()> {
        self.queue().push(message)
    }

    /// The queue with all that was published.
    #[inline]
    fn queue(&self) -> &DoubleBuffer {
        if let Some(first) = outgoing::take_back(self.address()) {
            // Only another thread can have filled the queue since. Then the message counts as lost.
            let _ = self.buffer.push(first);
        }
        &self.buffer
    }
}

impl implement::Transmitter for DoubleBufferTransmitter {
    fn publish_as_is(&self, message: Message) -> Result<()> {
        self.put(message)
    }
}
