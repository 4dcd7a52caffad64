//! Views of the same elements, without copying them.

use super::{Shape, Tensor};
use crate::abi::MAX_RANK;
use crate::{Error, Result, ResultCode};
use core::ops::Range;

impl Tensor {
    /// A second tensor on the same elements. Shared elements are read only.
    pub fn share(&mut self) -> Result<Self> {
        self.checked_extent()?;
        Ok(Self { memory: self.memory.share(), ..self.header() })
    }

    /// The elements whose index in `dimension` is in a range.
    pub fn slice(self, dimension: usize, range: Range<i32>) -> Result<Self> {
        self.checked_extent()?;
        let length = self.length(dimension)?;
        if range.start < 0 || range.start > range.end || range.end > length {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("{range:?} does not lie within dimension {dimension} of {}", self.shape),
            ));
        }
        let mut dimensions = self.shape.dimensions().to_vec();
        dimensions[dimension] = range.end - range.start;
        let shape = Shape::new(&dimensions)?;
        let mut part = Self { shape, ..self.header() };
        part.strides = self.strides;
        let size = shape.extent(&self.strides, self.bytes_per_element)?;
        // An empty slice uses no memory, wherever it would start.
        let start = if size == 0 { 0 } else { range.start as u64 * self.strides[dimension] };
        part.memory = self.memory.narrow(start, size)?;
        Ok(part)
    }

    /// The elements with one index in `dimension`, without that dimension. Fails for a tensor of
    /// one dimension, because a tensor of rank 0 has no elements; use `get` there.
    pub fn select(self, dimension: usize, index: i32) -> Result<Self> {
        if self.rank() < 2 {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("no dimension can fall away from a tensor of {}", self.shape),
            ));
        }
        let end = index.checked_add(1).ok_or(ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let part = self.slice(dimension, index..end)?;
        let mut order: Vec<usize> = (0..part.rank()).collect();
        order.remove(dimension);
        part.ordered(&order)
    }

    /// Reorders the dimensions: dimension `i` of the result is dimension `order[i]`.
    pub fn permute(self, order: &[usize]) -> Result<Self> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..self.rank()) {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("{order:?} is not an order of {} dimensions", self.rank()),
            ));
        }
        self.ordered(order)
    }

    /// The elements of a contiguous tensor, with other dimensions (GXF's `noCopyReshape`).
    pub fn with_dimensions(mut self, dimensions: &[i32]) -> Result<Self> {
        let shape = Shape::new(dimensions)?;
        if shape.element_count()? != self.element_count()? {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("a tensor of {} cannot become one of {shape}", self.shape),
            ));
        }
        if !self.is_contiguous() {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                "the elements do not lie side by side, so their dimensions cannot change",
            ));
        }
        self.strides = shape.row_major_strides(self.bytes_per_element)?;
        self.shape = shape;
        Ok(self)
    }

    /// Adds a dimension of length 1 before dimension `at` (GXF's `insertSingletonDim`).
    pub fn with_singleton_dimension(mut self, at: usize) -> Result<Self> {
        let rank = self.rank();
        if at > rank || rank == MAX_RANK || rank == 0 {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("a tensor of {} can have no dimension before {at}", self.shape),
            ));
        }
        let mut dimensions = self.shape.dimensions().to_vec();
        dimensions.insert(at, 1);
        self.strides.copy_within(at..rank, at + 1);
        // The stride it would have just outside the dimension that follows it.
        self.strides[at] = match dimensions.get(at + 1) {
            Some(length) => (*length as u64).saturating_mul(self.strides[at + 1]),
            None => self.bytes_per_element,
        };
        self.shape = Shape::new(&dimensions)?;
        Ok(self)
    }

    /// Calls `visit` with the bytes of all elements, last dimension innermost, in pieces as large
    /// as the strides allow.
    pub fn for_each_run(&self, visit: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let bytes = self.bytes()?;
        if bytes.is_empty() {
            return Ok(());
        }
        if self.is_contiguous() {
            return visit(bytes);
        }
        let (lengths, strides) = (self.shape.dimensions(), self.strides());
        // Innermost dimensions without gaps form one run.
        let mut run = self.bytes_per_element;
        let mut outer = lengths.len();
        while outer > 0 && (strides[outer - 1] == run || lengths[outer - 1] == 1) {
            outer -= 1;
            run *= lengths[outer] as u64;
        }
        let mut index = [0i32; MAX_RANK];
        loop {
            let start: u64 =
                index[..outer].iter().zip(strides).map(|(at, stride)| *at as u64 * stride).sum();
            // Both lie within the extent, which is the length of `bytes`.
            visit(&bytes[start as usize..(start + run) as usize])?;
            let mut dimension = outer;
            loop {
                if dimension == 0 {
                    return Ok(());
                }
                dimension -= 1;
                index[dimension] += 1;
                if index[dimension] < lengths[dimension] {
                    break;
                }
                index[dimension] = 0;
            }
        }
    }

    fn length(&self, dimension: usize) -> Result<i32> {
        self.shape.dimensions().get(dimension).copied().ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("a tensor of {} has no dimension {dimension}", self.shape),
            )
        })
    }

    /// Dimension `i` becomes dimension `order[i]`; `order` names existing ones.
    fn ordered(mut self, order: &[usize]) -> Result<Self> {
        let dimensions: Vec<i32> = order.iter().map(|at| self.shape.dimensions()[*at]).collect();
        let mut strides = [0; MAX_RANK];
        for (stride, at) in strides.iter_mut().zip(order) {
            *stride = self.strides[*at];
        }
        self.shape = Shape::new(&dimensions)?;
        self.strides = strides;
        Ok(self)
    }
}
