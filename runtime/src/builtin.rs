//! GXF's standard extension, built into the host: the types themselves stand in the module of
//! their kind, this is the list of them with GXF's ids and names.

use crate::clock::{ManualClock, RealtimeClock};
use crate::error::Result;
use crate::extension::registry::{Registry, TypeInfo};
use crate::graph::subgraph::Subgraph;
use crate::message::pool::{PayloadType, register_payload_type};
use crate::message::queue::{DoubleBufferReceiver, DoubleBufferTransmitter};
use crate::message::router::Connection;
use crate::plugin::descriptor::{self, Construction, payload_of};
use crate::schedule::components::GreedyScheduler;
use crate::schedule::terms::{
    AsynchronousSchedulingTerm, BooleanSchedulingTerm, CountSchedulingTerm,
    DownstreamReceptiveSchedulingTerm, MessageAvailableSchedulingTerm,
    MultiMessageAvailableSchedulingTerm, PeriodicSchedulingTerm, TargetTimeSchedulingTerm,
};
use gxf_plugin_abi::{TYPE_ABSTRACT, Tid, tids};
use std::any::TypeId;

gxf::gxf_ext_factory! {
    built_in: STANDARD_EXTENSION;
    id: 0x8ec2d5d6b5df48bf, 0x8dee0252606fdd7e;
    name: "StandardExtension";
    version: "2.6.0";
    description: "The standard components: queues, clocks, scheduling terms, schedulers";
    license: "Apache-2.0";
    components: [
        RealtimeClock: Clock {
            id: 0x7b170b7bcf1a4f3f, 0x997cbfea25342381;
            name: "nvidia::gxf::RealtimeClock";
        },
        ManualClock: Clock {
            id: 0x52fa1f97eba8472a, 0xa8ca4cff1a2c440f;
            name: "nvidia::gxf::ManualClock";
        },
        DoubleBufferTransmitter: Transmitter {
            id: 0x0c3c0ec777f14389, 0xaef16bae85bddc13;
            name: "nvidia::gxf::DoubleBufferTransmitter";
        },
        DoubleBufferReceiver: Receiver {
            id: 0xee45883dbf844f99, 0x84197c5e9deac6a5;
            name: "nvidia::gxf::DoubleBufferReceiver";
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
        GreedyScheduler: Component {
            id: 0x869d30caa4434619, 0xb9887a52e657f39b;
            base: 0xf0103b75d2e14d70, 0x9b133fe5b40209be;
            name: "nvidia::gxf::GreedyScheduler";
        },
        Subgraph: Component {
            id: 0x576eedd77c3f4d2f, 0x8c388baa79a3d231;
            name: "nvidia::gxf::Subgraph";
        },
    ];
}

/// Id of the scheduler the greedy engine runs.
pub(crate) const GREEDY_SCHEDULER: Tid = Tid::new(0x869d30caa4434619, 0xb9887a52e657f39b);
/// Id of the type that loads further files.
pub(crate) const SUBGRAPH: Tid = Tid::new(0x576eedd77c3f4d2f, 0x8c388baa79a3d231);
/// Id of the type that leads messages on.
pub(crate) const CONNECTION: Tid = Tid::new(0xcc71afae5ede47e9, 0xb26760a5c750a89a);
/// Ids of our own queues.
const DOUBLE_BUFFER_TRANSMITTER: Tid = Tid::new(0x0c3c0ec777f14389, 0xaef16bae85bddc13);
const DOUBLE_BUFFER_RECEIVER: Tid = Tid::new(0xee45883dbf844f99, 0x84197c5e9deac6a5);
/// Ids of the terms nearly every entity has.
const MESSAGE_AVAILABLE: Tid = Tid::new(0xfe799e65f78b48eb, 0xbeb6e73083a12d5b);
const DOWNSTREAM_RECEPTIVE: Tid = Tid::new(0x9de751198d0f4819, 0x9a712aeaefd23f71);

/// The abstract base types, each after its own base.
pub(crate) const BASE_TYPES: &[(Tid, Tid, &str)] = &[
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
    // GXF derives Router from nothing; here it is a component like any other.
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
];

/// GXF's primitives, which any message may carry.
macro_rules! primitives {
    ($($type:ty: $name:literal,)*) => {
        [$((<$type as gxf::Payload>::TID, $name, payload_of::<$type>()),)*]
    };
}

/// Name and layout of the payload types that are there without an extension.
fn primitives() -> [(Tid, &'static str, PayloadType); 14] {
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
    }
}

/// The types the engine takes the short way to, see `plugin::component::Native`.
fn native_type(tid: Tid) -> Option<TypeId> {
    Some(match tid {
        DOUBLE_BUFFER_TRANSMITTER => TypeId::of::<DoubleBufferTransmitter>(),
        DOUBLE_BUFFER_RECEIVER => TypeId::of::<DoubleBufferReceiver>(),
        MESSAGE_AVAILABLE => TypeId::of::<MessageAvailableSchedulingTerm>(),
        DOWNSTREAM_RECEPTIVE => TypeId::of::<DownstreamReceptiveSchedulingTerm>(),
        _ => return None,
    })
}

/// Puts the standard extension into a registry.
pub(crate) fn register(registry: &mut Registry) -> Result<()> {
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
        lineage: Vec::new(),
        native: None,
        construction: Construction::none(),
    };
    let mut all: Vec<TypeInfo> = BASE_TYPES
        .iter()
        .map(|(tid, base, name)| TypeInfo { flags: TYPE_ABSTRACT, ..plain(*tid, *base, name) })
        .collect();
    for (tid, name, payload) in primitives() {
        register_payload_type(payload);
        all.push(plain(tid, Tid::NULL, name));
    }
    all.extend(types.into_iter().map(|known| TypeInfo { native: native_type(known.tid), ..known }));
    info.types = all.iter().map(|known| known.tid).collect();
    registry.add_extension(info, all)
}
