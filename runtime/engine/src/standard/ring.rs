//! A growing ring of values, the storage of a queue.
//!
//! Unlike `VecDeque` it has a number of slots that is a power of two, which makes finding a slot
//! one operation, and its user says when it grows, which keeps growing off the path of every
//! message.

#![expect(unsafe_code, reason = "slots without a value are uninitialised memory")]

use std::mem::MaybeUninit;

/// A ring of values.
///
/// Invariant: there are `mask + 1` slots, or none, in which case `first == end`. The slots of the
/// places from `first` up to `end`, at most as many as there are, hold a value, the others none.
pub struct Ring<T> {
    slots: Box<[MaybeUninit<T>]>,
    mask: usize,
    /// Count the values taken from the front, and those put at the back.
    first: usize,
    end: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { slots: Box::default(), mask: 0, first: 0, end: 0 }
    }
}

impl<T> Ring<T> {
    /// Number of values.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.end.wrapping_sub(self.first)
    }

    /// Number of values that fit before the ring grows.
    pub fn size(&self) -> usize {
        self.slots.len()
    }

    /// Makes room for this many values.
    pub fn reserve(&mut self, count: usize) {
        if count <= self.size() {
            return;
        }
        let mut slots = Box::new_uninit_slice(count.next_power_of_two());
        let mut held = 0;
        while let Some(value) = self.pop_front() {
            slots[held].write(value);
            held += 1;
        }
        (self.first, self.end) = (0, held);
        self.mask = slots.len() - 1;
        self.slots = slots;
    }

    /// The slot of a place.
    ///
    /// # Safety
    /// There must be slots.
    #[inline(always)]
    unsafe fn slot(&mut self, place: usize) -> &mut MaybeUninit<T> {
        // SAFETY: there are `mask + 1` slots.
        unsafe { self.slots.get_unchecked_mut(place & self.mask) }
    }

    /// Adds a value at the back.
    ///
    /// # Safety
    /// There must be room for it.
    #[inline(always)]
    pub unsafe fn push_back(&mut self, value: T) {
        debug_assert!(self.len() < self.size());
        let end = self.end;
        // SAFETY: there is room, so there are slots, and that of `end` has no value.
        unsafe { self.slot(end) }.write(value);
        self.end = end.wrapping_add(1);
    }

    /// Adds a value at the front.
    pub fn push_front(&mut self, value: T) {
        self.reserve(self.len() + 1);
        let first = self.first.wrapping_sub(1);
        // SAFETY: there is room, so there are slots, and the one before the first has no value.
        unsafe { self.slot(first) }.write(value);
        self.first = first;
    }

    /// Takes the value at the front.
    #[inline(always)]
    pub fn pop_front(&mut self) -> Option<T> {
        let first = self.first;
        if first == self.end {
            return None;
        }
        self.first = first.wrapping_add(1);
        // SAFETY: the slot held a value, which is no longer counted.
        Some(unsafe { self.slot(first).assume_init_read() })
    }

    /// The value at a position from the front.
    pub fn get(&self, position: usize) -> Option<&T> {
        let place = self.first.wrapping_add(position) & self.mask;
        // SAFETY: the slot holds a value.
        (position < self.len()).then(|| unsafe { self.slots[place].assume_init_ref() })
    }

    /// Takes the values from a position on.
    pub fn split_off(&mut self, position: usize) -> Vec<T> {
        let kept: Vec<T> = std::iter::from_fn(|| self.pop_front()).take(position).collect();
        let rest = std::iter::from_fn(|| self.pop_front()).collect();
        for value in kept {
            // SAFETY: the ring had room for it before.
            unsafe { self.push_back(value) };
        }
        rest
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        while self.pop_front().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn behaves_like_a_deque(steps in prop::collection::vec((0u8..6, 0usize..9), 1..200)) {
            let (mut ring, mut model) = (Ring::default(), VecDeque::new());
            for (value, (step, position)) in steps.into_iter().enumerate() {
                let value = std::sync::Arc::new(value);
                match step {
                    0 | 1 => {
                        ring.reserve(ring.len() + 1);
                        // SAFETY: there is room for one more.
                        unsafe { ring.push_back(value.clone()) };
                        model.push_back(value);
                    }
                    2 => {
                        ring.push_front(value.clone());
                        model.push_front(value);
                    }
                    3 | 4 => prop_assert_eq!(ring.pop_front(), model.pop_front()),
                    _ => {
                        let at = position.min(model.len());
                        prop_assert_eq!(ring.split_off(position), Vec::from(model.split_off(at)));
                    }
                }
                prop_assert_eq!(ring.len(), model.len());
                prop_assert!(ring.size() == 0 || ring.size().is_power_of_two());
                for position in 0..=model.len() {
                    prop_assert_eq!(ring.get(position), model.get(position));
                }
            }
        }
    }

    #[test]
    fn values_that_are_left_are_dropped_once() {
        let value = std::sync::Arc::new(());
        let mut ring = Ring::default();
        for _ in 0..5 {
            ring.push_front(value.clone());
        }
        drop(ring.pop_front());
        assert_eq!(std::sync::Arc::strong_count(&value), 5);
        drop(ring);
        assert_eq!(std::sync::Arc::strong_count(&value), 1);
    }
}
