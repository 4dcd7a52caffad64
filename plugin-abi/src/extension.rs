//! What an extension says about itself and its component types.

use crate::{CStr, ComponentEnvironment, HostTable, ParameterDescriptor, ResultCode, Tid};
use abi_stable::StableAbi;
use core::ffi::c_void;

/// Name of the one symbol an extension exports, an [`ExtensionDescriptor`].
pub const EXTENSION_SYMBOL: &str = "GXF_EXT_FACTORY";

/// First field of every descriptor: `GXE_EXT\0` read as a little-endian number.
pub const ABI_MAGIC: u64 = 0x0054_5845_5f45_5847;

/// Changes when old extensions can no longer be used. Host and extension must agree.
pub const ABI_MAJOR: u32 = 1;

/// Grows when tables get longer. The extension's must not be newer than the host's.
pub const ABI_MINOR: u32 = 3;

/// The constant an extension exports under the name `GXF_EXT_FACTORY`.
///
/// It is plain data, so the host can judge it before it calls into the library.
#[repr(C)]
#[derive(StableAbi)]
pub struct ExtensionDescriptor {
    /// [`ABI_MAGIC`].
    pub magic: u64,
    /// `size_of::<ExtensionDescriptor>()` as the extension was compiled.
    pub size: usize,
    /// [`ABI_MAJOR`] as the extension was compiled.
    pub abi_major: u32,
    /// [`ABI_MINOR`] as the extension was compiled.
    pub abi_minor: u32,
    /// The extension's own 128-bit id.
    pub id: Tid,
    /// Name; mandatory.
    pub name: CStr,
    /// Version, `major.minor.patch`; mandatory.
    pub version: CStr,
    /// What the extension is for; may be null.
    pub description: CStr,
    /// Who wrote it; may be null.
    pub author: CStr,
    /// Its licence; may be null.
    pub license: CStr,
    /// Name shown in tools; may be null.
    pub display_name: CStr,
    /// Category shown in tools; may be null.
    pub category: CStr,
    /// One line shown in tools; may be null.
    pub brief: CStr,
    /// Language and compiler the extension was built with; may be null.
    pub build_info: CStr,
    /// Called once after the library was accepted; fills `factory`.
    pub create_factory: Option<
        unsafe extern "C" fn(host: *const HostTable, factory: *mut ExtensionFactory) -> ResultCode,
    >,
    /// Rust extensions: version of the crate `abi_stable` the two layouts were made with. Null in
    /// other languages.
    pub rust_layout_version: CStr,
    /// Rust extensions: `abi_stable` layout of the data types that never change.
    pub rust_data_layout: *const c_void,
    /// Rust extensions: `abi_stable` layout of the tables of this minor version.
    pub rust_table_layout: *const c_void,
    /// Zero.
    pub reserved: [usize; 8],
}

// SAFETY: all pointers lead to constant data of the extension; nobody writes through them.
unsafe impl Sync for ExtensionDescriptor {}
// SAFETY: as above.
unsafe impl Send for ExtensionDescriptor {}

/// The component types of an extension. The memory belongs to the extension and stays valid as
/// long as the library is loaded.
#[repr(C)]
#[derive(StableAbi)]
pub struct ExtensionFactory {
    /// `size_of::<ExtensionFactory>()` of the host.
    pub size: usize,
    /// Array of pointers to the types; a base must stand before the types derived from it.
    pub types: *const *const ComponentType,
    /// Number of entries in `types`.
    pub type_count: usize,
}

/// The type cannot be created, only derived from.
pub const TYPE_ABSTRACT: u32 = 1;
/// A scheduling term that notifies its entity whenever its answer may have changed by itself. The
/// engine polls terms that do not say so.
pub const TYPE_TERM_ANNOUNCES: u32 = 2;

/// One component type, or one payload type (a type that messages carry).
#[repr(C)]
#[derive(StableAbi)]
pub struct ComponentType {
    /// `size_of::<ComponentType>()` as the extension was compiled.
    pub size: usize,
    /// Id of the type.
    pub tid: Tid,
    /// Id of its base type, null for none. A type that is not derived from Component is a payload.
    pub base_tid: Tid,
    /// Full name such as `nvidia::gxf::PingTx`; mandatory.
    pub type_name: CStr,
    /// Name shown in tools; may be null.
    pub display_name: CStr,
    /// One line shown in tools; may be null.
    pub brief: CStr,
    /// Full description; may be null.
    pub description: CStr,
    /// Set of `TYPE_ABSTRACT`, `TYPE_TERM_ANNOUNCES`.
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
    /// Bytes the host provides to `create`.
    pub instance_size: usize,
    /// Alignment of that memory: a power of two, at most 4096.
    pub instance_alignment: usize,
    /// Constructs an instance in `storage`. `environment` is null for a payload. Null result:
    /// failure. The result is the object's address, `storage` or any other. Null for abstract
    /// types.
    pub create: Option<
        unsafe extern "C" fn(
            storage: *mut c_void,
            environment: *const ComponentEnvironment,
        ) -> *mut c_void,
    >,
    /// Destroys what `create` returned; null when there is nothing to do.
    pub destroy: Option<unsafe extern "C" fn(object: *mut c_void)>,
    /// The parameters; an index into this array names a parameter from then on.
    pub parameters: *const ParameterDescriptor,
    /// Number of parameters.
    pub parameter_count: usize,
    /// The interfaces the type implements.
    pub interfaces: *const InterfaceEntry,
    /// Number of interfaces.
    pub interface_count: usize,
}

// SAFETY: all pointers lead to constant data of the extension; nobody writes through them.
unsafe impl Sync for ComponentType {}
// SAFETY: as above.
unsafe impl Send for ComponentType {}

/// One interface of a component type.
#[repr(C)]
#[derive(StableAbi)]
pub struct InterfaceEntry {
    /// Type id of the GXF base the interface stands for.
    pub id: Tid,
    /// Bytes to add to the object's address before it is passed to the table's functions.
    pub offset: isize,
    /// The function table; begins with its size.
    pub vtable: *const c_void,
}

// SAFETY: the vtable is constant data of the extension; nobody writes through it.
unsafe impl Sync for InterfaceEntry {}
// SAFETY: as above.
unsafe impl Send for InterfaceEntry {}
