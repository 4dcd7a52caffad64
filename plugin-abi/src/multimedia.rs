//! Video, audio and cameras in messages. Since ABI 1.2.

use crate::MemoryBuffer;
use abi_stable::StableAbi;
use core::ffi::c_char;

/// Largest number of planes a video frame may have.
pub const MAX_COLOR_PLANES: usize = 4;

/// Size of a plane's name in bytes, including its zero byte.
pub const COLOR_SPACE_SIZE: usize = 32;

/// Pixel format of a frame (`nvidia::gxf::VideoFormat`, with its numbers).
///
/// `ER`: full value range. `709`: ITU-R BT.709 instead of BT.601. A `D` after an underscore or a
/// digit: depth. Names with underscores have one plane for each channel.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, StableAbi)]
pub struct VideoFormat(pub i64);

impl VideoFormat {
    /// A private agreement between sender and receiver.
    pub const CUSTOM: Self = Self(0);
    /// Planes Y, U, V; U and V at half width and height.
    pub const YUV420: Self = Self(1);
    /// As `YUV420`, full range.
    pub const YUV420_ER: Self = Self(2);
    /// As `YUV420`, BT.709.
    pub const YUV420_709: Self = Self(3);
    /// As `YUV420`, BT.709, full range.
    pub const YUV420_709_ER: Self = Self(4);
    /// Planes Y and interleaved UV; UV at half width and height.
    pub const NV12: Self = Self(5);
    /// As `NV12`, full range.
    pub const NV12_ER: Self = Self(6);
    /// As `NV12`, BT.709.
    pub const NV12_709: Self = Self(7);
    /// As `NV12`, BT.709, full range.
    pub const NV12_709_ER: Self = Self(8);
    /// 8 bits each of red, green, blue, alpha.
    pub const RGBA: Self = Self(9);
    /// 8 bits each, in the order of the name; so are the six formats that follow.
    pub const BGRA: Self = Self(10);
    /// 8 bits each, in the order of the name.
    pub const ARGB: Self = Self(11);
    /// 8 bits each, in the order of the name.
    pub const ABGR: Self = Self(12);
    /// The fourth byte has no meaning.
    pub const RGBX: Self = Self(13);
    /// The fourth byte has no meaning.
    pub const BGRX: Self = Self(14);
    /// The first byte has no meaning.
    pub const XRGB: Self = Self(15);
    /// The first byte has no meaning.
    pub const XBGR: Self = Self(16);
    /// 8 bits each of red, green, blue.
    pub const RGB: Self = Self(17);
    /// 8 bits each of blue, green, red.
    pub const BGR: Self = Self(18);
    /// Planes of 8 bits.
    pub const R8_G8_B8: Self = Self(19);
    /// Planes of 8 bits.
    pub const B8_G8_R8: Self = Self(20);
    /// 8 bits of brightness.
    pub const GRAY: Self = Self(21);
    /// 16 bits of brightness.
    pub const GRAY16: Self = Self(22);
    /// 32 bits of brightness.
    pub const GRAY32: Self = Self(23);
    /// A binary32 of brightness.
    pub const GRAY32F: Self = Self(24);
    /// 16 bits each of red, green, blue.
    pub const RGB16: Self = Self(25);
    /// 16 bits each of blue, green, red.
    pub const BGR16: Self = Self(26);
    /// 32 bits each of red, green, blue.
    pub const RGB32: Self = Self(27);
    /// 32 bits each of blue, green, red.
    pub const BGR32: Self = Self(28);
    /// Planes of 16 bits.
    pub const R16_G16_B16: Self = Self(29);
    /// Planes of 16 bits.
    pub const B16_G16_R16: Self = Self(30);
    /// Planes of 32 bits.
    pub const R32_G32_B32: Self = Self(31);
    /// Planes of 32 bits.
    pub const B32_G32_R32: Self = Self(32);
    /// Planes Y and interleaved UV, both at full size.
    pub const NV24: Self = Self(33);
    /// As `NV24`, full range.
    pub const NV24_ER: Self = Self(34);
    /// Planes of 8 bits, and one of depth.
    pub const R8_G8_B8_D8: Self = Self(35);
    /// Planes of 16 bits, and one of depth.
    pub const R16_G16_B16_D16: Self = Self(36);
    /// Planes of 32 bits, and one of depth.
    pub const R32_G32_B32_D32: Self = Self(37);
    /// 8 bits each of red, green, blue, depth.
    pub const RGBD8: Self = Self(38);
    /// 16 bits each of red, green, blue, depth.
    pub const RGBD16: Self = Self(39);
    /// 32 bits each of red, green, blue, depth.
    pub const RGBD32: Self = Self(40);
    /// A binary32 of depth.
    pub const D32F: Self = Self(41);
    /// A binary64 of depth.
    pub const D64F: Self = Self(42);
    /// Raw data of a sensor with a Bayer filter of this order.
    pub const RAW16_RGGB: Self = Self(43);
    /// As `RAW16_RGGB`, in another order.
    pub const RAW16_BGGR: Self = Self(44);
    /// As `RAW16_RGGB`, in another order.
    pub const RAW16_GRBG: Self = Self(45);
    /// As `RAW16_RGGB`, in another order.
    pub const RAW16_GBRG: Self = Self(46);
}

/// Order of a frame's rows in memory (`nvidia::gxf::SurfaceLayout`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, StableAbi)]
pub struct SurfaceLayout(pub i32);

impl SurfaceLayout {
    /// Not specified.
    pub const INVALID: Self = Self(0);
    /// Rows, a stride apart.
    pub const PITCH_LINEAR: Self = Self(1);
    /// Blocks, in a layout that only a device understands.
    pub const BLOCK_LINEAR: Self = Self(2);
}

/// One plane of a video frame (`nvidia::gxf::ColorPlane`).
#[repr(C)]
#[derive(Clone, Copy, Default, StableAbi)]
pub struct ColorPlane {
    /// Content of the plane, such as `Y` or `RGBA`: UTF-8 with a zero byte at the end.
    pub color_space: [c_char; COLOR_SPACE_SIZE],
    /// Size of the plane in bytes.
    pub size: u64,
    /// Distance between rows in bytes.
    pub stride: u32,
    /// Distance from the frame's first byte to the plane's first byte, in bytes.
    pub offset: u32,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Size of a pixel in bytes.
    pub bytes_per_pixel: u8,
    /// Padding, 0.
    pub reserved: [u8; 7],
}

/// Description of a video frame (`nvidia::gxf::VideoBufferInfo`).
#[repr(C)]
#[derive(Clone, Copy, Default, StableAbi)]
pub struct VideoBufferInfo {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Arrangement of the pixels.
    pub color_format: VideoFormat,
    /// Number of planes.
    pub plane_count: u32,
    /// Order of the rows.
    pub surface_layout: SurfaceLayout,
    /// The planes; all zero beyond `plane_count`.
    pub color_planes: [ColorPlane; MAX_COLOR_PLANES],
}

/// A video frame (`nvidia::gxf::VideoBuffer`). All zero: no frame.
#[repr(C)]
#[derive(StableAbi)]
pub struct VideoBuffer {
    /// Description of the frame.
    pub info: VideoBufferInfo,
    /// The planes.
    pub memory: MemoryBuffer,
}

/// Format of an audio sample (`nvidia::gxf::AudioFormat`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, StableAbi)]
pub struct AudioFormat(pub i32);

impl AudioFormat {
    /// A private agreement between sender and receiver.
    pub const CUSTOM: Self = Self(0);
    /// 16 bits, signed, little endian.
    pub const S16LE: Self = Self(1);
    /// A binary32, little endian.
    pub const F32LE: Self = Self(2);
}

/// Order of samples from several channels (`nvidia::gxf::AudioLayout`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, StableAbi)]
pub struct AudioLayout(pub i32);

impl AudioLayout {
    /// A private agreement between sender and receiver.
    pub const CUSTOM: Self = Self(0);
    /// One sample of each channel in turn.
    pub const INTERLEAVED: Self = Self(1);
    /// All samples of a channel, then all of the next.
    pub const NON_INTERLEAVED: Self = Self(2);
}

/// Description of a piece of audio (`nvidia::gxf::AudioBufferInfo`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct AudioBufferInfo {
    /// Number of channels.
    pub channels: u32,
    /// Number of samples for each channel.
    pub samples: u32,
    /// Sampling rate in Hz.
    pub sampling_rate: u32,
    /// Size of a sample in bytes.
    pub bytes_per_sample: u32,
    /// Format of a sample.
    pub audio_format: AudioFormat,
    /// Order of the samples.
    pub audio_layout: AudioLayout,
}

/// A piece of audio (`nvidia::gxf::AudioBuffer`). All zero: no audio.
#[repr(C)]
#[derive(StableAbi)]
pub struct AudioBuffer {
    /// Description of the audio.
    pub info: AudioBufferInfo,
    /// The samples.
    pub memory: MemoryBuffer,
}

/// Model of the lens distortion (`nvidia::gxf::DistortionType`).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, StableAbi)]
pub struct DistortionType(pub i32);

impl DistortionType {
    /// No distortion.
    pub const PERSPECTIVE: Self = Self(0);
    /// Brown: three radial, two tangential coefficients.
    pub const BROWN: Self = Self(1);
    /// Polynomial: six radial, two tangential coefficients.
    pub const POLYNOMIAL: Self = Self(2);
    /// Fisheye, equidistant.
    pub const FISHEYE_EQUIDISTANT: Self = Self(3);
    /// Fisheye, equisolid angle.
    pub const FISHEYE_EQUISOLID: Self = Self(4);
    /// Fisheye, orthographic.
    pub const FISHEYE_ORTHOGRAPHIC: Self = Self(5);
    /// Fisheye, stereographic.
    pub const FISHEYE_STEREOGRAPHIC: Self = Self(6);
}

/// How a camera maps the world onto its image. Same layout as `nvidia::gxf::CameraModel`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug, Default, StableAbi)]
pub struct CameraModel {
    /// Width and height of the image in pixels.
    pub dimensions: [u32; 2],
    /// Focal length in pixels, along x and y.
    pub focal_length: [f32; 2],
    /// Point where the optical axis meets the image, in pixels.
    pub principal_point: [f32; 2],
    /// Skew of the axes.
    pub skew_value: f32,
    /// Model of the lens distortion.
    pub distortion_type: DistortionType,
    /// Coefficients of the distortion.
    pub distortion_coefficients: [f32; 8],
}

/// A position and orientation in space. Same layout as `nvidia::gxf::Pose3D`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug, Default, StableAbi)]
pub struct Pose3D {
    /// Rotation matrix, row by row.
    pub rotation: [f32; 9],
    /// Translation, in a unit that sender and receiver agree on.
    pub translation: [f32; 3],
}
