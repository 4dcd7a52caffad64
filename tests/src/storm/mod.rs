//! Storms: the real `gxe` under everything that can happen to a process, round after round.
//!
//! A round is made from its number alone, so it can be repeated. `tests/tests/storm.rs` runs the
//! first rounds of each storm, `make storm` (`src/bin/storm.rs`) as many as there is time for. To
//! add a storm: a file here with a `pub const STORM`, and a row in [`STORMS`].

pub mod descriptors;
pub mod files;
pub mod libraries;
pub mod outputs;
mod process;
pub mod signals;

use crate::random::Random;

/// One kind of storm.
pub struct Storm {
    /// What it does.
    pub name: &'static str,
    /// Rounds that a test runs.
    pub rounds: u64,
    /// Runs one round, and says what was wrong.
    pub round: fn(&mut Round) -> Result<(), String>,
}

/// All storms.
pub const STORMS: &[Storm] =
    &[signals::STORM, outputs::STORM, descriptors::STORM, files::STORM, libraries::STORM];

impl Storm {
    /// Runs the round of this number.
    ///
    /// # Errors
    /// What was wrong, with the number.
    pub fn run(&self, number: u64) -> Result<(), String> {
        let mut round = Round::new(number);
        (self.round)(&mut round)
            .map_err(|problem| format!("storm of {}, round {number}: {problem}", self.name))
    }
}

/// A round: its number, and choices that follow from it.
pub struct Round {
    number: u64,
    random: Random,
}

impl Round {
    /// The round of this number.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self { number, random: Random(number) }
    }

    /// A number below a limit, which any sequence of rounds spreads evenly.
    #[must_use]
    pub fn spread(&self, limit: u64) -> u64 {
        // The golden ratio's multiples modulo 1 leave no large gaps.
        let fraction = (self.number as f64 * 0.618_033_988_749_894_9).fract();
        (fraction * limit as f64) as u64
    }

    /// Any number below a limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    /// Any of some values.
    pub fn any<T: Copy>(&mut self, values: &[T]) -> T {
        self.random.any(values)
    }
}
