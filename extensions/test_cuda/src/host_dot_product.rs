//! `HostDotProduct`.

use crate::tensors::two_of;
use gxf::prelude::*;

/// Multiplies the two tensors of a message on the host.
#[derive(Component, Default)]
pub struct HostDotProduct {
    /// Transmitter of the products.
    #[parameter(carries = Tensor)]
    tx: Parameter<Handle<Transmitter>>,
    /// Receiver of the tensors.
    #[parameter(carries = Tensor)]
    rx: Parameter<Handle<Receiver>>,
    /// Allocator of host memory.
    tensor_pool: Parameter<Handle<Allocator>>,
}

impl Codelet for HostDotProduct {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.rx.receive()?;
        let (left, right) = two_of(&message)?;
        let products = left.data::<f32>()?.iter().zip(right.data::<f32>()?);
        let product: f32 = products.map(|(left, right)| left * right).sum();
        let mut tensor = Tensor::new::<f32>(&self.tensor_pool, StorageType::HOST, &[1])?;
        tensor.data_mut::<f32>()?[0] = product;
        let mut answer = context.new_message()?;
        answer.add("product", tensor)?;
        self.tx.publish(answer, context.now())
    }
}
