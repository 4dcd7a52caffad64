//! A long run for `make storm`: recorders are killed at random moments, every bit of an index is
//! flipped, and entities files are cut and changed at random. Arguments: seconds, and the number of
//! the first round.
#![forbid(unsafe_code)]

use gxe_tests::recording_storm::{INDEX_BITS, damage_entities, flip_index_bit, kill_a_recorder};
use std::time::{Duration, Instant};

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let length = Duration::from_secs(numbers.next().unwrap_or(60));
    let first: u64 = numbers.next().unwrap_or(0);
    let begin = Instant::now();
    let (mut rounds, mut frames) = (0, 0);
    while begin.elapsed() < length || rounds == 0 {
        let round = first + rounds;
        // Unwinding names the check that failed; this line names the round to repeat.
        let repeat = Repeat(round);
        frames += kill_a_recorder(round);
        flip_index_bit(round);
        damage_entities(round);
        std::mem::forget(repeat);
        rounds += 1;
    }
    println!(
        "{rounds} recorders killed, none of their {frames} frames lost or torn; {} of {INDEX_BITS} \
         index bits flipped; {rounds} entities files damaged",
        rounds.min(INDEX_BITS)
    );
}

/// Says which round failed.
struct Repeat(u64);

impl Drop for Repeat {
    fn drop(&mut self) {
        eprintln!("repeat the round with `recording_storm 1 {}`", self.0);
    }
}
