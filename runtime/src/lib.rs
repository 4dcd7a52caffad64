//! The gxe engine: graphs of entities, loaded from YAML and extension libraries, run by schedulers.
//!
//! ```no_run
//! use gxf_runtime::Context;
//! use std::path::Path;
//!
//! fn main() -> Result<(), gxf_runtime::Error> {
//!     let context = Context::new();
//!     context.load_manifest(Path::new("manifests/ping.yaml"), None)?;
//!     context.load_app(Path::new("apps/ping/ping.yaml"), &[])?;
//!     context.activate()?;
//!     context.run()?;
//!     context.deactivate()
//! }
//! ```
//!
//! A map, in the order in which data moves:
//!
//! - [`Context`] (`context/`): one graph and everything it owns; the only way in.
//! - [`extension`]: which libraries there are, whether they fit, which types they bring.
//!   [`graph`]: YAML text with places → description → entities and components, and the
//!   diagnostics for everything that is wrong; [`graph::check`] finds more without a run.
//! - `plugin/`: the border to extensions, both ways. Beside it only `biased_lock.rs` and the files
//!   that own raw memory are unsafe: messages, allocators, the rings of traces.
//! - `entity/`: entities and components by id and name; `runner.rs` executes an entity once.
//! - `message/`: the message pool, the queues, the routes.
//! - `memory/`: allocators; `codelet/`: GXF's stock codelets; `observe/`: statistics, traces, metrics.
//! - `clock/`, `schedule/`: time, scheduling terms, and the engine that decides who runs.
//! - `lifecycle/`: activation, run, deactivation of a whole graph, in GXF's order.
//! - `biased_lock.rs`: the lock of what one thread uses nearly alone.
//! - `builtin.rs`: the list of GXF's standard types that live in here.
//!
//! Nothing but the border knows extensions: built-in components are written against the same
//! interfaces as foreign ones, and are called through them.

pub mod check;
mod context;
mod host;
mod id_aliases;
mod inner;
pub mod inspect;
mod lifecycle;
mod load;
#[cfg(test)]
mod tests;
mod texts;

/// Extensions: which types there are and where they come from.
pub mod extension {
    pub use gxf_app::manifest_entries;
    pub use gxf_plugin::aliases::ALIASES;
    pub use gxf_plugin::{ExtensionInfo, TypeInfo};
}

/// App files, what can be said about a graph, and what can be wrong with one.
pub mod graph {
    pub use crate::check;
    pub use crate::inspect::{GraphDescription, GraphValues, ParameterChange, describe};
    pub use gxf_app::*;
}

/// What an engine of the program's own is made of; [`Context::add_engine`] takes it.
pub mod engine {
    pub use gxf_app::ParameterValue;
    pub use gxf_engine::entity::ports::Wake;
    pub use gxf_engine::entity::runner::{Executed, Runner};
    pub use gxf_engine::schedule::engine::*;
    pub use gxf_engine::schedule::runners::Runners;
    pub use gxf_engine::schedule::thread::{Pinning, Placement, ThreadPoolRequest, Threads};
    pub use gxf_plugin::component::{Component, Interface};
    pub use gxf_plugin_abi::{Condition, ConditionType};
    pub use gxf_sync::event_queue::EventQueue;
}

pub use context::Context;
pub use context::status::{
    Activity, EntityStatus, GraphStage, GraphStatus, PendingCall, QueueStatus,
};
pub use gxf_app::{Error, Result};
pub use gxf_engine::observe::statistics::{
    AllocatorUse, CodeletStatistics, ConnectionStatistics, DepartedStatistics, EntityStatistics,
    QueueStatistics, StateChange, StateStatistics, Statistics, TermStatistics, Times,
};
pub use gxf_engine::observe::trace::{Trace, TraceOptions};
pub use gxf_engine::schedule::engine::{Epoch, StatusRow};
pub use gxf_plugin::message::cells::{MessagePool, message_pool};
pub use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR, ResultCode, Tid, Uid};
pub use host::fatal::{FatalWatch, end_at_once, watch_for_fatal_ends};
pub use host::signals::EndSignals;
pub use host::table as host_table;
pub use lifecycle::report::{EntityReport, RunReport};
