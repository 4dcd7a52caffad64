//! What READY promises an entity although another could take it meanwhile.
//!
//! A `DownstreamReceptive` that says READY promises room in a receiver, a `MemoryAvailable` promises
//! memory. When several entities ask for the same, a look is not enough: two of them, on two
//! threads, would see the same room and both use it. So an execution reserves what it was promised
//! before it ticks, and gives it back when it ends, sent or not. Who is refused is noted and woken
//! when something was given back or the receiver's entity made room.
//!
//! What only one entity asks for needs none of that, and has none of it.

use crate::entity::ports::{ReceiverPort, Wake};
use gxf::Allocator;
use gxf_plugin::component::Interface;
use gxf_sync::biased_lock::BiasedLock;
use std::sync::Arc;

/// What is promised of one receiver or allocator; shared by the entities that ask for it.
pub struct Ledger {
    supply: Supply,
    book: BiasedLock<Book>,
}

/// What there is.
pub enum Supply {
    /// Messages that a receiver has room for.
    Room(ReceiverPort),
    /// Bytes, of which a request takes whole blocks.
    Memory(Interface<Allocator>),
}

#[derive(Default)]
struct Book {
    promised: u64,
    /// The entities that were refused.
    waiting: Vec<u32>,
}

impl Supply {
    /// What a request takes.
    fn whole(&self, amount: u64) -> u64 {
        match self {
            Self::Room(_) => amount,
            Self::Memory(allocator) => {
                let block = allocator.block_size().max(1);
                amount.checked_next_multiple_of(block).unwrap_or(amount)
            }
        }
    }

    fn has(&self, promised: u64, amount: u64) -> bool {
        match self {
            Self::Room(receiver) => {
                let held = (receiver.message_count() as u64).saturating_add(promised);
                held.saturating_add(amount) <= receiver.capacity() as u64
            }
            Self::Memory(allocator) if promised == 0 => allocator.is_available(amount),
            Self::Memory(allocator) => {
                allocator.is_available(promised.saturating_add(self.whole(amount)))
            }
        }
    }
}

impl Ledger {
    /// A ledger without promises.
    pub fn new(supply: Supply) -> Self {
        Self { supply, book: BiasedLock::default() }
    }

    /// Promises an amount, or wakes the entity when there may be enough. What the entity was promised
    /// before and has `used` counts as taken, not as promised, from here on.
    fn promise(&self, used: u64, amount: u64, entity: u32) -> bool {
        self.book.with(|book| {
            book.promised -= used;
            let kept = self.supply.has(book.promised, amount);
            if kept {
                book.promised += self.supply.whole(amount);
            } else if !book.waiting.contains(&entity) {
                book.waiting.push(entity);
            }
            kept
        })
    }

    /// Takes promises back; puts those into `woken` who may get what they want now.
    fn settle(&self, amount: u64, woken: &mut Vec<u32>) {
        self.book.with(|book| {
            book.promised -= amount;
            if !book.waiting.is_empty() && self.supply.has(book.promised, 1) {
                std::mem::swap(&mut book.waiting, woken);
            }
        });
    }

    /// There is more: puts those into `woken` who wait.
    pub fn more(&self, woken: &mut Vec<u32>) {
        self.book.with(|book| std::mem::swap(&mut book.waiting, woken));
    }
}

/// What one entity is promised of a [`Ledger`].
pub struct Promise {
    ledger: Arc<Ledger>,
    /// Number of the entity.
    entity: u32,
    /// The place of the term that promises, among the terms of the entity.
    pub term: usize,
    /// What READY promises.
    amount: u64,
    /// What this execution reserved, and what of it is not used yet.
    reserved: u64,
    left: u64,
    woken: Vec<u32>,
}

impl Promise {
    /// A promise that reserves nothing yet.
    pub fn new(ledger: Arc<Ledger>, entity: u32, term: usize, amount: u64) -> Self {
        Self { ledger, entity, term, amount, reserved: 0, left: 0, woken: Vec::new() }
    }

    /// Another term of the entity promises of the same. GXF asks each term by itself, so the entity
    /// is promised the most of them, not the sum.
    pub fn promise_also(&mut self, amount: u64) {
        self.amount = self.amount.max(amount);
    }

    /// Reserves what READY promises; false: it is promised to others.
    fn reserve(&mut self) -> bool {
        if self.amount == 0 {
            return true;
        }
        if !self.ledger.promise(0, self.amount, self.entity) {
            return false;
        }
        self.reserved = self.ledger.supply.whole(self.amount);
        self.left = self.amount;
        true
    }

    /// Uses one of what is reserved, or of what nobody was promised.
    pub fn admit(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        let used = std::mem::take(&mut self.reserved);
        let admitted = self.ledger.promise(used, 1, self.entity);
        self.reserved = u64::from(admitted);
        admitted
    }

    /// Gives back what is reserved, and wakes those who wait for it.
    fn settle(&mut self, waker: &mut impl Wake) {
        self.left = 0;
        let reserved = std::mem::take(&mut self.reserved);
        if reserved == 0 {
            return;
        }
        self.ledger.settle(reserved, &mut self.woken);
        for entity in self.woken.drain(..) {
            waker.wake(entity);
        }
    }
}

/// Reserves everything that READY promises, or nothing; then the term that cannot keep its promise.
/// All entities reserve in the same order, so of two that want the same two things one gets both.
pub fn reserve(promises: &mut [Promise], waker: &mut impl Wake) -> Result<(), usize> {
    let refused = promises.iter_mut().position(|promise| !promise.reserve());
    refused.map_or(Ok(()), |place| {
        settle(promises, waker);
        Err(promises[place].term)
    })
}

/// Gives back everything that is reserved.
pub fn settle(promises: &mut [Promise], waker: &mut impl Wake) {
    for promise in promises {
        promise.settle(waker);
    }
}
