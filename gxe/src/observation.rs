//! The measurements of a run and their outputs: statistics, a trace, the flight recorder.

use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::ObservationOptions;
#[cfg(feature = "otlp")]
use crate::otlp::Otlp;
use crate::patient::{self, Patient};
use crate::stop::Stop;
use anyhow::Context as _;
use gxf_runtime::{Context, Trace, TraceOptions};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Events each thread keeps for the flight recorder: 1 MiB, a few thousand ticks.
const FLIGHT_RECORDER_EVENTS: usize = 1 << 15;

/// The active measurements. Creates their files at the start, so that one that cannot be written is
/// reported before the run.
pub struct Observation {
    statistics: bool,
    statistics_file: Option<Output>,
    trace: Option<Output>,
    flight_recorder: Option<FlightRecorder>,
    #[cfg(feature = "otlp")]
    otlp: Option<Otlp>,
}

struct FlightRecorder {
    /// For display.
    path: PathBuf,
    /// The file of the recording, which the system keeps if the process is killed.
    recording: PathBuf,
}

/// A file to write at the end.
struct Output {
    path: PathBuf,
    file: File,
}

/// Whether a file that is written later, if at all, can be. It is not made, and keeps its content.
fn can_be_written(path: &Path) -> Result<(), Failure> {
    let Ok(about) = path.metadata() else { return Ok(()) };
    let opened = match about.is_dir() {
        true => Err(ErrorKind::IsADirectory.into()),
        // Opening a pipe would wait for its reader.
        false if about.is_file() => File::options().append(true).open(path).map(drop),
        false => Ok(()),
    };
    opened
        .with_context(|| format!("cannot write '{}'", path.display()))
        .map_err(|error| Failure::new(ExitStatus::Usage, error))
}

impl Output {
    fn create(path: &Path) -> Result<Self, Failure> {
        let file = patient::create(path)
            .with_context(|| format!("cannot write '{}'", path.display()))
            .map_err(|error| Failure::new(ExitStatus::Usage, error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn write(
        self,
        what: impl FnOnce(&mut BufWriter<Patient<File>>) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let mut file = BufWriter::new(Patient(self.file));
        what(&mut file)
            .and_then(|()| file.flush())
            .with_context(|| format!("cannot write '{}'", self.path.display()))
            .map_err(|error| Failure::new(ExitStatus::Run, error))
    }
}

impl Observation {
    /// Starts to measure, before the graph is activated.
    pub fn begin(context: &Context, options: &ObservationOptions) -> Result<Self, Failure> {
        let output = |path: &Option<PathBuf>| path.as_deref().map(Output::create).transpose();
        let statistics_file = output(&options.statistics_file)?;
        let trace = output(&options.trace)?;
        let flight_recorder = options.flight_recorder.clone().map(|path| {
            can_be_written(&path)?;
            let mut recording = path.clone().into_os_string();
            recording.push(".recording");
            Ok(FlightRecorder { path, recording: recording.into() })
        });
        let flight_recorder = flight_recorder.transpose()?;
        if options.cuda_sync {
            context.synchronize_cuda();
        }
        context.set_max_in_flight(options.max_in_flight);
        if options.cuda_graphs {
            context.make_cuda_graphs();
        }
        if options.statistics || options.metrics.is_some() || options.otlp.is_some() {
            context.enable_statistics();
        }
        let recorded = match (&trace, &flight_recorder) {
            (Some(_), _) => Some(TraceOptions::default()),
            (None, Some(recorder)) => Some(TraceOptions {
                events_per_thread: FLIGHT_RECORDER_EVENTS,
                file: Some(recorder.recording.clone()),
            }),
            (None, None) => None,
        };
        if let Some(options) = recorded {
            context
                .trace_start(&options)
                .context("the run cannot be recorded")
                .map_err(|error| Failure::new(ExitStatus::Usage, error))?;
        }
        #[cfg(feature = "otlp")]
        let otlp = options.otlp.as_deref().map(|url| {
            let records = trace.is_none() && flight_recorder.is_none();
            Otlp::start(context, url, records)
        });
        Ok(Self {
            statistics: options.statistics,
            statistics_file,
            trace,
            flight_recorder,
            #[cfg(feature = "otlp")]
            otlp: otlp
                .transpose()
                .context("nothing can be sent to the collector")
                .map_err(|error| Failure::new(ExitStatus::Usage, error))?,
        })
    }

    /// Prints and writes the measurements, however the run ended. `has_run`: whether it began;
    /// `succeeded`: whether it ended well.
    ///
    /// # Errors
    /// A file or standard output cannot be written. A missing reader of standard output is no
    /// error; `stop` records it.
    pub fn end(
        self,
        context: &Context,
        stop: &Stop,
        has_run: bool,
        succeeded: bool,
    ) -> Result<(), Failure> {
        #[cfg(feature = "otlp")]
        let trace = match self.otlp {
            Some(otlp) => otlp.end(context, succeeded),
            None => context.trace_stop(),
        };
        #[cfg(not(feature = "otlp"))]
        let trace = context.trace_stop();
        let mut printed = Ok(());
        if let Some(statistics) = context.statistics().filter(|_| self.statistics) {
            if has_run {
                printed = print(&format!("\n{statistics}\n"), stop);
            }
            if let Some(output) = self.statistics_file {
                output.write(|file| file.write_all(statistics.to_json().as_bytes()))?;
            }
        }
        let Some(trace) = trace else { return printed };
        if let Some(output) = self.trace {
            write_trace(&trace, output)?;
        }
        let Some(recorder) = self.flight_recorder else { return printed };
        if !succeeded || context.stuck_entities() > 0 {
            let written = Output::create(&recorder.path);
            written.and_then(|output| write_trace(&trace, output)).inspect_err(|_| {
                let recording = recorder.recording.display();
                tracing::warn!("The events are in '{recording}'; `gxe trace convert` reads them");
            })?;
        }
        std::fs::remove_file(&recorder.recording)
            .with_context(|| format!("cannot remove '{}'", recorder.recording.display()))
            .map_err(|error| Failure::new(ExitStatus::Run, error))?;
        printed
    }
}

fn print(table: &str, stop: &Stop) -> Result<(), Failure> {
    match Console::print(table) {
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::TimedOut) => {
            stop.set_output_lost();
            Ok(())
        }
        printed => printed
            .context("cannot write to standard output")
            .map_err(|error| Failure::new(ExitStatus::Run, error)),
    }
}

/// Writes a trace and logs that.
fn write_trace(trace: &Trace, output: Output) -> Result<(), Failure> {
    let path = output.path.clone();
    output.write(|file| trace.write_json(file))?;
    let lost = match trace.lost_events() {
        0 => String::new(),
        lost => format!("; {lost} older events were dropped"),
    };
    tracing::info!("Trace written to '{}'{lost}; open it at ui.perfetto.dev", path.display());
    Ok(())
}
