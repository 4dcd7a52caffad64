//! One line of the log as a JSON object, for programs that collect logs.

use super::format::{Fields, relative};
use gxf_runtime::graph::escape;
use jiff::Timestamp;
use serde::Serialize;
use std::fmt::{self, Write};
use tracing::{Event, Level};

/// The fields in this order.
#[derive(Serialize)]
struct Line<'a> {
    /// In UTC, with microseconds.
    time: String,
    level: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    module: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    line: u64,
}

/// Writes the object of an event, with the current time.
pub fn write_now(event: &Event<'_>, text: &mut String) -> fmt::Result {
    let mut fields = Fields::default();
    event.record(&mut fields);
    fields.message.push_str(&fields.others);
    let metadata = event.metadata();
    let is_own = fields.file.is_empty() && fields.module.is_empty();
    let (file, line) = match is_own {
        true => (metadata.file().unwrap_or_default(), metadata.line().unwrap_or(0).into()),
        false => (&*fields.file, fields.line),
    };
    let line = Line {
        time: format!("{:.6}", Timestamp::now()),
        level: level(*metadata.level(), fields.severity),
        message: &fields.message,
        module: &fields.module,
        file: relative(file),
        line,
    };
    writeln!(text, "{}", escape::json(&serde_json::json!(line)))
}

/// The same for an error of gxe that is no event.
#[cfg(feature = "serve")]
pub fn error(message: &str) -> String {
    let time = format!("{:.6}", Timestamp::now());
    let line = Line { time, level: "error", message, module: "", file: "", line: 0 };
    escape::json(&serde_json::json!(line)).to_string()
}

/// As `--severity` calls it.
fn level(level: Level, severity: Option<u64>) -> &'static str {
    match level {
        Level::ERROR if severity == Some(0) => "panic",
        Level::ERROR => "error",
        Level::WARN => "warning",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "verbose",
    }
}
