//! The memory of a recording: words that all threads write and that may belong to a file, so that
//! they outlive the process whatever ends it.

use memmap2::{MmapMut, MmapOptions, MmapRaw};
use rustix::fs::{FallocateFlags, fallocate};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicU64;

const WORD: usize = size_of::<u64>();

/// Words that begin as zero.
pub(super) struct Region {
    map: MmapRaw,
    words: usize,
}

impl Region {
    /// Memory that costs nothing before it is used.
    pub fn in_memory(words: usize) -> io::Result<Self> {
        let map = MmapOptions::new().len(words * WORD).map_anon()?;
        Ok(Self { map: MmapRaw::from(map), words })
    }

    /// A new file. What is written is in the file at once; the system keeps it when the process dies.
    pub fn in_file(path: &Path, words: usize) -> io::Result<Self> {
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        // Not a file with holes: a full disk is an error now and not a signal later.
        let size = words * WORD;
        if fallocate(&file, FallocateFlags::empty(), 0, size as u64).is_err() {
            // Some file systems do not know that call.
            let zeros = [0u8; 1 << 16];
            for first in (0..size).step_by(zeros.len()) {
                file.write_all(&zeros[..zeros.len().min(size - first)])?;
            }
        }
        // SAFETY: the file was made for this region; all access is by atomics, so that even another
        // process that writes there only changes values. Who cuts the file short ends the process
        // with SIGBUS, as anybody who may kill it could.
        let map: MmapMut = unsafe { MmapOptions::new().len(words * WORD).map_mut(&file)? };
        Ok(Self { map: MmapRaw::from(map), words })
    }

    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the map is aligned to pages, has this many words, which are valid whatever their
        // bits are, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast::<AtomicU64>(), self.words) }
    }
}
