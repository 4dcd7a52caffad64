//! What the macros expand to. Not for direct use.
//!
//! - `guard.rs`: keeps panics from crossing the ABI boundary, and turns errors into codes;
//! - `tables.rs`: the function tables that every component has;
//! - `description.rs`: the description of a type, and the factory that returns it.

mod description;
mod guard;
mod tables;

pub use crate::handle::{ComponentPointer, resolve_component};
pub(crate) use description::c_text;
pub use description::{
    BUILD_INFO, TypeTexts, c_literal, component_type, create_factory, interface, payload_type,
};
pub use guard::{Fallback, guard, guard_value, install_panic_hook};
pub use tables::{CodeletTable, ComponentTable, SharedCodeletTable};

/// A component type that is part of the host. `gxf_ext_factory!` implements it.
pub trait BuiltIn {
    /// Id of the type.
    const TID: crate::Tid;
}
