//! `MemoryAvailableSchedulingTerm`.

use super::LastChange;
use gxf::implement;
use gxf::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Lets an entity tick when an allocator has enough memory, so that a slow consumer of memory holds
/// its producer back instead of making it fail.
#[derive(Component, Default)]
#[component(lifecycle)]
pub(crate) struct MemoryAvailableSchedulingTerm {
    /// The allocator to look at.
    #[parameter(headline = "Allocator")]
    allocator: Parameter<Handle<Allocator>>,
    /// Memory that must be available. An allocator with blocks counts the blocks it takes. Either
    /// this or `min_blocks`.
    #[parameter(headline = "Minimum bytes available", unit = "byte")]
    min_bytes: Parameter<Option<u64>>,
    /// Blocks that must be available. Either this or `min_bytes`.
    #[parameter(headline = "Minimum blocks available")]
    min_blocks: Parameter<Option<u64>>,
    /// What to ask the allocator for.
    wanted: AtomicU64,
    last: LastChange,
}

/// The size to ask an allocator for: whole blocks, because a block serves one request only.
fn wanted_size(bytes: Option<u64>, blocks: Option<u64>, block_size: u64) -> Result<u64> {
    let block_size = block_size.max(1);
    let blocks = match (bytes, blocks) {
        (Some(bytes), None) if bytes <= block_size => return Ok(bytes),
        (Some(bytes), None) => bytes.div_ceil(block_size),
        (None, Some(blocks)) => blocks,
        (Some(_), Some(_)) => {
            return Err(Error::new(
                ResultCode::PARAMETER_ALREADY_REGISTERED,
                "`min_bytes` and `min_blocks` are both set; only one of them may be",
            ));
        }
        (None, None) => {
            return Err(Error::new(
                ResultCode::PARAMETER_MANDATORY_NOT_SET,
                "one of `min_bytes` and `min_blocks` has to be set",
            ));
        }
    };
    Ok(blocks.saturating_mul(block_size))
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
        let available = self.allocator.is_available(self.wanted.load(Ordering::Relaxed));
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
    fn exactly_one_of_both_has_to_be_set() {
        let both = wanted_size(Some(1), Some(1), 1).unwrap_err();
        assert_eq!(both.code(), ResultCode::PARAMETER_ALREADY_REGISTERED);
        let none = wanted_size(None, None, 1).unwrap_err();
        assert_eq!(none.code(), ResultCode::PARAMETER_MANDATORY_NOT_SET);
    }
}
