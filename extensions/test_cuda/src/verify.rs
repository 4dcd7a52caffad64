//! `VerifyEqual`.

use gxf::prelude::*;

/// Fails unless the first tensors of the messages in two receivers are equal.
#[derive(Component, Default)]
pub struct VerifyEqual {
    /// One receiver.
    #[parameter(carries = Tensor)]
    rx0: Parameter<Handle<Receiver>>,
    /// The other one.
    #[parameter(carries = Tensor)]
    rx1: Parameter<Handle<Receiver>>,
    count: u64,
}

impl Codelet for VerifyEqual {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let messages = (self.rx0.receive()?, self.rx1.receive()?);
        let numbers = |message: &Message| message.get::<Tensor>("")?.to_vec::<f32>();
        let (one, other) = (numbers(&messages.0)?, numbers(&messages.1)?);
        if one != other {
            return Err(Error::failure(format!("{one:?} and {other:?} are not equal")));
        }
        self.count += 1;
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!("{} pairs were equal", self.count);
        Ok(())
    }
}
