//! Runs one graph once and prints nanoseconds a hop: for profilers (`valgrind --tool=callgrind`,
//! `perf`), which want one plain run. Arguments: stages, messages, `back_pressure` or `plain` or
//! `crossing`, scheduler (`greedy`, `multi_thread_2`, …).
#![forbid(unsafe_code)]

use gxe_benches::graph::{Terms, chain, crossing};
use gxe_benches::{Scheduler, run};

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
        Some("crossing") => {
            let elapsed = run(&crossing(messages), scheduler);
            println!("{:.1} ns a hop", elapsed.as_nanos() as f64 / messages as f64);
            return;
        }
        _ => Terms::MessageAvailable,
    };
    let yaml = chain("stage", usize::try_from(stages).unwrap_or(2), messages, terms);
    let elapsed = run(&yaml, scheduler);
    println!("{:.1} ns a hop", elapsed.as_nanos() as f64 / (stages * messages) as f64);
}
