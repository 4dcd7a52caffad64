//! GXF's C API over the runtime. `plugin-abi/include/gxf/core/gxf.h` and `gxf_ext.h` document it.
//! Rust programs use `gxf_runtime::Context` instead.
//!
//! Each function exists once. `libgxf_core.so` exports them for programs and for Python. A program
//! that links the runtime itself, like `gxe`, exports them for its extensions.
//!
//! A map:
//!
//! - `boundary.rs`: the entry and exit of every function: finds the context, checks pointers,
//!   converts errors and panics to codes; `latest_error.rs`: the text behind such a code;
//!   `texts.rs`: texts with a fixed address;
//! - `context.rs`, `extension.rs`, `entity.rs`, `component.rs`, `group.rs`, `parameter_set.rs`,
//!   `parameter_get.rs`, `graph.rs`, `info.rs`: the functions, grouped as in the header;
//! - `names.rs`: the functions that return names of numbers;
//! - `host_table.rs`: the host table, for C++ programs; `shim.rs`: proxies for components that
//!   were not made in C++;
//! - `log.rs`: the log of a program without one of its own, and changes to the log of other
//!   programs;
//! - `visible.rs`: makes the library's symbols visible to the extensions it loads.

#![expect(unsafe_code, reason = "a C API reads and writes through the pointers of its callers")]
#![allow(non_snake_case, reason = "the functions have the names GXF gave them")]

#[macro_use]
mod boundary;
mod component;
mod context;
mod entity;
mod extension;
mod graph;
mod group;
mod host_table;
mod info;
mod latest_error;
pub mod log;
mod names;
mod parameter_get;
mod parameter_set;
mod shim;
mod texts;
mod visible;

/// GXF version of this API: `kGxfCoreVersion` of the header.
pub const CORE_VERSION: &str = "4.1.0";
