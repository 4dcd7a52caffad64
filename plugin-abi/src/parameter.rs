//! Parameters at the ABI boundary: their types and the layout of their values.

use crate::{CStr, Tid};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// The element type of a parameter. The numbers are GXF's `gxf_parameter_type_t`; those from 64 on
/// are gxe's.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, StableAbi)]
pub struct ParameterType(pub u32);

impl ParameterType {
    /// Any other type: the component receives the YAML text of the value and parses it itself.
    pub const CUSTOM: Self = Self(0);
    /// Id of another component; the descriptor's `handle_tid` is the required type.
    pub const HANDLE: Self = Self(1);
    /// Text.
    pub const STRING: Self = Self(2);
    /// Signed 64-bit integer.
    pub const INT64: Self = Self(3);
    /// Unsigned 64-bit integer.
    pub const UINT64: Self = Self(4);
    /// 64-bit float.
    pub const FLOAT64: Self = Self(5);
    /// One byte, 0 or 1.
    pub const BOOL: Self = Self(6);
    /// Signed 32-bit integer.
    pub const INT32: Self = Self(7);
    /// Path of a file, as text.
    pub const FILE: Self = Self(8);
    /// Signed 8-bit integer.
    pub const INT8: Self = Self(9);
    /// Signed 16-bit integer.
    pub const INT16: Self = Self(10);
    /// Unsigned 8-bit integer.
    pub const UINT8: Self = Self(11);
    /// Unsigned 16-bit integer.
    pub const UINT16: Self = Self(12);
    /// Unsigned 32-bit integer.
    pub const UINT32: Self = Self(13);
    /// 32-bit float.
    pub const FLOAT32: Self = Self(14);
    /// Two 32-bit floats: real and imaginary part.
    pub const COMPLEX64: Self = Self(15);
    /// Two 64-bit floats: real and imaginary part.
    pub const COMPLEX128: Self = Self(16);
    /// A 128-bit type id.
    pub const TID: Self = Self(64);
}

/// The parameter may have no value (GXF's `GXF_PARAMETER_FLAGS_OPTIONAL`).
pub const PARAMETER_OPTIONAL: u32 = 1;
/// The parameter may change while the graph runs (GXF's `GXF_PARAMETER_FLAGS_DYNAMIC`).
pub const PARAMETER_DYNAMIC: u32 = 2;

/// The highest rank of a parameter.
pub const PARAMETER_MAX_RANK: usize = 8;

/// Text with a length; not terminated by a zero byte.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct Text {
    /// First byte (UTF-8); may be null when `length` is 0.
    pub data: *const u8,
    /// Number of bytes.
    pub length: usize,
}

/// A parameter value.
///
/// - rank 0: `data` points to one element (`count` is 1);
/// - rank 1: `data` points to `count` consecutive elements;
/// - rank 2 and more: `data` points to `count` values of the next lower rank, so rows may differ in
///   length.
///
/// The element for each [`ParameterType`]: the integer or float it names; a byte 0 or 1 for `BOOL`;
/// [`Text`] for `STRING`, `FILE` and `CUSTOM` (YAML text); a component's [`crate::Uid`] for
/// `HANDLE`; a [`Tid`] for `TID`; two floats for the complex types. The memory belongs to the
/// caller and is valid during the call.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct Value {
    /// Type of the elements.
    pub element_type: ParameterType,
    /// Number of dimensions.
    pub rank: u32,
    /// Number of elements, or of values of the next lower rank.
    pub count: usize,
    /// The elements, or the values of the next lower rank.
    pub data: *const c_void,
}

/// Description of one parameter of a component type.
#[repr(C)]
#[derive(StableAbi)]
pub struct ParameterDescriptor {
    /// `size_of::<ParameterDescriptor>()` when the extension was compiled.
    pub size: usize,
    /// Name in YAML.
    pub key: CStr,
    /// Short title; null for none.
    pub headline: CStr,
    /// Full description; null for none.
    pub description: CStr,
    /// Physical unit such as `ms` or `byte`; null for none.
    pub unit: CStr,
    /// Any of `PARAMETER_OPTIONAL`, `PARAMETER_DYNAMIC`.
    pub flags: u32,
    /// Type of the elements.
    pub element_type: ParameterType,
    /// 0 for one element, 1 for a list, 2 for a list of lists, …
    pub rank: u32,
    /// Length of each dimension; -1 for any length. Only the first `rank` entries are used.
    pub shape: [i32; PARAMETER_MAX_RANK],
    /// Required type of a handle; null for other parameters.
    pub handle_tid: Tid,
    /// Default value; null for none.
    pub default_value: *const Value,
    /// Smallest allowed number; null for no limit.
    pub minimum: *const Value,
    /// Largest allowed number; null for no limit.
    pub maximum: *const Value,
    /// Step between allowed numbers, for editors; null for none.
    pub step: *const Value,
    /// The only allowed texts (an enumeration by name); null for any text.
    pub choices: *const CStr,
    /// Number of entries in `choices`.
    pub choice_count: usize,
}

// SAFETY: every pointer refers to constant data of the extension, which is never written.
unsafe impl Sync for ParameterDescriptor {}
// SAFETY: as above.
unsafe impl Send for ParameterDescriptor {}
