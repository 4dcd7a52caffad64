//! From an extension's descriptors to the registry's entries. A map, in the order of work:
//!
//! - `library.rs` opens a library and finds its descriptor;
//! - `object.rs` finds the descriptor of an extension that comes as an object of C++;
//! - `extension.rs` judges the descriptor, calls the factory and takes what it answers;
//! - `types.rs` reads one type, `parameters.rs` one of its parameters;
//! - `tables.rs` takes function tables over, whatever the ABI minor version of their writer.

mod extension;
mod library;
mod object;
mod parameters;
mod tables;
mod types;

use crate::error::Error;
use crate::message::payload_type::PayloadType;
use gxf_plugin_abi::{ComponentEnvironment, ResultCode, Tid};
pub(crate) use library::{
    OpenError, library_at, open_library, own_file, read_built_in, read_library,
};
use std::ffi::c_void;
use std::ptr::NonNull;
pub(crate) use tables::{interface_name, is_interface_with_functions};

/// How to make and destroy an instance of a type, and what it implements.
#[derive(Clone, Debug)]
pub(crate) struct Construction {
    pub size: usize,
    pub alignment: usize,
    pub create:
        Option<unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> *mut c_void>,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
    pub interfaces: Vec<Interface>,
}

/// One interface of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interface {
    pub id: Tid,
    pub offset: isize,
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

    /// For a type whose instances are nothing but looked at from outside.
    pub fn of_nothing() -> Self {
        unsafe extern "C" fn create(
            storage: *mut c_void,
            _environment: *const ComponentEnvironment,
        ) -> *mut c_void {
            storage
        }
        Self { create: Some(create), ..Self::none() }
    }

    /// For a payload type that no extension describes. An entity may have one as a component, too.
    pub fn of_payload(payload: &PayloadType) -> Self {
        let PayloadType { size, alignment, create, destroy, .. } = *payload;
        Self { size, alignment, create: Some(create), destroy, interfaces: Vec::new() }
    }

    /// The interface of the GXF base with this type id.
    pub fn interface(&self, id: Tid) -> Option<&Interface> {
        self.interfaces.iter().find(|interface| interface.id == id)
    }

    /// What the message pool needs to know about a payload type.
    pub fn payload(&self, tid: Tid) -> Option<PayloadType> {
        let Self { size, alignment, create, destroy, .. } = *self;
        create.map(|create| PayloadType { tid, size, alignment, create, destroy })
    }
}

/// What the message pool needs to know about a payload type of our own.
pub(crate) const fn payload_of<T: gxf::Payload + Default>() -> PayloadType {
    unsafe extern "C" fn create<T: Default>(
        storage: *mut c_void,
        _environment: *const ComponentEnvironment,
    ) -> *mut c_void {
        // SAFETY: the pool provides room for a `T`.
        unsafe { storage.cast::<T>().write(T::default()) };
        storage
    }
    unsafe extern "C" fn destroy<T>(object: *mut c_void) {
        // SAFETY: made by `create`, destroyed once.
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

/// An extension that says something impossible about itself.
fn invalid(message: String) -> Error {
    Error::new(ResultCode::FACTORY_INVALID_INFO, message)
}
