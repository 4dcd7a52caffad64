//! GXF's UcxExtension: links between graphs in one process, between processes, and between hosts.
//!
//! A map:
//!
//! - `context.rs`: `UcxContext`, which opens and closes the links of a graph;
//! - `transmitter.rs`, `receiver.rs`: the two queues; `outlet.rs` and `inlet.rs` have what they
//!   share with the network thread: messages, credits, states;
//! - `sent.rs`: messages as bytes, until the receiver has them;
//! - `network/`: the event loop of a context, which owns listeners and connections and sleeps in
//!   epoll;
//! - `socket/`: TCP and Unix sockets, and small frames to them from any thread;
//! - `writes.rs`: messages that follow each other closely are written together;
//! - `local.rs`: the inlets of this process, which outlets of this process use directly;
//! - `owner.rs`: who hears of a link; `address.rs`: addresses of hosts;
//! - `entity_serializer.rs`, `component_serializer.rs`, `buffer.rs`: messages as bytes.
//!
//! What goes over a stream is in the crate `gxf-link-format`; what threads share without a lock, in
//! `gxf-link-state`; who may connect, in `gxe-access`.
//!
//! A codelet's thread writes to the socket itself, as long as the socket takes it, several messages at
//! once in a burst; the event loop reads, and writes what is left. A thread of the scheduler runs it
//! while there is nothing else to do, and otherwise the context's own. Nothing is copied between a
//! large tensor and the socket, and a message within the process is handed over by reference.

mod address;
mod buffer;
mod component_serializer;
mod context;
mod entity_serializer;
mod inlet;
mod local;
mod network;
mod outlet;
mod owner;
mod receiver;
mod sent;
mod socket;
mod transmitter;
mod writes;

use buffer::UcxSerializationBuffer;
use component_serializer::{UcxComponentSerializer, UcxHoloscanComponentSerializer};
use context::UcxContext;
use entity_serializer::UcxEntitySerializer;
use receiver::UcxReceiver;
use transmitter::UcxTransmitter;

gxf::gxf_ext_factory! {
    id: 0x525f8a1adfb5426b, 0x8ddb00c3ac839994;
    name: "UcxExtension";
    version: "0.8.0";
    description: "Links between graphs in one process, between processes, and between hosts";
    license: "Apache-2.0";
    display_name: "Links";
    category: "Distributed";
    brief: "Queues that lead to other processes";
    components: [
        UcxSerializationBuffer: Endpoint {
            id: 0x1d9fcaf71db14992, 0x93ec714979f7d78d;
            name: "nvidia::gxf::UcxSerializationBuffer";
        },
        UcxComponentSerializer: ComponentSerializer {
            id: 0x6499430542604f5c, 0xac5f69da6dd6cfa5;
            name: "nvidia::gxf::UcxComponentSerializer";
        },
        UcxHoloscanComponentSerializer: ComponentSerializer {
            id: 0xfc731ec8911fafc4, 0xcf19831a298f30e2;
            name: "nvidia::gxf::UcxHoloscanComponentSerializer";
        },
        UcxEntitySerializer: EntitySerializer {
            id: 0x14997aa44a014cd4, 0x86ab687f85a13f10;
            name: "nvidia::gxf::UcxEntitySerializer";
        },
        UcxReceiver: Receiver + Link + CountedLink {
            id: 0xe961132b45d548b8, 0xac5d2bb1a4a42279;
            name: "nvidia::gxf::UcxReceiver";
        },
        UcxTransmitter: Transmitter + Link + CountedLink {
            id: 0x58165d0378b74696, 0xb20071621f90aee7;
            name: "nvidia::gxf::UcxTransmitter";
        },
        UcxContext: NetworkContext + EventLoop {
            id: 0x755d20a5d794467d, 0xa86c290eb2c32052;
            name: "nvidia::gxf::UcxContext";
        },
    ];
}
