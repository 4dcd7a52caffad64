//! Memory and tensors in messages. Extensions in every language share these layouts. Since ABI 1.2.

use crate::{ResultCode, StorageType, Timestamp};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Highest number of dimensions of a tensor.
pub const MAX_RANK: usize = 8;

/// The memory must not be written: it has other readers, or the system forbids it.
pub const MEMORY_READ_ONLY: u32 = 1;

/// Host memory in place of device memory: the payload comes from a recording that places it on a
/// device, and this machine has none. A recorder writes the original placement again.
pub const MEMORY_RECORDED_ON_DEVICE: u32 = 2;

/// How to release and share a piece of memory: one constant table for each kind of owner.
///
/// All functions may be called from any thread, even after the end of the graph that allocated the
/// memory.
#[repr(C)]
#[derive(StableAbi)]
pub struct MemoryOwnerVtable {
    /// The implementor's `size_of::<MemoryOwnerVtable>()`.
    pub size: usize,
    /// Ends one ownership; the last one frees the memory. `words` points to the buffer's three
    /// words; `pointer` and `size` are the buffer's. The buffer must not be used afterwards. On
    /// failure the memory leaks, which deserves a log line.
    pub release:
        unsafe extern "C" fn(words: *const *mut c_void, pointer: *mut u8, size: u64) -> ResultCode,
    /// Adds an owner: from now on a copy of the buffer owns the memory, too, whichever part of it
    /// the copy's `pointer` and `size` cover. Null: the memory has one owner; to share it, move the
    /// buffer into an owner that supports sharing.
    pub retain: Option<unsafe extern "C" fn(words: *const *mut c_void)>,
    /// Number of ownerships. Null if and only if `retain` is null.
    pub owner_count: Option<unsafe extern "C" fn(words: *const *mut c_void) -> u32>,
}

/// A piece of memory and the means to release it. All zero: no memory.
///
/// The holder of the structure owns the memory. Move the structure; copy it only as
/// [`MemoryOwnerVtable::retain`] allows. [`MemoryOwnerVtable::release`] ends the ownership.
#[repr(C)]
#[derive(StableAbi)]
pub struct MemoryBuffer {
    /// First byte; null if `size` is 0 and there is no memory.
    pub pointer: *mut u8,
    /// Size in bytes.
    pub size: u64,
    /// Kind of memory.
    pub storage_type: StorageType,
    /// Any of `MEMORY_READ_ONLY`, `MEMORY_RECORDED_ON_DEVICE`.
    pub flags: u32,
    /// How to release the memory. Null: never; the memory lives for ever.
    pub owner: *const MemoryOwnerVtable,
    /// Data for the functions of `owner`. For memory from an allocator: the allocator's object, its
    /// [`crate::AllocatorVtable`], and the `owner` of its [`crate::InterfaceRef`], which keeps it
    /// alive.
    pub words: [*mut c_void; 3],
}

/// Type of a tensor's elements (`nvidia::gxf::PrimitiveType`, with its numbers).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StableAbi)]
pub struct PrimitiveType(pub i32);

impl PrimitiveType {
    /// A private agreement between sender and receiver; the tensor states the size.
    pub const CUSTOM: Self = Self(0);
    /// 8 bits, signed.
    pub const INT8: Self = Self(1);
    /// 8 bits, unsigned.
    pub const UNSIGNED8: Self = Self(2);
    /// 16 bits, signed.
    pub const INT16: Self = Self(3);
    /// 16 bits, unsigned.
    pub const UNSIGNED16: Self = Self(4);
    /// 32 bits, signed.
    pub const INT32: Self = Self(5);
    /// 32 bits, unsigned.
    pub const UNSIGNED32: Self = Self(6);
    /// 64 bits, signed.
    pub const INT64: Self = Self(7);
    /// 64 bits, unsigned.
    pub const UNSIGNED64: Self = Self(8);
    /// IEEE 754 binary32.
    pub const FLOAT32: Self = Self(9);
    /// IEEE 754 binary64.
    pub const FLOAT64: Self = Self(10);
    /// Two binary32: real part, imaginary part.
    pub const COMPLEX64: Self = Self(11);
    /// Two binary64: real part, imaginary part.
    pub const COMPLEX128: Self = Self(12);
    /// IEEE 754 binary16.
    pub const FLOAT16: Self = Self(13);
    /// The upper half of a binary32. Not a GXF type, so its number is far from GXF's.
    pub const BFLOAT16: Self = Self(256);

    /// Size of an element in bytes; 0 for `CUSTOM` and numbers without a name.
    #[must_use]
    pub const fn size(self) -> u64 {
        match self {
            Self::INT8 | Self::UNSIGNED8 => 1,
            Self::INT16 | Self::UNSIGNED16 | Self::FLOAT16 | Self::BFLOAT16 => 2,
            Self::INT32 | Self::UNSIGNED32 | Self::FLOAT32 => 4,
            Self::INT64 | Self::UNSIGNED64 | Self::FLOAT64 | Self::COMPLEX64 => 8,
            Self::COMPLEX128 => 16,
            _ => 0,
        }
    }

    /// Common name, such as `float32`; `unknown` for numbers without a name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CUSTOM => "custom",
            Self::INT8 => "int8",
            Self::UNSIGNED8 => "uint8",
            Self::INT16 => "int16",
            Self::UNSIGNED16 => "uint16",
            Self::INT32 => "int32",
            Self::UNSIGNED32 => "uint32",
            Self::INT64 => "int64",
            Self::UNSIGNED64 => "uint64",
            Self::FLOAT32 => "float32",
            Self::FLOAT64 => "float64",
            Self::COMPLEX64 => "complex64",
            Self::COMPLEX128 => "complex128",
            Self::FLOAT16 => "float16",
            Self::BFLOAT16 => "bfloat16",
            _ => "unknown",
        }
    }
}

/// Dimensions of a tensor (`nvidia::gxf::Shape`).
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct Shape {
    /// Number of dimensions, up to [`MAX_RANK`].
    pub rank: u32,
    /// Length of each dimension, outermost first; 1 beyond the rank.
    pub dimensions: [i32; MAX_RANK],
}

/// An array of up to eight dimensions (`nvidia::gxf::Tensor`). All zero: no elements.
#[repr(C)]
#[derive(StableAbi)]
pub struct Tensor {
    /// Type of the elements.
    pub element_type: PrimitiveType,
    /// Rank and lengths.
    pub shape: Shape,
    /// 0, or 1 plus the storage type in the recording, for a tensor that was read from a recording
    /// and lies elsewhere because this machine has no such memory. A recorder writes that type
    /// again.
    pub recorded_storage: u32,
    /// Size of an element in bytes.
    pub bytes_per_element: u64,
    /// Distance between neighbouring elements of a dimension in bytes; 0 beyond the rank.
    pub strides: [u64; MAX_RANK],
    /// The elements. `pointer` refers to the first one.
    pub memory: MemoryBuffer,
}

/// One clock's time in a [`MultiSourceTimestamp`].
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct SourceTimestamp {
    /// The time.
    pub timestamp: Timestamp,
    /// The clock: 0 the machine's counter (TSC), 1 NTP, 2 PTP.
    pub time_domain: u8,
    /// Padding, 0.
    pub reserved: [u8; 7],
}

/// The same moment on several clocks (`nvidia::gxf::MultiSourceTimestamp`).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct MultiSourceTimestamp {
    /// Number of entries, up to 3.
    pub count: u64,
    /// The entries.
    pub entries: [SourceTimestamp; 3],
}
