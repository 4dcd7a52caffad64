//! Graphs of the benchmarks, written as YAML like any other application.
#![forbid(unsafe_code)]

use gxf_runtime::Context;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

pub mod recording;

/// As in the binary `gxe`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How the stages of a chain are scheduled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Terms {
    /// `MessageAvailable` at every receiver.
    MessageAvailable,
    /// Also `DownstreamReceptive` at every transmitter: back-pressure.
    WithBackPressure,
}

fn receiver(yaml: &mut String, capacity: usize) {
    let _ = write!(
        yaml,
        "- name: input
  type: nvidia::gxf::DoubleBufferReceiver
  parameters:
    capacity: {capacity}
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters:
    receiver: input
    min_size: 1
"
    );
}

fn transmitter(yaml: &mut String, capacity: usize, terms: Terms) {
    let _ = write!(
        yaml,
        "- name: output
  type: nvidia::gxf::DoubleBufferTransmitter
  parameters: {{capacity: {capacity}}}
"
    );
    if terms == Terms::WithBackPressure {
        yaml.push_str(
            "- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm
  parameters: {transmitter: output, min_size: 1}
",
        );
    }
}

/// A chain of `stages` entities, the first publishing `messages` messages; names begin with `name`.
#[must_use]
pub fn chain(name: &str, stages: usize, messages: u64, terms: Terms) -> String {
    let mut yaml = String::new();
    for stage in 0..stages {
        let _ = write!(yaml, "---\nname: {name}_{stage}\ncomponents:\n");
        if stage > 0 {
            receiver(&mut yaml, 2);
        }
        if stage + 1 < stages {
            transmitter(&mut yaml, 2, terms);
        }
        let (kind, parameters) = if stage == 0 {
            ("Source", "{output: output}")
        } else if stage + 1 < stages {
            ("Pass", "{input: input, output: output}")
        } else {
            ("Sink", "{input: input}")
        };
        let _ = write!(yaml, "- type: bench::{kind}\n  parameters: {parameters}\n");
        if stage == 0 {
            let _ = write!(
                yaml,
                "- type: nvidia::gxf::CountSchedulingTerm\n  parameters: {{count: {messages}}}\n"
            );
        } else {
            let before = stage - 1;
            let _ = write!(
                yaml,
                "---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters: \
                 {{source: {name}_{before}/output, target: {name}_{stage}/input}}\n"
            );
        }
    }
    yaml
}

/// `count` entities that wait for a message nobody sends.
#[must_use]
pub fn idle_entities(count: usize) -> String {
    let mut yaml = String::new();
    for number in 0..count {
        let _ = write!(yaml, "---\nname: idle_{number}\ncomponents:\n");
        receiver(&mut yaml, 1);
        yaml.push_str("- type: bench::Sink\n  parameters:\n    input: input\n");
    }
    yaml
}

/// The scheduler, as YAML.
#[must_use]
pub fn greedy() -> String {
    "---
name: scheduler
components:
- name: clock
  type: nvidia::gxf::RealtimeClock
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock}
"
    .to_owned()
}

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

/// Loads and runs a graph; the time is that of the run alone.
///
/// # Panics
/// When the graph is not well-formed or fails.
#[must_use]
pub fn run(yaml: &str) -> Duration {
    run_in(&context(), yaml)
}

fn run_in(context: &Context, yaml: &str) -> Duration {
    context.load_app_text("benchmark", yaml, &[]).expect("the graph loads");
    context.activate().expect("the graph activates");
    let start = Instant::now();
    context.run().expect("the graph runs");
    let elapsed = start.elapsed();
    context.deactivate().expect("the graph deactivates");
    elapsed
}
