//! What a hop costs: one execution of one stage of a chain (receive, tick, publish), through the
//! plugin border.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gxe_benches::{Terms, chain, greedy, idle_entities, run};

/// Messages of the shortest run, so that starting and stopping the graph does not count.
const FEWEST: u64 = 20_000;

fn hop(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hop");
    group.sample_size(20);
    for (name, terms) in
        [("message_available", Terms::MessageAvailable), ("back_pressure", Terms::WithBackPressure)]
    {
        for stages in [2, 10, 20] {
            group.throughput(Throughput::Elements(1));
            group.bench_function(BenchmarkId::new(format!("greedy/{name}"), stages), |bencher| {
                bencher.iter_custom(|hops| {
                    let messages = (hops / stages as u64).max(FEWEST);
                    let elapsed = run(&(chain("stage", stages, messages, terms) + &greedy()));
                    elapsed.mul_f64(hops as f64 / (messages * stages as u64) as f64)
                });
            });
        }
    }
    group.finish();
}

fn idle(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("idle");
    // Every idle entity is started once, which must not count here.
    const MESSAGES: u64 = 1_000_000;
    group.sample_size(10);
    for count in [0, 100, 10_000] {
        let others = idle_entities(count);
        group.bench_function(BenchmarkId::new("greedy/pair_beside", count), |bencher| {
            bencher.iter_custom(|hops| {
                let messages = (hops / 2).max(MESSAGES);
                let pair = chain("stage", 2, messages, Terms::MessageAvailable);
                let elapsed = run(&(pair + &others + &greedy()));
                elapsed.mul_f64(hops as f64 / (messages * 2) as f64)
            });
        });
    }
    group.finish();
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

criterion_group!(benches, hop, idle, load);
criterion_main!(benches);
