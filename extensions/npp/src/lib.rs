//! GXF's NppExtension: `NppiSet` makes pictures of one colour on a device, `NppiMulC` multiplies
//! pictures with a constant. The kernels are those of the crate `gxf-cuda`; NVIDIA's NPP is not used.
#![forbid(unsafe_code)]

use gxf::prelude::*;
use gxf::{PrimitiveType, Shape};
use gxf_device::{DeviceAllocator, Streams, set_fence, settle};

/// Sends a picture of `float32` pixels of one colour, on a device, on every tick.
#[derive(Component, Default)]
pub struct NppiSet {
    /// Height of the pictures.
    #[parameter(minimum = 1, unit = "pixels")]
    rows: Parameter<i32>,
    /// Width of the pictures.
    #[parameter(minimum = 1, unit = "pixels")]
    columns: Parameter<i32>,
    /// Channels of a pixel, up to 4.
    #[parameter(minimum = 1, maximum = 4)]
    channels: Parameter<i32>,
    /// Allocator of device memory.
    pool: Parameter<Handle<Allocator>>,
    /// The colour: a number for each channel.
    value: Parameter<Vec<f64>>,
    /// Transmitter of the pictures.
    #[parameter(carries = Tensor)]
    out: Parameter<Handle<Transmitter>>,
    streams: Streams,
}

/// Multiplies the channels of `float32` pictures on a device.
#[derive(Component, Default)]
pub struct NppiMulC {
    /// Receiver of the pictures: tensors of rows, columns and channels.
    #[parameter(key = "in", carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// The factors: one for each channel.
    factor: Parameter<Vec<f64>>,
    /// Allocator of device memory.
    pool: Parameter<Handle<Allocator>>,
    /// Transmitter of the products.
    #[parameter(carries = Tensor)]
    out: Parameter<Handle<Transmitter>>,
    streams: Streams,
}

fn floats(values: &[f64]) -> Vec<f32> {
    values.iter().map(|value| *value as f32).collect()
}

/// Bytes of a picture with so many numbers.
fn size(count: u64, shape: &Shape) -> Result<u64> {
    count.checked_mul(4).ok_or_else(|| {
        Error::new(
            ResultCode::ARGUMENT_OUT_OF_RANGE,
            format!("a picture of {shape} numbers of 4 bytes is too large"),
        )
    })
}

impl Codelet for NppiSet {
    fn check_parameters(&self) -> Result<()> {
        let (channels, given) = (*self.channels.get(), self.value.len());
        if usize::try_from(channels).is_ok_and(|channels| channels == given) {
            return Ok(());
        }
        Err(Error::new(
            ResultCode::PARAMETER_OUT_OF_RANGE,
            format!("`value` has {given} numbers, and a pixel {channels} channels"),
        ))
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let pool = DeviceAllocator::new(context, &self.pool);
        let stream = self.streams.own(pool.device()?)?;
        let shape = Shape::new(&[*self.rows.get(), *self.columns.get(), *self.channels.get()])?;
        let count = shape.element_count()?;
        let mut memory = pool.allocate(&stream, size(count, &shape)?, StorageType::DEVICE)?;
        let pixels = count / self.value.len().max(1) as u64;
        let value = floats(&self.value);
        let ((), fence) = stream.enqueue(|work| work.set(&value, &mut memory, pixels))?;
        let picture = Tensor::from_memory(shape, PrimitiveType::FLOAT32, 4, None, memory)?;
        let mut message = context.new_message()?;
        message.add("picture", picture)?;
        set_fence(&mut message, fence)?;
        self.out.publish(message, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}

impl Codelet for NppiMulC {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let picture = message.get::<Tensor>("")?;
        let channels = picture.shape().dimensions().last().copied();
        let wanted = self.factor.len();
        let problem = if picture.element_type() != PrimitiveType::FLOAT32 {
            Some("pixels are float32".to_owned())
        } else if channels.and_then(|count| usize::try_from(count).ok()) != Some(wanted) {
            Some(format!("`factor` has {wanted} channels"))
        } else if !picture.is_contiguous() {
            Some("there must be no gaps between its rows".to_owned())
        } else {
            None
        };
        if let Some(problem) = problem {
            let text = format!("cannot multiply the {picture}: {problem}");
            return Err(Error::new(ResultCode::INVALID_DATA_FORMAT, text));
        }
        let pool = DeviceAllocator::new(context, &self.pool);
        let stream = self.streams.for_message(context, &message, pool.device()?)?;
        let count = picture.element_count()?;
        let mut memory =
            pool.allocate(&stream, size(count, picture.shape())?, StorageType::DEVICE)?;
        let factor = floats(&self.factor);
        let pixels = count / factor.len().max(1) as u64;
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            work.multiply(&factor, picture.memory(), &mut memory, pixels)
        })?;
        let product =
            Tensor::from_memory(*picture.shape(), PrimitiveType::FLOAT32, 4, None, memory)?;
        let mut answer = context.new_message()?;
        answer.add("picture", product)?;
        if let Some(id) = self.streams.id_of(&stream) {
            answer.add("stream", id)?;
        }
        set_fence(&mut answer, fence)?;
        self.out.publish(answer, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.streams.clear();
        settle();
        Ok(())
    }
}

gxf::gxf_ext_factory! {
    id: 0x98839b87ddb54e77, 0xb0df44c1a5ad136e;
    name: "NppExtension";
    version: "2.6.0";
    description: "Pictures on CUDA devices";
    license: "Apache-2.0";
    display_name: "NPP";
    category: "CUDA";
    brief: "Pictures on CUDA devices";
    components: [
        NppiSet: Codelet {
            id: 0xb5ab03a9f3d54525, 0xbc0cd48b60bac2a5;
            name: "nvidia::gxf::NppiSet";
            capturable: true;
        },
        NppiMulC: Codelet {
            id: 0xb2e2181547c44aee, 0x99bf9f3ef6665931;
            name: "nvidia::gxf::NppiMulC";
            capturable: true;
        },
    ];
}
