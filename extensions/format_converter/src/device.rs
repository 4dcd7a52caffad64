//! The steps on a CUDA device, with the results of the CPU to the bit.

use crate::channels::Channel;
use crate::element::Scale;
use crate::format::{Element, Pixels};
use crate::picture::Shape;
use crate::plan::{Plan, Step};
use gxf::{Error, MemoryBuffer, Message, Result, ResultCode};
use gxf_device::kernels::{self, Colors, Conversion};
use gxf_device::{DeviceAllocator, Fence, MemoryPool, Stream, Work};
use std::sync::Arc;

/// Where results and pictures between two steps are allocated.
pub struct Memory<'a> {
    pub results: &'a DeviceAllocator,
    pub scratch: &'a Arc<MemoryPool>,
}

fn kind(element: Element) -> kernels::Element {
    match element {
        Element::U8 => kernels::Element::U8,
        Element::U16 => kernels::Element::U16,
        Element::F16 => kernels::Element::F16,
        Element::F32 => kernels::Element::F32,
        Element::F64 => kernels::Element::F64,
    }
}

/// Largest value of an integer type.
fn largest(element: Element) -> Option<f32> {
    match element {
        Element::U8 => Some(255.0),
        Element::U16 => Some(65535.0),
        Element::F16 | Element::F32 | Element::F64 => None,
    }
}

/// The numbers of `element::convert`.
fn conversion(from: Element, to: Element, scale: Scale) -> Conversion {
    let span = scale.maximum - scale.minimum;
    let (factor, limit) = match (largest(from), largest(to)) {
        (Some(old), None) => (span / old, 0.0),
        (None, Some(new)) => (new / span, new),
        (Some(old), Some(new)) => (new / old, new),
        (None, None) => (1.0, 0.0),
    };
    Conversion { factor, minimum: scale.minimum, largest: limit }
}

fn colors(channels: usize, red: usize, blue: usize) -> Result<Colors> {
    let number = |it: usize| u32::try_from(it).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE);
    Ok(Colors { channels: number(channels)?, red: number(red)?, blue: number(blue)? })
}

/// Enqueues a step.
fn step<'a>(
    work: &mut Work<'a>,
    plan: &Plan,
    step: &Step,
    (from, to): (Shape, Shape),
    src: &'a MemoryBuffer,
    dst: &'a mut MemoryBuffer,
) -> Result<()> {
    let pixels = (from.width * from.height) as u64;
    let size = |shape: Shape| (shape.width as u64, shape.height as u64);
    match step {
        Step::Decode(kind) => work.decode_yuv(*kind == Pixels::Nv12, size(to), src, dst),
        Step::Resize => Err(Error::new(
            ResultCode::NOT_IMPLEMENTED,
            "pictures on a device cannot be resized yet; copy them to the host first, with a \
             TensorCopier",
        )),
        Step::Gray { red, blue } => {
            work.gray(colors(from.channels, *red, *blue)?, src, dst, pixels)
        }
        Step::Reorder(order) => {
            let channel = |channel: &Channel| match channel {
                Channel::Of(index) => u8::try_from(*index).ok(),
                Channel::Alpha => None,
            };
            let order: Vec<_> = order.iter().map(channel).collect();
            let bytes = from.element.size() as u32;
            let channels = from.channels as u32;
            work.reorder((bytes, channels), &order, &[plan.alpha()], src, dst, pixels)
        }
        Step::Convert(element) => {
            let kinds = (kind(from.element), kind(*element));
            let count = pixels * from.channels as u64;
            work.convert(kinds, conversion(from.element, *element, plan.scale()), src, dst, count)
        }
        Step::Encode { pixels, red, blue } => {
            let colors = colors(from.channels, *red, *blue)?;
            work.encode_yuv(*pixels == Pixels::Nv12, size(from), colors, src, dst)
        }
    }
}

/// Enqueues all steps for a picture of a message; the result is valid at the fence.
pub fn run(
    plan: &Plan,
    input: Shape,
    (message, src): (&Message, &MemoryBuffer),
    stream: &Stream,
    memory: &Memory<'_>,
) -> Result<(MemoryBuffer, Fence)> {
    let steps = plan.steps();
    let storage = src.storage_type();
    if steps.is_empty() {
        let size = input.size()? as u64;
        let mut dst = memory.results.allocate(stream, size, storage)?;
        let ((), fence) = stream.enqueue(|work| {
            work.input_of(message, stream)?;
            work.copy(src, &mut dst, size)
        })?;
        return Ok((dst, fence));
    }
    let mut shape = input;
    let mut before: Option<MemoryBuffer> = None;
    let mut fence = Fence::default();
    for (index, next) in steps.iter().enumerate() {
        let to = plan.after(next, shape)?;
        let size = to.size()? as u64;
        let mut dst = if index + 1 == steps.len() {
            memory.results.allocate(stream, size, storage)?
        } else {
            memory.scratch.lend(stream, size)?
        };
        ((), fence) = stream.enqueue(|work| {
            work.input_of(message, stream)?;
            step(work, plan, next, (shape, to), before.as_ref().unwrap_or(src), &mut dst)
        })?;
        // The picture before goes home behind the step.
        before = Some(dst);
        shape = to;
    }
    let result = before.ok_or(ResultCode::FAILURE)?;
    Ok((result, fence))
}
