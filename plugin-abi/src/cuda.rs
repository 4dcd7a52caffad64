//! Work on CUDA devices: streams, fences, and memory that goes home in stream order. Since ABI 1.6.
//!
//! Streams and events cross the boundary as the driver's own handles (`CUstream`, `CUevent`), so
//! that an extension may use any CUDA library beside the SDK. Without CUDA none of this is used.

use crate::{
    Callback, Context, MemoryBuffer, MemoryOwnerVtable, ResultCode, StorageType, Text, Tid, Uid,
};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Bits of [`MemoryBuffer::flags`] that hold the number of the device.
pub const MEMORY_DEVICE_SHIFT: u32 = 24;

/// Identifies a [`DeviceMemoryOwnerVtable`] among the owners of memory: its field `id`.
pub const DEVICE_MEMORY_OWNER: Tid = Tid::new(0x6f0d_8c51_2be7_4a93, 0x9a4c_71d2_08f5_e36b);

/// A point in the work of a stream, which the device reaches some time (`gxe::CudaFence`). All zero:
/// a point that is reached.
///
/// The holder owns one reference to `owner`.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaFence {
    /// The driver's event, recorded at that point.
    pub event: *mut c_void,
    /// The driver's stream that it was recorded on.
    pub stream: *mut c_void,
    /// Number of the device.
    pub device: i32,
    /// Since ABI 1.12: the number of a piece of work that may be held back, and with it the event. Before
    /// the event is used, [`DeviceChainTable::let_go`] must have been called with it. 0 for none.
    pub reserved: u32,
    /// Grows with each fence of a stream.
    pub sequence: u64,
    /// Keeps the event alive.
    pub owner: *mut c_void,
    /// Adds a reference to `owner`. From any thread.
    pub retain: Option<unsafe extern "C" fn(owner: *mut c_void)>,
    /// Releases a reference to `owner`. From any thread, but not from a host function of the driver.
    pub release: Option<unsafe extern "C" fn(owner: *mut c_void)>,
}

/// The stream that the data of a message is written on (`nvidia::gxf::CudaStreamId`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct CudaStreamId {
    /// Id of the component, a CudaStream; 0 for none.
    pub stream_cid: Uid,
}

/// An event that a message carries (`nvidia::gxf::CudaEvent`). All zero: none.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaEvent {
    /// The driver's event.
    pub event: *mut c_void,
    /// Number of the device; -1 if unknown.
    pub device: i32,
    /// Must be zero.
    pub reserved: u32,
    /// Frees the event; `call` and `release` are called once, in this order. All zero: nobody does.
    pub free: Callback,
}

/// Memory on a device that becomes valid some time (`nvidia::gxf::CudaBuffer`). All zero: unset.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaBuffer {
    /// The memory.
    pub memory: MemoryBuffer,
    /// When it is valid.
    pub fence: CudaFence,
    /// The stream that writes it, a CudaStream; 0 for none.
    pub stream_cid: Uid,
    /// 0 unset, 1 somebody waits for it, 2 the data is available.
    pub state: u32,
    /// Must be zero.
    pub reserved: u32,
}

/// Receives the uses of a piece of memory.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct CudaUseSink {
    /// First argument of `add`.
    pub user: *mut c_void,
    /// Called for each use; the fence is valid during the call and stays with its owner.
    pub add: unsafe extern "C" fn(user: *mut c_void, fence: *const CudaFence, is_write: bool),
}

/// How to release memory that streams use: a [`MemoryOwnerVtable`] with more functions behind it.
/// Its `base.size` is the size of this structure, and `id` is [`DEVICE_MEMORY_OWNER`].
///
/// Releasing the last ownership does not wait: the memory returns to its allocator once the device
/// has reached all the uses that were noted.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceMemoryOwnerVtable {
    /// The functions of every owner.
    pub base: MemoryOwnerVtable,
    /// [`DEVICE_MEMORY_OWNER`].
    pub id: Tid,
    /// Notes that work up to `fence` uses the memory. Takes the fence over. Whoever enqueues work
    /// that writes must have made its stream wait for all uses, one that reads for the last write.
    pub note_use: unsafe extern "C" fn(words: *const *mut c_void, fence: CudaFence, is_write: bool),
    /// Lists the uses that the device may not have reached.
    pub uses: unsafe extern "C" fn(words: *const *mut c_void, sink: CudaUseSink),
}

/// `nvidia::gxf::CudaStream`: a stream of a device.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaStreamVtable {
    /// The implementor's `size_of::<CudaStreamVtable>()`.
    pub size: usize,
    /// The driver's stream, which lives as long as the component; null while its pool is not active.
    pub stream: unsafe extern "C" fn(object: *mut c_void) -> *mut c_void,
    /// Number of the device; -1 if there is no stream.
    pub device: unsafe extern "C" fn(object: *mut c_void) -> i32,
    /// Blocks until the device has done all work of the stream.
    pub synchronize: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
    /// Records `event`, an event of the driver, unless that is null, and calls back once the device
    /// has reached this point, from a thread that may use CUDA.
    pub record: unsafe extern "C" fn(
        object: *mut c_void,
        event: *mut c_void,
        callback: Callback,
    ) -> ResultCode,
    /// Blocks until all callbacks of `record` are done.
    pub reset_events: unsafe extern "C" fn(object: *mut c_void) -> ResultCode,
}

/// `nvidia::gxf::CudaStreamPool`: streams for codelets. The component also has an Allocator
/// interface.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaStreamPoolVtable {
    /// The implementor's `size_of::<CudaStreamPoolVtable>()`.
    pub size: usize,
    /// Takes a stream from the pool: the id of a CudaStream. `EXCEEDING_PREALLOCATED_SIZE` beyond
    /// the pool's limit.
    pub allocate_stream: unsafe extern "C" fn(object: *mut c_void, cid: *mut Uid) -> ResultCode,
    /// Gives a stream back. Its work goes on; the next user's work comes after it.
    pub release_stream: unsafe extern "C" fn(object: *mut c_void, cid: Uid) -> ResultCode,
}

/// `nvidia::gxf::CudaAllocator`: memory in the order of a stream. The component also has an
/// Allocator interface. Types of any base may implement it.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaAllocatorVtable {
    /// The implementor's `size_of::<CudaAllocatorVtable>()`.
    pub size: usize,
    /// Allocates `size` bytes for work that is enqueued on `stream`, a stream of the driver, from
    /// now on.
    pub allocate_async: unsafe extern "C" fn(
        object: *mut c_void,
        size: u64,
        storage: StorageType,
        stream: *mut c_void,
        pointer: *mut *mut u8,
    ) -> ResultCode,
    /// Frees memory after the work that is enqueued on `stream` so far. Callable from any thread.
    pub free_async: unsafe extern "C" fn(
        object: *mut c_void,
        pointer: *mut u8,
        stream: *mut c_void,
    ) -> ResultCode,
    /// Bytes that the allocator holds of this kind of memory, in use or not.
    pub pool_size: unsafe extern "C" fn(object: *mut c_void, storage: StorageType) -> u64,
    /// Number of the device.
    pub device: unsafe extern "C" fn(object: *mut c_void) -> i32,
}

/// The StreamSync that orders the work on the data of a message (`nvidia::gxf::StreamSyncId`). Since
/// ABI 1.7.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct StreamSyncId {
    /// Id of the component, a StreamSync; 0 for none.
    pub stream_sync_cid: Uid,
}

/// `nvidia::gxf::StreamSync`: orders the work of one stream after that of another, on the devices.
/// Since ABI 1.7.
#[repr(C)]
#[derive(StableAbi)]
pub struct StreamSyncVtable {
    /// The implementor's `size_of::<StreamSyncVtable>()`.
    pub size: usize,
    /// Marks the end of the work that is on `stream`, one of the driver's, so far.
    pub signal: unsafe extern "C" fn(object: *mut c_void, stream: *mut c_void) -> ResultCode,
    /// Makes the following work of `stream`, one of the driver's, wait for the last mark.
    /// `INVALID_EXECUTION_SEQUENCE` before the first.
    pub wait: unsafe extern "C" fn(object: *mut c_void, stream: *mut c_void) -> ResultCode,
}

/// `gxe::Cuda`: memory and fences of devices, for extensions that are not written in Rust. A table of
/// the host. Since ABI 1.7. Streams are named by their component, a CudaStream.
#[repr(C)]
#[derive(StableAbi)]
pub struct CudaTable {
    /// The host's `size_of::<CudaTable>()`.
    pub size: usize,
    /// Allocates memory of an allocator for work on a stream. It knows its uses, and returns in the
    /// order of the work when its last owner is released. If `*stream` is 0, the stream comes from
    /// `pool`, a CudaStreamPool, and returns with the memory; `*stream` becomes its id. Since ABI 1.13,
    /// both may be 0: any stream may use the memory at once, and it returns behind all noted uses.
    pub allocate: unsafe extern "C" fn(
        context: *mut Context,
        allocator: Uid,
        size: u64,
        storage: StorageType,
        pool: Uid,
        stream: *mut Uid,
        memory: *mut MemoryBuffer,
    ) -> ResultCode,
    /// Takes the stream of a pool from memory of `allocate`. The caller gives it back to the pool.
    /// `FAILURE` if the memory has none.
    pub take_stream: unsafe extern "C" fn(memory: *const MemoryBuffer) -> ResultCode,
    /// Marks this point in the work of a stream.
    pub record: unsafe extern "C" fn(
        context: *mut Context,
        stream: Uid,
        fence: *mut CudaFence,
    ) -> ResultCode,
    /// Makes the following work of a stream wait, on the device, for a point.
    pub wait: unsafe extern "C" fn(
        context: *mut Context,
        stream: Uid,
        fence: *const CudaFence,
    ) -> ResultCode,
    /// Whether the device has reached a point.
    pub is_done: unsafe extern "C" fn(fence: *const CudaFence, done: *mut bool) -> ResultCode,
    /// Calls back once the device has reached a point, or has failed: at once if it has, otherwise
    /// from a thread that may use CUDA.
    pub when_done: unsafe extern "C" fn(fence: *const CudaFence, callback: Callback) -> ResultCode,
    /// Makes the following work of a stream wait for the uses of memory that it must come after: for
    /// reading the last write, for writing all. Memory that does not know its uses has none.
    pub before_use: unsafe extern "C" fn(
        context: *mut Context,
        stream: Uid,
        memory: *const MemoryBuffer,
        is_write: bool,
    ) -> ResultCode,
    /// Tells memory that the work of a stream up to a point uses it. The caller keeps memory that does
    /// not know its uses alive.
    pub after_use: unsafe extern "C" fn(
        memory: *const MemoryBuffer,
        fence: *const CudaFence,
        is_write: bool,
    ) -> ResultCode,
}

/// A piece of work that a device has done. Since ABI 1.9.
#[repr(C)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct DeviceWork {
    /// Tells the streams of a device apart.
    pub stream: u64,
    /// Number of the device.
    pub device: i32,
    /// Must be zero.
    pub reserved: u32,
    /// When the device began: nanoseconds of `CLOCK_MONOTONIC`.
    pub begin: i64,
    /// When it had done the work.
    pub end: i64,
    /// Waits for other streams that the device came to since the last work of the stream.
    pub waits: u64,
    /// Bytes copied to the device.
    pub to_device: u64,
    /// Bytes copied to the host.
    pub to_host: u64,
    /// Bytes copied within or between devices.
    pub between: u64,
}

/// `gxe::DeviceWork`: what graphs want to know about the work of devices. A table of the host. Since
/// ABI 1.9.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceWorkTable {
    /// The host's `size_of::<DeviceWorkTable>()`.
    pub size: usize,
    /// The calling thread begins to enqueue a piece of work. Null if the graph that it executes
    /// neither has statistics nor records a trace.
    pub begin: unsafe extern "C" fn() -> *mut c_void,
    /// A device has done the work of a `begin`. Null for `work` if nothing is known about it. From any
    /// thread, once.
    pub end: unsafe extern "C" fn(watch: *mut c_void, work: *const DeviceWork),
    /// Whether the graph that the calling thread executes wants each piece of work to be done before
    /// the call that enqueues it returns, so that an error appears there.
    pub is_synchronous: unsafe extern "C" fn() -> bool,
}

/// `gxe::DeviceTicks`: how far entities run ahead of devices. A table of the host. Since ABI 1.14.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceTickTable {
    /// The host's `size_of::<DeviceTickTable>()`.
    pub size: usize,
    /// The calling thread's tick has enqueued work on a stream of the driver, up to the fence. Once as
    /// many ticks of an entity as the host allows have work that the device has not done, the entity
    /// does not tick.
    pub enqueued: unsafe extern "C" fn(stream: *mut c_void, fence: *const CudaFence),
}

/// `gxe::DeviceGraphs`: work that becomes CUDA graphs. A table of the host. Since ABI 1.10.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceGraphTable {
    /// The host's `size_of::<DeviceGraphTable>()`.
    pub size: usize,
    /// Whether the piece of work that the calling thread begins may be launched as a CUDA graph: the
    /// run asks for graphs, and the codelet that the thread ticks is `TYPE_CAPTURABLE`.
    pub is_wanted: unsafe extern "C" fn() -> bool,
    /// The calling thread launched a piece of work as a CUDA graph of so many operations. `is_new`:
    /// the graph was captured for it.
    pub launched: unsafe extern "C" fn(operations: u64, is_new: bool),
    /// The calling thread enqueued a piece of work operation by operation. `reason` says why, and
    /// that this will not change; empty: a graph may follow.
    pub ordinary: unsafe extern "C" fn(reason: Text),
}

/// The operations of a piece of work, as a value that any thread may use. Since ABI 1.12.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct CudaPiece {
    /// First argument of the functions.
    pub user: *mut c_void,
    /// Number of operations.
    pub operations: u64,
    /// Enqueues the operations on a stream, whose device's context is current. Calls nothing of the
    /// host but to report an error.
    pub enqueue: unsafe extern "C" fn(user: *mut c_void, stream: *mut c_void) -> ResultCode,
    /// Whether another piece with the same function does the same.
    pub equals: unsafe extern "C" fn(user: *mut c_void, other: *mut c_void) -> bool,
    /// Called once, after all other calls.
    pub release: unsafe extern "C" fn(user: *mut c_void),
}

/// `gxe::DeviceChains`: pieces of work of several entities on one stream that become one launch. A
/// piece may be held back beyond its tick if all messages of its entity go to entities whose codelets
/// are `TYPE_CAPTURABLE`. A table of the host. Since ABI 1.12.
#[repr(C)]
#[derive(StableAbi)]
pub struct DeviceChainTable {
    /// The host's `size_of::<DeviceChainTable>()`.
    pub size: usize,
    /// Launches a piece of work that the calling thread's tick made, behind what is held back of its
    /// stream, or holds it back, too: `number` is then not 0. `held` is called once when a piece that
    /// was held back is with the driver, in its device's context and before anybody hears of it; it
    /// uses none of this table's functions. It is released soon afterwards, and must not be called or kept if
    /// the piece was not held back: the caller still has it then. Its function is null if the piece
    /// cannot be held back. `is_foreign`: the stream may end at any time after the call.
    pub launch: unsafe extern "C" fn(
        stream: *mut c_void,
        device: i32,
        is_foreign: bool,
        piece: CudaPiece,
        held: Callback,
        number: *mut u32,
    ) -> ResultCode,
    /// Launches what is held back of a stream, if this piece is among it; 0 stands for any piece.
    /// `reason` says why that could not wait.
    pub let_go: unsafe extern "C" fn(stream: *mut c_void, number: u32, reason: Text) -> ResultCode,
    /// Calls back soon after a piece that is held back was launched. False if it is not held back: the
    /// caller still has the callback then.
    pub after: unsafe extern "C" fn(stream: *mut c_void, number: u32, callback: Callback) -> bool,
    /// Launches all that is held back.
    pub let_all_go: unsafe extern "C" fn(reason: Text),
}

/// Memory that a kernel uses. Since ABI 1.11.
#[repr(C)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct KernelUse {
    /// The memory. Nobody else may use this value during the call.
    pub memory: *mut MemoryBuffer,
    /// Whether the kernel writes it, and perhaps reads it.
    pub is_write: bool,
}

/// A kernel and its arguments. Since ABI 1.11.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct KernelLaunch {
    /// PTX text, which the driver compiles when a device needs it first. It must stay in place until
    /// the process ends, as must `name`.
    pub ptx: Text,
    /// The kernel's name in the text. It has one parameter.
    pub name: Text,
    /// Blocks in each dimension; if one is 0, nothing is launched.
    pub blocks: [u32; 3],
    /// Threads of a block in each dimension.
    pub threads: [u32; 3],
    /// Memory that the threads of a block share, beside what the kernel itself declares.
    pub shared_bytes: u32,
    /// Must be zero.
    pub reserved: u32,
    /// The kernel's parameter. All its bytes must have values.
    pub arguments: *const c_void,
    /// Bytes of the parameter.
    pub arguments_size: usize,
    /// The memory that the kernel uses, each piece once.
    pub uses: *const KernelUse,
    /// Number of `uses`.
    pub use_count: usize,
}

/// `gxe::CudaKernels`: kernels for extensions that are not written in Rust. A table of the host. Since
/// ABI 1.11.
#[repr(C)]
#[derive(StableAbi)]
pub struct KernelTable {
    /// The host's `size_of::<KernelTable>()`.
    pub size: usize,
    /// Enqueues a kernel on a stream, a CudaStream, after the uses of its memory that it must come
    /// after, and tells the memory of it. The device has not executed the kernel when this returns,
    /// unless memory is used that does not know its uses. `fence` gets the point behind the kernel.
    pub launch: unsafe extern "C" fn(
        context: *mut Context,
        stream: Uid,
        launch: *const KernelLaunch,
        fence: *mut CudaFence,
    ) -> ResultCode,
}
