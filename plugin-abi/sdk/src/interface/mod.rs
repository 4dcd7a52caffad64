//! The interfaces of GXF. One description produces three things: the type behind a handle
//! (`Clock`), the trait of an implementor (`implement::Clock`), and the function table that
//! connects them.
//!
//! This file has the descriptions. `expand.rs` has the macro that reads them; `pass.rs` converts
//! arguments and results at the ABI boundary.

#[macro_use]
mod expand;
mod pass;

use crate::handle::lookup;
use crate::host::{MayThrow as _, check, host};
use crate::support::guard;
use crate::{
    AllocatorStatistics, AsynchronousEventState, Condition, ConditionType, ControllerStatus, Event,
    HandleTarget, LinkCounts, LinkState, LinkStatistics, MemoryBuffer, Message, Result, ResultCode,
    StorageType, Tid, Uid, WakeToken, abi,
};
use abi::tids;
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
pub use pass::{Callback, IpcService, MessageRef, RawEvent, RawStream};
use pass::{Pass, with_sink, with_text_sink};

interfaces! {
    /// Functions common to receivers and transmitters: messages in two stages.
    Queue, QueueVtable, QUEUE {
        /// Adds a message to the back stage.
        call push(message: Message);
        /// Takes the oldest message from the main stage.
        out pop() -> Message;
        /// The message at a position of the main stage.
        out peek(index: i32) -> Message;
        /// Capacity of each stage, in messages.
        value capacity() -> usize;
        /// Messages in the main stage.
        value message_count() -> usize;
        /// Messages in the back stage.
        value back_count() -> usize;
        /// Moves the back stage to the main stage.
        call sync();
    }

    /// Receives messages.
    Receiver: Queue, ReceiverVtable, RECEIVER {
        /// Takes the oldest message from the main stage. `CONTRACT_MESSAGE_NOT_AVAILABLE` if there
        /// is none.
        out receive() -> Message;
        /// The message at a position of the back stage.
        out peek_back(index: i32) -> Message;
        /// Reads from a network, before `sync`.
        maybe sync_io();
        /// Blocks until a message arrives.
        maybe wait();
    }

    /// Publishes messages.
    Transmitter: Queue, TransmitterVtable, TRANSMITTER {
        /// Adds a message to the back stage as it is, with its timestamp or without one. It is sent
        /// after the tick succeeds.
        call publish_as_is(message: Message);
        /// Writes to a network, after `sync`.
        maybe sync_io();
    }

    /// Decides when an entity can run.
    SchedulingTerm, SchedulingTermVtable, SCHEDULING_TERM {
        /// The condition at time `now`.
        out check(now: i64) -> Condition;
        /// Notes that the entity ticked at time `now`.
        call on_execute(now: i64);
        /// Called before each `check`.
        maybe update_state(now: i64);
        /// Lists the receivers, transmitters and allocators whose events change the answer.
        maybe_sink watched();
    }

    /// Combines several terms into one.
    SchedulingTermCombiner, SchedulingTermCombinerVtable, SCHEDULING_TERM_COMBINER {
        /// The combined condition at time `now`.
        out check(now: i64) -> Condition;
        /// The terms that the combiner owns; the entity no longer checks them itself.
        sink terms();
    }

    /// A term that lets its entity run, or ends it.
    BooleanSchedulingTerm, BooleanSchedulingTermVtable, BOOLEAN_SCHEDULING_TERM {
        /// Lets the entity run (`true`), or ends it (`false`).
        call set_tick_enabled(enabled: bool);
        /// Whether the entity may run.
        value is_tick_enabled() -> bool;
    }

    /// A term that follows an event outside the graph.
    AsynchronousSchedulingTerm, AsynchronousSchedulingTermVtable, ASYNCHRONOUS_SCHEDULING_TERM {
        /// Sets the state; `EVENT_DONE` and `EVENT_NEVER` wake the entity. Callable from any
        /// thread.
        call set_event_state(state: AsynchronousEventState);
        /// The current state.
        value event_state() -> AsynchronousEventState;
    }

    /// A term that waits for a time that other components set.
    TargetTimeSchedulingTerm, TargetTimeSchedulingTermVtable, TARGET_TIME_SCHEDULING_TERM {
        /// Sets the time of the next execution, in nanoseconds of the term's clock.
        call set_next_target_time(target: i64);
    }

    /// A term that the parent in a behaviour tree controls.
    BtSchedulingTerm, BtSchedulingTermVtable, BT_SCHEDULING_TERM {
        /// Sets the condition that the term answers: READY arms the node, NEVER ends it, anything
        /// else counts as WAIT. Cancels `wait_until` and `wait_for`.
        call set_condition(condition: ConditionType);
        /// Delays the node's next tick until `target` nanoseconds of the scheduler's clock.
        call wait_until(target: i64);
        /// Delays the node's next tick until the number of verdicts on the entity `eid` differs
        /// from `verdicts`. After several calls in one tick, any of them suffices.
        call wait_for(eid: Uid, verdicts: u64);
    }

    /// Allocates one kind of memory.
    Allocator, AllocatorVtable, ALLOCATOR {
        /// Whether `size` bytes could be allocated now.
        value is_available(size: u64) -> bool;
        /// Allocates `size` bytes.
        out allocate(size: u64, storage: StorageType) -> *mut u8;
        /// Frees memory; callable from any thread.
        call free(pointer: *mut u8);
        /// Size of a block in bytes; 1 for allocators without blocks.
        value block_size() -> u64;
        /// Counters; all 0 if the allocator does not count.
        optional_value statistics() -> AllocatorStatistics;
    }

    /// The graph's source of time.
    Clock, ClockVtable, CLOCK {
        /// Time in nanoseconds.
        value timestamp() -> i64;
        /// Blocks for `duration` nanoseconds of this clock.
        call sleep_for(duration: i64);
        /// Blocks until `target` nanoseconds of this clock.
        call sleep_until(target: i64);
        /// Nanoseconds of real time until `target`; negative if only `sleep_until` works.
        maybe_value real_time_until(target: i64) -> i64;
    }

    /// A clock that follows real time.
    RealtimeClock: Clock, RealtimeClockVtable, REALTIME_CLOCK {
        /// Changes the speed of the clock, without a jump. `scale` must be positive.
        call set_time_scale(scale: f64);
    }

    /// A clock that other components or programs move.
    SyntheticClock: Clock, SyntheticClockVtable, SYNTHETIC_CLOCK {
        /// Moves the clock to a time in nanoseconds, which must not be in the past, and wakes the
        /// sleepers that are due.
        call advance_to(target: i64);
        /// Moves the clock by a number of nanoseconds, which must not be negative.
        call advance_by(duration: i64);
    }

    /// Passes messages from the graph to the program that runs it.
    Vault, VaultVtable, VAULT {
        /// Number of waiting messages.
        value waiting_count() -> usize;
        /// Takes the oldest waiting message. Waits up to `timeout` nanoseconds of real time for
        /// one: 0 does not wait, a negative value waits for ever. `CONTRACT_MESSAGE_NOT_AVAILABLE`
        /// if none arrived or the graph ended.
        out take(timeout: i64) -> Message;
        /// Sets what is called after each tick that brought messages, in place of what was set
        /// before.
        maybe set_callback(callback: Callback);
    }

    /// A measured value with limits.
    Metric, MetricVtable, METRIC {
        /// Adds a sample.
        call record(sample: f64);
        /// Aggregate of the samples; `UNINITIALIZED_VALUE` before the first one.
        out aggregated_value() -> f64;
        /// Whether the aggregate is within the limits; `UNINITIALIZED_VALUE` before the first
        /// sample.
        out evaluate_success() -> bool;
        /// Discards all samples.
        call reset();
    }

    /// Moves messages between entities.
    Router, RouterVtable, ROUTER {
        /// Adds the routes that an entity declares. Called before any component is initialised.
        call add_routes(eid: Uid);
        /// Removes an entity's routes.
        call remove_routes(eid: Uid);
        /// Called before an entity ticks.
        call sync_inbox(eid: Uid);
        /// Called after an entity ticked.
        call sync_outbox(eid: Uid);
    }

    /// Links to other processes.
    NetworkContext, NetworkContextVtable, NETWORK_CONTEXT {
        /// Prepares the network. Called before any route is added.
        call initialize_network();
        /// Opens the links of an entity.
        call add_routes(eid: Uid);
        /// Closes the links of an entity.
        call remove_routes(eid: Uid);
    }

    /// Runs alongside the entities.
    System, SystemVtable, SYSTEM {
        /// Called when an entity becomes active.
        call schedule(eid: Uid);
        /// Called before an entity is deactivated.
        call unschedule(eid: Uid);
        /// Starts running and returns.
        call run_async();
        /// Asks the system to stop.
        call stop();
        /// Blocks until the system has stopped.
        call wait();
        /// Called when something happens to an entity.
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

    /// Observes every execution.
    Monitor, MonitorVtable, MONITOR {
        /// Called after an entity was executed at `timestamp`: started, found not ready, or ticked.
        call on_execute(eid: Uid, timestamp: i64, code: ResultCode);
    }

    /// A stream of bytes.
    Endpoint, EndpointVtable, ENDPOINT {
        /// Whether writing is possible.
        value is_write_available() -> bool;
        /// Whether reading is possible.
        value is_read_available() -> bool;
        /// Writes up to `size` bytes from `data` and returns their number.
        out write(data: *const u8, size: usize) -> usize;
        /// Reads up to `size` bytes into `data` and returns their number.
        out read(data: *mut u8, size: usize) -> usize;
        /// Writes memory of any storage type without copying it.
        maybe write_pointer(data: *const u8, size: usize, storage: StorageType);
    }

    /// A file, for its direct users.
    File: Endpoint, FileVtable, FILE {
        /// Opens a file with a mode of C's `fopen`. An empty text means the value of the
        /// component's parameter. `INVALID_LIFECYCLE_STAGE` if a file is already open.
        call open(path: &str, mode: &str);
        /// Closes the file. `INVALID_LIFECYCLE_STAGE` if none is open.
        call close();
        /// Passes buffered writes to the operating system.
        call flush();
        /// Moves the position by `offset` bytes from the start (`whence` 0), the position (1) or
        /// the end (2), and clears the end-of-file state.
        call seek(offset: i64, whence: i32);
        /// The position in bytes from the start.
        out tell() -> u64;
        /// Clears the end-of-file and error states.
        call clear();
        /// Whether a file is open.
        value is_open() -> bool;
        /// Whether a read reached the end of the file.
        value is_at_end() -> bool;
        /// Whether an operation failed since the file was opened.
        value has_failed() -> bool;
    }

    /// Memory to write and read like a file, for its direct users.
    SerializationBuffer: Endpoint, SerializationBufferVtable, SERIALIZATION_BUFFER {
        /// Allocates new memory from the component's allocator; the buffer is then empty.
        call resize(size: u64, storage: StorageType);
        /// Takes ownership of memory; the buffer is then empty.
        call wrap(memory: MemoryBuffer);
        /// Discards what was written.
        call reset();
        /// Address of the first byte, valid until `resize` or `wrap`; null if the buffer has no
        /// memory.
        value data() -> *const u8;
        /// Size of the memory in bytes.
        value capacity() -> u64;
        /// Number of bytes written.
        value written() -> u64;
        /// Kind of memory.
        value storage_type() -> StorageType;
    }

    /// Converts payloads to bytes and back.
    ComponentSerializer, ComponentSerializerVtable, COMPONENT_SERIALIZER {
        /// Whether payloads of this type are supported.
        value is_supported(tid: Tid) -> bool;
        /// Writes the payload at `data` and returns the number of bytes.
        out serialize(tid: Tid, data: *mut c_void, endpoint: crate::Endpoint) -> u64;
        /// Reads into the payload at `data`, which is already constructed.
        call deserialize(tid: Tid, data: *mut c_void, endpoint: crate::Endpoint);
    }

    /// Converts messages to bytes and back.
    EntitySerializer, EntitySerializerVtable, ENTITY_SERIALIZER {
        /// Writes a message and returns the number of bytes.
        out serialize(message: MessageRef, endpoint: crate::Endpoint) -> u64;
        /// Reads into an empty message.
        call deserialize(message: MessageRef, endpoint: crate::Endpoint);
    }

    /// Offers services to other processes.
    IpcServer, IpcServerVtable, IPC_SERVER {
        /// Offers a service. `is_action`: it takes a payload and changes something.
        call register_service(name: &str, is_action: bool, service: IpcService);
    }

    /// Calls services of other processes.
    IpcClient, IpcClientVtable, IPC_CLIENT {
        /// Queries a service for a resource.
        text query(service: &str, resource: &str);
        /// Sends a payload to a service.
        text action(service: &str, resource: &str, payload: &str);
        /// Asks whether a service answers. `NOT_IMPLEMENTED` if the client cannot.
        maybe_text ping(service: &str);
        /// Sends the following requests to another address. `NOT_IMPLEMENTED` if the client cannot.
        optional change_address(ip: &str, port: u32);
    }

    /// A receiver or transmitter whose other end is in another graph, process or host. While it
    /// opens, its entity does not tick; while it is open, terms that wait for it are awaited, so the
    /// graph is not in a deadlock.
    Link, LinkVtable, LINK {
        /// The state. The implementor notifies the entity of every change.
        value state() -> LinkState;
        /// Messages that a transmitter could send now, and the receiver at the other end has room
        /// for. The implementor notifies the entity when it grows from 0. Of no meaning for a
        /// receiver.
        value room() -> u64;
        /// Sends a message that a transmitter of this entity published. Does not block: what cannot
        /// be sent now waits, within the transmitter's capacity and by its policy.
        /// `NOT_IMPLEMENTED` for a receiver.
        call send(message: Message);
        /// The entity has ended regularly: it publishes or takes nothing more. What was published
        /// is still sent, then the link ends. Does not block.
        call finish();
        /// What went over the link so far.
        out statistics() -> LinkStatistics;
        /// The other end for people: its name and address, as far as they are known.
        text peer();
    }

    /// A link that says what it has sent or taken, so that others can see whether anything is on its
    /// way.
    CountedLink, CountedLinkVtable, COUNTED_LINK {
        /// What this end has counted. What it counts as arrived, the entity has been notified of.
        out counts() -> LinkCounts;
    }

    /// A queue of a device's work, such as the streams of a pool. Under the actor scheduler, entities
    /// that submit to it share a thread of the device's kind. Any component may implement it.
    DeviceQueue, DeviceQueueVtable, DEVICE_QUEUE {
        /// The kind of the device in lower case, such as `cuda`. Always the same, also before
        /// `initialize`.
        text device();
        /// Called once by each thread that submits to it in a run, before anything else there.
        call begin_thread();
    }

    /// A component that hears when nothing more comes to its entity. Any component may implement it.
    EndOfInputs, EndOfInputsVtable, END_OF_INPUTS {
        /// The receivers of the entity get no more messages; those that they have stay there. Called
        /// once in a run, between two executions. Terms are asked again afterwards.
        call inputs_ended();
    }

    /// An allocator of one block, which keeps its value between acts and runs.
    VariableMemory, VariableMemoryVtable, VARIABLE_MEMORY {
        /// Uses this memory from now on, with the value in it.
        call bind(memory: MemoryBuffer);
    }

    /// A network context whose event loop a thread of the scheduler runs while it has nothing else
    /// to do, so that what arrives need not wake two threads. The scheduler calls `wait` and `work`
    /// in turns between `enter` and `leave`, all on one thread.
    EventLoop, EventLoopVtable, EVENT_LOOP {
        /// Takes the loop over from the context's own thread. Does not block. False if that thread
        /// is in it, or is needed: it goes on.
        value enter() -> bool;
        /// Sleeps until there is work, until `wake` is called, or for so many nanoseconds; without
        /// limit if the number is negative. May return early.
        call wait(nanoseconds: i64);
        /// Does what there is to do, without blocking. Returns whether the loop can stay with this
        /// thread.
        value work() -> bool;
        /// Gives the loop back.
        call leave();
        /// Makes the current call of `wait` return, or the next one; from any thread.
        call wake();
    }

    /// A stream of a CUDA device.
    CudaStream, CudaStreamVtable, CUDA_STREAM {
        /// The driver's stream (`CUstream`), which lives as long as the component; null while its
        /// pool is not active.
        value stream() -> *mut c_void;
        /// Number of the device; -1 if there is no stream.
        value device() -> i32;
        /// Blocks until the device has done all work of the stream.
        call synchronize();
        /// Records an event of the driver, unless it is null, and calls back once the device has
        /// reached this point, from a thread that may use CUDA.
        call record(event: RawEvent<'_>, callback: Callback);
        /// Blocks until all callbacks of `record` are done.
        call reset_events();
    }

    /// Streams for codelets.
    CudaStreamPool: Allocator, CudaStreamPoolVtable, CUDA_STREAM_POOL {
        /// Takes a stream from the pool: the id of a CudaStream. `EXCEEDING_PREALLOCATED_SIZE`
        /// beyond the pool's limit.
        out allocate_stream() -> Uid;
        /// Gives a stream back. Its work goes on; the next user's work comes after it.
        call release_stream(cid: Uid);
    }

    /// Memory in the order of a stream.
    CudaAllocator: Allocator, CudaAllocatorVtable, CUDA_ALLOCATOR {
        /// Allocates memory for work that is enqueued on `stream`, a stream of the driver, from now
        /// on.
        out allocate_async(size: u64, storage: StorageType, stream: RawStream<'_>) -> *mut u8;
        /// Frees memory after the work that is enqueued on `stream` so far. Callable from any
        /// thread.
        call free_async(pointer: *mut u8, stream: RawStream<'_>);
        /// Bytes that the allocator holds of this kind of memory, in use or not.
        value pool_size(storage: StorageType) -> u64;
        /// Number of the device.
        value device() -> i32;
    }

    /// Orders the work of one stream after that of another, on the devices.
    StreamSync, StreamSyncVtable, STREAM_SYNC {
        /// Marks the end of the work that is on the stream so far.
        call signal(stream: RawStream<'_>);
        /// Makes the following work of the stream wait for the last mark.
        call wait(stream: RawStream<'_>);
    }

    /// Something that will be done at a time the graph does not decide, such as work on a device or
    /// a network transfer. Any component may implement it.
    Completion, CompletionVtable, COMPLETION {
        /// Whether it is done. An error means that it is done and failed.
        out poll() -> bool;
        /// Uses the token when the work is done or has failed: once, from any thread, before this
        /// function returns if the work is done already. Drops it if that time never comes.
        call notify(token: WakeToken);
    }
}

impl Transmitter {
    /// Publishes a message with the payload `timestamp`, like GXF's `publish(message, acqtime)`:
    /// the acquisition time is the argument, in nanoseconds, and the publication time is 0. The
    /// message is sent after the tick succeeds. A message with other holders does not change; a new
    /// one that shares its other payloads is sent instead.
    #[inline]
    pub fn publish(&self, message: Message, acquisition_time: i64) -> Result<()> {
        self.publish_as_is(message.stamped(acquisition_time)?)
    }
}

impl Allocator {
    /// The raw pointers of the reference.
    pub(crate) fn raw(&self) -> (*mut c_void, *const abi::AllocatorVtable) {
        (self.object, self.vtable)
    }
}

impl Receiver {
    /// Like `receive`, but `None` if there is no message.
    #[inline]
    pub fn try_receive(&self) -> Result<Option<Message>> {
        let mut message = core::ptr::null_mut();
        // SAFETY: `HandleTarget::resolve` paired object and table and keeps both alive.
        let code = unsafe { (self.vtable.receive)(self.object, &raw mut message) };
        match code {
            ResultCode::SUCCESS => Ok(NonNull::new(message).map(|raw| {
                // SAFETY: the function succeeded, so this call owns the reference.
                unsafe { Message::from_raw(raw) }
            })),
            // An empty receiver is not an error here.
            ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE => Ok(None),
            code => check(code).map(|()| None),
        }
    }
}
