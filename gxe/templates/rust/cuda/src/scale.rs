//! `Scale`: multiplies numbers on a GPU.

use gxf::PrimitiveType;
use gxf::prelude::*;
use gxf_device::{DeviceAllocator, Grid, Kernel, Streams, require_device, set_fence, settle};

/// As in kernels/scale.cu.
#[derive(Clone, Copy)]
#[repr(C)]
struct ScaleArguments {
    to: u64,
    from: u64,
    count: u64,
    factor: f32,
}

/// What `make kernels` makes of kernels/scale.cu.
const PTX: &str = include_str!("../kernels/scale.ptx");

// SAFETY: the kernel has one parameter, which is laid out like `ScaleArguments`.
static SCALE: Kernel<ScaleArguments> = unsafe { Kernel::new(PTX, "scale") };

/// Multiplies tensors of float32 in device memory. Nothing here waits for the GPU: the work is enqueued,
/// and the message says when its data is valid.
#[derive(Component, Default)]
pub struct Scale {
    /// Receiver that the tensors arrive in.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter that publishes the results.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Allocator of device memory.
    pool: Parameter<Handle<Allocator>>,
    /// What the numbers are multiplied with.
    #[parameter(default = 2.0)]
    factor: Parameter<f32>,
    streams: Streams,
}

impl Codelet for Scale {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let numbers = message.get::<Tensor>("")?;
        let from = numbers.memory();
        require_device(from)?;
        if numbers.element_type() != PrimitiveType::FLOAT32 || !numbers.is_contiguous() {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                "the tensor is not of float32, or has gaps",
            ));
        }
        let count = numbers.element_count()?;
        let pool = DeviceAllocator::new(context, &self.pool);
        let stream = self.streams.for_message(context, &message, pool.device()?)?;
        let mut to = pool.allocate(&stream, count * 4, StorageType::DEVICE)?;
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            let arguments = ScaleArguments {
                to: work.writes(&mut to)?,
                from: work.reads(from)?,
                count,
                factor: *self.factor,
            };
            // SAFETY: the kernel reads and writes `count` numbers, which both have.
            unsafe { work.launch(&SCALE, Grid::for_steps(count), arguments) }
        })?;
        let result = Tensor::from_memory(*numbers.shape(), PrimitiveType::FLOAT32, 4, None, to)?;
        let mut answer = context.new_message()?;
        answer.add("numbers", result)?;
        set_fence(&mut answer, fence)?;
        self.output.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        // What still runs uses this library.
        settle();
        Ok(())
    }
}
