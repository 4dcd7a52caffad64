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
//! [`Context`] is the only way in. A map, from the state outwards:
//!
//! - `inner.rs`: the state behind a context, and the order of its locks; `live.rs`: which addresses
//!   are contexts; `id_aliases.rs`: ids that refer to both an entity and a message; `texts.rs`:
//!   texts for callers that need a fixed address;
//! - `load/`: from the description of app files to entities and components;
//! - [`cuda`]: what this machine offers of CUDA;
//! - [`check`]: mistakes in a loaded graph; [`inspect`]: a loaded graph as data, and as a file
//!   again;
//! - `lifecycle/`: activation, run, deactivation, entities that join and leave;
//! - `context/`: what a program may call, one file for each subject;
//! - `host/`: the same for extensions, as the functions of the host table.
//!
//! The crates below: `gxf-engine` executes entities and holds the loaded graph, `gxf-plugin` opens
//! libraries and calls their code, `gxf-app` reads the files, `gxf-sync` has the locks and queues.
//! This crate imports all of them, but neither `gxf-core` nor `gxe`. Only `host/` contains unsafe
//! code.

pub mod check;
mod context;
pub mod cuda;
mod host;
mod id_aliases;
mod inner;
pub mod inspect;
mod lifecycle;
mod live;
mod load;
#[cfg(test)]
mod tests;
mod texts;

/// Extensions: which types there are and where they come from.
pub mod extension {
    pub use gxf_app::manifest_entries;
    pub use gxf_plugin::aliases::ALIASES;
    pub use gxf_plugin::{ExtensionInfo, PortType, TypeInfo};
}

/// App files, what can be said about a graph, and what can be wrong with one.
pub mod graph {
    pub use crate::check;
    pub use crate::inspect::describe::ComponentDescription;
    pub use crate::inspect::{GraphDescription, GraphValues, ParameterChange, describe};
    pub use gxf_app::*;
}

/// What an engine of the program's own is made of; [`Context::add_engine`] takes it.
pub mod engine {
    pub use gxf_app::ParameterValue;
    pub use gxf_engine::entity::port::Wake;
    pub use gxf_engine::entity::runner::{Executed, Runner};
    pub use gxf_engine::schedule::engine::*;
    pub use gxf_engine::schedule::runners::Runners;
    pub use gxf_engine::schedule::thread::{Pinning, Placement, ThreadPoolMembers, Threads};
    pub use gxf_plugin::component::{Component, Interface};
    pub use gxf_plugin_abi::{Condition, ConditionType};
    pub use gxf_sync::event_queue::EventQueue;
}

pub use context::Context;
pub use context::status::{
    Activity, EntityStatus, GraphStage, GraphStatus, PendingCall, QueueStatus, TickTimes,
};
pub use gxf::MemoryBuffer;
pub use gxf_app::{Error, Result};
pub use gxf_engine::observe::statistics::{
    AllocatorUse, CodeletStatistics, ConnectionStatistics, DepartedStatistics, EntityStatistics,
    GraphUse, JobProgress, LinkUse, QueueStatistics, StateChange, StateStatistics, Statistics,
    StreamUse, TermStatistics, Times,
};
pub use gxf_engine::observe::trace::{Trace, TraceOptions, TracedTick};
pub use gxf_engine::schedule::engine::{Epoch, ScheduleSwap, StatusRow};
pub use gxf_engine::standard::add as add_standard_components;
pub use gxf_plugin::message::cells::{MessagePool, message_pool};
pub use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR, ResultCode, Tid, Uid};
#[cfg(feature = "stm")]
pub use gxf_stm::status::Status as StmStatus;
pub use gxf_sync::biased_lock::prepare_process;
pub use host::fatal::{FatalWatch, end_at_once, watch_for_fatal_ends};
pub use host::signals::EndSignals;
pub use host::table as host_table;
pub use inspect::message::{MessageView, NumbersView, PayloadView, Picture};
pub use lifecycle::links::LinkEnd;
pub use lifecycle::observation::AwaitedMessage;
pub use lifecycle::report::{EntityReport, RunReport};
