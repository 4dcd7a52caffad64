//! The interfaces of GXF, each as three things made from one description:
//! what a handle leads to (`Clock`), what an implementor writes (`implement::Clock`), and the
//! function table that connects them.
//!
//! Here are the descriptions. `expand.rs` has the macro that reads them, `pass.rs` how arguments and
//! results cross the border.

#[macro_use]
mod expand;
mod pass;

use crate::handle::lookup;
use crate::host::{check, host};
use crate::support::guard;
use crate::{
    AllocatorStatistics, AsynchronousEventState, Condition, ConditionType, ControllerStatus, Event,
    HandleTarget, MemoryBuffer, Message, Result, ResultCode, StorageType, Tid, Uid, abi,
};
use abi::tids;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
pub use pass::MessageRef;
use pass::{Pass, with_sink};

interfaces! {
    /// The part receivers and transmitters share: messages in two stages.
    Queue, QueueVtable, QUEUE {
        /// Adds a message to the back stage.
        call push(message: Message);
        /// Takes the oldest message of the main stage.
        out pop() -> Message;
        /// The message at a position of the main stage.
        out peek(index: i32) -> Message;
        /// Room of each stage, in messages.
        value capacity() -> usize;
        /// Messages in the main stage.
        value message_count() -> usize;
        /// Messages in the back stage.
        value back_count() -> usize;
        /// Moves the back stage to the main stage.
        call sync();
    }

    /// Where messages arrive.
    Receiver: Queue, ReceiverVtable, RECEIVER {
        /// Takes the oldest message of the main stage; an error with code
        /// `CONTRACT_MESSAGE_NOT_AVAILABLE` when there is none.
        out receive() -> Message;
        /// The message at a position of the back stage.
        out peek_back(index: i32) -> Message;
        /// Input from a network before `sync`.
        maybe sync_io();
        /// Blocks until a message arrived.
        maybe wait();
    }

    /// Where messages leave.
    Transmitter: Queue, TransmitterVtable, TRANSMITTER {
        /// Puts a message into the back stage as it is, with the timestamp it has or without one; it
        /// is sent when the tick succeeded.
        call publish_as_is(message: Message);
        /// Output to a network after `sync`.
        maybe sync_io();
    }

    /// When an entity may run.
    SchedulingTerm, SchedulingTermVtable, SCHEDULING_TERM {
        /// The condition at time `now`.
        out check(now: i64) -> Condition;
        /// The entity was ticked at time `now`.
        call on_execute(now: i64);
        /// Called before each `check`.
        maybe update_state(now: i64);
        /// Names the receivers, transmitters and allocators whose events change the answer.
        maybe_sink watched();
    }

    /// Several terms seen as one.
    SchedulingTermCombiner, SchedulingTermCombinerVtable, SCHEDULING_TERM_COMBINER {
        /// The combined condition at time `now`.
        out check(now: i64) -> Condition;
        /// The terms the combiner owns; they leave the entity's own list.
        sink terms();
    }

    /// A term that lets its entity run or ends it.
    BooleanSchedulingTerm, BooleanSchedulingTermVtable, BOOLEAN_SCHEDULING_TERM {
        /// Lets the entity run (`true`) or ends it (`false`).
        call set_tick_enabled(enabled: bool);
        /// Whether the entity may run.
        value is_tick_enabled() -> bool;
    }

    /// A term that follows an event outside the graph.
    AsynchronousSchedulingTerm, AsynchronousSchedulingTermVtable, ASYNCHRONOUS_SCHEDULING_TERM {
        /// Changes the state; `EVENT_DONE` and `EVENT_NEVER` wake the entity. Any thread may call.
        call set_event_state(state: AsynchronousEventState);
        /// The state.
        value event_state() -> AsynchronousEventState;
    }

    /// A term that waits for a time somebody sets.
    TargetTimeSchedulingTerm, TargetTimeSchedulingTermVtable, TARGET_TIME_SCHEDULING_TERM {
        /// Sets the time of the next execution in nanoseconds of the term's clock.
        call set_next_target_time(target: i64);
    }

    /// A term the parent in a behaviour tree sets.
    BtSchedulingTerm, BtSchedulingTermVtable, BT_SCHEDULING_TERM {
        /// Sets the condition the term answers with: READY arms the node, NEVER ends it, anything
        /// else reads as WAIT. Takes back what `wait_until` and `wait_for` asked for.
        call set_condition(condition: ConditionType);
        /// The node ticks again at `target` nanoseconds of the scheduler's clock, not before.
        call wait_until(target: i64);
        /// The node ticks again when the entity `eid` has another number of verdicts than
        /// `verdicts`, not before. Several calls in one tick: any of them.
        call wait_for(eid: Uid, verdicts: u64);
    }

    /// Memory of one kind.
    Allocator, AllocatorVtable, ALLOCATOR {
        /// Whether `size` bytes could be allocated now.
        value is_available(size: u64) -> bool;
        /// Allocates `size` bytes.
        out allocate(size: u64, storage: StorageType) -> *mut u8;
        /// Gives memory back, from any thread.
        call free(pointer: *mut u8);
        /// Bytes of a block; 1 for allocators without blocks.
        value block_size() -> u64;
        /// What was handed out so far; all 0 when the allocator does not count.
        optional_value statistics() -> AllocatorStatistics;
    }

    /// The only source of time.
    Clock, ClockVtable, CLOCK {
        /// Time in nanoseconds.
        value timestamp() -> i64;
        /// Blocks for `duration` nanoseconds of this clock.
        call sleep_for(duration: i64);
        /// Blocks until `target` nanoseconds of this clock.
        call sleep_until(target: i64);
        /// Nanoseconds of real time until `target`; negative when only `sleep_until` can tell.
        maybe_value real_time_until(target: i64) -> i64;
    }

    /// A clock that follows real time.
    RealtimeClock: Clock, RealtimeClockVtable, REALTIME_CLOCK {
        /// Changes how fast time passes, without a jump; above 0.
        call set_time_scale(scale: f64);
    }

    /// A clock that somebody else moves.
    SyntheticClock: Clock, SyntheticClockVtable, SYNTHETIC_CLOCK {
        /// Moves the clock to a time in nanoseconds, not before the present one, and wakes sleepers
        /// whose time has come.
        call advance_to(target: i64);
        /// Moves the clock by a number of nanoseconds that is not negative.
        call advance_by(duration: i64);
    }

    /// Messages on their way from the graph to the program around it.
    Vault, VaultVtable, VAULT {
        /// Messages that wait to be taken.
        value waiting_count() -> usize;
        /// Takes the oldest waiting message. Waits for one up to `timeout` nanoseconds of real
        /// time: 0 not at all, negative for ever. `CONTRACT_MESSAGE_NOT_AVAILABLE` when none came,
        /// or when the graph ended meanwhile.
        out take(timeout: i64) -> Message;
    }

    /// A measured number with limits.
    Metric, MetricVtable, METRIC {
        /// Adds a sample.
        call record(sample: f64);
        /// What the samples add up to; `UNINITIALIZED_VALUE` before the first one.
        out aggregated_value() -> f64;
        /// Whether the aggregated value lies within the limits; `UNINITIALIZED_VALUE` before the
        /// first sample.
        out evaluate_success() -> bool;
        /// Forgets all samples.
        call reset();
    }

    /// Carries messages between entities.
    Router, RouterVtable, ROUTER {
        /// Learns the routes an entity declares; before any component is initialised.
        call add_routes(eid: Uid);
        /// Forgets them.
        call remove_routes(eid: Uid);
        /// Before the tick of an entity.
        call sync_inbox(eid: Uid);
        /// After the tick of an entity.
        call sync_outbox(eid: Uid);
    }

    /// Links to other processes.
    NetworkContext, NetworkContextVtable, NETWORK_CONTEXT {
        /// Prepares the network before any route is added.
        call initialize_network();
        /// Opens the links of an entity.
        call add_routes(eid: Uid);
        /// Closes them.
        call remove_routes(eid: Uid);
    }

    /// Something that runs beside or above the entities.
    System, SystemVtable, SYSTEM {
        /// An entity became active.
        call schedule(eid: Uid);
        /// An entity is about to be deactivated.
        call unschedule(eid: Uid);
        /// Begins to run and returns.
        call run_async();
        /// Asks for the end.
        call stop();
        /// Blocks until the end.
        call wait();
        /// Something happened to an entity.
        call event_notify(eid: Uid, event: Event);
    }

    /// A system that executes entities.
    Scheduler: System, SchedulerVtable, SCHEDULER {
        /// Called once after activation, before `run_async`.
        maybe prepare();
    }

    /// Decides what the result of a tick means.
    Controller, ControllerVtable, CONTROLLER {
        /// Judges the tick of an entity.
        value control(eid: Uid, code: ResultCode) -> ControllerStatus;
    }

    /// Is told about every execution.
    Monitor, MonitorVtable, MONITOR {
        /// An entity was executed (started, found not ready, or ticked) at `timestamp`.
        call on_execute(eid: Uid, timestamp: i64, code: ResultCode);
    }

    /// A stream of bytes.
    Endpoint, EndpointVtable, ENDPOINT {
        /// Whether writing is possible.
        value is_write_available() -> bool;
        /// Whether reading is possible.
        value is_read_available() -> bool;
        /// Writes up to `size` bytes from `data`; the result says how many.
        out write(data: *const u8, size: usize) -> usize;
        /// Reads up to `size` bytes to `data`; the result says how many.
        out read(data: *mut u8, size: usize) -> usize;
        /// Writes memory of any storage type without a copy.
        maybe write_pointer(data: *const u8, size: usize, storage: StorageType);
    }

    /// A file, as its own users see it.
    File: Endpoint, FileVtable, FILE {
        /// Opens a file with a mode of C's `fopen`; an empty text stands for what the component's
        /// parameter says. `INVALID_LIFECYCLE_STAGE` when one is open already.
        call open(path: &str, mode: &str);
        /// Closes it. `INVALID_LIFECYCLE_STAGE` when none is open.
        call close();
        /// Hands collected writes to the operating system.
        call flush();
        /// Moves the position by `offset` bytes from the begin (`whence` 0), the position (1) or
        /// the end (2), and forgets that the end was reached.
        call seek(offset: i64, whence: i32);
        /// The position in bytes from the begin.
        out tell() -> u64;
        /// Forgets that the end was reached and that something failed.
        call clear();
        /// Whether a file is open.
        value is_open() -> bool;
        /// Whether a read reached the end.
        value is_at_end() -> bool;
        /// Whether something failed since the file was opened.
        value has_failed() -> bool;
    }

    /// Memory that is written and read like a file, as its own users see it.
    SerializationBuffer: Endpoint, SerializationBufferVtable, SERIALIZATION_BUFFER {
        /// New memory of the component's allocator; the buffer is empty then.
        call resize(size: u64, storage: StorageType);
        /// Takes over memory; the buffer is empty then.
        call wrap(memory: MemoryBuffer);
        /// Forgets what was written.
        call reset();
        /// Address of the first byte, valid until `resize` or `wrap`; null for none.
        value data() -> *const u8;
        /// Bytes there is room for.
        value capacity() -> u64;
        /// Bytes that were written since the buffer was empty.
        value written() -> u64;
        /// Where the memory lies.
        value storage_type() -> StorageType;
    }

    /// Payloads to bytes and back.
    ComponentSerializer, ComponentSerializerVtable, COMPONENT_SERIALIZER {
        /// Whether payloads of this type are supported.
        value is_supported(tid: Tid) -> bool;
        /// Writes the payload at `data`; the result is the number of bytes.
        out serialize(tid: Tid, data: *mut c_void, endpoint: crate::Endpoint) -> u64;
        /// Reads into the payload at `data`, which is constructed already.
        call deserialize(tid: Tid, data: *mut c_void, endpoint: crate::Endpoint);
    }

    /// Messages to bytes and back.
    EntitySerializer, EntitySerializerVtable, ENTITY_SERIALIZER {
        /// Writes a message; the result is the number of bytes.
        out serialize(message: MessageRef, endpoint: crate::Endpoint) -> u64;
        /// Reads into an empty message.
        call deserialize(message: MessageRef, endpoint: crate::Endpoint);
    }
}

impl Transmitter {
    /// Publishes with the payload `timestamp`: acquisition time as given, in nanoseconds,
    /// publication time 0, as GXF's `publish(message, acqtime)`. The message is sent when the tick
    /// succeeded. A message that others hold as well stays as it is; what is sent then shares its
    /// other payloads.
    #[inline]
    pub fn publish(&self, message: Message, acquisition_time: i64) -> Result<()> {
        self.publish_as_is(message.stamped(acquisition_time)?)
    }
}

impl Allocator {
    /// The border's parts of the reference.
    pub(crate) fn raw(&self) -> (*mut c_void, *const abi::AllocatorVtable) {
        (self.object, self.vtable)
    }
}

impl Receiver {
    /// As `receive`, with `None` when there is no message.
    #[inline]
    pub fn try_receive(&self) -> Result<Option<Message>> {
        let mut message = core::ptr::null_mut();
        // SAFETY: object and table belong together and are alive, see `HandleTarget`.
        let code = unsafe { (self.vtable.receive)(self.object, &raw mut message) };
        match code {
            ResultCode::SUCCESS => Ok(NonNull::new(message).map(|raw| {
                // SAFETY: the function succeeded, so the reference is ours.
                unsafe { Message::from_raw(raw) }
            })),
            // Not an error here, so none is made.
            ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE => Ok(None),
            code => check(code).map(|()| None),
        }
    }
}
