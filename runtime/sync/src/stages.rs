//! A bounded queue with two stages, between those who send and the one who receives.
//!
//! Values enter the back stage. The receiver moves all of them to the main stage at once, and takes
//! them from there. Both stages are one ring: the places up to `main_end` are the main stage, those
//! behind it the back stage, so moving the back stage only changes a number.
//!
//! Each side has a lock, and what it changes lies on cache lines of its own. So a thread that sends
//! and one that receives do not wait for each other, and neither takes the other's lines from it
//! more often than it must. Who sends remembers how far the receiver was, and looks again only when
//! the queue seems full. What it publishes for the receiver it only writes, on a line apart: some
//! processors take a line from the core that wrote it when another one reads it.
//!
//! As long as one thread uses a side, its lock costs next to nothing; see [`BiasedLock`]. What
//! changes more than one side holds both locks.

#![expect(unsafe_code, reason = "slots without a value are uninitialised memory")]

use crate::biased_lock::{BiasedGuard, BiasedLock};
use crate::loom::atomic::{AtomicU32, AtomicU64, Ordering};
use std::cell::UnsafeCell;
use std::hint::cold_path;
use std::mem::MaybeUninit;

/// Most slots: places are counted modulo 2^32.
const MOST_SLOTS: usize = 1 << 31;

/// The queue; see the module documentation.
///
/// Invariant: the slots of the places from `first` up to `end`, at most as many as there are, hold a
/// value, the others none. Only the holder of `sender.lock` changes both `end` and the slots outside of
/// these places; only the holder of `receiver.lock` changes `first`, `main_end` and the slots within.
/// Only the holder of both changes `slots`.
#[repr(C)]
pub struct Stages<T> {
    slots: UnsafeCell<Slots<T>>,
    sender: SenderSide,
    published: Published,
    receiver: ReceiverSide,
}

struct Slots<T> {
    /// A power of two of them, or none.
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    mask: u32,
    /// The number of values that may be in the queue without asking further; at most all slots.
    room: u32,
}

#[repr(C, align(64))]
struct SenderSide {
    lock: BiasedLock<()>,
    /// Counts the values put in; the same as what is published, or one more.
    end: AtomicU32,
    /// A former `first`: there are no more values than from there to `end`.
    known_first: AtomicU32,
}

#[repr(C, align(64))]
struct Published {
    /// Counts the values put in.
    end: AtomicU32,
}

#[repr(C, align(64))]
struct ReceiverSide {
    lock: BiasedLock<()>,
    /// `first` and `main_end`. One word, because readers without the lock must not see a value in both
    /// stages while it moves.
    places: AtomicU64,
}

/// Counts of the values taken out, and of those that have reached the main stage.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Places {
    first: u32,
    main_end: u32,
}

impl Places {
    #[inline(always)]
    fn pack(self) -> u64 {
        u64::from(self.main_end) << 32 | u64::from(self.first)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is one of the two")]
    fn unpack(word: u64) -> Self {
        Self { first: word as u32, main_end: (word >> 32) as u32 }
    }

    #[inline(always)]
    fn main(self) -> u32 {
        self.main_end.wrapping_sub(self.first)
    }
}

/// Number of values in the two stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Values in the main stage.
    pub main: usize,
    /// Values in the back stage.
    pub back: usize,
}

/// Result of [`Stages::advance_if`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advanced {
    /// The main stage has this many values now, and the back stage none.
    To(usize),
    /// Nothing changed: it is not allowed.
    NotAllowed,
    /// Nothing changed: there would be too many, or the lock has another owner.
    Undecided,
}

#[inline(always)]
fn counts(places: Places, end: u32) -> Counts {
    let back = end.wrapping_sub(places.main_end);
    Counts { main: places.main() as usize, back: back as usize }
}

// SAFETY: the queue owns its values.
unsafe impl<T: Send> Send for Stages<T> {}
// SAFETY: values are moved in and out; references to them are given only under the receiver's lock, to
// one thread at a time.
unsafe impl<T: Send> Sync for Stages<T> {}

impl<T> Default for Stages<T> {
    fn default() -> Self {
        let slots = Slots { slots: Box::default(), mask: 0, room: 0 };
        Self {
            slots: UnsafeCell::new(slots),
            sender: SenderSide {
                lock: BiasedLock::new(()),
                end: AtomicU32::new(0),
                known_first: AtomicU32::new(0),
            },
            published: Published { end: AtomicU32::new(0) },
            receiver: ReceiverSide { lock: BiasedLock::new(()), places: AtomicU64::new(0) },
        }
    }
}

impl<T> Slots<T> {
    /// The slot of a place.
    ///
    /// # Safety
    /// There must be slots.
    #[inline(always)]
    unsafe fn at(&self, place: u32) -> *mut MaybeUninit<T> {
        let index = (place & self.mask) as usize;
        // SAFETY: there are `mask + 1` slots.
        unsafe { self.slots.get_unchecked(index) }.get()
    }
}

impl<T> Stages<T> {
    /// Access as both sides. The receiver's lock comes first.
    pub fn lock(&self) -> Both<'_, T> {
        let receiver = self.receiver.lock.lock();
        Both { stages: self, _sender: self.sender.lock.lock(), _receiver: receiver }
    }

    #[inline(always)]
    fn places(&self) -> Places {
        // Acquire: who sees that a slot is free sees that its value was read.
        Places::unpack(self.receiver.places.load(Ordering::Acquire))
    }

    #[inline(always)]
    fn set_places(&self, places: Places) {
        self.receiver.places.store(places.pack(), Ordering::Release);
    }

    #[inline(always)]
    fn end(&self) -> u32 {
        // Acquire: who sees that a slot has a value sees the value.
        self.published.end.load(Ordering::Acquire)
    }

    /// For the sender.
    #[inline(always)]
    fn set_end(&self, end: u32) {
        // In this order, for `at_most`.
        self.sender.end.store(end, Ordering::Relaxed);
        self.published.end.store(end, Ordering::Release);
    }

    /// Number of values in both stages, at one moment.
    #[inline(always)]
    pub fn counts(&self) -> Counts {
        let places = self.places();
        let end = self.end();
        if self.places() == places { counts(places, end) } else { self.counts_again() }
    }

    /// The same if the receiver took or moved values meanwhile.
    #[cold]
    fn counts_again(&self) -> Counts {
        let mut places = self.places();
        loop {
            let end = self.end();
            let now = self.places();
            if now == places {
                return counts(places, end);
            }
            places = now;
        }
    }

    /// Number of values in both stages together, at one moment.
    #[inline(always)]
    pub fn total(&self) -> usize {
        let places = self.places();
        let end = self.end();
        if self.places() == places {
            return end.wrapping_sub(places.first) as usize;
        }
        let Counts { main, back } = self.counts_again();
        main + back
    }

    /// Whether there is no value in either stage.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.places().first == self.end()
    }

    /// Like [`Self::counts`] for the receiver, which changes nothing meanwhile.
    #[inline(always)]
    pub fn counts_of_receiver(&self) -> Counts {
        counts(self.places(), self.end())
    }

    /// The same, but without a look at the back stage if the main stage has this many values: then
    /// none is counted there. For others, values that are taken meanwhile may count.
    #[inline(always)]
    pub fn counts_up_to(&self, enough: u64) -> Counts {
        let places = self.places();
        if u64::from(places.main()) >= enough {
            return Counts { main: places.main() as usize, back: 0 };
        }
        counts(places, self.end())
    }

    /// Number of values in the main stage.
    #[inline]
    pub fn main_count(&self) -> usize {
        self.places().main() as usize
    }

    /// Number of values in the back stage. For others than the receiver, with what the receiver moves to
    /// the main stage meanwhile.
    #[inline]
    pub fn back_count(&self) -> usize {
        let main_end = self.places().main_end;
        self.end().wrapping_sub(main_end) as usize
    }

    /// No fewer than there are values in both stages, mostly without a look at what the receiver
    /// changes.
    #[inline(always)]
    pub fn at_most(&self) -> usize {
        let known = self.sender.known_first.load(Ordering::Relaxed);
        self.sender.end.load(Ordering::Relaxed).wrapping_sub(known) as usize
    }

    /// Number of values in both stages together, for who sends: with what the receiver takes meanwhile.
    #[inline(always)]
    pub fn total_of_sender(&self) -> usize {
        let first = self.places().first;
        self.sender.end.load(Ordering::Relaxed).wrapping_sub(first) as usize
    }

    /// Adds a value to the back stage, or returns it if there is no room.
    #[inline(always)]
    pub fn push(&self, value: T) -> Option<T> {
        // SAFETY: nothing in this file locks a side twice.
        match unsafe { self.sender.lock.lock_anew_as_owner() } {
            // SAFETY: this thread has the lock.
            Some(_lock) => unsafe { self.push_locked(value) },
            None => self.push_after_waiting(value),
        }
    }

    #[cold]
    fn push_after_waiting(&self, value: T) -> Option<T> {
        let _lock = self.sender.lock.lock();
        // SAFETY: this thread has the lock.
        unsafe { self.push_locked(value) }
    }

    /// # Safety
    /// This thread must have the sender's lock.
    #[inline(always)]
    unsafe fn push_locked(&self, value: T) -> Option<T> {
        // SAFETY: as long as one of the locks is held, the slots stay.
        let slots = unsafe { &*self.slots.get() };
        let end = self.sender.end.load(Ordering::Relaxed);
        let known = self.sender.known_first.load(Ordering::Relaxed);
        if end.wrapping_sub(known) >= slots.room && !self.has_room(end, slots.room) {
            cold_path();
            return Some(value);
        }
        // SAFETY: there is room, so there are slots, and that of `end` has no value.
        unsafe { (*slots.at(end)).write(value) };
        self.set_end(end.wrapping_add(1));
        None
    }

    /// Whether there is room after another look at the receiver.
    #[inline(always)]
    fn has_room(&self, end: u32, room: u32) -> bool {
        let first = self.places().first;
        self.sender.known_first.store(first, Ordering::Relaxed);
        end.wrapping_sub(first) < room
    }

    /// Takes a value from the main stage. `ahead` gets the next one there.
    #[inline(always)]
    pub fn pop(&self, ahead: impl Fn(&T)) -> Option<T> {
        // SAFETY: nothing in this file locks a side twice.
        match unsafe { self.receiver.lock.lock_anew_as_owner() } {
            // SAFETY: this thread has the lock.
            Some(_lock) => unsafe { self.pop_locked(ahead) },
            None => self.pop_after_waiting(ahead),
        }
    }

    #[cold]
    fn pop_after_waiting(&self, ahead: impl Fn(&T)) -> Option<T> {
        let _lock = self.receiver.lock.lock();
        // SAFETY: this thread has the lock.
        unsafe { self.pop_locked(ahead) }
    }

    /// # Safety
    /// This thread must have the receiver's lock.
    #[inline(always)]
    unsafe fn pop_locked(&self, ahead: impl Fn(&T)) -> Option<T> {
        let places = self.places();
        if places.first == places.main_end {
            return None;
        }
        // SAFETY: there is a value, and this thread has the lock.
        let value = unsafe { self.take_first(places) };
        let next = places.first.wrapping_add(1);
        if next != places.main_end {
            // SAFETY: there is a value, and as long as one of the locks is held, the slots stay.
            ahead(unsafe { (*(*self.slots.get()).at(next)).assume_init_ref() });
        }
        Some(value)
    }

    /// Takes the next value, from either stage; whether there are more.
    #[inline(always)]
    pub fn take(&self) -> Option<(T, bool)> {
        // SAFETY: nothing in this file locks a side twice.
        match unsafe { self.receiver.lock.lock_anew_as_owner() } {
            // SAFETY: this thread has the lock.
            Some(_lock) => unsafe { self.take_locked() },
            None => self.take_after_waiting(),
        }
    }

    #[cold]
    fn take_after_waiting(&self) -> Option<(T, bool)> {
        let _lock = self.receiver.lock.lock();
        // SAFETY: this thread has the lock.
        unsafe { self.take_locked() }
    }

    /// # Safety
    /// This thread must have the receiver's lock.
    #[inline(always)]
    unsafe fn take_locked(&self) -> Option<(T, bool)> {
        let (Places { first, main_end }, end) = (self.places(), self.end());
        if first == end {
            return None;
        }
        let next = first.wrapping_add(1);
        let main_end = if first == main_end { next } else { main_end };
        // SAFETY: there is a value, and this thread has the lock.
        Some((unsafe { self.take_first(Places { first, main_end }) }, next != end))
    }

    /// # Safety
    /// The first place must have a value, and this thread the receiver's lock.
    #[inline(always)]
    unsafe fn take_first(&self, Places { first, main_end }: Places) -> T {
        // SAFETY: as long as one of the locks is held, the slots stay. This one holds a value, which is
        // no longer counted.
        let value = unsafe { (*(*self.slots.get()).at(first)).assume_init_read() };
        self.set_places(Places { first: first.wrapping_add(1), main_end });
        value
    }

    /// Moves the back stage to the main stage, unless it is not empty and they would have more values
    /// than so many together. Returns their number, or `None` if it did not.
    #[inline(always)]
    pub fn advance(&self, most: usize) -> Option<usize> {
        // SAFETY: nothing in this file locks a side twice.
        match unsafe { self.receiver.lock.lock_anew_as_owner() } {
            Some(_lock) => self.advance_locked(most),
            None => self.advance_after_waiting(most),
        }
    }

    #[cold]
    fn advance_after_waiting(&self, most: usize) -> Option<usize> {
        let _lock = self.receiver.lock.lock();
        self.advance_locked(most)
    }

    /// For who has the receiver's lock.
    #[inline(always)]
    fn advance_locked(&self, most: usize) -> Option<usize> {
        match self.advance_locked_if(most, |_| true) {
            Advanced::To(count) => Some(count),
            Advanced::NotAllowed | Advanced::Undecided => None,
        }
    }

    /// Like [`Self::advance`], if the number of values in the two stages allows it, and for the thread
    /// that usually does it.
    #[inline(always)]
    pub fn advance_if(&self, most: usize, allow: impl FnOnce(Counts) -> bool) -> Advanced {
        // SAFETY: nothing in this file locks a side twice.
        match unsafe { self.receiver.lock.lock_anew_as_owner() } {
            Some(_lock) => self.advance_locked_if(most, allow),
            None => Advanced::Undecided,
        }
    }

    #[inline(always)]
    fn advance_locked_if(&self, most: usize, allow: impl FnOnce(Counts) -> bool) -> Advanced {
        let (places, main_end) = (self.places(), self.end());
        if !allow(counts(places, main_end)) {
            return Advanced::NotAllowed;
        }
        let Places { first, main_end: before } = places;
        let count = main_end.wrapping_sub(first) as usize;
        if count > most && main_end != before {
            cold_path();
            return Advanced::Undecided;
        }
        self.set_places(Places { first, main_end });
        Advanced::To(count)
    }

    /// A copy of the value at a position of one of the stages.
    pub fn peek(&self, index: usize, back: bool) -> Option<T>
    where
        T: Clone,
    {
        self.receiver.lock.with(|()| {
            let Counts { main, back: behind } = self.counts();
            if index >= if back { behind } else { main } {
                return None;
            }
            let position = u32::try_from(if back { main + index } else { index }).ok()?;
            let place = self.places().first.wrapping_add(position);
            // SAFETY: this thread is the receiver; the slot holds a value.
            Some(unsafe { (*(*self.slots.get()).at(place)).assume_init_ref() }.clone())
        })
    }
}

/// Both sides of a queue.
pub struct Both<'a, T> {
    stages: &'a Stages<T>,
    _sender: BiasedGuard<'a, ()>,
    _receiver: BiasedGuard<'a, ()>,
}

impl<T> Both<'_, T> {
    fn slots(&mut self) -> &mut Slots<T> {
        // SAFETY: this thread holds both locks.
        unsafe { &mut *self.stages.slots.get() }
    }

    fn set(&mut self, places: Places, end: u32) {
        // In this order: who counts in between counts what there was before.
        self.stages.set_places(places);
        self.stages.sender.known_first.store(places.first, Ordering::Relaxed);
        self.stages.set_end(end);
    }

    /// Number of values in both stages.
    pub fn total(&self) -> usize {
        self.stages.total()
    }

    /// From now on a push has room in a queue with less than this many values, or than there are slots.
    pub fn set_room(&mut self, room: usize) {
        let slots = self.slots();
        let room = room.min(slots.slots.len());
        slots.room = u32::try_from(room).unwrap_or(u32::MAX);
    }

    /// Makes slots for this many values. Their places stay: who counts them meanwhile sees nothing.
    pub fn reserve(&mut self, count: usize) {
        let count = count.min(MOST_SLOTS);
        if count <= self.slots().slots.len() {
            return;
        }
        let (Places { first, .. }, end) = (self.stages.places(), self.stages.end());
        let empty = || UnsafeCell::new(MaybeUninit::uninit());
        let slots: Box<[_]> = (0..count.next_power_of_two()).map(|_| empty()).collect();
        let mask = u32::try_from(slots.len() - 1).unwrap_or(u32::MAX);
        let old = self.slots();
        let new = Slots { slots, mask, room: old.room };
        for position in 0..end.wrapping_sub(first) {
            let place = first.wrapping_add(position);
            // SAFETY: the old slot holds a value, which moves to the new one.
            unsafe { (*new.at(place)).write((*old.at(place)).assume_init_read()) };
        }
        *old = new;
    }

    /// Takes all values out, and frees the slots.
    pub fn clear(&mut self) -> Vec<T> {
        let all = self.split_off(0);
        *self.slots() = Slots { slots: Box::default(), mask: 0, room: 0 };
        all
    }

    /// Adds a value to the back stage, or returns it if there is no room; see [`Self::set_room`].
    pub fn push(&mut self, value: T) -> Option<T> {
        if self.total() >= self.slots().room as usize {
            return Some(value);
        }
        self.push_back(value)
    }

    /// Adds a value to the back stage; returns it if there are 2^31 already.
    pub fn push_back(&mut self, value: T) -> Option<T> {
        let length = self.total();
        self.reserve(length + 1);
        let end = self.stages.end();
        let slots = self.slots();
        if length == slots.slots.len() {
            return Some(value);
        }
        // SAFETY: there is a slot that holds no value, and that of `end` is one.
        unsafe { (*slots.at(end)).write(value) };
        self.stages.set_end(end.wrapping_add(1));
        None
    }

    /// Adds a value at the front of the main stage; returns it if there are 2^31 already.
    pub fn push_front(&mut self, value: T) -> Option<T> {
        let length = self.total();
        self.reserve(length + 1);
        let Places { first, main_end } = self.stages.places();
        let first = first.wrapping_sub(1);
        let end = self.stages.end();
        let slots = self.slots();
        if length == slots.slots.len() {
            return Some(value);
        }
        // SAFETY: there is a slot that holds no value, and the one before the first is one.
        unsafe { (*slots.at(first)).write(value) };
        self.set(Places { first, main_end }, end);
        None
    }

    /// Reads the values at these positions, counted from the first of the main stage.
    ///
    /// # Safety
    /// They must no longer be counted, or be written again, before anybody else uses the queue.
    unsafe fn read(&mut self, positions: std::ops::Range<usize>) -> Vec<T> {
        let Places { first, .. } = self.stages.places();
        let slots = self.slots();
        let place =
            |position: usize| first.wrapping_add(u32::try_from(position).unwrap_or(u32::MAX));
        // SAFETY: these slots hold values, as the caller knows.
        positions.map(|it| unsafe { (*slots.at(place(it))).assume_init_read() }).collect()
    }

    /// Takes the values from a position on, counted from the first of the main stage.
    pub fn split_off(&mut self, position: usize) -> Vec<T> {
        let length = self.total();
        let position = position.min(length);
        // SAFETY: the places below no longer count the values.
        let values = unsafe { self.read(position..length) };
        let Places { first, main_end } = self.stages.places();
        let kept = u32::try_from(position).unwrap_or(u32::MAX);
        let main = main_end.wrapping_sub(first).min(kept);
        let end = first.wrapping_add(kept);
        self.set(Places { first, main_end: first.wrapping_add(main) }, end);
        values
    }

    /// Takes that many values, the oldest first, from either stage.
    pub fn take_front(&mut self, count: usize) -> Vec<T> {
        let count = count.min(self.total());
        // SAFETY: the places below no longer count the values.
        let values = unsafe { self.read(0..count) };
        let Places { first, main_end } = self.stages.places();
        let taken = u32::try_from(count).unwrap_or(u32::MAX);
        let main = main_end.wrapping_sub(first).saturating_sub(taken);
        let first = first.wrapping_add(taken);
        let end = self.stages.end();
        self.set(Places { first, main_end: first.wrapping_add(main) }, end);
        values
    }

    /// Takes the oldest value of the back stage.
    pub fn take_oldest_behind(&mut self) -> Option<T> {
        let Counts { main, .. } = self.stages.counts();
        let mut behind = self.split_off(main).into_iter();
        let oldest = behind.next();
        for value in behind {
            // There is a slot: it had one.
            self.push_back(value);
        }
        oldest
    }

    /// Puts back what [`Self::split_off`] took from the front, before what came since, with so many
    /// values in the main stage.
    pub fn restore(&mut self, values: Vec<T>, main: usize) {
        let Counts { main: now, .. } = self.stages.counts();
        for value in values.into_iter().rev() {
            // Nobody has 2^31 values.
            self.push_front(value);
        }
        if now == 0 {
            let Places { first, .. } = self.stages.places();
            let main_end = first.wrapping_add(u32::try_from(main).unwrap_or(u32::MAX));
            self.stages.set_places(Places { first, main_end });
        }
    }

    /// Moves the back stage to the main stage.
    pub fn advance(&mut self) {
        let Places { first, .. } = self.stages.places();
        self.stages.set_places(Places { first, main_end: self.stages.end() });
    }
}

impl<T> Drop for Stages<T> {
    fn drop(&mut self) {
        let (Places { first, .. }, end) = (self.places(), self.end());
        let slots = self.slots.get_mut();
        for position in 0..end.wrapping_sub(first) {
            // SAFETY: the slot holds a value, which nobody else uses any more.
            unsafe { (*slots.at(first.wrapping_add(position))).assume_init_drop() };
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use std::sync::Arc;

    /// The queue as two deques.
    #[derive(Default)]
    struct Model<T> {
        main: VecDeque<T>,
        back: VecDeque<T>,
    }

    impl<T: Clone> Model<T> {
        fn all(&self) -> Vec<T> {
            self.main.iter().chain(&self.back).cloned().collect()
        }

        fn set(&mut self, all: impl IntoIterator<Item = T>, main: usize) {
            let mut all: VecDeque<T> = all.into_iter().collect();
            self.back = all.split_off(main.min(all.len()));
            self.main = all;
        }
    }

    proptest! {
        #[test]
        fn behaves_like_two_deques(
            start in prop::sample::select(vec![0, u32::MAX - 3]),
            steps in prop::collection::vec((0u8..14, 0usize..9), 1..200),
        ) {
            let (stages, mut model) = (Stages::default(), Model::default());
            stages.lock().set(Places { first: start, main_end: start }, start);
            let mut room = 0;
            for (value, (step, number)) in steps.into_iter().enumerate() {
                let value = Arc::new(value);
                let (all, main) = (model.all(), model.main.len());
                match step {
                    0..=2 => {
                        let fits = all.len() < room;
                        prop_assert_eq!(stages.push(value.clone()).is_none(), fits);
                        if fits {
                            model.back.push_back(value);
                        }
                    }
                    3 => {
                        let ahead = std::cell::Cell::new(None);
                        let popped = stages.pop(|next| ahead.set(Some(next.clone())));
                        prop_assert_eq!(popped, model.main.pop_front());
                        prop_assert_eq!(ahead.take(), model.main.front().cloned());
                    }
                    4 => {
                        let first = model.main.pop_front().or_else(|| model.back.pop_front());
                        let has_more = !model.all().is_empty();
                        prop_assert_eq!(stages.take(), first.map(|first| (first, has_more)));
                    }
                    5 => {
                        let fits = all.len() <= number || model.back.is_empty();
                        let advanced = stages.advance(number);
                        prop_assert_eq!(advanced, fits.then_some(all.len()));
                        if fits {
                            model.set(all, usize::MAX);
                        }
                    }
                    6 => {
                        let mut both = stages.lock();
                        both.reserve(all.len() + number);
                        both.set_room(number);
                        room = number.min((all.len() + number).next_power_of_two());
                    }
                    7 => {
                        prop_assert_eq!(stages.lock().push_front(value.clone()), None);
                        model.main.push_front(value);
                    }
                    8 => {
                        let at = number.min(all.len());
                        prop_assert_eq!(stages.lock().split_off(number), all[at..].to_vec());
                        model.set(all[..at].to_vec(), main);
                    }
                    9 => {
                        let at = number.min(all.len());
                        prop_assert_eq!(stages.lock().take_front(number), all[..at].to_vec());
                        model.set(all[at..].to_vec(), main.saturating_sub(at));
                    }
                    10 => {
                        let oldest = model.back.pop_front();
                        prop_assert_eq!(stages.lock().take_oldest_behind(), oldest);
                    }
                    11 => {
                        let held = Counts { main, back: all.len() - main };
                        let allow = |counts: Counts| counts == held && number % 2 == 0;
                        let fits = all.len() <= number || held.back == 0;
                        let expected = match (number % 2 == 0, fits) {
                            (true, true) => Advanced::To(all.len()),
                            (true, false) => Advanced::Undecided,
                            (false, _) => Advanced::NotAllowed,
                        };
                        let advanced = stages.advance_if(number, allow);
                        // Until the thread owns the receiver's lock.
                        if advanced != Advanced::Undecided {
                            prop_assert_eq!(advanced, expected);
                        }
                        if matches!(advanced, Advanced::To(_)) {
                            model.set(all, usize::MAX);
                        }
                    }
                    12 => {
                        let values = stages.lock().split_off(0);
                        let behind = stages.lock().push_back(value.clone());
                        prop_assert_eq!(behind, None);
                        stages.lock().restore(values, main);
                        model.back.push_back(value);
                    }
                    _ => {
                        stages.lock().advance();
                        model.set(all, usize::MAX);
                    }
                }
                let counts = Counts { main: model.main.len(), back: model.back.len() };
                prop_assert_eq!(stages.counts(), counts);
                prop_assert_eq!(stages.counts_of_receiver(), counts);
                let looks = (counts.main as u64) < number as u64;
                let back = if looks { counts.back } else { 0 };
                prop_assert_eq!(stages.counts_up_to(number as u64), Counts { back, ..counts });
                prop_assert_eq!(stages.total(), counts.main + counts.back);
                prop_assert_eq!(stages.total_of_sender(), counts.main + counts.back);
                prop_assert_eq!(stages.is_empty(), counts.main + counts.back == 0);
                prop_assert_eq!(stages.main_count(), counts.main);
                prop_assert_eq!(stages.back_count(), counts.back);
                prop_assert!(stages.at_most() >= counts.main + counts.back);
                for index in 0..=counts.main.max(counts.back) {
                    prop_assert_eq!(stages.peek(index, false), model.main.get(index).cloned());
                    prop_assert_eq!(stages.peek(index, true), model.back.get(index).cloned());
                }
            }
        }
    }

    #[test]
    fn values_that_are_left_are_dropped_once() {
        let value = Arc::new(());
        let stages = Stages::default();
        for _ in 0..5 {
            assert!(stages.lock().push_front(value.clone()).is_none());
        }
        drop(stages.take());
        assert_eq!(Arc::strong_count(&value), 5);
        drop(stages);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn threads_that_send_and_one_that_receives_lose_nothing() {
        const ROUNDS: u32 = if cfg!(miri) { 50 } else { 100_000 };
        const ROOM: usize = 4;
        for senders in 1..=2 {
            let stages = Stages::default();
            {
                let mut both = stages.lock();
                both.reserve(ROOM);
                both.set_room(ROOM);
            }
            std::thread::scope(|scope| {
                let sending: Vec<_> = (0..senders)
                    .map(|_| {
                        let stages = &stages;
                        scope.spawn(move || {
                            for mut value in 0..ROUNDS {
                                while let Some(back) = stages.push(Box::new(value)) {
                                    value = *back;
                                    std::thread::yield_now();
                                }
                            }
                        })
                    })
                    .collect();
                let mut sum = 0_u64;
                let mut count = 0;
                while count < ROUNDS * senders {
                    let Counts { main, back } = stages.counts();
                    assert!(main + back <= ROOM);
                    assert!(stages.advance(ROOM).is_some());
                    assert!(stages.main_count() >= main + back);
                    while let Some(value) = stages.pop(|_| ()) {
                        sum += u64::from(*value);
                        count += 1;
                    }
                    std::thread::yield_now();
                }
                for sender in sending {
                    sender.join().unwrap();
                }
                let each = u64::from(ROUNDS) * u64::from(ROUNDS - 1) / 2;
                assert_eq!(sum, each * u64::from(senders));
            });
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;

    /// A queue with one slot: what was written before a value was sent is seen with it, no slot is
    /// written while the receiver reads it, and nobody counts what is not there.
    #[test]
    fn a_slot_has_one_user() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let stages = Arc::new(Stages::default());
            {
                let mut both = stages.lock();
                both.reserve(1);
                both.set_room(1);
            }
            let sender = {
                let stages = stages.clone();
                loom::thread::spawn(move || {
                    for value in 1..=2_u32 {
                        while stages.push(value).is_some() {
                            loom::thread::yield_now();
                        }
                        assert!(stages.at_most() <= 1);
                    }
                })
            };
            let mut next = 1;
            while next <= 2 {
                let Counts { main, back } = stages.counts();
                assert!(main + back <= 1);
                assert!(stages.advance(1).is_some());
                match stages.pop(|_| ()) {
                    Some(value) => {
                        assert_eq!(value, next);
                        next += 1;
                    }
                    None => loom::thread::yield_now(),
                }
            }
            sender.join().unwrap();
            assert_eq!(stages.counts(), Counts { main: 0, back: 0 });
        });
    }
}
