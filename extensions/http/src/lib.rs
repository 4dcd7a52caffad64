//! GXF's HttpExtension: services of one process, called by another over HTTP.
//!
//! `server.rs` has `HttpServer`, `client.rs` `HttpIPCClient`, `rest_client.rs` the clients that only
//! programs call. A request for `/service/resource` is a
//! query if it is a GET, and an action if it is a POST (`path.rs`). Nothing here is in the path of messages, so
//! both use tokio; each server has a thread of its own (`gxe-serving`).
#![forbid(unsafe_code)]

mod client;
mod path;
mod rest_client;
mod server;

use client::HttpIPCClient;
use rest_client::{CppRestHttpClient, HttpClient};
use server::HttpServer;

gxf::gxf_ext_factory! {
    id: 0x22a21c97f20b4c03, 0xb2776e6f52303328;
    name: "HttpExtension";
    version: "0.5.0";
    description: "Services of one process, called by another over HTTP";
    license: "Apache-2.0";
    display_name: "HTTP";
    category: "Distributed";
    brief: "Services over HTTP";
    components: [
        HttpServer: IpcServer {
            id: 0x700895468a59442e, 0xb91e7708f2640fca;
            name: "nvidia::gxf::HttpServer";
        },
        HttpIPCClient: IpcClient {
            id: 0x695479d528db4a4e, 0xbbbda2b1af390297;
            name: "nvidia::gxf::HttpIPCClient";
        },
        HttpClient: Component {
            id: 0xfb4e20e415c84cb4, 0xad879c161d326748;
            name: "nvidia::gxf::HttpClient";
            abstract_type: true;
        },
        CppRestHttpClient: Component {
            id: 0x562dae415e704495, 0xa7e8d196cedf3f9f;
            base: 0xfb4e20e415c84cb4, 0xad879c161d326748;
            name: "nvidia::gxf::CppRestHttpClient";
        },
    ];
}
