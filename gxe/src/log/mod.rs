//! The log: lines in GXF's form, errors to standard error and the rest to standard output, or all
//! of them to a file. Extensions may change both through GXF's C API.

mod format;
mod output;

use crate::color::Colors;
use crate::console::Console;
use crate::options::LoggingOptions;
use crate::stop::Stop;
use crate::usage_error::UsageError;
use format::LineFormat;
use output::{LogFile, Output, Streams};
use std::sync::Arc;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{fmt, reload};

/// Starts logging for the rest of the process. `stop` is asked to stop the run when nobody reads
/// the log any more.
pub fn start(
    options: &LoggingOptions,
    console: Console,
    stop: &Arc<Stop>,
) -> Result<(), UsageError> {
    let (output, colors) = match &options.file {
        Some(path) => {
            let file = LogFile::create(path.clone(), console).map_err(|error| {
                UsageError::new(format!("cannot open the log file '{}': {error}", path.display()))
            })?;
            (Output::File(file), Colors { stdout: false, stderr: false })
        }
        None => (Output::Streams(Streams::new(Arc::clone(stop), console)), console.colors),
    };
    let (filter, handle) = reload::Layer::new(options.severity.filter());
    let lines = fmt::layer().event_format(LineFormat::new(colors)).with_writer(output);
    tracing_subscriber::registry().with(filter).with(lines).init();
    gxf_core::log::program_log(move |filter| {
        // It fails only when there is no log any more.
        _ = handle.reload(filter);
    });
    Ok(())
}
