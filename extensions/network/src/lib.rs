//! GXF's NetworkExtension: messages over one TCP connection, and clocks that follow each other.
//!
//! A map:
//!
//! - `codelet.rs`: what `TcpServer` and `TcpClient` have in common; `tcp.rs`: the two;
//! - `connection.rs`: the thread of a codelet, which opens the connection and mends it, reads and
//!   writes;
//! - `input.rs`: from bytes to messages; `channel.rs`: the number of a queue's name;
//! - `clock_sync.rs`: `ClockSyncPrimary` and `ClockSyncSecondary`.
//!
//! Peers are GXF's own: nothing here may change what goes over the connection, so there is no
//! greeting, no token and no acknowledgement. `libgxf_ucx.so` has all three.
#![forbid(unsafe_code)]

mod channel;
mod clock_sync;
mod codelet;
mod connection;
mod input;
mod tcp;

use clock_sync::{ClockSyncPrimary, ClockSyncSecondary};
use tcp::{TcpClient, TcpCodelet, TcpServer};

gxf::gxf_ext_factory! {
    id: 0xf50665e5ade2f71b, 0xde2a2380614b1725;
    name: "NetworkExtension";
    version: "1.6.0";
    description: "Messages over TCP to other programs, and clocks that follow each other";
    license: "Apache-2.0";
    display_name: "Network";
    category: "Distributed";
    brief: "Messages over TCP";
    components: [
        TcpCodelet: Codelet {
            id: 0x620c572cf03d11ed, 0x8a228f9adbb0e784;
            name: "nvidia::gxf::TcpCodelet";
            abstract_type: true;
        },
        TcpClient: Codelet + SchedulingTerm {
            id: 0x956fa19e58dd7f15, 0xdf000d2d6eaf8f70;
            base: 0x620c572cf03d11ed, 0x8a228f9adbb0e784;
            name: "nvidia::gxf::TcpClient";
            announces: true;
        },
        TcpServer: Codelet + SchedulingTerm {
            id: 0xa3e0e42de32e73ab, 0xef83fbb311310759;
            base: 0x620c572cf03d11ed, 0x8a228f9adbb0e784;
            name: "nvidia::gxf::TcpServer";
            announces: true;
        },
        ClockSyncPrimary: Codelet {
            id: 0xa61832d1b0f942b3, 0x97b2ccec0e864e61;
            name: "nvidia::gxf::ClockSyncPrimary";
        },
        ClockSyncSecondary: Codelet {
            id: 0xe84945fa86304516, 0xf7ce7df2b05947c7;
            name: "nvidia::gxf::ClockSyncSecondary";
        },
    ];
}
