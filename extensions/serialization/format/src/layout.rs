//! The records of both files, to bytes and back.

use crate::error::TensorError;
use crate::type_id::TypeId;
use core::fmt;

/// Bytes of an [`IndexRecord`].
pub const INDEX_RECORD_SIZE: u64 = 24;
/// Bytes of an [`EntityHeader`].
pub const ENTITY_HEADER_SIZE: u64 = 40;
/// Bytes of a [`ComponentHeader`], without the name.
pub const COMPONENT_HEADER_SIZE: u64 = 32;
/// Bytes of a [`TensorHeader`].
pub const TENSOR_HEADER_SIZE: u64 = 116;
/// Maximum number of dimensions of a tensor.
pub const MAXIMUM_RANK: usize = 8;

/// Reads numbers from the front of a record.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        let (field, rest) = self.0.split_first_chunk().expect("a record has all its fields");
        self.0 = rest;
        *field
    }
    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
    fn i32(&mut self) -> i32 {
        i32::from_le_bytes(self.take())
    }
}

/// Joins fields to a record of a known size.
fn record<const SIZE: usize>(fields: &[&[u8]]) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    let mut rest = &mut bytes[..];
    for field in fields {
        let (place, behind) = rest.split_at_mut(field.len());
        place.copy_from_slice(field);
        rest = behind;
    }
    bytes
}

/// Place and time of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexRecord {
    /// When, in nanoseconds: of the wall clock since 1970, or of the clock of the graph.
    pub log_time: u64,
    /// Length of the frame in bytes.
    pub data_size: u64,
    /// Where it begins in the entities file, in bytes.
    pub data_offset: u64,
}

impl IndexRecord {
    /// Reads a record.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; INDEX_RECORD_SIZE as usize]) -> Self {
        let mut fields = Fields(bytes);
        Self { log_time: fields.u64(), data_size: fields.u64(), data_offset: fields.u64() }
    }

    /// The record as bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; INDEX_RECORD_SIZE as usize] {
        record(&[
            &self.log_time.to_le_bytes(),
            &self.data_size.to_le_bytes(),
            &self.data_offset.to_le_bytes(),
        ])
    }

    /// Where the frame ends; `None` on overflow.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.data_offset.checked_add(self.data_size)
    }
}

/// The header of an entity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntityHeader {
    /// Written as 0.
    pub serialized_size: u64,
    /// Written as 0.
    pub checksum: u32,
    /// Number of the entity, from 0.
    pub sequence_number: u64,
    /// Written as 0.
    pub flags: u32,
    /// Number of components that follow.
    pub component_count: u64,
    /// Written as 0.
    pub reserved: u64,
}

impl EntityHeader {
    /// Reads a header.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; ENTITY_HEADER_SIZE as usize]) -> Self {
        let mut fields = Fields(bytes);
        Self {
            serialized_size: fields.u64(),
            checksum: fields.u32(),
            sequence_number: fields.u64(),
            flags: fields.u32(),
            component_count: fields.u64(),
            reserved: fields.u64(),
        }
    }

    /// The header as bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; ENTITY_HEADER_SIZE as usize] {
        record(&[
            &self.serialized_size.to_le_bytes(),
            &self.checksum.to_le_bytes(),
            &self.sequence_number.to_le_bytes(),
            &self.flags.to_le_bytes(),
            &self.component_count.to_le_bytes(),
            &self.reserved.to_le_bytes(),
        ])
    }
}

/// The header of a component; its name and its payload follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComponentHeader {
    /// Written as 0.
    pub serialized_size: u64,
    /// Type of the payload.
    pub tid: TypeId,
    /// Length of the name in bytes.
    pub name_size: u64,
}

impl ComponentHeader {
    /// Reads a header.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; COMPONENT_HEADER_SIZE as usize]) -> Self {
        let mut fields = Fields(bytes);
        Self {
            serialized_size: fields.u64(),
            tid: TypeId(fields.u64(), fields.u64()),
            name_size: fields.u64(),
        }
    }

    /// The header as bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; COMPONENT_HEADER_SIZE as usize] {
        record(&[
            &self.serialized_size.to_le_bytes(),
            &self.tid.0.to_le_bytes(),
            &self.tid.1.to_le_bytes(),
            &self.name_size.to_le_bytes(),
        ])
    }
}

/// Names of the storage types, by the numbers of GXF's `MemoryStorageType`.
pub const STORAGE_TYPES: [&str; 4] = ["host", "device", "system", "managed"];

/// Names and sizes in bytes of the element types, by GXF's numbers. "custom" may have any size.
pub const ELEMENT_TYPES: [(&str, u64); 14] = [
    ("custom", 0),
    ("int8", 1),
    ("uint8", 1),
    ("int16", 2),
    ("uint16", 2),
    ("int32", 4),
    ("uint32", 4),
    ("int64", 8),
    ("uint64", 8),
    ("float32", 4),
    ("float64", 8),
    ("complex64", 8),
    ("complex128", 16),
    ("float16", 2),
];

/// Number of the element type `uint8`.
pub const ELEMENT_UINT8: i32 = 2;

/// The header of a tensor; its data follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TensorHeader {
    /// Index into [`STORAGE_TYPES`].
    pub storage_type: i32,
    /// Index into [`ELEMENT_TYPES`].
    pub element_type: i32,
    /// Size of an element in bytes.
    pub bytes_per_element: u64,
    /// Number of dimensions.
    pub rank: u32,
    /// The dimensions; 1 after the last one.
    pub dimensions: [i32; MAXIMUM_RANK],
    /// Distance between neighbours in bytes, by dimension; 0 after the last one.
    pub strides: [u64; MAXIMUM_RANK],
}

impl TensorHeader {
    /// The header of `uint8` data, row by row without gaps.
    ///
    /// # Errors
    /// A rank above 8, a dimension below zero, or more than 2^63 bytes.
    pub fn of_bytes(storage_type: i32, shape: &[i32]) -> Result<Self, TensorError> {
        Self::without_gaps(storage_type, ELEMENT_UINT8, shape)
    }

    /// The header of elements of this type, row by row without gaps.
    ///
    /// # Errors
    /// An unknown type, a rank above 8, a dimension below zero, or more than 2^63 bytes.
    pub fn without_gaps(
        storage_type: i32,
        element_type: i32,
        shape: &[i32],
    ) -> Result<Self, TensorError> {
        let (_, bytes_per_element) =
            *named(&ELEMENT_TYPES, element_type).ok_or(TensorError::ElementType(element_type))?;
        let rank = u32::try_from(shape.len()).unwrap_or(u32::MAX);
        if shape.len() > MAXIMUM_RANK {
            return Err(TensorError::Rank(rank));
        }
        let mut dimensions = [1; MAXIMUM_RANK];
        dimensions[..shape.len()].copy_from_slice(shape);
        let mut strides = [0; MAXIMUM_RANK];
        let mut stride = bytes_per_element;
        for index in (0..shape.len()).rev() {
            strides[index] = stride;
            let dimension = dimensions[index];
            let dimension =
                u64::try_from(dimension).map_err(|_| TensorError::Dimension(dimension))?;
            stride = stride.checked_mul(dimension).ok_or(TensorError::Size)?;
        }
        let header =
            Self { storage_type, element_type, bytes_per_element, rank, dimensions, strides };
        header.data_size().map(|_| header)
    }

    /// Reads a header; [`Self::data_size`] validates it.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; TENSOR_HEADER_SIZE as usize]) -> Self {
        let mut fields = Fields(bytes);
        Self {
            storage_type: fields.i32(),
            element_type: fields.i32(),
            bytes_per_element: fields.u64(),
            rank: fields.u32(),
            dimensions: core::array::from_fn(|_| fields.i32()),
            strides: core::array::from_fn(|_| fields.u64()),
        }
    }

    /// The header as bytes of the file.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; TENSOR_HEADER_SIZE as usize] {
        record(&[
            &self.storage_type.to_le_bytes(),
            &self.element_type.to_le_bytes(),
            &self.bytes_per_element.to_le_bytes(),
            &self.rank.to_le_bytes(),
            self.dimensions.map(i32::to_le_bytes).as_flattened(),
            self.strides.map(u64::to_le_bytes).as_flattened(),
        ])
    }

    /// The first `rank` dimensions.
    ///
    /// # Errors
    /// A rank above 8.
    pub fn shape(&self) -> Result<&[i32], TensorError> {
        let shape = usize::try_from(self.rank).ok().and_then(|rank| self.dimensions.get(..rank));
        shape.ok_or(TensorError::Rank(self.rank))
    }

    /// GXF's name of the element type; none for an unknown one.
    #[must_use]
    pub fn element_name(&self) -> Option<&'static str> {
        named(&ELEMENT_TYPES, self.element_type).map(|(name, _)| *name)
    }

    /// Bytes of data after the header. A tensor of rank 0 has no elements.
    ///
    /// # Errors
    /// What is wrong with the header.
    pub fn data_size(&self) -> Result<u64, TensorError> {
        named(&STORAGE_TYPES, self.storage_type)
            .ok_or(TensorError::StorageType(self.storage_type))?;
        let (_, size) = named(&ELEMENT_TYPES, self.element_type)
            .ok_or(TensorError::ElementType(self.element_type))?;
        if self.bytes_per_element == 0 || (*size != 0 && *size != self.bytes_per_element) {
            return Err(TensorError::ElementSize {
                bytes: self.bytes_per_element,
                element_type: self.element_type,
            });
        }
        let shape = self.shape()?;
        let mut bytes = if shape.is_empty() { 0 } else { self.bytes_per_element };
        for dimension in shape {
            let dimension =
                u64::try_from(*dimension).map_err(|_| TensorError::Dimension(*dimension))?;
            bytes = bytes.checked_mul(dimension).ok_or(TensorError::Size)?;
        }
        if i64::try_from(bytes).is_ok() { Ok(bytes) } else { Err(TensorError::Size) }
    }
}

/// `uint8 [480, 854, 3] in host memory`.
impl fmt::Display for TensorHeader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = named(&ELEMENT_TYPES, self.element_type).map_or("unknown", |(name, _)| name);
        let storage = named(&STORAGE_TYPES, self.storage_type).unwrap_or(&"unknown");
        let shape = self.shape().unwrap_or_default();
        write!(formatter, "{element} {shape:?} in {storage} memory")
    }
}

fn named<T>(table: &[T], number: i32) -> Option<&T> {
    table.get(usize::try_from(number).ok()?)
}
