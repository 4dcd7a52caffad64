//! The memory of a recording: words that all threads write, possibly in a file, so that they
//! outlive the process.

#![expect(unsafe_code, reason = "rings of a trace are mapped memory")]

use memmap2::{MmapMut, MmapOptions, MmapRaw};
use rustix::fs::{FallocateFlags, fallocate};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::AtomicU64;

const WORD: usize = size_of::<u64>();

/// Words that are initially zero.
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

    /// A new file. Everything written is in the file immediately; the system keeps it when the
    /// process dies.
    pub fn in_file(path: &Path, words: usize) -> io::Result<Self> {
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)?;
        // A file without holes: a full disk is an error now instead of a signal later.
        let size = words * WORD;
        if fallocate(&file, FallocateFlags::empty(), 0, size as u64).is_err() {
            // Some file systems do not support that call.
            let zeros = [0u8; 1 << 16];
            for first in (0..size).step_by(zeros.len()) {
                file.write_all(&zeros[..zeros.len().min(size - first)])?;
            }
        }
        // SAFETY: the file was created for this region, and all access is atomic, so even another
        // process that writes there only changes values. A process that truncates the file ends
        // this one with SIGBUS, but could as well kill it.
        let map: MmapMut = unsafe { MmapOptions::new().len(words * WORD).map_mut(&file)? };
        Ok(Self { map: MmapRaw::from(map), words })
    }

    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the map is aligned to pages, has this many words, which are valid for all bit
        // patterns, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast::<AtomicU64>(), self.words) }
    }
}
