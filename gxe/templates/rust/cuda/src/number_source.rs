//! `NumberSource`: publishes numbers.

use gxf::prelude::*;

/// Publishes a tensor of the next numbers on every tick, as float32 in host memory.
#[derive(Component, Default)]
pub struct NumberSource {
    /// Transmitter that publishes the tensors.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Allocator of the tensors.
    pool: Parameter<Handle<Allocator>>,
    /// Numbers in a tensor.
    #[parameter(default = 1000, minimum = 1)]
    length: Parameter<i32>,
    next: f32,
}

impl Codelet for NumberSource {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.next = 0.0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut tensor = Tensor::new::<f32>(&self.pool, StorageType::HOST, &[*self.length])?;
        for number in tensor.data_mut::<f32>()? {
            *number = self.next;
            self.next += 1.0;
        }
        let mut message = context.new_message()?;
        message.add("numbers", tensor)?;
        self.output.publish(message, context.now())
    }
}
