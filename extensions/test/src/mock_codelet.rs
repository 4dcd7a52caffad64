//! `MockCodelet`, `Frame`: a pipeline that measures its latency. `MockFailure`: failure on demand.

use gxf::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// Nanoseconds in a millisecond.
const MILLISECOND: u64 = 1_000_000;

/// Name of the [`Frame`] in a message.
const LATENCY: &str = "LATENCY";

/// The times of one message on its way from a SRC to a SINK, on the clock of the codelets.
///
/// The entities behind a fan-out share the message, so its fields are atomic.
#[derive(Default)]
pub struct Frame {
    begin: AtomicI64,
    /// Nanoseconds the codelets on the way pretended to work.
    worked: AtomicI64,
    has_ended: AtomicBool,
}

/// Takes the place of a real codelet and measures the latency of the pipeline it is part of.
#[derive(Component, Default)]
pub struct MockCodelet {
    /// SRC publishes messages with a frame, PROCESS receives and publishes, SINK receives and logs
    /// the latency.
    #[parameter(default = "PROCESS")]
    mode: Parameter<String>,
    /// Receiver of the messages; PROCESS and SINK need it.
    receiver: Parameter<Option<Handle<Receiver>>>,
    /// Transmitter of the messages; SRC and PROCESS need it.
    transmitter: Parameter<Option<Handle<Transmitter>>>,
    /// Clock that measures the latency and that the codelet sleeps on.
    clock: Parameter<Handle<Clock>>,
    /// Shortest time a tick of SRC or PROCESS sleeps. -1 disables sleeping.
    #[parameter(unit = "ms", default = -1, minimum = -1)]
    duration_lower_ms: Parameter<i32>,
    /// Longest time a tick of SRC or PROCESS sleeps. -1 disables sleeping.
    #[parameter(unit = "ms", default = -1, minimum = -1)]
    duration_upper_ms: Parameter<i32>,
    /// Whether the latency that SINK logs includes the time the codelets slept.
    #[parameter(default = false)]
    include_mock_latency: Parameter<bool>,
    random: u64,
}

impl Codelet for MockCodelet {
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        let (lower, upper) = (*self.duration_lower_ms, *self.duration_upper_ms);
        if lower > upper || (lower < 0) != (upper < 0) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("a duration from {lower} to {upper} ms is not possible; -1 for both: none"),
            ));
        }
        // The id makes codelets differ and runs repeat; xorshift needs a seed other than 0.
        self.random = context.cid().unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        match self.mode.as_str() {
            "SRC" => self.source(context),
            "PROCESS" => self.process(),
            "SINK" => self.sink(),
            other => Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`mode` is `{other}`, and it must be SRC, PROCESS or SINK"),
            )),
        }
    }
}

impl MockCodelet {
    fn source(&mut self, context: &TickContext) -> Result<()> {
        let mut message = context.new_message()?;
        let now = self.clock.timestamp();
        let frame = Frame { begin: AtomicI64::new(now), ..Frame::default() };
        message.add(LATENCY, frame)?;
        self.work(&message)?;
        self.transmitter()?.publish(message, now)
    }

    fn process(&mut self) -> Result<()> {
        let message = self.receiver()?.receive()?;
        self.work(&message)?;
        self.transmitter()?.publish_as_is(message)
    }

    fn sink(&self) -> Result<()> {
        let message = self.receiver()?.receive()?;
        let frame = message.get::<Frame>(LATENCY)?;
        if frame.has_ended.swap(true, Relaxed) {
            return Err(Error::failure("the frame has ended before; does it reach two sinks?"));
        }
        let elapsed = self.clock.timestamp().saturating_sub(frame.begin.load(Relaxed));
        let latency = match *self.include_mock_latency {
            true => elapsed,
            false => elapsed.saturating_sub(frame.worked.load(Relaxed)),
        };
        gxf::info!("Latency: {:.3} ms", latency as f64 / MILLISECOND as f64);
        Ok(())
    }

    /// Sleeps for a random duration and enters it into the frame, where the message has one.
    fn work(&mut self, message: &Message) -> Result<()> {
        let Some(duration) = self.duration() else { return Ok(()) };
        self.clock.sleep_for(duration)?;
        if let Some(frame) = message.try_get::<Frame>(LATENCY) {
            frame.worked.fetch_add(duration, Relaxed);
        }
        Ok(())
    }

    /// A random number of nanoseconds between the limits; `None` without limits.
    fn duration(&mut self) -> Option<i64> {
        let lower = u64::try_from(*self.duration_lower_ms).ok()? * MILLISECOND;
        let upper = u64::try_from(*self.duration_upper_ms).ok()? * MILLISECOND;
        // Xorshift: good enough to vary a duration.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let span = upper.saturating_sub(lower) + 1;
        i64::try_from(lower + self.random % span).ok()
    }

    fn receiver(&self) -> Result<&Handle<Receiver>> {
        self.receiver.as_ref().ok_or_else(|| self.missing("receiver"))
    }

    fn transmitter(&self) -> Result<&Handle<Transmitter>> {
        self.transmitter.as_ref().ok_or_else(|| self.missing("transmitter"))
    }

    fn missing(&self, parameter: &str) -> Error {
        Error::new(
            ResultCode::PARAMETER_MANDATORY_NOT_SET,
            format!("`mode: {}` needs the parameter `{parameter}`", *self.mode),
        )
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
