//! The log: lines in GXF's form, errors to standard error and the rest to standard output, or all
//! of them to a file.

mod format;
mod output;

use crate::color::Colors;
use crate::options::LoggingOptions;
use crate::stop::Stop;
use crate::usage_error::UsageError;
use format::LineFormat;
use output::Output;
use std::fs::File;
use std::sync::Arc;

/// Starts logging for the rest of the process. `stop` is asked to stop the run when nobody reads
/// the log any more.
pub fn start(options: &LoggingOptions, colors: Colors, stop: &Arc<Stop>) -> Result<(), UsageError> {
    let (output, colors) = match &options.file {
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                UsageError::new(format!("cannot open the log file '{}': {error}", path.display()))
            })?;
            (Output::file(file), Colors { stdout: false, stderr: false })
        }
        None => (Output::console(Arc::clone(stop)), colors),
    };
    tracing_subscriber::fmt()
        .event_format(LineFormat::new(colors))
        .with_writer(output)
        .with_max_level(options.severity.filter())
        .init();
    Ok(())
}
