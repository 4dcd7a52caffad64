//! Shapes and strides.

use crate::abi::MAX_RANK;
use crate::{Error, Payload, Result, ResultCode, Tid, abi};

/// Distance between neighbouring elements in bytes, for each dimension; 0 beyond the rank.
pub type Strides = [u64; MAX_RANK];

/// The dimensions of a tensor, outermost first: up to eight, none negative. Displays as `2 x 3 x
/// 4`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Shape {
    raw: abi::Shape,
}

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for Shape {
    const TID: Tid = abi::tids::SHAPE;
}

impl Default for Shape {
    /// Rank 0, no elements.
    fn default() -> Self {
        Self { raw: abi::Shape { rank: 0, dimensions: [1; MAX_RANK] } }
    }
}

impl Shape {
    /// A shape with these dimensions.
    pub fn new(dimensions: &[i32]) -> Result<Self> {
        if dimensions.len() > MAX_RANK {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("a tensor has up to {MAX_RANK} dimensions, not {}", dimensions.len()),
            ));
        }
        if let Some(negative) = dimensions.iter().find(|dimension| **dimension < 0) {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("a dimension cannot be {negative}"),
            ));
        }
        let mut shape = Self::default();
        shape.raw.rank = dimensions.len() as u32;
        shape.raw.dimensions[..dimensions.len()].copy_from_slice(dimensions);
        Ok(shape)
    }

    /// Number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        // Foreign code may have written any number into the structure.
        (self.raw.rank as usize).min(MAX_RANK)
    }

    /// The dimensions.
    #[must_use]
    pub fn dimensions(&self) -> &[i32] {
        &self.raw.dimensions[..self.rank()]
    }

    /// Number of elements; 0 for rank 0, as in GXF.
    pub fn element_count(&self) -> Result<u64> {
        let mut count = u64::from(self.rank() > 0);
        for length in self.lengths() {
            count = count.checked_mul(length?).ok_or_else(|| self.too_large())?;
        }
        Ok(count)
    }

    /// Strides of contiguous elements, last dimension innermost.
    pub fn row_major_strides(&self, bytes_per_element: u64) -> Result<Strides> {
        let mut strides = [0; MAX_RANK];
        let mut step = bytes_per_element;
        for (index, length) in self.lengths().enumerate().rev() {
            strides[index] = step;
            // A dimension of length 0 must not zero the strides of the others.
            step = step.checked_mul(length?.max(1)).ok_or_else(|| self.too_large())?;
        }
        Ok(strides)
    }

    /// Bytes from the first element to the end of the last one.
    pub fn extent(&self, strides: &Strides, bytes_per_element: u64) -> Result<u64> {
        if self.element_count()? == 0 {
            return Ok(0);
        }
        let mut extent = bytes_per_element;
        for (length, stride) in self.lengths().zip(strides) {
            let reach = (length?.saturating_sub(1)).checked_mul(*stride);
            extent = reach
                .and_then(|reach| extent.checked_add(reach))
                .ok_or_else(|| self.too_large())?;
        }
        Ok(extent)
    }

    fn lengths(&self) -> impl DoubleEndedIterator<Item = Result<u64>> + ExactSizeIterator {
        self.dimensions().iter().map(|dimension| {
            u64::try_from(*dimension).map_err(|_| {
                Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!("a dimension cannot be {dimension}"),
                )
            })
        })
    }

    #[cold]
    fn too_large(&self) -> Error {
        Error::new(
            ResultCode::ARGUMENT_OUT_OF_RANGE,
            format!("a tensor of {self} elements is larger than any memory"),
        )
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.dimensions() == other.dimensions()
    }
}

impl Eq for Shape {}

impl core::fmt::Display for Shape {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.rank() == 0 {
            return formatter.write_str("no dimensions");
        }
        for (index, dimension) in self.dimensions().iter().enumerate() {
            let separator = if index == 0 { "" } else { " x " };
            write!(formatter, "{separator}{dimension}")?;
        }
        Ok(())
    }
}

impl core::fmt::Debug for Shape {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shapes_read_as_people_write_them() {
        assert_eq!(Shape::new(&[2, 3, 4]).unwrap().to_string(), "2 x 3 x 4");
        assert_eq!(Shape::new(&[7]).unwrap().to_string(), "7");
        assert_eq!(Shape::default().to_string(), "no dimensions");
        assert_eq!(Shape::new(&[2, 3]).unwrap(), Shape::new(&[2, 3]).unwrap());
        assert_ne!(Shape::new(&[2, 3]).unwrap(), Shape::new(&[2, 3, 1]).unwrap());
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let code = |dimensions: &[i32]| Shape::new(dimensions).unwrap_err().code();
        assert_eq!(code(&[1; 9]), ResultCode::ARGUMENT_OUT_OF_RANGE);
        assert_eq!(code(&[2, -1]), ResultCode::ARGUMENT_OUT_OF_RANGE);
        let huge = Shape::new(&[i32::MAX; 8]).unwrap();
        assert!(huge.element_count().is_err());
        assert!(huge.row_major_strides(1).is_err());
        // A structure that foreign code wrote.
        let foreign = Shape { raw: abi::Shape { rank: 99, dimensions: [-5; MAX_RANK] } };
        assert!(foreign.element_count().is_err());
        assert!(foreign.extent(&[1; MAX_RANK], 1).is_err());
    }

    #[test]
    fn a_shape_without_elements_has_strides() {
        let shape = Shape::new(&[2, 0, 3]).unwrap();
        assert_eq!(shape.element_count().unwrap(), 0);
        let strides = shape.row_major_strides(4).unwrap();
        assert_eq!(strides[..3], [12, 12, 4]);
        assert_eq!(shape.extent(&strides, 4).unwrap(), 0);
    }

    proptest! {
        #[test]
        fn row_major_elements_fill_their_memory(
            dimensions in prop::collection::vec(0..2000i32, 1..=8), bytes in 1..=16u64,
        ) {
            let shape = Shape::new(&dimensions).unwrap();
            let exact = dimensions.iter().map(|d| *d as u128).product::<u128>() * u128::from(bytes);
            match shape.row_major_strides(bytes) {
                Ok(strides) => prop_assert_eq!(u128::from(shape.extent(&strides, bytes).unwrap()), exact),
                Err(error) => prop_assert_eq!(error.code(), ResultCode::ARGUMENT_OUT_OF_RANGE),
            }
        }

        #[test]
        fn no_structure_breaks_it(
            rank: u32, dimensions: [i32; 8], strides: [u64; 8], bytes: u64,
        ) {
            let shape = Shape { raw: abi::Shape { rank, dimensions } };
            let _ = (shape.element_count(), shape.row_major_strides(bytes));
            let _ = (shape.extent(&strides, bytes), shape.to_string());
        }
    }
}
