//! The engine: a loaded graph, and what executes it.
//!
//! From the ground up, each part importing only those before it:
//!
//! - [`graph`]: what is loaded: types, entities and components by id and name, groups, routes,
//!   places in files;
//! - [`standard`]: GXF's standard extension: clocks, queues, scheduling terms, allocators, stock
//!   codelets, and the components that configure schedulers;
//! - [`entity`]: one entity's execution: its terms, ports and codelets, who wakes whom, and the
//!   trait through which others observe it;
//! - [`schedule`]: what decides who runs: one folder an engine, behind one trait;
//! - [`observe`]: statistics and traces of runs.
//!
//! The life of a graph (loading, activation, deactivation) belongs to `gxf-runtime`, which imports
//! this crate; this crate imports [`gxf_plugin`], [`gxf_sync`], [`gxf_app`], the SDK and the ABI.

pub mod entity;
pub mod graph;
pub mod observe;
pub mod schedule;
pub mod standard;
