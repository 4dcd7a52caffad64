//! `TensorGenerator`, `TensorComparator`, `TestTensorStrides`: tensors with known content, and
//! checks of it.

use gxf::Shape;
use gxf::prelude::*;

/// Sends messages with tensors of pseudo-random bytes, the same in every run.
#[derive(Component, Default)]
pub struct TensorGenerator {
    /// Transmitter for the messages.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Allocator of the tensors.
    allocator: Parameter<Handle<Allocator>>,
    /// Dimensions of the tensors, of `uint8` elements.
    shape: Parameter<Vec<i32>>,
    /// Where the tensors lie: 0 host, 1 device, 2 system.
    #[parameter(default = 0)]
    storage_type: Parameter<i32>,
    /// Whether the messages carry a timestamp: acquisition time as the tick, publication time 100
    /// ns later.
    #[parameter(default = true)]
    enable_timestamps: Parameter<bool>,
    /// Name of the tensors. The second and later ones of a message get a number appended.
    #[parameter(default = "tensor")]
    tensor_name: Parameter<String>,
    /// Name of the timestamps.
    #[parameter(default = "timestamp")]
    timestamp_name: Parameter<String>,
    /// Tensors in each message.
    #[parameter(default = 1, minimum = 0)]
    number_of_tensors: Parameter<i32>,
    random: u64,
}

/// Fills memory with pseudo-random bytes (Marsaglia's xorshift).
fn fill(bytes: &mut [u8], state: &mut u64) {
    for chunk in bytes.chunks_mut(8) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        chunk.copy_from_slice(&state.to_le_bytes()[..chunk.len()]);
    }
}

impl Codelet for TensorGenerator {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.random = 0x9e37_79b9_7f4a_7c15;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = context.new_message()?;
        let storage = StorageType(*self.storage_type);
        for number in 0..*self.number_of_tensors {
            let mut tensor = Tensor::new::<u8>(&self.allocator, storage, &self.shape)?;
            fill(tensor.bytes_mut()?, &mut self.random);
            match number {
                0 => message.add(&self.tensor_name, tensor)?,
                _ => message.add(&format!("{}{number}", *self.tensor_name), tensor)?,
            };
        }
        if *self.enable_timestamps {
            let now = context.now();
            let timestamp = Timestamp { acqtime: now, pubtime: now.saturating_add(100) };
            message.add(&self.timestamp_name, timestamp)?;
        }
        self.output.publish_as_is(message)
    }
}

/// Which times of two messages must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParameterEnum)]
pub enum CompareTimestamp {
    /// Both.
    #[default]
    PubtimeAndAcqtime,
    /// The publication time.
    PubtimeOnly,
    /// The acquisition time.
    AcqtimeOnly,
    /// None.
    None,
}

/// Fails when two messages differ in their tensors (names, order, shapes, types, content) or in
/// their timestamps.
#[derive(Component, Default)]
pub struct TensorComparator {
    /// Receiver of the expected messages.
    #[parameter(carries = Tensor)]
    expected: Parameter<Handle<Receiver>>,
    /// Receiver of the messages to check.
    #[parameter(carries = Tensor)]
    actual: Parameter<Handle<Receiver>>,
    /// Which times must agree.
    #[parameter(default = CompareTimestamp::PubtimeAndAcqtime)]
    compare_timestamp: Parameter<CompareTimestamp>,
}

/// Everything that describes a tensor except its storage type.
fn description(tensor: &Tensor) -> (Shape, gxf::PrimitiveType, u64) {
    (*tensor.shape(), tensor.element_type(), tensor.bytes_per_element())
}

/// The elements without gaps.
fn content(tensor: &Tensor) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    tensor.for_each_run(&mut |run| {
        bytes.extend_from_slice(run);
        Ok(())
    })?;
    Ok(bytes)
}

fn compare_tensors(expected: &Message, actual: &Message) -> Result<()> {
    let names = |message: &Message| -> Vec<String> {
        let tensors = message.payloads().filter(|payload| payload.tid == Tensor::TID);
        tensors.map(|payload| payload.name.to_owned()).collect()
    };
    let (wanted, found) = (names(expected), names(actual));
    if wanted != found {
        return Err(Error::failure(format!("tensors {wanted:?} were expected, not {found:?}")));
    }
    let pairs = expected.find_all::<Tensor>().zip(actual.find_all::<Tensor>());
    for (name, (wanted, found)) in found.iter().zip(pairs) {
        if description(wanted) != description(found) {
            return Err(Error::failure(format!("`{name}` is now {found}, expected was {wanted}")));
        }
        let (wanted, found) = (content(wanted)?, content(found)?);
        if let Some(place) = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found) {
            return Err(Error::failure(format!(
                "`{name}` differs at byte {place}: {} instead of {}",
                found[place], wanted[place]
            )));
        }
    }
    Ok(())
}

impl TensorComparator {
    fn compare_times(&self, expected: &Message, actual: &Message) -> Result<()> {
        let mode = *self.compare_timestamp.get();
        if mode == CompareTimestamp::None {
            return Ok(());
        }
        let count = |message: &Message| message.find_all::<Timestamp>().count();
        let (wanted, found) = (count(expected), count(actual));
        if wanted != found {
            return Err(Error::failure(format!("{found} timestamps instead of {wanted}")));
        }
        for (wanted, found) in expected.find_all::<Timestamp>().zip(actual.find_all::<Timestamp>())
        {
            let pubtime = mode == CompareTimestamp::AcqtimeOnly || wanted.pubtime == found.pubtime;
            let acqtime = mode == CompareTimestamp::PubtimeOnly || wanted.acqtime == found.acqtime;
            if !pubtime || !acqtime {
                return Err(Error::failure(format!("{found:?} is not the expected {wanted:?}")));
            }
        }
        Ok(())
    }
}

impl Codelet for TensorComparator {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let (expected, actual) = (self.expected.receive()?, self.actual.receive()?);
        compare_tensors(&expected, &actual)?;
        self.compare_times(&expected, &actual)
    }
}

/// Checks the strides of tensors of several shapes, with and without padding, on every tick.
#[derive(Component, Default)]
pub struct TestTensorStrides {
    /// Allocator of the tensors.
    pool: Parameter<Handle<Allocator>>,
}

impl TestTensorStrides {
    fn check(&self, dimensions: &[i32], padded: Option<gxf::tensor::Strides>) -> Result<()> {
        let shape = Shape::new(dimensions)?;
        let dense = shape.row_major_strides(4)?;
        let strides = padded.unwrap_or(dense);
        let tensor = Tensor::custom(
            &self.pool,
            StorageType::SYSTEM,
            shape,
            gxf::PrimitiveType::FLOAT32,
            4,
            padded,
        )?;
        let same = tensor.strides() == &strides[..dimensions.len()];
        if same && tensor.is_contiguous() == (strides == dense) {
            return Ok(());
        }
        Err(Error::failure(format!(
            "a tensor of {shape} has strides {:?}, expected were {strides:?}",
            tensor.strides()
        )))
    }
}

impl Codelet for TestTensorStrides {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        for dimensions in [&[7][..], &[2, 3], &[4, 1, 5], &[1; 8]] {
            self.check(dimensions, None)?;
        }
        self.check(&[2, 3], Some([256, 4, 0, 0, 0, 0, 0, 0]))?;
        self.check(&[2, 3, 2], Some([4, 8, 24, 0, 0, 0, 0, 0]))
    }
}
