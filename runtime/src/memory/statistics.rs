//! What an allocator has handed out.

use gxf::AllocatorStatistics;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts without a lock; each number is right by itself, and the peak never too low.
#[derive(Default)]
pub(super) struct Statistics {
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    allocation_count: AtomicU64,
}

impl Statistics {
    /// Bytes were handed out.
    pub fn taken(&self, bytes: u64) {
        let used = self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.allocation_count.fetch_add(1, Ordering::Relaxed);
        // Mostly there is nothing to raise; a load is cheaper than an exchange.
        if used > self.peak_bytes.load(Ordering::Relaxed) {
            self.peak_bytes.fetch_max(used, Ordering::Relaxed);
        }
    }

    /// Bytes came back.
    pub fn returned(&self, bytes: u64) {
        self.used_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The numbers.
    pub fn get(&self) -> AllocatorStatistics {
        AllocatorStatistics {
            used_bytes: self.used_bytes.load(Ordering::Relaxed),
            peak_bytes: self.peak_bytes.load(Ordering::Relaxed),
            allocation_count: self.allocation_count.load(Ordering::Relaxed),
        }
    }

    /// Says how much memory the graph needed, for those who size pools.
    pub fn log(&self, context: &gxf::ComponentContext) {
        let AllocatorStatistics { used_bytes, peak_bytes, allocation_count } = self.get();
        tracing::debug!(
            "allocator `{}/{}` handed out {allocation_count} pieces, at most {peak_bytes} bytes at \
             once; {used_bytes} bytes are still in use",
            context.entity_name(),
            context.name()
        );
    }
}
