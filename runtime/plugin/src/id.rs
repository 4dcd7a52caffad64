//! Ids of entities, components and groups: keys of a table with generations. A look-up costs one
//! index, and an id of a removed value is an error and never finds another value.
//!
//! The lower 32 bits of an id are the position in the table, from 1. The upper bits count earlier
//! uses of the position. As long as nothing is destroyed, ids count 1, 2, 3, … like GXF's.

use gxf_plugin_abi::Uid;

/// Set in the id of a message, which lives in another table.
pub const MESSAGE_BIT: Uid = 1 << 62;

/// Generations wrap below [`MESSAGE_BIT`].
const LAST_GENERATION: u32 = (1 << 29) - 1;

struct Slot<T> {
    generation: u32,
    value: Option<T>,
}

/// A table of values with ids.
pub struct IdTable<T> {
    slots: Vec<Slot<T>>,
    free: Vec<u32>,
}

impl<T> Default for IdTable<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> IdTable<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    /// Stores the value that `make` builds for the new id.
    pub fn insert_with(&mut self, make: impl FnOnce(Uid) -> T) -> Uid {
        let place = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, value: None });
            u32::try_from(self.slots.len() - 1).expect("more than 2^32 ids in use")
        });
        let slot = &mut self.slots[place as usize];
        let id = (Uid::from(slot.generation) << 32) | (Uid::from(place) + 1);
        slot.value = Some(make(id));
        id
    }

    /// The value with this id.
    pub fn get(&self, id: Uid) -> Option<&T> {
        let (place, generation) = split(id)?;
        let slot = self.slots.get(place)?;
        if slot.generation == generation { slot.value.as_ref() } else { None }
    }

    /// Like [`IdTable::get`], for writing.
    pub fn get_mut(&mut self, id: Uid) -> Option<&mut T> {
        let (place, generation) = split(id)?;
        let slot = self.slots.get_mut(place).filter(|slot| slot.generation == generation)?;
        slot.value.as_mut()
    }

    /// Removes the value with this id, which is stale from then on.
    pub fn remove(&mut self, id: Uid) -> Option<T> {
        let (place, generation) = split(id)?;
        let slot = self.slots.get_mut(place).filter(|slot| slot.generation == generation)?;
        let value = slot.value.take()?;
        // A position with no generations left stays empty for ever.
        if slot.generation < LAST_GENERATION {
            slot.generation += 1;
            self.free.push(u32::try_from(place).ok()?);
        }
        Some(value)
    }
}

fn split(id: Uid) -> Option<(usize, u32)> {
    if id <= 0 {
        return None;
    }
    let place = usize::try_from((id & 0xffff_ffff) - 1).ok()?;
    Some((place, u32::try_from(id >> 32).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_count_from_one() {
        let mut table = IdTable::new();
        assert_eq!([1, 2, 3], [(); 3].map(|()| table.insert_with(|id| id)));
    }

    #[test]
    fn foreign_numbers_are_not_found() {
        let mut table = IdTable::new();
        table.insert_with(|_| ());
        for id in [0, -1, 2, i64::MIN, i64::MAX, 1 | (1 << 32), MESSAGE_BIT | 1] {
            assert!(table.get(id).is_none(), "{id}");
        }
    }

    proptest! {
        /// In any sequence, a live id finds its value and a removed one finds nothing.
        #[test]
        fn stale_ids_find_nothing(steps in prop::collection::vec(any::<(bool, u8)>(), 1..200)) {
            let mut table = IdTable::new();
            let (mut live, mut gone) = (Vec::new(), Vec::new());
            for (number, (insert, pick)) in steps.into_iter().enumerate() {
                if insert || live.is_empty() {
                    live.push((table.insert_with(|_| number), number));
                } else {
                    let (id, value) = live.swap_remove(usize::from(pick) % live.len());
                    prop_assert_eq!(table.remove(id), Some(value));
                    gone.push(id);
                }
                for (id, value) in &live {
                    prop_assert_eq!(table.get(*id), Some(value));
                }
                for id in &gone {
                    prop_assert_eq!(table.get(*id), None);
                }
            }
        }
    }
}
