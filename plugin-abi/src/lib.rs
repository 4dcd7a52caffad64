//! The C ABI between the `gxe` host and its extensions. Types and constants only, no logic.
//!
//! A map, in the order in which a library comes to life:
//!
//! 1. [`ExtensionDescriptor`] (`extension.rs`): the one symbol an extension exports, readable
//!    before any of its code runs. Its `create_factory` receives the [`HostTable`] and answers
//!    with the component types.
//! 2. [`ComponentType`] (`extension.rs`): one component or payload type: id, base, name, size,
//!    construct/destroy, [`ParameterDescriptor`]s (`parameter.rs`), and the interfaces it
//!    implements.
//! 3. Interfaces (`interface.rs`): small function tables, one a base type of GXF, found by the
//!    type id of that base. An extension implements them for its own components and calls them
//!    on the components of others, including the host's.
//! 4. [`HostTable`] (`host.rs`): what an extension may ask of the host.
//! 5. [`Timestamp`] and the other plain data (`data.rs`) both sides share; [`Tensor`] and the memory
//!    it owns (`tensor.rs`), [`VideoBuffer`] and the like (`multimedia.rs`).
//!
//! # Rules of the border
//!
//! - Every table begins with its own size and only ever grows at the end; a reader looks at a
//!   function only if it lies within the size the writer stated.
//! - A function that fails returns a [`ResultCode`] other than 0 and may leave a text with
//!   [`HostTable::report_error`] on the same thread before it returns.
//! - No panic and no C++ exception crosses: the implementor catches it and returns an error.
//! - Whoever takes a [`Message`] pointer as an argument named `message` of `push` or `publish`
//!   takes over one reference, whatever the outcome.

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

/// Text that ends with a zero byte; null where the field says so.
pub type CStr = *const core::ffi::c_char;

/// Id of an entity, a component, a group or a message; 0 means "none".
pub type Uid = i64;
