//! `Variable`: memory that keeps its value.

use super::region::Region;
use super::slab::Slab;
use super::statistics::Statistics;
use super::{check_kind, not_initialized, notify_free};
use gxf::prelude::*;
use gxf::{AllocatorStatistics, ContextHandle, MemoryBuffer};
use parking_lot::RwLock;
use spin::Once;
use std::sync::Arc;

/// Memory that exists before the run and keeps its value between ticks and runs, such as the
/// weights of a model: an allocator of one block, which finds in it what the last user left there.
/// It is zero at first. One user has it at a time; the others wait with a
/// MemoryAvailableSchedulingTerm. It is that of the CPU.
///
/// A codelet that publishes into registers writes its messages into it if this is its allocator, and
/// a plan for `gxe::ActorScheduler` may bind other registers to it.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Variable {
    /// Size of the memory.
    #[parameter(headline = "Size", unit = "bytes", minimum = 1)]
    size: Parameter<u64>,
    /// Kind of memory: 0 host, 2 system.
    #[parameter(headline = "Storage type", default = 2)]
    storage_type: Parameter<i32>,
    /// The memory, from the first initialisation on.
    slab: RwLock<Option<Arc<Slab>>>,
    statistics: Statistics,
    context: Once<ContextHandle>,
}

impl Variable {
    /// The memory, once the component is initialised.
    #[must_use]
    pub fn slab(&self) -> Option<Arc<Slab>> {
        self.slab.read().clone()
    }

    /// Uses memory of a program from now on, with the value in it.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: it is not memory of the CPU of the variable's size for writing;
    /// `INVALID_LIFECYCLE_STAGE`: somebody uses the memory that the variable has.
    pub fn give(&self, memory: MemoryBuffer) -> Result<()> {
        let (size, given) = (*self.size.get(), memory.size());
        let invalid = |text: String| Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        if given != size {
            return invalid(format!("the memory has {given} bytes, and the variable {size}"));
        }
        if ![StorageType::HOST, StorageType::SYSTEM].contains(&memory.storage_type()) {
            return invalid("a variable is memory of the CPU".to_owned());
        }
        let mut slab = self.slab.write();
        if slab.as_ref().is_some_and(|old| !old.is_whole()) {
            let text = "the variable is in use and cannot get other memory";
            return Err(Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text));
        }
        match Region::given(memory).and_then(Slab::of_one) {
            Some(given) => *slab = Some(Arc::new(given)),
            None => return invalid("the memory cannot be written".to_owned()),
        }
        Ok(())
    }

    /// Copies the value.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`: the buffer has another size; `INVALID_LIFECYCLE_STAGE`: somebody uses the
    /// memory, or there is none before the first initialisation.
    pub fn read(&self, buffer: &mut [u8]) -> Result<()> {
        let slab = self.slab().ok_or_else(not_initialized)?;
        let (size, wanted) = (slab.block_size(), buffer.len());
        if wanted as u64 != size {
            let text = format!("the buffer has {wanted} bytes, and the variable {size}");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let Some(block) = slab.take() else {
            let text = "the variable is in use and cannot be read";
            return Err(Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text));
        };
        slab.copy_first(buffer);
        slab.give_back(block, || ())?;
        notify_free(self.context.get());
        Ok(())
    }

    fn storage(&self) -> StorageType {
        StorageType(*self.storage_type.get())
    }
}

impl Lifecycle for Variable {
    fn check_parameters(&self) -> Result<()> {
        let storage = self.storage();
        let checked = check_kind(storage).and_then(|()| match storage {
            StorageType::HOST | StorageType::SYSTEM => Ok(()),
            _ => Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                "a variable is memory of the CPU: 0 (host) or 2 (system)",
            )),
        });
        checked.map_err(|error| error.context("`storage_type`"))
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.context.call_once(|| context.handle());
        let size = *self.size.get();
        let mut slab = self.slab.write();
        let is_other = |old: &Arc<Slab>| old.block_size() != size;
        if slab.as_ref().is_some_and(|old| is_other(old) && !old.is_whole()) {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the variable is in use and cannot get another size",
            ));
        }
        if slab.as_ref().is_none_or(is_other) {
            *slab = Some(Arc::new(Slab::new(size, 1, self.storage(), 0)?));
        }
        Ok(())
    }

    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        self.statistics.log(context);
        Ok(())
    }
}

impl implement::Allocator for Variable {
    fn is_available(&self, size: u64) -> bool {
        let slab = self.slab();
        slab.is_some_and(|slab| size <= slab.block_size() && slab.free_count() > 0)
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        let slab = self.slab().ok_or_else(not_initialized)?;
        if storage != self.storage() {
            let text = format!(
                "memory of storage type {} was requested, but the variable has type {}",
                storage.0,
                self.storage().0
            );
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let bytes = slab.block_size();
        if size > bytes {
            let text = format!("{size} bytes do not fit a variable of {bytes} bytes");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let block = slab.take().ok_or_else(|| {
            Error::new(
                ResultCode::EXCEEDING_PREALLOCATED_SIZE,
                "another user has the variable; let a MemoryAvailableSchedulingTerm wait for it",
            )
        })?;
        self.statistics.taken(bytes);
        Ok(block)
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        let slab = self.slab().filter(|slab| slab.contains(pointer)).ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                "the freed memory is not that of this variable",
            )
        })?;
        slab.give_back(pointer, || self.statistics.returned(slab.block_size()))?;
        notify_free(self.context.get());
        Ok(())
    }

    fn block_size(&self) -> u64 {
        *self.size.get()
    }

    fn statistics(&self) -> AllocatorStatistics {
        self.statistics.get()
    }
}

impl implement::VariableMemory for Variable {
    fn bind(&self, memory: MemoryBuffer) -> Result<()> {
        self.give(memory)
    }
}

impl Drop for Variable {
    fn drop(&mut self) {
        // As for a pool: a leak is better than a dangling pointer.
        if let Some(slab) = self.slab.get_mut().take().filter(|slab| !slab.is_whole()) {
            std::mem::forget(slab);
        }
    }
}
