//! `FormatConverter`.

use crate::device;
use crate::element::Scale;
use crate::format::{Element, Format, Pixels, Possible};
use crate::picture::{Scratch, Shape};
use crate::plan::{Plan, Wish};
use crate::resize::algorithm;
use crate::video;
use fast_image_resize::Resizer;
use gxf::prelude::*;
use gxf::serialization::copy_times;
use gxf::{Allocator, CudaStreamPool, MemoryBuffer, VideoBuffer};
use gxf_device::{
    Device, DeviceAllocator, Fence, LentStream, MemoryPool, StreamId, Streams, set_fence, settle,
    wait_for_data,
};
use std::sync::Arc;

/// Converts pictures: pixel format, element type, size, order of channels. A picture is a tensor of
/// rows, columns and channels (or rows and columns), or a video buffer, in any memory; the result is a
/// tensor in the same kind of memory. A device does the work for pictures that lie there, on the stream
/// that the message names, or on one of the codelet's own; the message then says with a
/// `gxe::CudaFence` when the result is valid.
#[derive(Component, Default)]
pub struct FormatConverter {
    /// Receiver of the pictures.
    #[parameter(key = "in", carries = [Tensor, gxf::VideoBuffer])]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the results.
    #[parameter(key = "out", carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Name of the tensor to convert [default: the first tensor, or else the first video buffer].
    #[parameter(default = "")]
    in_tensor_name: Parameter<String>,
    /// Format of the input: an element type (uint8, uint16, float16, float32, float64) or a pixel
    /// format (gray8, rgb888, bgr888, rgba8888, bgra8888, nv12, yuv420). Without it, the tensor's
    /// own type counts, and 1, 3 and 4 channels are gray, RGB and RGBA.
    #[parameter(default = "")]
    in_dtype: Parameter<String>,
    /// Name of the resulting tensor.
    #[parameter(default = "")]
    out_tensor_name: Parameter<String>,
    /// Format of the result, with the values of `in_dtype`.
    out_dtype: Parameter<String>,
    /// The float for the smallest integer.
    #[parameter(default = 0.0)]
    scale_min: Parameter<f32>,
    /// The float for the largest integer.
    #[parameter(default = 1.0)]
    scale_max: Parameter<f32>,
    /// Opacity where the input has none.
    #[parameter(default = 255)]
    alpha_value: Parameter<u8>,
    /// Height of the result; 0 for no change.
    #[parameter(default = 0, minimum = 0, unit = "pixels")]
    resize_height: Parameter<i32>,
    /// Width of the result; 0 for no change.
    #[parameter(default = 0, minimum = 0, unit = "pixels")]
    resize_width: Parameter<i32>,
    /// Interpolation when resizing, in the numbers of NPP: 1 nearest, 2 bilinear, 4 cubic, 8 area,
    /// 16 Lanczos; 0 for cubic.
    #[parameter(default = 0)]
    resize_mode: Parameter<i32>,
    /// For each channel of the result, the number of the input channel; empty for no change.
    #[parameter(default = Vec::<i32>::new())]
    out_channel_order: Parameter<Vec<i32>>,
    /// Allocator of the results.
    pool: Parameter<Handle<Allocator>>,
    /// Where a stream for pictures on a device comes from [default: the message's stream].
    cuda_stream_pool: Parameter<Option<Handle<CudaStreamPool>>>,
    work: Option<Work>,
    device: OnDevice,
}

/// State of work on a device.
#[derive(Default)]
struct OnDevice {
    /// Pictures between the steps of the last conversion.
    between: Vec<MemoryBuffer>,
    lent: Option<LentStream>,
    streams: Streams,
    scratch: Option<Arc<MemoryPool>>,
    tables: device::Tables,
}

/// State from frame to frame.
struct Work {
    wish: Wish,
    declared: Option<Format>,
    /// The plan for the last input; the next one nearly always has the same format.
    plan: Option<(Format, usize, Plan)>,
    gathered: Scratch,
    scratch: [Scratch; 2],
    resizer: Resizer,
}

impl FormatConverter {
    fn wish(&self) -> Possible<Wish> {
        let out = Format::parse(&self.out_dtype).map_err(|text| format!("`out_dtype`: {text}"))?;
        let scale = Scale { minimum: *self.scale_min, maximum: *self.scale_max };
        let span = scale.maximum - scale.minimum;
        if !span.is_finite() || span <= 0.0 {
            return Err(format!(
                "`scale_min` ({}) must be less than `scale_max` ({})",
                scale.minimum, scale.maximum
            ));
        }
        let side = |key: &str, value: i32| {
            usize::try_from(value).map_err(|_| format!("`{key}` must not be negative: {value}"))
        };
        let width = side("resize_width", *self.resize_width)?;
        let height = side("resize_height", *self.resize_height)?;
        let size = match (width, height) {
            (0, 0) => None,
            (0, _) | (_, 0) => {
                return Err("`resize_width` and `resize_height` belong together".to_owned());
            }
            size => Some(size),
        };
        let algorithm =
            algorithm(*self.resize_mode).map_err(|text| format!("`resize_mode`: {text}"))?;
        let channel = |channel: &i32| {
            usize::try_from(*channel)
                .map_err(|_| format!("`out_channel_order`: there is no channel {channel}"))
        };
        let order = self.out_channel_order.iter().map(channel).collect::<Possible<_>>()?;
        Ok(Wish { out, scale, alpha: *self.alpha_value, size, algorithm, order })
    }

    fn declared(&self) -> Possible<Option<Format>> {
        if self.in_dtype.is_empty() {
            return Ok(None);
        }
        Format::parse(&self.in_dtype).map(Some).map_err(|text| format!("`in_dtype`: {text}"))
    }
}

impl FormatConverter {
    /// The wanted result and the declared input. Refuses impossible parameters here, not when a
    /// picture arrives.
    fn understood(&self) -> Result<(Wish, Option<Format>)> {
        let refused = |text| Error::new(ResultCode::ARGUMENT_INVALID, text);
        let wish = self.wish().map_err(refused)?;
        let declared = self.declared().map_err(refused)?;
        possible(&wish, declared).map_err(refused)?;
        Ok((wish, declared))
    }
}

impl Codelet for FormatConverter {
    fn check_parameters(&self) -> Result<()> {
        self.understood().map(|_| ())
    }

    fn initialize(&mut self, _context: &ComponentContext) -> Result<()> {
        let (wish, declared) = self.understood()?;
        self.work = Some(Work {
            wish,
            declared,
            plan: None,
            gathered: Scratch::default(),
            scratch: Default::default(),
            resizer: Resizer::new(),
        });
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let work = self.work.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let name = self.in_tensor_name.as_str();
        if let Some(picture) = Picture::on_device(&message, name) {
            let pool = DeviceAllocator::new(context, &self.pool);
            let streams = self.cuda_stream_pool.as_ref();
            let converted =
                self.device.convert(work, (&message, picture), &pool, (context, streams));
            let (result, fence, id) = converted?;
            let mut sent = context.new_message()?;
            sent.add(&self.out_tensor_name, result)?;
            match &self.device.lent {
                Some(lent) => lent.mark(&mut sent, fence)?,
                None => {
                    if let Some(id) = id {
                        sent.add("stream", id)?;
                    }
                    set_fence(&mut sent, fence)?;
                }
            }
            copy_times(&message, &mut sent)?;
            return self.output.publish_as_is(sent);
        }
        // A device may still write to it.
        wait_for_data(&context.handle(), &message)?;
        let result = match message.try_get::<Tensor>(name) {
            Some(tensor) => {
                let (format, shape) = work.tensor(tensor)?;
                work.convert(format, shape, tensor.bytes()?, tensor.storage_type(), &self.pool)
            }
            None => {
                let Some(buffer) = message.try_get::<VideoBuffer>(name) else {
                    // This error says what is missing and what is there.
                    return message.get::<Tensor>(name).map(|_| ());
                };
                let mut gathered = std::mem::take(&mut work.gathered);
                let (format, shape) = video::gather(buffer, &mut gathered)?;
                let bytes = gathered.bytes(shape.size()?);
                let result = work.convert(format, shape, bytes, buffer.storage_type(), &self.pool);
                work.gathered = gathered;
                result
            }
        }?;
        let mut sent = context.new_message()?;
        sent.add(&self.out_tensor_name, result)?;
        copy_times(&message, &mut sent)?;
        self.output.publish_as_is(sent)
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.device = OnDevice::default();
        settle();
        Ok(())
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.work = None;
        Ok(())
    }
}

fn is_on_host(storage: StorageType) -> bool {
    matches!(storage, StorageType::HOST | StorageType::SYSTEM)
}

/// A picture of a message on a device.
#[derive(Clone, Copy)]
enum Picture<'a> {
    Tensor(&'a Tensor),
    Video(&'a VideoBuffer),
}

impl<'a> Picture<'a> {
    /// The tensor or video buffer of this name, if it is on a device.
    fn on_device(message: &'a Message, name: &str) -> Option<Self> {
        let picture = match message.try_get::<Tensor>(name) {
            Some(tensor) => Self::Tensor(tensor),
            None => Self::Video(message.try_get::<VideoBuffer>(name)?),
        };
        (!is_on_host(picture.memory().storage_type())).then_some(picture)
    }

    fn memory(self) -> &'a MemoryBuffer {
        match self {
            Self::Tensor(tensor) => tensor.memory(),
            Self::Video(video) => video.memory(),
        }
    }
}

impl OnDevice {
    /// Enqueues the conversion of a picture of a message; the result is valid at the fence. Its stream
    /// has the name that is returned, or none.
    fn convert(
        &mut self,
        work: &mut Work,
        (message, picture): (&Message, Picture<'_>),
        pool: &DeviceAllocator,
        (context, streams): (&TickContext, Option<&Handle<CudaStreamPool>>),
    ) -> Result<(Tensor, Fence, Option<StreamId>)> {
        let device = Device::get(picture.memory().device())?;
        if let (None, Some(streams)) = (&self.lent, streams) {
            self.lent = Some(LentStream::new(context, streams)?);
        }
        let stream = match &self.lent {
            Some(lent) => {
                self.streams.follow(context, message, lent.stream())?;
                lent.stream().clone()
            }
            None => self.streams.for_message(context, message, device)?,
        };
        let scratch = match &self.scratch {
            Some(scratch) => scratch,
            // Nothing limits it but the device; what is unused is kept for the next picture.
            None => self.scratch.insert(Arc::new(MemoryPool::new(device, 0, 1 << 60, 1 << 60)?)),
        };
        let (format, shape, rows) = match picture {
            Picture::Tensor(tensor) => {
                let (format, shape) = work.tensor(tensor)?;
                (format, shape, Vec::new())
            }
            Picture::Video(video) => video::rows(video)?,
        };
        let source = (message, picture.memory(), &*rows);
        let plan = work.plan(format, shape)?;
        let (tables, between) = (&mut self.tables, &mut self.between);
        let mut memory = device::Memory { results: pool, scratch, tables, between };
        let (memory, fence) = device::run(&plan, shape, source, &stream, &mut memory)?;
        let result = plan.result(shape)?;
        work.keep(format, shape, plan);
        let (element, size) = (result.element.primitive(), result.element.size() as u64);
        let tensor = Tensor::from_memory(dimensions(result)?, element, size, None, memory)?;
        Ok((tensor, fence, self.streams.id_of(&stream)))
    }
}

impl Work {
    /// The format of a tensor; an error when it is not the declared one.
    fn tensor(&self, tensor: &Tensor) -> Result<(Format, Shape)> {
        let refused = |text: String| Error::new(ResultCode::INVALID_DATA_FORMAT, text);
        let element = Element::of_primitive(tensor.element_type())
            .ok_or_else(|| refused(format!("a {tensor} cannot be converted")))?;
        let sides = tensor.shape().dimensions();
        let (height, width, channels) = match *sides {
            [height, width] => (height, width, 1),
            [height, width, channels] => (height, width, channels),
            _ => {
                return Err(refused(format!(
                    "a {tensor} is no picture: it needs rows, columns and channels"
                )));
            }
        };
        let side = |length: i32| usize::try_from(length).unwrap_or(0);
        let shape =
            Shape { width: side(width), height: side(height), channels: side(channels), element };
        if shape.size()? == 0 {
            return Err(refused(format!("a {tensor} has no pixels")));
        }
        if !tensor.is_contiguous() {
            let size = element.size() as u64;
            let stride = |axis: usize| tensor.strides().get(axis).copied();
            let problem = if shape.channels > 1 && stride(2) != Some(size) {
                "its channels are not next to each other"
            } else if shape.width > 1 && stride(1) != Some(size * shape.channels as u64) {
                "the pixels of a row are not next to each other"
            } else {
                "its rows have gaps"
            };
            return Err(refused(format!("cannot convert the {tensor}: {problem}; copy it first")));
        }
        let declared = self.declared.unwrap_or(Format::Elements(element));
        let fits = match declared {
            Format::Elements(wanted) => wanted == element,
            Format::Pixels(pixels) => element == Element::U8 && pixels.channels() == shape.channels,
        };
        if fits {
            return Ok((declared, shape));
        }
        Err(refused(format!("`in_dtype` is {declared}, and a {tensor} is something else")))
    }

    fn convert(
        &mut self,
        format: Format,
        shape: Shape,
        src: &[u8],
        storage: StorageType,
        pool: &Handle<Allocator>,
    ) -> Result<Tensor> {
        let plan = self.plan(format, shape)?;
        let result = plan.result(shape)?;
        let mut tensor = new_tensor(result, storage, pool)?;
        let dst = tensor.bytes_mut()?;
        plan.run(shape, src, dst, &mut self.scratch, &mut self.resizer)?;
        self.keep(format, shape, plan);
        Ok(tensor)
    }

    /// The plan for a picture: the last one, if it was for the same format.
    fn plan(&mut self, format: Format, shape: Shape) -> Result<Plan> {
        let known = self
            .plan
            .take()
            .filter(|(known, channels, _)| (*known, *channels) == (format, shape.channels));
        match known {
            Some((_, _, plan)) => Ok(plan),
            None => Plan::new(&self.wish, format, shape.channels)
                .map_err(|text| Error::new(ResultCode::INVALID_DATA_FORMAT, text)),
        }
    }

    /// Keeps a plan for the next picture.
    fn keep(&mut self, format: Format, shape: Shape, plan: Plan) {
        self.plan = Some((format, shape.channels, plan));
    }
}

fn dimensions(shape: Shape) -> Result<gxf::Shape> {
    let sides = [shape.height, shape.width, shape.channels];
    let mut dimensions = [0; 3];
    for (dimension, side) in dimensions.iter_mut().zip(sides) {
        *dimension = i32::try_from(side).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
    }
    gxf::Shape::new(&dimensions)
}

fn new_tensor(shape: Shape, storage: StorageType, pool: &Handle<Allocator>) -> Result<Tensor> {
    let (element, size) = (shape.element.primitive(), shape.element.size() as u64);
    Tensor::custom(pool, storage, dimensions(shape)?, element, size, None)
}

/// Whether the parameters suit any input at all.
fn possible(wish: &Wish, declared: Option<Format>) -> Possible<()> {
    let kinds: Vec<(Format, usize)> = match declared {
        Some(Format::Pixels(pixels)) => vec![(Format::Pixels(pixels), pixels.channels())],
        Some(elements) => [3, 4, 1, 2].map(|channels| (elements, channels)).to_vec(),
        None => {
            let elements = Element::ALL.into_iter().map(Format::Elements);
            let kinds = elements.flat_map(|format| [3, 4, 1, 2].map(|channels| (format, channels)));
            kinds.chain([(Format::Pixels(Pixels::Nv12), 1)]).collect()
        }
    };
    let mut first = None;
    for (format, channels) in kinds {
        match Plan::new(wish, format, channels) {
            Ok(_) => return Ok(()),
            Err(text) => _ = first.get_or_insert(text),
        }
    }
    let from = declared.map_or(String::new(), |format| format!("{format} "));
    first.map_or(Ok(()), |text| Err(format!("{from}cannot become {}: {text}", wish.out)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tensor_is_told_what_keeps_it_from_being_a_picture() {
        let wish = Wish {
            out: Format::parse("float32").unwrap(),
            scale: Scale { minimum: 0.0, maximum: 1.0 },
            alpha: 255,
            size: None,
            algorithm: algorithm(2).unwrap(),
            order: Vec::new(),
        };
        let work = Work {
            wish,
            declared: None,
            plan: None,
            gathered: Scratch::default(),
            scratch: Default::default(),
            resizer: Resizer::new(),
        };
        let tensor = || Tensor::from_vec(&[3, 4, 6], vec![0_u8; 72]).unwrap();
        let turned = |order: &[usize]| tensor().permute(order).unwrap();
        for (tensor, text) in [
            (turned(&[1, 2, 0]), "its channels are not next to each other; copy it first"),
            (turned(&[1, 0, 2]), "the pixels of a row are not next to each other; copy it first"),
        ] {
            let error = work.tensor(&tensor).map(drop).unwrap_err();
            assert!(error.message().contains(text), "{}", error.message());
        }
        assert!(work.tensor(&tensor()).is_ok());
    }
}
