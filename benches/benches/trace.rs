//! The processor time of `--trace` for realistic tick lengths. Runs with and without it alternate,
//! because the speed of a machine drifts by more than the difference.

use gxe_benches::graph::{Terms, chain, with_work};
use gxe_benches::run_traced;

/// Stages of the chain; all but the first and the last do work.
const STAGES: usize = 10;

/// Pairs of runs; an odd number.
const PAIRS: usize = 21;

/// The middle value.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    println!("ticks of     hop       with trace  slowdown  events a hop  an event");
    for (name, nanoseconds, messages) in [
        ("nothing", 0, 50_000),
        ("10 µs", 10_000, 1_000),
        ("100 µs", 100_000, 100),
        ("1 ms", 1_000_000, 20),
    ] {
        let chain = chain("stage", STAGES, messages, Terms::WithBackPressure);
        let yaml = if nanoseconds > 0 { with_work(&chain, nanoseconds) } else { chain };
        let hops = STAGES as f64 * messages as f64;
        let (mut plain, mut added, mut events) = (Vec::new(), Vec::new(), 0.0);
        for _ in 0..PAIRS {
            let (without, _) = run_traced(&yaml, false);
            let (with, written) = run_traced(&yaml, true);
            plain.push(without.as_nanos() as f64 / hops);
            added.push((with.as_nanos() as f64 - without.as_nanos() as f64) / hops);
            events = written as f64 / hops;
        }
        let (plain, added) = (median(plain), median(added));
        // For longer ticks the difference is too small to divide.
        let event = if nanoseconds <= 10_000 {
            format!("{:6.1} ns", added / events)
        } else {
            "        -".to_owned()
        };
        println!(
            "{name:8} {plain:10.0} ns {:10.0} ns {:7.2} % {events:13.2} {event}",
            plain + added,
            100.0 * added / plain,
        );
    }
}
