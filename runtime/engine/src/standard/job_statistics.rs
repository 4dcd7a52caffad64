//! `JobStatistics`: a component whose presence makes the graph measure itself. It only holds
//! parameters; the runtime writes the report when the graph is deactivated.

use gxf::IpcServer;
use gxf::prelude::*;
use std::path::PathBuf;

/// Collects statistics about all entities of the graph. When the graph is deactivated, logs them as
/// a table and writes them as JSON.
#[derive(Component, Default)]
pub struct JobStatistics {
    /// Clock of the graph. The report always uses the scheduler's clock for times between
    /// executions, and real time for execution times.
    #[parameter(headline = "Clock")]
    clock: Parameter<Option<Handle<Clock>>>,
    /// Whether the report covers individual codelets.
    #[parameter(headline = "Codelet statistics", default = false)]
    codelet_statistics: Parameter<bool>,
    /// File for the JSON report.
    #[parameter(headline = "JSON file path")]
    json_file_path: Parameter<Option<PathBuf>>,
    /// Server that answers queries of the service `stat`: for `entity`, `codelet`, `event` or
    /// `term`, or all with `report`, optionally followed by `/` and the id of an entity.
    #[parameter(headline = "IPC server")]
    server: Parameter<Option<Handle<IpcServer>>>,
    /// State changes that are kept for each entity; older ones are forgotten.
    #[parameter(headline = "Event history count", default = 100)]
    event_history_count: Parameter<u32>,
}
