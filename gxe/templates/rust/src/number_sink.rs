//! `NumberSink`: adds numbers up.

use gxf::prelude::*;

/// Receives an int64 on every tick; logs their number and sum when the graph stops.
#[derive(Component, Default)]
pub struct NumberSink {
    /// Receiver that the numbers arrive in.
    #[parameter(carries = i64)]
    signal: Parameter<Handle<Receiver>>,
    count: u64,
    sum: i64,
}

impl Codelet for NumberSink {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        (self.count, self.sum) = (0, 0);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.signal.receive()?;
        self.count += 1;
        self.sum = self.sum.wrapping_add(*message.get::<i64>("number")?);
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!("received {} numbers, their sum is {}", self.count, self.sum);
        Ok(())
    }
}
