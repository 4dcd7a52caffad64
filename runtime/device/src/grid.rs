//! How many threads execute a kernel.

/// How many threads execute a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks in each dimension.
    pub blocks: [u32; 3],
    /// Threads of a block in each dimension.
    pub threads: [u32; 3],
    /// Memory that the threads of a block share, beside what the kernel itself declares.
    pub shared_bytes: u32,
}

impl Grid {
    /// Threads for a kernel with a loop over `steps` independent steps, in one dimension: a thread for
    /// each, up to 16 Mi; the loop does the rest.
    #[must_use]
    pub fn for_steps(steps: u64) -> Self {
        const THREADS: u32 = 256;
        const BLOCKS: u64 = 65_536;
        let blocks = steps.div_ceil(u64::from(THREADS)).min(BLOCKS) as u32;
        Self { blocks: [blocks, 1, 1], threads: [THREADS, 1, 1], shared_bytes: 0 }
    }

    /// Whether no thread executes it.
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.contains(&0) || self.threads.contains(&0)
    }
}
