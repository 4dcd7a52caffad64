//! `MemoryAvailableSchedulingTerm`.

use super::LastChange;
use gxf::implement;
use gxf::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Lets an entity tick when an allocator has enough memory, so that a slow consumer of memory slows
/// its producer down instead of making it fail.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MemoryAvailableSchedulingTerm {
    /// The allocator to watch.
    #[parameter(headline = "Allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Memory that must be available. An allocator with blocks counts the blocks it takes. With
    /// `min_blocks`, both must be.
    #[parameter(headline = "Minimum bytes available", unit = "bytes")]
    min_bytes: Parameter<Option<u64>>,
    /// Blocks that must be available. With `min_bytes`, both must be.
    #[parameter(headline = "Minimum blocks available")]
    min_blocks: Parameter<Option<u64>>,
    /// Size to ask the allocator for.
    wanted: AtomicU64,
    last: LastChange,
}

/// Size to ask an allocator for, in whole blocks, because a block serves only one request.
fn wanted_size(bytes: Option<u64>, blocks: Option<u64>, block_size: u64) -> Result<u64> {
    let block_size = block_size.max(1);
    let bytes = bytes.map(|bytes| match bytes {
        bytes if bytes <= block_size => bytes,
        bytes => bytes.div_ceil(block_size).saturating_mul(block_size),
    });
    let blocks = blocks.map(|blocks| blocks.saturating_mul(block_size));
    bytes.max(blocks).ok_or_else(|| {
        Error::new(
            ResultCode::PARAMETER_MANDATORY_NOT_SET,
            "`min_bytes` or `min_blocks` has to be set",
        )
    })
}

impl MemoryAvailableSchedulingTerm {
    /// Id of the allocator.
    pub fn allocator(&self) -> gxf::Uid {
        self.allocator.cid()
    }

    /// Bytes that must be available.
    pub fn wanted(&self) -> u64 {
        self.wanted.load(Ordering::Relaxed)
    }
}

impl Lifecycle for MemoryAvailableSchedulingTerm {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let wanted = wanted_size(*self.min_bytes, *self.min_blocks, self.allocator.block_size())?;
        self.wanted.store(wanted, Ordering::Relaxed);
        Ok(())
    }
}

impl implement::SchedulingTerm for MemoryAvailableSchedulingTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        let available = self.allocator.is_available(self.wanted());
        Ok(self.last.ready_or_wait(available, now))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
        add(self.allocator.cid());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_whole_blocks() {
        assert_eq!(wanted_size(Some(10), None, 1).unwrap(), 10);
        assert_eq!(wanted_size(Some(10), None, 16).unwrap(), 10);
        assert_eq!(wanted_size(Some(33), None, 16).unwrap(), 48);
        assert_eq!(wanted_size(None, Some(3), 16).unwrap(), 48);
    }

    #[test]
    fn both_must_be_there() {
        assert_eq!(wanted_size(Some(256), Some(1024), 16).unwrap(), 16 * 1024);
        assert_eq!(wanted_size(Some(33), Some(1), 16).unwrap(), 48);
        assert_eq!(wanted_size(Some(256), Some(1024), 1).unwrap(), 1024);
        let none = wanted_size(None, None, 1).unwrap_err();
        assert_eq!(none.code(), ResultCode::PARAMETER_MANDATORY_NOT_SET);
    }
}
