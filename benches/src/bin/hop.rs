//! Runs one chain once and prints nanoseconds a hop: for profilers (`valgrind --tool=callgrind`,
//! `perf`), which want one plain run. Arguments: stages, messages, `back_pressure` or nothing.
#![forbid(unsafe_code)]

use gxe_benches::{Terms, chain, greedy, run};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (stages, messages) = (number(0, 10), number(1, 1_000_000));
    let terms = match arguments.get(2) {
        Some(word) if word == "back_pressure" => Terms::WithBackPressure,
        _ => Terms::MessageAvailable,
    };
    let yaml = chain("stage", usize::try_from(stages).unwrap_or(2), messages, terms) + &greedy();
    let elapsed = run(&yaml);
    println!("{:.1} ns a hop", elapsed.as_nanos() as f64 / (stages * messages) as f64);
}
