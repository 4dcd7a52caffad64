//! Plain data both sides read and write.

use crate::Uid;
use abi_stable::StableAbi;
use core::ffi::c_void;

/// A context: one graph and everything it owns. Opaque to extensions.
#[repr(C)]
#[derive(StableAbi)]
pub struct Context {
    _private: [u8; 0],
}

/// A message: a reference-counted set of payload components. Opaque to extensions.
#[repr(C)]
#[derive(StableAbi)]
pub struct Message {
    _private: [u8; 0],
}

/// The right to wake an entity once. Counted: each holder owns a reference. Opaque to extensions.
/// Since ABI 1.4.
#[repr(C)]
#[derive(StableAbi)]
pub struct WakeToken {
    _private: [u8; 0],
}

/// When a message was acquired and when it was published, in nanoseconds of the graph's clock.
/// Same layout as GXF's `nvidia::gxf::Timestamp`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct Timestamp {
    /// Publication time; 0 if the sender leaves it to the graph.
    pub pubtime: i64,
    /// Acquisition time of the data, for example the exposure of an image.
    pub acqtime: i64,
}

/// Marks the end of a stream: no more messages follow. Same layout as GXF's
/// `nvidia::gxf::EndOfStream`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct EndOfStream {
    /// Id of the stream; -1 for all streams.
    pub stream_id: i64,
}

impl Default for EndOfStream {
    fn default() -> Self {
        Self { stream_id: -1 }
    }
}

/// Whether an entity may run (GXF's `SchedulingConditionType`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StableAbi)]
pub struct ConditionType(pub i32);

impl ConditionType {
    /// Never runs again.
    pub const NEVER: Self = Self(0);
    /// Can run now.
    pub const READY: Self = Self(1);
    /// Waits, for an unknown time.
    pub const WAIT: Self = Self(2);
    /// Can run from the target time on.
    pub const WAIT_TIME: Self = Self(3);
    /// Waits for an event from outside the graph.
    pub const WAIT_EVENT: Self = Self(4);
}

/// A scheduling term's answer.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct Condition {
    /// Whether the entity can run.
    pub condition_type: ConditionType,
    /// Nanoseconds of the scheduler's clock. For `WAIT_TIME`, the time to wait for; otherwise the
    /// time of the last change.
    pub target: i64,
}

/// The reason to check an entity again (GXF's `gxf_event_t`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct Event(pub u32);

impl Event {
    /// The sending and receiving components define the meaning.
    pub const CUSTOM: Self = Self(0);
    /// An event outside the graph.
    pub const EXTERNAL: Self = Self(1);
    /// An allocator got memory back.
    pub const MEMORY_FREE: Self = Self(2);
    /// A message arrived, or a codelet took one.
    pub const MESSAGE_SYNC: Self = Self(3);
    /// A target time changed.
    pub const TIME_UPDATE: Self = Self(4);
    /// A scheduling term changed its state.
    pub const STATE_UPDATE: Self = Self(5);
}

/// State of an asynchronous event (GXF's `AsynchronousEventState`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct AsynchronousEventState(pub i32);

impl AsynchronousEventState {
    /// The first tick is pending.
    pub const READY: Self = Self(0);
    /// No request yet.
    pub const WAIT: Self = Self(1);
    /// Requested; waits for the event.
    pub const EVENT_WAITING: Self = Self(2);
    /// The event occurred; the entity can run.
    pub const EVENT_DONE: Self = Self(3);
    /// The entity never runs again.
    pub const EVENT_NEVER: Self = Self(4);
}

/// State of a link, see [`crate::LinkVtable`]. Since ABI 1.5.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct LinkState(pub i32);

impl LinkState {
    /// It was never connected yet.
    pub const OPENING: Self = Self(0);
    /// It brings or takes messages, at least after an interruption.
    pub const OPEN: Self = Self(1);
    /// It never brings or takes a message again.
    pub const ENDED: Self = Self(2);
}

/// What went over a link, see [`crate::LinkVtable`]. Since ABI 1.5.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct LinkStatistics {
    /// Messages sent, or received.
    pub messages: u64,
    /// Their bytes on the wire; 0 if they are handed over within the process.
    pub bytes: u64,
    /// Messages that wait: to be sent or acknowledged, or to be taken.
    pub queued: u64,
    /// Messages that the transmitter may send before it hears from the receiver again.
    pub credits: u64,
    /// Latest round trip in nanoseconds; 0 if there was none.
    pub round_trip: u64,
    /// Connections after the first one.
    pub reconnects: u64,
    /// Messages that were lost: by the queue's policy, or with the peer.
    pub dropped: u64,
}

/// What an end of a link has counted, see [`crate::CountedLinkVtable`]. While nothing is on its way,
/// both ends have the same numbers. Since ABI 1.10.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct LinkCounts {
    /// Identifies the transmitter's run, and with it the link; 0 before the first connection.
    pub run: u64,
    /// Messages that the transmitter sent, or that arrived.
    pub messages: u64,
    /// A number that grows with the room that the receiver made known, or of which the transmitter
    /// has heard.
    pub room: u64,
}

/// A controller's verdict on a tick (GXF's `gxf_controller_status_t`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct ControllerStatus {
    /// 0 init, 1 success, 2 running, 3 failure, 4 unknown.
    pub behavior: i32,
    /// 0 success; 1 failure, repeat; 2 failure, deactivate the entity; 3 failure.
    pub execution: i32,
}

/// The latest verdict of an entity's controller.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct EntityState {
    /// As in [`ControllerStatus`]; 0 before the first tick, 4 for an entity without a controller.
    pub behavior: i32,
    /// Padding, 0.
    pub reserved: u32,
    /// Number of verdicts so far, not counting "running".
    pub verdicts: u64,
}

/// Kind of memory (GXF's `MemoryStorageType`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct StorageType(pub i32);

impl StorageType {
    /// Pinned host memory, which a device can access.
    pub const HOST: Self = Self(0);
    /// Device memory.
    pub const DEVICE: Self = Self(1);
    /// Ordinary system memory.
    pub const SYSTEM: Self = Self(2);
    /// Memory that CUDA moves between host and device as it is used. Since ABI 1.6.
    pub const CUDA_MANAGED: Self = Self(3);
}

/// An allocator's counters. All 0 if it does not count. Since ABI 1.2.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct AllocatorStatistics {
    /// Bytes in use.
    pub used_bytes: u64,
    /// Highest number of bytes in use at once.
    pub peak_bytes: u64,
    /// Number of allocations so far.
    pub allocation_count: u64,
}

/// A component's own ids. The host owns this structure and keeps it at the same address for the
/// whole life of the component.
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentEnvironment {
    /// The host's `size_of::<ComponentEnvironment>()`.
    pub size: usize,
    /// The graph.
    pub context: *mut Context,
    /// The component's entity.
    pub eid: Uid,
    /// The component's id.
    pub cid: Uid,
}

/// Information about a codelet's start, tick or stop. Valid during the call.
#[repr(C)]
#[derive(StableAbi)]
pub struct TickInfo {
    /// The host's `size_of::<TickInfo>()`.
    pub size: usize,
    /// The codelet's environment.
    pub environment: *const ComponentEnvironment,
    /// Time of this execution in nanoseconds of the scheduler's clock.
    pub timestamp: i64,
    /// Time of the previous execution; equal to `timestamp` the first time.
    pub previous_timestamp: i64,
    /// Number of this tick, counting from 1; 0 during start, and during stop if no tick came
    /// before.
    pub count: i64,
}

/// A reference to a component through one of its interfaces.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct InterfaceRef {
    /// First argument of every function in the table.
    pub object: *mut c_void,
    /// The interface's function table.
    pub vtable: *const c_void,
    /// Keeps the component's memory alive. Release it with `component_release`.
    pub owner: *mut c_void,
}

/// One payload component of a message.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct PayloadRef {
    /// Type of the payload.
    pub tid: crate::Tid,
    /// Name; valid as long as the message.
    pub name: crate::Text,
    /// The payload; valid as long as the message.
    pub data: *mut c_void,
    /// Size in bytes, as its type declares.
    pub size: usize,
    /// Alignment in bytes, as its type declares.
    pub alignment: usize,
}

/// A function to be called any number of times, from any thread.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct Callback {
    /// First argument of both functions.
    pub user: *mut c_void,
    /// The function; null to call nothing.
    pub call: Option<unsafe extern "C" fn(user: *mut c_void)>,
    /// Called once, after the last call; may be null.
    pub release: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

/// Receives ids one at a time.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct UidSink {
    /// First argument of `add`.
    pub user: *mut c_void,
    /// Called for each id.
    pub add: unsafe extern "C" fn(user: *mut c_void, uid: Uid),
}

/// Receives text, possibly in several pieces.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct TextSink {
    /// First argument of `write`.
    pub user: *mut c_void,
    /// Called for each piece.
    pub write: unsafe extern "C" fn(user: *mut c_void, text: crate::Text),
}

/// Receives a parameter value.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct ValueSink {
    /// First argument of `accept`.
    pub user: *mut c_void,
    /// Called once; the value is valid during the call.
    pub accept: unsafe extern "C" fn(user: *mut c_void, value: *const crate::Value),
}
