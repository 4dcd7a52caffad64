//! Graphs in several processes: `nvidia::gxf::GraphDriver` and `nvidia::gxf::GraphWorker`.
//!
//! A worker loads *segments*, graphs of their own, and runs each in a context of its own. A driver
//! tells the transmitters of all segments where their receivers are, starts the segments, and ends
//! the workers when all are done. Each has a server and a client, components of an extension.
//!
//! A map:
//!
//! - `driver.rs`, `worker.rs`: the two systems; `segment.rs`: a segment and its thread;
//! - `event_loop.rs`: what both are made of: a request only queues an event, and one thread handles
//!   them;
//! - `protocol.rs`: the JSON that they exchange, GXF's with fields of our own;
//! - `calls.rs`: what a driver says to workers, and when it last heard of them;
//! - `allocation.rs`: which segments workers get that name none;
//! - `rest.rs`: the end of segments that wait for each other;
//! - `configuration.rs`: their YAML;
//! - `address.rs`: under which address this host is reached; `listeners.rs`: where links and servers
//!   of a loaded graph listen.
//!
//! The crate composes graphs through `gxf_runtime::Context` and knows neither the engine nor any
//! network. `gxe` and `libgxf_core.so` call [`register`], which adds the types to the standard
//! extension.
#![forbid(unsafe_code)]

mod address;
mod allocation;
mod calls;
mod configuration;
mod driver;
mod event_loop;
mod listeners;
mod protocol;
mod rest;
mod segment;
mod worker;

pub use configuration::{
    Connection, SegmentFiles, SegmentPlaces, SegmentsFile, connections, connections_at, segment_of,
    segments, segments_at,
};
pub use listeners::{Address, LinkPort, link_ports, worker_address, workers_and_drivers};
pub use rest::end_if_over;

/// What reads text of strangers, for `fuzz/fuzz_targets/remote.rs`.
#[cfg(fuzzing)]
pub mod fuzzing {
    use crate::protocol;

    /// A worker's request.
    pub fn worker_info(text: &str) {
        if let Ok(info) = protocol::WorkerInfo::from_json(text) {
            let again = protocol::WorkerInfo::from_json(&protocol::to_json(&info));
            assert_eq!(again.expect("our own text"), info);
        }
    }

    /// A driver's request.
    pub fn component_params(text: &str) {
        if let Ok(components) = protocol::component_params(text) {
            let params = components.iter().flat_map(|component| &component.params);
            params.for_each(|param| drop(param.to_yaml()));
        }
    }

    /// A worker's question.
    pub fn allocation_request(text: &str) {
        if let Ok(request) = protocol::AllocationRequest::from_json(text) {
            let again = protocol::AllocationRequest::from_json(&protocol::to_json(&request));
            assert_eq!(again.expect("our own text"), request);
        }
    }

    /// `connections`.
    pub fn connections(text: &str) {
        _ = crate::connections(&gxf::Yaml(text.to_owned()));
    }

    /// `graph-specs`.
    pub fn segments(text: &str) {
        _ = crate::segments(&gxf::Yaml(text.to_owned()));
    }
}

use driver::GraphDriver;
use worker::GraphWorker;

gxf::gxf_ext_factory! {
    built_in: REMOTE_COMPONENTS;
    id: 0xd6b2e5f0a1c94a3e, 0x8f7054d13ce2b968;
    name: "RemoteComponents";
    version: "2.6.0";
    description: "The part of the standard extension for graphs in several processes";
    license: "Apache-2.0";
    components: [
        GraphWorker: System {
            id: 0x54b885292c91436b, 0x83b67f5c10369354;
            name: "nvidia::gxf::GraphWorker";
        },
        GraphDriver: System {
            id: 0x76ca3719fcd14ae3, 0x8e068ce161b0f881;
            name: "nvidia::gxf::GraphDriver";
        },
    ];
}

/// Adds the types to the standard extension of every context made from now on.
pub fn register() {
    gxf_runtime::add_standard_components(&REMOTE_COMPONENTS);
}
