//! One line of the log: `2022-08-24 04:46:47.333 INFO  gxe/src/run.rs@107: text`.

use crate::color::Colors;
use clap::builder::styling::{AnsiColor, Style};
use gxf_runtime::graph::escape::{entry, one_line};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Level};

/// Writes events in GXF's form.
///
/// Lines of extensions have their place in the fields `gxf.file` and `gxf.line`, and `gxf.severity`
/// 0 for a panic, a level that `tracing` does not have.
pub struct LineFormat {
    colors: Colors,
    // Read once: asking for the local time zone opens files.
    zone: TimeZone,
}

impl LineFormat {
    pub fn new(colors: Colors) -> Self {
        Self { colors, zone: TimeZone::system() }
    }

    /// Writes the line of an event, with the current time.
    pub fn write_now(&self, event: &Event<'_>, line: &mut String) -> fmt::Result {
        self.write(event, Timestamp::now(), line)
    }

    fn write(&self, event: &Event<'_>, now: Timestamp, writer: &mut String) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let (name, style) = level(*metadata.level(), fields.severity);
        let colored = match *metadata.level() {
            Level::ERROR => self.colors.stderr,
            _ => self.colors.stdout,
        };
        let style = if colored { style } else { Style::new() };

        let now = self.zone.to_datetime(now);
        write!(
            writer,
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} {style}{name}{style:#} ",
            now.year(),
            now.month(),
            now.day(),
            now.hour(),
            now.minute(),
            now.second(),
            now.millisecond(),
        )?;
        if !fields.file.is_empty() {
            write!(writer, "{}@{}", one_line(relative(&fields.file)), fields.line)?;
        } else if !fields.module.is_empty() {
            write!(writer, "{}", one_line(&fields.module))?;
        } else {
            let file = metadata.file().unwrap_or(metadata.target());
            write!(writer, "{}@{}", relative(file), metadata.line().unwrap_or(0))?;
        }
        fields.message.push_str(&fields.others);
        writeln!(writer, ": {}", entry(&fields.message))
    }
}

/// Name, padded to five characters as in GXF, and colour of a level.
fn level(level: Level, severity: Option<u64>) -> (&'static str, Style) {
    let red = AnsiColor::Red.on_default();
    match level {
        Level::ERROR if severity == Some(0) => ("PANIC", red.bold()),
        Level::ERROR => ("ERROR", red),
        Level::WARN => ("WARN ", AnsiColor::Yellow.on_default()),
        Level::INFO => ("INFO ", AnsiColor::Green.on_default()),
        Level::DEBUG => ("DEBUG", AnsiColor::Blue.on_default()),
        Level::TRACE => ("VERB ", AnsiColor::BrightBlack.on_default()),
    }
}

/// The path from the crate's folder on: the part before it differs between machines.
pub fn relative(file: &str) -> &str {
    if !file.starts_with('/') {
        return file;
    }
    let Some(source) = file.rfind("/src/") else { return file };
    let start = file[..source].rfind('/').map_or(0, |slash| slash + 1);
    &file[start..]
}

/// The fields of an event.
#[derive(Default)]
pub struct Fields {
    pub message: String,
    pub file: String,
    pub line: u64,
    pub module: String,
    pub severity: Option<u64>,
    /// All other fields, as ` name=value`.
    pub others: String,
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "gxf.line" => self.line = value,
            "gxf.severity" => self.severity = Some(value),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        match (field.name(), u64::try_from(value)) {
            ("gxf.line" | "gxf.severity", Ok(value)) => self.record_u64(field, value),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a `String` does not fail.
        _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            "gxf.file" => write!(self.file, "{value:?}"),
            "gxf.module" => write!(self.module, "{value:?}"),
            name => write!(self.others, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tracing::Subscriber;
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

    /// Collects formatted lines with a fixed time.
    struct Collector {
        format: LineFormat,
        lines: Arc<Mutex<String>>,
    }

    impl<S: Subscriber> Layer<S> for Collector {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let now = Timestamp::from_millisecond(1_661_316_407_333).unwrap();
            let mut lines = self.lines.lock().unwrap();
            self.format.write(event, now, &mut lines).unwrap();
        }
    }

    fn lines(colored: bool, log: impl FnOnce()) -> String {
        let lines = Arc::new(Mutex::new(String::new()));
        let colors = Colors { stdout: colored, stderr: colored };
        let format = LineFormat { colors, zone: TimeZone::UTC };
        let collector = Collector { format, lines: Arc::clone(&lines) };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(collector), log);
        lines.lock().unwrap().clone()
    }

    #[test]
    fn lines_have_the_form_of_gxf() {
        let text = lines(false, || tracing::info!("Creating {}", "context"));
        let line = text.strip_prefix("2022-08-24 04:46:47.333 INFO  gxe/src/log/format.rs@");
        let (number, message) = line.unwrap().split_once(": ").unwrap();
        assert!(number.parse::<u32>().is_ok());
        assert_eq!(message, "Creating context\n");
    }

    #[test]
    fn lines_of_extensions_name_their_own_place() {
        let text = lines(false, || {
            tracing::warn!(gxf.file = "/build/x/src/ping/tx.cpp", gxf.line = 7u64, "w");
            tracing::error!(gxf.file = "a.c", gxf.line = 8u64, gxf.severity = 0u64, "p");
            tracing::trace!(gxf.module = "ping", gxf.file = "", count = 3, name = "n", "t");
        });
        assert_eq!(
            text,
            "2022-08-24 04:46:47.333 WARN  x/src/ping/tx.cpp@7: w\n\
             2022-08-24 04:46:47.333 PANIC a.c@8: p\n\
             2022-08-24 04:46:47.333 VERB  ping: t count=3 name=n\n"
        );
    }

    #[test]
    fn only_the_level_is_colored() {
        let text = lines(true, || tracing::error!(gxf.file = "a.c", gxf.line = 8u64, "e"));
        assert_eq!(text, "2022-08-24 04:46:47.333 \u{1b}[31mERROR\u{1b}[0m a.c@8: e\n");
    }

    #[test]
    fn no_text_passes_for_another_line() {
        let text = lines(false, || {
            tracing::info!(gxf.file = "a\nb.c", gxf.line = 8u64, "\u{1b}[2J\n2022-08-24 x");
        });
        assert_eq!(text, "2022-08-24 04:46:47.333 INFO  a\\nb.c@8: \\u{1b}[2J\n  2022-08-24 x\n");
    }

    #[test]
    fn paths_start_at_the_crate() {
        for (file, shown) in [
            ("runtime/src/context.rs", "runtime/src/context.rs"),
            ("/root/.cargo/registry/src/index-1/abc-1.0/src/lib.rs", "abc-1.0/src/lib.rs"),
            ("/src/main.c", "/src/main.c"),
            ("/opt/x/main.c", "/opt/x/main.c"),
        ] {
            assert_eq!(relative(file), shown);
        }
    }
}
