//! The stages of a run, in GXF's order and with GXF's log lines.

mod watch;

#[cfg(feature = "serve")]
use crate::command::title_of;
use crate::console::Console;
use crate::control::Control;
use crate::exit_status::ExitStatus;
use crate::failure::{Failure, Failures, counted};
use crate::live_graph::LiveGraph;
use crate::loading::load_graph;
#[cfg(feature = "serve")]
use crate::metrics;
use crate::observation::Observation;
use crate::options::Options;
#[cfg(feature = "serve")]
use crate::page::Page;
use crate::patient;
use crate::report;
use crate::segments::{self, Segments};
use crate::severity::Severity;
use crate::stop::{Stop, StopCause};
use anyhow::{Context as _, anyhow};
use gxf_plugin_abi::ResultCode;
use gxf_runtime::Context;
use gxf_runtime::graph::Diagnostics;
use std::sync::Arc;
use std::time::Instant;
use tracing::{info, warn};

/// Loads, runs and deactivates a graph, shows all failures, and returns the exit status.
pub fn run(
    options: &Options,
    console: Console,
    graph: &Arc<LiveGraph>,
    stop: &Arc<Stop>,
) -> ExitStatus {
    let _served = match serve(options, console, graph, stop) {
        Ok(served) => served,
        Err(error) => {
            let mut failures = Failures::new(console, options.logging.file.is_some());
            failures.report(Failure::new(ExitStatus::Usage, error));
            return ExitStatus::Usage;
        }
    };
    if options.watch {
        return watch::run(options, console, graph, stop);
    }
    run_once(None, options, console, graph, stop).status(stop)
}

/// A build without it has no `--serve`.
#[cfg(not(feature = "serve"))]
type Page = std::convert::Infallible;

/// Opens the sockets for other programs.
fn serve(
    options: &Options,
    console: Console,
    graph: &Arc<LiveGraph>,
    stop: &Arc<Stop>,
) -> anyhow::Result<(Option<Page>, Option<Control>)> {
    #[cfg(feature = "serve")]
    if let Some(address) = options.observation.metrics {
        metrics::serve(address, graph)?;
    }
    let control = options.control.as_deref().map(|path| Control::serve(path, graph, stop));
    let control = control.transpose()?;
    #[cfg(feature = "serve")]
    let page = options.observation.serve.map(|address| {
        let title = title_of(&options.graph.apps);
        Page::serve(address, graph, stop, console, title)
    });
    #[cfg(not(feature = "serve"))]
    let page = {
        let _ = console;
        None::<anyhow::Result<Page>>
    };
    Ok((page.transpose()?, control))
}

/// Runs one graph; `loaded` if it is already loaded.
fn run_once(
    loaded: Option<Context>,
    options: &Options,
    console: Console,
    graph: &LiveGraph,
    stop: &Arc<Stop>,
) -> Outcome {
    stop.graph_loads();
    let is_loaded = loaded.is_some();
    let run = Run { context: loaded.unwrap_or_else(|| new_context(stop)), options, console, stop };
    graph.show(&run.context);
    let mut outcome =
        Outcome { failures: Failures::new(console, options.logging.file.is_some()), stopped: None };
    if is_loaded || outcome.passed(run.load()) {
        run.run_and_report(&mut outcome);
    }
    info!("Destroying context");
    graph.hide();
    drop(run);
    info!("Context destroyed.");
    outcome
}

fn new_context(stop: &Arc<Stop>) -> Context {
    info!("Creating context");
    let context = Context::new();
    let stop = Arc::clone(stop);
    context.stop_loading_when(move || stop.is_requested());
    context
}

/// What happened so far.
struct Outcome {
    failures: Failures,
    stopped: Option<StopCause>,
}

impl Outcome {
    /// Records how some stages ended; returns whether all were completed.
    fn passed(&mut self, stages: Result<(), Ended>) -> bool {
        match stages {
            Ok(()) => return true,
            Err(Ended::Failed(failure)) => self.failures.report(failure),
            Err(Ended::Stopped(cause)) => self.stopped = Some(cause),
        }
        false
    }

    /// The exit status.
    fn status(&self, stop: &Stop) -> ExitStatus {
        let lost = stop.is_output_lost().then_some(StopCause::BrokenPipe);
        let stopped = self.stopped.or(lost).map(StopCause::exit_status);
        self.failures.status().or(stopped).unwrap_or(ExitStatus::Success)
    }
}

/// The reason not all stages were completed.
enum Ended {
    Failed(Failure),
    Stopped(StopCause),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

struct Run<'a> {
    context: Context,
    options: &'a Options,
    console: Console,
    stop: &'a Stop,
}

impl Run<'_> {
    /// Loads extensions and app files.
    fn load(&self) -> Result<(), Ended> {
        let (loaded, segments) = match self.load_files() {
            Ok(segments) => (Ok(()), segments),
            Err(ended) => (Err(ended), None),
        };
        if loaded.is_ok()
            && self.context.entities().is_empty()
            && let Some(path) =
                self.options.graph.app_files().find(|path| segments::has_segments(path))
        {
            let path = path.display();
            let error = anyhow!(
                "'{path}' lists segments under `graph-specs`, which run in processes of their own; \
                 `gxe launch {path}` runs them all on this machine, --driver or --worker a part of them"
            );
            return Err(Failure::new(ExitStatus::Usage, error).into());
        }
        if let Err(Ended::Failed(_)) = loaded {
            // What a stopped load left out is no mistake in the files.
            self.unless_stopped()?;
        }
        self.show_warnings(loaded.is_ok(), segments)?;
        if loaded.is_ok() && self.context.entities().is_empty() {
            warn!("there is no entity in the app files, so there is nothing to run");
        }
        loaded
    }

    /// Returns the segments of a file that names them instead of entities.
    fn load_files(&self) -> Result<Option<Segments>, Ended> {
        let is_stopped = || self.stop.is_requested();
        self.context.set_epoch_budget(self.options.epoch_budget);
        let segments = match &self.options.remote {
            Some(remote) => Some(remote.load(&self.context, &self.options.graph)?),
            None => {
                load_graph(&self.context, &self.options.graph, &is_stopped)?;
                None
            }
        };
        self.unless_stopped()?;
        Ok(segments)
    }

    /// Activates, runs and deactivates the graph. What was measured is reported last: links send what
    /// they hold while the graph is deactivated.
    fn run_and_report(&self, outcome: &mut Outcome) {
        let observation = match self.observe() {
            Ok(observation) => observation,
            Err(ended) => {
                outcome.passed(Err(ended));
                return;
            }
        };
        let activated = self.activate();
        let runs = activated.is_ok() && self.options.run;
        let succeeded = outcome.passed(if runs { self.execute() } else { activated });
        // Also after a failed activation or run, to deinitialise what was initialised.
        info!("Deinitializing...");
        outcome.passed(self.deactivate());
        let observed = observation.end(&self.context, self.stop, runs, succeeded);
        outcome.passed(observed.map_err(Ended::from));
    }

    fn observe(&self) -> Result<Observation, Ended> {
        self.unless_stopped()?;
        let observation = Observation::begin(&self.context, &self.options.observation);
        if observation.is_err() {
            // A pipe without a reader is not waited for.
            self.unless_stopped()?;
        }
        Ok(observation?)
    }

    fn activate(&self) -> Result<(), Ended> {
        info!("Initializing...");
        if let Err(error) = self.context.activate() {
            // This code means a cancelled activation.
            if error.code() == ResultCode::INVALID_EXECUTION_SEQUENCE {
                info!("Not initialized: {error}");
                self.unless_stopped()?;
            }
            let error = anyhow::Error::new(error).context("the graph cannot be activated");
            return Err(Failure::new(ExitStatus::Graph, error).into());
        }
        self.unless_stopped()
    }

    fn deactivate(&self) -> Result<(), Ended> {
        let deactivated = self.context.deactivate().context("the graph cannot be deactivated");
        Ok(deactivated.map_err(|error| Failure::new(ExitStatus::Run, error))?)
    }

    /// Shows warnings of the load. In strict mode they are an error, unless there is a worse one.
    fn show_warnings(&self, loaded: bool, segments: Option<Segments>) -> Result<(), Failure> {
        let mut warnings = self.context.take_warnings();
        if loaded && warnings.warnings() > 0 {
            let segments = Segments::of_graph(&self.context, &mut Diagnostics::new());
            segments.inspect(|segments| segments.refuse_repeated(&mut warnings));
        }
        let is_refused = warnings.errors() > 0;
        if self.options.strict && loaded {
            warnings.extend(self.context.check());
            let segments = segments.or_else(|| Segments::of_graph(&self.context, &mut warnings));
            if let Some(mut segments) = segments {
                segments.retain_rereadable();
                warnings.extend(segments.check_part(&self.options.graph));
            }
            warnings.sort_by_place();
        }
        if warnings.warnings() + warnings.errors() == 0 {
            return Ok(());
        }
        let wanted = self.options.logging.severity >= Severity::Warning;
        if wanted || self.options.strict || is_refused {
            self.console.findings(&warnings);
        }
        if self.options.logging.file.is_some() {
            warn!("{}", warnings.render(false).trim_end());
        }
        if !loaded || !(self.options.strict || is_refused) {
            return Ok(());
        }
        let strictly = if is_refused { "" } else { ", with --strict" };
        let error = anyhow!("the graph is not run: {}{strictly}", counted(&warnings));
        Err(Failure::new(ExitStatus::Load, error))
    }

    fn execute(&self) -> Result<(), Ended> {
        let failed = |error| Failure::new(ExitStatus::Run, error);
        info!("Running...");
        let begin = Instant::now();
        self.stop.graph_starts();
        let started = self.context.run_async().context("the graph did not start");
        let ran = started.and_then(|()| {
            self.stop.graph_runs(&self.context);
            self.context.run_epochs();
            self.context.wait().context("the graph failed")
        });
        let stopped = self.stop.graph_finished();
        if self.context.stuck_entities() > 0 && ran.is_ok() {
            warn!("'gxe check' with the same files may tell what keeps them from running");
        }
        if let Some(cause) = stopped {
            let report = self.context.run_report();
            // A driver has no entities that tick.
            if !report.entities.is_empty() {
                info!("What ran:\n{}", report::table(&report));
            }
            if cause != StopCause::BrokenPipe {
                let summary = report::summary(&report, begin.elapsed());
                self.console.note(&format!("stopped by {}: {summary}", cause.name()));
            }
        }
        if let Err(error) = &ran
            && is_broken_pipe(error)
            && patient::is_abandoned(std::io::stdout())
        {
            // A codelet that prints is treated like the log.
            self.stop.set_output_lost();
            return Err(Ended::Stopped(StopCause::BrokenPipe));
        }
        ran.map_err(failed)?;
        stopped.map_or(Ok(()), |cause| Err(Ended::Stopped(cause)))
    }

    fn unless_stopped(&self) -> Result<(), Ended> {
        let Some(cause) = self.stop.requested() else { return Ok(()) };
        if cause != StopCause::BrokenPipe {
            self.console.note(&format!("stopped by {} before the graph ran", cause.name()));
        }
        Err(Ended::Stopped(cause))
    }
}

/// Whether a write failed because its reader went away. Errors of extensions are texts.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let text = std::io::Error::from(rustix::io::Errno::PIPE).to_string();
    error.chain().any(|cause| cause.to_string().contains(&text))
}
