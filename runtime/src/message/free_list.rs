//! A stack of free numbers that any thread may push to and pop from, without a lock.
//!
//! The head holds the top number and a tag that changes with every operation, so that a thread
//! that was interrupted between reading the top and replacing it notices when the same number came
//! back in between (the ABA problem). The links between numbers live with the caller's cells.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// Stands for "no number".
pub(crate) const NONE: u32 = u32::MAX;

/// The head of the stack.
pub(crate) struct FreeList {
    /// Tag in the upper half, number in the lower.
    head: AtomicU64,
}

fn pack(tag: u64, number: u32) -> u64 {
    (tag << 32) | u64::from(number)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is the number")]
fn number_of(head: u64) -> u32 {
    head as u32
}

impl FreeList {
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self { head: AtomicU64::new(NONE as u64) }
    }

    #[cfg(loom)]
    pub fn new() -> Self {
        Self { head: AtomicU64::new(u64::from(NONE)) }
    }

    /// Takes the top number. `next_of` reads the link of a number; it may be asked for a number
    /// that another thread just took, and its answer is then thrown away.
    pub fn pop(&self, next_of: impl Fn(u32) -> u32) -> Option<u32> {
        self.pop_some(1, next_of).map(|(number, _)| number)
    }

    /// Takes numbers from the top, one or more, and at most so many. The first, which the others are
    /// linked to, and how many they are.
    pub fn pop_some(&self, limit: usize, next_of: impl Fn(u32) -> u32) -> Option<(u32, usize)> {
        // Acquire pairs with the Release of `push`: the links were written before.
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            let first = number_of(head);
            if first == NONE {
                return None;
            }
            let (mut rest, mut count) = (next_of(first), 1);
            while count < limit && rest != NONE {
                rest = next_of(rest);
                count += 1;
            }
            let next = pack((head >> 32) + 1, rest);
            match self.head.compare_exchange_weak(head, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some((first, count)),
                Err(now) => head = now,
            }
        }
    }

    /// Puts a number on top, or the first of some that are linked. `set_next` stores the link of the
    /// last.
    pub fn push(&self, number: u32, set_next: impl Fn(u32)) {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            set_next(number_of(head));
            // Release publishes the link and everything the thread did with the cell before.
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

    #[derive(Default)]
    struct Shared {
        links: [AtomicU32; 2],
        held: [AtomicU32; 2],
    }

    /// Takes some numbers and links them again in another order.
    fn take_and_give_back(list: &FreeList, shared: &Shared, limit: usize) {
        let link = |number: u32| &shared.links[number as usize];
        let Some((first, count)) = list.pop_some(limit, |n| link(n).load(Ordering::Relaxed)) else {
            return;
        };
        let mut numbers = vec![first];
        while numbers.len() < count {
            numbers.push(link(numbers[numbers.len() - 1]).load(Ordering::Relaxed));
        }
        for number in &numbers {
            let held = &shared.held[*number as usize];
            assert_eq!(held.fetch_add(1, Ordering::Relaxed), 0);
        }
        for number in &numbers {
            shared.held[*number as usize].fetch_sub(1, Ordering::Relaxed);
        }
        numbers.reverse();
        for pair in numbers.windows(2) {
            link(pair[0]).store(pair[1], Ordering::Relaxed);
        }
        let last = link(numbers[numbers.len() - 1]);
        list.push(numbers[0], |next| last.store(next, Ordering::Relaxed));
    }

    /// Two threads take and give back; no number is ever held by both, none gets lost.
    fn a_number_has_one_holder(limits: [usize; 2]) {
        loom::model(move || {
            let both = Arc::new((FreeList::new(), Shared::default()));
            let (list, shared) = &*both;
            shared.links[1].store(0, Ordering::Relaxed);
            list.push(1, |next| shared.links[0].store(next, Ordering::Relaxed));
            let other = {
                let both = both.clone();
                loom::thread::spawn(move || take_and_give_back(&both.0, &both.1, limits[1]))
            };
            take_and_give_back(list, shared, limits[0]);
            other.join().unwrap();
            let next = |number: u32| shared.links[number as usize].load(Ordering::Relaxed);
            let mut left = vec![list.pop(next).unwrap(), list.pop(next).unwrap()];
            left.sort_unstable();
            assert_eq!(left, [0, 1]);
            assert_eq!(list.pop(next), None);
        });
    }

    #[test]
    fn a_number_taken_alone_has_one_holder() {
        a_number_has_one_holder([1, 1]);
    }

    #[test]
    fn numbers_taken_together_have_one_holder() {
        a_number_has_one_holder([2, 1]);
        a_number_has_one_holder([2, 2]);
    }
}
