//! MCAP files: records messages in a form that Foxglove and other tools read, and replays them.
//!
//! `gxe-mcap-format` says what is in a file.
//!
//! A map:
//!
//! - `recorder.rs`: `McapRecorder`; `replayer.rs`: `McapReplayer`.
//!
//! `gxe-mcap-messages` makes parts of payloads, and payloads of parts.
#![forbid(unsafe_code)]

mod recorder;
mod replayer;

use recorder::McapRecorder;
use replayer::McapReplayer;

gxf::gxf_ext_factory! {
    id: 0x4bbe6f19b50e45dd, 0x8439e8ea5a1d4327;
    name: "McapExtension";
    version: "0.1.0";
    description: "Records messages as MCAP, and replays them";
    license: "Apache-2.0";
    display_name: "MCAP";
    category: "Serialization";
    brief: "Recordings that Foxglove and other tools read";
    components: [
        McapRecorder: Codelet + SchedulingTerm {
            id: 0xdf69b6e6b80d47e1, 0x9f5cfb26252b0d32;
            name: "gxe::mcap::McapRecorder";
            announces: true;
        },
        McapReplayer: Codelet + SchedulingTerm {
            id: 0x833be4226c1043f7, 0x82f51617fa194b82;
            name: "gxe::mcap::McapReplayer";
            announces: true;
        },
    ];
}
