//! The set of entities that a scheduler must check: one bit each, and a summary bit for every 64,
//! so that finding the next one stays fast when many others are idle.

/// A set of small numbers.
#[derive(Default)]
pub struct ReadySet {
    words: Vec<u64>,
    summary: Vec<u64>,
}

impl ReadySet {
    /// Makes room for numbers below `count`.
    pub fn reserve(&mut self, count: usize) {
        self.words.resize(count.div_ceil(64).max(self.words.len()), 0);
        self.summary.resize(self.words.len().div_ceil(64), 0);
    }

    /// Adds a number, for which there must be room.
    #[inline]
    pub fn insert(&mut self, number: u32) {
        let has_room = self.try_insert(number);
        assert!(has_room, "no room for {number}");
    }

    /// Adds a number; false if there is no room for it.
    #[inline(always)]
    pub fn try_insert(&mut self, number: u32) -> bool {
        let word = number as usize / 64;
        let Some(bits) = self.words.get_mut(word) else { return false };
        if *bits == 0 {
            self.summary[word / 64] |= 1 << (word % 64);
        }
        *bits |= 1 << (number % 64);
        true
    }

    /// Removes a number.
    #[inline]
    pub fn remove(&mut self, number: u32) {
        let word = number as usize / 64;
        self.words[word] &= !(1 << (number % 64));
        if self.words[word] == 0 {
            self.summary[word / 64] &= !(1 << (word % 64));
        }
    }

    /// The smallest number that is not below `from`.
    #[inline(always)]
    pub fn next_from(&self, from: u32) -> Option<u32> {
        let word = from as usize / 64;
        let above = self.words.get(word)? & (u64::MAX << (from % 64));
        if above != 0 {
            return Some((from & !63) + above.trailing_zeros());
        }
        self.first_after(word)
    }

    /// The smallest number in a later word.
    #[inline(never)]
    fn first_after(&self, word: usize) -> Option<u32> {
        let word = self.next_word(word + 1)?;
        Some(u32::try_from(word * 64).ok()? + self.words[word].trailing_zeros())
    }

    /// Removes and returns the smallest number that is not below `from`.
    #[inline(always)]
    pub fn take_from(&mut self, from: u32) -> Option<u32> {
        let word = from as usize / 64;
        let bits = self.words.get_mut(word)?;
        let above = *bits & (u64::MAX << (from % 64));
        if above != 0 {
            *bits ^= above & above.wrapping_neg();
            if *bits == 0 {
                self.summary[word / 64] &= !(1 << (word % 64));
            }
            return Some((from & !63) + above.trailing_zeros());
        }
        let word = self.next_word(word + 1)?;
        let number = u32::try_from(word * 64).ok()? + self.words[word].trailing_zeros();
        self.remove(number);
        Some(number)
    }

    /// The first word from `from` on with a bit set.
    fn next_word(&self, from: usize) -> Option<usize> {
        let mut group = from / 64;
        let mut bits = self.summary.get(group)? & (u64::MAX << (from % 64));
        while bits == 0 {
            group += 1;
            bits = *self.summary.get(group)?;
        }
        Some(group * 64 + bits.trailing_zeros() as usize)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.summary.iter().all(|bits| *bits == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Behaves like an ordered set, even far beyond one summary word.
        #[test]
        fn behaves_like_an_ordered_set(steps in prop::collection::vec((0u8..3, 0u32..10_000), 1..300)) {
            let (mut set, mut model) = (ReadySet::default(), BTreeSet::new());
            set.reserve(10_000);
            for (step, number) in steps {
                match step {
                    0 => {
                        set.insert(number);
                        model.insert(number);
                    }
                    1 => {
                        set.remove(number);
                        model.remove(&number);
                    }
                    _ => {
                        let expected = model.range(number..).next().copied();
                        if let Some(expected) = expected {
                            model.remove(&expected);
                        }
                        prop_assert_eq!(set.next_from(number), expected);
                        prop_assert_eq!(set.take_from(number), expected);
                    }
                }
                prop_assert_eq!(set.is_empty(), model.is_empty());
            }
        }
    }
}
