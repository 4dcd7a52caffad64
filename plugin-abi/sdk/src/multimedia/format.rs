//! The video formats as a table.

use crate::{PrimitiveType, abi::VideoFormat};

/// One plane of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatPlane {
    /// GXF's name of the plane.
    pub color_space: &'static str,
    /// Values per pixel in this plane.
    pub channels: u8,
    /// Whether the plane has half the frame's width and height, rounded up.
    pub is_halved: bool,
}

/// Properties of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatTraits {
    /// The format.
    pub format: VideoFormat,
    /// GXF's name without its prefix, such as `RGBA`.
    pub name: &'static str,
    /// Type of a value.
    pub element_type: PrimitiveType,
    /// The planes, in their order in memory.
    pub planes: &'static [FormatPlane],
}

const fn plane(color_space: &'static str, channels: u8) -> FormatPlane {
    FormatPlane { color_space, channels, is_halved: false }
}

const fn halved(color_space: &'static str, channels: u8) -> FormatPlane {
    FormatPlane { color_space, channels, is_halved: true }
}

const YUV420: &[FormatPlane] = &[plane("Y", 1), halved("U", 1), halved("V", 1)];
const NV12: &[FormatPlane] = &[plane("Y", 1), halved("UV", 2)];
const NV24: &[FormatPlane] = &[plane("Y", 1), plane("UV", 2)];
const R_G_B: &[FormatPlane] = &[plane("R", 1), plane("G", 1), plane("B", 1)];
const B_G_R: &[FormatPlane] = &[plane("B", 1), plane("G", 1), plane("R", 1)];
const R_G_B_D: &[FormatPlane] = &[plane("R", 1), plane("G", 1), plane("B", 1), plane("D", 1)];
const GRAY: &[FormatPlane] = &[plane("gray", 1)];
const DEPTH: &[FormatPlane] = &[plane("D", 1)];

macro_rules! formats {
    ($($name:ident: $element:ident $planes:expr;)*) => {
        &[$(FormatTraits {
            format: VideoFormat::$name,
            name: stringify!($name),
            element_type: PrimitiveType::$element,
            planes: $planes,
        }),*]
    };
}

/// In the order of GXF's numbers, from 1. A pixel of a raw format is a square of four values.
const FORMATS: &[FormatTraits] = formats! {
    YUV420: UNSIGNED8 YUV420;
    YUV420_ER: UNSIGNED8 YUV420;
    YUV420_709: UNSIGNED8 YUV420;
    YUV420_709_ER: UNSIGNED8 YUV420;
    NV12: UNSIGNED8 NV12;
    NV12_ER: UNSIGNED8 NV12;
    NV12_709: UNSIGNED8 NV12;
    NV12_709_ER: UNSIGNED8 NV12;
    RGBA: UNSIGNED8 &[plane("RGBA", 4)];
    BGRA: UNSIGNED8 &[plane("BGRA", 4)];
    ARGB: UNSIGNED8 &[plane("ARGB", 4)];
    ABGR: UNSIGNED8 &[plane("ABGR", 4)];
    RGBX: UNSIGNED8 &[plane("RGBX", 4)];
    BGRX: UNSIGNED8 &[plane("BGRX", 4)];
    XRGB: UNSIGNED8 &[plane("XRGB", 4)];
    XBGR: UNSIGNED8 &[plane("XBGR", 4)];
    RGB: UNSIGNED8 &[plane("RGB", 3)];
    BGR: UNSIGNED8 &[plane("BGR", 3)];
    R8_G8_B8: UNSIGNED8 R_G_B;
    B8_G8_R8: UNSIGNED8 B_G_R;
    GRAY: UNSIGNED8 GRAY;
    GRAY16: UNSIGNED16 GRAY;
    GRAY32: UNSIGNED32 GRAY;
    GRAY32F: FLOAT32 GRAY;
    RGB16: UNSIGNED16 &[plane("RGB", 3)];
    BGR16: UNSIGNED16 &[plane("BGR", 3)];
    RGB32: UNSIGNED32 &[plane("RGB", 3)];
    BGR32: UNSIGNED32 &[plane("BGR", 3)];
    R16_G16_B16: UNSIGNED16 R_G_B;
    B16_G16_R16: UNSIGNED16 B_G_R;
    R32_G32_B32: UNSIGNED32 R_G_B;
    B32_G32_R32: UNSIGNED32 B_G_R;
    NV24: UNSIGNED8 NV24;
    NV24_ER: UNSIGNED8 NV24;
    R8_G8_B8_D8: UNSIGNED8 R_G_B_D;
    R16_G16_B16_D16: UNSIGNED16 R_G_B_D;
    R32_G32_B32_D32: UNSIGNED32 R_G_B_D;
    RGBD8: UNSIGNED8 &[plane("RGBD", 4)];
    RGBD16: UNSIGNED16 &[plane("RGBD", 4)];
    RGBD32: UNSIGNED32 &[plane("RGBD", 4)];
    D32F: FLOAT32 DEPTH;
    D64F: FLOAT64 DEPTH;
    RAW16_RGGB: UNSIGNED16 &[plane("Raw_RGGB", 4)];
    RAW16_BGGR: UNSIGNED16 &[plane("Raw_BGGR", 4)];
    RAW16_GRBG: UNSIGNED16 &[plane("Raw_GRBG", 4)];
    RAW16_GBRG: UNSIGNED16 &[plane("Raw_GBRG", 4)];
};

/// Properties of a format; `None` for `CUSTOM` and numbers without a name.
#[must_use]
pub fn traits_of(format: VideoFormat) -> Option<&'static FormatTraits> {
    let index = usize::try_from(format.0).ok()?.checked_sub(1)?;
    FORMATS.get(index)
}

impl FormatTraits {
    /// Size of a pixel in one of the planes, in bytes.
    #[must_use]
    pub fn bytes_per_pixel(&self, plane: &FormatPlane) -> u8 {
        plane.channels * self.element_type.size() as u8
    }
}

/// Alignment of rows in bytes, unless switched off.
const ALIGNMENT: u32 = 256;

/// The next multiple of 256 bytes; `None` beyond 4 GiB.
#[must_use]
pub fn stride_align(stride: u32) -> Option<u32> {
    stride.checked_next_multiple_of(ALIGNMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_stand_at_their_numbers() {
        for (index, traits) in FORMATS.iter().enumerate() {
            assert_eq!(traits.format.0, index as i64 + 1, "{}", traits.name);
            assert!((1..=crate::abi::MAX_COLOR_PLANES).contains(&traits.planes.len()));
        }
        assert_eq!(FORMATS.len(), 46);
        for number in [0, 47, -1, i64::MIN, i64::MAX] {
            assert_eq!(traits_of(VideoFormat(number)), None);
        }
    }

    #[test]
    fn pixels_have_gxfs_sizes() {
        for (format, sizes) in [
            (VideoFormat::RGB, &[3][..]),
            (VideoFormat::RGB16, &[6]),
            (VideoFormat::BGR32, &[12]),
            (VideoFormat::NV12, &[1, 2]),
            (VideoFormat::YUV420_709_ER, &[1, 1, 1]),
            (VideoFormat::R32_G32_B32_D32, &[4, 4, 4, 4]),
            (VideoFormat::RGBD16, &[8]),
            (VideoFormat::D64F, &[8]),
            (VideoFormat::RAW16_GBRG, &[8]),
        ] {
            let traits = traits_of(format).unwrap();
            let found: Vec<_> = traits.planes.iter().map(|p| traits.bytes_per_pixel(p)).collect();
            assert_eq!(found, sizes, "{}", traits.name);
        }
    }
}
