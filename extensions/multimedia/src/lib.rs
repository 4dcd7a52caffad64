//! GXF's MultimediaExtension: video frames, sound, cameras and poses in messages.
//!
//! `gxf::multimedia` defines the payload types; this extension registers them, and `serializer.rs`
//! turns them into bytes and back.
#![forbid(unsafe_code)]

mod serializer;

use gxf::multimedia::{CameraModel, Pose3D};
use gxf::{AudioBuffer, VideoBuffer};
use serializer::MultimediaComponentSerializer;

gxf::gxf_ext_factory! {
    id: 0x6f2d1afc1057481a, 0x9da6a5f61fed178e;
    name: "MultimediaExtension";
    version: "2.6.0";
    description: "Video frames, sound, cameras and poses in messages";
    license: "Apache-2.0";
    display_name: "Multimedia";
    category: "Multimedia";
    brief: "Video and audio payloads";
    components: [
        // Not a type of GXF, which serializes these payloads in its network extensions.
        MultimediaComponentSerializer: ComponentSerializer {
            id: 0x8c1f0b0a5e0c4d7b, 0x9a52d7c3e4716f28;
            name: "gxe::MultimediaComponentSerializer";
        },
    ];
    payloads: [
        AudioBuffer { name: "nvidia::gxf::AudioBuffer"; },
        VideoBuffer { name: "nvidia::gxf::VideoBuffer"; },
        CameraModel { name: "nvidia::gxf::CameraModel"; },
        Pose3D { name: "nvidia::gxf::Pose3D"; },
    ];
}
