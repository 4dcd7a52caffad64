//! The C ABI between the `gxe` host and its extensions. Types and constants only, no logic.
//!
//! A map, in the order in which a library comes to life:
//!
//! 1. [`ExtensionDescriptor`] (`extension.rs`): the one symbol an extension exports. The host reads
//!    it before any code of the library runs. Its `create_factory` takes the [`HostTable`] and
//!    returns the component types.
//! 2. [`ComponentType`] (`extension.rs`): one component or payload type: id, base, name, size,
//!    construct/destroy, [`ParameterDescriptor`]s (`parameter.rs`), and the interfaces it
//!    implements.
//! 3. Interfaces (`interface.rs`): small function tables, one for each base type of GXF. The base's
//!    type id finds the table. An extension implements interfaces for its own components and calls
//!    them on others, including the host's.
//! 4. [`HostTable`] (`host.rs`): the functions that the host offers to extensions.
//! 5. [`Timestamp`] and other plain data (`data.rs`); [`Tensor`] and the memory it owns
//!    (`tensor.rs`); [`VideoBuffer`] and the like (`multimedia.rs`).
//! 6. Work on CUDA devices (`cuda.rs`).
//!
//! # Rules of the ABI boundary
//!
//! - Every table starts with its own size. A reader uses a function only if it lies within the size
//!   that the writer declared.
//! - Since ABI 1.4 the structures and tables here are complete. What a feature adds gets an id and a
//!   table of its own: an interface in [`ComponentType::interfaces`] for what components do or
//!   declare, a table behind [`HostTable::host_interface`] for what the host does. Each landing that
//!   adds a table, a flag or a code increments [`ABI_MINOR`].
//! - A function that fails returns a [`ResultCode`] other than 0. Before returning it may store a
//!   text with [`HostTable::report_error`] on the same thread.
//! - No panic and no C++ exception crosses the boundary: the implementor catches it and returns an
//!   error.
//! - `push` and `publish` consume one reference to their argument `message`, whatever they return.

#![expect(unsafe_code, reason = "the ABI is made of tables of foreign functions and raw memory")]

mod cuda;
mod data;
mod extension;
mod host;
mod interface;
mod layout;
mod multimedia;
mod parameter;
mod result;
mod tensor;
mod tid;
pub mod verdict;

pub use cuda::*;
pub use data::*;
pub use extension::*;
pub use host::*;
pub use interface::*;
pub use layout::*;
pub use multimedia::*;
pub use parameter::*;
pub use result::ResultCode;
pub use tensor::*;
pub use tid::Tid;

/// Text that ends with a zero byte; null only where the field allows it.
pub type CStr = *const core::ffi::c_char;

/// Id of an entity, a component, a group or a message; 0 means "none".
pub type Uid = i64;
