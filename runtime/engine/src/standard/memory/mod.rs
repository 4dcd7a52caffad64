//! Allocators.
//!
//! - `region.rs`: a piece of memory, freed on drop;
//! - `unbounded.rs`: `UnboundedAllocator`: memory of any size;
//! - `block_pool.rs`: `BlockMemoryPool`: blocks of one size, reserved at the start; `slab.rs` has
//!   the blocks;
//!   The actor scheduler gives pools the memory of the registers that they fill;
//! - `variable.rs`: `Variable`: one block that keeps its value;
//! - `streams.rs`: memory that streams of a device still use;
//! - `statistics.rs`: current and peak use.
//!
//! Any thread may free memory, even after its allocator was deinitialised; the memory lives until
//! then. Freeing memory wakes the entities that wait for some.

mod block_pool;
mod region;
mod slab;
mod statistics;
mod streams;
mod unbounded;
mod variable;

pub use block_pool::{BlockMemoryPool, give_together};
pub use slab::Slab;
pub use unbounded::UnboundedAllocator;
pub use variable::Variable;

use gxf::{ContextHandle, Error, Event, Result, ResultCode, StorageType};
use gxf_device::PinnedRegion;
use std::sync::Once;

/// Logs once whether host memory is pinned here.
fn tell_of_host_memory(storage: StorageType) {
    static ONCE: Once = Once::new();
    if storage == StorageType::HOST {
        ONCE.call_once(|| match PinnedRegion::check() {
            Ok(()) => tracing::debug!("memory of storage type 0 (host) is pinned by CUDA"),
            Err(reason) if gxf_device::driver().is_ok() => tracing::warn!(
                "memory of storage type 0 (host) is page-aligned, but not pinned, so copies to \
                 devices take longer: {reason}"
            ),
            Err(reason) => tracing::debug!(
                "memory of storage type 0 (host) is page-aligned, but not pinned: {reason}"
            ),
        });
    }
}

/// Whether this is memory on a device.
fn is_on_device(storage: StorageType) -> bool {
    matches!(storage, StorageType::DEVICE | StorageType::CUDA_MANAGED)
}

/// Checks that this is a kind of memory.
fn check_kind(storage: StorageType) -> Result<()> {
    if (0..=3).contains(&storage.0) {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::PARAMETER_OUT_OF_RANGE,
        format!(
            "{} is not a storage type: 0 is host, 1 device, 2 system, 3 managed memory",
            storage.0
        ),
    ))
}

/// Checks that this machine has this kind of memory.
fn check_storage(storage: StorageType) -> Result<()> {
    check_kind(storage)?;
    if !is_on_device(storage) {
        return Ok(());
    }
    gxf_device::driver().map(drop).map_err(|error| {
        let name = if storage == StorageType::DEVICE { "1 (device)" } else { "3 (managed)" };
        Error::new(
            ResultCode::MEMORY_INVALID_STORAGE_MODE,
            format!(
                "memory of storage type {name} needs CUDA: {}; use 0 (host) or 2 (system)",
                error.message()
            ),
        )
    })
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
