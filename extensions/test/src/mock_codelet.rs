//! `MockCodelet`, `MockFailure`: work of random length, failure on demand.

use gxf::ParameterEnum;
use gxf::prelude::*;
use std::time::{Duration, Instant};

/// Nanoseconds in a millisecond.
const MILLISECOND: i64 = 1_000_000;

/// The place of a [`MockCodelet`] in a pipeline.
#[derive(Clone, Copy, Default, PartialEq, ParameterEnum)]
#[expect(clippy::upper_case_acronyms, reason = "GXF spells the modes in capitals in YAML")]
enum Mode {
    SOURCE,
    #[default]
    PROCESS,
    SINK,
}

/// Stands in for a real codelet: receives, works for a random time, publishes. SOURCE only
/// publishes, SINK only receives, PROCESS passes on what it received.
#[derive(Component, Default)]
pub struct MockCodelet {
    /// Place in the pipeline.
    #[parameter(default = Mode::PROCESS)]
    mode: Parameter<Mode>,
    /// Receiver of the messages; needed by PROCESS and SINK.
    receiver: Parameter<Option<Handle<Receiver>>>,
    /// Transmitter of the messages; needed by SOURCE and PROCESS.
    transmitter: Parameter<Option<Handle<Transmitter>>>,
    /// Clock that gives messages of a SOURCE their acquisition time.
    clock: Parameter<Handle<Clock>>,
    /// Shortest time a tick computes, in real time. -1 for no work at all.
    #[parameter(unit = "ms", default = -1, minimum = -1)]
    duration_lower_ms: Parameter<i32>,
    /// Longest time a tick computes, in real time. -1 for no work at all.
    #[parameter(unit = "ms", default = -1, minimum = -1)]
    duration_upper_ms: Parameter<i32>,
    /// Sleeps on the clock for the same time after the computation, as a codelet does that waits
    /// for a device.
    #[parameter(default = false)]
    include_mock_latency: Parameter<bool>,
    random: u64,
}

impl Codelet for MockCodelet {
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        let missing = |name: &str| {
            let mode = self.mode.name();
            Error::new(
                ResultCode::PARAMETER_MANDATORY_NOT_SET,
                format!("`mode: {mode}` needs the parameter `{name}`"),
            )
        };
        if *self.mode != Mode::SOURCE && self.receiver.is_none() {
            return Err(missing("receiver"));
        }
        if *self.mode != Mode::SINK && self.transmitter.is_none() {
            return Err(missing("transmitter"));
        }
        let (lower, upper) = (*self.duration_lower_ms, *self.duration_upper_ms);
        if lower > upper || (lower < 0) != (upper < 0) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("a duration from {lower} to {upper} ms is not possible; -1 for both: none"),
            ));
        }
        // The id makes codelets differ and runs repeat; an odd number is never 0.
        self.random = context.cid().unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = match self.receiver.as_ref() {
            Some(receiver) if *self.mode != Mode::SOURCE => Some(receiver.receive()?),
            _ => None,
        };
        if let Some(duration) = self.duration() {
            compute(duration);
            if *self.include_mock_latency {
                let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
                self.clock.sleep_for(nanoseconds)?;
            }
        }
        let Some(transmitter) = self.transmitter.as_ref().filter(|_| *self.mode != Mode::SINK)
        else {
            return Ok(());
        };
        match received {
            Some(message) => transmitter.publish_as_is(message),
            None => transmitter.publish(context.new_message()?, self.clock.timestamp()),
        }
    }
}

impl MockCodelet {
    /// A random duration between the limits; `None` when there is nothing to do.
    fn duration(&mut self) -> Option<Duration> {
        let lower = u64::try_from(*self.duration_lower_ms).ok()? * MILLISECOND.unsigned_abs();
        let upper = u64::try_from(*self.duration_upper_ms).ok()? * MILLISECOND.unsigned_abs();
        // Xorshift: good enough to vary a duration.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let span = upper.saturating_sub(lower) + 1;
        Some(Duration::from_nanos(lower + self.random % span))
    }
}

/// Keeps a core busy, as real work does; sleeping would leave it to others.
fn compute(duration: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < duration {
        std::hint::spin_loop();
    }
}

/// Succeeds a number of times, then fails on every tick.
#[derive(Component, Default)]
pub struct MockFailure {
    /// Number of ticks that succeed.
    #[parameter(minimum = 0)]
    num_max_ticks: Parameter<i32>,
    ticks: i32,
}

impl Codelet for MockFailure {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.ticks = 0;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        if self.ticks >= *self.num_max_ticks {
            return Err(Error::failure(format!(
                "fails after {} ticks, as `num_max_ticks` says",
                self.ticks
            )));
        }
        self.ticks += 1;
        Ok(())
    }
}
