//! Samples of iceoryx2 as memory that an allocator hands out.

use crate::frame::{FrameHeader, Wanted};
use gxf::{Error, Result, ResultCode};
use iceoryx2::prelude::ipc_threadsafe;
use iceoryx2::sample::Sample;
use iceoryx2::sample_mut::SampleMut;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

/// The kind of service.
pub type Ipc = ipc_threadsafe::Service;
/// A sample to write and send.
pub type Loan = SampleMut<Ipc, [u8], FrameHeader>;
/// A sample that arrived.
pub type Received = Sample<Ipc, [u8], FrameHeader>;

/// The memory that a service has handed out.
#[derive(Default)]
pub struct Memory {
    blocks: Mutex<Blocks>,
}

#[derive(Default)]
struct Blocks {
    /// By the address of the first byte.
    in_use: BTreeMap<usize, Block>,
    /// Loans whose tensors are gone, to be sent.
    left: HashMap<usize, Loan>,
    /// Received memory that the next allocations of a thread may get.
    offers: HashMap<ThreadId, VecDeque<Offer>>,
}

enum Block {
    Loaned(Loan),
    /// As above, and its message is about to be sent: it is kept when the tensor is gone.
    Leaving(Loan),
    /// Nobody else sees it.
    Own(#[expect(dead_code, reason = "dropped when the tensor is gone")] Vec<u8>),
    Received(Received),
}

/// Received memory of a tensor.
pub struct Offer {
    pub sample: Received,
    pub offset: usize,
    pub size: usize,
}

/// What was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// Memory that no other graph waits for.
    Unwanted,
    /// Memory of another graph, which wants to know it.
    Wanted,
}

/// A loan that is about to be sent.
pub enum Leaving {
    /// Nobody uses it any longer.
    Free(Loan),
    /// Tensors of this graph still use it.
    InUse(usize),
}

impl Memory {
    fn lock(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands out a loan.
    pub fn lend(&self, mut loan: Loan) -> *mut u8 {
        let address = loan.payload_mut().as_mut_ptr();
        self.lock().in_use.insert(address.addr(), Block::Loaned(loan));
        address
    }

    /// Hands out memory that nobody else sees.
    pub fn allocate(&self, size: usize, alignment: usize) -> Result<*mut u8> {
        let mut memory = Vec::new();
        // Each block has an address of its own.
        let length = size.max(1).saturating_add(alignment);
        memory.try_reserve_exact(length).map_err(|_| {
            let text = format!("the operating system has no {size} bytes left");
            Error::new(ResultCode::OUT_OF_MEMORY, text)
        })?;
        memory.resize(length, 0);
        let start: *mut u8 = memory.as_mut_ptr();
        let address = start.wrapping_add(start.align_offset(alignment));
        self.lock().in_use.insert(address.addr(), Block::Own(memory));
        Ok(address)
    }

    /// Whether this thread reads a message.
    pub fn is_reading(&self) -> bool {
        self.lock().offers.contains_key(&std::thread::current().id())
    }

    /// Hands out the received memory that was offered to this thread next, if it has this size.
    pub fn take_offer(&self, size: u64) -> Option<*mut u8> {
        let mut blocks = self.lock();
        let offers = blocks.offers.get_mut(&std::thread::current().id())?;
        let Offer { sample, offset, .. } =
            offers.pop_front_if(|offer| offer.size as u64 == size)?;
        let address = sample.payload()[offset..].as_ptr().cast_mut();
        blocks.in_use.insert(address.addr(), Block::Received(sample));
        Some(address)
    }

    /// Offers received memory to the allocations of this thread while `body` runs. Gives back what
    /// nobody took.
    pub fn offering<R>(
        &self,
        offers: VecDeque<Offer>,
        body: impl FnOnce() -> R,
    ) -> (R, VecDeque<Offer>) {
        let thread = std::thread::current().id();
        self.lock().offers.insert(thread, offers);
        let result = body();
        let left = self.lock().offers.remove(&thread);
        (result, left.unwrap_or_default())
    }

    /// Takes memory back.
    pub fn free(&self, pointer: *mut u8) -> Result<Freed> {
        let mut blocks = self.lock();
        match blocks.in_use.remove(&pointer.addr()) {
            Some(Block::Loaned(_) | Block::Own(_)) => Ok(Freed::Unwanted),
            Some(Block::Leaving(loan)) => {
                blocks.left.insert(pointer.addr(), loan);
                Ok(Freed::Unwanted)
            }
            Some(Block::Received(sample)) if sample.user_header().wants(Wanted::Free) => {
                Ok(Freed::Wanted)
            }
            Some(Block::Received(_)) => Ok(Freed::Unwanted),
            None => Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the freed memory does not come from this service, or is already free",
            )),
        }
    }

    /// Keeps the loan that contains these bytes when its tensor is gone. Gives its address and the
    /// offset of the bytes.
    pub fn leave(&self, bytes: &[u8]) -> Option<(usize, u64)> {
        let mut blocks = self.lock();
        let address = bytes.as_ptr().addr();
        let (start, block) = blocks.in_use.range_mut(..=address).next_back()?;
        let offset = address - start;
        let (Block::Loaned(loan) | Block::Leaving(loan)) = &*block else { return None };
        if offset.checked_add(bytes.len())? > loan.payload().len() {
            return None;
        }
        let start = *start;
        if let Some(Block::Loaned(loan) | Block::Leaving(loan)) = blocks.in_use.remove(&start) {
            blocks.in_use.insert(start, Block::Leaving(loan));
        }
        Some((start, offset as u64))
    }

    /// A loan that leaves, with this address.
    pub fn leaving(&self, address: usize) -> Leaving {
        match self.lock().left.remove(&address) {
            Some(loan) => Leaving::Free(loan),
            None => Leaving::InUse(address),
        }
    }

    /// Copies a loan that tensors of this graph still use; the copy is sent instead of it. Gives
    /// the loan itself if they are gone by now.
    pub fn copy(&self, address: usize, loan: impl FnOnce(usize) -> Result<Loan>) -> Result<Loan> {
        let mut blocks = self.lock();
        if let Some(loan) = blocks.left.remove(&address) {
            return Ok(loan);
        }
        let Some(Block::Leaving(original)) = blocks.in_use.get(&address) else {
            return Err(Error::failure("memory of a message is gone before it was sent"));
        };
        let mut copy = loan(original.payload().len())?;
        // Several tensors use the memory, so none of them is written.
        copy.payload_mut().copy_from_slice(original.payload());
        if let Some(Block::Leaving(original)) = blocks.in_use.remove(&address) {
            blocks.in_use.insert(address, Block::Loaned(original));
        }
        Ok(copy)
    }
}
