//! A run of actors allocates nothing from its first act on.

use gxe_tests::build;
use gxf_runtime::Context;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

/// Counts what the engine, and everything else of this program, allocates. Extensions have
/// allocators of their own; those of this graph allocate nothing.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A source, a stage, and a sink.
fn graph(messages: u64, threads: u32) -> String {
    format!(
        "\
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
- {{type: 'gxe::actors::SourceTick', parameters: {{output: out, count: {messages}}}}}
---
name: stage
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
- {{type: nvidia::gxf::Forward, parameters: {{in: in, out: out}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: 'gxe::actors::Sink', parameters: {{inputs: [in]}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: stage/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: stage/out, target: sink/in}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: 'gxe::ActorScheduler', parameters: {{clock: clock, threads: {threads}}}}}
"
    )
}

/// Allocations of a run, without those of loading and activating the graph.
fn allocations(messages: u64, threads: u32) -> usize {
    let context = Context::new();
    context.load_extension(&build::library("gxe_actors")).expect("the extension");
    context.load_app_text("graph", &graph(messages, threads), &[]).expect("a graph");
    context.activate().expect("it is activated");
    let before = ALLOCATOR.stats();
    context.run().expect("it runs");
    let after = ALLOCATOR.stats();
    assert_eq!(context.run_report().entities[2].ticks, messages);
    context.deactivate().expect("it is deactivated");
    let count = |stats: stats_alloc::Stats| stats.allocations + stats.reallocations;
    count(after) - count(before)
}

#[test]
fn no_act_allocates() {
    for threads in 1..=3 {
        // What the process needs once.
        let _ = allocations(1000, threads);
        let (few, many) = (allocations(10, threads), allocations(5_000, threads));
        assert_eq!(few, many, "{threads} threads");
    }
}
