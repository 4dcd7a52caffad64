//! `PrintTensor`: tensors, in the log.

use gxf::PrimitiveType;
use gxf::prelude::*;

/// Receives a message on every tick and logs its tensors with their first elements.
#[derive(Component, Default)]
pub struct PrintTensor {
    /// Receiver of the messages.
    tensors: Parameter<Handle<Receiver>>,
    /// Logs nothing.
    #[parameter(default = false, dynamic)]
    silent: Parameter<bool>,
}

/// Logs at most this many elements of a tensor.
const SHOWN: usize = 16;

/// The first elements of a tensor; empty for types without a text.
fn elements(tensor: &Tensor) -> Result<String> {
    fn text<T: gxf::Element + std::fmt::Debug>(tensor: &Tensor) -> Result<String> {
        let values = tensor.to_vec::<T>()?;
        let shown: Vec<_> = values.iter().take(SHOWN).map(|value| format!("{value:?}")).collect();
        let rest = if values.len() > SHOWN { ", …" } else { "" };
        Ok(format!("{}{rest}", shown.join(", ")))
    }
    match tensor.element_type() {
        PrimitiveType::INT8 => text::<i8>(tensor),
        PrimitiveType::UNSIGNED8 => text::<u8>(tensor),
        PrimitiveType::INT16 => text::<i16>(tensor),
        PrimitiveType::UNSIGNED16 => text::<u16>(tensor),
        PrimitiveType::INT32 => text::<i32>(tensor),
        PrimitiveType::UNSIGNED32 => text::<u32>(tensor),
        PrimitiveType::INT64 => text::<i64>(tensor),
        PrimitiveType::UNSIGNED64 => text::<u64>(tensor),
        PrimitiveType::FLOAT32 => text::<f32>(tensor),
        PrimitiveType::FLOAT64 => text::<f64>(tensor),
        _ => Ok(String::new()),
    }
}

impl Codelet for PrintTensor {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.tensors.receive()?;
        if *self.silent {
            return Ok(());
        }
        let names = message.payloads().filter(|payload| payload.tid == Tensor::TID);
        for (payload, tensor) in names.zip(message.find_all::<Tensor>()) {
            gxf::info!("`{}`, {tensor}: {}", payload.name, elements(tensor)?);
        }
        Ok(())
    }
}
