//! Allocators.
//!
//! - `region.rs`: a piece of memory, freed on drop; `pinned.rs`: host memory from CUDA's driver;
//! - `unbounded.rs`: `UnboundedAllocator`: whatever the system gives;
//! - `block_pool.rs`: `BlockMemoryPool`: blocks of one size, reserved at the start; the blocks
//!   themselves are in `slab.rs`;
//! - `statistics.rs`: how much was handed out, now and at most.
//!
//! Blocks are given back on whatever thread, also after their allocator was deinitialised; their
//! memory lives until then. Each return wakes the entities that wait for memory.

mod block_pool;
mod pinned;
mod region;
mod slab;
mod statistics;
mod unbounded;

pub(crate) use block_pool::BlockMemoryPool;
pub(crate) use unbounded::UnboundedAllocator;

use gxf::{ContextHandle, Error, Event, Result, ResultCode, StorageType};
use std::sync::Once;

/// Says once what host memory is here.
fn tell_of_host_memory(storage: StorageType) {
    static ONCE: Once = Once::new();
    if storage == StorageType::HOST {
        ONCE.call_once(|| match pinned::driver() {
            Ok(_) => tracing::info!("memory of storage type 0 (host) is pinned by CUDA"),
            Err(reason) => tracing::info!(
                "memory of storage type 0 (host) is page-aligned, but not pinned: {reason}"
            ),
        });
    }
}

/// Checks that memory of a kind can be had.
fn check_storage(storage: StorageType) -> Result<()> {
    match storage {
        StorageType::SYSTEM | StorageType::HOST => Ok(()),
        StorageType::DEVICE => Err(Error::new(
            ResultCode::MEMORY_INVALID_STORAGE_MODE,
            "memory of storage type 1 (device) needs CUDA, and this gxe is built without it; use 0 \
             (host) or 2 (system)",
        )),
        StorageType(other) => Err(Error::new(
            ResultCode::PARAMETER_OUT_OF_RANGE,
            format!("{other} is not a storage type: 0 is host, 1 device, 2 system memory"),
        )),
    }
}

/// Wakes the entities that wait for memory.
fn notify_free(context: Option<&ContextHandle>) {
    if let Some(context) = context {
        // Once the graph is gone nobody waits, and that is no failure of whoever frees memory.
        let _ = context.notify(Event::MEMORY_FREE);
    }
}

fn not_initialized() -> Error {
    Error::new(
        ResultCode::INVALID_LIFECYCLE_STAGE,
        "the allocator hands out memory only between initialize and deinitialize",
    )
}

#[cfg(test)]
mod tests;
