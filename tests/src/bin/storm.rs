//! Storms for `make storm`, see `gxe_tests::storm`. Arguments: seconds, the number of the first
//! round, the name of the only storm to run.
#![forbid(unsafe_code)]

use gxe_tests::storm::STORMS;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let number = |position, default| {
        let text = std::env::args().nth(position);
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (length, first) = (Duration::from_secs(number(1, 60)), number(2, 0));
    let only = std::env::args().nth(3);
    let storms =
        STORMS.iter().filter(|storm| only.as_deref().is_none_or(|only| only == storm.name));
    let begin = Instant::now();
    let mut rounds = 0;
    while begin.elapsed() < length {
        for storm in storms.clone() {
            if let Err(problem) = storm.run(first + rounds) {
                eprintln!("error: {problem}");
                return ExitCode::FAILURE;
            }
        }
        rounds += 1;
        if rounds % 50 == 0 {
            println!("{:4} s {rounds:6} rounds of each storm", begin.elapsed().as_secs());
        }
    }
    println!("{rounds} rounds of each storm, from round {first} on");
    ExitCode::SUCCESS
}
