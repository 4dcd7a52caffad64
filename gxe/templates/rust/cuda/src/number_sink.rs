//! `NumberSink`: adds numbers up.

use gxf::prelude::*;

/// Receives a tensor of float32 in host memory on every tick; logs the sum of all when the graph stops.
#[derive(Component, Default)]
pub struct NumberSink {
    /// Receiver that the tensors arrive in.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    count: usize,
    sum: f64,
}

impl Codelet for NumberSink {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        (self.count, self.sum) = (0, 0.0);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let numbers = message.get::<Tensor>("")?.data::<f32>()?;
        self.count += numbers.len();
        self.sum += numbers.iter().copied().map(f64::from).sum::<f64>();
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!("received {} numbers, their sum is {}", self.count, self.sum);
        Ok(())
    }
}
