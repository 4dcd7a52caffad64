//! The interfaces: one function table for each GXF base type, found by the base's type id, and
//! gxe's own, which any component type may have: [`CompletionVtable`], [`LinkVtable`],
//! [`DeviceQueueVtable`], [`EndOfInputsVtable`], [`PortTypes`].
//!
//! The first argument of every function is the component's address plus the offset of its
//! [`crate::InterfaceEntry`]. Only one thread at a time calls a codelet. The thread that executes
//! an entity calls its terms, controllers and combiners. `initialize` precedes and `deinitialize`
//! follows every other call. Apart from these, several threads may call an interface at once.
//!
//! A function of type `Option` may be null; its description says what that means.

use crate::{
    AllocatorStatistics, AsynchronousEventState, CStr, Callback, ComponentEnvironment, Condition,
    ControllerStatus, Event, LinkCounts, LinkState, LinkStatistics, MemoryBuffer, Message,
    ResultCode, StorageType, Text, TextSink, TickInfo, Tid, Uid, UidSink, Value, WakeToken,
};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Type ids of GXF's base types, which are also the interface ids, and ids of gxe's own tables.
pub mod tids {
    use crate::Tid;

    macro_rules! tids {
        ($($(#[doc = $doc:literal])* $name:ident = $hash1:literal $hash2:literal;)*) => {
            $($(#[doc = $doc])* pub const $name: Tid = Tid::new($hash1, $hash2);)*

            /// All of them: name of the constant, id, type.
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
        /// `gxe::Completion`
        COMPLETION = 0xc785edaf88314425 0xa08c40c72ac1966b;
        /// `gxe::PortTypes`; an interface without functions
        PORT_TYPES = 0x5f225ecaa6b64816 0xbcebe7995d1f3262;
        /// `gxe::Link`
        LINK = 0x228c564c0ee4647c 0x548cbf8d32f6694d;
        /// `gxe::CountedLink`
        COUNTED_LINK = 0x076984f9a5c64c31 0x92f797ea7b12368b;
        /// `gxe::DeviceQueue`
        DEVICE_QUEUE = 0x6c9a1be5f3724d08 0x97e2c05d4ab81f63;
        /// `gxe::EndOfInputs`
        END_OF_INPUTS = 0x3d0f9b62e8a14c75 0x8fb6a45c17d2e093;
        /// `gxe::VariableMemory`
        VARIABLE_MEMORY = 0xe4570f8c92bd4a16 0xb3186cd7f0a95e24;
        /// `gxe::EventLoop`
        EVENT_LOOP = 0x5c1de3b0a9f24e67 0x8d02b6f47a91c35e;
        /// `nvidia::gxf::CudaStream`
        CUDA_STREAM = 0x5683d692788411eb 0x9338c3be62d576be;
        /// `nvidia::gxf::CudaStreamPool`
        CUDA_STREAM_POOL = 0x6733bf8bba5e4fae 0xb596af2d1269d0e7;
        /// `nvidia::gxf::CudaAllocator`
        CUDA_ALLOCATOR = 0x04f22de65f1d11ef 0x9c8a373b588897af;
        /// `nvidia::gxf::CudaStreamId`
        CUDA_STREAM_ID = 0x7982aeac37f141be 0xade86f00b4b5d47c;
        /// `nvidia::gxf::CudaEvent`
        CUDA_EVENT = 0xf5388d5ca70947e7 0x86c4171779bc64f3;
        /// `nvidia::gxf::CudaBuffer`
        CUDA_BUFFER = 0x3b1098305f1e11ef 0x8393c336b6b55546;
        /// `gxe::CudaFence`
        CUDA_FENCE = 0xb2f17c4e0d934a68 0x87e15a30c96bd4f2;
        /// `nvidia::gxf::StreamSync`
        STREAM_SYNC = 0x0011bee75d5343ee 0xaafa61485a436bc4;
        /// `nvidia::gxf::StreamSyncId`
        STREAM_SYNC_ID = 0x65bda2a27cfd4dfe 0xa80a53ad72f5c2a7;
        /// `gxe::Cuda`; a table of the host
        CUDA = 0x93d7c05b1e6f4a28 0xb41d6fe2078ac953;
        /// `gxe::PendingWork`; a table of the host
        PENDING_WORK = 0x5a2e90d7c1f64b38 0xa6d30b7f94e812c5;
        /// `gxe::Devices`; a table of the host
        DEVICES = 0x4c81be0f52d746a3 0x91f3a8d60e27bc54;
        /// `gxe::Trace`; a table of the host
        TRACE = 0x74378de561a14162 0x91cffaf5e4002ca7;
        /// `gxe::TraceLinks`; a table of the host
        TRACE_LINKS = 0x1f83c5ab02d7496e 0xa4e6902bd13c587f;
        /// `gxe::DeviceWork`; a table of the host
        DEVICE_WORK = 0xd27a3e9405bc4f81 0x8c6f10be7493d52a;
        /// `gxe::DeviceTicks`; a table of the host
        DEVICE_TICKS = 0x6e19c5d28ab3407f 0x83f05d9ec7216ab4;
        /// `gxe::DeviceGraphs`; a table of the host
        DEVICE_GRAPHS = 0x3be8d5107fa94c62 0xb07c92e6f1d8354a;
        /// `gxe::DeviceChains`; a table of the host
        DEVICE_CHAINS = 0xa6f10c7d83e24b59 0x96d2e5b04f8a713c;
        /// `gxe::CudaKernels`; a table of the host
        CUDA_KERNELS = 0x5d0e74b92ac8416f 0x8e37b1d506f4c29a;
    }
}

/// `nvidia::gxf::Component`: functions common to all components.
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentVtable {
    /// The implementor's `size_of::<ComponentVtable>()`.
    pub size: usize,
    /// Stores the value of the parameter at `index`; a null `value` removes it. Called before
    /// `initialize` and, for a codelet, between two ticks. Null: the type has no parameters.
    pub set_parameter: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            environment: *const ComponentEnvironment,
            index: usize,
            value: *const Value,
        ) -> ResultCode,
    >,
    /// Drops the parameter values that refer to other components, because those may refer back. The
    /// component is no longer part of a graph, but callers with a handle to it may still call it.
    /// Null: nothing to do.
    pub clear_parameters: Option<unsafe extern "C" fn(object: *mut c_void)>,
    /// Initialises the component. All parameters are set. Null: nothing to do.
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
    /// Checks that the parameter values, which are all set, fit together; the error says what does
    /// not. Must change nothing. Called before any component of the graph is initialised, and by
    /// tools that never run the graph. Null: every combination is valid. Since ABI 1.3.
    pub check_parameters: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            environment: *const ComponentEnvironment,
        ) -> ResultCode,
    >,
}

/// `nvidia::gxf::Codelet`: a component that does work.
#[repr(C)]
#[derive(StableAbi)]
pub struct CodeletVtable {
    /// The implementor's `size_of::<CodeletVtable>()`.
    pub size: usize,
    /// Acquires what the ticks need. Null: nothing to do.
    pub start:
        Option<unsafe extern "C" fn(object: *mut c_void, info: *const TickInfo) -> ResultCode>,
    /// Does one unit of work.
    pub tick: unsafe extern "C" fn(object: *mut c_void, info: *const TickInfo) -> ResultCode,
    /// Releases what `start` acquired. Null: nothing to do.
    pub stop:
        Option<unsafe extern "C" fn(object: *mut c_void, info: *const TickInfo) -> ResultCode>,
}

/// `nvidia::gxf::Queue`: functions common to receivers and transmitters.
#[repr(C)]
#[derive(StableAbi)]
pub struct QueueVtable {
    /// The implementor's `size_of::<QueueVtable>()`.
    pub size: usize,
    /// Adds a message to the back stage. Consumes one reference to `message`.
    pub push: unsafe extern "C" fn(object: *mut c_void, message: *mut Message) -> ResultCode,
    /// Takes the oldest message from the main stage. The caller owns the reference.
    pub pop: unsafe extern "C" fn(object: *mut c_void, message: *mut *mut Message) -> ResultCode,
    /// The message at a position of the main stage, with an added reference.
    pub peek: unsafe extern "C" fn(
        object: *mut c_void,
        index: i32,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Capacity of each stage, in messages.
    pub capacity: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Messages in the main stage.
    pub message_count: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Messages in the back stage.
    pub back_count: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Moves the back stage to the main stage.
    pub sync: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `nvidia::gxf::Receiver`: receives messages. The component also has a Queue interface.
#[repr(C)]
#[derive(StableAbi)]
pub struct ReceiverVtable {
    /// The implementor's `size_of::<ReceiverVtable>()`.
    pub size: usize,
    /// Takes the oldest message from the main stage. The caller owns the reference.
    /// `CONTRACT_MESSAGE_NOT_AVAILABLE` if there is none.
    pub receive:
        unsafe extern "C" fn(object: *mut c_void, message: *mut *mut Message) -> ResultCode,
    /// The message at a position of the back stage, with an added reference.
    pub peek_back: unsafe extern "C" fn(
        object: *mut c_void,
        index: i32,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Reads from a network, before `sync`. Null: no network.
    pub sync_io: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
    /// Blocks until a message arrives. Null: not supported.
    pub wait: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
}

/// `nvidia::gxf::Transmitter`: publishes messages. The component also has a Queue interface.
#[repr(C)]
#[derive(StableAbi)]
pub struct TransmitterVtable {
    /// The implementor's `size_of::<TransmitterVtable>()`.
    pub size: usize,
    /// Adds a message to the back stage. Consumes one reference to `message`.
    pub publish_as_is:
        unsafe extern "C" fn(object: *mut c_void, message: *mut Message) -> ResultCode,
    /// Writes to a network, after `sync`. Null: no network.
    pub sync_io: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
}

/// `nvidia::gxf::SchedulingTerm`: decides when an entity can run.
#[repr(C)]
#[derive(StableAbi)]
pub struct SchedulingTermVtable {
    /// The implementor's `size_of::<SchedulingTermVtable>()`.
    pub size: usize,
    /// The condition at time `now`.
    pub check: unsafe extern "C" fn(
        object: *mut c_void,
        now: i64,
        condition: *mut Condition,
    ) -> ResultCode,
    /// Notes that the entity ticked at time `now`.
    pub on_execute: unsafe extern "C" fn(object: *mut c_void, now: i64) -> ResultCode,
    /// Called before each `check`. Null: nothing to do.
    pub update_state: Option<unsafe extern "C" fn(object: *mut c_void, now: i64) -> ResultCode>,
    /// Lists the receivers, transmitters and allocators whose events change the answer. Null: none.
    pub watched: Option<unsafe extern "C" fn(object: *mut c_void, sink: UidSink)>,
}

/// `nvidia::gxf::SchedulingTermCombiner`: combines several terms into one.
#[repr(C)]
#[derive(StableAbi)]
pub struct SchedulingTermCombinerVtable {
    /// The implementor's `size_of::<SchedulingTermCombinerVtable>()`.
    pub size: usize,
    /// The combined condition at time `now`.
    pub check: unsafe extern "C" fn(
        object: *mut c_void,
        now: i64,
        condition: *mut Condition,
    ) -> ResultCode,
    /// The terms that the combiner owns; the entity no longer checks them itself.
    pub terms: unsafe extern "C" fn(object: *mut c_void, sink: UidSink),
}

/// `nvidia::gxf::BooleanSchedulingTerm`: a switch for other components.
#[repr(C)]
#[derive(StableAbi)]
pub struct BooleanSchedulingTermVtable {
    /// The implementor's `size_of::<BooleanSchedulingTermVtable>()`.
    pub size: usize,
    /// Lets the entity run (`true`), or ends it (`false`).
    pub set_tick_enabled: unsafe extern "C" fn(object: *mut c_void, enabled: bool) -> ResultCode,
    /// Whether the entity may run.
    pub is_tick_enabled: unsafe extern "C" fn(object: *mut c_void) -> bool,
}

/// `nvidia::gxf::AsynchronousSchedulingTerm`: a state that other components set.
#[repr(C)]
#[derive(StableAbi)]
pub struct AsynchronousSchedulingTermVtable {
    /// The implementor's `size_of::<AsynchronousSchedulingTermVtable>()`.
    pub size: usize,
    /// Sets the state; `EVENT_DONE` and `EVENT_NEVER` wake the entity.
    pub set_event_state:
        unsafe extern "C" fn(object: *mut c_void, state: AsynchronousEventState) -> ResultCode,
    /// The current state.
    pub event_state: unsafe extern "C" fn(object: *mut c_void) -> AsynchronousEventState,
}

/// `nvidia::gxf::TargetTimeSchedulingTerm`: a target time that other components set.
#[repr(C)]
#[derive(StableAbi)]
pub struct TargetTimeSchedulingTermVtable {
    /// The implementor's `size_of::<TargetTimeSchedulingTermVtable>()`.
    pub size: usize,
    /// Sets the time of the next execution, in nanoseconds of the term's clock.
    pub set_next_target_time: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
}

/// `nvidia::gxf::BTSchedulingTerm`: functions for a node's parent in a behaviour tree.
#[repr(C)]
#[derive(StableAbi)]
pub struct BtSchedulingTermVtable {
    /// The implementor's `size_of::<BtSchedulingTermVtable>()`.
    pub size: usize,
    /// Sets the condition that the term answers: `READY` arms the node, `NEVER` ends it, anything
    /// else counts as `WAIT`. Cancels `wait_until` and `wait_for`.
    pub set_condition:
        unsafe extern "C" fn(object: *mut c_void, condition: crate::ConditionType) -> ResultCode,
    /// Delays the node's next tick until `target` nanoseconds of the scheduler's clock.
    pub wait_until: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
    /// Delays the node's next tick until the number of verdicts on the entity `eid` differs from
    /// `verdicts` (see [`crate::EntityState`]). After several calls in one tick, any of them
    /// suffices.
    pub wait_for: unsafe extern "C" fn(object: *mut c_void, eid: Uid, verdicts: u64) -> ResultCode,
}

/// `nvidia::gxf::Allocator`: allocates one kind of memory.
#[repr(C)]
#[derive(StableAbi)]
pub struct AllocatorVtable {
    /// The implementor's `size_of::<AllocatorVtable>()`.
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
    /// Frees memory; callable from any thread.
    pub free: unsafe extern "C" fn(object: *mut c_void, pointer: *mut u8) -> ResultCode,
    /// Size of a block in bytes; 1 for allocators without blocks.
    pub block_size: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// Counters. Null: the allocator does not count. Since ABI 1.2.
    pub statistics: Option<unsafe extern "C" fn(object: *mut c_void) -> AllocatorStatistics>,
}

/// `nvidia::gxf::Clock`: the graph's source of time.
#[repr(C)]
#[derive(StableAbi)]
pub struct ClockVtable {
    /// The implementor's `size_of::<ClockVtable>()`.
    pub size: usize,
    /// Time in nanoseconds.
    pub timestamp: unsafe extern "C" fn(object: *mut c_void) -> i64,
    /// Blocks for `duration` nanoseconds of this clock.
    pub sleep_for: unsafe extern "C" fn(object: *mut c_void, duration: i64) -> ResultCode,
    /// Blocks until `target` nanoseconds of this clock.
    pub sleep_until: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
    /// Nanoseconds of real time until `target`, so that a scheduler can wait for events in the
    /// meantime. Negative if the clock cannot know and only `sleep_until` works. Null: always
    /// negative.
    pub real_time_until: Option<unsafe extern "C" fn(object: *mut c_void, target: i64) -> i64>,
}

/// `nvidia::gxf::RealtimeClock`: functions beyond those of a clock.
#[repr(C)]
#[derive(StableAbi)]
pub struct RealtimeClockVtable {
    /// The implementor's `size_of::<RealtimeClockVtable>()`.
    pub size: usize,
    /// Changes the speed of the clock, without a jump. `ARGUMENT_INVALID` unless positive and
    /// finite.
    pub set_time_scale: unsafe extern "C" fn(object: *mut c_void, scale: f64) -> ResultCode,
}

/// `nvidia::gxf::SyntheticClock`: a clock that other components or programs move.
#[repr(C)]
#[derive(StableAbi)]
pub struct SyntheticClockVtable {
    /// The implementor's `size_of::<SyntheticClockVtable>()`.
    pub size: usize,
    /// Moves the clock to a time in nanoseconds and wakes the sleepers that are due.
    /// `ARGUMENT_INVALID` for a time in the past.
    pub advance_to: unsafe extern "C" fn(object: *mut c_void, target: i64) -> ResultCode,
    /// Moves the clock by a number of nanoseconds. `ARGUMENT_INVALID` for a negative one.
    pub advance_by: unsafe extern "C" fn(object: *mut c_void, duration: i64) -> ResultCode,
}

/// `nvidia::gxf::Vault`: passes messages from the graph to the program that runs it.
#[repr(C)]
#[derive(StableAbi)]
pub struct VaultVtable {
    /// The implementor's `size_of::<VaultVtable>()`.
    pub size: usize,
    /// Number of waiting messages.
    pub waiting_count: unsafe extern "C" fn(object: *mut c_void) -> usize,
    /// Takes the oldest waiting message. The caller owns the reference. Waits up to `timeout`
    /// nanoseconds of real time for one: 0 does not wait, a negative value waits for ever.
    /// `CONTRACT_MESSAGE_NOT_AVAILABLE` if none arrived or the graph ended.
    pub take: unsafe extern "C" fn(
        object: *mut c_void,
        timeout: i64,
        message: *mut *mut Message,
    ) -> ResultCode,
    /// Replaces the callback, which is called on the thread of each tick that brought messages,
    /// after it. Null: the vault has no callbacks. Since ABI 1.4.
    pub set_callback:
        Option<unsafe extern "C" fn(object: *mut c_void, callback: Callback) -> ResultCode>,
}

/// `nvidia::gxf::Metric`: a measured value with limits.
#[repr(C)]
#[derive(StableAbi)]
pub struct MetricVtable {
    /// The implementor's `size_of::<MetricVtable>()`.
    pub size: usize,
    /// Adds a sample.
    pub record: unsafe extern "C" fn(object: *mut c_void, sample: f64) -> ResultCode,
    /// Aggregate of the samples; `UNINITIALIZED_VALUE` before the first one.
    pub aggregated_value: unsafe extern "C" fn(object: *mut c_void, value: *mut f64) -> ResultCode,
    /// Whether the aggregate is within the limits; `UNINITIALIZED_VALUE` before the first sample.
    pub evaluate_success:
        unsafe extern "C" fn(object: *mut c_void, success: *mut bool) -> ResultCode,
    /// Discards all samples.
    pub reset: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `nvidia::gxf::Router`: moves messages between entities.
#[repr(C)]
#[derive(StableAbi)]
pub struct RouterVtable {
    /// The implementor's `size_of::<RouterVtable>()`.
    pub size: usize,
    /// Adds the routes that an entity declares. Called before any component is initialised.
    pub add_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Removes an entity's routes.
    pub remove_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Called before an entity ticks.
    pub sync_inbox: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Called after an entity ticked.
    pub sync_outbox: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
}

/// `nvidia::gxf::NetworkContext`: links to other processes.
#[repr(C)]
#[derive(StableAbi)]
pub struct NetworkContextVtable {
    /// The implementor's `size_of::<NetworkContextVtable>()`.
    pub size: usize,
    /// Prepares the network. Called before any route is added.
    pub initialize_network: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Opens the links of an entity.
    pub add_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Closes the links of an entity.
    pub remove_routes: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
}

/// `nvidia::gxf::System`: runs alongside the entities.
#[repr(C)]
#[derive(StableAbi)]
pub struct SystemVtable {
    /// The implementor's `size_of::<SystemVtable>()`.
    pub size: usize,
    /// Called when an entity becomes active.
    pub schedule: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Called before an entity is deactivated.
    pub unschedule: unsafe extern "C" fn(object: *mut c_void, eid: Uid) -> ResultCode,
    /// Starts running and returns.
    pub run_async: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Asks the system to stop.
    pub stop: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Blocks until the system has stopped.
    pub wait: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Called when something happens to an entity.
    pub event_notify:
        unsafe extern "C" fn(object: *mut c_void, eid: Uid, event: Event) -> ResultCode,
}

/// `nvidia::gxf::Scheduler`: a system that executes entities with `HostTable::entity_execute`.
#[repr(C)]
#[derive(StableAbi)]
pub struct SchedulerVtable {
    /// The implementor's `size_of::<SchedulerVtable>()`.
    pub size: usize,
    /// Called once after activation, before `run_async`. Null: nothing to do.
    pub prepare: Option<unsafe extern "C" fn(object: *mut c_void) -> ResultCode>,
}

/// `nvidia::gxf::Controller`: decides what the result of a tick means.
#[repr(C)]
#[derive(StableAbi)]
pub struct ControllerVtable {
    /// The implementor's `size_of::<ControllerVtable>()`.
    pub size: usize,
    /// Judges the tick of an entity.
    pub control:
        unsafe extern "C" fn(object: *mut c_void, eid: Uid, code: ResultCode) -> ControllerStatus,
}

/// `nvidia::gxf::Monitor`: observes every execution.
#[repr(C)]
#[derive(StableAbi)]
pub struct MonitorVtable {
    /// The implementor's `size_of::<MonitorVtable>()`.
    pub size: usize,
    /// Called after an entity was executed at `timestamp`: started, found not ready, or ticked.
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
    /// The implementor's `size_of::<EndpointVtable>()`.
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
    /// Writes memory of any storage type without copying it. Null: not supported.
    pub write_pointer: Option<
        unsafe extern "C" fn(
            object: *mut c_void,
            data: *const u8,
            size: usize,
            storage: StorageType,
        ) -> ResultCode,
    >,
}

/// `nvidia::gxf::File`: functions beyond reading and writing. Since ABI 1.2.
#[repr(C)]
#[derive(StableAbi)]
pub struct FileVtable {
    /// The implementor's `size_of::<FileVtable>()`.
    pub size: usize,
    /// Opens a file with a mode of C's `fopen`. A text without data means the value of the
    /// component's parameter. `INVALID_LIFECYCLE_STAGE` if a file is already open.
    pub open: unsafe extern "C" fn(object: *mut c_void, path: Text, mode: Text) -> ResultCode,
    /// Closes the file. `INVALID_LIFECYCLE_STAGE` if none is open.
    pub close: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Passes buffered writes to the operating system.
    pub flush: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Moves the position by `offset` bytes from the start (`whence` 0), the position (1) or the
    /// end (2), and clears the end-of-file state.
    pub seek: unsafe extern "C" fn(object: *mut c_void, offset: i64, whence: i32) -> ResultCode,
    /// The position in bytes from the start.
    pub tell: unsafe extern "C" fn(object: *mut c_void, position: *mut u64) -> ResultCode,
    /// Clears the end-of-file and error states.
    pub clear: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Whether a file is open.
    pub is_open: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Whether a read reached the end of the file.
    pub is_at_end: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Whether an operation failed since the file was opened.
    pub has_failed: unsafe extern "C" fn(object: *mut c_void) -> bool,
}

/// `nvidia::gxf::SerializationBuffer`: functions beyond reading and writing. Since ABI 1.2.
#[repr(C)]
#[derive(StableAbi)]
pub struct SerializationBufferVtable {
    /// The implementor's `size_of::<SerializationBufferVtable>()`.
    pub size: usize,
    /// Allocates new memory from the component's allocator; the buffer is then empty.
    pub resize:
        unsafe extern "C" fn(object: *mut c_void, size: u64, storage: StorageType) -> ResultCode,
    /// Takes ownership of memory; the buffer is then empty.
    pub wrap: unsafe extern "C" fn(object: *mut c_void, memory: MemoryBuffer) -> ResultCode,
    /// Discards what was written.
    pub reset: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Address of the first byte, valid until `resize` or `wrap`; null if the buffer has no memory.
    pub data: unsafe extern "C" fn(object: *mut c_void) -> *const u8,
    /// Size of the memory in bytes.
    pub capacity: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// Number of bytes written.
    pub written: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// Kind of memory.
    pub storage_type: unsafe extern "C" fn(object: *mut c_void) -> StorageType,
}

/// An endpoint for a serializer, valid during the call.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct EndpointRef {
    /// First argument of the table's functions.
    pub object: *mut c_void,
    /// The endpoint's functions.
    pub vtable: *const EndpointVtable,
}

/// `nvidia::gxf::ComponentSerializer`: converts payloads to bytes and back.
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentSerializerVtable {
    /// The implementor's `size_of::<ComponentSerializerVtable>()`.
    pub size: usize,
    /// Whether the serializer supports payloads of this type.
    pub is_supported: unsafe extern "C" fn(object: *mut c_void, tid: Tid) -> bool,
    /// Writes the payload at `data`.
    pub serialize: unsafe extern "C" fn(
        object: *mut c_void,
        tid: Tid,
        data: *mut c_void,
        endpoint: EndpointRef,
        size: *mut u64,
    ) -> ResultCode,
    /// Reads into the payload at `data`, which is already constructed.
    pub deserialize: unsafe extern "C" fn(
        object: *mut c_void,
        tid: Tid,
        data: *mut c_void,
        endpoint: EndpointRef,
    ) -> ResultCode,
}

/// `nvidia::gxf::EntitySerializer`: converts messages to bytes and back.
#[repr(C)]
#[derive(StableAbi)]
pub struct EntitySerializerVtable {
    /// The implementor's `size_of::<EntitySerializerVtable>()`.
    pub size: usize,
    /// Writes a message; does not consume a reference.
    pub serialize: unsafe extern "C" fn(
        object: *mut c_void,
        message: *mut Message,
        endpoint: EndpointRef,
        size: *mut u64,
    ) -> ResultCode,
    /// Reads into an empty message; does not consume a reference.
    pub deserialize: unsafe extern "C" fn(
        object: *mut c_void,
        message: *mut Message,
        endpoint: EndpointRef,
    ) -> ResultCode,
}

/// A service that an [`IpcServerVtable`] offers.
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
    /// The implementor's `size_of::<IpcServerVtable>()`.
    pub size: usize,
    /// Offers a service. `is_action`: the service takes a payload and changes something.
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
    /// The implementor's `size_of::<IpcClientVtable>()`.
    pub size: usize,
    /// Queries a service for a resource.
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
    /// Asks whether a service answers. Null: not supported. Since ABI 1.4.
    pub ping: Option<
        unsafe extern "C" fn(object: *mut c_void, service: Text, answer: TextSink) -> ResultCode,
    >,
    /// Sends the following requests to another address. Null: not supported. Since ABI 1.4.
    pub change_address:
        Option<unsafe extern "C" fn(object: *mut c_void, ip: Text, port: u32) -> ResultCode>,
}

/// `gxe::Completion`: something that will be done at a time the graph does not decide, such as work
/// on a device or a network transfer. Any component type may implement it. Since ABI 1.4.
#[repr(C)]
#[derive(StableAbi)]
pub struct CompletionVtable {
    /// The implementor's `size_of::<CompletionVtable>()`.
    pub size: usize,
    /// Whether it is done. An error means that it is done and failed.
    pub poll: unsafe extern "C" fn(object: *mut c_void, done: *mut bool) -> ResultCode,
    /// Takes a reference to a token and uses it once when the work is done or has failed: from any
    /// thread, before this function returns if the work is done already. If that time never comes,
    /// the implementor releases the reference instead. On an error, too, the reference is consumed.
    pub notify: unsafe extern "C" fn(object: *mut c_void, token: *mut WakeToken) -> ResultCode,
}

/// `gxe::Link`: a receiver or transmitter whose other end is in another graph, process or host.
/// While it opens, its entity does not tick; while it is open, terms that wait for it are awaited,
/// so the graph is not in a deadlock. Since ABI 1.5.
#[repr(C)]
#[derive(StableAbi)]
pub struct LinkVtable {
    /// The implementor's `size_of::<LinkVtable>()`.
    pub size: usize,
    /// The state. The implementor notifies the entity of every change.
    pub state: unsafe extern "C" fn(object: *mut c_void) -> LinkState,
    /// Messages that a transmitter could send now, and the receiver at the other end has room for.
    /// The implementor notifies the entity when it grows from 0. Of no meaning for a receiver.
    pub room: unsafe extern "C" fn(object: *mut c_void) -> u64,
    /// Sends a message that a transmitter of this entity published; consumes the reference. Does not
    /// block: what cannot be sent now waits, within the transmitter's capacity and by its policy.
    /// `NOT_IMPLEMENTED` for a receiver.
    pub send: unsafe extern "C" fn(object: *mut c_void, message: *mut Message) -> ResultCode,
    /// The entity has ended regularly: it publishes or takes nothing more. What was published is
    /// still sent, then the link ends. Does not block.
    pub finish: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// What went over the link so far.
    pub statistics:
        unsafe extern "C" fn(object: *mut c_void, statistics: *mut LinkStatistics) -> ResultCode,
    /// The other end for people: its name and address, as far as they are known.
    pub peer: unsafe extern "C" fn(object: *mut c_void, answer: TextSink) -> ResultCode,
}

/// `gxe::CountedLink`: a link that says what it has sent or taken, so that others can see whether
/// anything is on its way. Since ABI 1.10.
#[repr(C)]
#[derive(StableAbi)]
pub struct CountedLinkVtable {
    /// The implementor's `size_of::<CountedLinkVtable>()`.
    pub size: usize,
    /// What this end has counted. What it counts as arrived, the entity has been notified of.
    pub counts: unsafe extern "C" fn(object: *mut c_void, counts: *mut LinkCounts) -> ResultCode,
}

/// `gxe::DeviceQueue`: a queue of a device's work, such as the streams of a pool. Under the actor
/// scheduler, entities that submit to it share a thread of the device's kind. Any component type may
/// implement it. Since ABI 1.11.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceQueueVtable {
    /// The implementor's `size_of::<DeviceQueueVtable>()`.
    pub size: usize,
    /// The kind of the device in lower case, such as `cuda`. Always the same, also before
    /// `initialize`.
    pub device: unsafe extern "C" fn(object: *mut c_void, answer: TextSink) -> ResultCode,
    /// Called once by each thread that submits to it in a run, before anything else there.
    pub begin_thread: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `gxe::EndOfInputs`: a component that hears when nothing more comes to its entity. Under schedulers
/// that know it: the actor scheduler does. Any component type may implement it. Since ABI 1.11.
#[repr(C)]
#[derive(StableAbi)]
pub struct EndOfInputsVtable {
    /// The implementor's `size_of::<EndOfInputsVtable>()`.
    pub size: usize,
    /// The receivers of the entity get no more messages; those that they have stay there. Called once
    /// in a run, between two executions. Terms are asked again afterwards.
    pub inputs_ended: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `gxe::VariableMemory`: an allocator of one block, which keeps its value between acts and runs.
/// Since ABI 1.11.
#[repr(C)]
#[derive(StableAbi)]
pub struct VariableMemoryVtable {
    /// The implementor's `size_of::<VariableMemoryVtable>()`.
    pub size: usize,
    /// Uses this memory from now on, with the value in it; consumes the reference.
    pub bind: unsafe extern "C" fn(object: *mut c_void, memory: MemoryBuffer) -> ResultCode,
}

/// `gxe::EventLoop`: a network context whose event loop a thread of the scheduler runs while it has
/// nothing else to do, so that what arrives need not wake two threads. The scheduler finds the
/// context's own thread in the loop, or calls `wait` and `work` in turns between `enter` and
/// `leave`, all on one thread. Since ABI 1.11.
#[repr(C)]
#[derive(StableAbi)]
pub struct EventLoopVtable {
    /// The implementor's `size_of::<EventLoopVtable>()`.
    pub size: usize,
    /// Takes the loop over from the context's own thread. Does not block. False if that thread is
    /// in it, or is needed: it goes on.
    pub enter: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Sleeps until there is work, until `wake` is called, or for so many nanoseconds; without
    /// limit if the number is negative. May return early.
    pub wait: unsafe extern "C" fn(object: *mut c_void, nanoseconds: i64) -> ResultCode,
    /// Does what there is to do, without blocking. Returns whether the loop can stay with this
    /// thread.
    pub work: unsafe extern "C" fn(object: *mut c_void) -> bool,
    /// Gives the loop back.
    pub leave: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Makes the current call of `wait` return, or the next one; from any thread.
    pub wake: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `gxe::PortTypes`: which payloads go through the ports of a type. Data without functions. Since
/// ABI 1.4.
#[repr(C)]
#[derive(StableAbi)]
pub struct PortTypes {
    /// The implementor's `size_of::<PortTypes>()`.
    pub size: usize,
    /// An entry for each port and payload type.
    pub ports: *const PortType,
    /// Number of entries.
    pub port_count: usize,
}

// SAFETY: every pointer refers to constant data of the extension, which is never written.
unsafe impl Sync for PortTypes {}
// SAFETY: as above.
unsafe impl Send for PortTypes {}

/// A payload type that goes through a port. Since ABI 1.4.
#[repr(C)]
#[derive(StableAbi)]
pub struct PortType {
    /// Key of the parameter, a handle, whose queues are the port. Null: the component itself, a
    /// queue.
    pub parameter: CStr,
    /// Id of the payload type; null if `type_name` identifies it.
    pub tid: Tid,
    /// Full name of the payload type; may be null if there is an id.
    pub type_name: CStr,
}

// SAFETY: every pointer refers to constant data of the extension, which is never written.
unsafe impl Sync for PortType {}
// SAFETY: as above.
unsafe impl Send for PortType {}
