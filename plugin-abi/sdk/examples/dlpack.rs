//! A library of tensors for Python, which `tests/dlpack_library.py` calls through ctypes.

#![expect(unsafe_code, reason = "another library's tensor comes as a raw pointer")]

use gxf::tensor::{DLManagedTensor, DLManagedTensorVersioned};
use gxf::{Element, MemoryBuffer, PrimitiveType, Shape, StorageType, Tensor};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicI32, Ordering};

/// Number of exported pieces of memory that are still in use.
static EXPORTED: AtomicI32 = AtomicI32::new(0);

/// Memory that counts itself while it is in use.
fn counted(bytes: Vec<u8>) -> MemoryBuffer {
    EXPORTED.fetch_add(1, Ordering::Relaxed);
    // Words, so that every element type is aligned.
    let words = vec![0u64; bytes.len().div_ceil(8)].into_boxed_slice();
    let count = words.len();
    let start = Box::into_raw(words).cast::<u8>();
    // SAFETY: the words have room for the bytes.
    unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    let release = move |pointer: *mut u8| {
        let words = std::ptr::slice_from_raw_parts_mut(pointer.cast::<u64>(), count);
        // SAFETY: this is the box from above, released once.
        drop(unsafe { Box::from_raw(words) });
        EXPORTED.fetch_sub(1, Ordering::Relaxed);
    };
    // SAFETY: the words live until `release`.
    unsafe { MemoryBuffer::wrap(start, bytes.len() as u64, StorageType::SYSTEM, release) }
}

/// 2 x 3 numbers from 0 on.
fn numbers(element_type: PrimitiveType) -> Option<Tensor> {
    fn bytes<T: Element>(values: impl Fn(u8) -> T) -> Vec<u8> {
        let values: Vec<T> = (0..6).map(values).collect();
        MemoryBuffer::from_vec(values).bytes().expect("host memory").to_vec()
    }
    let bytes = match element_type {
        PrimitiveType::INT8 => bytes(|n| n as i8),
        PrimitiveType::UNSIGNED8 => bytes(|n| n),
        PrimitiveType::INT16 => bytes(i16::from),
        PrimitiveType::UNSIGNED16 => bytes(u16::from),
        PrimitiveType::INT32 => bytes(i32::from),
        PrimitiveType::UNSIGNED32 => bytes(u32::from),
        PrimitiveType::INT64 => bytes(i64::from),
        PrimitiveType::UNSIGNED64 => bytes(u64::from),
        PrimitiveType::FLOAT16 => bytes(|n| half::f16::from_f32(n.into())),
        PrimitiveType::FLOAT32 => bytes(f32::from),
        PrimitiveType::FLOAT64 => bytes(f64::from),
        PrimitiveType::COMPLEX64 => bytes(|n| gxf::Complex64 { re: n.into(), im: 0.0 }),
        PrimitiveType::COMPLEX128 => bytes(|n| gxf::Complex128 { re: n.into(), im: 0.0 }),
        _ => return None,
    };
    let shape = Shape::new(&[2, 3]).ok()?;
    Tensor::from_memory(shape, element_type, element_type.size(), None, counted(bytes)).ok()
}

/// Number of exported pieces of memory that are still in use.
#[unsafe(no_mangle)]
extern "C" fn exported() -> i32 {
    EXPORTED.load(Ordering::Relaxed)
}

/// 2 x 3 numbers of an element type; null for an unknown one.
#[unsafe(no_mangle)]
extern "C" fn export_numbers(element_type: i32) -> *mut DLManagedTensor {
    let tensor = numbers(PrimitiveType(element_type)).and_then(|it| it.into_dlpack().ok());
    tensor.map_or(null_mut(), NonNull::as_ptr)
}

/// The last two columns of such numbers as `float32`, transposed, read only.
#[unsafe(no_mangle)]
extern "C" fn export_view() -> *mut DLManagedTensorVersioned {
    let tensor = numbers(PrimitiveType::FLOAT32).and_then(|tensor| {
        let mut memory = tensor.into_memory();
        memory.set_read_only();
        let shape = Shape::new(&[2, 3]).ok()?;
        let tensor = Tensor::from_memory(shape, PrimitiveType::FLOAT32, 4, None, memory).ok()?;
        let view = tensor.slice(1, 1..3).ok()?.permute(&[1, 0]).ok()?;
        view.into_dlpack_versioned().ok()
    });
    tensor.map_or(null_mut(), NonNull::as_ptr)
}

/// Imports a tensor; null if it is refused.
///
/// # Safety
/// `managed` must be a valid `DLManagedTensor`, and not be used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn import_tensor(managed: *mut DLManagedTensor) -> *mut Tensor {
    let managed = NonNull::new(managed).expect("a tensor");
    // SAFETY: `managed` is valid and consumed here, as this function requires.
    let tensor = unsafe { Tensor::from_dlpack(managed) };
    tensor.map_or(null_mut(), |tensor| Box::into_raw(Box::new(tensor)))
}

/// Like `import_tensor`, for DLPack 1.0.
///
/// # Safety
/// `managed` must be a valid `DLManagedTensorVersioned`, and not be used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn import_versioned(managed: *mut DLManagedTensorVersioned) -> *mut Tensor {
    let managed = NonNull::new(managed).expect("a tensor");
    // SAFETY: `managed` is valid and consumed here, as this function requires.
    let tensor = unsafe { Tensor::from_dlpack_versioned(managed) };
    tensor.map_or(null_mut(), |tensor| Box::into_raw(Box::new(tensor)))
}

/// Copies the elements of an imported `float64` tensor row by row and returns their number, or -1.
///
/// # Safety
/// `tensor` must come from an import, and `values` must have room for `room` numbers.
#[unsafe(no_mangle)]
unsafe extern "C" fn tensor_values(tensor: *const Tensor, values: *mut f64, room: i32) -> i32 {
    // SAFETY: `tensor` comes from an import and is still alive.
    let Ok(found) = (unsafe { &*tensor }).to_vec::<f64>() else { return -1 };
    let count = found.len().min(usize::try_from(room).unwrap_or(0));
    // SAFETY: `values` has room for `room` numbers, and `count` is at most `room`.
    unsafe { values.copy_from_nonoverlapping(found.as_ptr(), count) };
    i32::try_from(found.len()).unwrap_or(-1)
}

/// Whether the elements of an imported tensor can be changed.
///
/// # Safety
/// `tensor` must come from an import, with no other user during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn tensor_writable(tensor: *mut Tensor) -> bool {
    // SAFETY: `tensor` comes from an import, and this call is its only user.
    unsafe { &mut *tensor }.bytes_mut().is_ok()
}

/// Releases an imported tensor.
///
/// # Safety
/// `tensor` must come from an import and not be used again.
#[unsafe(no_mangle)]
unsafe extern "C" fn tensor_free(tensor: *mut Tensor) {
    // SAFETY: `tensor` is a box from an import, released once.
    drop(unsafe { Box::from_raw(tensor) });
}
