//! Zenoh: messages between graphs of many hosts, without a server or through zenoh's routers.
//!
//! A message travels as `entity_serializer` writes it. Each publisher holds a liveliness token, so
//! that subscribers notice when it is gone; at its end it asks them whether they have everything.
//!
//! A map:
//!
//! - `session.rs`: `ZenohSession`, the connection that the components of a graph share;
//! - `publisher.rs`: `ZenohPublisher`; `subscriber.rs`: `ZenohSubscriber`;
//! - `arrivals.rs`: what arrived and waits for the subscriber's next tick;
//! - `names.rs`: the key expressions beside that of the messages.
#![forbid(unsafe_code)]

mod arrivals;
mod names;
mod publisher;
mod session;
mod subscriber;

use publisher::ZenohPublisher;
use session::ZenohSession;
use subscriber::ZenohSubscriber;

gxf::gxf_ext_factory! {
    id: 0xda8b1e5d6e7e89df, 0xb25645e9dc614ad5;
    name: "ZenohExtension";
    version: "0.1.0";
    description: "Sends messages between graphs through zenoh";
    license: "Apache-2.0";
    display_name: "Zenoh";
    category: "Network";
    brief: "Messages between graphs through zenoh";
    components: [
        ZenohSession: Component {
            id: 0xba5233773df1a555, 0x231f00efcff6cb07;
            name: "gxe::zenoh::ZenohSession";
        },
        ZenohPublisher: Codelet + SchedulingTerm {
            id: 0x4a1ea1ed95352ab4, 0x714b2e5e62875e15;
            name: "gxe::zenoh::ZenohPublisher";
            announces: true;
        },
        ZenohSubscriber: Codelet + SchedulingTerm {
            id: 0x9330e9f9557812cb, 0x63a32cc3a05ba778;
            name: "gxe::zenoh::ZenohSubscriber";
            announces: true;
        },
    ];
}
