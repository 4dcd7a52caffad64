//! `DoubleBufferReceiver` and `DoubleBufferTransmitter`: bounded queues with two stages.
//!
//! Messages enter the back stage. `sync`, once before (receiver) or after (transmitter) a tick,
//! moves them to the main stage, where they are taken. So a codelet sees the same messages
//! throughout a tick. Both kinds are one `Stages` behind a lock whose critical sections are a few
//! instructions, and which costs almost nothing as long as one thread uses the queue.

#![expect(
    unsafe_code,
    reason = "what every message passes does not check for re-entry and for room again"
)]

use crate::standard::ring::Ring;
use gxf::implement;
use gxf::prelude::*;
use gxf_sync::biased_lock::BiasedLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What happens to a message without room (GXF's numbers).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// Drops the oldest message.
    Pop = 0,
    /// Drops the new message silently.
    Reject = 1,
    /// Reports an error.
    Fault = 2,
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

/// Both stages in one queue: the first `main` messages are the main stage, the others the back
/// stage, so moving the back stage only changes a number.
struct Stages {
    messages: Ring<Message>,
    /// The capacity, or the size of the ring if that is smaller.
    room: usize,
    policy: Policy,
}

impl Stages {
    /// Makes room for one more message, in a queue of this capacity.
    fn grow(&mut self, capacity: usize) {
        self.messages.reserve(self.messages.len() + 1);
        self.room = capacity.min(self.messages.size());
    }

    /// Makes room for what a queue of this capacity gets at once.
    fn reserve(&mut self, capacity: usize) {
        self.messages.reserve(capacity.saturating_mul(2).min(RESERVED));
        self.room = capacity.min(self.messages.size());
    }
}

/// Two stages with counters that can be read without the lock.
pub struct DoubleBuffer {
    stages: BiasedLock<Stages>,
    /// Number of messages in both stages, changed only under the lock. One word, because readers
    /// without the lock must not see a message in both stages while it moves.
    counts: AtomicU64,
    /// Messages each of the two stages holds; changed only under the lock.
    capacity: AtomicUsize,
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

/// Number of messages in the two stages.
#[derive(Clone, Copy)]
pub struct Counts {
    /// Messages in the main stage.
    pub main: usize,
    /// Messages in the back stage.
    pub back: usize,
}

/// A message in the main stage and one in the back stage, in the counters: a queue of 2^32 messages
/// would not fit into memory.
const IN_MAIN: u64 = 1;
const IN_BACK: u64 = 1 << 32;

impl Default for DoubleBuffer {
    fn default() -> Self {
        Self {
            stages: BiasedLock::new(Stages {
                messages: Ring::default(),
                room: 0,
                policy: Policy::Fault,
            }),
            counts: AtomicU64::new(0),
            capacity: AtomicUsize::new(0),
            reported: OnceLock::new(),
            identity: OnceLock::new(),
        }
    }
}

/// The largest capacity. Sums of it and of a number of messages do not overflow.
pub const UNLIMITED: usize = usize::MAX / 2;

/// Queues up to this size allocate immediately, larger ones as needed.
const RESERVED: usize = 1024;

/// Apart, so that it stays a branch: only a message that was put back is there.
#[cold]
fn from_main(counts: u64) -> u64 {
    counts - IN_MAIN
}

#[inline(always)]
fn is_main_empty(counts: u64) -> bool {
    counts.is_multiple_of(IN_BACK)
}

impl DoubleBuffer {
    /// Runs a short function on the stages, which only moves messages and counts them.
    #[inline(always)]
    fn with<R>(&self, action: impl FnOnce(&mut Stages) -> R) -> R {
        // SAFETY: no action of this file locks the stages or drops a message, whose destructor
        // could.
        unsafe { self.stages.with_leaf(action) }
    }

    /// Messages each of the two stages holds.
    #[inline(always)]
    fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    fn configure(&self, capacity: u64, policy: u64) -> Result<()> {
        if capacity == 0 {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                "`capacity` must be at least 1",
            ));
        }
        let policy = match policy {
            0 => Policy::Pop,
            1 => Policy::Reject,
            2 => Policy::Fault,
            other => {
                return Err(Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!("`policy` must be 0 (pop), 1 (reject) or 2 (fault), not {other}"),
                ));
            }
        };
        let mut stages = self.stages.lock();
        let capacity = usize::try_from(capacity).map_or(UNLIMITED, |it| it.min(UNLIMITED));
        stages.policy = policy;
        self.capacity.store(capacity, Ordering::Relaxed);
        stages.reserve(capacity);
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
        stages.reserve(room);
        before
    }

    fn clear(&self) {
        let mut stages = self.stages.lock();
        let lost = std::mem::take(&mut stages.messages);
        stages.room = 0;
        self.counts.store(0, Ordering::Relaxed);
        drop(stages);
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
        self.with(|stages| self.push_if_it_fits(stages, message))
    }

    /// Returns the message if the two stages are full.
    #[inline(always)]
    fn push_if_it_fits(&self, stages: &mut Stages, message: Message) -> Option<Message> {
        if stages.messages.len() >= stages.room {
            return Some(message);
        }
        // SAFETY: there are fewer messages than the ring has room for.
        unsafe { self.push_back(stages, message) };
        None
    }

    /// # Safety
    /// The ring must have room.
    #[inline(always)]
    unsafe fn push_back(&self, stages: &mut Stages, message: Message) {
        // SAFETY: there is room.
        unsafe { stages.messages.push_back(message) };
        // Relaxed suffices: the counters are hints, and using them takes the lock.
        self.counts.store(self.counts.load(Ordering::Relaxed) + IN_BACK, Ordering::Relaxed);
    }

    #[cold]
    fn push_too_many(&self, message: Message, careful: bool) -> Pushed {
        let mut stages = self.stages.lock();
        stages.grow(self.capacity());
        // Another thread may have made room in the meantime.
        let Some(message) = self.push_if_it_fits(&mut stages, message) else { return Pushed::Kept };
        let policy = stages.policy;
        if policy == Policy::Fault && careful {
            return Pushed::Refused(message);
        }
        if self.back_count() < self.capacity() {
            // SAFETY: `grow` made room.
            unsafe { self.push_back(&mut stages, message) };
            return Pushed::Kept;
        }
        let lost = match policy {
            Policy::Pop => {
                let mut back = stages.messages.split_off(self.main_count()).into_iter();
                let oldest = back.next();
                for message in back.chain([message]) {
                    // SAFETY: as many messages as were split off.
                    unsafe { stages.messages.push_back(message) };
                }
                oldest
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
        let policy = self.stages.lock().policy;
        match policy {
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
        let mut stages = self.stages.lock();
        stages.messages.push_front(message);
        self.counts.store(self.counts.load(Ordering::Relaxed) + IN_MAIN, Ordering::Relaxed);
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
        let messages = stages.messages.split_off(0);
        let counts = self.counts.swap(0, Ordering::Relaxed);
        drop(stages);
        // Outside the lock, because replacing a message may drop one.
        let replaced: Vec<Message> =
            messages.into_iter().map(replace).collect::<std::result::Result<_, E>>()?;
        let mut stages = self.stages.lock();
        for message in replaced.into_iter().rev() {
            stages.messages.push_front(message);
        }
        self.counts.fetch_add(counts, Ordering::Relaxed);
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

    /// Takes the next message to send, from either stage.
    #[inline(always)]
    pub fn take(&self) -> Option<Message> {
        self.with(|stages| {
            let message = stages.messages.pop_front()?;
            let counts = self.counts.load(Ordering::Relaxed);
            let left = if is_main_empty(counts) { counts - IN_BACK } else { from_main(counts) };
            self.counts.store(left, Ordering::Relaxed);
            Some(message)
        })
    }

    /// Number of messages in both stages, at one moment.
    #[inline]
    pub fn counts(&self) -> Counts {
        let counts = self.counts.load(Ordering::Relaxed);
        Counts { main: (counts % IN_BACK) as usize, back: (counts / IN_BACK) as usize }
    }

    /// Messages in the main stage.
    #[inline]
    pub fn main_count(&self) -> usize {
        self.counts().main
    }

    /// Messages in the back stage.
    #[inline]
    pub fn back_count(&self) -> usize {
        self.counts().back
    }

    #[inline(always)]
    fn pop(&self) -> Option<Message> {
        self.with(|stages| {
            let counts = self.counts.load(Ordering::Relaxed);
            if is_main_empty(counts) {
                return None;
            }
            let message = stages.messages.pop_front();
            self.counts.store(counts - IN_MAIN, Ordering::Relaxed);
            message
        })
    }

    /// Moves the back stage to the main stage. Returns whether the policy dropped messages.
    #[inline(always)]
    pub fn sync(&self) -> Result<bool> {
        if self.back_count() == 0 || self.with(|stages| self.advance(stages)) {
            return Ok(false);
        }
        self.sync_too_many()
    }

    /// Moves the back stage to the main stage if it fits; returns whether it did.
    #[inline(always)]
    fn advance(&self, stages: &mut Stages) -> bool {
        let all = stages.messages.len();
        if all > self.capacity() {
            return false;
        }
        self.counts.store(all as u64 * IN_MAIN, Ordering::Relaxed);
        true
    }

    /// The back stage does not fit behind the main stage.
    #[cold]
    fn sync_too_many(&self) -> Result<bool> {
        let mut stages = self.stages.lock();
        // Another thread may have made room in the meantime.
        if self.advance(&mut stages) {
            return Ok(false);
        }
        let capacity = self.capacity();
        let excess = stages.messages.len() - capacity;
        let lost: Vec<Message> = match stages.policy {
            Policy::Pop => {
                let oldest = std::iter::from_fn(|| stages.messages.pop_front());
                oldest.take(excess).collect()
            }
            Policy::Reject => stages.messages.split_off(capacity),
            Policy::Fault => {
                drop(stages);
                return Err(self.full(capacity));
            }
        };
        self.counts.store(stages.messages.len() as u64 * IN_MAIN, Ordering::Relaxed);
        drop(stages);
        self.count_lost(lost.len() as u64);
        drop(lost);
        Ok(true)
    }

    /// A message in one of the stages, which stays there.
    pub fn peek(&self, index: i32, back: bool) -> Result<Message> {
        let stages = self.stages.lock();
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let main = self.main_count();
        let (first, end) = if back { (main, stages.messages.len()) } else { (0, main) };
        let place = first.checked_add(index).filter(|place| *place < end);
        place
            .and_then(|place| stages.messages.get(place).cloned())
            .ok_or_else(|| ResultCode::QUERY_NOT_FOUND.into())
    }

    /// The error for a message refused by a queue of this capacity. Not under its lock: it asks the
    /// graph for names.
    #[cold]
    fn full(&self, capacity: usize) -> Error {
        let queue = self.identity.get().map_or(String::new(), |Identity { context, type_name }| {
            let own = context.name();
            let own = if own.is_empty() { type_name } else { own.as_str() };
            format!(" `{}/{own}`", context.entity_name())
        });
        Error::new(
            ResultCode::EXCEEDING_PREALLOCATED_SIZE,
            format!(
                "the queue{queue} is full (capacity {capacity}, policy 2 \"fault\"); enlarge \
                 `capacity`, choose policy 0 (drop the oldest) or 1 (drop the newest), or slow the \
                 sender down with a DownstreamReceptiveSchedulingTerm"
            ),
        )
    }
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
                self.buffer.push(message)
            }

            fn pop(&self) -> Result<Message> {
                self.buffer.pop().ok_or_else(empty)
            }

            fn peek(&self, index: i32) -> Result<Message> {
                self.buffer.peek(index, false)
            }

            fn capacity(&self) -> usize {
                usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX)
            }

            fn message_count(&self) -> usize {
                self.buffer.main_count()
            }

            fn back_count(&self) -> usize {
                self.buffer.back_count()
            }

            fn sync(&self) -> Result<()> {
                self.buffer.sync().map(drop)
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

impl implement::Transmitter for DoubleBufferTransmitter {
    fn publish_as_is(&self, message: Message) -> Result<()> {
        self.buffer.push(message)
    }
}
