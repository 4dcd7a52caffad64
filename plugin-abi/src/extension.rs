//! How an extension describes itself and its component types.

use crate::{CStr, ComponentEnvironment, HostTable, ParameterDescriptor, ResultCode, Tid};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Name of the only symbol an extension exports: an [`ExtensionDescriptor`].
pub const EXTENSION_SYMBOL: &str = "GXF_EXT_FACTORY";

/// First field of every descriptor: `GXE_EXT\0` as a little-endian number.
pub const ABI_MAGIC: u64 = 0x0054_5845_5f45_5847;

/// Changes when old extensions stop working. Host and extension must have the same.
pub const ABI_MAJOR: u32 = 1;

/// Grows when there are new tables. An extension loads if its number is not larger than the host's.
pub const ABI_MINOR: u32 = 14;

/// The constant that an extension exports as `GXF_EXT_FACTORY`.
///
/// It is plain data, so the host can check it before it runs any code of the library.
#[repr(C)]
#[derive(StableAbi)]
pub struct ExtensionDescriptor {
    /// [`ABI_MAGIC`].
    pub magic: u64,
    /// `size_of::<ExtensionDescriptor>()` when the extension was compiled.
    pub size: usize,
    /// [`ABI_MAJOR`] when the extension was compiled.
    pub abi_major: u32,
    /// [`ABI_MINOR`] when the extension was compiled.
    pub abi_minor: u32,
    /// The extension's own 128-bit id.
    pub id: Tid,
    /// Name; mandatory.
    pub name: CStr,
    /// Version, `major.minor.patch`; mandatory.
    pub version: CStr,
    /// Purpose of the extension; may be null.
    pub description: CStr,
    /// Author; may be null.
    pub author: CStr,
    /// Licence; may be null.
    pub license: CStr,
    /// Name for tools to show; may be null.
    pub display_name: CStr,
    /// Category for tools to show; may be null.
    pub category: CStr,
    /// One-line summary for tools to show; may be null.
    pub brief: CStr,
    /// Language and compiler of the extension; may be null.
    pub build_info: CStr,
    /// Fills `factory`. The host calls it once, after it accepts the library.
    pub create_factory: Option<
        unsafe extern "C" fn(host: *const HostTable, factory: *mut ExtensionFactory) -> ResultCode,
    >,
    /// Rust extensions: version of the crate `abi_stable` that made both layouts. Null in other
    /// languages.
    pub rust_layout_version: CStr,
    /// Rust extensions: `abi_stable` layout of the data types, which never change.
    pub rust_data_layout: *const c_void,
    /// Rust extensions: `abi_stable` layout of this minor version's tables.
    pub rust_table_layout: *const c_void,
    /// Must be zero.
    pub reserved: [usize; 8],
}

// SAFETY: every pointer refers to constant data of the extension, which is never written.
unsafe impl Sync for ExtensionDescriptor {}
// SAFETY: as above.
unsafe impl Send for ExtensionDescriptor {}

/// An extension's component types. The extension owns the memory, which stays valid while the
/// library is loaded.
#[repr(C)]
#[derive(StableAbi)]
pub struct ExtensionFactory {
    /// The host's `size_of::<ExtensionFactory>()`.
    pub size: usize,
    /// Array of pointers to types. A base must precede the types derived from it.
    pub types: *const *const ComponentType,
    /// Number of entries in `types`.
    pub type_count: usize,
}

/// The type cannot be created, only derived from.
pub const TYPE_ABSTRACT: u32 = 1;
/// The scheduling term notifies its entity whenever its answer may have changed. The engine polls
/// terms without this flag.
pub const TYPE_TERM_ANNOUNCES: u32 = 2;
/// A component type that messages carry as well. As for a payload, `environment` is then null for
/// `create`, and the instance gets no parameters and no calls.
pub const TYPE_PAYLOAD: u32 = 4;
/// The codelet's tick only enqueues work on its CUDA stream, the same work each time, so that it can
/// be recorded into a CUDA graph and replayed. It uses streams, and what messages say of them, by
/// means of gxe alone. Since ABI 1.4.
pub const TYPE_CAPTURABLE: u32 = 8;
/// The codelet changes the memory of its input in place and publishes it. Since ABI 1.4.
pub const TYPE_IN_PLACE: u32 = 16;
/// The codelet can publish into a register: memory that it is given, instead of memory that it
/// allocates. Since ABI 1.4.
pub const TYPE_PUBLISHES_INTO: u32 = 32;

/// One component type, or one payload type (a type that messages carry).
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentType {
    /// `size_of::<ComponentType>()` when the extension was compiled.
    pub size: usize,
    /// Id of the type.
    pub tid: Tid,
    /// Id of the base type; null for none. A type that does not derive from Component is a payload.
    pub base_tid: Tid,
    /// Full name such as `nvidia::gxf::PingTx`; mandatory.
    pub type_name: CStr,
    /// Name for tools to show; may be null.
    pub display_name: CStr,
    /// One-line summary for tools to show; may be null.
    pub brief: CStr,
    /// Full description; may be null.
    pub description: CStr,
    /// Any of `TYPE_ABSTRACT`, `TYPE_TERM_ANNOUNCES`, `TYPE_PAYLOAD`; for a codelet also
    /// `TYPE_CAPTURABLE`, `TYPE_IN_PLACE`, `TYPE_PUBLISHES_INTO`.
    pub flags: u32,
    /// Must be zero.
    pub reserved: u32,
    /// Size of the memory that the host passes to `create`, in bytes.
    pub instance_size: usize,
    /// Alignment of that memory in bytes: a power of two, at most 4096.
    pub instance_alignment: usize,
    /// Constructs an instance and returns its address: `storage` or any other, null on failure.
    /// `environment` is null in a message. Null for abstract types.
    pub create: Option<
        unsafe extern "C" fn(
            storage: *mut c_void,
            environment: *const ComponentEnvironment,
        ) -> *mut c_void,
    >,
    /// Destroys an object that `create` returned; null if there is nothing to destroy.
    pub destroy: Option<unsafe extern "C" fn(object: *mut c_void)>,
    /// The parameters. Other calls refer to a parameter by its index in this array.
    pub parameters: *const ParameterDescriptor,
    /// Number of parameters.
    pub parameter_count: usize,
    /// The interfaces the type implements.
    pub interfaces: *const InterfaceEntry,
    /// Number of interfaces.
    pub interface_count: usize,
}

// SAFETY: every pointer refers to constant data of the extension, which is never written.
unsafe impl Sync for ComponentType {}
// SAFETY: as above.
unsafe impl Send for ComponentType {}

/// One interface of a component type.
#[repr(C)]
#[derive(StableAbi)]
pub struct InterfaceEntry {
    /// Type id of the GXF base that the interface represents.
    pub id: Tid,
    /// Bytes to add to the object's address before passing it to the table's functions.
    pub offset: isize,
    /// The function table, which starts with its size.
    pub vtable: *const c_void,
}

// SAFETY: the vtable is constant data of the extension, which is never written.
unsafe impl Sync for InterfaceEntry {}
// SAFETY: as above.
unsafe impl Send for InterfaceEntry {}
