//! `Rate`.

use gxe_columns::is_last;
use gxf::prelude::*;

/// Passes on fewer messages: every n-th one, and no more than so many a second of the scheduler's
/// clock. The others are dropped and counted. The last message of a stream always passes.
#[derive(Component, Default)]
pub struct Rate {
    /// Receiver for the messages, of any kind.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for those that pass.
    output: Parameter<Handle<Transmitter>>,
    /// Passes on every n-th message, beginning with the first.
    #[parameter(default = 1, minimum = 1, dynamic)]
    every: Parameter<u64>,
    /// Most messages in a second; 0 for no limit.
    #[parameter(default = 0.0, minimum = 0.0, unit = "Hz", dynamic)]
    at_most: Parameter<f64>,
    received: u64,
    dropped: u64,
    /// Time of the last message that passed.
    passed: Option<i64>,
}

impl Codelet for Rate {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        (self.received, self.dropped, self.passed) = (0, 0, None);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let is_turn = self.received.is_multiple_of((*self.every).max(1));
        self.received += 1;
        let is_due = match self.passed {
            Some(passed) if *self.at_most > 0.0 => {
                (context.now() - passed) as f64 >= 1e9 / *self.at_most
            }
            _ => true,
        };
        if (is_turn && is_due) || is_last(&message) {
            self.passed = Some(context.now());
            return self.output.publish_as_is(message);
        }
        self.dropped += 1;
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        if self.dropped > 0 {
            gxf::info!("dropped {} of {} messages", self.dropped, self.received);
        }
        Ok(())
    }
}
