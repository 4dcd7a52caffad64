//! Memory that knows which streams use it.

use crate::chain_table::after;
use crate::completion::{Action, when_done};
use crate::device::Device;
use crate::error;
use crate::fence::Fence;
use crate::lent::LentStream;
use crate::pool::MemoryPool;
use crate::stream::Stream;
use gxf::abi::{self, DeviceMemoryOwnerVtable, MemoryOwnerVtable};
use gxf::{
    Allocator, ComponentContext, CudaAllocator, Error, Handle, MemoryBuffer, PendingWork, Result,
    ResultCode, StorageType,
};
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// An allocator that can serve streams.
#[derive(Clone)]
pub struct DeviceAllocator {
    plain: Handle<Allocator>,
    /// Absent for an allocator that knows no streams.
    ordered: Option<Handle<CudaAllocator>>,
}

impl DeviceAllocator {
    /// The allocator behind a handle.
    pub fn new(context: &ComponentContext, allocator: &Handle<Allocator>) -> Self {
        let ordered = Handle::resolve(context, allocator.cid()).ok();
        Self { plain: allocator.clone(), ordered }
    }

    /// An allocator and, if it knows streams, its interface for them.
    #[must_use]
    pub fn of(plain: Handle<Allocator>, ordered: Option<Handle<CudaAllocator>>) -> Self {
        Self { plain, ordered }
    }

    /// The device of the memory.
    pub fn device(&self) -> Result<Device> {
        Device::get(self.ordered.as_ref().map_or(0, |ordered| ordered.device()))
    }

    /// Allocates memory for work on `stream`. The memory returns in the order of the work that uses
    /// it, whenever and on whichever thread its last owner is dropped.
    pub fn allocate(
        &self,
        stream: &Stream,
        size: u64,
        storage: StorageType,
    ) -> Result<MemoryBuffer> {
        self.allocate_on(stream, None, size, storage)
    }

    /// Like [`DeviceAllocator::allocate`], on a stream that returns to its pool with the memory.
    pub fn allocate_with(
        &self,
        stream: LentStream,
        size: u64,
        storage: StorageType,
    ) -> Result<MemoryBuffer> {
        self.allocate_on(&stream.stream().clone(), Some(stream), size, storage)
    }

    /// Takes the stream of [`DeviceAllocator::allocate_with`] from its memory. The caller gives it
    /// back to its pool.
    ///
    /// # Errors
    /// If the memory has no such stream, or another library allocated it.
    pub fn take_stream(memory: &MemoryBuffer) -> Result<()> {
        let raw = memory.as_raw();
        let is_ours = std::ptr::eq(raw.owner, &raw const OWNER.base);
        // SAFETY: the words belong to this owner.
        let lent = is_ours.then(|| unsafe { block(raw.words.as_ptr()) }.lent.lock().take());
        match lent.flatten() {
            Some(lent) => {
                lent.keep();
                Ok(())
            }
            None => Err(Error::failure("the memory has no stream of a pool")),
        }
    }

    fn allocate_on(
        &self,
        stream: &Stream,
        lent: Option<LentStream>,
        size: u64,
        storage: StorageType,
    ) -> Result<MemoryBuffer> {
        let is_host = matches!(storage, StorageType::HOST | StorageType::SYSTEM);
        let ordered = self.ordered.as_ref().filter(|_| storage != StorageType::SYSTEM);
        // Once for all that follows. The driver itself refuses what it cannot do without.
        let _entered = (!is_host).then(|| stream.device().enter());
        let pointer = match ordered {
            Some(ordered) if !is_host => {
                ordered.allocate_async(size, storage, stream.raw_handle())?
            }
            // The CPU writes host memory at once, so no work may be left on it.
            _ => self.plain.allocate(size, storage)?,
        };
        if pointer.is_null() {
            return Err(no_memory(size));
        }
        let device = match ordered {
            _ if is_host => 0,
            Some(ordered) => ordered.device(),
            None => stream.device().ordinal(),
        };
        let home = match ordered {
            Some(ordered) => Home::Ordered(ordered.clone(), stream.clone()),
            None => Home::Plain(self.plain.clone(), None),
        };
        Ok(Block::lend(pointer, (size, storage, device), home, lent))
    }

    /// Allocates memory that any stream may use at once. It returns behind all noted work on it,
    /// whenever and on whichever thread its last owner is dropped.
    pub fn allocate_for_all(&self, size: u64, storage: StorageType) -> Result<MemoryBuffer> {
        let pointer = self.plain.allocate(size, storage)?;
        if pointer.is_null() {
            return Err(no_memory(size));
        }
        let device = match storage {
            StorageType::HOST | StorageType::SYSTEM => 0,
            _ => self.ordered.as_ref().map_or(0, |ordered| ordered.device()),
        };
        let home = Home::Plain(self.plain.clone(), self.ordered.clone());
        Ok(Block::lend(pointer, (size, storage, device), home, None))
    }
}

fn no_memory(size: u64) -> Error {
    Error::new(ResultCode::OUT_OF_MEMORY, format!("the allocator has no {size} bytes"))
}

impl MemoryPool {
    /// Allocates device memory for work on `stream`, which keeps the pool alive and returns to it as
    /// that of a [`DeviceAllocator`] does.
    pub fn lend(self: &Arc<Self>, stream: &Stream, size: u64) -> Result<MemoryBuffer> {
        let pointer = self.allocate(stream, size)?;
        let what = (size, StorageType::DEVICE, self.device().ordinal());
        Ok(Block::lend(pointer, what, Home::Pool(self.clone(), stream.clone()), None))
    }
}

/// Where memory comes from.
enum Home {
    /// With the stream that it was allocated for.
    Ordered(Handle<CudaAllocator>, Stream),
    /// The same.
    Pool(Arc<MemoryPool>, Stream),
    /// For any stream; with the allocator's other interface, if it has that.
    Plain(Handle<Allocator>, Option<Handle<CudaAllocator>>),
}

/// A piece of memory; the first word of its owners points here.
struct Block {
    /// Its address, as a number.
    pointer: usize,
    /// Number of its device.
    device: i32,
    home: Home,
    /// A stream that returns to its pool with the memory.
    lent: Mutex<Option<LentStream>>,
    uses: Mutex<Uses>,
    owners: AtomicU32,
}

/// The uses that a later one may have to wait for.
#[derive(Default)]
struct Uses {
    write: Option<Fence>,
    /// All since the write, but for some that are done and those with a later one of their stream. One that is
    /// held back comes later than it seems, so it stands for no other.
    reads: SmallVec<[Fence; 2]>,
    /// Number of reads that were left at the last look for those that are done.
    left: usize,
}

/// What became of a read that was added.
#[must_use = "what is dropped may call the driver, so not under the lock"]
enum Added {
    Last,
    /// This one is needed no longer.
    InPlaceOf(Fence),
    /// The older half, to look for what is done.
    LookAt(SmallVec<[Fence; 2]>),
}

/// Reads of memory that are kept without a look whether they are done.
const FEW_READS: usize = 8;

impl Uses {
    /// Adds a read.
    fn add_read(&mut self, fence: Fence) -> Added {
        // Who waits for the later one of a stream has waited for the earlier one. Threads may note them
        // in another order.
        if let Some(known) = self.reads.iter_mut().find(|known| fence.is_behind(known)) {
            return Added::InPlaceOf(std::mem::replace(known, fence));
        }
        if self.reads.iter().any(|known| known.is_behind(&fence)) {
            return Added::InPlaceOf(fence);
        }
        self.reads.push(fence);
        if self.reads.len() < FEW_READS.max(2 * self.left) {
            return Added::Last;
        }
        // The later ones may still be held back, and to ask would launch them.
        Added::LookAt(self.reads[..self.reads.len() / 2].iter().cloned().collect())
    }

    fn remove_reads(&mut self, done: &[Fence]) {
        self.reads.retain(|known| done.iter().all(|done| done.event() != known.event()));
        self.left = self.reads.len();
    }

    fn iter(&self) -> impl Iterator<Item = (&Fence, bool)> {
        let reads = self.reads.iter().map(|fence| (fence, false));
        self.write.iter().map(|fence| (fence, true)).chain(reads)
    }
}

static OWNER: DeviceMemoryOwnerVtable = DeviceMemoryOwnerVtable {
    base: MemoryOwnerVtable {
        size: size_of::<DeviceMemoryOwnerVtable>(),
        release,
        retain: Some(retain),
        owner_count: Some(owner_count),
    },
    id: abi::DEVICE_MEMORY_OWNER,
    note_use,
    uses,
};

/// # Safety
/// `words` must be those of memory with the owner [`OWNER`].
unsafe fn block<'a>(words: *const *mut c_void) -> &'a Block {
    // SAFETY: `words` belong to [`OWNER`], and the calling owner holds a reference.
    unsafe { &*(*words).cast::<Block>() }
}

unsafe extern "C" fn retain(words: *const *mut c_void) {
    // SAFETY: callers pass the words of this owner.
    let before = unsafe { block(words) }.owners.fetch_add(1, Ordering::Relaxed);
    // Only a leak in a loop gets here. Going on would free memory that is in use.
    if before > u32::MAX / 2 {
        std::process::abort();
    }
}

unsafe extern "C" fn owner_count(words: *const *mut c_void) -> u32 {
    // SAFETY: callers pass the words of this owner.
    unsafe { block(words) }.owners.load(Ordering::Acquire)
}

unsafe extern "C" fn note_use(words: *const *mut c_void, fence: abi::CudaFence, is_write: bool) {
    // SAFETY: callers pass the words of this owner, and give the fence away.
    let (block, fence) = unsafe { (block(words), Fence::from_raw(fence)) };
    let mut uses = block.uses.lock();
    if is_write {
        // It comes after all others.
        let before = std::mem::replace(&mut *uses, Uses { write: Some(fence), ..Uses::default() });
        drop(uses);
        drop(before);
        return;
    }
    let added = uses.add_read(fence);
    drop(uses);
    match added {
        Added::Last => {}
        Added::InPlaceOf(fence) => drop(fence),
        Added::LookAt(mut old) => {
            // Not under the lock: it may launch work.
            old.retain(|fence| fence.is_done().unwrap_or(false));
            block.uses.lock().remove_reads(&old);
        }
    }
}

unsafe extern "C" fn uses(words: *const *mut c_void, sink: abi::CudaUseSink) {
    // SAFETY: callers pass the words of this owner.
    let uses = unsafe { block(words) }.uses.lock();
    for (fence, is_write) in uses.iter() {
        let fence = std::ptr::from_ref(fence).cast();
        // SAFETY: the sink is valid during the call, and so is the fence.
        unsafe { (sink.add)(sink.user, fence, is_write) };
    }
}

unsafe extern "C" fn release(
    words: *const *mut c_void,
    _pointer: *mut u8,
    _size: u64,
) -> ResultCode {
    // SAFETY: callers pass the words of this owner and give their reference back.
    if unsafe { block(words) }.owners.fetch_sub(1, Ordering::Release) != 1 {
        return ResultCode::SUCCESS;
    }
    fence(Ordering::Acquire);
    // SAFETY: this was the last reference to the box of `allocate`.
    let block = unsafe { Box::from_raw((*words).cast::<Block>()) };
    let device = block.device;
    gxf::support::guard(|| match block.go_home_behind_all() {
        Err(_) if !is_news(device) => Ok(()),
        gone => gone,
    })
}

/// Whether a loss of memory of a device needs a text of its own.
fn is_news(device: i32) -> bool {
    // The error may be known to another library, with the allocator. An answer tells this one.
    _ = Device::get(device).and_then(|device| device.enter().map(drop));
    error::is_news()
}

fn report_loss(device: i32, error: &Error) {
    if is_news(device) {
        gxf::error!("device memory is lost: {error}");
    }
}

/// A block whose last use is held back, for whoever launches that.
type Late = (Box<Block>, Option<PendingWork>);

unsafe extern "C" fn go_home_late(user: *mut c_void) {
    // SAFETY: the box of `go_home_behind_all`, which is called once.
    let (block, pending) = *unsafe { Box::from_raw(user.cast::<Late>()) };
    let device = block.device;
    if let Err(error) = block.go_home_behind_all() {
        report_loss(device, &error);
    }
    drop(pending);
}

impl Block {
    /// Memory of this size, kind and device, for its first owner.
    fn lend(
        pointer: *mut u8,
        (size, storage_type, device): (u64, StorageType, i32),
        home: Home,
        lent: Option<LentStream>,
    ) -> MemoryBuffer {
        let block = Box::into_raw(Box::new(Self {
            pointer: pointer.expose_provenance(),
            device,
            home,
            lent: Mutex::new(lent),
            uses: Mutex::default(),
            owners: AtomicU32::new(1),
        }));
        // SAFETY: the block and its table follow the ABI, and nobody else uses the memory.
        unsafe {
            MemoryBuffer::from_raw(abi::MemoryBuffer {
                pointer,
                size,
                storage_type,
                flags: device.cast_unsigned() << abi::MEMORY_DEVICE_SHIFT,
                owner: &raw const OWNER.base,
                words: [block.cast(), null_mut(), null_mut()],
            })
        }
    }

    /// Returns the memory to where it comes from, once the driver has all work that uses it.
    fn go_home_behind_all(mut self: Box<Self>) -> Result<()> {
        let uses = self.uses.get_mut().iter();
        let held: SmallVec<[(usize, u32); 4]> = uses
            .map(|(fence, _)| (fence.stream_address(), fence.point().number()))
            .filter(|(_, number)| *number != 0)
            .collect();
        let mut this = self;
        for (stream, number) in held {
            // An entity may wait for this memory.
            let late = Box::new((this, PendingWork::of_this_thread()));
            let user = Box::into_raw(late).cast::<c_void>();
            let callback = abi::Callback { user, call: Some(go_home_late), release: None };
            if after(stream, number, callback) {
                return Ok(());
            }
            // SAFETY: it still is that of above.
            this = unsafe { Box::from_raw(user.cast::<Late>()) }.0;
        }
        this.go_home()
    }

    /// The points behind which the memory goes home: the ends of its uses and, of a stream that messages may
    /// name, of all that it has now. Codelets that call CUDA themselves read there, and note nothing.
    fn ends(&mut self) -> SmallVec<[Fence; 2]> {
        let uses = std::mem::take(self.uses.get_mut());
        let home = match &self.home {
            Home::Ordered(_, stream) | Home::Pool(_, stream) => Some(stream),
            Home::Plain(..) => None,
        };
        let mut ends = SmallVec::new();
        let mut looked_at = SmallVec::<[usize; 2]>::new();
        for (fence, _) in uses.iter() {
            let named = Stream::of_component_with(fence)
                // What goes home on the same stream comes after all that it has.
                .filter(|stream| home.is_none_or(|home| !home.is_same(stream)));
            let address = fence.stream_address();
            match named {
                Some(_) if looked_at.contains(&address) => {}
                Some(stream) => match end_now(&stream) {
                    Ok(end) => {
                        looked_at.push(address);
                        ends.extend(end);
                    }
                    Err(_) => ends.push(fence.clone()),
                },
                None => ends.push(fence.clone()),
            }
        }
        ends
    }

    /// Returns the memory to where it comes from.
    fn go_home(mut self) -> Result<()> {
        let is_used = self.uses.get_mut().iter().next().is_some();
        // Once for all that follows, as for an allocation.
        let _entered = is_used.then(|| Device::get(self.device).and_then(Device::enter));
        let ends = self.ends();
        let pointer: *mut u8 = std::ptr::with_exposed_provenance_mut(self.pointer);
        // Where the driver refuses to let the stream wait, this thread does.
        let follow = |stream: &Stream| {
            ends.iter().try_for_each(|end| stream.wait(end).or_else(|_| end.synchronize()))
        };
        match &self.home {
            Home::Pool(pool, stream) => {
                follow(stream)?;
                pool.free(stream, pointer)
            }
            Home::Ordered(ordered, stream) => {
                follow(stream)?;
                ordered.free_async(pointer, stream.raw_handle())
            }
            Home::Plain(plain, ordered) => {
                let (plain, pointer, device) = (plain.clone(), self.pointer, self.device);
                let free = move || plain.free(std::ptr::with_exposed_provenance_mut(pointer));
                // Where nobody can tell, it is not free.
                let mut busy = ends.to_vec();
                busy.retain(|fence| !fence.is_done().unwrap_or(false));
                if busy.is_empty() {
                    return free();
                }
                if let Some(ordered) = ordered
                    && let Ok(stream) = Device::get(device).and_then(Device::new_stream)
                {
                    follow(&stream)?;
                    let pointer = std::ptr::with_exposed_provenance_mut(pointer);
                    return ordered.free_async(pointer, stream.raw_handle());
                }
                // An entity may wait for this memory.
                let pending = PendingWork::of_this_thread();
                let free = move || {
                    if let Err(error) = free() {
                        report_loss(device, &error);
                    }
                    drop(pending);
                };
                behind_all(busy, Box::new(free))
            }
        }
    }
}

/// The end of what a stream has now; `None` if the device has done it.
///
/// # Errors
/// If somebody captures the stream, or the driver refuses.
fn end_now(stream: &Stream) -> Result<Option<Fence>> {
    if stream.is_captured()? {
        return Err(Error::failure("the stream is captured"));
    }
    // An event would be pending for a moment, also on a stream without work.
    if stream.is_done_now()? { Ok(None) } else { stream.record_now().map(Some) }
}

/// Performs an action once all fences are reached, or their device failed.
fn behind_all(mut fences: Vec<Fence>, action: Box<dyn FnOnce() + Send>) -> Result<()> {
    let Some(fence) = fences.pop() else {
        action();
        return Ok(());
    };
    // If the driver refuses, the rest is done all the same.
    let rest = move || _ = behind_all(fences, action);
    when_done(fence.point(), Action::Run(Box::new(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_that_are_done_are_forgotten() {
        let mut uses = Uses::default();
        for _ in 0..1000 {
            if let Added::LookAt(old) = uses.add_read(Fence::default()) {
                uses.remove_reads(&old);
            }
            assert!(uses.reads.len() <= FEW_READS);
        }
    }

    #[test]
    fn reads_that_are_not_done_are_seldom_looked_at() {
        let mut uses = Uses::default();
        let mut looks = 0;
        for _ in 0..1000 {
            if let Added::LookAt(_) = uses.add_read(Fence::default()) {
                looks += 1;
                uses.remove_reads(&[]);
            }
        }
        assert_eq!((uses.reads.len(), looks), (1000, 7));
    }
}
