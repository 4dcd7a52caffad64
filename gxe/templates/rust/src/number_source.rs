//! `NumberSource`: publishes numbers.

use gxf::prelude::*;

/// Publishes the next number on every tick, as an int64.
#[derive(Component, Default)]
pub struct NumberSource {
    /// Transmitter that publishes the numbers.
    #[parameter(carries = i64)]
    signal: Parameter<Handle<Transmitter>>,
    /// First number.
    #[parameter(default = 0)]
    first: Parameter<i64>,
    count: i64,
}

impl Codelet for NumberSource {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = context.new_message()?;
        message.add("number", self.first.wrapping_add(self.count))?;
        self.count += 1;
        self.signal.publish(message, context.now())
    }
}
