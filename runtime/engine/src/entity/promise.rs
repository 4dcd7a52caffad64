//! Reserves the room and the memory that READY promises.
//!
//! A `DownstreamReceptive` that answers READY promises room in a receiver; a `MemoryAvailable`
//! promises memory. If several entities share the receiver or the allocator, a check is not enough:
//! two entities on two threads would see the same room, and both would use it. So an execution
//! reserves what its terms promise before it ticks, and releases the rest when it ends. A
//! reservation that fails puts the entity on a waiting list; the entity wakes up when another
//! releases something, or when the receiver's entity makes room.
//!
//! A receiver or allocator that only one entity asks for has no ledger, so it costs nothing.

use crate::entity::port::{ReceiverPort, Wake};
use gxf::Allocator;
use gxf_plugin::component::Interface;
use gxf_sync::biased_lock::BiasedLock;
use std::sync::Arc;
use thin_vec::ThinVec;

/// The reservations in one receiver or allocator, shared by the entities that ask for it.
pub struct Ledger {
    supply: Supply,
    book: BiasedLock<Book>,
}

/// What can be reserved.
pub enum Supply {
    /// Room for messages in a receiver.
    Room(ReceiverPort),
    /// Bytes of an allocator; a request takes whole blocks.
    Memory(Interface<Allocator>),
}

#[derive(Default)]
struct Book {
    promised: u64,
    /// Entities whose reservation failed.
    waiting: ThinVec<u32>,
}

impl Supply {
    /// The amount that a request really takes.
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
    /// A ledger without reservations.
    pub fn new(supply: Supply) -> Self {
        Self { supply, book: BiasedLock::default() }
    }

    /// Reserves an amount, or puts the entity on the waiting list. First releases what the entity
    /// reserved before and has `used`: the receiver or allocator counts it now.
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

    /// Whether nothing is reserved.
    fn promises_nothing(&self) -> bool {
        self.book.with(|book| book.promised == 0)
    }

    /// Releases an amount. Moves the waiting entities to `woken` if anything is free now.
    fn settle(&self, amount: u64, woken: &mut ThinVec<u32>) {
        self.book.with(|book| {
            book.promised -= amount;
            if !book.waiting.is_empty() && self.supply.has(book.promised, 1) {
                std::mem::swap(&mut book.waiting, woken);
            }
        });
    }

    /// There is more room or memory: moves the waiting entities to `woken`.
    pub fn more(&self, woken: &mut ThinVec<u32>) {
        self.book.with(|book| std::mem::swap(&mut book.waiting, woken));
    }
}

/// What the terms of one entity promise of a [`Ledger`].
pub struct Promise {
    ledger: Arc<Ledger>,
    /// Index of the entity.
    entity: u32,
    /// Position of the promising term among the terms of the entity.
    pub term: usize,
    /// What READY promises.
    amount: u64,
    /// What this execution reserved, and how much of it is unused.
    reserved: u64,
    left: u64,
    woken: ThinVec<u32>,
}

impl Promise {
    /// A promise that reserves nothing yet.
    pub fn new(ledger: Arc<Ledger>, entity: u32, term: usize, amount: u64) -> Self {
        Self { ledger, entity, term, amount, reserved: 0, left: 0, woken: ThinVec::new() }
    }

    /// Another term of the entity promises the same room or memory. As in GXF, each term is asked
    /// by itself, so the promise is the largest amount, not the sum.
    pub fn promise_also(&mut self, amount: u64) {
        self.amount = self.amount.max(amount);
    }

    /// Reserves what READY promises. False if others have reserved it.
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

    /// Uses one unit of the reservation, or one that is free. True also if nothing is promised to
    /// others: then the receiver's policy decides alone.
    pub fn admit(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        let used = std::mem::take(&mut self.reserved);
        let kept = self.ledger.promise(used, 1, self.entity);
        self.reserved = u64::from(kept);
        kept || self.ledger.promises_nothing()
    }

    /// Releases the reservation and wakes the entities that wait for it.
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

/// Reserves everything that READY promises, or nothing; then returns the term that cannot keep its
/// promise. All entities reserve in the same order, so of two that want the same two things, one
/// gets both.
pub fn reserve(promises: &mut [Promise], waker: &mut impl Wake) -> Result<(), usize> {
    let refused = promises.iter_mut().position(|promise| !promise.reserve());
    refused.map_or(Ok(()), |place| {
        settle(promises, waker);
        Err(promises[place].term)
    })
}

/// Releases all reservations.
pub fn settle(promises: &mut [Promise], waker: &mut impl Wake) {
    for promise in promises {
        promise.settle(waker);
    }
}
