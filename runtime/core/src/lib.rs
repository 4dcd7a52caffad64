//! GXF's C API over the runtime. Its description stands in `plugin-abi/include/gxf/core/gxf.h` and
//! `gxf_ext.h`; Rust does not call these functions, but uses `gxf_runtime::Context`.
//!
//! The functions exist once. `libgxf_core.so` exports them for programs and for Python; a program
//! that links the runtime itself, as `gxe` does, exports them for its extensions.
//!
//! A map:
//!
//! - `border.rs`: what every function does first and last: find the context, look at the pointers,
//!   turn errors and panics into a code; `texts.rs`: texts that stay where they are;
//! - `context.rs`, `extension.rs`, `entity.rs`, `component.rs`, `group.rs`, `parameter_set.rs`,
//!   `parameter_get.rs`, `graph.rs`, `info.rs`: the functions, as the header groups them;
//! - `names.rs`: the functions that name numbers;
//! - `host_table.rs`: the host table, for programs in C++; `stand_in.rs`: what they can use in place
//!   of a component that was not made in C++;
//! - `log.rs`: the log of a program that has none of its own, and what one that has lets be changed;
//! - `visible.rs`: makes the library's symbols visible to the extensions it loads.

#![allow(non_snake_case, reason = "the functions have the names GXF gave them")]

#[macro_use]
mod border;
mod component;
mod context;
mod entity;
mod extension;
mod graph;
mod group;
mod host_table;
mod info;
pub mod log;
mod names;
mod parameter_get;
mod parameter_set;
mod stand_in;
mod texts;
mod visible;

/// Version of GXF whose API this is: `kGxfCoreVersion` of the header.
pub const CORE_VERSION: &str = "4.1.0";
