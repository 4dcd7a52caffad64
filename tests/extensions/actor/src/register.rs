//! Codelets that fill, change and read the memory of registers.

use gxf::StorageType;
use gxf::prelude::*;

/// Publishes tensors that it fills with its number of ticks, in memory of its pool; takes a message
/// for each if it has a receiver.
#[derive(Component, Default)]
pub struct Fill {
    /// Receiver of tensors, which it checks.
    input: Parameter<Option<Handle<Receiver>>>,
    /// Transmitter of the tensors.
    output: Parameter<Handle<Transmitter>>,
    /// Pool with blocks of the size of the tensors.
    pool: Parameter<Handle<Allocator>>,
    number: u8,
}

/// Adds one to every byte of what it finds in its allocator, and publishes that.
#[derive(Component, Default)]
pub struct Grow {
    /// Transmitter of the tensors.
    output: Parameter<Handle<Transmitter>>,
    /// Memory that keeps its value.
    pool: Parameter<Handle<Allocator>>,
}

/// Adds one to every byte of the tensors that it passes on.
#[derive(Component, Default)]
pub struct Change {
    /// Receiver of tensors.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter of the same messages.
    output: Parameter<Handle<Transmitter>>,
}

/// Checks tensors: all bytes of one are the number of its message, plus `changes`. Logs at the end
/// how many came, and how much memory the process ever used.
#[derive(Component, Default)]
pub struct Check {
    /// Receiver of tensors.
    input: Parameter<Handle<Receiver>>,
    /// How often each tensor was changed on its way.
    #[parameter(default = 0)]
    changes: Parameter<u8>,
    count: u64,
}

/// Takes a message, whose tensor has only one value.
fn value_of(message: &Message) -> Result<u8> {
    let bytes = message.get::<Tensor>("tensor")?.data::<u8>()?;
    let first = bytes.first().copied().unwrap_or_default();
    match bytes.iter().all(|byte| *byte == first) {
        true => Ok(first),
        false => Err(Error::failure("somebody else wrote into the tensor")),
    }
}

impl Codelet for Fill {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.number = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.as_ref().map(|input| input.receive()).transpose()?;
        let size = i32::try_from(self.pool.block_size()).unwrap_or(i32::MAX);
        let mut tensor = Tensor::new::<u8>(&self.pool, StorageType::SYSTEM, &[size])?;
        self.number = self.number.wrapping_add(1);
        tensor.data_mut::<u8>()?.fill(self.number);
        if let Some(message) = received
            && value_of(&message)? != self.number
        {
            return Err(Error::failure("a tensor changed while it was read"));
        }
        let mut message = context.new_message()?;
        message.add("tensor", tensor)?;
        self.output.publish(message, context.now())
    }
}

impl Codelet for Grow {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let size = i32::try_from(self.pool.block_size()).unwrap_or(i32::MAX);
        let mut tensor = Tensor::new::<u8>(&self.pool, StorageType::SYSTEM, &[size])?;
        tensor.data_mut::<u8>()?.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        let mut message = context.new_message()?;
        message.add("tensor", tensor)?;
        self.output.publish(message, context.now())
    }
}

impl Codelet for Change {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = self.input.receive()?;
        let bytes = message.get_mut::<Tensor>("tensor")?.data_mut::<u8>()?;
        bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        self.output.publish(message, context.now())
    }
}

impl Codelet for Check {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.count = 0;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        self.count += 1;
        let wanted = (self.count as u8).wrapping_add(*self.changes);
        match value_of(&message)? {
            value if value == wanted => Ok(()),
            value => Err(Error::failure(format!("a tensor has {value} instead of {wanted}"))),
        }
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let kilobytes = |name| -> u64 {
            let value = status.lines().find_map(|line| line.strip_prefix(name));
            let value = value.and_then(|value| value.trim().strip_suffix(" kB"));
            value.and_then(|value| value.parse().ok()).unwrap_or_default()
        };
        // How many pages of libraries are in memory depends on what the system had cached.
        let peak = kilobytes("VmHWM:").saturating_sub(kilobytes("RssFile:"));
        gxf::info!("{} tensors, peak {peak}", self.count);
        Ok(())
    }
}
