//! `gxe::Cuda` and `gxe::CudaKernels`: memory, fences and kernels of devices, for extensions that are not
//! written in Rust.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::device_ticks::tick_enqueued_up_to;
use super::{null_pointer, place};
use gxf::{Callback, ContextHandle, Error, MemoryBuffer, Result, ResultCode, StorageType};
use gxf_device::{Action, DeviceAllocator, Fence, Grid, LentStream, Stream, Use, when_done};
use gxf_plugin::reported::answer;
use gxf_plugin_abi::{
    self as abi, Context, CudaFence, CudaTable, KernelLaunch, KernelTable, KernelUse, Text, Uid,
};

/// The table.
pub(super) static CUDA: CudaTable = CudaTable {
    size: size_of::<CudaTable>(),
    allocate,
    take_stream,
    record,
    wait,
    is_done,
    when_done: call_when_done,
    before_use,
    after_use,
};

/// The table of kernels.
pub(super) static KERNELS: KernelTable = KernelTable { size: size_of::<KernelTable>(), launch };

/// # Safety
/// `context` must be null or alive.
unsafe fn handle(context: *mut Context) -> Result<ContextHandle> {
    if context.is_null() {
        return Err(ResultCode::CONTEXT_INVALID.into());
    }
    // SAFETY: not null and therefore alive.
    Ok(unsafe { ContextHandle::from_raw(context) })
}

/// The stream of a component.
///
/// # Safety
/// As [`handle`].
unsafe fn stream_of(context: *mut Context, cid: Uid) -> Result<Stream> {
    // SAFETY: as this function demands.
    Stream::of(&unsafe { handle(context) }?.resolve(cid)?)
}

/// # Safety
/// `fence` must be null or valid.
unsafe fn fence_of<'a>(fence: *const CudaFence) -> Result<&'a Fence> {
    // SAFETY: the type is a transparent wrapper; not null and therefore valid.
    unsafe { fence.cast::<Fence>().as_ref() }.ok_or_else(null)
}

/// # Safety
/// `memory` must be null or valid.
unsafe fn memory_of<'a>(memory: *const abi::MemoryBuffer) -> Result<&'a MemoryBuffer> {
    // SAFETY: as above.
    unsafe { memory.cast::<MemoryBuffer>().as_ref() }.ok_or_else(null)
}

fn answer_of(body: impl FnOnce() -> Result<()>) -> ResultCode {
    answer(|| body().map_err(Into::into))
}

fn null() -> gxf::Error {
    null_pointer().into()
}

unsafe extern "C" fn allocate(
    context: *mut Context,
    allocator: Uid,
    size: u64,
    storage: StorageType,
    pool: Uid,
    stream: *mut Uid,
    memory: *mut abi::MemoryBuffer,
) -> ResultCode {
    answer_of(|| {
        // SAFETY: callers pass a context that is alive, or null, and valid places, or null.
        let (context, wanted, memory) = unsafe {
            let wanted = stream.as_mut().ok_or_else(null)?;
            (handle(context)?, wanted, place(memory).ok_or_else(null)?)
        };
        let plain = context.resolve(allocator)?;
        let allocator = DeviceAllocator::of(plain, context.resolve(allocator).ok());
        let made = if *wanted == 0 && pool == 0 {
            allocator.allocate_for_all(size, storage)?
        } else if *wanted == 0 {
            let lent = LentStream::in_context(&context, &context.resolve(pool)?)?;
            *wanted = lent.cid();
            allocator.allocate_with(lent, size, storage)?
        } else {
            let stream = Stream::of(&context.resolve(*wanted)?)?;
            allocator.allocate(&stream, size, storage)?
        };
        memory.write(made.into_raw());
        Ok(())
    })
}

unsafe extern "C" fn take_stream(memory: *const abi::MemoryBuffer) -> ResultCode {
    // SAFETY: callers pass valid memory, or null.
    answer_of(|| DeviceAllocator::take_stream(unsafe { memory_of(memory) }?))
}

unsafe extern "C" fn record(
    context: *mut Context,
    stream: Uid,
    fence: *mut CudaFence,
) -> ResultCode {
    answer_of(|| {
        // SAFETY: callers pass a context that is alive, or null, and a valid place, or null.
        let (stream, fence) =
            unsafe { (stream_of(context, stream)?, place(fence).ok_or_else(null)?) };
        fence.write(stream.record()?.into_raw());
        Ok(())
    })
}

unsafe extern "C" fn wait(
    context: *mut Context,
    stream: Uid,
    fence: *const CudaFence,
) -> ResultCode {
    // SAFETY: callers pass a context that is alive, or null, and a valid fence, or null.
    answer_of(|| unsafe { stream_of(context, stream)?.wait(fence_of(fence)?) })
}

unsafe extern "C" fn is_done(fence: *const CudaFence, done: *mut bool) -> ResultCode {
    answer_of(|| {
        // SAFETY: callers pass a valid fence and place, or null.
        let (fence, done) = unsafe { (fence_of(fence)?, place(done).ok_or_else(null)?) };
        done.write(fence.is_done()?);
        Ok(())
    })
}

unsafe extern "C" fn call_when_done(
    fence: *const CudaFence,
    callback: abi::Callback,
) -> ResultCode {
    // SAFETY: the callback belongs to this function from now on.
    let callback = unsafe { Callback::from_raw(callback) };
    answer_of(|| {
        // SAFETY: callers pass a valid fence, or null.
        let fence = unsafe { fence_of(fence)? };
        when_done(fence.point(), Action::Run(Box::new(move || callback.call())))
    })
}

unsafe extern "C" fn before_use(
    context: *mut Context,
    stream: Uid,
    memory: *const abi::MemoryBuffer,
    is_write: bool,
) -> ResultCode {
    answer_of(|| {
        // SAFETY: callers pass a context that is alive, or null, and valid memory, or null.
        let (stream, memory) = unsafe { (stream_of(context, stream)?, memory_of(memory)?) };
        Use::of(memory, is_write).map_or(Ok(()), |of| of.begin(&stream))
    })
}

unsafe extern "C" fn after_use(
    memory: *const abi::MemoryBuffer,
    fence: *const CudaFence,
    is_write: bool,
) -> ResultCode {
    answer_of(|| {
        // SAFETY: callers pass valid memory and a valid fence, or null.
        let (memory, fence) = unsafe { (memory_of(memory)?, fence_of(fence)?) };
        if let Some(of) = Use::of(memory, is_write) {
            of.end(fence);
        }
        tick_enqueued_up_to(fence);
        Ok(())
    })
}

/// A text that stays in place.
///
/// # Safety
/// The text must be readable until the process ends.
unsafe fn lasting(text: Text, what: &str) -> Result<&'static str> {
    // SAFETY: as required.
    unsafe { gxf::text_to_str(text) }.filter(|text| !text.is_empty()).ok_or_else(|| {
        Error::new(ResultCode::ARGUMENT_INVALID, format!("{what} is no text in UTF-8"))
    })
}

unsafe extern "C" fn launch(
    context: *mut Context,
    stream: Uid,
    launch: *const KernelLaunch,
    fence: *mut CudaFence,
) -> ResultCode {
    answer_of(|| {
        // SAFETY: callers pass a context that is alive, or null, and a valid launch and place, or
        // null; its texts stay in place, and its uses are an array.
        let (stream, launch, fence, uses, texts) = unsafe {
            let launch = launch.as_ref().ok_or_else(null)?;
            let uses: &[KernelUse] = match launch.use_count {
                0 => &[],
                _ if launch.uses.is_null() => return Err(null()),
                count => std::slice::from_raw_parts(launch.uses, count),
            };
            let texts = (
                lasting(launch.ptx, "the PTX of a kernel")?,
                lasting(launch.name, "the name of a kernel")?,
            );
            let stream = stream_of(context, stream)?;
            (stream, launch, place(fence).ok_or_else(null)?, uses, texts)
        };
        if launch.arguments.is_null() && launch.arguments_size > 0 {
            return Err(null());
        }
        let is_twice = |(index, one): (usize, &KernelUse)| {
            uses[..index].iter().any(|other| other.memory == one.memory)
        };
        if uses.iter().enumerate().any(is_twice) {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("the kernel `{}` is given the same memory twice", texts.1),
            ));
        }
        let grid = Grid {
            blocks: launch.blocks,
            threads: launch.threads,
            shared_bytes: launch.shared_bytes,
        };
        let ((), made) = stream.enqueue(|work| {
            for KernelUse { memory, is_write } in uses {
                let memory = memory.cast::<MemoryBuffer>();
                // SAFETY: callers pass valid memory, or null, each once, which nobody else uses
                // during the call.
                unsafe {
                    if *is_write {
                        work.writes(memory.as_mut().ok_or_else(null)?)?;
                    } else {
                        work.reads(memory.as_ref().ok_or_else(null)?)?;
                    }
                }
            }
            let arguments = (launch.arguments.cast(), launch.arguments_size);
            // SAFETY: callers pass the parameter of this kernel, which uses the memory above.
            unsafe { work.launch_bytes(texts, grid, arguments) }
        })?;
        fence.write(made.into_raw());
        Ok(())
    })
}
