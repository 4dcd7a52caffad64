//! Clocks: the only source of time.
//!
//! - `realtime.rs`: time passes by itself;
//! - `manual.rs`: time passes when somebody sleeps, so that a run takes no time and is repeatable;
//! - `synthetic.rs`: time passes when somebody says so.

mod line;
mod manual;
mod realtime;
mod synthetic;

pub(crate) use manual::ManualClock;
pub(crate) use realtime::RealtimeClock;
pub(crate) use synthetic::SyntheticClock;
