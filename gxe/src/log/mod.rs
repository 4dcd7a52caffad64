//! The log: lines in GXF's form or as JSON, errors to standard error and the rest to standard output, or all
//! to a file. Extensions may redirect it through GXF's C API.

mod format;
mod json;
mod output;
#[cfg(feature = "serve")]
pub mod tail;

use crate::arguments::LogFormat;
use crate::color::Colors;
use crate::console::Console;
use crate::options::LoggingOptions;
use crate::stop::Stop;
use crate::usage_error::UsageError;
use format::LineFormat;
pub use output::is_incomplete;
use output::{LogFile, Output, Streams};
use std::io::Write;
use std::sync::Arc;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::reload;
use tracing_subscriber::util::SubscriberInitExt;

/// Writes each event as a line. Unlike the layer of `tracing_subscriber` it has no thread-locals,
/// because extensions log from destructors that run after those are gone.
struct Lines {
    form: LogFormat,
    format: LineFormat,
    output: Output,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = String::new();
        // Writing to a `String` does not fail, and the output notes its own failures.
        _ = match self.form {
            LogFormat::Text => self.format.write_now(event, &mut line),
            LogFormat::Json => json::write_now(event, &mut line),
        };
        _ = self.output.writer_for(event.metadata()).write_all(line.as_bytes());
        #[cfg(feature = "serve")]
        if tail::is_kept() {
            let mut line = String::new();
            _ = json::write_now(event, &mut line);
            tail::add(&line);
        }
    }
}

/// Starts logging for the rest of the process. Stops the run through `stop` if the reader of the
/// log goes away.
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
    let lines = Lines { form: options.format, format: LineFormat::new(colors), output };
    tracing_subscriber::registry().with(filter).with(lines).init();
    gxf_core::log::program_log(move |filter| {
        // Fails only if there is no log any more.
        _ = handle.reload(filter);
    });
    Ok(())
}
