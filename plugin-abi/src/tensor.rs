//! Memory and tensors as messages carry them; every language of extensions sees these layouts.
//! Since ABI 1.2.

use crate::{ResultCode, StorageType, Timestamp};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Largest number of dimensions a tensor may have.
pub const MAX_RANK: usize = 8;

/// The memory must not be written to: somebody else looks at it, or the system forbids it.
pub const MEMORY_READ_ONLY: u32 = 1;

/// Host memory that takes the place of device memory: it was read from a recording that says the
/// payload lies on a device, where there is none. Recorded again, the payload says so too.
pub const MEMORY_RECORDED_ON_DEVICE: u32 = 2;

/// How a piece of memory is given back and shared; one constant table a kind of owner.
///
/// All functions may be called from any thread, also after the graph the memory comes from has
/// ended.
#[repr(C)]
#[derive(StableAbi)]
pub struct MemoryOwnerVtable {
    /// `size_of::<MemoryOwnerVtable>()` of the implementor.
    pub size: usize,
    /// Ends one ownership, the last one gives the memory back. `words` leads to the three words of
    /// the buffer, `pointer` and `size` are the buffer's. Nobody uses the buffer afterwards. A
    /// failure is worth a log line; the memory is lost then.
    pub release:
        unsafe extern "C" fn(words: *const *mut c_void, pointer: *mut u8, size: u64) -> ResultCode,
    /// Adds an ownership: from then on a copy of the buffer owns the memory as well, whatever part
    /// of it its `pointer` and `size` show. Null: the memory has one owner; to share it, put the
    /// buffer into an owner that can.
    pub retain: Option<unsafe extern "C" fn(words: *const *mut c_void)>,
    /// Number of ownerships. Null exactly where `retain` is null.
    pub owner_count: Option<unsafe extern "C" fn(words: *const *mut c_void) -> u32>,
}

/// A piece of memory and the way to give it back. All zero: no memory.
///
/// Whoever holds the structure owns the memory: it is moved, never copied, except as
/// [`MemoryOwnerVtable::retain`] says, and ends with [`MemoryOwnerVtable::release`].
#[repr(C)]
#[derive(StableAbi)]
pub struct MemoryBuffer {
    /// First byte; null when `size` is 0 and there is no memory.
    pub pointer: *mut u8,
    /// Bytes from `pointer` on.
    pub size: u64,
    /// Where the memory lies.
    pub storage_type: StorageType,
    /// Set of `MEMORY_READ_ONLY` and `MEMORY_RECORDED_ON_DEVICE`.
    pub flags: u32,
    /// How the memory is given back. Null: not at all, it outlives everybody.
    pub owner: *const MemoryOwnerVtable,
    /// What the functions of `owner` need to know. For memory of an allocator: the allocator's
    /// object, its [`crate::AllocatorVtable`], and the `owner` of its [`crate::InterfaceRef`],
    /// which keeps it alive.
    pub words: [*mut c_void; 3],
}

/// Type of a tensor's elements (`nvidia::gxf::PrimitiveType`, with its numbers).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StableAbi)]
pub struct PrimitiveType(pub i32);

impl PrimitiveType {
    /// Known to sender and receiver alone; the tensor states its size.
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
    /// The upper half of a binary32. Not a type of GXF, hence a number far from GXF's.
    pub const BFLOAT16: Self = Self(256);

    /// Bytes of an element; 0 for `CUSTOM` and numbers without a name.
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

    /// Name as people write it, such as `float32`; `unknown` for numbers without a name.
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
    /// Length of each dimension, the outermost first; 1 beyond the rank.
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
    /// 0, or 1 plus the storage type a recording states, when the tensor was read from one and lies
    /// elsewhere because there is no such memory here. Whoever records it again states that type.
    pub recorded_storage: u32,
    /// Size of an element in bytes.
    pub bytes_per_element: u64,
    /// Bytes from an element to the next one of the same dimension; 0 beyond the rank.
    pub strides: [u64; MAX_RANK],
    /// The elements. `pointer` leads to the first one.
    pub memory: MemoryBuffer,
}

/// One clock's time in a [`MultiSourceTimestamp`].
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, StableAbi)]
pub struct SourceTimestamp {
    /// The time.
    pub timestamp: Timestamp,
    /// Which clock: 0 the machine's counter (TSC), 1 NTP, 2 PTP.
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
