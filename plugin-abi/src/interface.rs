//! The interfaces: one function table a GXF base type, found by the type id of that base.
//!
//! The first argument of every function is the component's address plus the offset of its
//! [`crate::InterfaceEntry`]. Codelets are called by one thread at a time. Every other interface
//! may be called from several threads at once, with two exceptions: terms, controllers and
//! combiners are asked by the thread that executes their entity, and `initialize` /
//! `deinitialize` come before and after every other call.
//!
//! A function of type `Option` may be null: the interface then behaves as its description says.

use crate::{
    AllocatorStatistics, AsynchronousEventState, ComponentEnvironment, Condition, ControllerStatus,
    Event, MemoryBuffer, Message, ResultCode, StorageType, Text, TextSink, TickInfo, Tid, Uid,
    UidSink, Value,
};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Type ids of GXF's base types, which are also the ids of the interfaces.
pub mod tids {
    use crate::Tid;

    macro_rules! tids {
        ($($(#[doc = $doc:literal])* $name:ident = $hash1:literal $hash2:literal;)*) => {
            $($(#[doc = $doc])* pub const $name: Tid = Tid::new($hash1, $hash2);)*

            /// All of them: the constant's name, the id, the type.
            pub const ALL: &[(&str, Tid, &str)] =
                &[$((stringify!($name), $name, concat!($($doc),*).trim_ascii())),*];
        };
    }

    tids! {
        /// `nvidia::gxf::Component`
        COMPONENT = 0x75bf23d5199843b7 0xbaaf16853d783bd1;
        /// `nvidia::gxf::Codelet`
        CODELET = 0x5c6166fa6eed41e7 0xbbf0bd48cd6e1014;
        /// `nvidia::gxf::Queue`
        QUEUE = 0x792151bf31384603 0xa9125ca91828dea8;
        /// `nvidia::gxf::Receiver`
        RECEIVER = 0xa47d2f62245f40fc 0x90b75dc78ff2437e;
        /// `nvidia::gxf::Transmitter`
        TRANSMITTER = 0xc30cc60f0db2409d 0x92b6b2db92e02cce;
        /// `nvidia::gxf::SchedulingTerm`
        SCHEDULING_TERM = 0x184d8e4e086c475a 0x903a69d723f95d19;
        /// `nvidia::gxf::SchedulingTermCombiner`
        SCHEDULING_TERM_COMBINER = 0x4c3f39b042ed11ef 0xa7d5dbe22043a6f1;
        /// `nvidia::gxf::BooleanSchedulingTerm`
        BOOLEAN_SCHEDULING_TERM = 0xe07a0dc439084df8 0x81347ce38e60fbef;
        /// `nvidia::gxf::AsynchronousSchedulingTerm`
        ASYNCHRONOUS_SCHEDULING_TERM = 0x56be1662ff634179 0x92003fcd8dc38673;
        /// `nvidia::gxf::TargetTimeSchedulingTerm`
        TARGET_TIME_SCHEDULING_TERM = 0xe4aaf5c32b104c9a 0xc463ebf6084149bf;
        /// `nvidia::gxf::BTSchedulingTerm`
        BT_SCHEDULING_TERM = 0x0161ca512fed4a8c 0x8f2467cf1b5e330a;
        /// `nvidia::gxf::Allocator`
        ALLOCATOR = 0x3cdd82d023264867 0x8de2d565dbe28e03;
        /// `nvidia::gxf::Clock`
        CLOCK = 0x779e61c2ae70441d 0xa26c8ca64b39f8e7;
        /// `nvidia::gxf::Router`
        ROUTER = 0x8b317aadf55c4c07 0x85208f66db92a19e;
        /// `nvidia::gxf::NetworkContext`
        NETWORK_CONTEXT = 0xd589ce20f3a74fc0 0xaa4ed6f40f6c0eeb;
        /// `nvidia::gxf::System`
        SYSTEM = 0xd1febca180df454e 0xa3f2715f2b3c6e69;
        /// `nvidia::gxf::Scheduler`
        SCHEDULER = 0xf0103b75d2e14d70 0x9b133fe5b40209be;
        /// `nvidia::gxf::Controller`
        CONTROLLER = 0xc8e804753c7943a4 0x9083eaf294b0600d;
        /// `nvidia::gxf::Monitor`
        MONITOR = 0x9ccf9421b35b8c79 0xe1f097dc23bd38ea;
        /// `nvidia::gxf::ComponentSerializer`
        COMPONENT_SERIALIZER = 0x8c76a82821771484 0xf841d39c3fa47613;
        /// `nvidia::gxf::EntitySerializer`
        ENTITY_SERIALIZER = 0xfd7892f70464e591 0xdef388d77c8dde70;
        /// `nvidia::gxf::Endpoint`
        ENDPOINT = 0x801449dd1657513f 0xa3f8f648047583d0;
        /// `nvidia::gxf::IPCServer`
        IPC_SERVER = 0x00e6f23d0bf64c1c 0xada5630c711d3be1;
        /// `nvidia::gxf::IPCClient`
        IPC_CLIENT = 0x6f3cf830762849a6 0xb925f94171b019da;
        /// `nvidia::gxf::ResourceBase`; an interface without functions
        RESOURCE_BASE = 0x76b9234d5eac4c65 0xb1a10306d3f354e5;
        /// `nvidia::gxf::RealtimeClock`
        REALTIME_CLOCK = 0x7b170b7bcf1a4f3f 0x997cbfea25342381;
        /// `nvidia::gxf::SyntheticClock`
        SYNTHETIC_CLOCK = 0x9a2bfd7b2d8479b4 0xbc71f47eb53f28c8;
        /// `nvidia::gxf::Vault`
        VAULT = 0x1108cb8d85e44303 0xba02d27406ee9e65;
        /// `nvidia::gxf::Metric`
        METRIC = 0xf7cef8035beb46f1 0x186a05d3919842ac;
        /// `nvidia::gxf::File`
        FILE = 0xc132f22c1ed16c0f 0xed53c63bf9b28354;
        /// `nvidia::gxf::SerializationBuffer`
        SERIALIZATION_BUFFER = 0xcb253dcecce62ff4 0x84ef3cf1db6e24a3;
        /// `nvidia::gxf::EndOfStream`
        END_OF_STREAM = 0x8c42f7bf70414626 0x97929eb20ce33cce;
        /// `nvidia::gxf::Timestamp`
        TIMESTAMP = 0xd1095b105c904bbc 0xbc89601134cb4e03;
        /// `nvidia::gxf::Tensor`
        TENSOR = 0x377501d69abf447c 0xa6170114d4f33ab8;
        /// `nvidia::gxf::Shape`
        SHAPE = 0x469cc839a6ab470b 0x9d09b8bf978c13cd;
        /// `nvidia::gxf::MultiSourceTimestamp`
        MULTI_SOURCE_TIMESTAMP = 0x872e77ecbde811ed 0xafa10242ac120002;
        /// `nvidia::gxf::VideoBuffer`
        VIDEO_BUFFER = 0x16ad58c8b463422c 0xb09761a9acc5050e;
        /// `nvidia::gxf::AudioBuffer`
        AUDIO_BUFFER = 0xa914cac65f19449d 0x9ade8c5cdcebe7c3;
        /// `nvidia::gxf::CameraModel`
        CAMERA_MODEL = 0xbac444bdf13b4927 0x85c1db5e1947f890;
        /// `nvidia::gxf::Pose3D`
        POSE_3D = 0xda8387d9d8ab425f 0x909b814694f148ef;
    }
}

/// `nvidia::gxf::Component`: what every component has.
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentVtable {
    /// `size_of::<ComponentVtable>()` of the implementor.
    pub size: usize,
    /// Stores the value of the parameter at `index`; a null `value` takes it away. Called before
    /// `initialize` and, for a codelet, between two ticks. Null: the type has no parameters.
    pub set_parameter: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            environment: *const ComponentEnvironment,
            index: usize,
            value: *const Value,
        ) -> ResultCode,
    >,
    /// Drops the parameter values that lead to other components, which may lead back here. The
    /// component is part of no graph any more, but whoever has a handle to it may still call it.
    /// Null: nothing to do.
    pub clear_parameters: Option<unsafe extern "C" fn(object: *mut c_void)>,
    /// Light initialisation; all parameters are set. Null: nothing to do.
    pub initialize: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            environment: *const ComponentEnvironment,
        ) -> ResultCode,
    >,
    /// Undoes `initialize`. Null: nothing to do.
    pub deinitialize: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            environment: *const ComponentEnvironment,
        ) -> ResultCode,
    >,
    /// Whether the values of the parameters, which are all set, are possible together; an error says
    /// what is not. Called before any component of the graph is initialised, and by tools that do
    /// not run the graph; changes nothing. Null: they are. Since ABI 1.3.
    pub check_parameters: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            environment: *const ComponentEnvironment,
        ) -> ResultCode,
    >,
}

/// `nvidia::gxf::Codelet`: a piece of work.
#[repr(C)]
#[derive(StableAbi)]
pub struct CodeletVtable {
    /// `size_of::<CodeletVtable>()` of the implementor.
    pub size: usize,
    /// Acquires what ticks need. Null: nothing to do.
    pub start:
        Option<unsafe extern "C" fn(object: *mut c_void, info: *const TickInfo) -> ResultCode>,
    /// Works once.
    pub tick: unsafe extern "C" fn(object: *mut c_void, info: *const TickInfo) -> ResultCode,
    /// Releases what `start` acquired. Null: nothing to do.
    pub stop:
        Option<unsafe extern "C" fn(object: *mut c_void, info: *const TickInfo) -> ResultCode>,
}

/// `nvidia::gxf::Queue`: the part receivers and transmitters share.
#[repr(C)]
#[derive(StableAbi)]
pub struct QueueVtable {
    /// `size_of::<QueueVtable>()` of the implementor.
    pub size: usize,
    /// Adds a message to the back stage; takes over one reference of `message`.
    pub push: unsafe extern "C" fn(object: *mut c_void, message: *mut Message) -> ResultCode,
    /// Takes the oldest message of the main stage; the caller owns the reference.
    pub pop: unsafe extern "C" fn(object: *mut c_void, message: *mut *mut Message) -> ResultCode,
    /// The message at a position of the main stage, with a reference of its own.
    pub peek: unsafe extern "C" fn(
        object: *mut c_void,
        index: i32,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Room of each stage, in messages.
    pub capacity: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Messages in the main stage.
    pub message_count: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Messages in the back stage.
    pub back_count: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Moves the back stage to the main stage.
    pub sync: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `nvidia::gxf::Receiver`: where messages arrive. The component has a Queue interface as well.
#[repr(C)]
#[derive(StableAbi)]
pub struct ReceiverVtable {
    /// `size_of::<ReceiverVtable>()` of the implementor.
    pub size: usize,
    /// Takes the oldest message of the main stage; the caller owns the reference.
    /// `CONTRACT_MESSAGE_NOT_AVAILABLE` when there is none.
    pub receive:
        unsafe extern "C" fn(object: *mut c_void, message: *mut *mut Message) -> ResultCode,
    /// The message at a position of the back stage, with a reference of its own.
    pub peek_back: unsafe extern "C" fn(
        object: *mut c_void,
        index: i32,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Input from a network before `sync`. Null: none.
    pub sync_io: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
    /// Blocks until a message arrived. Null: not supported.
    pub wait: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
}

/// `nvidia::gxf::Transmitter`: where messages leave. The component has a Queue interface as well.
#[repr(C)]
#[derive(StableAbi)]
pub struct TransmitterVtable {
    /// `size_of::<TransmitterVtable>()` of the implementor.
    pub size: usize,
    /// Puts a message into the back stage; takes over one reference of `message`.
    pub publish_as_is:
        unsafe extern "C" fn(object: *mut c_void, message: *mut Message) -> ResultCode,
    /// Output to a network after `sync`. Null: none.
    pub sync_io: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
}

/// `nvidia::gxf::SchedulingTerm`: when an entity may run.
#[repr(C)]
#[derive(StableAbi)]
pub struct SchedulingTermVtable {
    /// `size_of::<SchedulingTermVtable>()` of the implementor.
    pub size: usize,
    /// The condition at time `now`.
    pub check: unsafe extern "C" fn(
        object: *mut c_void,
        now: i64,
        condition: *mut Condition,
    ) -> ResultCode,
    /// The entity was ticked at time `now`.
    pub on_execute: unsafe extern "C" fn(object: *mut c_void, now: i64) -> ResultCode,
    /// Called before each `check`. Null: nothing to do.
    pub update_state: Option<unsafe extern "C" fn(object: *mut c_void, now: i64) -> ResultCode>,
    /// Names the receivers, transmitters and allocators whose events change the answer. Null: none.
    pub watched: Option<unsafe extern "C" fn(object: *mut c_void, sink: UidSink)>,
}

/// `nvidia::gxf::SchedulingTermCombiner`: several terms seen as one.
#[repr(C)]
#[derive(StableAbi)]
pub struct SchedulingTermCombinerVtable {
    /// `size_of::<SchedulingTermCombinerVtable>()` of the implementor.
    pub size: usize,
    /// The combined condition at time `now`.
    pub check: unsafe extern "C" fn(
        object: *mut c_void,
        now: i64,
        condition: *mut Condition,
    ) -> ResultCode,
    /// The terms the combiner owns; they leave the entity's own list.
    pub terms: unsafe extern "C" fn(object: *mut c_void, sink: UidSink),
}

/// `nvidia::gxf::BooleanSchedulingTerm`: what others may do with it.
#[repr(C)]
#[derive(StableAbi)]
pub struct BooleanSchedulingTermVtable {
    /// `size_of::<BooleanSchedulingTermVtable>()` of the implementor.
    pub size: usize,
    /// Lets the entity run (`true`) or ends it (`false`).
    pub set_tick_enabled: unsafe extern "C" fn(object: *mut c_void, enabled: bool) -> ResultCode,
    /// Whether the entity may run.
    pub is_tick_enabled: unsafe extern "C" fn(object: *mut c_void) -> bool,
}

/// `nvidia::gxf::AsynchronousSchedulingTerm`: what others may do with it.
#[repr(C)]
#[derive(StableAbi)]
pub struct AsynchronousSchedulingTermVtable {
    /// `size_of::<AsynchronousSchedulingTermVtable>()` of the implementor.
    pub size: usize,
    /// Changes the state; `EVENT_DONE` and `EVENT_NEVER` wake the entity.
    pub set_event_state:
        unsafe extern "C" fn(object: *mut c_void, state: AsynchronousEventState) -> ResultCode,
    /// The state.
    pub event_state: unsafe extern "C" fn(object: *mut c_void) -> AsynchronousEventState,
}

/// `nvidia::gxf::TargetTimeSchedulingTerm`: what others may do with it.
#[repr(C)]
#[derive(StableAbi)]
pub struct TargetTimeSchedulingTermVtable {
    /// `size_of::<TargetTimeSchedulingTermVtable>()` of the implementor.
    pub size: usize,
    /// Sets the time of the next execution in nanoseconds of the term's clock.
    pub set_next_target_time: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
}

/// `nvidia::gxf::BTSchedulingTerm`: what the parent in a behaviour tree may do with it.
#[repr(C)]
#[derive(StableAbi)]
pub struct BtSchedulingTermVtable {
    /// `size_of::<BtSchedulingTermVtable>()` of the implementor.
    pub size: usize,
    /// Sets the condition the term answers with: `READY` arms the node, `NEVER` ends it, anything
    /// else reads as `WAIT`. Takes back what `wait_until` and `wait_for` asked for.
    pub set_condition:
        unsafe extern "C" fn(object: *mut c_void, condition: crate::ConditionType) -> ResultCode,
    /// The node ticks again at `target` nanoseconds of the scheduler's clock, not before.
    pub wait_until: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
    /// The node ticks again when the entity `eid` has another number of verdicts than `verdicts`
    /// (see [`crate::EntityState`]), not before. Several calls in one tick: any of them.
    pub wait_for: unsafe extern "C" fn(object: *mut c_void, eid: Uid, verdicts: u64) -> ResultCode,
}

/// `nvidia::gxf::Allocator`: memory of one kind.
#[repr(C)]
#[derive(StableAbi)]
pub struct AllocatorVtable {
    /// `size_of::<AllocatorVtable>()` of the implementor.
    pub size: usize,
    /// Whether `size` bytes could be allocated now.
    pub is_available: unsafe extern "C" fn(object: *mut c_void, size: u64) -> bool,
    /// Allocates `size` bytes.
    pub allocate: unsafe extern "C" fn(
        object: *mut c_void,
        size: u64,
        storage: StorageType,
        pointer: *mut *mut u8,
    ) -> ResultCode,
    /// Gives memory back, from any thread.
    pub free: unsafe extern "C" fn(object: *mut c_void, pointer: *mut u8) -> ResultCode,
    /// Bytes of a block; 1 for allocators without blocks.
    pub block_size: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// What was handed out so far. Null: the allocator does not count. Since ABI 1.2.
    pub statistics: Option<unsafe extern "C" fn(object: *mut c_void) -> AllocatorStatistics>,
}

/// `nvidia::gxf::Clock`: the only source of time.
#[repr(C)]
#[derive(StableAbi)]
pub struct ClockVtable {
    /// `size_of::<ClockVtable>()` of the implementor.
    pub size: usize,
    /// Time in nanoseconds.
    pub timestamp: unsafe extern "C" fn(object: *mut c_void) -> i64,
    /// Blocks for `duration` nanoseconds of this clock.
    pub sleep_for: unsafe extern "C" fn(object: *mut c_void, duration: i64) -> ResultCode,
    /// Blocks until `target` nanoseconds of this clock.
    pub sleep_until: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
    /// Nanoseconds of real time until `target`, so that a scheduler may wait for events meanwhile;
    /// negative when only `sleep_until` can tell. Null: always negative.
    pub real_time_until: Option<unsafe extern "C" fn(object: *mut c_void, target: i64) -> i64>,
}

/// `nvidia::gxf::RealtimeClock`: what others may do with it besides reading the time.
#[repr(C)]
#[derive(StableAbi)]
pub struct RealtimeClockVtable {
    /// `size_of::<RealtimeClockVtable>()` of the implementor.
    pub size: usize,
    /// Changes how fast time passes, without a jump. `ARGUMENT_INVALID` unless above 0 and finite.
    pub set_time_scale: unsafe extern "C" fn(object: *mut c_void, scale: f64) -> ResultCode,
}

/// `nvidia::gxf::SyntheticClock`: a clock that somebody else moves.
#[repr(C)]
#[derive(StableAbi)]
pub struct SyntheticClockVtable {
    /// `size_of::<SyntheticClockVtable>()` of the implementor.
    pub size: usize,
    /// Moves the clock to a time in nanoseconds and wakes sleepers whose time has come.
    /// `ARGUMENT_INVALID` for a time in the past.
    pub advance_to: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
    /// Moves the clock by a number of nanoseconds. `ARGUMENT_INVALID` for a negative one.
    pub advance_by: unsafe extern "C" fn(object: *mut c_void, duration: i64) -> ResultCode,
}

/// `nvidia::gxf::Vault`: messages on their way from the graph to the program around it.
#[repr(C)]
#[derive(StableAbi)]
pub struct VaultVtable {
    /// `size_of::<VaultVtable>()` of the implementor.
    pub size: usize,
    /// Messages that wait to be taken.
    pub waiting_count: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Takes the oldest waiting message; the caller owns the reference. Waits for one up to
    /// `timeout` nanoseconds of real time: 0 not at all, negative for ever.
    /// `CONTRACT_MESSAGE_NOT_AVAILABLE` when none came, or when the graph ended meanwhile.
    pub take: unsafe extern "C" fn(
        object: *mut c_void,
        timeout: i64,
        message: *mut *mut Message,
    ) -> ResultCode,
}

/// `nvidia::gxf::Metric`: a measured number with limits.
#[repr(C)]
#[derive(StableAbi)]
pub struct MetricVtable {
    /// `size_of::<MetricVtable>()` of the implementor.
    pub size: usize,
    /// Adds a sample.
    pub record: unsafe extern "C" fn(object: *mut c_void, sample: f64) -> ResultCode,
    /// What the samples add up to; `UNINITIALIZED_VALUE` before the first one.
    pub aggregated_value: unsafe extern "C" fn(object: *mut c_void, value: *mut f64) -> ResultCode,
    /// Whether the aggregated value lies within the limits; `UNINITIALIZED_VALUE` before the first
    /// sample.
    pub evaluate_success:
        unsafe extern "C" fn(object: *mut c_void, success: *mut bool) -> ResultCode,
    /// Forgets all samples.
    pub reset: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `nvidia::gxf::Router`: carries messages between entities.
#[repr(C)]
#[derive(StableAbi)]
pub struct RouterVtable {
    /// `size_of::<RouterVtable>()` of the implementor.
    pub size: usize,
    /// Learns the routes an entity declares; called before any component is initialised.
    pub add_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Forgets them.
    pub remove_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Before the tick of an entity.
    pub sync_inbox: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// After the tick of an entity.
    pub sync_outbox: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
}

/// `nvidia::gxf::NetworkContext`: links to other processes.
#[repr(C)]
#[derive(StableAbi)]
pub struct NetworkContextVtable {
    /// `size_of::<NetworkContextVtable>()` of the implementor.
    pub size: usize,
    /// Prepares the network before any route is added.
    pub initialize_network: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Opens the links of an entity.
    pub add_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Closes them.
    pub remove_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
}

/// `nvidia::gxf::System`: something that runs beside or above the entities.
#[repr(C)]
#[derive(StableAbi)]
pub struct SystemVtable {
    /// `size_of::<SystemVtable>()` of the implementor.
    pub size: usize,
    /// An entity became active.
    pub schedule: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// An entity is about to be deactivated.
    pub unschedule: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Begins to run and returns.
    pub run_async: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Asks for the end.
    pub stop: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Blocks until the end.
    pub wait: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Something happened to an entity.
    pub event_notify:
        unsafe extern "C" fn(object: *mut c_void, eid: Uid, event: Event) -> ResultCode,
}

/// `nvidia::gxf::Scheduler`: a system that executes entities with `HostTable::entity_execute`.
#[repr(C)]
#[derive(StableAbi)]
pub struct SchedulerVtable {
    /// `size_of::<SchedulerVtable>()` of the implementor.
    pub size: usize,
    /// Called once after activation, before `run_async`. Null: nothing to do.
    pub prepare: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
}

/// `nvidia::gxf::Controller`: decides what the result of a tick means.
#[repr(C)]
#[derive(StableAbi)]
pub struct ControllerVtable {
    /// `size_of::<ControllerVtable>()` of the implementor.
    pub size: usize,
    /// Judges the tick of an entity.
    pub control:
        unsafe extern "C" fn(object: *mut c_void, eid: Uid, code: ResultCode) -> ControllerStatus,
}

/// `nvidia::gxf::Monitor`: is told about every execution.
#[repr(C)]
#[derive(StableAbi)]
pub struct MonitorVtable {
    /// `size_of::<MonitorVtable>()` of the implementor.
    pub size: usize,
    /// An entity was executed (started, found not ready, or ticked) at `timestamp`.
    pub on_execute: unsafe extern "C" fn(
        object: *mut c_void,
        eid: Uid,
        timestamp: i64,
        code: ResultCode,
    ) -> ResultCode,
}

/// `nvidia::gxf::Endpoint`: a stream of bytes.
#[repr(C)]
#[derive(StableAbi)]
pub struct EndpointVtable {
    /// `size_of::<EndpointVtable>()` of the implementor.
    pub size: usize,
    /// Whether writing is possible.
    pub is_write_available: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Whether reading is possible.
    pub is_read_available: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Writes up to `size` bytes.
    pub write: unsafe extern "C" fn(
        object: *mut c_void,
        data: *const u8,
        size: usize,
        written: *mut usize,
    ) -> ResultCode,
    /// Reads up to `size` bytes.
    pub read: unsafe extern "C" fn(
        object: *mut c_void,
        data: *mut u8,
        size: usize,
        read: *mut usize,
    ) -> ResultCode,
    /// Writes memory of any storage type without a copy. Null: not supported.
    pub write_pointer: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            data: *const u8,
            size: usize,
            storage: StorageType,
        ) -> ResultCode,
    >,
}

/// `nvidia::gxf::File`: what others may do with it besides reading and writing. Since ABI 1.2.
#[repr(C)]
#[derive(StableAbi)]
pub struct FileVtable {
    /// `size_of::<FileVtable>()` of the implementor.
    pub size: usize,
    /// Opens a file with a mode of C's `fopen`; a text without data stands for what the component's
    /// parameter says. `INVALID_LIFECYCLE_STAGE` when one is open already.
    pub open: unsafe extern "C" fn(object: *mut c_void, path: Text, mode: Text) -> ResultCode,
    /// Closes it. `INVALID_LIFECYCLE_STAGE` when none is open.
    pub close: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Hands collected writes to the operating system.
    pub flush: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Moves the position by `offset` bytes from the begin (`whence` 0), the position (1) or the
    /// end (2), and forgets that the end was reached.
    pub seek: unsafe extern "C" fn(object: *mut c_void, offset: i64, whence: i32) -> ResultCode,
    /// The position in bytes from the begin.
    pub tell: unsafe extern "C" fn(object: *mut c_void, position: *mut u64) -> ResultCode,
    /// Forgets that the end was reached and that something failed.
    pub clear: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Whether a file is open.
    pub is_open: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Whether a read reached the end.
    pub is_at_end: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Whether something failed since the file was opened.
    pub has_failed: unsafe extern "C" fn(object: *mut c_void) -> bool,
}

/// `nvidia::gxf::SerializationBuffer`: what others may do with it besides reading and writing.
/// Since ABI 1.2.
#[repr(C)]
#[derive(StableAbi)]
pub struct SerializationBufferVtable {
    /// `size_of::<SerializationBufferVtable>()` of the implementor.
    pub size: usize,
    /// New memory of the component's allocator; the buffer is empty then.
    pub resize:
        unsafe extern "C" fn(object: *mut c_void, size: u64, storage: StorageType) -> ResultCode,
    /// Takes over memory; the buffer is empty then.
    pub wrap: unsafe extern "C" fn(object: *mut c_void, memory: MemoryBuffer) -> ResultCode,
    /// Forgets what was written.
    pub reset: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Address of the first byte, valid until `resize` or `wrap`; null for none.
    pub data: unsafe extern "C" fn(object: *mut c_void) -> *const u8,
    /// Bytes there is room for.
    pub capacity: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// Bytes that were written since the buffer was empty.
    pub written: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// Where the memory lies.
    pub storage_type: unsafe extern "C" fn(object: *mut c_void) -> StorageType,
}

/// An endpoint handed to a serializer, valid during the call.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct EndpointRef {
    /// First argument of the table's functions.
    pub object: *mut c_void,
    /// The endpoint's functions.
    pub vtable: *const EndpointVtable,
}

/// `nvidia::gxf::ComponentSerializer`: payloads to bytes and back.
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentSerializerVtable {
    /// `size_of::<ComponentSerializerVtable>()` of the implementor.
    pub size: usize,
    /// Whether payloads of this type are supported.
    pub is_supported: unsafe extern "C" fn(object: *mut c_void, tid: Tid) -> bool,
    /// Writes the payload at `data`.
    pub serialize: unsafe extern "C" fn(
        object: *mut c_void,
        tid: Tid,
        data: *mut c_void,
        endpoint: EndpointRef,
        size: *mut u64,
    ) -> ResultCode,
    /// Reads into the payload at `data`, which is constructed already.
    pub deserialize: unsafe extern "C" fn(
        object: *mut c_void,
        tid: Tid,
        data: *mut c_void,
        endpoint: EndpointRef,
    ) -> ResultCode,
}

/// `nvidia::gxf::EntitySerializer`: messages to bytes and back.
#[repr(C)]
#[derive(StableAbi)]
pub struct EntitySerializerVtable {
    /// `size_of::<EntitySerializerVtable>()` of the implementor.
    pub size: usize,
    /// Writes a message; does not take over a reference.
    pub serialize: unsafe extern "C" fn(
        object: *mut c_void,
        message: *mut Message,
        endpoint: EndpointRef,
        size: *mut u64,
    ) -> ResultCode,
    /// Reads into an empty message; does not take over a reference.
    pub deserialize: unsafe extern "C" fn(
        object: *mut c_void,
        message: *mut Message,
        endpoint: EndpointRef,
    ) -> ResultCode,
}

/// A service an [`IpcServerVtable`] offers on behalf of somebody.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct IpcService {
    /// First argument of `handle`.
    pub user: *mut c_void,
    /// Answers a request for `resource` (and, for an action, its `payload`) on `answer`.
    pub handle: unsafe extern "C" fn(
        user: *mut c_void,
        resource: Text,
        payload: Text,
        answer: TextSink,
    ) -> ResultCode,
}

/// `nvidia::gxf::IPCServer`: offers services to other processes.
#[repr(C)]
#[derive(StableAbi)]
pub struct IpcServerVtable {
    /// `size_of::<IpcServerVtable>()` of the implementor.
    pub size: usize,
    /// Offers a service. `is_action`: it takes a payload and changes something.
    pub register_service: unsafe extern "C" fn(
        object: *mut c_void,
        name: Text,
        is_action: bool,
        service: IpcService,
    ) -> ResultCode,
}

/// `nvidia::gxf::IPCClient`: calls services of other processes.
#[repr(C)]
#[derive(StableAbi)]
pub struct IpcClientVtable {
    /// `size_of::<IpcClientVtable>()` of the implementor.
    pub size: usize,
    /// Asks a service for a resource.
    pub query: unsafe extern "C" fn(
        object: *mut c_void,
        service: Text,
        resource: Text,
        answer: TextSink,
    ) -> ResultCode,
    /// Sends a payload to a service.
    pub action: unsafe extern "C" fn(
        object: *mut c_void,
        service: Text,
        resource: Text,
        payload: Text,
        answer: TextSink,
    ) -> ResultCode,
}
