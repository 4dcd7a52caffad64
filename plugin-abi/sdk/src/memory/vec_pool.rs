//! Vectors that come back.

use crate::{Element, MemoryBuffer, Result, Shape, StorageType, Tensor};
use std::sync::{Arc, Mutex, Weak};

/// A pool keeps at most this many vectors that nobody uses.
const MOST_FREE: usize = 4;
/// Smaller vectors are not worth keeping: the C library keeps their memory itself.
const SMALLEST: usize = 64 << 10;

type Free<T> = Mutex<Vec<Vec<T>>>;

/// Vectors for tensors that a codelet makes in every tick: when the last user of such a tensor is
/// done, its memory goes back to the pool. New memory for large tensors costs more than to fill it,
/// because the system clears each page when it is first touched.
///
/// ```
/// let pool = gxf::VecPool::default();
/// let mut values = pool.take(3);
/// values.extend([1.0, 2.0, 3.0]);
/// let tensor = pool.tensor(&[3], values)?;
/// assert_eq!(tensor.to_vec::<f64>()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), gxf::Error>(())
/// ```
///
/// The pool holds the memory of up to four tensors that nobody uses, until it is dropped.
#[derive(Debug)]
pub struct VecPool<T> {
    free: Arc<Free<T>>,
}

impl<T> Default for VecPool<T> {
    fn default() -> Self {
        Self { free: Arc::default() }
    }
}

impl<T: Element + Send> VecPool<T> {
    /// An empty vector with room for `capacity` elements.
    #[must_use]
    pub fn take(&self, capacity: usize) -> Vec<T> {
        let kept = self.free.lock().ok().and_then(|mut free| free.pop());
        let mut values = kept.unwrap_or_default();
        if values.capacity() < capacity {
            // Without a copy of what is not there.
            values = Vec::with_capacity(capacity);
        }
        values
    }

    /// Makes a tensor of a vector, which then belongs to the pool. Fails as [`Tensor::from_vec`].
    pub fn tensor(&self, dimensions: &[i32], values: Vec<T>) -> Result<Tensor> {
        let shape = Shape::new(dimensions)?;
        if values.capacity() * size_of::<T>() < SMALLEST
            || shape.element_count()? != values.len() as u64
        {
            return Tensor::from_vec(dimensions, values);
        }
        let mut values = core::mem::ManuallyDrop::new(values);
        let (size, capacity) = (size_of_val(values.as_slice()) as u64, values.capacity());
        let free = Arc::downgrade(&self.free);
        let release = move |pointer: *mut u8| {
            // SAFETY: address and capacity are those of the vector, which is used nowhere else. It
            // has no elements, so it does not matter what became of them.
            let values = unsafe { Vec::from_raw_parts(pointer.cast::<T>(), 0, capacity) };
            give_back(&free, values);
        };
        let pointer = values.as_mut_ptr().cast();
        // SAFETY: the elements are initialised, and nothing else uses them until `release`.
        let memory = unsafe { MemoryBuffer::wrap(pointer, size, StorageType::SYSTEM, release) };
        Tensor::from_memory(shape, T::TYPE, size_of::<T>() as u64, None, memory)
    }
}

fn give_back<T>(free: &Weak<Free<T>>, values: Vec<T>) {
    if let Some(free) = free.upgrade()
        && let Ok(mut free) = free.lock()
        && free.len() < MOST_FREE
    {
        free.push(values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pool: &VecPool<f64>, count: usize) -> (Tensor, *const f64) {
        let mut values = pool.take(count);
        assert!(values.is_empty());
        values.extend((0..count).map(|index| index as f64));
        let address = values.as_ptr();
        (pool.tensor(&[count as i32], values).expect("a tensor"), address)
    }

    #[test]
    fn memory_comes_back_when_the_last_tensor_is_done() {
        let pool = VecPool::default();
        let (first, address) = filled(&pool, 10_000);
        let mut first = first;
        let shared = first.share().expect("a second one");
        drop(first);
        let (second, other) = filled(&pool, 10_000);
        assert_ne!(address, other);
        assert_eq!(shared.data::<f64>().expect("numbers")[9_999], 9_999.0);
        drop(shared);
        let (third, again) = filled(&pool, 10_000);
        assert_eq!(address, again);
        // The pool may go first.
        drop(pool);
        assert_eq!(second.data::<f64>().expect("numbers").len(), 10_000);
        drop((second, third));
    }

    #[test]
    fn no_more_than_four_wait() {
        let pool = VecPool::default();
        let all: Vec<_> = (0..6).map(|_| filled(&pool, 10_000)).collect();
        drop(all);
        assert_eq!(pool.free.lock().expect("the list").len(), MOST_FREE);
        let too_large = pool.take(20_000);
        assert!(too_large.capacity() >= 20_000);
    }

    #[test]
    fn small_and_wrong_ones_are_not_kept() {
        let pool = VecPool::default();
        drop(filled(&pool, 10));
        assert!(pool.free.lock().expect("the list").is_empty());
        let error = pool.tensor(&[3], vec![0.0; 10_000]).expect_err("another length");
        assert!(error.to_string().contains("10000 values do not make a tensor of 3"), "{error}");
    }
}
