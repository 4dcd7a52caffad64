//! Graphs of the benchmarks, written as YAML like any other application (`graph.rs`), the schedulers
//! they run on (`scheduler.rs`), and how a run is timed. The stages are an extension in Rust, and
//! again in C++ (`cpp.rs`).
#![forbid(unsafe_code)]

mod cpp;
pub mod graph;
pub mod recording;
mod scheduler;

pub use cpp::in_cpp;
use gxf_runtime::{Context, TraceOptions};
pub use scheduler::Scheduler;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// As in the binary `gxe`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A context with the extension of the benchmarks.
///
/// # Panics
/// When the extension is not built; `make bench` builds it.
#[must_use]
pub fn context() -> Context {
    let context = Context::new();
    context
        .load_extension(&PathBuf::from("libgxf_bench_stages.so"))
        .expect("libgxf_bench_stages.so lies beside the benchmark; `make bench` builds it");
    context
}

/// What is measured besides the time of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// Nothing.
    No,
    /// Statistics.
    Statistics,
    /// Every event.
    Trace,
}

/// Loads and runs a graph; the time is that of the run alone.
///
/// # Panics
/// When the graph is not well-formed or fails.
#[must_use]
pub fn run(yaml: &str, scheduler: Scheduler) -> Duration {
    run_observed(yaml, scheduler, Observed::No)
}

/// As [`run`], while the graph is observed.
///
/// # Panics
/// As [`run`].
#[must_use]
pub fn run_observed(yaml: &str, scheduler: Scheduler, observed: Observed) -> Duration {
    run_in(&observed_context(observed), &(yaml.to_owned() + &scheduler.yaml()))
}

/// Runs a graph on the GreedyScheduler, with a trace or without. The time is that of the processor,
/// which does not count what other programs take; with it comes the number of events.
///
/// # Panics
/// As [`run`].
#[must_use]
pub fn run_traced(yaml: &str, with_trace: bool) -> (Duration, u64) {
    let context = observed_context(if with_trace { Observed::Trace } else { Observed::No });
    let begin = processor_time();
    run_in(&context, &(yaml.to_owned() + &Scheduler::Greedy.yaml()));
    let used = processor_time() - begin;
    (used, context.trace_stop().map_or(0, |trace| trace.events()))
}

/// What this process has used so far.
fn processor_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap_or_default()
}

fn observed_context(observed: Observed) -> Context {
    let context = context();
    match observed {
        Observed::No => {}
        Observed::Statistics => context.enable_statistics(),
        Observed::Trace => {
            context.trace_start(&TraceOptions::default()).expect("there is memory for a trace");
        }
    }
    context
}

fn run_in(context: &Context, yaml: &str) -> Duration {
    if yaml.contains(cpp::NAMESPACE) {
        context.load_extension(cpp::library()).expect("the extension was just built");
    }
    context.load_app_text("benchmark", yaml, &[]).expect("the graph loads");
    context.activate().expect("the graph activates");
    let start = Instant::now();
    context.run().expect("the graph runs");
    let elapsed = start.elapsed();
    context.deactivate().expect("the graph deactivates");
    elapsed
}
