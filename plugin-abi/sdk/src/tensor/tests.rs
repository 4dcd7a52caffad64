//! Tensors, their views and DLPack. Miri runs these.

use super::*;
use core::ptr::NonNull;
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn numbers(dimensions: &[i32]) -> Tensor {
    let count: i32 = dimensions.iter().product();
    Tensor::from_vec(dimensions, (0..count).collect()).unwrap()
}

fn code<T: core::fmt::Debug>(result: Result<T>) -> ResultCode {
    result.unwrap_err().code()
}

#[test]
fn elements_are_found_by_index_and_type() {
    let mut tensor = numbers(&[2, 3, 4]);
    assert_eq!(tensor.get::<i32>(&[1, 2, 3]).unwrap(), 23);
    tensor.set(&[0, 1, 0], -1i32).unwrap();
    assert_eq!(tensor.data::<i32>().unwrap()[4], -1);
    assert_eq!(tensor.strides(), [48, 16, 4]);
    assert_eq!(code(tensor.get::<f32>(&[0, 0, 0])), ResultCode::INVALID_DATA_FORMAT);
    assert_eq!(code(tensor.data::<u32>().map(drop)), ResultCode::INVALID_DATA_FORMAT);
    for index in [&[2, 0, 0][..], &[0, 0], &[0, 0, -1], &[]] {
        assert_eq!(code(tensor.get::<i32>(index)), ResultCode::ARGUMENT_OUT_OF_RANGE);
    }
    assert_eq!(tensor.to_string(), "int32 tensor of 2 x 3 x 4 in system memory");
}

#[test]
fn halves_and_complex_numbers_are_elements() {
    let halves = Tensor::from_vec(&[1], vec![half::f16::from_f32(1.5)]).unwrap();
    assert_eq!(halves.bytes().unwrap(), 0x3e00u16.to_le_bytes());
    let brain = Tensor::from_vec(&[1], vec![half::bf16::from_f32(1.5)]).unwrap();
    assert_eq!(brain.bytes().unwrap(), 0x3fc0u16.to_le_bytes());
    let complex = crate::Complex64 { re: 1.0, im: -1.0 };
    let complex = Tensor::from_vec(&[1], vec![complex]).unwrap();
    assert_eq!(complex.element_type(), PrimitiveType::COMPLEX64);
}

#[test]
fn custom_elements_are_seen_as_what_fits() {
    let shape = Shape::new(&[2]).unwrap();
    let memory = MemoryBuffer::from_vec(vec![1u32, 2]);
    let tensor = Tensor::from_memory(shape, PrimitiveType::CUSTOM, 4, None, memory).unwrap();
    assert_eq!(tensor.data::<u32>().unwrap(), [1, 2]);
    assert_eq!(code(tensor.data::<u64>().map(drop)), ResultCode::INVALID_DATA_FORMAT);
}

#[test]
fn memory_that_is_too_small_is_refused() {
    let shape = Shape::new(&[3]).unwrap();
    let make = |bytes, strides| {
        let memory = MemoryBuffer::from_vec(vec![0u32; 2]);
        Tensor::from_memory(shape, PrimitiveType::UNSIGNED32, bytes, strides, memory)
    };
    assert_eq!(code(make(4, None)), ResultCode::ARGUMENT_INVALID);
    assert_eq!(code(make(2, None)), ResultCode::ARGUMENT_INVALID);
    let mut strides = [0; 8];
    strides[0] = 2;
    make(4, Some(strides)).unwrap();
    strides[0] = u64::MAX;
    assert_eq!(code(make(4, Some(strides))), ResultCode::ARGUMENT_OUT_OF_RANGE);
    assert_eq!(code(Tensor::from_vec(&[2, 2], vec![0u8; 5])), ResultCode::ARGUMENT_INVALID);
}

#[test]
fn views_share_and_cannot_be_changed() {
    let mut tensor = numbers(&[3, 4]);
    let row = tensor.share().unwrap().select(0, 1).unwrap();
    assert_eq!(row.data::<i32>().unwrap(), [4, 5, 6, 7]);
    let column = tensor.share().unwrap().slice(1, 1..3).unwrap();
    assert!(!column.is_contiguous());
    assert_eq!(code(column.data::<i32>().map(drop)), ResultCode::INVALID_DATA_FORMAT);
    assert_eq!(column.to_vec::<i32>().unwrap(), [1, 2, 5, 6, 9, 10]);
    let turned = tensor.share().unwrap().permute(&[1, 0]).unwrap();
    assert_eq!(turned.to_vec::<i32>().unwrap(), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    let flat = tensor.share().unwrap().with_dimensions(&[2, 6]).unwrap();
    assert_eq!(flat.get::<i32>(&[1, 5]).unwrap(), 11);
    assert_eq!(code(tensor.data_mut::<i32>().map(drop)), ResultCode::CONTRACT_INVALID_SEQUENCE);
    drop((row, column, turned, flat));
    tensor.data_mut::<i32>().unwrap()[0] = 9;
}

#[test]
fn views_beyond_the_tensor_are_refused() {
    let refused = ResultCode::ARGUMENT_OUT_OF_RANGE;
    for (dimension, start, end) in [(0, 0, 4), (0, -1, 2), (0, 2, 1), (2, 0, 1)] {
        assert_eq!(code(numbers(&[3, 4]).slice(dimension, start..end)), refused);
    }
    assert_eq!(code(numbers(&[3, 4]).select(0, i32::MAX)), refused);
    assert_eq!(code(numbers(&[3]).select(0, 0)), refused);
    assert_eq!(code(numbers(&[3, 4]).permute(&[0, 0])), ResultCode::ARGUMENT_INVALID);
    assert_eq!(code(numbers(&[3, 4]).with_dimensions(&[13])), ResultCode::ARGUMENT_INVALID);
    let column = numbers(&[3, 4]).slice(1, 0..2).unwrap();
    assert_eq!(code(column.with_dimensions(&[6])), ResultCode::INVALID_DATA_FORMAT);
    assert_eq!(numbers(&[3, 4]).slice(0, 3..3).unwrap().to_vec::<i32>().unwrap(), []);
}

#[test]
fn singleton_dimensions_change_nothing_else() {
    for at in 0..=2 {
        let tensor = numbers(&[2, 3]).with_singleton_dimension(at).unwrap();
        assert_eq!(tensor.rank(), 3);
        assert_eq!(tensor.data::<i32>().unwrap(), [0, 1, 2, 3, 4, 5]);
    }
    assert!(numbers(&[2, 3]).with_singleton_dimension(3).is_err());
    assert!(numbers(&[1; 8]).with_singleton_dimension(0).is_err());
}

/// Miri is slow, and three dimensions show what eight do.
const MOST_DIMENSIONS: usize = if cfg!(miri) { 3 } else { 8 };

proptest! {
    /// Indexing a view finds the same elements as indexing the whole tensor.
    #[test]
    fn views_agree_with_indices(
        dimensions in prop::collection::vec(1..5i32, 2..=4),
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0..5i32, 0..5i32), 0..4),
        turns in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let mut whole = numbers(&dimensions);
        let mut view = whole.share().unwrap();
        let mut starts = vec![0; dimensions.len()];
        let mut order: Vec<usize> = (0..dimensions.len()).collect();
        for (dimension, start, length) in picks {
            let dimension = dimension.index(dimensions.len());
            let all = view.shape().dimensions()[dimension];
            let (start, end) = (start.min(all), (start + length).min(all));
            view = view.slice(dimension, start..end).unwrap();
            starts[dimension] += start;
        }
        for turn in turns {
            let at = turn.index(order.len() - 1);
            let mut swap: Vec<usize> = (0..order.len()).collect();
            swap.swap(at, at + 1);
            order.swap(at, at + 1);
            view = view.permute(&swap).unwrap();
        }
        let mut expected = Vec::new();
        let shape = *view.shape();
        let count = usize::try_from(shape.element_count().unwrap()).unwrap();
        for number in 0..count {
            let mut rest = number;
            let mut index = vec![0; order.len()];
            for dimension in (0..order.len()).rev() {
                let length = usize::try_from(shape.dimensions()[dimension]).unwrap();
                let inside = i32::try_from(rest % length).unwrap();
                index[order[dimension]] = starts[order[dimension]] + inside;
                rest /= length;
            }
            expected.push(whole.get::<i32>(&index).unwrap());
        }
        prop_assert_eq!(view.to_vec::<i32>().unwrap(), expected);
    }

    /// Any structure from another language yields an error or elements, never a crash.
    #[test]
    fn no_structure_breaks_a_tensor(
        dimensions in prop::collection::vec(0..6i32, 0..=MOST_DIMENSIONS),
        strides: [u64; 8], bytes in 0..9u64, type_number in -1..15i32,
        start in 0..6i32, end in 0..6i32,
    ) {
        let small = strides.map(|stride| stride % 40);
        for strides in [strides, small] {
            let memory = MemoryBuffer::from_vec((0..=255u8).collect());
            let shape = Shape::new(&dimensions).unwrap();
            let tensor =
                Tensor::from_memory(shape, PrimitiveType(type_number), bytes, Some(strides), memory);
            if let Ok(tensor) = tensor {
                let _ = (tensor.to_vec::<u8>(), tensor.to_vec::<u32>(), tensor.data::<f64>());
                let _ = tensor.for_each_run(&mut |_| Ok(()));
                let _ = tensor.slice(0, start..end).map(|part| part.to_vec::<u16>());
            }
        }
    }
}

/// Reads the structure like an array library, then calls the deleter.
unsafe fn consume(managed: NonNull<DLManagedTensor>) -> (Vec<i64>, Vec<i64>, i32) {
    // SAFETY: the tests below pass tensors that were just exported.
    unsafe {
        let tensor = &(*managed.as_ptr()).dl_tensor;
        let rank = usize::try_from(tensor.ndim).unwrap();
        let shape = core::slice::from_raw_parts(tensor.shape, rank).to_vec();
        let strides = core::slice::from_raw_parts(tensor.strides, rank).to_vec();
        let first = tensor.data.cast::<i32>().read();
        (*managed.as_ptr()).deleter.unwrap()(managed.as_ptr());
        (shape, strides, first)
    }
}

#[test]
fn dlpack_shows_shape_and_strides_in_elements() {
    let mut tensor = numbers(&[3, 4]);
    let view = tensor.share().unwrap().slice(1, 1..3).unwrap();
    let managed = view.into_dlpack().unwrap();
    // SAFETY: just exported.
    let (shape, strides, first) = unsafe { consume(managed) };
    assert_eq!((shape, strides, first), (vec![3, 2], vec![4, 1], 1));
    tensor.data_mut::<i32>().expect("the consumer gave its share back");
}

#[test]
fn tensors_survive_the_way_through_dlpack() {
    let mut tensor = numbers(&[3, 4]);
    let turned = tensor.share().unwrap().permute(&[1, 0]).unwrap();
    let expected = turned.to_vec::<i32>().unwrap();
    // SAFETY: just exported.
    let back = unsafe { Tensor::from_dlpack(turned.into_dlpack().unwrap()) }.unwrap();
    assert_eq!(back.to_vec::<i32>().unwrap(), expected);
    let mut locked = tensor.share().unwrap();
    locked.memory.set_read_only();
    assert!(tensor.share().unwrap().into_dlpack().is_ok_and(|managed| {
        // SAFETY: just exported.
        unsafe { consume(managed) };
        true
    }));
    let managed = locked.into_dlpack_versioned().unwrap();
    // SAFETY: just exported.
    let mut back = unsafe { Tensor::from_dlpack_versioned(managed) }.unwrap();
    assert_eq!(back.get::<i32>(&[2, 3]).unwrap(), 11);
    drop(tensor);
    assert_eq!(code(back.data_mut::<i32>().map(drop)), ResultCode::CONTRACT_INVALID_SEQUENCE);
}

/// A tensor on the third device, and one in managed memory, keep their places on both ways.
#[test]
fn dlpack_names_the_device() {
    for (storage, device_type) in [(StorageType::DEVICE, 2), (StorageType::CUDA_MANAGED, 13)] {
        let mut tensor = numbers(&[3, 4]);
        let address = tensor.pointer();
        // SAFETY: nobody reads the memory, which `tensor` keeps.
        let mut memory = unsafe { MemoryBuffer::wrap(address, 48, storage, |_| {}) };
        memory.set_device(3);
        let shape = Shape::new(&[3, 4]).unwrap();
        let there = Tensor::from_memory(shape, PrimitiveType::INT32, 4, None, memory).unwrap();
        let managed = there.into_dlpack().unwrap();
        // SAFETY: just exported.
        let device = unsafe { (*managed.as_ptr()).dl_tensor.device };
        assert_eq!((device.device_type, device.device_id), (device_type, 3));
        // SAFETY: just exported.
        let back = unsafe { Tensor::from_dlpack(managed) }.unwrap();
        assert_eq!((back.storage_type(), back.memory().device()), (storage, 3));
        let managed = back.into_dlpack().unwrap();
        // SAFETY: just exported, and nobody else has it.
        let strange = unsafe {
            (*managed.as_ptr()).dl_tensor.device.device_id = 256;
            Tensor::from_dlpack(managed)
        };
        let said = strange.unwrap_err().to_string();
        assert!(said.contains("a tensor on device 256, where 255 is the last"), "{said}");
        tensor.data_mut::<i32>().unwrap();
    }
}

/// A foreign tensor that counts its releases.
struct Producer {
    shape: [i64; 2],
    strides: [i64; 2],
    data: [f32; 6],
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete_produced(managed: *mut DLManagedTensor) {
    // SAFETY: both boxes were made in `produced`; called once.
    unsafe {
        let producer = Box::from_raw((*managed).manager_ctx.cast::<Producer>());
        drop(Box::from_raw(managed));
        producer.deleted.fetch_add(1, Ordering::Relaxed);
    }
}

fn produced(
    deleted: &Arc<AtomicUsize>,
    change: impl FnOnce(&mut DLTensor, &mut Producer),
) -> NonNull<DLManagedTensor> {
    let mut producer = Box::new(Producer {
        shape: [2, 3],
        strides: [3, 1],
        data: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        deleted: deleted.clone(),
    });
    let mut tensor = DLTensor {
        data: core::ptr::null_mut(),
        device: DLDevice { device_type: 1, device_id: 0 },
        ndim: 2,
        dtype: DLDataType { code: 2, bits: 32, lanes: 1 },
        shape: core::ptr::null_mut(),
        strides: core::ptr::null_mut(),
        byte_offset: 0,
    };
    change(&mut tensor, &mut producer);
    let producer = Box::into_raw(producer);
    // SAFETY: the box was just made.
    unsafe {
        tensor.data = (&raw mut (*producer).data).cast();
        tensor.shape = (&raw mut (*producer).shape).cast();
        tensor.strides = (&raw mut (*producer).strides).cast();
    }
    let managed = DLManagedTensor {
        dl_tensor: tensor,
        manager_ctx: producer.cast(),
        deleter: Some(delete_produced),
    };
    NonNull::from(Box::leak(Box::new(managed)))
}

#[test]
fn foreign_tensors_are_given_back_once() {
    let deleted = Arc::new(AtomicUsize::new(0));
    // SAFETY: the tensor is valid as DLPack defines it.
    let tensor = unsafe { Tensor::from_dlpack(produced(&deleted, |_, _| ())) }.unwrap();
    let part = tensor.slice(1, 1..2).unwrap();
    assert_eq!(part.to_vec::<f32>().unwrap(), [1.0, 4.0]);
    assert_eq!(deleted.load(Ordering::Relaxed), 0);
    std::thread::spawn(move || drop(part)).join().unwrap();
    assert_eq!(deleted.load(Ordering::Relaxed), 1);
}

#[test]
fn foreign_tensors_that_do_not_fit_are_refused_and_given_back() {
    type Change = fn(&mut DLTensor, &mut Producer);
    let changes: [(Change, &str); 6] = [
        (|_, producer| producer.strides = [-3, 1], "a stride of -3 elements; copy first"),
        (|_, producer| producer.shape = [-1, 3], "a dimension cannot be -1"),
        (
            |_, producer| producer.shape = [1 << 40, 3],
            "a dimension of 1099511627776 is out of range",
        ),
        (|tensor, _| tensor.ndim = 9, "a tensor has up to 8 dimensions, not 9"),
        (|tensor, _| tensor.device.device_type = 8, "DLPack's device type 8 is not supported"),
        (
            |tensor, _| tensor.dtype.lanes = 4,
            "tensors cannot be made of DLPack's type with code 2, 32 bits and 4 lanes",
        ),
    ];
    for (change, text) in changes {
        let deleted = Arc::new(AtomicUsize::new(0));
        // SAFETY: the import reads only the description, which is valid.
        let refused = unsafe { Tensor::from_dlpack(produced(&deleted, change)) };
        assert_eq!(refused.unwrap_err().to_string(), text);
        assert_eq!(deleted.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn scalars_of_dlpack_have_one_element() {
    let deleted = Arc::new(AtomicUsize::new(0));
    let scalar = produced(&deleted, |tensor, _| {
        tensor.ndim = 0;
        tensor.byte_offset = 8;
    });
    // SAFETY: the tensor is valid as DLPack defines it.
    let tensor = unsafe { Tensor::from_dlpack(scalar) }.unwrap();
    assert_eq!(tensor.to_vec::<f32>().unwrap(), [2.0]);
}
