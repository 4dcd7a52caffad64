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

/// A message: a reference-counted bag of payload components. Opaque to extensions.
#[repr(C)]
#[derive(StableAbi)]
pub struct Message {
    _private: [u8; 0],
}

/// When a message was acquired and when it was published, in nanoseconds of the graph's clock.
/// Same layout as GXF's `nvidia::gxf::Timestamp`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct Timestamp {
    /// Time of publication; 0 when the sender left it to the graph.
    pub pubtime: i64,
    /// Time at which the data was acquired, for example the exposure of an image.
    pub acqtime: i64,
}

/// Says that no more messages of a stream will come. Same layout as GXF's
/// `nvidia::gxf::EndOfStream`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct EndOfStream {
    /// Which stream; -1 for "all".
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
    /// Will never run again.
    pub const NEVER: Self = Self(0);
    /// May run now.
    pub const READY: Self = Self(1);
    /// May run at some later time that nobody can name.
    pub const WAIT: Self = Self(2);
    /// May run from the target time on.
    pub const WAIT_TIME: Self = Self(3);
    /// Will run after an event from outside that somebody has promised.
    pub const WAIT_EVENT: Self = Self(4);
}

/// The answer of a scheduling term.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct Condition {
    /// Whether the entity may run.
    pub condition_type: ConditionType,
    /// Nanoseconds: for `WAIT_TIME` the time to wait for, otherwise the time of the last change.
    pub target: i64,
}

/// Why an entity is looked at again (GXF's `gxf_event_t`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct Event(pub u32);

impl Event {
    /// Meaning agreed between components.
    pub const CUSTOM: Self = Self(0);
    /// Something happened outside the graph.
    pub const EXTERNAL: Self = Self(1);
    /// Memory was given back to an allocator.
    pub const MEMORY_FREE: Self = Self(2);
    /// A message arrived or was taken.
    pub const MESSAGE_SYNC: Self = Self(3);
    /// A target time changed.
    pub const TIME_UPDATE: Self = Self(4);
    /// A scheduling term changed its state.
    pub const STATE_UPDATE: Self = Self(5);
}

/// State of an asynchronous event (GXF's enumeration of the same name).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct AsynchronousEventState(pub i32);

impl AsynchronousEventState {
    /// First tick pending.
    pub const READY: Self = Self(0);
    /// Nothing requested yet.
    pub const WAIT: Self = Self(1);
    /// Requested; an event will come.
    pub const EVENT_WAITING: Self = Self(2);
    /// The event came; the entity may run.
    pub const EVENT_DONE: Self = Self(3);
    /// The entity does not want to run again.
    pub const EVENT_NEVER: Self = Self(4);
}

/// What a controller makes of a tick (GXF's `gxf_controller_status_t`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct ControllerStatus {
    /// 0 init, 1 success, 2 running, 3 failure, 4 unknown.
    pub behavior: i32,
    /// 0 success, 1 failure that repeats, 2 failure that deactivates the entity, 3 failure.
    pub execution: i32,
}

/// What an entity's controller said last.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct EntityState {
    /// As in [`ControllerStatus`]; 0 before the first tick, 4 for an entity without a controller.
    pub behavior: i32,
    /// Padding, 0.
    pub reserved: u32,
    /// Number of verdicts so far other than "running".
    pub verdicts: u64,
}

/// Where memory lies (GXF's `MemoryStorageType`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, StableAbi)]
pub struct StorageType(pub i32);

impl StorageType {
    /// Pinned host memory, reachable by a device.
    pub const HOST: Self = Self(0);
    /// Device memory.
    pub const DEVICE: Self = Self(1);
    /// Ordinary memory of the operating system.
    pub const SYSTEM: Self = Self(2);
}

/// What an allocator has handed out. All 0 when it does not count. Since ABI 1.2.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct AllocatorStatistics {
    /// Bytes in use now.
    pub used_bytes: u64,
    /// Most bytes that were ever in use at once.
    pub peak_bytes: u64,
    /// Number of allocations so far.
    pub allocation_count: u64,
}

/// What a component needs to know about itself. Owned by the host, at the same address for the
/// whole life of the component.
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentEnvironment {
    /// `size_of::<ComponentEnvironment>()` of the host.
    pub size: usize,
    /// The graph.
    pub context: *mut Context,
    /// Entity the component belongs to.
    pub eid: Uid,
    /// The component.
    pub cid: Uid,
}

/// What a codelet is told at start, tick and stop. Valid during the call.
#[repr(C)]
#[derive(StableAbi)]
pub struct TickInfo {
    /// `size_of::<TickInfo>()` of the host.
    pub size: usize,
    /// The component.
    pub environment: *const ComponentEnvironment,
    /// Time of this execution in nanoseconds of the scheduler's clock.
    pub timestamp: i64,
    /// Time of the execution before; equal to `timestamp` at the first.
    pub previous_timestamp: i64,
    /// Number of this tick, from 1; 0 during start and when stopped before a tick.
    pub count: i64,
}

/// A component seen through one of its interfaces.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct InterfaceRef {
    /// First argument of each function of the table.
    pub object: *mut c_void,
    /// The function table, of the type the interface id stands for.
    pub vtable: *const c_void,
    /// Keeps the component's memory alive; give it back with `component_release`.
    pub owner: *mut c_void,
}

/// One payload component of a message.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct PayloadRef {
    /// Type of the payload.
    pub tid: crate::Tid,
    /// Its name; valid as long as the message.
    pub name: crate::Text,
    /// Its memory; valid as long as the message.
    pub data: *mut c_void,
    /// Size in bytes as the payload's type states it.
    pub size: usize,
    /// Alignment in bytes as the payload's type states it.
    pub alignment: usize,
}

/// Receives component ids one by one.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct UidSink {
    /// First argument of `add`.
    pub user: *mut c_void,
    /// Called for each id.
    pub add: unsafe extern "C" fn(user: *mut c_void, uid: Uid),
}

/// Receives text in one or more pieces.
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
