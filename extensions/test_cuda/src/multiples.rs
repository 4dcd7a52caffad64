//! `gxe::test::cuda::Multiples`.

use crate::tensors::{name_work, tensor_of, two_of};
use gxf::prelude::*;
use gxf_device::{DeviceAllocator, Fence, Stream, Streams, settle};

/// What a codelet does between two operations of a piece of work.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    /// Marks its stream.
    Fence,
    /// Waits for its stream.
    Wait,
    /// Hands its stream out.
    Handle,
    /// Copies host memory, to the device and to the host.
    HostCopy,
    /// Enqueues another piece of work.
    Nested,
    /// Fills memory of another size at each tick.
    Shape,
    /// Fills memory with another byte at every sixteenth tick.
    Phases,
    /// Works on a stream that it only knows by the driver's name.
    Foreign,
    /// Fails at the fifth tick.
    Failure,
    /// Sends its messages on as they are, and does no work.
    Forward,
    /// Asks whether the device has done the work of the message.
    Ask,
}

/// Multiplies the two tensors of a message on the device by a factor each, in one piece of work.
#[derive(Component, Default)]
pub struct Multiples {
    /// Transmitter of the multiples.
    #[parameter(carries = Tensor)]
    tx: Parameter<Handle<Transmitter>>,
    /// Receiver of the tensors.
    #[parameter(carries = Tensor)]
    rx: Parameter<Handle<Receiver>>,
    /// Allocator of device memory.
    tensor_pool: Parameter<Handle<Allocator>>,
    /// Factors of the two.
    factors: Parameter<[f64; 2]>,
    /// What happens between the two.
    #[parameter(default = Between::Nothing)]
    between: Parameter<Between>,
    streams: Streams,
}

impl Codelet for Multiples {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.rx.receive()?;
        if *self.between.get() == Between::Forward {
            return self.tx.publish(message, context.now());
        }
        let (one, other) = two_of(&message)?;
        let pool = DeviceAllocator::new(context, &self.tensor_pool);
        let device = pool.device()?;
        let between = *self.between.get();
        let mut stream = self.streams.for_message(context, &message, device)?;
        if between == Between::Foreign {
            stream = Stream::adopt(device, stream.handle());
        }
        let count = one.element_count()?;
        if other.element_count()? != count {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                format!("{one} and {other} differ in length"),
            ));
        }
        let [first, second] = self.factors.map(|factor| [factor as f32]);
        let allocate = |size| pool.allocate(&stream, size, StorageType::DEVICE);
        let (mut doubled, mut halved) = (allocate(count * 4)?, allocate(count * 4)?);
        let tick = context.count().unsigned_abs();
        let is_shape = between == Between::Shape;
        let mut scratch = allocate(if is_shape { 256 + 8 * tick } else { 256 })?;
        let host = gxf::MemoryBuffer::from_vec(vec![tick as u8; 256]);
        let mut copy = gxf::MemoryBuffer::from_vec(vec![0u8; 256]);
        if between == Between::Ask {
            for fence in message.find_all::<Fence>() {
                fence.is_done()?;
            }
        }
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            work.multiply(&first, one.memory(), &mut doubled, count)?;
            match between {
                Between::Nothing | Between::Foreign | Between::Ask => {}
                Between::Fence => drop(stream.record()?),
                Between::Wait => stream.synchronize()?,
                Between::Handle => _ = stream.handle(),
                Between::HostCopy => {
                    work.copy(&host, &mut scratch, 256)?;
                    work.copy(&host, &mut copy, 256)?;
                }
                Between::Nested => {
                    stream.enqueue(|work| work.fill(&mut scratch, tick as u8))?;
                }
                Between::Shape => work.fill(&mut scratch, tick as u8)?,
                Between::Phases => work.fill(&mut scratch, (tick / 16) as u8)?,
                Between::Failure if tick == 5 => return Err(Error::failure("as asked")),
                Between::Failure | Between::Forward => {}
            }
            work.multiply(&second, other.memory(), &mut halved, count)
        })?;
        if between == Between::HostCopy && copy.bytes()? != host.bytes()? {
            return Err(Error::failure("the copy on the host differs"));
        }
        let mut answer = context.new_message()?;
        answer.add("tensor_a", tensor_of(doubled, *one.shape())?)?;
        answer.add("tensor_b", tensor_of(halved, *other.shape())?)?;
        name_work(&mut answer, &message, fence)?;
        self.tx.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}
