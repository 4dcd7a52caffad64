//! Allocators.
//!
//! - `region.rs`: a piece of memory, freed on drop; `pinned.rs`: host memory from CUDA's driver;
//! - `unbounded.rs`: `UnboundedAllocator`: memory of any size;
//! - `block_pool.rs`: `BlockMemoryPool`: blocks of one size, reserved at the start; `slab.rs` has
//!   the blocks;
//! - `statistics.rs`: current and peak use.
//!
//! Any thread may free memory, even after its allocator was deinitialised; the memory lives until
//! then. Freeing memory wakes the entities that wait for some.

mod block_pool;
mod pinned;
mod region;
mod slab;
mod statistics;
mod unbounded;

pub use block_pool::BlockMemoryPool;
pub use unbounded::UnboundedAllocator;

use gxf::{ContextHandle, Error, Event, Result, ResultCode, StorageType};
use std::sync::Once;

/// Logs once whether host memory is pinned here.
fn tell_of_host_memory(storage: StorageType) {
    static ONCE: Once = Once::new();
    if storage == StorageType::HOST {
        ONCE.call_once(|| match pinned::driver() {
            Ok(_) => tracing::debug!("memory of storage type 0 (host) is pinned by CUDA"),
            Err(reason) => tracing::debug!(
                "memory of storage type 0 (host) is page-aligned, but not pinned: {reason}"
            ),
        });
    }
}

/// Checks that this kind of memory is supported.
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
        // Without a graph no entity waits, which must not make freeing memory fail.
        let _ = context.notify(Event::MEMORY_FREE);
    }
}

fn not_initialized() -> Error {
    Error::new(
        ResultCode::INVALID_LIFECYCLE_STAGE,
        "the allocator hands out memory only between initialize and deinitialize",
    )
}
