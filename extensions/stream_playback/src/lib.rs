//! Holoscan's stream playback: recordings to messages and back.
//!
//! A recording is the file pair `NAME.gxf_index`, `NAME.gxf_entities`; the crate
//! `gxf-message-recording` reads and writes it. Recording a replay again gives the same bytes,
//! times included: the log time of a frame travels in the `timestamp` of its message.
//!
//! A map:
//!
//! - `serializer.rs`: `VideoStreamSerializer`, messages to bytes and back;
//! - `replayer.rs`: `VideoStreamReplayer`, the codelet, which is also its own scheduling term;
//!   `pace.rs`: when the next frame is due; `progress.rs`: the progress, on a terminal;
//! - `recorder.rs`: `VideoStreamRecorder`.
//!
//! Holoscan does not publish its ids of these types; the ids below are our own, and fixed.
#![forbid(unsafe_code)]

mod pace;
mod progress;
mod recorder;
mod replayer;
mod serializer;

use recorder::VideoStreamRecorder;
use replayer::VideoStreamReplayer;
use serializer::VideoStreamSerializer;

gxf::gxf_ext_factory! {
    id: 0xfdc4870850c02684, 0x3e1a4ebbe5f8b071;
    name: "StreamPlaybackExtension";
    version: "0.2.0";
    description: "Replays recordings and records messages";
    license: "Apache-2.0";
    display_name: "Stream Playback";
    category: "Serialization";
    brief: "Holoscan's video stream replayer and recorder";
    components: [
        VideoStreamSerializer: EntitySerializer {
            id: 0xeab705bc7969f2e9, 0xd00ce64646ffda9c;
            name: "nvidia::holoscan::stream_playback::VideoStreamSerializer";
        },
        VideoStreamReplayer: Codelet + SchedulingTerm {
            id: 0xc67fa78b56dbd7c1, 0xb4967bc9f9442ea1;
            name: "nvidia::holoscan::stream_playback::VideoStreamReplayer";
        },
        VideoStreamRecorder: Codelet {
            id: 0x157c852a279259a1, 0x33b31b29d324720e;
            name: "nvidia::holoscan::stream_playback::VideoStreamRecorder";
        },
    ];
}
