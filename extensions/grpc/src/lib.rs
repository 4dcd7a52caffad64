//! GXF's GrpcExtension: services of one process, called by another over gRPC.
//!
//! `server.rs` has `GrpcServer`, `greeting.rs` how far its clients are with their handshake, `client.rs`
//! `GrpcClient`, `messages.rs` what goes between them and the standard health service. The framing is tonic's, the connections are hyper's.
#![forbid(unsafe_code)]

mod client;
mod greeting;
mod messages;
mod server;

use client::GrpcClient;
use server::GrpcServer;

gxf::gxf_ext_factory! {
    id: 0x62e7335cc55547c9, 0xa2d221991b7fd250;
    name: "GrpcExtension";
    version: "0.5.0";
    description: "Services of one process, called by another over gRPC";
    license: "Apache-2.0";
    display_name: "gRPC";
    category: "Distributed";
    brief: "Services over gRPC";
    components: [
        GrpcServer: IpcServer {
            id: 0x0e6b2f6c057a8431, 0x925bfa476c3265b6;
            name: "nvidia::gxf::GrpcServer";
        },
        GrpcClient: IpcClient {
            id: 0xf05f8a46b4ce4e3d, 0xbd9c326680abea03;
            name: "nvidia::gxf::GrpcClient";
        },
    ];
}
