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

mod biased_lock;
mod builtin;
mod clock;
mod codelet;
mod context;
mod entity;
mod error;
pub mod extension;
pub mod graph;
mod id;
mod lifecycle;
mod memory;
mod message;
mod observe;
mod plugin;
mod schedule;

pub use context::{Context, EntityReport, RunReport};
pub use error::{Error, Result};
pub use gxf_plugin_abi::{ABI_MAJOR, ABI_MINOR, ResultCode, Tid, Uid};
pub use message::cells::{MessagePool, message_pool};
pub use observe::{
    Activity, AllocatorUse, CodeletStatistics, ConnectionStatistics, DepartedStatistics,
    EntityStatistics, EntityStatus, GraphStatus, PendingCall, QueueStatistics, QueueStatus,
    StateChange, StateStatistics, Statistics, TermStatistics, Times, Trace, TraceOptions,
};
pub use plugin::fatal::{FatalWatch, watch_for_fatal_ends};
pub use plugin::host::table as host_table;
pub use schedule::greedy::Epoch;
