//! Clocks: the graph's source of time.
//!
//! - `realtime.rs`: time passes by itself;
//! - `manual.rs`: time passes when a component sleeps, so a run takes no time and is repeatable;
//! - `synthetic.rs`: another component or program moves the time.

mod manual;
mod realtime;
mod synthetic;

pub use manual::ManualClock;
pub use realtime::RealtimeClock;
pub use synthetic::SyntheticClock;
