//! GXF's standard extension, which is part of the program: the list of its types with GXF's ids and
//! names. The types themselves:
//!
//! - [`clock`], [`memory`], [`codelet`], [`term`]: clocks, allocators, stock codelets, scheduling
//!   terms;
//! - [`queue`], [`async_buffer`], [`connection`]: queues, and what connects them; [`outgoing`]: where
//!   the first message of a tick waits;
//! - [`scheduler`], [`resources`]: what configures a scheduler;
//! - [`deadline`], [`job_statistics`], [`metric`], [`subgraph`]: the others.

pub mod async_buffer;
pub mod clock;
pub mod codelet;
pub mod connection;
pub mod deadline;
pub mod job_statistics;
pub mod memory;
pub mod metric;
pub mod outgoing;
pub mod queue;
pub mod resources;
pub mod scheduler;
pub mod subgraph;
pub mod term;

use crate::standard::async_buffer::{AsyncBufferReceiver, AsyncBufferTransmitter};
use crate::standard::clock::{ManualClock, RealtimeClock, SyntheticClock};
use crate::standard::codelet::{
    Broadcast, Forward, Gather, Synchronization, TensorCopier, TimedThrottler, Vault,
};
use crate::standard::connection::{
    Connection, MessageRouter, NetworkRouter, RouterGroup, SystemGroup, Topic,
};
use crate::standard::deadline::Deadline;
use crate::standard::job_statistics::JobStatistics;
use crate::standard::memory::{BlockMemoryPool, UnboundedAllocator, Variable};
use crate::standard::metric::Metric;
use crate::standard::queue::{DoubleBufferReceiver, DoubleBufferTransmitter};
use crate::standard::resources::{CPUThread, GPUDevice, ThreadPool};
use crate::standard::scheduler::{
    ActorScheduler, EpochScheduler, EventBasedScheduler, GreedyScheduler, MultiThreadScheduler,
    StaticClient, StaticScheduler,
};
use crate::standard::subgraph::Subgraph;
use crate::standard::term::{
    AsynchronousSchedulingTerm, BTSchedulingTerm, BooleanSchedulingTerm, CountSchedulingTerm,
    DownstreamReceptiveSchedulingTerm, ExpiringMessageAvailableSchedulingTerm,
    MemoryAvailableSchedulingTerm, MessageAvailableFrequencyThrottler,
    MessageAvailableSchedulingTerm, MultiMessageAvailableSchedulingTerm,
    MultiMessageAvailableTimeoutSchedulingTerm, OrSchedulingTermCombiner, PeriodicSchedulingTerm,
    TargetTimeSchedulingTerm,
};
use gxf_app::error::Result;
use gxf_plugin::descriptor::{self, Construction, payload_of};
use gxf_plugin::message::payload_type::{PayloadType, register_payload_type};
use gxf_plugin::registry::{Registry, TypeInfo};
use gxf_plugin_abi::{ExtensionDescriptor, TYPE_ABSTRACT, Tid, tids};
use parking_lot::Mutex;
use std::any::TypeId;

pub use gxf::support::BuiltIn;

gxf::gxf_ext_factory! {
    built_in: STANDARD_EXTENSION;
    id: 0x8ec2d5d6b5df48bf, 0x8dee0252606fdd7e;
    name: "StandardExtension";
    version: "2.6.0";
    description: "The standard components: queues, clocks, terms, schedulers, allocators, stock \
                  codelets";
    license: "Apache-2.0";
    components: [
        RealtimeClock: Clock + RealtimeClock {
            id: 0x7b170b7bcf1a4f3f, 0x997cbfea25342381;
            name: "nvidia::gxf::RealtimeClock";
        },
        ManualClock: Clock {
            id: 0x52fa1f97eba8472a, 0xa8ca4cff1a2c440f;
            name: "nvidia::gxf::ManualClock";
        },
        SyntheticClock: Clock + SyntheticClock {
            id: 0x9a2bfd7b2d8479b4, 0xbc71f47eb53f28c8;
            name: "nvidia::gxf::SyntheticClock";
        },
        DoubleBufferTransmitter: Transmitter {
            id: 0x0c3c0ec777f14389, 0xaef16bae85bddc13;
            name: "nvidia::gxf::DoubleBufferTransmitter";
        },
        DoubleBufferReceiver: Receiver {
            id: 0xee45883dbf844f99, 0x84197c5e9deac6a5;
            name: "nvidia::gxf::DoubleBufferReceiver";
        },
        AsyncBufferTransmitter: Transmitter {
            id: 0x784f5837ffc94605, 0x86ffc448875673e4;
            name: "nvidia::gxf::AsyncBufferTransmitter";
        },
        AsyncBufferReceiver: Receiver {
            id: 0xf518ff98c3604223, 0xb93f5d485d7eb17c;
            name: "nvidia::gxf::AsyncBufferReceiver";
        },
        Topic: Component {
            id: 0x705294948bca49ef, 0x51bf44b08ecf460b;
            name: "nvidia::gxf::Topic";
        },
        Connection: Component {
            id: 0xcc71afae5ede47e9, 0xb26760a5c750a89a;
            name: "nvidia::gxf::Connection";
        },
        CountSchedulingTerm: SchedulingTerm {
            id: 0xf89da2e4fddf4aa2, 0x9a801119ba3fde05;
            name: "nvidia::gxf::CountSchedulingTerm";
            announces: true;
        },
        PeriodicSchedulingTerm: SchedulingTerm {
            id: 0xd392c98a9b0849b4, 0xa422d5fe6cd72e3e;
            name: "nvidia::gxf::PeriodicSchedulingTerm";
            announces: true;
        },
        TargetTimeSchedulingTerm: SchedulingTerm + TargetTimeSchedulingTerm {
            id: 0xe4aaf5c32b104c9a, 0xc463ebf6084149bf;
            name: "nvidia::gxf::TargetTimeSchedulingTerm";
            announces: true;
        },
        MessageAvailableSchedulingTerm: SchedulingTerm {
            id: 0xfe799e65f78b48eb, 0xbeb6e73083a12d5b;
            name: "nvidia::gxf::MessageAvailableSchedulingTerm";
            announces: true;
        },
        MultiMessageAvailableSchedulingTerm: SchedulingTerm {
            id: 0xf15dbeaaafd647a6, 0x9ffc7afd7e1b4c52;
            name: "nvidia::gxf::MultiMessageAvailableSchedulingTerm";
            announces: true;
        },
        DownstreamReceptiveSchedulingTerm: SchedulingTerm {
            id: 0x9de751198d0f4819, 0x9a712aeaefd23f71;
            name: "nvidia::gxf::DownstreamReceptiveSchedulingTerm";
            announces: true;
        },
        BooleanSchedulingTerm: SchedulingTerm + BooleanSchedulingTerm {
            id: 0xe07a0dc439084df8, 0x81347ce38e60fbef;
            name: "nvidia::gxf::BooleanSchedulingTerm";
            announces: true;
        },
        AsynchronousSchedulingTerm: SchedulingTerm + AsynchronousSchedulingTerm {
            id: 0x56be1662ff634179, 0x92003fcd8dc38673;
            name: "nvidia::gxf::AsynchronousSchedulingTerm";
            announces: true;
        },
        ExpiringMessageAvailableSchedulingTerm: SchedulingTerm {
            id: 0xeb22280c76ff11eb, 0xb341cf6b417c95c9;
            name: "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm";
            announces: true;
        },
        MessageAvailableFrequencyThrottler: SchedulingTerm {
            id: 0x5ae1d56ca19611ed, 0x8759ef34a33d45a6;
            name: "nvidia::gxf::MessageAvailableFrequencyThrottler";
            announces: true;
        },
        // Not a type of GXF: Holoscan builds its condition from the type above.
        MultiMessageAvailableTimeoutSchedulingTerm: SchedulingTerm {
            id: 0x55128154bbf945e9, 0xaf331f2c4f62b9a3;
            name: "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm";
            announces: true;
        },
        MemoryAvailableSchedulingTerm: SchedulingTerm {
            id: 0xf976d23a822074e2, 0xa5d904ed71b2454a;
            name: "nvidia::gxf::MemoryAvailableSchedulingTerm";
            announces: true;
        },
        BTSchedulingTerm: SchedulingTerm + BtSchedulingTerm {
            id: 0x0161ca512fed4a8c, 0x8f2467cf1b5e330a;
            name: "nvidia::gxf::BTSchedulingTerm";
            announces: true;
        },
        OrSchedulingTermCombiner: SchedulingTermCombiner {
            id: 0xdf28988e42ed11ef, 0xa09acbbf54a5a986;
            name: "nvidia::gxf::OrSchedulingTermCombiner";
            announces: true;
        },
        UnboundedAllocator: Allocator + CudaAllocator {
            id: 0xc3951b16a01c539f, 0xd87e1dc18d911ea0;
            name: "nvidia::gxf::UnboundedAllocator";
        },
        BlockMemoryPool: Allocator + CudaAllocator {
            id: 0x92b627a35dd34c3c, 0x976c4700e8a3b96a;
            name: "nvidia::gxf::BlockMemoryPool";
        },
        Variable: Allocator + VariableMemory {
            id: 0xf0934d18fe5001fa, 0xf54240f079cdfd25;
            name: "gxe::Variable";
        },
        Broadcast: Codelet {
            id: 0x3daadb310bca47e5, 0x9924342b9984a014;
            name: "nvidia::gxf::Broadcast";
        },
        Gather: Codelet {
            id: 0x85f64c8482364035, 0x9b9a3843a6a2026f;
            name: "nvidia::gxf::Gather";
        },
        Forward: Codelet {
            id: 0x97cee5438fb54541, 0x8ff7589318187ec0;
            name: "nvidia::gxf::Forward";
        },
        TensorCopier: Codelet {
            id: 0xc07680f475b3189b, 0x88864b5e448e7bb6;
            name: "nvidia::gxf::TensorCopier";
        },
        TimedThrottler: Codelet {
            id: 0xccf7729cf62c4250, 0x5cf7f4f3ec80454b;
            name: "nvidia::gxf::TimedThrottler";
        },
        Synchronization: Codelet {
            id: 0xf1cb80d6e5ec4dba, 0x9f9eb06b0def4443;
            name: "nvidia::gxf::Synchronization";
        },
        Vault: Codelet + Vault {
            id: 0x1108cb8d85e44303, 0xba02d27406ee9e65;
            name: "nvidia::gxf::Vault";
        },
        ThreadPool: Component {
            id: 0x4025b68b206b4b3d, 0xa088f4805fdf8703;
            base: 0x76b9234d5eac4c65, 0xb1a10306d3f354e5; // ResourceBase
            name: "nvidia::gxf::ThreadPool";
        },
        GPUDevice: Component {
            id: 0x2036939fa32a43ee, 0x83f8826576d8f170;
            base: 0x76b9234d5eac4c65, 0xb1a10306d3f354e5; // ResourceBase
            name: "nvidia::gxf::GPUDevice";
        },
        CPUThread: Component {
            id: 0x34f46728496d4d8b, 0xb9c9c5a54de5d3a0;
            name: "nvidia::gxf::CPUThread";
        },
        Metric: Metric {
            id: 0xf7cef8035beb46f1, 0x186a05d3919842ac;
            base: 0x75bf23d5199843b7, 0xbaaf16853d783bd1; // Component
            name: "nvidia::gxf::Metric";
        },
        Deadline: Component {
            id: 0x982fad7f0713899d, 0xf0276875cb82da2c;
            name: "gxe::Deadline";
        },
        JobStatistics: Component {
            id: 0x2093b91a7c8211eb, 0xa92b3f1304ecc959;
            name: "nvidia::gxf::JobStatistics";
        },
        GreedyScheduler: Component {
            id: 0x869d30caa4434619, 0xb9887a52e657f39b;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "nvidia::gxf::GreedyScheduler";
        },
        MultiThreadScheduler: Component {
            id: 0xde5e06467fa511eb, 0xa5c4330ebfa81bbf;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "nvidia::gxf::MultiThreadScheduler";
        },
        EventBasedScheduler: Component {
            id: 0x99bef5a848bc11ee, 0xbe560242ac120002;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "nvidia::gxf::EventBasedScheduler";
        },
        EpochScheduler: Component {
            id: 0x3d175ab42e0d11ec, 0x8d3d0242ac130003;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "nvidia::gxf::EpochScheduler";
        },
        // Not a type of GXF.
        ActorScheduler: Component {
            id: 0x07cac713c9314c7a, 0x91821fe81452b7f9;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "gxe::ActorScheduler";
        },
        // Not a type of GXF.
        StaticScheduler: Component {
            id: 0xe33135c16423b022, 0x610ee4dfe85502bd;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "gxe::StaticScheduler";
        },
        // Not a type of GXF.
        StaticClient: Component {
            id: 0xff51e199fa15448a, 0xb04d78da724538e1;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "gxe::StaticClient";
        },
        MessageRouter: Component {
            id: 0x84fd5d56fda64937, 0x0b3cc283252553d8;
            base: 0x8b317aadf55c4c07, 0x85208f66db92a19e;
            name: "nvidia::gxf::MessageRouter";
        },
        NetworkRouter: Component {
            id: 0xa1e6c5d5947d40fd, 0xb248117dddc9f0ae;
            base: 0x8b317aadf55c4c07, 0x85208f66db92a19e;
            name: "nvidia::gxf::NetworkRouter";
        },
        RouterGroup: Component {
            id: 0xca64ee1422804099, 0x9f10d4b501e09117;
            base: 0x8b317aadf55c4c07, 0x85208f66db92a19e;
            name: "nvidia::gxf::RouterGroup";
        },
        SystemGroup: Component {
            id: 0x3d23d4700aed41c6, 0xac92685c1b5469a0;
            base: 0xd1febca180df454e, 0xa3f2715f2b3c6e69;
            name: "nvidia::gxf::SystemGroup";
        },
        Subgraph: Component {
            id: 0x576eedd77c3f4d2f, 0x8c388baa79a3d231;
            name: "nvidia::gxf::Subgraph";
        },
    ];
}

/// The abstract base types, each after its own base.
pub const BASE_TYPES: &[(Tid, Tid, &str)] = &[
    (tids::COMPONENT, Tid::NULL, "nvidia::gxf::Component"),
    (tids::CODELET, tids::COMPONENT, "nvidia::gxf::Codelet"),
    (tids::IPC_SERVER, tids::COMPONENT, "nvidia::gxf::IPCServer"),
    (tids::IPC_CLIENT, tids::COMPONENT, "nvidia::gxf::IPCClient"),
    (tids::NETWORK_CONTEXT, tids::COMPONENT, "nvidia::gxf::NetworkContext"),
    (tids::CLOCK, tids::COMPONENT, "nvidia::gxf::Clock"),
    (tids::SYSTEM, tids::COMPONENT, "nvidia::gxf::System"),
    (tids::SCHEDULER, tids::SYSTEM, "nvidia::gxf::Scheduler"),
    (tids::QUEUE, tids::COMPONENT, "nvidia::gxf::Queue"),
    (tids::RECEIVER, tids::QUEUE, "nvidia::gxf::Receiver"),
    (tids::TRANSMITTER, tids::QUEUE, "nvidia::gxf::Transmitter"),
    // In GXF Router has no base; here it is a component like any other.
    (tids::ROUTER, tids::COMPONENT, "nvidia::gxf::Router"),
    (tids::SCHEDULING_TERM, tids::COMPONENT, "nvidia::gxf::SchedulingTerm"),
    (tids::SCHEDULING_TERM_COMBINER, tids::COMPONENT, "nvidia::gxf::SchedulingTermCombiner"),
    (tids::ALLOCATOR, tids::COMPONENT, "nvidia::gxf::Allocator"),
    (tids::RESOURCE_BASE, tids::COMPONENT, "nvidia::gxf::ResourceBase"),
    (tids::CONTROLLER, tids::COMPONENT, "nvidia::gxf::Controller"),
    (tids::MONITOR, tids::COMPONENT, "nvidia::gxf::Monitor"),
    (tids::COMPONENT_SERIALIZER, tids::COMPONENT, "nvidia::gxf::ComponentSerializer"),
    (tids::ENTITY_SERIALIZER, tids::COMPONENT, "nvidia::gxf::EntitySerializer"),
    (tids::ENDPOINT, tids::COMPONENT, "nvidia::gxf::Endpoint"),
    (tids::COMPLETION, tids::COMPONENT, "gxe::Completion"),
];

/// GXF's primitives, which every message may carry.
macro_rules! primitives {
    ($($type:ty: $name:literal,)*) => {
        [$((<$type as gxf::Payload>::TID, $name, payload_of::<$type>()),)*]
    };
}

/// Name and layout of the built-in payload types.
fn primitives() -> [(Tid, &'static str, PayloadType); 19] {
    primitives! {
        i8: "int8_t",
        u8: "uint8_t",
        i16: "int16_t",
        u16: "uint16_t",
        i32: "int32_t",
        u32: "uint32_t",
        i64: "int64_t",
        u64: "uint64_t",
        f32: "float",
        f64: "double",
        bool: "bool",
        gxf::Complex64: "complex64",
        gxf::Complex128: "complex128",
        gxf::Timestamp: "nvidia::gxf::Timestamp",
        gxf::EndOfStream: "nvidia::gxf::EndOfStream",
        gxf::Tensor: "nvidia::gxf::Tensor",
        gxf::Shape: "nvidia::gxf::Shape",
        gxf::MultiSourceTimestamp: "nvidia::gxf::MultiSourceTimestamp",
        gxf_device::Fence: "gxe::CudaFence",
    }
}

/// Components that the program adds to the standard extension.
static ADDED: Mutex<Vec<&'static ExtensionDescriptor>> = Mutex::new(Vec::new());

/// Adds components to the standard extension of every registry filled from now on. Does nothing the
/// second time.
pub fn add(components: &'static ExtensionDescriptor) {
    let mut added = ADDED.lock();
    if !added.iter().any(|known| std::ptr::eq(*known, components)) {
        added.push(components);
    }
}

/// The type that the runtime may access past the ABI, see `plugin::component::Native`.
fn native_type(tid: Tid) -> Option<TypeId> {
    STANDARD_EXTENSION_TYPES
        .iter()
        .find(|(known, _)| *known == tid)
        .map(|(_, rust_type)| *rust_type)
}

/// Adds the standard extension to a registry.
pub fn register(registry: &mut Registry) -> Result<()> {
    let (mut info, types) = descriptor::read_built_in(&STANDARD_EXTENSION)?;
    let plain = |tid, base, name: &str| TypeInfo {
        tid,
        base,
        name: name.to_owned(),
        display_name: String::new(),
        brief: String::new(),
        description: String::new(),
        flags: 0,
        extension: info.name.clone(),
        parameters: Vec::new(),
        ports: Vec::new(),
        lineage: Vec::new(),
        native: None,
        construction: Construction::none(),
    };
    let mut all: Vec<TypeInfo> = BASE_TYPES
        .iter()
        .map(|(tid, base, name)| TypeInfo { flags: TYPE_ABSTRACT, ..plain(*tid, *base, name) })
        .collect();
    for (tid, name, payload) in primitives() {
        let construction = Construction::of_payload(&payload);
        // Either the first registration of the id, or an identical one.
        _ = register_payload_type(payload);
        all.push(TypeInfo { construction, ..plain(tid, Tid::NULL, name) });
    }
    all.extend(types.into_iter().map(|known| TypeInfo { native: native_type(known.tid), ..known }));
    for components in ADDED.lock().iter() {
        let (_, types) = descriptor::read_built_in(components)?;
        let extension = &info.name;
        all.extend(
            types.into_iter().map(|known| TypeInfo { extension: extension.clone(), ..known }),
        );
    }
    info.types = all.iter().map(|known| known.tid).collect();
    registry.add_extension(info, all)
}
