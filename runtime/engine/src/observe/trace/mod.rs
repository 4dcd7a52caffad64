//! Traces: every tick, wait and message with its time, to draw.
//!
//! While a trace is on, threads write events of fixed size (`event.rs`) into rings
//! (`recording.rs`), in memory or in a file that outlives the process (`region.rs`). Later they are
//! read (`contents.rs`) and converted for drawing (`chrome.rs`).

mod chrome;
mod contents;
mod event;
mod recording;
mod region;

pub use event::Event;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
pub use recording::{Names, Recording, Span};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Options of a trace; see [`crate::Context::trace_start`].
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Number of events that each thread keeps, 32 bytes each; older ones are dropped and counted.
    /// A tick takes three, and a message another three.
    pub events_per_thread: usize,
    /// A file to record in, for a run that may be killed; `None` for memory. It has its full size
    /// from the start: that of 64 threads, and 4 MiB for names.
    pub file: Option<PathBuf>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self { events_per_thread: 1 << 18, file: None }
    }
}

/// A tick of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedTick {
    /// Name of the entity; that of a segment is `segment/entity`.
    pub entity: String,
    /// Name of the thread.
    pub thread: String,
    /// Start in nanoseconds since 1970.
    pub begin_ns: u64,
    /// End in nanoseconds since 1970.
    pub end_ns: u64,
    /// Whether it did not fail.
    pub succeeded: bool,
}

/// A recorded trace.
#[derive(Clone)]
pub struct Trace {
    words: Vec<u64>,
    /// Of the segments of the graph, by name.
    segments: Vec<(String, Self)>,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Trace({} bytes)", self.words.len() * size_of::<u64>())
    }
}

impl Trace {
    pub(super) fn of(recording: &Recording) -> Self {
        Self { words: recording.copy(), segments: Vec::new() }
    }

    /// This trace and those of segments, graphs of their own that belong to the graph, by name.
    #[must_use]
    pub fn with_segments(self, segments: Vec<(String, Self)>) -> Self {
        Self { segments, ..self }
    }

    /// This trace and those of the segments, with their words.
    fn parts(&self) -> impl Iterator<Item = (&str, &[u64])> {
        let segments = self.segments.iter();
        let segments = segments.map(|(name, segment)| (name.as_str(), &segment.words[..]));
        std::iter::once(("", &self.words[..])).chain(segments)
    }

    fn contents(&self) -> std::result::Result<Vec<chrome::Part<'_>>, &'static str> {
        let part =
            |(segment, words)| Ok(chrome::Part { segment, contents: contents::read(words)? });
        self.parts().map(part).collect()
    }

    /// Reads the file of a recording, even of a process that was killed.
    ///
    /// # Errors
    /// `FAILURE` if the file cannot be read, `ARGUMENT_INVALID` if it is not a recording.
    pub fn read(path: &Path) -> Result<Self> {
        /// No recording is larger.
        const LARGEST: u64 = 1 << 33;
        let wrong = |code, what: String| {
            Error::new(code, format!("`{}` cannot be read as a trace", path.display()))
                .caused_by(what)
        };
        let unreadable = |error: io::Error| wrong(ResultCode::FAILURE, error.to_string());
        let mut file = std::fs::File::open(path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        // A file that starts differently may have no end.
        (&mut file).take(size_of::<u64>() as u64).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes == recording::MAGIC.to_le_bytes() {
            file.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
        }
        let words = bytes.chunks_exact(size_of::<u64>());
        let words: Vec<u64> =
            words.filter_map(|word| Some(u64::from_le_bytes(word.try_into().ok()?))).collect();
        contents::read(&words)
            .map_err(|what| wrong(ResultCode::ARGUMENT_INVALID, what.to_owned()))?;
        Ok(Self { words, segments: Vec::new() })
    }

    /// The ticks that began and ended within it.
    #[must_use]
    pub fn ticks(&self) -> Vec<TracedTick> {
        let mut ticks = Vec::new();
        for chrome::Part { segment, contents } in self.contents().unwrap_or_default() {
            let zero = contents.origin.saturating_add(contents.realtime);
            for (thread, events) in &contents.threads {
                ticks.extend(events.iter().filter_map(|event| {
                    let event::What::Tick { end, succeeded } = event.what else { return None };
                    let names = contents.names.get(&event.entity);
                    let entity =
                        names.map_or_else(|| event.entity.to_string(), |one| one.name.clone());
                    Some(TracedTick {
                        entity: match segment {
                            "" => entity,
                            segment => format!("{segment}/{entity}"),
                        },
                        thread: thread.clone(),
                        begin_ns: zero.saturating_add(event.time),
                        end_ns: zero.saturating_add(end),
                        succeeded,
                    })
                }));
            }
        }
        ticks
    }

    /// Number of events written, including those dropped since.
    #[must_use]
    pub fn events(&self) -> u64 {
        let parts = self.contents().unwrap_or_default();
        let count = |part: &chrome::Part<'_>| {
            let threads = part.contents.threads.iter();
            threads.map(|(_, events)| events.len() as u64).sum::<u64>() + part.contents.lost
        };
        parts.iter().map(count).sum()
    }

    /// Number of events dropped to make room for newer ones.
    #[must_use]
    pub fn lost_events(&self) -> u64 {
        self.contents().unwrap_or_default().iter().map(|part| part.contents.lost).sum()
    }

    /// Whether some entities appear as numbers because there was no room for their names. The log
    /// of the run says so too.
    #[must_use]
    pub fn has_lost_names(&self) -> bool {
        let lost = |words: &[u64]| words.get(recording::head::LOST_NAMES).copied();
        self.parts().any(|(_, words)| lost(words).is_some_and(|lost| lost > 0))
    }

    /// Writes the trace in the format of ui.perfetto.dev and chrome://tracing.
    ///
    /// # Errors
    /// Writing failed.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let parts = self.contents();
        let parts = parts.map_err(|what| io::Error::new(io::ErrorKind::InvalidData, what))?;
        chrome::write(&parts, out)
    }
}
