//! The benchmarks' graphs, written in YAML like any app (`graph.rs`), their schedulers
//! (`scheduler.rs`), and the timing of a run. The stages are an extension in Rust, and another in
//! C++ (`cpp.rs`).
#![forbid(unsafe_code)]

mod cpp;
pub mod graph;
pub mod recording;
mod scheduler;

pub use cpp::in_cpp;
use gxf_runtime::{Context, TraceOptions};
pub use scheduler::Scheduler;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The binary `gxe` uses the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A context with the benchmarks' extension.
///
/// # Panics
/// If the extension is not built; `make bench` builds it.
#[must_use]
pub fn context() -> Context {
    let context = Context::new();
    context
        .load_extension(&PathBuf::from("libgxf_bench_stages.so"))
        .expect("libgxf_bench_stages.so lies beside the benchmark; `make bench` builds it");
    context
}

/// What a run records besides its time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// Nothing.
    No,
    /// Statistics.
    Statistics,
    /// Every event.
    Trace,
}

/// Loads and runs a graph, and returns the time of the run alone.
///
/// # Panics
/// If the graph is not well-formed or fails.
#[must_use]
pub fn run(yaml: &str, scheduler: Scheduler) -> Duration {
    run_observed(yaml, scheduler, Observed::No)
}

/// Like [`run`], with observation.
///
/// # Panics
/// See [`run`].
#[must_use]
pub fn run_observed(yaml: &str, scheduler: Scheduler, observed: Observed) -> Duration {
    let elapsed = run_in(&observed_context(observed), &(yaml.to_owned() + &scheduler.yaml(yaml)));
    // Only a static schedule has one.
    _ = std::fs::remove_file(scheduler::schedule_file());
    elapsed
}

/// Runs a graph on the GreedyScheduler, with or without a trace. Returns the processor time, which
/// excludes other programs, and the number of events.
///
/// # Panics
/// See [`run`].
#[must_use]
pub fn run_traced(yaml: &str, with_trace: bool) -> (Duration, u64) {
    let context = observed_context(if with_trace { Observed::Trace } else { Observed::No });
    let begin = processor_time();
    let _ = run_in(&context, &(yaml.to_owned() + &Scheduler::Greedy.yaml(yaml)));
    let used = processor_time() - begin;
    (used, context.trace_stop().map_or(0, |trace| trace.events()))
}

/// Passes a number from thread to thread and back, through one cache line: the least that a message
/// can take from one thread to another. Returns the time of so many passes, one way each.
#[must_use]
pub fn cache_line(passes: u64) -> Duration {
    let number = AtomicU64::new(0);
    // Each thread passes on the numbers of its own parity.
    let alternate = |parity: u64| {
        for mine in (parity..passes).step_by(2) {
            while number.load(Ordering::Acquire) != mine {
                std::hint::spin_loop();
            }
            number.store(mine + 1, Ordering::Release);
        }
    };
    let begin = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| alternate(1));
        alternate(0);
    });
    begin.elapsed()
}

/// Processor time of this process so far.
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

/// Runs a graph in a context and returns the time of the run alone.
///
/// # Panics
/// If the graph is not well-formed or fails.
#[must_use]
pub fn run_in(context: &Context, yaml: &str) -> Duration {
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
