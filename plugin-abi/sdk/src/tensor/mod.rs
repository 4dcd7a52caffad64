//! Tensors.
//!
//! - `element.rs`: the Rust types of elements;
//! - `shape.rs`: dimensions and strides;
//! - `view.rs`: views of the same elements: slices, other dimensions, another order;
//! - `dlpack.rs`: exchange with NumPy, PyTorch and other libraries.

mod dlpack;
mod element;
mod shape;
mod view;

pub use dlpack::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
};
pub use element::Element;
pub use shape::{Shape, Strides};

use crate::memory::storage_name;
use crate::{
    Allocator, Error, Handle, MemoryBuffer, Message, Payload, PrimitiveType, Result, ResultCode,
    StorageType, Tid, abi,
};
use core::mem::offset_of;

/// An array of up to eight dimensions that a message can carry (GXF's `Tensor`).
///
/// ```
/// use gxf::Tensor;
/// let mut tensor = Tensor::from_vec(&[2, 3], vec![1i32, 2, 3, 4, 5, 6])?;
/// tensor.data_mut::<i32>()?[5] = 60;
/// assert_eq!(tensor.get::<i32>(&[1, 2])?, 60);
/// let column = tensor.share()?.slice(1, 2..3)?;
/// assert_eq!(column.to_string(), "int32 tensor of 2 x 1 in system memory");
/// assert_eq!(column.to_vec::<i32>()?, [3, 60]);
/// # Ok::<(), gxf::Error>(())
/// ```
///
/// The elements lie in memory that may be shared with views, messages and programs in other
/// languages. Shared elements are read only.
#[repr(C)]
#[derive(Debug)]
pub struct Tensor {
    element_type: PrimitiveType,
    shape: Shape,
    recorded_storage: u32,
    bytes_per_element: u64,
    strides: Strides,
    memory: MemoryBuffer,
}

const _: () = {
    assert!(size_of::<Tensor>() == size_of::<abi::Tensor>());
    assert!(align_of::<Tensor>() == align_of::<abi::Tensor>());
    assert!(offset_of!(Tensor, element_type) == offset_of!(abi::Tensor, element_type));
    assert!(offset_of!(Tensor, shape) == offset_of!(abi::Tensor, shape));
    assert!(offset_of!(Tensor, recorded_storage) == offset_of!(abi::Tensor, recorded_storage));
    assert!(offset_of!(Tensor, bytes_per_element) == offset_of!(abi::Tensor, bytes_per_element));
    assert!(offset_of!(Tensor, strides) == offset_of!(abi::Tensor, strides));
    assert!(offset_of!(Tensor, memory) == offset_of!(abi::Tensor, memory));
};

// SAFETY: the ABI defines this layout for this id, see above.
unsafe impl Payload for Tensor {
    const TID: Tid = abi::tids::TENSOR;
}

impl Default for Tensor {
    /// No elements, of type `uint8`.
    fn default() -> Self {
        Self {
            element_type: PrimitiveType::UNSIGNED8,
            shape: Shape::default(),
            recorded_storage: 0,
            bytes_per_element: 1,
            strides: [0; abi::MAX_RANK],
            memory: MemoryBuffer::default(),
        }
    }
}

impl Tensor {
    /// Allocates a tensor. The elements are not cleared.
    pub fn new<T: Element>(
        allocator: &Handle<Allocator>,
        storage: StorageType,
        dimensions: &[i32],
    ) -> Result<Self> {
        let shape = Shape::new(dimensions)?;
        Self::custom(allocator, storage, shape, T::TYPE, size_of::<T>() as u64, None)
    }

    /// Like [`Tensor::new`], for any element type. Without `strides` the elements are contiguous.
    pub fn custom(
        allocator: &Handle<Allocator>,
        storage: StorageType,
        shape: Shape,
        element_type: PrimitiveType,
        bytes_per_element: u64,
        strides: Option<Strides>,
    ) -> Result<Self> {
        let strides = match strides {
            Some(strides) => strides,
            None => shape.row_major_strides(bytes_per_element)?,
        };
        let size = shape.extent(&strides, bytes_per_element)?;
        let memory = MemoryBuffer::allocate(allocator, size, storage)?;
        Self::from_memory(shape, element_type, bytes_per_element, Some(strides), memory)
    }

    /// Changes the tensor's dimensions and element type, and allocates new memory.
    pub fn reshape<T: Element>(
        &mut self,
        dimensions: &[i32],
        storage: StorageType,
        allocator: &Handle<Allocator>,
    ) -> Result<()> {
        // Releases the old memory first, so that an allocator with one block suffices.
        *self = Self::default();
        *self = Self::new::<T>(allocator, storage, dimensions)?;
        Ok(())
    }

    /// A tensor that takes ownership of the elements of a vector, without copying them.
    pub fn from_vec<T: Element>(dimensions: &[i32], values: Vec<T>) -> Result<Self> {
        let shape = Shape::new(dimensions)?;
        let count = shape.element_count()?;
        if count != values.len() as u64 {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("{} values do not make a tensor of {shape}", values.len()),
            ));
        }
        let memory = MemoryBuffer::from_vec(values);
        Self::from_memory(shape, T::TYPE, size_of::<T>() as u64, None, memory)
    }

    /// Uses existing memory as a tensor. Without `strides` the elements are contiguous.
    pub fn from_memory(
        shape: Shape,
        element_type: PrimitiveType,
        bytes_per_element: u64,
        strides: Option<Strides>,
        memory: MemoryBuffer,
    ) -> Result<Self> {
        let known = element_type.size();
        if bytes_per_element == 0 || (known != 0 && known != bytes_per_element) {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "an element of type {} cannot have {bytes_per_element} bytes",
                    element_type.name()
                ),
            ));
        }
        let mut strides = match strides {
            Some(strides) => strides,
            None => shape.row_major_strides(bytes_per_element)?,
        };
        strides[shape.rank()..].fill(0);
        let tensor =
            Self { element_type, shape, recorded_storage: 0, bytes_per_element, strides, memory };
        tensor.checked_extent()?;
        Ok(tensor)
    }

    /// A copy in new memory, with the same strides. Both memories must be host or system memory.
    pub fn copied(&self, allocator: &Handle<Allocator>, storage: StorageType) -> Result<Self> {
        let bytes = self.bytes()?;
        let mut copy = Self::custom(
            allocator,
            storage,
            self.shape,
            self.element_type,
            self.bytes_per_element,
            Some(self.strides),
        )?;
        copy.bytes_mut()?.copy_from_slice(bytes);
        Ok(copy)
    }

    /// The tensor `name` of a message (the first one if `name` is empty), read only and not copied.
    /// It keeps the message alive.
    pub fn of_message(message: &Message, name: &str) -> Result<Self> {
        let tensor = message.get::<Self>(name)?;
        Ok(Self { memory: MemoryBuffer::of_message(message, &tensor.memory), ..tensor.header() })
    }

    /// Type of the elements.
    #[must_use]
    pub fn element_type(&self) -> PrimitiveType {
        self.element_type
    }

    /// Size of an element in bytes.
    #[must_use]
    pub fn bytes_per_element(&self) -> u64 {
        self.bytes_per_element
    }

    /// The dimensions.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Distance between neighbouring elements in bytes, for each dimension.
    #[must_use]
    pub fn strides(&self) -> &[u64] {
        &self.strides[..self.rank()]
    }

    /// Number of elements; 0 for rank 0.
    pub fn element_count(&self) -> Result<u64> {
        self.shape.element_count()
    }

    /// Kind of memory.
    #[must_use]
    pub fn storage_type(&self) -> StorageType {
        self.memory.storage_type()
    }

    /// Storage type to write into a recording. It differs from `storage_type` if the tensor comes
    /// from a recording of a machine with memory that this one does not have.
    #[must_use]
    pub fn recorded_storage_type(&self) -> StorageType {
        match self.recorded_storage.checked_sub(1) {
            Some(stated) => StorageType(stated.cast_signed()),
            None => self.storage_type(),
        }
    }

    /// Sets the storage type that the recording states.
    pub fn set_recorded_storage_type(&mut self, stated: StorageType) {
        let same = stated == self.storage_type();
        self.recorded_storage = if same { 0 } else { stated.0.cast_unsigned().wrapping_add(1) };
    }

    /// The memory of the elements.
    #[must_use]
    pub fn memory(&self) -> &MemoryBuffer {
        &self.memory
    }

    /// All bytes of the memory, for writing. Fails for shared and read-only memory.
    pub fn memory_bytes_mut(&mut self) -> Result<&mut [u8]> {
        self.memory.bytes_mut()
    }

    /// Makes the memory read only for users of this value, such as memory that other processes use.
    pub fn set_read_only(&mut self) {
        self.memory.set_read_only();
    }

    /// Returns the memory, leaving none.
    #[must_use]
    pub fn into_memory(self) -> MemoryBuffer {
        self.memory
    }

    /// First element; null if there is none. May be a device address, see `storage_type`.
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        self.memory.pointer()
    }

    /// Whether the elements are contiguous, last dimension innermost.
    #[must_use]
    pub fn is_contiguous(&self) -> bool {
        let Ok(dense) = self.shape.row_major_strides(self.bytes_per_element) else { return false };
        let empty = self.element_count().is_ok_and(|count| count == 0);
        // The stride of a dimension with one element is never used.
        empty
            || (self.shape.dimensions().iter().zip(&self.strides).zip(&dense))
                .all(|((length, stride), dense)| *length == 1 || stride == dense)
    }

    /// The elements of a contiguous tensor of type `T`, or of custom elements of that size.
    pub fn data<T: Element>(&self) -> Result<&[T]> {
        let count = self.check_data::<T>()?;
        let bytes = self.bytes()?;
        if count == 0 {
            return Ok(&[]);
        }
        // SAFETY: the bytes hold `count` aligned elements, and every bit pattern is a valid `T`.
        Ok(unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), count) })
    }

    /// Like [`Tensor::data`], for writing. Fails for shared and read-only memory.
    pub fn data_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        let count = self.check_data::<T>()?;
        let bytes = self.bytes_mut()?;
        if count == 0 {
            return Ok(&mut []);
        }
        // SAFETY: the bytes hold `count` aligned elements, and every bit pattern is a valid `T`.
        Ok(unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), count) })
    }

    /// All bytes from the first element to the end of the last one.
    pub fn bytes(&self) -> Result<&[u8]> {
        let extent = self.checked_extent()?;
        Ok(&self.memory.bytes()?[..extent])
    }

    /// Like [`Tensor::bytes`], for writing. Fails for shared and read-only memory.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        let extent = self.checked_extent()?;
        Ok(&mut self.memory.bytes_mut()?[..extent])
    }

    /// One element.
    pub fn get<T: Element>(&self, index: &[i32]) -> Result<T> {
        self.check_type::<T>()?;
        let offset = self.offset_of(index)?;
        let bytes = &self.bytes()?[offset..offset + size_of::<T>()];
        // SAFETY: the bytes hold one element, and every bit pattern is a valid `T`.
        Ok(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }

    /// Changes one element. Fails for shared and read-only memory.
    pub fn set<T: Element>(&mut self, index: &[i32], value: T) -> Result<()> {
        self.check_type::<T>()?;
        let offset = self.offset_of(index)?;
        let bytes = &mut self.bytes_mut()?[offset..offset + size_of::<T>()];
        // SAFETY: the bytes have room for one element.
        unsafe { bytes.as_mut_ptr().cast::<T>().write_unaligned(value) };
        Ok(())
    }

    /// A copy of the elements, last dimension innermost, for any strides.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.check_type::<T>()?;
        let count = usize::try_from(self.element_count()?)
            .map_err(|_| Error::from(ResultCode::ARGUMENT_OUT_OF_RANGE))?;
        let mut values = Vec::new();
        values.try_reserve_exact(count).map_err(|_| Error::from(ResultCode::OUT_OF_MEMORY))?;
        self.for_each_run(&mut |run| {
            for bytes in run.chunks_exact(size_of::<T>()) {
                // SAFETY: a chunk has the size of `T`, and every bit pattern is a valid one.
                values.push(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() });
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// The same tensor without its memory.
    fn header(&self) -> Self {
        Self { memory: MemoryBuffer::default(), ..*self }
    }

    /// Bytes from the first element to the end of the last one, checked against the memory.
    fn checked_extent(&self) -> Result<usize> {
        let extent = self.shape.extent(&self.strides, self.bytes_per_element)?;
        match usize::try_from(extent) {
            Ok(size) if extent <= self.memory.size() => Ok(size),
            _ => Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "a tensor of {} with elements of {} bytes reaches over {extent} bytes, and its \
                     memory has {}",
                    self.shape,
                    self.bytes_per_element,
                    self.memory.size()
                ),
            )),
        }
    }

    fn check_type<T: Element>(&self) -> Result<()> {
        let fits = self.element_type == T::TYPE || self.element_type == PrimitiveType::CUSTOM;
        if fits && self.bytes_per_element == size_of::<T>() as u64 {
            return Ok(());
        }
        Err(Error::new(
            ResultCode::INVALID_DATA_FORMAT,
            format!(
                "the elements are {} of {} bytes, not {}",
                self.element_type.name(),
                self.bytes_per_element,
                T::TYPE.name()
            ),
        ))
    }

    /// Number of elements of a tensor that can be seen as a slice of `T`.
    fn check_data<T: Element>(&self) -> Result<usize> {
        self.check_type::<T>()?;
        if !self.is_contiguous() {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                "the elements do not lie side by side; use `to_vec` or `get`",
            ));
        }
        if !self.pointer().cast::<T>().is_aligned() {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                format!("the elements do not begin at a multiple of {}", align_of::<T>()),
            ));
        }
        Ok(self.checked_extent()? / size_of::<T>())
    }

    fn offset_of(&self, index: &[i32]) -> Result<usize> {
        let dimensions = self.shape.dimensions();
        let inside = index.len() == dimensions.len()
            && index.iter().zip(dimensions).all(|(at, length)| (0..*length).contains(at));
        if !inside || index.is_empty() {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("{index:?} is not an element of a tensor of {}", self.shape),
            ));
        }
        // The extent fits the memory, and this is smaller.
        self.checked_extent()?;
        let steps = index.iter().zip(&self.strides);
        let offset: u64 = steps.map(|(at, stride)| *at as u64 * stride).sum();
        usize::try_from(offset).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE.into())
    }
}

impl core::fmt::Display for Tensor {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (name, shape) = (self.element_type.name(), &self.shape);
        write!(
            formatter,
            "{name} tensor of {shape} in {} memory",
            storage_name(self.storage_type())
        )
    }
}

#[cfg(test)]
mod tests;
