//! Rerun: shows messages of a running graph in the Rerun viewer, or writes them to files for it.
//!
//! `gxe-mcap-messages` takes messages apart, as for recordings.
//!
//! A map:
//!
//! - `sink.rs`: `RerunSink`;
//! - `shown.rs`: which of Rerun's archetypes shows a payload.
#![forbid(unsafe_code)]

mod shown;
mod sink;

use sink::RerunSink;

gxf::gxf_ext_factory! {
    id: 0x3f1c7d0a92e84b56, 0x8a5de0c4719b2f63;
    name: "RerunExtension";
    version: "0.1.0";
    description: "Shows messages in the Rerun viewer";
    license: "Apache-2.0";
    display_name: "Rerun";
    category: "Visualization";
    brief: "Messages live in the Rerun viewer";
    components: [
        RerunSink: Codelet + SchedulingTerm {
            id: 0x7b20e95f1d3c48a6, 0xb4f6218ac05d9e37;
            name: "gxe::rerun::RerunSink";
            announces: true;
        },
    ];
}
