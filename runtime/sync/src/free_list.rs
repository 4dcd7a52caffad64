//! A lock-free stack of free indices. Any thread may push and pop.
//!
//! The head holds the top index and a tag that changes with every operation. A thread that is
//! interrupted between reading and replacing the top thus notices if the same index came back in
//! between (the ABA problem). The links between indices live in the caller's cells.

use crate::loom::atomic::{AtomicU64, Ordering};
use crate::loom::const_fn;

/// Means "no index".
pub const NONE: u32 = u32::MAX;

/// The head of the stack.
pub struct FreeList {
    /// Tag in the upper half, index in the lower.
    head: AtomicU64,
}

fn pack(tag: u64, number: u32) -> u64 {
    (tag << 32) | u64::from(number)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is the number")]
fn number_of(head: u64) -> u32 {
    head as u32
}

impl Default for FreeList {
    fn default() -> Self {
        Self::new()
    }
}

impl FreeList {
    const_fn! {
        /// An empty stack.
        pub const fn new() -> Self {
            Self { head: AtomicU64::new(NONE as u64) }
        }
    }

    /// Pops the top index. `next_of` reads the link of an index. It may be called for an index that
    /// another thread just popped; its result is then discarded.
    pub fn pop(&self, next_of: impl Fn(u32) -> u32) -> Option<u32> {
        // Acquire pairs with the Release of `push`, which published the link.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let number = number_of(head);
            if number == NONE {
                return None;
            }
            let next = pack((head >> 32) + 1, next_of(number));
            match self.head.compare_exchange_weak(head, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(number),
                Err(now) => head = now,
            }
        }
    }

    /// Pushes an index. `set_next` stores its link.
    pub fn push(&self, number: u32, set_next: impl Fn(u32)) {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            set_next(number_of(head));
            // Release publishes the link and this thread's other changes to the cell.
            match self.head.compare_exchange_weak(
                head,
                pack((head >> 32) + 1, number),
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32;

    /// Two threads pop and push: no index is ever held by both, and none is lost.
    #[test]
    fn a_number_has_one_holder() {
        loom::model(|| {
            struct Shared {
                list: FreeList,
                links: [AtomicU32; 2],
                held: [AtomicU32; 2],
            }
            let shared = Arc::new(Shared {
                list: FreeList::new(),
                links: [AtomicU32::new(NONE), AtomicU32::new(NONE)],
                held: [AtomicU32::new(0), AtomicU32::new(0)],
            });
            let push = |shared: &Shared, number: u32| {
                shared.list.push(number, |next| {
                    shared.links[number as usize].store(next, Ordering::Relaxed);
                });
            };
            let pop = |shared: &Shared| {
                shared.list.pop(|number| shared.links[number as usize].load(Ordering::Relaxed))
            };
            push(&shared, 0);
            push(&shared, 1);
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    if let Some(number) = pop(&shared) {
                        assert_eq!(shared.held[number as usize].fetch_add(1, Ordering::Relaxed), 0);
                        shared.held[number as usize].fetch_sub(1, Ordering::Relaxed);
                        push(&shared, number);
                    }
                })
            };
            if let Some(number) = pop(&shared) {
                assert_eq!(shared.held[number as usize].fetch_add(1, Ordering::Relaxed), 0);
                shared.held[number as usize].fetch_sub(1, Ordering::Relaxed);
                push(&shared, number);
            }
            other.join().unwrap();
            let mut left = vec![pop(&shared).unwrap(), pop(&shared).unwrap()];
            left.sort_unstable();
            assert_eq!(left, [0, 1]);
            assert_eq!(pop(&shared), None);
        });
    }
}
