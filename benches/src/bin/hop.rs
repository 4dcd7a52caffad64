//! Runs one graph once and prints nanoseconds per hop, for profilers such as `valgrind
//! --tool=callgrind` and `perf`. Arguments: stages; messages; `back_pressure`, `plain`, `crossing`,
//! `turns` for stages without messages, or `cache_line` for two threads without a graph; scheduler
//! (`greedy`, `multi_thread_2`, …);
//! `statistics` or `trace` to observe the run, or `no`; nanoseconds of work in each tick after the
//! first stage; `cpp` for stages in C++.
#![forbid(unsafe_code)]

use gxe_benches::graph::{Terms, chain, crossing, turns, with_work};
use gxe_benches::{Observed, Scheduler, cache_line, in_cpp, run, run_observed};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (stages, messages) = (number(0, 10), number(1, 1_000_000));
    let name = arguments.get(3).map_or("greedy", String::as_str);
    let Some(scheduler) = Scheduler::named(name) else {
        eprintln!("no scheduler is called `{name}`");
        std::process::exit(2);
    };
    let terms = match arguments.get(2).map(String::as_str) {
        Some("back_pressure") => Terms::WithBackPressure,
        Some(shape @ ("crossing" | "cache_line")) => {
            let elapsed = match shape {
                "crossing" => run(&crossing(messages, scheduler), scheduler),
                _ => cache_line(messages),
            };
            println!("{:.1} ns a hop", elapsed.as_nanos() as f64 / messages as f64);
            return;
        }
        _ => Terms::MessageAvailable,
    };
    let observed = match arguments.get(4).map(String::as_str) {
        Some("statistics") => Observed::Statistics,
        Some("trace") => Observed::Trace,
        _ => Observed::No,
    };
    let count = usize::try_from(stages).unwrap_or(2);
    let mut yaml = match arguments.get(2).map(String::as_str) {
        Some("turns") => turns(count, messages),
        _ => chain("stage", count, messages, terms),
    };
    if let nanoseconds @ 1.. = number(5, 0) {
        yaml = with_work(&yaml, nanoseconds);
    }
    if arguments.get(6).is_some_and(|language| language == "cpp") {
        yaml = in_cpp(&yaml);
    }
    let elapsed = run_observed(&yaml, scheduler, observed);
    println!("{:.1} ns a hop", elapsed.as_nanos() as f64 / (stages * messages) as f64);
}
