//! Video and audio.
//!
//! - `format.rs`: the video formats as a table;
//! - `video.rs`: `VideoBuffer`, a frame and its planes;
//! - `audio.rs`: `AudioBuffer`.

mod audio;
mod format;
mod video;

pub use audio::AudioBuffer;
pub use format::{FormatPlane, FormatTraits, stride_align, traits_of};
pub use gxf_plugin_abi::{
    AudioBufferInfo, AudioFormat, AudioLayout, CameraModel, ColorPlane, DistortionType, Pose3D,
    SurfaceLayout, VideoBufferInfo, VideoFormat,
};
pub use video::{VideoBuffer, color_space, default_color_planes, named_plane};

use crate::{Payload, Tid, abi};

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for CameraModel {
    const TID: Tid = abi::tids::CAMERA_MODEL;
}

// SAFETY: as above.
unsafe impl Payload for Pose3D {
    const TID: Tid = abi::tids::POSE_3D;
}
