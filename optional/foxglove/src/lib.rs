//! Foxglove: shows messages of a running graph in the Foxglove app, through a WebSocket server.
//!
//! `gxe-mcap-format` says which schemas the channels have: those of recordings.
//!
//! A map:
//!
//! - `server.rs`: `FoxgloveServer`.
#![forbid(unsafe_code)]

mod server;

use server::FoxgloveServer;

gxf::gxf_ext_factory! {
    id: 0x5d0f6f8f2b1b4a35, 0xa6c1d0b0f3ce8e17;
    name: "FoxgloveExtension";
    version: "0.1.0";
    description: "Shows messages in the Foxglove app";
    license: "Apache-2.0";
    display_name: "Foxglove";
    category: "Visualization";
    brief: "Messages live in the Foxglove app";
    components: [
        FoxgloveServer: Codelet + SchedulingTerm {
            id: 0x0c6f2e0f7d6a4c1b, 0x9be3a5c5b0f14d62;
            name: "gxe::foxglove::FoxgloveServer";
            announces: true;
        },
    ];
}
