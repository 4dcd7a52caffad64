//! Pictures between the steps.

use crate::format::Element;
use gxf::{Error, Result, ResultCode};

/// Size and elements of a picture. Pixels lie row by row without gaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    pub width: usize,
    pub height: usize,
    pub channels: usize,
    pub element: Element,
}

impl Shape {
    /// Bytes of the picture.
    pub fn size(&self) -> Result<usize> {
        [self.width, self.channels, self.element.size()]
            .iter()
            .try_fold(self.height, |size, factor| size.checked_mul(*factor))
            .ok_or_else(|| {
                Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, "the picture is too large")
            })
    }
}

/// Memory for pictures between two steps, aligned for every element type and reused for the next
/// frame.
#[derive(Default)]
pub struct Scratch(Vec<u64>);

impl Scratch {
    /// Returns `size` bytes of any value.
    pub fn bytes_mut(&mut self, size: usize) -> &mut [u8] {
        let words = size.div_ceil(8);
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
        &mut bytemuck::cast_slice_mut(&mut self.0)[..size]
    }

    /// The first bytes, unchanged.
    pub fn bytes(&self, size: usize) -> &[u8] {
        &bytemuck::cast_slice(&self.0)[..size]
    }
}

/// Sees bytes as elements.
pub fn elements<T: bytemuck::Pod>(bytes: &[u8]) -> Result<&[T]> {
    bytemuck::try_cast_slice(bytes).map_err(|_| misaligned())
}

/// As [`elements`], to change them.
pub fn elements_mut<T: bytemuck::Pod>(bytes: &mut [u8]) -> Result<&mut [T]> {
    bytemuck::try_cast_slice_mut(bytes).map_err(|_| misaligned())
}

#[cold]
fn misaligned() -> Error {
    Error::new(
        ResultCode::INVALID_DATA_FORMAT,
        "the tensor's memory is not aligned to its elements",
    )
}
