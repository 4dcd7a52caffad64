//! Headers of video frames and sound, as the multimedia extension writes them: just enough to find
//! the end of the data and describe it.

use core::fmt;

/// Bytes of the header of a video frame: width and height (u32), storage (i32), format (i64), 4
/// planes, surface layout (i32), plane count (u32).
pub const VIDEO_HEADER_SIZE: u64 = 1152;
/// Bytes of a plane in it: name (256 bytes), bytes per pixel (u8), stride (i32), offset, width and
/// height (u32), size (u64).
const PLANE_SIZE: usize = 281;
/// Bytes of the header of sound: channels, samples, sampling rate and bytes per sample (u32),
/// format, layout and storage (i32).
pub const AUDIO_HEADER_SIZE: u64 = 28;

/// The header of a video frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VideoHeader {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Number of GXF's `VideoFormat`.
    pub format: i64,
    /// Bytes up to the end of the last plane; `None` on overflow.
    pub data_size: Option<u64>,
}

impl VideoHeader {
    /// Reads a header.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; VIDEO_HEADER_SIZE as usize]) -> Self {
        let planes = u32_at(bytes, 1148);
        let end = |plane: usize| {
            let start = 20 + plane * PLANE_SIZE;
            u64_at(bytes, start + 273).checked_add(u32_at(bytes, start + 261).into())
        };
        let data_size = (planes <= 4).then(|| (0..planes as usize).map(end)).and_then(|ends| {
            ends.into_iter().try_fold(0, |size: u64, end| end.map(|end| size.max(end)))
        });
        Self {
            width: u32_at(bytes, 0),
            height: u32_at(bytes, 4),
            format: u64_at(bytes, 12).cast_signed(),
            data_size,
        }
    }
}

/// `640 x 480, format 5`.
impl fmt::Display for VideoHeader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} x {}, format {}", self.width, self.height, self.format)
    }
}

/// The header of a piece of sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioHeader {
    /// Channels.
    pub channels: u32,
    /// Samples of each channel.
    pub samples: u32,
    /// Samples per second.
    pub sampling_rate: u32,
    /// Size of a sample.
    pub bytes_per_sample: u32,
}

impl AudioHeader {
    /// Reads a header.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; AUDIO_HEADER_SIZE as usize]) -> Self {
        Self {
            channels: u32_at(bytes, 0),
            samples: u32_at(bytes, 4),
            sampling_rate: u32_at(bytes, 8),
            bytes_per_sample: u32_at(bytes, 12),
        }
    }

    /// Bytes of all samples; `None` on overflow.
    #[must_use]
    pub fn data_size(&self) -> Option<u64> {
        let samples = u64::from(self.channels) * u64::from(self.samples);
        samples.checked_mul(self.bytes_per_sample.into())
    }
}

/// `2 channels of 1024 samples at 48000 Hz`.
impl fmt::Display for AudioHeader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { channels, samples, sampling_rate, .. } = self;
        write!(formatter, "{channels} channels of {samples} samples at {sampling_rate} Hz")
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(core::array::from_fn(|index| bytes[offset + index]))
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|index| bytes[offset + index]))
}
