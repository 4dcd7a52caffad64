//! The engine: a loaded graph, and what executes it.
//!
//! From the ground up, each part importing only those before it:
//!
//! - [`graph`]: a loaded graph: types, entities and components by id and name, groups, routes,
//!   places in files;
//! - [`standard`]: GXF's standard extension: clocks, queues, scheduling terms, allocators, stock
//!   codelets, and the components that configure schedulers;
//! - [`entity`]: one entity's execution: its terms, ports, codelets and wiring, and the trait of
//!   observers;
//! - [`schedule`]: the engines, which decide what runs when, behind one trait;
//! - [`observe`]: statistics and traces of runs.
//!
//! The life of a graph (loading, activation, deactivation) belongs to `gxf-runtime`, which imports
//! this crate; this crate imports [`gxf_plugin`], [`gxf_sync`], [`gxf_app`], the SDK and the ABI.

pub mod entity;
pub mod graph;
pub mod observe;
pub mod schedule;
pub mod standard;
