//! Counters of an allocator.

use gxf::AllocatorStatistics;
use std::sync::atomic::{AtomicU64, Ordering};

/// Lock-free counters. Each number is exact, and the peak is never too low.
#[derive(Default)]
pub(super) struct Statistics {
    used_bytes: AtomicU64,
    peak_bytes: AtomicU64,
    allocation_count: AtomicU64,
}

impl Statistics {
    /// Counts an allocation.
    pub fn taken(&self, bytes: u64) {
        let used = self.used_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.allocation_count.fetch_add(1, Ordering::Relaxed);
        // Usually there is nothing to raise, and a load is cheaper than an exchange.
        if used > self.peak_bytes.load(Ordering::Relaxed) {
            self.peak_bytes.fetch_max(used, Ordering::Relaxed);
        }
    }

    /// Counts freed bytes.
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

    /// Logs how much memory the graph needed, to help choose the size of pools.
    pub fn log(&self, context: &gxf::ComponentContext) {
        let AllocatorStatistics { used_bytes, peak_bytes, allocation_count } = self.get();
        tracing::debug!(
            "allocator `{}` handed out {allocation_count} pieces, at most {peak_bytes} bytes at once; \
             {used_bytes} bytes are still in use",
            context.place()
        );
    }
}
