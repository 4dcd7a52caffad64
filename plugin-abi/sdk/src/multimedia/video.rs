//! Video frames.

use super::format::{stride_align, traits_of};
use crate::abi::{COLOR_SPACE_SIZE, MAX_COLOR_PLANES};
use crate::{
    Allocator, Error, Handle, MemoryBuffer, Payload, Result, ResultCode, Shape, StorageType,
    Tensor, Tid, abi,
};
use abi::{ColorPlane, SurfaceLayout, VideoBufferInfo, VideoFormat};
use core::mem::offset_of;

/// A video frame that a message can carry (GXF's `VideoBuffer`).
#[repr(C)]
#[derive(Default)]
pub struct VideoBuffer {
    info: VideoBufferInfo,
    memory: MemoryBuffer,
}

const _: () = {
    assert!(size_of::<VideoBuffer>() == size_of::<abi::VideoBuffer>());
    assert!(offset_of!(VideoBuffer, info) == offset_of!(abi::VideoBuffer, info));
    assert!(offset_of!(VideoBuffer, memory) == offset_of!(abi::VideoBuffer, memory));
};

// SAFETY: the ABI defines this layout for this id, see above.
unsafe impl Payload for VideoBuffer {
    const TID: Tid = abi::tids::VIDEO_BUFFER;
}

fn refused(problem: impl Into<String>) -> Error {
    Error::new(ResultCode::ARGUMENT_INVALID, problem)
}

/// Content of a plane; empty if its text is not UTF-8.
#[must_use]
pub fn color_space(plane: &ColorPlane) -> &str {
    // SAFETY: `c_char` and `u8` have the same layout.
    let bytes = unsafe { &*(&raw const plane.color_space).cast::<[u8; COLOR_SPACE_SIZE]>() };
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    core::str::from_utf8(name).unwrap_or_default()
}

/// The same plane with a name of up to 31 bytes.
pub fn named_plane(name: &str, mut plane: ColorPlane) -> Result<ColorPlane> {
    if name.len() >= COLOR_SPACE_SIZE || name.contains('\0') {
        let longest = COLOR_SPACE_SIZE - 1;
        return Err(refused(format!("`{name}` is not a name of up to {longest} bytes")));
    }
    plane.color_space = [0; COLOR_SPACE_SIZE];
    for (place, byte) in plane.color_space.iter_mut().zip(name.bytes()) {
        // Signed on x86, unsigned on Arm.
        *place = core::ffi::c_char::from_ne_bytes([byte]);
    }
    Ok(plane)
}

/// The planes of a frame one after the other, and their total size in bytes. If `aligned`, rows
/// start at multiples of 256 bytes.
pub fn default_color_planes(
    format: VideoFormat,
    width: u32,
    height: u32,
    aligned: bool,
) -> Result<(VideoBufferInfo, u64)> {
    let traits = traits_of(format).ok_or_else(|| {
        refused(format!("the planes of video format {} have to be stated", format.0))
    })?;
    let too_large =
        || refused(format!("a {} frame of {width} x {height} pixels is too large", traits.name));
    let mut info = VideoBufferInfo {
        width,
        height,
        color_format: format,
        plane_count: traits.planes.len() as u32,
        surface_layout: SurfaceLayout::PITCH_LINEAR,
        ..VideoBufferInfo::default()
    };
    let mut offset = 0u64;
    for (known, plane) in traits.planes.iter().zip(&mut info.color_planes) {
        let half = |length: u32| if known.is_halved { length.div_ceil(2) } else { length };
        let (width, height) = (half(width), half(height));
        let bytes_per_pixel = traits.bytes_per_pixel(known);
        let row = width.checked_mul(bytes_per_pixel.into()).ok_or_else(too_large)?;
        let stride = if aligned { stride_align(row).ok_or_else(too_large)? } else { row };
        let size = u64::from(stride) * u64::from(height);
        let place = ColorPlane {
            size,
            stride,
            offset: u32::try_from(offset).map_err(|_| too_large())?,
            width,
            height,
            bytes_per_pixel,
            ..ColorPlane::default()
        };
        *plane = named_plane(known.color_space, place)?;
        offset = offset.checked_add(size).ok_or_else(too_large)?;
    }
    Ok((info, offset))
}

impl VideoBuffer {
    /// Allocates a frame with rows at multiples of 256 bytes. The pixels are not cleared.
    pub fn new(
        allocator: &Handle<Allocator>,
        storage: StorageType,
        format: VideoFormat,
        width: u32,
        height: u32,
    ) -> Result<Self> {
        Self::with_alignment(allocator, storage, format, width, height, true)
    }

    /// Like [`VideoBuffer::new`]; unless `aligned`, each row starts where the previous one ends.
    pub fn with_alignment(
        allocator: &Handle<Allocator>,
        storage: StorageType,
        format: VideoFormat,
        width: u32,
        height: u32,
        aligned: bool,
    ) -> Result<Self> {
        let (info, size) = default_color_planes(format, width, height, aligned)?;
        Self::from_memory(info, MemoryBuffer::allocate(allocator, size, storage)?)
    }

    /// Uses existing memory as a frame.
    pub fn from_memory(info: VideoBufferInfo, memory: MemoryBuffer) -> Result<Self> {
        let planes = info.color_planes.get(..info.plane_count as usize).ok_or_else(|| {
            refused(format!(
                "a frame has up to {MAX_COLOR_PLANES} planes, not {}",
                info.plane_count
            ))
        })?;
        for plane in planes {
            let end = u64::from(plane.offset).checked_add(plane.size);
            if end.is_none_or(|end| end > memory.size()) {
                return Err(refused(format!(
                    "plane `{}` has {} bytes from {} on, and the frame's memory has {}",
                    color_space(plane),
                    plane.size,
                    plane.offset,
                    memory.size()
                )));
            }
        }
        Ok(Self { info, memory })
    }

    /// Description of the frame.
    #[must_use]
    pub fn info(&self) -> &VideoBufferInfo {
        &self.info
    }

    /// The planes.
    #[must_use]
    pub fn planes(&self) -> &[ColorPlane] {
        // Foreign code may have written any number into the structure.
        &self.info.color_planes[..(self.info.plane_count as usize).min(MAX_COLOR_PLANES)]
    }

    /// The memory of the planes.
    #[must_use]
    pub fn memory(&self) -> &MemoryBuffer {
        &self.memory
    }

    /// Makes the memory read only for users of this value, such as memory that other processes use.
    pub fn set_read_only(&mut self) {
        self.memory.set_read_only();
    }

    /// Kind of memory.
    #[must_use]
    pub fn storage_type(&self) -> StorageType {
        self.memory.storage_type()
    }

    /// The bytes of a plane in host or system memory.
    pub fn plane_bytes(&self, plane: usize) -> Result<&[u8]> {
        let range = self.plane_range(plane)?;
        self.memory.bytes()?.get(range).ok_or_else(|| refused("the plane ends beyond the memory"))
    }

    /// Like [`VideoBuffer::plane_bytes`], for writing. Fails for shared and read-only memory.
    pub fn plane_bytes_mut(&mut self, plane: usize) -> Result<&mut [u8]> {
        let range = self.plane_range(plane)?;
        let bytes = self.memory.bytes_mut()?;
        bytes.get_mut(range).ok_or_else(|| refused("the plane ends beyond the memory"))
    }

    /// The frame as a tensor on the same memory (GXF's `moveToTensor`): height x width x channels
    /// for formats with one plane, planes x height x width for equal planes. Fails if the planes
    /// differ.
    pub fn into_tensor(self) -> Result<Tensor> {
        let traits = traits_of(self.info.color_format).ok_or_else(|| {
            refused(format!("video format {} is not known", self.info.color_format.0))
        })?;
        let planes = self.planes();
        let Some(first) = planes.first().filter(|_| planes.len() == traits.planes.len()) else {
            return Err(refused(format!(
                "a {} frame cannot have {} planes",
                traits.name,
                planes.len()
            )));
        };
        let element_size = traits.element_type.size();
        let channels = traits.planes[0].channels;
        let mut strides = [0; abi::MAX_RANK];
        let length =
            |length: u32| i32::try_from(length).map_err(|_| refused("the frame is too large"));
        let (height, width) = (length(first.height)?, length(first.width)?);
        let shape = if planes.len() == 1 {
            strides[..3].copy_from_slice(&[
                first.stride.into(),
                first.bytes_per_pixel.into(),
                element_size,
            ]);
            Shape::new(&[height, width, channels.into()])?
        } else {
            let distance =
                |index: usize| planes[index].offset.checked_sub(planes[index - 1].offset);
            let even = (1..planes.len()).all(|index| {
                let same = |plane: &ColorPlane| (plane.width, plane.height, plane.stride);
                distance(index).is_some()
                    && distance(index) == distance(1)
                    && same(&planes[index]) == same(first)
            });
            if !even || traits.planes.iter().any(|plane| plane.channels != 1) {
                return Err(refused(format!(
                    "the planes of a {} frame differ, so it cannot become a tensor",
                    traits.name
                )));
            }
            let distance = distance(1).unwrap_or_default().into();
            strides[..3].copy_from_slice(&[distance, first.stride.into(), element_size]);
            Shape::new(&[planes.len() as i32, height, width])?
        };
        let offset = u64::from(first.offset);
        let size = self.memory.size().saturating_sub(offset);
        let memory = self.memory.narrow(offset, size)?;
        Tensor::from_memory(shape, traits.element_type, element_size, Some(strides), memory)
    }

    /// A height x width x channels tensor as a frame on the same memory (GXF's `createFromTensor`).
    /// The format must have one plane with the tensor's channels and element type.
    pub fn from_tensor(tensor: Tensor, format: VideoFormat) -> Result<Self> {
        let traits = traits_of(format).ok_or_else(|| {
            refused(format!("a tensor cannot hold a frame of video format {}", format.0))
        })?;
        let unfit =
            || refused(format!("{tensor} does not hold a frame of the format {}", traits.name));
        let dimensions = tensor.shape().dimensions();
        let ([plane], [height, width, channels]) = (traits.planes, dimensions) else {
            return Err(unfit());
        };
        let bytes_per_pixel = traits.bytes_per_pixel(plane);
        let [stride, pixel, element] = [0, 1, 2].map(|dimension| tensor.strides()[dimension]);
        let fits = *channels == i32::from(plane.channels)
            && tensor.element_type() == traits.element_type
            && element == traits.element_type.size()
            && pixel == u64::from(bytes_per_pixel);
        let stride = u32::try_from(stride).ok().filter(|_| fits).ok_or_else(unfit)?;
        let place = ColorPlane {
            size: tensor.bytes()?.len() as u64,
            stride,
            width: u32::try_from(*width).map_err(|_| unfit())?,
            height: u32::try_from(*height).map_err(|_| unfit())?,
            bytes_per_pixel,
            ..ColorPlane::default()
        };
        let mut info = VideoBufferInfo {
            width: place.width,
            height: place.height,
            color_format: format,
            plane_count: 1,
            surface_layout: SurfaceLayout::PITCH_LINEAR,
            ..VideoBufferInfo::default()
        };
        info.color_planes[0] = named_plane(plane.color_space, place)?;
        Self::from_memory(info, tensor.into_memory())
    }

    fn plane_range(&self, plane: usize) -> Result<core::ops::Range<usize>> {
        let found = self
            .planes()
            .get(plane)
            .ok_or_else(|| refused(format!("the frame has no plane {plane}")))?;
        let start = found.offset as usize;
        let end = usize::try_from(found.size).ok().and_then(|size| start.checked_add(size));
        Ok(start..end.ok_or_else(|| refused("the plane is larger than any memory"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(format: VideoFormat, width: u32, height: u32, aligned: bool) -> VideoBuffer {
        let (info, size) = default_color_planes(format, width, height, aligned).unwrap();
        let bytes = (0..size).map(|index| index as u8).collect();
        VideoBuffer::from_memory(info, MemoryBuffer::from_vec::<u8>(bytes)).unwrap()
    }

    #[test]
    fn rows_begin_at_multiples_of_256() {
        let frame = frame(VideoFormat::NV12, 641, 5, true);
        let planes: Vec<_> = frame
            .planes()
            .iter()
            .map(|p| (color_space(p), p.width, p.height, p.stride, p.offset, p.size))
            .collect();
        let expected = [("Y", 641, 5, 768, 0, 768 * 5), ("UV", 321, 3, 768, 768 * 5, 768 * 3)];
        assert_eq!(planes, expected);
        assert_eq!(frame.plane_bytes(1).unwrap().len(), 768 * 3);
        assert!(frame.plane_bytes(2).is_err());
    }

    #[test]
    fn frames_become_tensors_and_back() {
        let tensor = frame(VideoFormat::RGB, 5, 2, true).into_tensor().unwrap();
        assert_eq!(tensor.to_string(), "uint8 tensor of 2 x 5 x 3 in system memory");
        assert_eq!(tensor.strides(), [256, 3, 1]);
        assert_eq!(tensor.get::<u8>(&[1, 4, 2]).unwrap(), 14);
        let back = VideoBuffer::from_tensor(tensor, VideoFormat::BGR).unwrap();
        assert_eq!((back.info().width, back.info().height), (5, 2));
        assert_eq!(back.plane_bytes(0).unwrap().len(), 256 + 15);
        let planes = frame(VideoFormat::R16_G16_B16, 4, 2, false).into_tensor().unwrap();
        assert_eq!(planes.to_string(), "uint16 tensor of 3 x 2 x 4 in system memory");
        assert!(frame(VideoFormat::NV12, 4, 2, true).into_tensor().is_err());
        let four = Tensor::from_vec(&[1, 1, 4], vec![0u8; 4]).unwrap();
        assert!(VideoBuffer::from_tensor(four, VideoFormat::RGB).is_err());
    }

    #[test]
    fn planes_beyond_the_memory_are_refused() {
        let (mut info, size) = default_color_planes(VideoFormat::GRAY, 4, 4, false).unwrap();
        let memory = |size: u64| MemoryBuffer::from_vec(vec![0u8; size as usize]);
        assert!(VideoBuffer::from_memory(info, memory(size - 1)).is_err());
        info.plane_count = 5;
        assert!(VideoBuffer::from_memory(info, memory(size)).is_err());
        info.plane_count = 1;
        info.color_planes[0].size = u64::MAX;
        assert!(VideoBuffer::from_memory(info, memory(size)).is_err());
    }

    proptest! {
        #[test]
        fn no_size_breaks_the_planes(
            number in -1..48i64, width: u32, height: u32, aligned: bool,
        ) {
            let format = VideoFormat(number);
            for (width, height) in [(width, height), (width % 500, height % 500)] {
                if let Ok((info, size)) = default_color_planes(format, width, height, aligned) {
                    let planes = &info.color_planes[..info.plane_count as usize];
                    let end = planes.iter().map(|p| u64::from(p.offset) + p.size).max();
                    prop_assert_eq!(end, Some(size));
                }
            }
        }
    }
}
