//! What an extension may ask of the host.

use crate::{
    CStr, Condition, Context, EntityState, Event, InterfaceRef, Message, PayloadRef, ResultCode,
    Text, Tid, Uid, UidSink, Value, ValueSink,
};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// The host's functions: GXF's C API in the form the border needs. There is one table in a
/// process, at a fixed address; it only grows at its end.
///
/// All functions may be called from any thread. Pointers to results must not be null unless said.
/// Texts that come back are valid as long as the object they describe.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTable {
    /// `size_of::<HostTable>()` of the host.
    pub size: usize,
    /// [`crate::ABI_MAJOR`] of the host.
    pub abi_major: u32,
    /// [`crate::ABI_MINOR`] of the host.
    pub abi_minor: u32,

    /// Leaves a text for the error the caller is about to return on this thread.
    pub report_error: unsafe extern "C" fn(text: Text),
    /// Text of the last failed host call on this thread; empty when there is none.
    pub last_error: unsafe extern "C" fn() -> Text,
    /// Writes a log line. `severity` 0 panic, 1 error, 2 warning, 3 info, 4 debug, 5 verbose;
    /// `file` and `module` may be null.
    pub log: unsafe extern "C" fn(severity: i32, module: CStr, file: CStr, line: u32, text: Text),
    /// Highest severity number that is written, so that callers can skip the formatting.
    pub log_severity: unsafe extern "C" fn() -> i32,

    /// Keeps the context's memory alive beyond the component that knows it.
    pub context_retain: unsafe extern "C" fn(context: *mut Context),
    /// Gives back what `context_retain` took.
    pub context_release: unsafe extern "C" fn(context: *mut Context),

    /// Creates an entity; empty `name`: the host makes one up. `ARGUMENT_INVALID` for a name that
    /// is in use.
    pub entity_create:
        unsafe extern "C" fn(context: *mut Context, name: Text, eid: *mut Uid) -> ResultCode,
    /// Finds an entity by name.
    pub entity_find:
        unsafe extern "C" fn(context: *mut Context, name: Text, eid: *mut Uid) -> ResultCode,
    /// Name of an entity.
    pub entity_name:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, name: *mut Text) -> ResultCode,
    /// Checks and initialises the entity's components and hands it to the scheduler.
    pub entity_activate: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> ResultCode,
    /// Stops the entity and deinitialises its components.
    pub entity_deactivate: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> ResultCode,
    /// Deactivates the entity if need be and removes it.
    pub entity_destroy: unsafe extern "C" fn(context: *mut Context, eid: Uid) -> ResultCode,
    /// Makes the scheduler look at the entity again.
    pub entity_notify:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, event: Event) -> ResultCode,
    /// Executes an entity once at time `now`, for schedulers that live in extensions.
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
    /// Finds a component of an entity from position `*offset` on and moves `*offset` to it. A null
    /// `tid` fits every type, a `name` without data every name; `offset` may be null.
    pub component_find: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        tid: Tid,
        name: Text,
        offset: *mut i32,
        cid: *mut Uid,
    ) -> ResultCode,
    /// All components of an entity, in the order of their addition.
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
    /// Address of a component that is of type `tid` or derived from it. The result's `vtable` is
    /// null; give its `owner` back with `component_release`.
    pub component_pointer: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        tid: Tid,
        result: *mut InterfaceRef,
    ) -> ResultCode,
    /// A component seen through the interface `id`; give the result's `owner` back with
    /// `component_release`.
    pub component_interface: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        id: Tid,
        result: *mut InterfaceRef,
    ) -> ResultCode,
    /// One more user of an `owner`.
    pub component_retain: unsafe extern "C" fn(owner: *mut c_void),
    /// One user less of an `owner`.
    pub component_release: unsafe extern "C" fn(owner: *mut c_void),

    /// Id of the type with this full name.
    pub type_id:
        unsafe extern "C" fn(context: *mut Context, name: Text, tid: *mut Tid) -> ResultCode,
    /// Full name of a type.
    pub type_name:
        unsafe extern "C" fn(context: *mut Context, tid: Tid, name: *mut Text) -> ResultCode,
    /// Whether `base` is `derived` itself or one of its bases.
    pub type_is_base: unsafe extern "C" fn(
        context: *mut Context,
        derived: Tid,
        base: Tid,
        result: *mut bool,
    ) -> ResultCode,

    /// Sets a parameter. A null `value` takes the value away.
    pub parameter_set: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        key: Text,
        value: *const Value,
    ) -> ResultCode,
    /// Hands the value of a parameter to `sink`; `PARAMETER_NOT_INITIALIZED` when it has none.
    pub parameter_get: unsafe extern "C" fn(
        context: *mut Context,
        cid: Uid,
        key: Text,
        sink: ValueSink,
    ) -> ResultCode,

    /// A new, empty message with one reference.
    pub message_new:
        unsafe extern "C" fn(context: *mut Context, message: *mut *mut Message) -> ResultCode,
    /// One reference more.
    pub message_retain: unsafe extern "C" fn(message: *mut Message),
    /// One reference less; the last one destroys the payload.
    pub message_release: unsafe extern "C" fn(message: *mut Message),
    /// Number of references, for "am I the only one?".
    pub message_reference_count: unsafe extern "C" fn(message: *mut Message) -> u32,
    /// Id of the message as GXF's C API shows it.
    pub message_id: unsafe extern "C" fn(message: *mut Message) -> Uid,
    /// The message with this id, with one more reference; `ENTITY_NOT_FOUND` for a stale id.
    pub message_from_id: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Adds a payload of type `tid`. Only whoever holds the sole reference may do this.
    pub message_add: unsafe extern "C" fn(
        message: *mut Message,
        tid: Tid,
        name: Text,
        payload: *mut PayloadRef,
    ) -> ResultCode,
    /// Finds a payload from position `start` on. A null `tid` fits every type, a `name` without
    /// data every name.
    pub message_find: unsafe extern "C" fn(
        message: *mut Message,
        tid: Tid,
        name: Text,
        start: usize,
        payload: *mut PayloadRef,
    ) -> ResultCode,
    /// Number of payloads.
    pub message_count: unsafe extern "C" fn(message: *mut Message) -> usize,
    /// The payload at a position, in the order of addition.
    pub message_at: unsafe extern "C" fn(
        message: *mut Message,
        index: usize,
        payload: *mut PayloadRef,
    ) -> ResultCode,
    /// Removes the payload at a position. Only whoever holds the sole reference may do this.
    pub message_remove: unsafe extern "C" fn(message: *mut Message, index: usize) -> ResultCode,

    /// Gives a message the payload `timestamp` with this acquisition time and publication time 0,
    /// in place of the one it may have. Takes over the reference of `message`; the result is the
    /// same message, or, when others hold it too, one that shares its other payloads.
    pub message_stamp: unsafe extern "C" fn(
        message: *mut Message,
        acquisition_time: i64,
        stamped: *mut *mut Message,
    ) -> ResultCode,

    /// Names the receivers a transmitter is connected to. Routes are known before any component is
    /// initialised.
    pub transmitter_receivers:
        unsafe extern "C" fn(context: *mut Context, cid: Uid, sink: UidSink) -> ResultCode,

    /// Asks the running graph to stop, as `GxfGraphInterrupt` does.
    pub graph_interrupt: unsafe extern "C" fn(context: *mut Context) -> ResultCode,

    // --- end of ABI 1.0 ---
    /// Version of the host as text, for log lines and reports. Since ABI 1.1.
    pub host_version: unsafe extern "C" fn() -> CStr,
    /// What the entity's controller said last. Since ABI 1.1.
    pub entity_state: unsafe extern "C" fn(
        context: *mut Context,
        eid: Uid,
        state: *mut EntityState,
    ) -> ResultCode,
    /// Where the entity's execution stands, as GXF's `gxf_entity_status_t`. Since ABI 1.1.
    pub entity_status:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, status: *mut i32) -> ResultCode,
    /// Lets the scheduler look at `observer` again after each verdict on `eid` other than
    /// "running", until the graph is deactivated. Both must be active and have codelets. Since ABI 1.1.
    pub entity_observe:
        unsafe extern "C" fn(context: *mut Context, eid: Uid, observer: Uid) -> ResultCode,

    // --- end of ABI 1.1 ---
    /// Fills an empty message with the payloads of another one, which they share; the timestamp is
    /// copied. Only whoever holds the sole reference of `message` may do this. Since ABI 1.2.
    pub message_share:
        unsafe extern "C" fn(message: *mut Message, source: *mut Message) -> ResultCode,
}
