//! Turns an extension's descriptors into entries of the registry. A map, in the order of work:
//!
//! - `library.rs` opens a library and finds its descriptor; `barrier.rs` keeps exceptions of its
//!   initialisers in;
//! - `object.rs` finds the descriptor of an extension that comes as an object of C++;
//! - `extension.rs` checks the descriptor, calls the factory and reads its result;
//! - `types.rs` reads one type, `parameters.rs` one of its parameters, `ports.rs` the payload types
//!   of its ports;
//! - `tables.rs` copies function tables of any ABI minor version.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

mod barrier;
mod extension;
mod library;
mod object;
mod parameters;
mod ports;
mod tables;
mod types;

use crate::message::payload_type::PayloadType;
use gxf_app::error::Error;
use gxf_plugin_abi::{ComponentEnvironment, ResultCode, Tid};
pub use library::{OpenError, library_at, open_library, own_file, read_built_in, read_library};
use std::ffi::c_void;
use std::ptr::NonNull;
pub use tables::{interface_name, is_interface_with_functions};

/// How to create and destroy instances of a type, and the interfaces it implements.
#[derive(Clone, Debug)]
pub struct Construction {
    /// Size of an instance in bytes.
    pub size: usize,
    /// Alignment of an instance in bytes.
    pub alignment: usize,
    /// Constructs an instance in memory of that size; `None` for an abstract type.
    pub create:
        Option<unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> *mut c_void>,
    /// Destroys an instance, but does not free its memory.
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    /// The interfaces of the type and its bases.
    pub interfaces: Vec<Interface>,
}

/// One interface of a type.
#[derive(Clone, Copy, Debug)]
pub struct Interface {
    /// Type id of the base whose functions are in the table.
    pub id: Tid,
    /// Offset of the interface's object from the instance, in bytes.
    pub offset: isize,
    /// The function table, of full size.
    pub vtable: NonNull<c_void>,
}

// SAFETY: function tables are constant data that lives as long as the process.
unsafe impl Send for Interface {}

// SAFETY: as above.
unsafe impl Sync for Interface {}

impl Construction {
    /// For a type without instances.
    pub fn none() -> Self {
        Self { size: 0, alignment: 1, create: None, destroy: None, interfaces: Vec::new() }
    }

    /// For a type whose instances are only inspected from outside.
    pub fn of_nothing() -> Self {
        unsafe extern "C" fn create(
            storage: *mut c_void,
            _environment: *const ComponentEnvironment,
        ) -> *mut c_void {
            storage
        }
        Self { create: Some(create), ..Self::none() }
    }

    /// For a payload type that no extension describes. It may also be a component of an entity.
    pub fn of_payload(payload: &PayloadType) -> Self {
        let PayloadType { size, alignment, create, destroy, .. } = *payload;
        Self { size, alignment, create: Some(create), destroy, interfaces: Vec::new() }
    }

    /// The interface of the GXF base with this type id.
    pub fn interface(&self, id: Tid) -> Option<&Interface> {
        self.interfaces.iter().find(|interface| interface.id == id)
    }

    /// Information for the message pool about a payload type.
    pub fn payload(&self, tid: Tid) -> Option<PayloadType> {
        let Self { size, alignment, create, destroy, .. } = *self;
        create.map(|create| PayloadType { tid, size, alignment, create, destroy })
    }
}

/// Information for the message pool about a built-in payload type.
pub const fn payload_of<T: gxf::Payload + Default>() -> PayloadType {
    unsafe extern "C" fn create<T: Default>(
        storage: *mut c_void,
        _environment: *const ComponentEnvironment,
    ) -> *mut c_void {
        // SAFETY: the pool provides room for a `T`.
        unsafe { storage.cast::<T>().write(T::default()) };
        storage
    }
    unsafe extern "C" fn destroy<T>(object: *mut c_void) {
        // SAFETY: `create` constructed the payload, which is destroyed once.
        unsafe { object.cast::<T>().drop_in_place() };
    }
    PayloadType {
        tid: T::TID,
        size: size_of::<T>(),
        alignment: align_of::<T>(),
        create: create::<T>,
        destroy: if std::mem::needs_drop::<T>() { Some(destroy::<T>) } else { None },
    }
}

/// The error for an extension with an impossible description.
fn invalid(message: String) -> Error {
    Error::new(ResultCode::FACTORY_INVALID_INFO, message)
}
