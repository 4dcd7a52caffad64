//! Pictures of another size.

use crate::kernels::{Element, PICTURE, require};
use crate::module::launch;
use crate::pool::MemoryPool;
use crate::stream::Stream;
use crate::work::Work;
use gxf::{Error, MemoryBuffer, Result, ResultCode};
use std::sync::Arc;

/// What each line of one axis is made of, on a device. It serves all pictures with the same sides.
pub struct AxisTable {
    bounds: MemoryBuffer,
    weights: MemoryBuffer,
    element: Element,
    from: u64,
    to: u64,
    window: u64,
    shift: u32,
}

/// Weights of lines.
pub enum Weights<'a> {
    /// Integers, for pictures of integers, and the bits that a sum of products is shifted by.
    Fixed(&'a [i32], u32),
    /// For pictures of type `float32`.
    Float(&'a [f64]),
}

/// The kernel's structure.
#[derive(Clone, Copy)]
#[repr(C)]
struct ResizeArgs {
    dst: u64,
    src: u64,
    bounds: u64,
    weights: u64,
    outer: u64,
    from: u64,
    to: u64,
    inner: u64,
    window: u64,
    shift: u32,
    reserved: u32,
}

impl AxisTable {
    /// A table for pictures of U8, U16 or F32 whose axis has `from` lines. `bounds` has the first
    /// source line, and their number, for each line of the result; `weights` has `window` places for
    /// each.
    ///
    /// # Errors
    /// If a bound reaches beyond `from` lines or `window` weights, or the lengths do not fit.
    pub fn new(
        stream: &Stream,
        pool: &Arc<MemoryPool>,
        element: Element,
        (from, bounds): (u64, &[[u32; 2]]),
        (window, weights): (usize, &Weights<'_>),
    ) -> Result<Self> {
        let wrong = || Error::new(ResultCode::ARGUMENT_INVALID, "the lines do not fit the picture");
        let fits = |[start, size]: &[u32; 2]| {
            u64::from(*start) + u64::from(*size) <= from && *size as usize <= window
        };
        let places = bounds.len().checked_mul(window).ok_or_else(wrong)?;
        let (weights, count, shift) = match (weights, element) {
            (Weights::Fixed(weights, shift @ 1..=62), Element::U8 | Element::U16) => {
                (MemoryBuffer::from_vec(weights.to_vec()), weights.len(), *shift)
            }
            (Weights::Float(weights), Element::F32) => {
                (MemoryBuffer::from_vec(weights.to_vec()), weights.len(), 0)
            }
            _ => return Err(wrong()),
        };
        if count != places || !bounds.iter().all(fits) {
            return Err(wrong());
        }
        let upload = |mut host: MemoryBuffer| {
            // With several owners it stays alive until the device has read it.
            drop(host.share());
            let size = host.size();
            let mut memory = pool.lend(stream, size)?;
            stream.prepare(|work| work.copy(&host, &mut memory, size))?;
            Ok::<_, Error>(memory)
        };
        let flat: Vec<u32> = bounds.iter().flatten().copied().collect();
        Ok(Self {
            bounds: upload(MemoryBuffer::from_vec(flat))?,
            weights: upload(weights)?,
            element,
            from,
            to: bounds.len() as u64,
            window: window as u64,
            shift,
        })
    }

    /// Lines that result.
    #[must_use]
    pub fn to(&self) -> u64 {
        self.to
    }
}

impl<'a> Work<'a> {
    /// Gives one axis of a picture other lines. There are `outer` pictures of the table's lines, whose
    /// elements, `inner` each, lie next to each other: for rows one picture, for columns one for each
    /// row.
    pub fn resize(
        &mut self,
        table: &'a AxisTable,
        (outer, inner): (u64, u64),
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
    ) -> Result<&'a MemoryBuffer> {
        let AxisTable { element, from, to, window, shift, .. } = *table;
        require(src, &[outer, from, inner, element.size()])?;
        require(dst, &[outer, to, inner, element.size()])?;
        let kernel = match element {
            Element::U8 => "gxe_resize_u8",
            Element::U16 => "gxe_resize_u16",
            _ => "gxe_resize_f32",
        };
        let (bounds, weights) = (self.reads(&table.bounds)?, self.reads(&table.weights)?);
        let (src, (dst, written)) = (self.reads(src)?, self.writes_to_read(dst)?);
        let reserved = 0;
        let args = ResizeArgs {
            dst,
            src,
            bounds,
            weights,
            outer,
            from,
            to,
            inner,
            window,
            shift,
            reserved,
        };
        // What threads may make at once; where they cannot, some make several steps.
        let at_once = if inner.is_multiple_of(4) { 4 } else { inner.max(1) };
        // SAFETY: this is the kernel's structure, and the sizes and bounds are checked.
        unsafe { launch(self, PICTURE, kernel, (outer * to * inner).div_ceil(at_once), args) }?;
        Ok(written)
    }
}
