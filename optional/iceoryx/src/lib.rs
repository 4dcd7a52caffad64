//! iceoryx2: messages between graphs of one host through shared memory.
//!
//! Tensors whose memory comes from an `IceoryxService` are not copied: the subscriber's graph reads
//! them where the publisher's wrote them. Everybody who may open the files of iceoryx2, by default
//! the same user, takes part; there is no other protection.
//!
//! A map:
//!
//! - `service.rs`: `IceoryxService`, the service that the components of a graph share, and its
//!   allocator;
//! - `memory.rs`: samples of iceoryx2 as memory that an allocator hands out;
//! - `publisher.rs`: `IceoryxPublisher`; `subscriber.rs`: `IceoryxSubscriber`;
//! - `peers.rs`: the thread that waits for what others do;
//! - `frame.rs`: what samples contain.

mod frame;
mod memory;
mod peers;
mod publisher;
mod service;
mod subscriber;

use publisher::IceoryxPublisher;
use service::IceoryxService;
use subscriber::IceoryxSubscriber;

gxf::gxf_ext_factory! {
    id: 0x9b6d1f0a3c7e4d52, 0xa1c95be8d2f04b37;
    name: "IceoryxExtension";
    version: "0.1.0";
    description: "Passes messages between graphs of one host through shared memory, without copies";
    license: "Apache-2.0";
    display_name: "iceoryx2";
    category: "Network";
    brief: "Messages between graphs of one host without copies";
    components: [
        IceoryxService: Allocator {
            id: 0x5e21c7d98a4b4f06, 0xb8d3f6a1907c4e25;
            name: "gxe::iceoryx::IceoryxService";
        },
        IceoryxPublisher: Codelet + SchedulingTerm {
            id: 0x7c40a9e5f1b84d63, 0x92e7d08b6a3f4c1e;
            name: "gxe::iceoryx::IceoryxPublisher";
            announces: true;
        },
        IceoryxSubscriber: Codelet + SchedulingTerm {
            id: 0x3fd86b12e09a4775, 0x8b14ce5fa72d4960;
            name: "gxe::iceoryx::IceoryxSubscriber";
            announces: true;
        },
    ];
}
