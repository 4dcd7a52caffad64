//! `DoubleBufferReceiver` and `DoubleBufferTransmitter`: bounded queues with two stages.
//!
//! Messages enter the back stage; `sync`, once before (receiver) or after (transmitter) a tick,
//! moves them to the main stage, where they are taken. So a codelet sees the same messages during
//! the whole tick. Both kinds are one `Stages` behind a lock whose critical sections are a few
//! instructions, and which is nearly free as long as one thread works on the queue.

use crate::biased_lock::BiasedLock;
use gxf::implement;
use gxf::prelude::*;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// What happens to a message that does not fit (GXF's numbers).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    /// The oldest message makes room.
    Pop = 0,
    /// The new message is lost, silently.
    Reject = 1,
    /// An error.
    Fault = 2,
}

/// What became of a message that was pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pushed {
    Kept,
    /// It was kept, and the oldest message is lost.
    Displaced,
    /// It is lost, as the policy wants it.
    Rejected,
    /// It is lost, and that is an error.
    Refused,
}

/// Both stages in one queue: the first `main` messages are the main stage, the others the back
/// stage, so that moving the back stage to the main stage is the change of a number.
struct Stages {
    messages: VecDeque<Message>,
    capacity: usize,
    policy: Policy,
}

/// Two stages with counters that may be read without the lock.
pub(crate) struct DoubleBuffer {
    stages: BiasedLock<Stages>,
    /// Messages in both stages, changed under the lock only. One word, because others look without
    /// the lock, and must not see a message in both stages while it moves.
    counts: AtomicU64,
    losses: Arc<Losses>,
}

/// What is lost in a queue, and in which one. Shared with whoever reports that later.
#[derive(Default)]
pub(crate) struct Losses {
    /// Messages lost since the queue was made.
    pub count: AtomicU64,
    /// `entity/component`, from the first activation on.
    queue: OnceLock<Box<str>>,
}

/// How many messages the two stages hold.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub main: usize,
    pub back: usize,
}

/// A message in the main stage, and one in the back stage, as the counters hold them: a queue of
/// 2^32 messages does not fit into memory.
const IN_MAIN: u64 = 1;
const IN_BACK: u64 = 1 << 32;

impl Default for DoubleBuffer {
    fn default() -> Self {
        Self {
            stages: BiasedLock::new(Stages {
                messages: VecDeque::new(),
                capacity: 0,
                policy: Policy::Fault,
            }),
            counts: AtomicU64::new(0),
            losses: Arc::default(),
        }
    }
}

/// Queues up to this size get their memory at once, larger ones as they need it.
const RESERVED: usize = 1024;

impl DoubleBuffer {
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
        stages.capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
        stages.policy = policy;
        let reserved = stages.capacity.saturating_mul(2).min(RESERVED);
        stages.messages.reserve(reserved);
        Ok(())
    }

    fn clear(&self) {
        let mut stages = self.stages.lock();
        let lost = std::mem::take(&mut stages.messages);
        self.counts.store(0, Ordering::Relaxed);
        drop(stages);
        drop(lost);
    }

    /// Adds a message to the back stage.
    #[inline(always)]
    pub fn try_push(&self, message: Message) -> Pushed {
        let refused = self.stages.with(|stages| self.push_into(stages, message));
        refused.map_or(Pushed::Kept, |message| self.push_too_many(message))
    }

    /// The message again if there is no room for it.
    #[inline(always)]
    fn push_into(&self, stages: &mut Stages, message: Message) -> Option<Message> {
        let counts = self.counts.load(Ordering::Relaxed);
        if (counts / IN_BACK) as usize >= stages.capacity {
            return Some(message);
        }
        stages.messages.push_back(message);
        // Relaxed is enough: the counters only hint; whoever acts on them takes the lock.
        self.counts.store(counts + IN_BACK, Ordering::Relaxed);
        None
    }

    #[cold]
    fn push_too_many(&self, message: Message) -> Pushed {
        let mut stages = self.stages.lock();
        // Somebody may have made room meanwhile.
        let Some(message) = self.push_into(&mut stages, message) else { return Pushed::Kept };
        let policy = stages.policy;
        let mut lost = Some(message);
        if policy == Policy::Pop {
            let oldest = stages.messages.remove(self.main_count());
            stages.messages.extend(std::mem::replace(&mut lost, oldest));
        }
        drop(stages);
        // Dropping a message may call into an extension: not under the lock.
        drop(lost);
        self.losses.count.fetch_add(1, Ordering::Relaxed);
        match policy {
            Policy::Pop => Pushed::Displaced,
            Policy::Reject => Pushed::Rejected,
            Policy::Fault => Pushed::Refused,
        }
    }

    fn push(&self, message: Message) -> Result<()> {
        if self.try_push(message) == Pushed::Refused { Err(self.full()) } else { Ok(()) }
    }

    /// The messages that were lost because the queue was full.
    pub fn losses(&self) -> Arc<Losses> {
        self.losses.clone()
    }

    /// Why a message was refused.
    #[cold]
    pub fn full(&self) -> Error {
        let capacity = self.stages.lock().capacity;
        self.losses.error(capacity)
    }

    /// Takes the next message to send, from whichever stage it is in.
    #[inline(always)]
    pub fn take(&self) -> Option<Message> {
        self.stages.with(|stages| {
            let message = stages.messages.pop_front()?;
            let counts = self.counts.load(Ordering::Relaxed);
            let from = if counts.is_multiple_of(IN_BACK) { IN_BACK } else { IN_MAIN };
            self.counts.store(counts - from, Ordering::Relaxed);
            Some(message)
        })
    }

    /// Messages in both stages, at one moment.
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
        self.stages.with(|stages| {
            let counts = self.counts.load(Ordering::Relaxed);
            if counts.is_multiple_of(IN_BACK) {
                return None;
            }
            let message = stages.messages.pop_front();
            self.counts.store(counts - IN_MAIN, Ordering::Relaxed);
            message
        })
    }

    /// Moves the back stage to the main stage. Whether the policy lost messages for lack of room.
    #[inline(always)]
    pub fn sync(&self) -> Result<bool> {
        if self.back_count() == 0 || self.stages.with(|stages| self.advance(stages)) {
            return Ok(false);
        }
        self.sync_too_many()
    }

    /// Whether the back stage fits behind the main stage, and was moved there.
    #[inline(always)]
    fn advance(&self, stages: &mut Stages) -> bool {
        let all = stages.messages.len();
        if all > stages.capacity {
            return false;
        }
        self.counts.store(all as u64 * IN_MAIN, Ordering::Relaxed);
        true
    }

    /// The back stage does not fit behind what is left in the main stage.
    #[cold]
    fn sync_too_many(&self) -> Result<bool> {
        let mut stages = self.stages.lock();
        // Somebody may have made room meanwhile.
        if self.advance(&mut stages) {
            return Ok(false);
        }
        let capacity = stages.capacity;
        let excess = stages.messages.len() - capacity;
        let lost: Vec<Message> = match stages.policy {
            Policy::Pop => stages.messages.drain(..excess).collect(),
            Policy::Reject => stages.messages.drain(capacity..).collect(),
            Policy::Fault => {
                drop(stages);
                return Err(self.losses.error(capacity));
            }
        };
        self.counts.store(stages.messages.len() as u64 * IN_MAIN, Ordering::Relaxed);
        drop(stages);
        self.losses.count.fetch_add(lost.len() as u64, Ordering::Relaxed);
        drop(lost);
        Ok(true)
    }

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
}

impl Losses {
    /// Takes note of the queue's name, or its type if it has none.
    fn name(&self, context: &ComponentContext, type_name: &str) {
        self.queue.get_or_init(|| {
            let own = context.name();
            let own = if own.is_empty() { type_name } else { &own };
            format!("{}/{own}", context.entity_name()).into_boxed_str()
        });
    }

    /// Why a message was refused by a queue of this capacity.
    #[cold]
    fn error(&self, capacity: usize) -> Error {
        let queue = self.queue.get().map_or(String::new(), |name| format!(" `{name}`"));
        Error::new(
            ResultCode::EXCEEDING_PREALLOCATED_SIZE,
            format!(
                "the queue{queue} is full (capacity {capacity}, policy 2 \"fault\"); enlarge \
                 `capacity`, choose policy 0 (drop the oldest) or 1 (drop the newest), or hold the \
                 sender back with a DownstreamReceptiveSchedulingTerm"
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
        impl Lifecycle for $type {
            fn initialize(&self, context: &ComponentContext) -> Result<()> {
                self.buffer.losses.name(context, stringify!($type));
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

/// Receives messages into a bounded queue with two stages: what arrives during a tick is seen at
/// the next one.
#[derive(Component, Default)]
#[component(lifecycle)]
pub(crate) struct DoubleBufferReceiver {
    /// Messages each of the two stages holds.
    #[parameter(headline = "Capacity", default = 1, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to a message that does not fit: 0 the oldest is dropped, 1 the newest is
    /// dropped, 2 an error.
    #[parameter(headline = "Policy", default = 2, minimum = 0, maximum = 2)]
    policy: Parameter<u64>,
    pub buffer: DoubleBuffer,
}

double_buffer_queue!(DoubleBufferReceiver);

impl DoubleBufferReceiver {
    /// Messages each stage holds.
    #[inline]
    pub fn room(&self) -> usize {
        usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX)
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

/// Sends messages from a bounded queue with two stages: what a tick publishes leaves when the tick
/// has succeeded.
#[derive(Component, Default)]
#[component(lifecycle)]
pub(crate) struct DoubleBufferTransmitter {
    /// Messages each of the two stages holds.
    #[parameter(headline = "Capacity", default = 1, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to a message that does not fit: 0 the oldest is dropped, 1 the newest is
    /// dropped, 2 an error.
    #[parameter(headline = "Policy", default = 2, minimum = 0, maximum = 2)]
    policy: Parameter<u64>,
    pub buffer: DoubleBuffer,
}

double_buffer_queue!(DoubleBufferTransmitter);

impl implement::Transmitter for DoubleBufferTransmitter {
    fn publish_as_is(&self, message: Message) -> Result<()> {
        self.buffer.push(message)
    }
}
