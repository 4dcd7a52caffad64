//! The cost of a hop (one execution of one stage: receive, tick, publish, across the ABI boundary)
//! for every shape of graph and every scheduler, of idle entities next to it, and of loading a
//! large graph.

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use gxe_benches::graph::{
    Terms, chain, crossing, fan_in, fan_out, idle_entities, pairs, periodic, turns, with_work,
};
use gxe_benches::{Observed, Scheduler, cache_line, in_cpp, run, run_observed};
use std::time::Duration;

/// Messages of the shortest run: enough to make starting and stopping the graph negligible.
const FEWEST: u64 = 20_000;

/// Measures a graph made for a number of messages, each of which makes `hops` hops.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: impl Into<BenchmarkId>,
    hops_a_message: u64,
    scheduler: Scheduler,
    graph: impl Fn(u64) -> String,
) {
    group.throughput(Throughput::Elements(1));
    group.bench_function(name.into(), |bencher| {
        bencher.iter_custom(|hops| {
            let messages = (hops / hops_a_message).max(FEWEST);
            let elapsed = run(&graph(messages), scheduler);
            elapsed.mul_f64(hops as f64 / (messages * hops_a_message) as f64)
        });
    });
}

fn hop(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hop");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for stages in [1, 2, 5, 10, 20] {
        // A chain of one stage is a source without a receiver.
        let name = BenchmarkId::new("chain/greedy/message_available", stages);
        measure(&mut group, name, stages as u64, Scheduler::Greedy, |messages| {
            chain("stage", stages, messages, Terms::MessageAvailable)
        });
    }
    for (terms, name) in
        [(Terms::MessageAvailable, "message_available"), (Terms::WithBackPressure, "back_pressure")]
    {
        let name = BenchmarkId::new(format!("chain_in_cpp/greedy/{name}"), 10);
        measure(&mut group, name, 10, Scheduler::Greedy, |messages| {
            in_cpp(&chain("stage", 10, messages, terms))
        });
    }
    for scheduler in Scheduler::ALL {
        for stages in [2, 10, 20] {
            let name = BenchmarkId::new(format!("chain/{scheduler}/back_pressure"), stages);
            measure(&mut group, name, stages as u64, scheduler, |messages| {
                chain("stage", stages, messages, Terms::WithBackPressure)
            });
        }
        let name = BenchmarkId::new(format!("fan_out/{scheduler}"), 8);
        measure(&mut group, name, 9, scheduler, |messages| fan_out(8, messages));
        let name = BenchmarkId::new(format!("fan_in/{scheduler}"), 8);
        measure(&mut group, name, 16, scheduler, |messages| fan_in(8, messages));
        for count in [1, 10, 100, 1000] {
            let name = BenchmarkId::new(format!("pairs/{scheduler}"), count);
            measure(&mut group, name, 2, scheduler, |messages| {
                pairs(count, (messages / count as u64).max(1))
            });
        }
    }
    let crossed = [Scheduler::MultiThread(1), Scheduler::EventBased(1), Scheduler::Actors(1)];
    for scheduler in crossed.into_iter().chain(Scheduler::INSTANCES) {
        let name = format!("crossing_threads/{scheduler}");
        let graph = |messages| crossing(messages, scheduler);
        measure(&mut group, BenchmarkId::new(name, 2), 1, scheduler, graph);
    }
    // With two workers, each execution waits for the fence of the one before it.
    for workers in [1, 2] {
        let scheduler = Scheduler::Static(workers);
        for stages in [2, 10, 100] {
            let name = BenchmarkId::new(format!("turns/{scheduler}"), stages);
            measure(&mut group, name, stages as u64, scheduler, |ticks| turns(stages, ticks));
        }
    }
    group.bench_function("crossing_threads/one_cache_line", |bencher| {
        bencher.iter_custom(|passes| {
            cache_line(passes.max(FEWEST)).mul_f64(passes as f64 / passes.max(FEWEST) as f64)
        });
    });
    group.finish();
}

/// The cost of observation, for ticks that do nothing and for ticks of 10 µs.
fn observed(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("observed");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    let kinds =
        [("no", Observed::No), ("statistics", Observed::Statistics), ("trace", Observed::Trace)];
    for (work, fewest) in [(0, FEWEST), (10_000, 200)] {
        for (kind, observed) in kinds {
            let name = BenchmarkId::new(format!("chain_of_10_working_{work}_ns"), kind);
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|hops| {
                    let messages = (hops / 10).max(fewest);
                    let yaml = chain("stage", 10, messages, Terms::WithBackPressure);
                    let yaml = if work > 0 { with_work(&yaml, work) } else { yaml };
                    let elapsed = run_observed(&yaml, Scheduler::Greedy, observed);
                    elapsed.mul_f64(hops as f64 / (messages * 10) as f64)
                });
            });
        }
    }
    group.finish();
}

fn idle(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("idle");
    // Enough to make starting every idle entity once negligible.
    const MESSAGES: u64 = 1_000_000;
    group.sample_size(10);
    for scheduler in Scheduler::ALL {
        // A static schedule visits every entity in every round, so many of them take an hour.
        let counts: &[usize] =
            if matches!(scheduler, Scheduler::Static(_)) { &[0, 100] } else { &[0, 100, 10_000] };
        for &count in counts {
            let others = idle_entities(count);
            let name = BenchmarkId::new(format!("{scheduler}/pair_beside"), count);
            group.bench_function(name, |bencher| {
                bencher.iter_custom(|hops| {
                    let messages = (hops / 2).max(MESSAGES);
                    let pair = chain("stage", 2, messages, Terms::WithBackPressure);
                    let elapsed = run(&(pair + &others), scheduler);
                    elapsed.mul_f64(hops as f64 / (messages * 2) as f64)
                });
            });
        }
    }
    group.finish();
}

/// The ticks measure themselves, so criterion is not involved.
fn lateness(_criterion: &mut Criterion) {
    let report = std::env::temp_dir().join(format!("gxe-lateness-{}", std::process::id()));
    for scheduler in Scheduler::ALL {
        let _ = run(&periodic(2_000, &report.display().to_string()), scheduler);
        let figures = std::fs::read_to_string(&report).expect("the metronome wrote its figures");
        println!("lateness at 1 kHz, {scheduler}, ns: median, 99 %, maximum: {figures}");
    }
    let _ = std::fs::remove_file(report);
}

fn load(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("load");
    group.sample_size(10);
    let yaml = idle_entities(10_000);
    group.bench_function("10000_entities_of_3_components", |bencher| {
        bencher.iter_with_large_drop(|| {
            let context = gxe_benches::context();
            context.load_app_text("benchmark", &yaml, &[]).expect("the graph loads");
            context
        });
    });
    group.finish();
}

criterion_group!(benches, hop, observed, idle, lateness, load);
criterion_main!(benches);
