//! The functions that the host offers to extensions. [`HostTable`] is complete: later functions
//! are in tables of their own, which [`HostTable::host_interface`] finds.

use crate::{
    CStr, Condition, Context, EntityState, Event, InterfaceRef, Message, PayloadRef, ResultCode,
    Text, Tid, Uid, UidSink, Value, ValueSink, WakeToken,
};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// The host's functions: GXF's C API in the form of a table. A process has one table, at a fixed
/// address.
///
/// All functions may be called from any thread. Pointers to results must not be null unless the
/// function says so. Returned texts are valid as long as the object they describe.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTable {
    /// The host's `size_of::<HostTable>()`.
    pub size: usize,
    /// The host's [`crate::ABI_MAJOR`].
    pub abi_major: u32,
    /// The host's [`crate::ABI_MINOR`].
    pub abi_minor: u32,

    /// Stores a text for the error that the caller is about to return on this thread.
    pub report_error: unsafe extern "C" fn(text: Text),
    /// Text of the last failed host call on this thread; empty if there is none.
    pub last_error: unsafe extern "C" fn() -> Text,
    /// Writes a log line. `severity` is 0 for panic, 1 error, 2 warning, 3 info, 4 debug, 5
    /// verbose. `file` and `module` may be null.
    pub log: unsafe extern "C" fn(severity: i32, module: CStr, file: CStr, line: u32, text: Text),
    /// Highest severity number that the log writes. Callers can skip formatting beyond it.
    pub log_severity: unsafe extern "C" fn() -> i32,

    /// Adds a reference to the context, so its memory outlives the component.
    pub context_retain: unsafe extern "C" fn(context: *mut Context),
    /// Releases a reference from `context_retain`.
    pub context_release: unsafe extern "C" fn(context: *mut Context),

    /// Creates an entity. If `name` is empty, the host chooses one. `ARGUMENT_INVALID` if the name
    /// is in use.
    pub entity_create:
        unsafe extern "C" fn(context: *mut Context, name: Text, eid: *mut Uid) -> ResultCode,
    /// Finds an entity by name.
    pub entity_find:
        unsafe extern "C" fn(context: *mut Context, name: Text, eid: *mut Uid) -> ResultCode,
    /// Name of an entity.
    pub entity_name:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, name: *mut Text) -> ResultCode,
    /// Checks and initialises the entity's components and passes the entity to the scheduler.
    pub entity_activate: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> ResultCode,
    /// Stops the entity and deinitialises its components.
    pub entity_deactivate: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> ResultCode,
    /// Removes the entity, deactivating it first if it is active.
    pub entity_destroy: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> ResultCode,
    /// Makes the scheduler check the entity again.
    pub entity_notify:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, event: Event) -> ResultCode,
    /// Executes an entity once at time `now`, in nanoseconds of the scheduler's clock. For
    /// schedulers in extensions.
    pub entity_execute: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        now: i64,
        condition: *mut Condition,
    ) -> ResultCode,

    /// Adds a component to an entity that is not active.
    pub component_add: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        tid: Tid,
        name: Text,
        cid: *mut Uid,
    ) -> ResultCode,
    /// Finds a component of an entity, starting at position `*offset`, and sets `*offset` to its
    /// position. A null `tid` matches every type, a `name` without data every name. `offset` may be
    /// null.
    pub component_find: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        tid: Tid,
        name: Text,
        offset: *mut i32,
        cid: *mut Uid,
    ) -> ResultCode,
    /// All components of an entity, in the order in which they were added.
    pub component_find_all:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, sink: UidSink) -> ResultCode,
    /// Type of a component.
    pub component_type:
        unsafe extern "C" fn(context: *mut Context, cid: Uid, tid: *mut Tid) -> ResultCode,
    /// Name of a component.
    pub component_name:
        unsafe extern "C" fn(context: *mut Context, cid: Uid, name: *mut Text) -> ResultCode,
    /// Entity of a component.
    pub component_entity:
        unsafe extern "C" fn(context: *mut Context, cid: Uid, eid: *mut Uid) -> ResultCode,
    /// Address of a component of type `tid` or of a type derived from it. The result's `vtable` is
    /// null. Release its `owner` with `component_release`.
    pub component_pointer: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        tid: Tid,
        result: *mut InterfaceRef,
    ) -> ResultCode,
    /// A component's interface `id`. Release the result's `owner` with `component_release`.
    pub component_interface: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        id: Tid,
        result: *mut InterfaceRef,
    ) -> ResultCode,
    /// Adds a reference to an `owner`.
    pub component_retain: unsafe extern "C" fn(owner: *mut c_void),
    /// Releases a reference to an `owner`.
    pub component_release: unsafe extern "C" fn(owner: *mut c_void),

    /// Id of the type with this full name.
    pub type_id:
        unsafe extern "C" fn(context: *mut Context, name: Text, tid: *mut Tid) -> ResultCode,
    /// Full name of a type.
    pub type_name:
        unsafe extern "C" fn(context: *mut Context, tid: Tid, name: *mut Text) -> ResultCode,
    /// Whether `base` is `derived` or one of its bases.
    pub type_is_base: unsafe extern "C" fn(
        context: *mut Context,
        derived: Tid,
        base: Tid,
        result: *mut bool,
    ) -> ResultCode,

    /// Sets a parameter. A null `value` removes the current value.
    pub parameter_set: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        key: Text,
        value: *const Value,
    ) -> ResultCode,
    /// Passes the value of a parameter to `sink`. `PARAMETER_NOT_INITIALIZED` if it has none.
    pub parameter_get: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        key: Text,
        sink: ValueSink,
    ) -> ResultCode,

    /// Creates an empty message with one reference.
    pub message_new:
        unsafe extern "C" fn(context: *mut Context, message: *mut *mut Message) -> ResultCode,
    /// Adds a reference.
    pub message_retain: unsafe extern "C" fn(message: *mut Message),
    /// Releases a reference; releasing the last one destroys the payloads.
    pub message_release: unsafe extern "C" fn(message: *mut Message),
    /// Number of references.
    pub message_reference_count: unsafe extern "C" fn(message: *mut Message) -> u32,
    /// Id of the message in GXF's C API.
    pub message_id: unsafe extern "C" fn(message: *mut Message) -> Uid,
    /// The message with this id, with an added reference. `ENTITY_NOT_FOUND` for a stale id.
    pub message_from_id: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Adds a payload of type `tid`. The caller must hold the only reference.
    pub message_add: unsafe extern "C" fn(
        message: *mut Message,
        tid: Tid,
        name: Text,
        payload: *mut PayloadRef,
    ) -> ResultCode,
    /// Finds a payload, starting at position `start`. A null `tid` matches every type, a `name`
    /// without data every name.
    pub message_find: unsafe extern "C" fn(
        message: *mut Message,
        tid: Tid,
        name: Text,
        start: usize,
        payload: *mut PayloadRef,
    ) -> ResultCode,
    /// Number of payloads.
    pub message_count: unsafe extern "C" fn(message: *mut Message) -> usize,
    /// The payload at a position, in the order in which they were added.
    pub message_at: unsafe extern "C" fn(
        message: *mut Message,
        index: usize,
        payload: *mut PayloadRef,
    ) -> ResultCode,
    /// Removes the payload at a position. The caller must hold the only reference.
    pub message_remove: unsafe extern "C" fn(message: *mut Message, index: usize) -> ResultCode,

    /// Sets the payload `timestamp` to this acquisition time and publication time 0. Consumes the
    /// caller's reference to `message`. Returns the same message if that was the only reference;
    /// otherwise a new message that shares the other payloads.
    pub message_stamp: unsafe extern "C" fn(
        message: *mut Message,
        acquisition_time: i64,
        stamped: *mut *mut Message,
    ) -> ResultCode,

    /// Lists the receivers that a transmitter is connected to. Routes are known before any
    /// component is initialised.
    pub transmitter_receivers:
        unsafe extern "C" fn(context: *mut Context, cid: Uid, sink: UidSink) -> ResultCode,

    /// Asks the running graph to stop, like `GxfGraphInterrupt`.
    pub graph_interrupt: unsafe extern "C" fn(context: *mut Context) -> ResultCode,

    // --- end of ABI 1.0 ---
    /// Version of the host, for log lines and reports. Since ABI 1.1.
    pub host_version: unsafe extern "C" fn() -> CStr,
    /// Latest verdict of the entity's controller. Since ABI 1.1.
    pub entity_state: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        state: *mut EntityState,
    ) -> ResultCode,
    /// Execution status of the entity, GXF's `gxf_entity_status_t`. Since ABI 1.1.
    pub entity_status:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, status: *mut i32) -> ResultCode,
    /// Makes the scheduler check `observer` again after each verdict on `eid` other than "running",
    /// until the graph is deactivated. Both must be active and have codelets. Since ABI 1.1.
    pub entity_observe:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, observer: Uid) -> ResultCode,

    // --- end of ABI 1.1 ---
    /// Fills an empty message with the payloads of another one. The two share the payloads; the
    /// timestamp is copied. The caller must hold the only reference to `message`. Since ABI 1.2.
    pub message_share:
        unsafe extern "C" fn(message: *mut Message, source: *mut Message) -> ResultCode,

    // --- end of ABI 1.2 ---
    /// Makes a token that wakes an entity, with one reference. All references together wake it
    /// once; a part of the program that may be the one to do so gets a reference of its own. The
    /// token does not keep the graph alive: once the entity is inactive or its context is gone,
    /// using it does nothing. Since ABI 1.4.
    pub wake_token_new: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        token: *mut *mut WakeToken,
    ) -> ResultCode,
    /// Adds a reference. Since ABI 1.4.
    pub wake_token_retain: unsafe extern "C" fn(token: *mut WakeToken),
    /// Makes the scheduler check the entity again, unless another reference already did, and
    /// releases a reference. Does not block: may be called where the caller must return soon, such
    /// as a callback of a driver. Since ABI 1.4.
    pub wake_token_use: unsafe extern "C" fn(token: *mut WakeToken),
    /// Releases a reference without waking the entity. Since ABI 1.4.
    pub wake_token_release: unsafe extern "C" fn(token: *mut WakeToken),
    /// Ends the graph with an error of the component `cid`, for work that fails outside the
    /// component's calls. Running ticks finish first. In a graph that does not run yet, the next
    /// run ends with the error. The host copies `text`, which may be empty.
    /// `INVALID_EXECUTION_SEQUENCE` if the graph is not active. Since ABI 1.4.
    pub entity_fail: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        code: ResultCode,
        text: Text,
    ) -> ResultCode,
    /// A table of further host functions, which lives as long as the process; null if the host does
    /// not have it. Since ABI 1.4.
    pub host_interface: unsafe extern "C" fn(id: Tid) -> *const c_void,
}

/// `gxe::Trace`: records what an extension does outside its calls. A table of the host. Since ABI
/// 1.4.
#[repr(C)]
#[derive(StableAbi)]
pub struct TraceTable {
    /// The host's `size_of::<TraceTable>()`.
    pub size: usize,
    /// Whether a trace of this graph is being recorded. Costs one load.
    pub is_on: unsafe extern "C" fn(context: *mut Context) -> bool,
    /// The trace's time: nanoseconds of `CLOCK_MONOTONIC`.
    pub now: unsafe extern "C" fn() -> i64,
    /// Records a span of time. The trace shows the tracks of a `group`, which names the feature,
    /// side by side. Spans of one track must not overlap, except that one contains the other. Does
    /// nothing if no trace is being recorded. `group`, `track` and `name` are copied; use few
    /// different ones, because a trace has limited room for them.
    pub span: unsafe extern "C" fn(
        context: *mut Context,
        group: Text,
        track: Text,
        name: Text,
        begin: i64,
        end: i64,
    ),
}

/// `gxe::TraceLinks`: records what goes over links to other graphs and processes, so that traces of
/// several processes become one. A table of the host. Since ABI 1.8.
#[repr(C)]
#[derive(StableAbi)]
pub struct TraceLinkTable {
    /// The host's `size_of::<TraceLinkTable>()`.
    pub size: usize,
    /// Records now that message `sequence` left, or has arrived. Both ends of a link give it the
    /// same number `link`, which no other link has. `track` names the end and is copied. Does
    /// nothing if no trace is being recorded.
    pub passed: unsafe extern "C" fn(
        context: *mut Context,
        track: Text,
        link: u64,
        sequence: u64,
        has_arrived: bool,
    ),
    /// Records that `CLOCK_MONOTONIC` of the other end is ahead of this one by `offset`
    /// nanoseconds, give or take `error`. Does nothing if no trace is being recorded.
    pub clock: unsafe extern "C" fn(
        context: *mut Context,
        track: Text,
        link: u64,
        offset: i64,
        error: u64,
    ),
}

/// `gxe::Devices`: which device an entity uses. A table of the host. Since ABI 1.6.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceTable {
    /// The host's `size_of::<DeviceTable>()`.
    pub size: usize,
    /// Number of the CUDA device of an entity: that of the first GPUDevice in its group. -1 if the
    /// group has none.
    pub device_of: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> i32,
}

/// `gxe::PendingWork`: work outside the graph that changes what entities can do, and that no entity
/// waits for by itself, such as a device that is about to give memory back. While there is some, an
/// idle graph is not in a deadlock. A table of the host. Since ABI 1.7.
#[repr(C)]
#[derive(StableAbi)]
pub struct PendingWorkTable {
    /// The host's `size_of::<PendingWorkTable>()`.
    pub size: usize,
    /// Work begins that matters to the graph of `context`, or, if that is null, to the graph that the
    /// calling thread executes. Null if there is no such graph, or it does not run.
    pub begin: unsafe extern "C" fn(context: *mut Context) -> *mut c_void,
    /// The work of a `begin` is over, and its effects are visible. Does not block; from any thread,
    /// once.
    pub end: unsafe extern "C" fn(work: *mut c_void),
}
