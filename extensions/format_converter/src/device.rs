//! The steps on a CUDA device, with the results of the CPU to the bit.

use crate::channels::Channel;
use crate::element::Scale;
use crate::format::{Element, Pixels};
use crate::lines::Lines;
use crate::picture::Shape;
use crate::plan::{Plan, Step};
use fast_image_resize::ResizeAlg;
use gxf::{MemoryBuffer, Message, Result, ResultCode};
use gxf_device::kernels::{self, Colors, Conversion};
use gxf_device::{AxisTable, DeviceAllocator, Fence, MemoryPool, Rows, Stream, Weights, Work};
use std::sync::Arc;

/// Where results and pictures between two steps are allocated.
pub struct Memory<'a> {
    pub results: &'a DeviceAllocator,
    pub scratch: &'a Arc<MemoryPool>,
    pub tables: &'a mut Tables,
    /// Those of the last conversion, for this one.
    pub between: &'a mut Vec<MemoryBuffer>,
}

impl Memory<'_> {
    /// Memory for what the part `index` makes. The same one serves conversions of the same pictures, so
    /// that they can become one CUDA graph.
    fn of_part(&mut self, stream: &Stream, index: usize, size: u64) -> Result<MemoryBuffer> {
        match self.between.get_mut(index).map(std::mem::take) {
            Some(known) if known.size() == size => Ok(known),
            _ => self.scratch.lend(stream, size),
        }
    }
}

/// Tables for resizing, for the last pictures.
#[derive(Default)]
pub struct Tables(Vec<(Axis, Arc<AxisTable>)>);

/// Most tables to keep.
const TABLES: usize = 8;

/// One axis of a picture that gets another length.
#[derive(Clone, Copy, PartialEq)]
struct Axis {
    algorithm: ResizeAlg,
    element: Element,
    is_rows: bool,
    from: usize,
    to: usize,
}

impl Tables {
    fn get(
        &mut self,
        stream: &Stream,
        pool: &Arc<MemoryPool>,
        axis: Axis,
    ) -> Result<Arc<AxisTable>> {
        if let Some((_, table)) = self.0.iter().find(|(known, _)| *known == axis) {
            return Ok(table.clone());
        }
        let lines = Lines::new(axis.algorithm, axis.is_rows, axis.from, axis.to)?;
        // Two bits are for sums beyond the range, as filters with negative parts give.
        let fixed = match axis.element {
            Element::U8 => Some(lines.fixed(16, 32 - 8 - 2)),
            Element::U16 => Some(lines.fixed(32, 64 - 16 - 2)),
            _ => None,
        };
        let weights = match &fixed {
            Some((weights, shift)) => Weights::Fixed(weights, *shift),
            None => Weights::Float(&lines.weights),
        };
        let bounds = (axis.from as u64, &*lines.bounds);
        let table =
            AxisTable::new(stream, pool, kind(axis.element), bounds, (lines.window, &weights))?;
        if self.0.len() == TABLES {
            self.0.remove(0);
        }
        let table = Arc::new(table);
        self.0.push((axis, table.clone()));
        Ok(table)
    }
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
) -> Result<&'a MemoryBuffer> {
    let pixels = (from.width * from.height) as u64;
    let size = |shape: Shape| (shape.width as u64, shape.height as u64);
    match step {
        Step::Decode(kind) => work.decode_yuv(*kind == Pixels::Nv12, size(to), src, dst),
        // Has parts of its own, see `axes`.
        Step::Resize => Err(ResultCode::FAILURE.into()),
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

/// A part of a conversion, and the bytes of the picture that it makes.
struct Part<'a> {
    kind: Kind<'a>,
    size: u64,
}

enum Kind<'a> {
    /// The rows of the input, without the gaps between them.
    Gather(&'a [Rows]),
    /// The input as it is.
    Copy,
    Step(&'a Step, (Shape, Shape)),
    /// New lines along one axis.
    Axis(Axis, (u64, u64)),
}

/// The parts of a picture's new size: one for each axis that gets another length.
fn axes<'a>(plan: &Plan, (from, to): (Shape, Shape)) -> Result<Vec<Part<'a>>> {
    let element = to.element;
    let axis = |is_rows: bool| {
        let (from, to) = if is_rows { (from.height, to.height) } else { (from.width, to.width) };
        Axis { algorithm: plan.algorithm(), element, is_rows, from, to }
    };
    // Sums of bytes are rounded between the two, so the order is that of the host.
    let order = if to.element == Element::U8 { [true, false] } else { [false, true] };
    let axes = order.map(axis).into_iter().filter(|it| it.from != it.to);
    let mut shape = from;
    let part = |axis: Axis| {
        let (width, channels) = (shape.width as u64, shape.channels as u64);
        let layout =
            if axis.is_rows { (1, width * channels) } else { (shape.height as u64, channels) };
        shape = match axis.is_rows {
            true => Shape { height: axis.to, ..shape },
            false => Shape { width: axis.to, ..shape },
        };
        Ok(Part { kind: Kind::Axis(axis, layout), size: shape.size()? as u64 })
    };
    axes.map(part).collect()
}

/// Enqueues a conversion of a picture of a message, as one piece of work; the result is valid at the
/// fence. If there are `rows`, the picture consists of them.
pub fn run(
    plan: &Plan,
    input: Shape,
    (message, src, rows): (&Message, &MemoryBuffer, &[Rows]),
    stream: &Stream,
    memory: &mut Memory<'_>,
) -> Result<(MemoryBuffer, Fence)> {
    let storage = src.storage_type();
    let mut parts = Vec::new();
    if !rows.is_empty() {
        parts.push(Part { kind: Kind::Gather(rows), size: input.size()? as u64 });
    }
    let mut shape = input;
    for next in plan.steps() {
        let to = plan.after(next, shape)?;
        match next {
            Step::Resize => parts.extend(axes(plan, (shape, to))?),
            _ => parts.push(Part { kind: Kind::Step(next, (shape, to)), size: to.size()? as u64 }),
        }
        shape = to;
    }
    if parts.is_empty() {
        parts.push(Part { kind: Kind::Copy, size: input.size()? as u64 });
    }
    let (last, before) = parts.split_last().ok_or(ResultCode::FAILURE)?;
    // What the pool has no room for costs nothing else.
    let result = memory.results.allocate(stream, last.size, storage)?;
    let between =
        before.iter().enumerate().map(|(index, part)| memory.of_part(stream, index, part.size));
    let mut made = between.collect::<Result<Vec<_>>>()?;
    made.push(result);
    let table = |part: &Part<'_>| match part.kind {
        Kind::Axis(axis, _) => memory.tables.get(stream, memory.scratch, axis).map(Some),
        _ => Ok(None),
    };
    let tables = parts.iter().map(table).collect::<Result<Vec<_>>>()?;
    let places = made.iter_mut().zip(&tables);
    let ((), fence) = stream.enqueue(|work| {
        work.input(message)?;
        let mut src = src;
        for (part, (dst, table)) in parts.iter().zip(places) {
            src = match (&part.kind, table) {
                (Kind::Gather(rows), _) => work.copy_rows(src, dst, rows)?,
                (Kind::Copy, _) => return work.copy(src, dst, part.size),
                (Kind::Step(next, shapes), _) => step(work, plan, next, *shapes, src, dst)?,
                (Kind::Axis(_, layout), Some(table)) => work.resize(table, *layout, src, dst)?,
                (Kind::Axis(..), None) => return Err(ResultCode::FAILURE.into()),
            };
        }
        Ok(())
    })?;
    let result = made.pop().ok_or(ResultCode::FAILURE)?;
    *memory.between = made;
    Ok((result, fence))
}

#[cfg(test)]
mod tests {
    use super::axes;
    use crate::element::Scale;
    use crate::format::{Element, Format};
    use crate::picture::Shape;
    use crate::plan::{Plan, Wish};
    use crate::resize::algorithm;

    #[test]
    fn only_axes_that_get_another_length_are_resized() {
        let wish = Wish {
            out: Format::Elements(Element::F32),
            scale: Scale { minimum: 0.0, maximum: 1.0 },
            alpha: 255,
            size: Some((3, 3)),
            algorithm: algorithm(2).unwrap(),
            order: Vec::new(),
        };
        let plan = Plan::new(&wish, Format::Elements(Element::F32), 1).unwrap();
        let of = |width, height| Shape { width, height, channels: 1, element: Element::F32 };
        for (width, height, parts) in [(3, 3, 0), (4, 3, 1), (3, 4, 1), (4, 4, 2)] {
            let found = axes(&plan, (of(width, height), of(3, 3))).unwrap();
            assert_eq!(found.len(), parts, "{width} × {height}");
        }
    }
}
