//! Enqueueing work.

use crate::batch::{Batch, go_first};
use crate::chain_table;
use crate::completion::{Action, when_done};
use crate::error::call;
use crate::fence::Fence;
use crate::measure::{Direction, Measured};
use crate::operation::Operation;
use crate::piece;
use crate::stream::Stream;
use crate::tick_table;
use cudarc::driver::sys::CUdeviceptr;
use gxf::abi::{self, DeviceMemoryOwnerVtable};
use gxf::{Error, MemoryBuffer, Message, PendingWork, Result, ResultCode, StorageType};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::marker::PhantomData;

/// Work that is being enqueued on a stream, see [`Stream::enqueue`].
///
/// Before each operation the stream waits, on the device, for the work of other streams on the same
/// memory: reads for the last write, writes for everything. Afterwards the memory knows of the work,
/// so that nobody gets it back too early. This holds for memory of a [`crate::DeviceAllocator`].
///
/// Other memory that is only read stays alive until the work is done if it can have several owners;
/// until then the graph is not in a deadlock. For the rest, and for other memory that is written,
/// [`Stream::enqueue`] blocks until the work is done.
pub struct Work<'a> {
    stream: Stream,
    used: SmallVec<[Used; 4]>,
    /// Other memory that the work reads, which stays alive until the work is done.
    kept: SmallVec<[MemoryBuffer; 2]>,
    /// Whether there is memory that nothing keeps.
    is_unkept: bool,
    has_begun: bool,
    /// If the graph wants to know how long the work takes.
    measured: Option<Measured>,
    /// If its operations may become a CUDA graph.
    batch: Option<Batch>,
    /// The memory is borrowed until the work is enqueued and noted.
    borrowed: PhantomData<&'a mut MemoryBuffer>,
}

/// Rows of the same length, for [`Work::copy_rows`].
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Where the first one begins.
    pub from: u64,
    /// Where it goes.
    pub to: u64,
    /// Bytes of a row.
    pub length: u64,
    /// Number of rows.
    pub count: u64,
    /// Bytes between the beginnings of two rows.
    pub stride: u64,
}

/// A use of memory that knows its uses.
struct Used {
    owner: &'static DeviceMemoryOwnerVtable,
    words: [*mut c_void; 3],
    is_write: bool,
}

/// The functions for uses, of memory that has them.
fn owner_of(memory: &MemoryBuffer) -> Option<&'static DeviceMemoryOwnerVtable> {
    // SAFETY: null, or a constant table of a library that stays loaded.
    let owner = unsafe { memory.as_raw().owner.as_ref() }?;
    if owner.size < size_of::<DeviceMemoryOwnerVtable>() {
        return None;
    }
    // SAFETY: the table is at least as long as this one, and only reading `id` tells them apart.
    let owner = unsafe { &*std::ptr::from_ref(owner).cast::<DeviceMemoryOwnerVtable>() };
    (owner.id == abi::DEVICE_MEMORY_OWNER).then_some(owner)
}

/// Another owner of memory that can have several.
fn second_owner(memory: &MemoryBuffer) -> Option<MemoryBuffer> {
    let raw = memory.as_raw();
    // SAFETY: null, or a constant table of a library that stays loaded.
    let retain = unsafe { raw.owner.as_ref() }?.retain?;
    // SAFETY: the words belong to this owner; the copy owns the new reference.
    unsafe {
        retain(raw.words.as_ptr());
        Some(MemoryBuffer::from_raw(abi::MemoryBuffer { ..*raw }))
    }
}

/// Fails unless this owner may write the memory.
fn require_writable(memory: &MemoryBuffer) -> Result<()> {
    if !memory.is_read_only() && !memory.is_shared() {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::CONTRACT_INVALID_SEQUENCE,
        "memory that others use as well, or that is read only, cannot be written; copy it",
    ))
}

/// Whether a device can use this kind of memory.
fn is_on_device(storage: StorageType) -> bool {
    matches!(storage, StorageType::DEVICE | StorageType::CUDA_MANAGED)
}

impl<'a> Work<'a> {
    /// `repeats`: the work may be the same another time.
    pub(crate) fn new(stream: Stream, repeats: bool) -> Result<Self> {
        let measured = Measured::new(stream.device())?;
        let batch = Batch::new(stream.queue()).filter(|_| repeats);
        Ok(Self {
            stream,
            used: SmallVec::new(),
            kept: SmallVec::new(),
            is_unkept: false,
            has_begun: false,
            measured,
            batch,
            borrowed: PhantomData,
        })
    }

    /// Notes that an operation follows, a copy of some bytes or another one, after all waits.
    fn operates(&mut self, copied: Option<(Direction, u64)>) -> Result<()> {
        match &mut self.measured {
            Some(measured) => measured.operates(&self.stream, copied),
            None => Ok(()),
        }
    }

    /// Enqueues an operation, after all waits.
    pub(crate) fn operate(
        &mut self,
        copied: Option<(Direction, u64)>,
        operation: Operation,
    ) -> Result<()> {
        self.operates(copied)?;
        match &self.batch {
            Some(batch) => batch.add(operation),
            None => operation.enqueue(self.stream.raw()),
        }
    }

    /// The stream.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Orders the work after that on the data of a message, as its fences say. What is on the streams that
    /// it names comes before by [`crate::Streams::for_message`] or [`crate::Streams::follow`].
    pub fn input(&mut self, message: &Message) -> Result<()> {
        for fence in message.find_all::<Fence>() {
            self.stream.wait(fence)?;
        }
        Ok(())
    }

    /// Address of memory for an operation that reads it.
    ///
    /// # Errors
    /// For memory of another device, which only a copy reaches.
    pub fn reads(&mut self, memory: &'a MemoryBuffer) -> Result<u64> {
        self.require_reach(memory)?;
        self.uses(memory, false)
    }

    /// Fails for memory that says that it is on another device.
    fn require_reach(&self, memory: &MemoryBuffer) -> Result<()> {
        let (own, other) = (self.stream.device().ordinal(), memory.device());
        let is_on_device = memory.storage_type() == StorageType::DEVICE;
        // Memory of a plain allocation does not say where it is.
        if own == other || !is_on_device || owner_of(memory).is_none() {
            return Ok(());
        }
        Err(Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!(
                "work on CUDA device {own} cannot use memory of device {other}; let a TensorCopier with \
                 `mode: 0` and an allocator of device {own} copy the data, or put both entities into a \
                 group with the same GPUDevice"
            ),
        ))
    }

    /// Address of memory for an operation that writes it, and perhaps reads it.
    pub fn writes(&mut self, memory: &'a mut MemoryBuffer) -> Result<u64> {
        self.writes_to_read(memory).map(|(address, _)| address)
    }

    /// As [`Work::writes`], with the memory for operations that read it then.
    pub(crate) fn writes_to_read(
        &mut self,
        memory: &'a mut MemoryBuffer,
    ) -> Result<(u64, &'a MemoryBuffer)> {
        self.require_reach(memory)?;
        require_writable(memory)?;
        Ok((self.uses(memory, true)?, memory))
    }

    fn uses(&mut self, memory: &MemoryBuffer, is_write: bool) -> Result<u64> {
        self.has_begun = true;
        match owner_of(memory) {
            Some(owner) => {
                let words = memory.as_raw().words;
                wait_for_uses(&self.stream, owner, &words, is_write)?;
                self.used.push(Used { owner, words, is_write });
            }
            None if is_write => self.is_unkept = true,
            None => match second_owner(memory) {
                Some(owner) => self.kept.push(owner),
                None => self.is_unkept = true,
            },
        }
        Ok(memory.pointer().expose_provenance() as u64)
    }

    /// Copies the first `size` bytes from one memory to another, of any kinds.
    pub fn copy(
        &mut self,
        from: &'a MemoryBuffer,
        to: &'a mut MemoryBuffer,
        size: u64,
    ) -> Result<()> {
        if size > from.size() || size > to.size() {
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("{size} bytes cannot be copied from {from:?} to {to:?}"),
            ));
        }
        if size == 0 {
            return Ok(());
        }
        let bytes = usize::try_from(size).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let from_device = is_on_device(from.storage_type()).then(|| from.device());
        let to_device = is_on_device(to.storage_type()).then(|| to.device());
        // What nothing else keeps is waited for at the end.
        require_writable(to)?;
        let (source, target) = (self.uses(from, false)?, self.uses(to, true)?);
        let direction = match (from_device, to_device) {
            (None, Some(_)) => Direction::ToDevice,
            (Some(_), None) => Direction::ToHost,
            _ => Direction::Between,
        };
        let copied = Some((direction, size));
        let (one, other) = match (from_device, to_device) {
            (Some(one), Some(other)) if one == other => {
                return self
                    .operate(copied, Operation::Copy { to: target, from: source, size: bytes });
            }
            (Some(one), Some(other)) => (one, other),
            _ => {
                go_first(self.stream.queue(), "it copies host memory");
                self.operates(copied)?;
                let stream = self.stream.raw();
                let host = |address: u64| {
                    std::ptr::with_exposed_provenance_mut::<c_void>(address as usize)
                };
                // The memory is alive until the work is done: its owner waits for the noted uses, or
                // `finish` blocks.
                return match direction {
                    Direction::ToDevice => {
                        call!(cuMemcpyHtoDAsync_v2(target, host(source), bytes, stream))
                    }
                    Direction::ToHost => {
                        call!(cuMemcpyDtoHAsync_v2(host(target), source, bytes, stream))
                    }
                    Direction::Between => call!(cuMemcpyAsync(target, source, bytes, stream)),
                };
            }
        };
        go_first(self.stream.queue(), "it copies from one device to another");
        self.operates(copied)?;
        let [one, other] =
            [one, other].map(|device| crate::Device::get(device).map(|it| it.raw_context()));
        // As above.
        call!(cuMemcpyPeerAsync(target, other?, source, one?, bytes, self.stream.raw()))
    }

    /// Copies all of some host memory to memory on a device that has other owners, none of which has
    /// used it.
    pub(crate) fn upload(&mut self, from: &'a MemoryBuffer, to: &'a MemoryBuffer) -> Result<()> {
        let bytes = usize::try_from(from.size()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let (source, target) = (self.uses(from, false)?, self.uses(to, true)?);
        go_first(self.stream.queue(), "it copies host memory");
        self.operates(Some((Direction::ToDevice, from.size())))?;
        let source = std::ptr::with_exposed_provenance(source as usize);
        // Both are alive until the work is done: their owners wait for the noted uses, or are kept.
        call!(cuMemcpyHtoDAsync_v2(target, source, bytes, self.stream.raw()))
    }

    /// Copies rows with gaps between them from device memory to device memory, where they lie without
    /// gaps. Returns what was written, for operations that read it then.
    pub fn copy_rows(
        &mut self,
        from: &'a MemoryBuffer,
        to: &'a mut MemoryBuffer,
        all: &[Rows],
    ) -> Result<&'a MemoryBuffer> {
        require_device(from)?;
        require_device(to)?;
        let fits =
            |end: Option<u64>, memory: &MemoryBuffer| end.is_some_and(|it| it <= memory.size());
        for rows in all {
            let end = |start: u64, stride: u64| {
                let before = rows.count.saturating_sub(1).checked_mul(stride)?;
                before.checked_add(rows.length)?.checked_add(start)
            };
            if rows.length > rows.stride
                || !fits(end(rows.from, rows.stride), from)
                || !fits(end(rows.to, rows.length), to)
            {
                return Err(Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!("{rows:?} do not fit {from:?} and {to:?}"),
                ));
            }
        }
        let (source, (target, written)) = (self.reads(from)?, self.writes_to_read(to)?);
        let size =
            |bytes: u64| usize::try_from(bytes).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE);
        for rows in all.iter().filter(|rows| rows.length > 0 && rows.count > 0) {
            let operation = Operation::CopyRows {
                to: target + rows.to,
                from: source + rows.from,
                length: size(rows.length)?,
                rows: size(rows.count)?,
                stride: size(rows.stride)?,
            };
            self.operate(Some((Direction::Between, rows.length * rows.count)), operation)?;
        }
        Ok(written)
    }

    /// Sets every byte of memory on a device.
    pub fn fill(&mut self, memory: &'a mut MemoryBuffer, byte: u8) -> Result<()> {
        let size = usize::try_from(memory.size()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        require_device(memory)?;
        let address = self.writes(memory)?;
        if size == 0 {
            return Ok(());
        }
        self.operate(None, Operation::Fill { to: address as CUdeviceptr, byte, size })
    }

    /// Marks the end of the work, tells the memory of it, and sees that all of it outlives the work.
    pub(crate) fn finish(mut self) -> Result<Fence> {
        let (operations, mut launched) = match self.batch.take().map(Batch::finish) {
            None => (Vec::new(), Ok(())),
            Some(Ok(operations)) => (operations, Ok(())),
            Some(Err(error)) => (Vec::new(), Err(error)),
        };
        if !self.has_begun {
            if !operations.is_empty() {
                launched = launch(&self.stream, operations, NOT_HELD).map(drop);
            }
            return launched.map(|()| Fence::default());
        }
        let mut behind = Some(Behind {
            stream: self.stream.clone(),
            kept: std::mem::take(&mut self.kept),
            pending: None,
            measured: self.measured.take(),
            report: Ok(None),
        });
        let fence = match self.mark(operations, &mut behind, &mut launched) {
            Ok(fence) => fence,
            Err(error) => {
                // Without a fence nothing can say when the memory is free, so this thread waits.
                _ = self.stream.synchronize();
                return Err(error);
            }
        };
        for Used { owner, words, is_write } in &self.used {
            // SAFETY: the words belong to the owner of memory that is borrowed until now.
            unsafe { (owner.note_use)(words.as_ptr(), fence.clone().into_raw(), *is_write) };
        }
        if self.is_unkept {
            fence.synchronize()?;
        }
        if let Some(behind) = behind {
            behind.follow(&fence)?;
        }
        tick_table::enqueued(&self.stream, &fence);
        launched.map(|()| fence)
    }

    /// Launches operations, or lets the host hold them back, which then has what is `behind`. Returns the
    /// fence behind them; what the driver says to the operations is in `launched`.
    fn mark(
        &self,
        operations: Vec<Operation>,
        behind: &mut Option<Behind>,
        launched: &mut Result<()>,
    ) -> Result<Fence> {
        let mut fence = match self.stream.unrecorded() {
            Ok(fence) => fence,
            Err(error) => {
                if !operations.is_empty() {
                    _ = launch(&self.stream, operations, NOT_HELD);
                }
                return Err(error);
            }
        };
        if !operations.is_empty() {
            match behind.take_if(|_| !self.is_unkept) {
                None => *launched = launch(&self.stream, operations, NOT_HELD).map(drop),
                Some(late) => {
                    let pending = PendingWork::of_this_thread();
                    let late = (fence.clone(), Behind { pending, ..late });
                    let (number, late) = launch_or_hold(&self.stream, operations, late, launched);
                    *behind = late.map(|(_, behind)| behind);
                    if number != 0 {
                        return Ok(fence.held_back(number));
                    }
                }
            }
        }
        if let Some(behind) = behind {
            behind.end();
        }
        self.stream.record_as(&mut fence)?;
        Ok(fence)
    }
}

/// For work that the host must launch at once.
const NOT_HELD: abi::Callback =
    abi::Callback { user: std::ptr::null_mut(), call: None, release: None };

/// Gives operations to the host. Returns the number of what it holds back.
fn launch(stream: &Stream, operations: Vec<Operation>, held: abi::Callback) -> Result<u32> {
    chain_table::launch(stream.queue(), piece::of(operations), held)
}

/// As [`launch`], with what the host gets if it holds the operations back; if not, that comes back.
fn launch_or_hold(
    stream: &Stream,
    operations: Vec<Operation>,
    late: Late,
    launched: &mut Result<()>,
) -> (u32, Option<Late>) {
    let late = Box::into_raw(Box::new(late));
    let held =
        abi::Callback { user: late.cast(), call: Some(record_late), release: Some(follow_late) };
    let ended = launch(stream, operations, held);
    if let Ok(number) = ended
        && number != 0
    {
        return (number, None);
    }
    *launched = ended.map(drop);
    // SAFETY: the host did not take it.
    (0, Some(*unsafe { Box::from_raw(late) }))
}

/// A fence that is not recorded yet, and what is left to do then.
type Late = (Fence, Behind);

/// What is left to do once work is with the driver.
struct Behind {
    stream: Stream,
    /// Memory that stays until the device reaches the fence.
    kept: SmallVec<[MemoryBuffer; 2]>,
    /// An entity may wait for this memory.
    pending: Option<PendingWork>,
    measured: Option<Measured>,
    /// What reports the work when the device has done it.
    report: Result<Option<Box<dyn FnOnce() + Send>>>,
}

impl Behind {
    /// Marks the end of the work for whoever measures it, before the fence is recorded.
    fn end(&mut self) {
        let measured = self.measured.take();
        self.report = measured.map_or(Ok(None), |measured| measured.end(&self.stream));
    }

    /// Does the rest, once the fence is recorded.
    fn follow(self, fence: &Fence) -> Result<()> {
        let Self { kept, pending, report, .. } = self;
        if !kept.is_empty() {
            let pending = pending.or_else(PendingWork::of_this_thread);
            let free = move || {
                drop(kept);
                drop(pending);
            };
            when_done(fence.point(), Action::Run(Box::new(free)))?;
        }
        match report? {
            Some(report) => when_done(fence.point(), Action::Run(report)),
            None => Ok(()),
        }
    }
}

/// Records the fence of work that was held back.
unsafe extern "C" fn record_late(user: *mut c_void) {
    // SAFETY: the box of `launch_or_hold`, until it is released; nobody else uses it meanwhile.
    let (fence, behind) = unsafe { &mut *user.cast::<Late>() };
    behind.end();
    let stream = behind.stream.raw();
    // Where the driver refuses, the point is reached when this returns. Both are alive.
    let recorded = call!(cuEventRecord(fence.event(), stream));
    _ = recorded.or_else(|_| call!(cuStreamSynchronize(stream)));
}

unsafe extern "C" fn follow_late(user: *mut c_void) {
    // SAFETY: the box of `launch_or_hold`, which is released once.
    let (fence, behind) = *unsafe { Box::from_raw(user.cast::<Late>()) };
    if let Err(error) = behind.follow(&fence) {
        gxf::error!("work on a CUDA device is not followed to its end: {error}");
    }
}

impl Stream {
    /// Enqueues work, and returns the fence behind it. The device has not done the work when this
    /// returns.
    ///
    /// # Errors
    /// Those of `enqueue`; what it enqueued before the error is ordered all the same.
    pub fn enqueue<'a, T>(
        &self,
        enqueue: impl FnOnce(&mut Work<'a>) -> Result<T>,
    ) -> Result<(T, Fence)> {
        self.enqueue_as(true, enqueue)
    }

    /// As [`Stream::enqueue`], for work that prepares something and is not done again: it becomes no
    /// CUDA graph.
    ///
    /// # Errors
    /// As there.
    pub fn prepare<'a, T>(
        &self,
        enqueue: impl FnOnce(&mut Work<'a>) -> Result<T>,
    ) -> Result<(T, Fence)> {
        self.enqueue_as(false, enqueue)
    }

    fn enqueue_as<'a, T>(
        &self,
        repeats: bool,
        enqueue: impl FnOnce(&mut Work<'a>) -> Result<T>,
    ) -> Result<(T, Fence)> {
        let _entered = self.device().enter()?;
        let mut work = Work::new(self.clone(), repeats)?;
        let result = enqueue(&mut work);
        let fence = work.finish();
        Ok((result?, fence?))
    }
}

/// A use of memory that knows its uses, by work that is enqueued elsewhere.
pub struct Use<'a> {
    owner: &'static DeviceMemoryOwnerVtable,
    memory: &'a MemoryBuffer,
    is_write: bool,
}

impl<'a> Use<'a> {
    /// A use of this memory; `None` if it does not know its uses.
    #[must_use]
    pub fn of(memory: &'a MemoryBuffer, is_write: bool) -> Option<Self> {
        owner_of(memory).map(|owner| Self { owner, memory, is_write })
    }

    /// Makes the following work of a stream wait for the uses that it must come after.
    pub fn begin(&self, stream: &Stream) -> Result<()> {
        wait_for_uses(stream, self.owner, &self.memory.as_raw().words, self.is_write)
    }

    /// Notes that the work up to the fence uses the memory.
    pub fn end(self, fence: &Fence) {
        let words = self.memory.as_raw().words.as_ptr();
        // SAFETY: the words belong to the owner of memory that is borrowed.
        unsafe { (self.owner.note_use)(words, fence.clone().into_raw(), self.is_write) };
    }
}

/// Fails unless a kernel can use the memory.
///
/// # Errors
/// `MEMORY_INVALID_STORAGE_MODE`.
pub fn require_device(memory: &MemoryBuffer) -> Result<()> {
    if is_on_device(memory.storage_type()) {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::MEMORY_INVALID_STORAGE_MODE,
        format!("{memory:?} are not on a device; copy them there first"),
    ))
}

/// Makes a stream wait for the uses of memory that come before a read or a write of its own.
pub(crate) fn wait_for_uses(
    stream: &Stream,
    owner: &DeviceMemoryOwnerVtable,
    words: &[*mut c_void; 3],
    is_write: bool,
) -> Result<()> {
    struct Waits<'a> {
        stream: &'a Stream,
        is_write: bool,
        result: Result<()>,
    }
    unsafe extern "C" fn add(user: *mut c_void, fence: *const abi::CudaFence, was_write: bool) {
        // SAFETY: `user` is the value below and the fence is valid, both during the call.
        let (waits, fence) = unsafe { (&mut *user.cast::<Waits<'_>>(), Fence::lent(fence)) };
        if (waits.is_write || was_write) && waits.result.is_ok() {
            waits.result = waits.stream.wait(fence);
        }
    }
    let mut waits = Waits { stream, is_write, result: Ok(()) };
    let sink = abi::CudaUseSink { user: (&raw mut waits).cast(), add };
    // SAFETY: the words belong to the owner, and the sink is valid during the call.
    unsafe { (owner.uses)(words.as_ptr(), sink) };
    waits.result
}
