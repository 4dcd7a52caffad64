//! DLPack 1.0: structures with which array libraries exchange tensors without copying them.
//!
//! Host memory counts as ordinary CPU memory: it is pinned only where CUDA is present.

use super::{Shape, Tensor};
use crate::abi::MAX_RANK;
use crate::{Error, MemoryBuffer, PrimitiveType, Result, ResultCode, StorageType};
use core::ffi::c_void;
use core::ptr::NonNull;

/// Location of a tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// 1 CPU, 2 CUDA, 3 CUDA's pinned host memory, 13 CUDA's managed memory.
    pub device_type: i32,
    /// Index of the device.
    pub device_id: i32,
}

/// Element type of a tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0 integer, 1 unsigned, 2 float, 3 opaque, 4 bfloat, 5 complex, 6 bool.
    pub code: u8,
    /// Number of bits of an element.
    pub bits: u8,
    /// Vector length; 1 for scalars.
    pub lanes: u16,
}

/// A borrowed tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DLTensor {
    /// Memory of the elements.
    pub data: *mut c_void,
    /// Location of the memory.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// Element type.
    pub dtype: DLDataType,
    /// `ndim` lengths.
    pub shape: *mut i64,
    /// `ndim` distances in elements; null if the tensor is contiguous.
    pub strides: *mut i64,
    /// Bytes from `data` to the first element.
    pub byte_offset: u64,
}

/// A tensor and the means to release it.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// Private to the producer.
    pub manager_ctx: *mut c_void,
    /// The consumer calls it once; null if there is nothing to release.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// Version of the structures.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLPackVersion {
    /// Changes with the layout.
    pub major: u32,
    /// Grows with additions.
    pub minor: u32,
}

/// A tensor and the means to release it, since DLPack 1.0.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// The producer's version.
    pub version: DLPackVersion,
    /// Private to the producer.
    pub manager_ctx: *mut c_void,
    /// The consumer calls it once; null if there is nothing to release.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bit 0: read only. Bit 1: a copy.
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 0 };
const READ_ONLY: u64 = 1;
const CPU: i32 = 1;
const CUDA: i32 = 2;
const CUDA_HOST: i32 = 3;
const CUDA_MANAGED: i32 = 13;

/// Element types with DLPack's code and bits.
const TYPES: [(PrimitiveType, u8, u8); 14] = [
    (PrimitiveType::INT8, 0, 8),
    (PrimitiveType::INT16, 0, 16),
    (PrimitiveType::INT32, 0, 32),
    (PrimitiveType::INT64, 0, 64),
    (PrimitiveType::UNSIGNED8, 1, 8),
    (PrimitiveType::UNSIGNED16, 1, 16),
    (PrimitiveType::UNSIGNED32, 1, 32),
    (PrimitiveType::UNSIGNED64, 1, 64),
    (PrimitiveType::FLOAT16, 2, 16),
    (PrimitiveType::FLOAT32, 2, 32),
    (PrimitiveType::FLOAT64, 2, 64),
    (PrimitiveType::BFLOAT16, 4, 16),
    (PrimitiveType::COMPLEX64, 5, 64),
    (PrimitiveType::COMPLEX128, 5, 128),
];

/// Booleans are bytes.
const BOOL: DLDataType = DLDataType { code: 6, bits: 8, lanes: 1 };

fn refused(problem: impl Into<String>) -> Error {
    Error::new(ResultCode::INVALID_DATA_FORMAT, problem)
}

fn element_type_of(dtype: DLDataType) -> Result<PrimitiveType> {
    if dtype == BOOL {
        return Ok(PrimitiveType::UNSIGNED8);
    }
    let found = TYPES.iter().find(|(_, code, bits)| (dtype.code, dtype.bits) == (*code, *bits));
    match found {
        Some((element_type, ..)) if dtype.lanes == 1 => Ok(*element_type),
        _ => Err(refused(format!(
            "tensors cannot be made of DLPack's type with code {}, {} bits and {} lanes",
            dtype.code, dtype.bits, dtype.lanes
        ))),
    }
}

fn data_type_of(element_type: PrimitiveType) -> Result<DLDataType> {
    let found = TYPES.iter().find(|(known, ..)| *known == element_type);
    let (_, code, bits) = found.ok_or_else(|| {
        refused(format!("DLPack has no type for {} elements", element_type.name()))
    })?;
    Ok(DLDataType { code: *code, bits: *bits, lanes: 1 })
}

fn device_of(memory: &MemoryBuffer) -> Result<DLDevice> {
    let device_type = match memory.storage_type() {
        StorageType::HOST | StorageType::SYSTEM => {
            return Ok(DLDevice { device_type: CPU, device_id: 0 });
        }
        StorageType::DEVICE => CUDA,
        StorageType::CUDA_MANAGED => CUDA_MANAGED,
        other => return Err(refused(format!("DLPack has no storage type {}", other.0))),
    };
    Ok(DLDevice { device_type, device_id: memory.device() })
}

/// What the consumer of an exported tensor holds.
struct Exported<M> {
    managed: M,
    shape: [i64; MAX_RANK],
    strides: [i64; MAX_RANK],
    #[expect(dead_code, reason = "keeps the memory")]
    tensor: Tensor,
}

/// The two forms of a managed tensor.
trait Managed: Sized {
    fn new(dl_tensor: DLTensor, read_only: bool) -> Self;
    fn parts(&mut self) -> (&mut *mut c_void, &mut DLTensor);
}

impl Managed for DLManagedTensor {
    fn new(dl_tensor: DLTensor, _read_only: bool) -> Self {
        Self { dl_tensor, manager_ctx: core::ptr::null_mut(), deleter: Some(delete) }
    }
    fn parts(&mut self) -> (&mut *mut c_void, &mut DLTensor) {
        (&mut self.manager_ctx, &mut self.dl_tensor)
    }
}

impl Managed for DLManagedTensorVersioned {
    fn new(dl_tensor: DLTensor, read_only: bool) -> Self {
        Self {
            version: VERSION,
            manager_ctx: core::ptr::null_mut(),
            deleter: Some(delete_versioned),
            flags: if read_only { READ_ONLY } else { 0 },
            dl_tensor,
        }
    }
    fn parts(&mut self) -> (&mut *mut c_void, &mut DLTensor) {
        (&mut self.manager_ctx, &mut self.dl_tensor)
    }
}

unsafe extern "C" fn delete(managed: *mut DLManagedTensor) {
    // SAFETY: the context is the box made in `export`, and the consumer calls this once.
    drop(unsafe { Box::from_raw((*managed).manager_ctx.cast::<Exported<DLManagedTensor>>()) });
}

unsafe extern "C" fn delete_versioned(managed: *mut DLManagedTensorVersioned) {
    // SAFETY: the context is the box made in `export`, and the consumer calls this once.
    drop(unsafe {
        Box::from_raw((*managed).manager_ctx.cast::<Exported<DLManagedTensorVersioned>>())
    });
}

fn export<M: Managed>(tensor: Tensor) -> Result<NonNull<M>> {
    tensor.checked_extent()?;
    let mut shape = [1; MAX_RANK];
    for (length, dimension) in shape.iter_mut().zip(tensor.shape.dimensions()) {
        *length = i64::from(*dimension);
    }
    let mut strides = [0; MAX_RANK];
    for (distance, stride) in strides.iter_mut().zip(tensor.strides()) {
        if !stride.is_multiple_of(tensor.bytes_per_element) {
            return Err(refused(format!(
                "DLPack counts strides in elements, and {stride} bytes are no whole number of \
                 elements of {} bytes",
                tensor.bytes_per_element
            )));
        }
        *distance = i64::try_from(stride / tensor.bytes_per_element)
            .map_err(|_| refused(format!("a stride of {stride} bytes is too large for DLPack")))?;
    }
    let dl_tensor = DLTensor {
        data: tensor.pointer().cast(),
        device: device_of(&tensor.memory)?,
        ndim: tensor.rank() as i32,
        dtype: data_type_of(tensor.element_type)?,
        shape: core::ptr::null_mut(),
        strides: core::ptr::null_mut(),
        byte_offset: 0,
    };
    let read_only = tensor.memory.is_read_only();
    let managed = M::new(dl_tensor, read_only);
    let exported = Box::into_raw(Box::new(Exported { managed, shape, strides, tensor }));
    // SAFETY: the box was just made; everything inside it is reached through its one pointer.
    unsafe {
        let (context, dl_tensor) = (*exported).managed.parts();
        *context = exported.cast();
        dl_tensor.shape = (&raw mut (*exported).shape).cast();
        dl_tensor.strides = (&raw mut (*exported).strides).cast();
        Ok(NonNull::new_unchecked(&raw mut (*exported).managed))
    }
}

/// Shape, strides in bytes and first byte of a tensor in DLPack's terms.
///
/// # Safety
/// `shape` and, if not null, `strides` must point to `ndim` numbers.
unsafe fn described(
    tensor: &DLTensor,
    bytes_per_element: u64,
) -> Result<(Shape, super::Strides, *mut u8)> {
    let rank =
        usize::try_from(tensor.ndim).ok().filter(|rank| *rank <= MAX_RANK).ok_or_else(|| {
            refused(format!("a tensor has up to {MAX_RANK} dimensions, not {}", tensor.ndim))
        })?;
    if rank > 0 && tensor.shape.is_null() {
        return Err(Error::new(ResultCode::NULL_POINTER, "a DLPack tensor without a shape"));
    }
    // A scalar is one element, but gxe's tensors of rank 0 have none.
    let mut dimensions = vec![1i32; rank.max(1)];
    for (index, dimension) in dimensions.iter_mut().enumerate().take(rank) {
        // SAFETY: `shape` points to `ndim` numbers, as required.
        let length = unsafe { *tensor.shape.add(index) };
        *dimension = i32::try_from(length)
            .map_err(|_| refused(format!("a dimension of {length} is out of range")))?;
    }
    let shape = Shape::new(&dimensions)?;
    let mut strides = shape.row_major_strides(bytes_per_element)?;
    if !tensor.strides.is_null() {
        for (index, stride) in strides.iter_mut().enumerate().take(rank) {
            // SAFETY: `strides` points to `ndim` numbers, as required.
            let distance = unsafe { *tensor.strides.add(index) };
            *stride = u64::try_from(distance)
                .ok()
                .and_then(|distance| distance.checked_mul(bytes_per_element))
                .ok_or_else(|| refused(format!("a stride of {distance} elements; copy first")))?;
        }
    }
    let offset = usize::try_from(tensor.byte_offset)
        .map_err(|_| refused("a byte offset beyond all memory"))?;
    Ok((shape, strides, tensor.data.cast::<u8>().wrapping_add(offset)))
}

/// # Safety
/// `tensor` must describe memory as DLPack defines it, valid until `release` is called.
unsafe fn import(
    tensor: DLTensor,
    read_only: bool,
    release: impl FnOnce(*mut u8) + Send + 'static,
) -> Result<Tensor> {
    let element_type = element_type_of(tensor.dtype);
    let bytes_per_element = element_type.as_ref().map_or(1, |known| known.size());
    let DLDevice { device_type, device_id } = tensor.device;
    let storage = match device_type {
        CPU => Ok((StorageType::SYSTEM, 0)),
        CUDA_HOST => Ok((StorageType::HOST, 0)),
        CUDA => Ok((StorageType::DEVICE, device_id)),
        CUDA_MANAGED => Ok((StorageType::CUDA_MANAGED, device_id)),
        other => Err(refused(format!("DLPack's device type {other} is not supported"))),
    };
    // SAFETY: `tensor` is a valid DLPack tensor, as required.
    let described = unsafe { described(&tensor, bytes_per_element) };
    let checked = described.and_then(|(shape, strides, pointer)| {
        let extent = shape.extent(&strides, bytes_per_element)?;
        if extent > 0 && tensor.data.is_null() {
            return Err(Error::new(ResultCode::NULL_POINTER, "a DLPack tensor without data"));
        }
        let (storage, device) = storage?;
        let device = u8::try_from(device)
            .map_err(|_| refused(format!("a tensor on device {device}, where 255 is the last")))?;
        Ok((element_type?, storage, device, shape, strides, pointer, extent))
    });
    match checked {
        Ok((element_type, storage, device, shape, strides, pointer, extent)) => {
            // SAFETY: the memory is valid until `release`; `extent` is what shape and strides
            // reach.
            let mut memory = unsafe { MemoryBuffer::wrap(pointer, extent, storage, release) };
            memory.set_device(device);
            if read_only {
                memory.set_read_only();
            }
            Tensor::from_memory(shape, element_type, bytes_per_element, Some(strides), memory)
        }
        Err(error) => {
            // The tensor was transferred, so it is released even if it is invalid.
            release(core::ptr::null_mut());
            Err(error)
        }
    }
}

/// A pointer for the thread that releases the memory.
struct Sent<T>(*mut T);

// SAFETY: DLPack's deleters may be called from any thread.
unsafe impl<T> Send for Sent<T> {}

impl<T> Sent<T> {
    /// Takes the whole value, so that a closure captures it and not only its field.
    fn into_inner(self) -> *mut T {
        self.0
    }
}

impl Tensor {
    /// Exports the tensor. The consumer must call the deleter of the result once.
    ///
    /// This form cannot mark a tensor as read only, so exporting a read-only tensor fails; use
    /// [`Tensor::into_dlpack_versioned`], or a copy.
    pub fn into_dlpack(self) -> Result<NonNull<DLManagedTensor>> {
        if self.memory.is_read_only() {
            return Err(refused(
                "this form of DLPack cannot say that a tensor is read only; use the versioned form",
            ));
        }
        export(self)
    }

    /// Like [`Tensor::into_dlpack`], in the form of DLPack 1.0.
    pub fn into_dlpack_versioned(self) -> Result<NonNull<DLManagedTensorVersioned>> {
        export(self)
    }

    /// Imports a tensor. Its deleter is called when the memory has no users left, or immediately if
    /// the import fails. A scalar becomes a tensor of one dimension.
    ///
    /// # Safety
    /// `managed` must be valid as DLPack defines it, and its memory must not be written while the
    /// result exists.
    pub unsafe fn from_dlpack(managed: NonNull<DLManagedTensor>) -> Result<Self> {
        let sent = Sent(managed.as_ptr());
        let release = move |_: *mut u8| {
            let managed = sent.into_inner();
            // SAFETY: the producer's deleter accepts its own structure, once.
            unsafe {
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            }
        };
        // Copied, because the structure may be gone before `import` returns.
        // SAFETY: `managed` is valid, as this function requires.
        unsafe { import((*managed.as_ptr()).dl_tensor, false, release) }
    }

    /// Like [`Tensor::from_dlpack`], in the form of DLPack 1.0.
    ///
    /// # Safety
    /// As [`Tensor::from_dlpack`].
    pub unsafe fn from_dlpack_versioned(
        managed: NonNull<DLManagedTensorVersioned>,
    ) -> Result<Self> {
        let sent = Sent(managed.as_ptr());
        let release = move |_: *mut u8| {
            let managed = sent.into_inner();
            // SAFETY: the producer's deleter accepts its own structure, once.
            unsafe {
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
            }
        };
        // SAFETY: `managed` is valid; version, context and deleter come first in all versions.
        unsafe {
            let version = (*managed.as_ptr()).version;
            if version.major != VERSION.major {
                release(core::ptr::null_mut());
                return Err(refused(format!(
                    "DLPack {}.{} is not supported, only {}.x",
                    version.major, version.minor, VERSION.major
                )));
            }
            let read_only = (*managed.as_ptr()).flags & READ_ONLY != 0;
            import((*managed.as_ptr()).dl_tensor, read_only, release)
        }
    }
}
