//! MCAP files: records messages in a form that Foxglove and other tools read, and replays them.
//!
//! Each payload of a message is a message of MCAP, on the channel `/TOPIC/PAYLOAD`; `part.rs` says
//! which schema it has. The messages of MCAP that were one message here follow each other and have
//! the same `sequence`. A message with any other payload is one message of MCAP on the channel
//! `/TOPIC`, in the bytes of an entity serializer. The log time is when the message was acquired.
//!
//! A map:
//!
//! - `recorder.rs`: `McapRecorder`; `frames.rs`: the file, which gets whole messages only;
//! - `replayer.rs`: `McapReplayer`; `playback.rs`: the messages of a file;
//! - `part.rs`: payloads to messages of MCAP and back; `protobuf.rs`: the few parts of Protocol
//!   Buffers that this takes.
#![forbid(unsafe_code)]

mod frames;
mod part;
mod playback;
mod protobuf;
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
