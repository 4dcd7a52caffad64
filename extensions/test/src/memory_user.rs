//! `MemoryUser`: allocates memory and frees it on another thread.

use gxf::StorageType;
use gxf::prelude::*;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Allocates memory on every tick and frees it later on another thread, as a device does. Not a
/// type of GXF.
#[derive(Component, Default)]
pub struct MemoryUser {
    /// Allocator of the memory.
    allocator: Parameter<Handle<Allocator>>,
    /// Size of each piece.
    #[parameter(unit = "bytes", default = 1)]
    size: Parameter<u64>,
    /// 0 host, 1 device, 2 system.
    #[parameter(default = 0)]
    storage_type: Parameter<i32>,
    /// How long to use each piece, in real time.
    #[parameter(unit = "ms", default = 1)]
    use_ms: Parameter<u64>,
    users: Vec<JoinHandle<Result<()>>>,
}

impl Codelet for MemoryUser {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let allocator = self.allocator.clone();
        let memory = allocator.allocate(*self.size, StorageType(*self.storage_type))?;
        let memory = AtomicPtr::new(memory);
        let time = Duration::from_millis(*self.use_ms);
        let user = std::thread::Builder::new().name("memory-user".into()).spawn(move || {
            std::thread::sleep(time);
            allocator.free(memory.load(Ordering::Relaxed))
        })?;
        self.users.push(user);
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        for user in self.users.drain(..) {
            user.join().map_err(|_| Error::failure("a thread that used memory panicked"))??;
        }
        Ok(())
    }
}
