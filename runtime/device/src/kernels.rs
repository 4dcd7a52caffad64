//! The kernels of `kernels/*.c`. Each function checks sizes and enqueues one of them.

use crate::measure::Direction;
use crate::module::launch;
use crate::operation::Operation;
use crate::work::{Work, require_device};
use gxf::{Error, MemoryBuffer, Result, ResultCode};

pub(crate) const PICTURE: &str = include_str!("../kernels/picture.ptx");
const NUMBERS: &str = include_str!("../kernels/numbers.ptx");

/// Parts that sums are computed in.
pub const PARTS: u64 = 1024;

/// An element type of [`Work::convert`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Element {
    U8,
    U16,
    F16,
    F32,
    F64,
}

impl Element {
    /// Bytes of an element.
    #[must_use]
    pub fn size(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// Numbers of a conversion: with an integer on one side, `minimum` is the float for its smallest
/// value.
#[derive(Clone, Copy, Debug)]
pub struct Conversion {
    /// What values are multiplied with.
    pub factor: f32,
    /// Added afterwards on the way to floats, subtracted before on the way to integers.
    pub minimum: f32,
    /// Largest value of the integer type that results.
    pub largest: f32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct ConvertArgs {
    dst: u64,
    src: u64,
    count: u64,
    factor: f32,
    minimum: f32,
    largest: f32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct ReorderArgs {
    dst: u64,
    src: u64,
    pixels: u64,
    size: u32,
    from: u32,
    to: u32,
    order: [u8; 8],
    alpha: [u8; 8],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct GrayArgs {
    dst: u64,
    src: u64,
    pixels: u64,
    channels: u32,
    red: u32,
    blue: u32,
    reserved: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct DecodeArgs {
    dst: u64,
    src: u64,
    width: u64,
    height: u64,
    interleaved: u32,
    reserved: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct EncodeArgs {
    dst: u64,
    src: u64,
    width: u64,
    height: u64,
    channels: u32,
    red: u32,
    blue: u32,
    interleaved: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct SetArgs {
    dst: u64,
    pixels: u64,
    channels: u32,
    reserved: u32,
    value: [f32; 4],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct MultiplyArgs {
    dst: u64,
    src: u64,
    pixels: u64,
    channels: u32,
    reserved: u32,
    factor: [f32; 4],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct SumArgs {
    dst: u64,
    src: u64,
    count: u64,
    parts: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct DotArgs {
    dst: u64,
    left: u64,
    right: u64,
    count: u64,
    parts: u64,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct ConvolveArgs {
    dst: u64,
    src: u64,
    weights: u64,
    width: u64,
    height: u64,
    weights_width: u32,
    weights_height: u32,
}

/// Where the colours of a pixel are; green is between them.
#[derive(Clone, Copy, Debug)]
pub struct Colors {
    /// Channels of a pixel.
    pub channels: u32,
    /// Index of red.
    pub red: u32,
    /// Index of blue.
    pub blue: u32,
}

/// Fails unless memory on a device has this many bytes, the product of some numbers.
pub(crate) fn require(memory: &MemoryBuffer, factors: &[u64]) -> Result<()> {
    require_device(memory)?;
    let size = factors.iter().try_fold(1u64, |size, factor| size.checked_mul(*factor));
    match size {
        Some(size) if size <= memory.size() => Ok(()),
        _ => Err(Error::new(
            ResultCode::ARGUMENT_OUT_OF_RANGE,
            format!("{memory:?} are too few for {factors:?}"),
        )),
    }
}

/// Fails for a number of channels that the kernels have no room for.
fn require_channels(channels: u32, most: u32) -> Result<()> {
    if (1..=most).contains(&channels) {
        return Ok(());
    }
    Err(Error::new(
        ResultCode::ARGUMENT_OUT_OF_RANGE,
        format!("{channels} channels; from 1 to {most} are possible"),
    ))
}

impl<'a> Work<'a> {
    /// Converts `count` elements. Like all steps of pictures, it returns what it wrote, for the next one.
    pub fn convert(
        &mut self,
        (from, to): (Element, Element),
        conversion: Conversion,
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
        count: u64,
    ) -> Result<&'a MemoryBuffer> {
        use Element::{F16, F32, F64, U8, U16};
        require(src, &[count, from.size()])?;
        require(dst, &[count, to.size()])?;
        let kernel = match (from, to) {
            (U8, F16) => "gxe_convert_u8_f16",
            (U8, F32) => "gxe_convert_u8_f32",
            (U8, F64) => "gxe_convert_u8_f64",
            (U16, F16) => "gxe_convert_u16_f16",
            (U16, F32) => "gxe_convert_u16_f32",
            (U16, F64) => "gxe_convert_u16_f64",
            (F16, U8) => "gxe_convert_f16_u8",
            (F32, U8) => "gxe_convert_f32_u8",
            (F64, U8) => "gxe_convert_f64_u8",
            (F16, U16) => "gxe_convert_f16_u16",
            (F32, U16) => "gxe_convert_f32_u16",
            (F64, U16) => "gxe_convert_f64_u16",
            (U8, U16) => "gxe_convert_u8_u16",
            (U16, U8) => "gxe_convert_u16_u8",
            (F16, F32) => "gxe_convert_f16_f32",
            (F16, F64) => "gxe_convert_f16_f64",
            (F32, F16) => "gxe_convert_f32_f16",
            (F32, F64) => "gxe_convert_f32_f64",
            (F64, F16) => "gxe_convert_f64_f16",
            (F64, F32) => "gxe_convert_f64_f32",
            (same, _) => {
                let bytes = count * same.size();
                let size = usize::try_from(bytes).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
                let (from, (to, written)) = (self.reads(src)?, self.writes_to_read(dst)?);
                let copied = Some((Direction::Between, bytes));
                return self.operate(copied, Operation::Copy { to, from, size }).map(|()| written);
            }
        };
        let Conversion { factor, minimum, largest } = conversion;
        let (src, (dst, written)) = (self.reads(src)?, self.writes_to_read(dst)?);
        let args = ConvertArgs { dst, src, count, factor, minimum, largest };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, PICTURE, kernel, count.div_ceil(4), args) }?;
        Ok(written)
    }

    /// Gives pixels other channels: `order` has the number of an input channel of `size` bytes, or
    /// `None` for `alpha`.
    pub fn reorder(
        &mut self,
        (size, from): (u32, u32),
        order: &[Option<u8>],
        alpha: &[u8],
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
        pixels: u64,
    ) -> Result<&'a MemoryBuffer> {
        let to = u32::try_from(order.len()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        require_channels(to, 8)?;
        require_channels(size, 8)?;
        if order.iter().flatten().any(|channel| u32::from(*channel) >= from) || alpha.len() > 8 {
            return Err(ResultCode::ARGUMENT_OUT_OF_RANGE.into());
        }
        require(src, &[pixels, from.into(), size.into()])?;
        require(dst, &[pixels, to.into(), size.into()])?;
        let mut args = ReorderArgs {
            dst: 0,
            src: self.reads(src)?,
            pixels,
            size,
            from,
            to,
            order: [255; 8],
            alpha: [0; 8],
        };
        let (dst, written) = self.writes_to_read(dst)?;
        args.dst = dst;
        for (place, channel) in args.order.iter_mut().zip(order) {
            *place = channel.unwrap_or(255);
        }
        args.alpha[..alpha.len()].copy_from_slice(alpha);
        // Four small pixels at once.
        let steps = if size == 1 && from <= 4 && to <= 4 {
            pixels.div_ceil(4)
        } else {
            pixels * u64::from(to)
        };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, PICTURE, "gxe_reorder", steps, args) }?;
        Ok(written)
    }

    /// Brightness of pixels of bytes (BT.601).
    pub fn gray(
        &mut self,
        colors: Colors,
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
        pixels: u64,
    ) -> Result<&'a MemoryBuffer> {
        let Colors { channels, red, blue } = colors;
        require_channels(channels.max(red + 1).max(blue + 1), channels.max(2))?;
        require(src, &[pixels, channels.into()])?;
        require(dst, &[pixels])?;
        let (src, (dst, written)) = (self.reads(src)?, self.writes_to_read(dst)?);
        let args = GrayArgs { dst, src, pixels, channels, red, blue, reserved: 0 };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, PICTURE, "gxe_gray", pixels, args) }?;
        Ok(written)
    }

    /// Planes of brightness and colour to RGB: NV12, or YUV420 if the colours are not interleaved.
    /// Width and height are even.
    pub fn decode_yuv(
        &mut self,
        is_interleaved: bool,
        (width, height): (u64, u64),
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
    ) -> Result<&'a MemoryBuffer> {
        require_even(width, height)?;
        require(src, &[width, height / 2, 3])?;
        require(dst, &[width, height, 3])?;
        let (src, (dst, written)) = (self.reads(src)?, self.writes_to_read(dst)?);
        let interleaved = u32::from(is_interleaved);
        let args = DecodeArgs { dst, src, width, height, interleaved, reserved: 0 };
        let at_once = if width.is_multiple_of(128) { 8 } else { 1 };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, PICTURE, "gxe_decode_yuv", width * height / at_once, args) }?;
        Ok(written)
    }

    /// Pixels of bytes to planes, see [`Work::decode_yuv`].
    pub fn encode_yuv(
        &mut self,
        is_interleaved: bool,
        (width, height): (u64, u64),
        colors: Colors,
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
    ) -> Result<&'a MemoryBuffer> {
        let Colors { channels, red, blue } = colors;
        require_even(width, height)?;
        require_channels(channels.max(red + 1).max(blue + 1), channels.max(2))?;
        require(src, &[width, height, channels.into()])?;
        require(dst, &[width, height / 2, 3])?;
        let (src, (dst, written)) = (self.reads(src)?, self.writes_to_read(dst)?);
        let interleaved = u32::from(is_interleaved);
        let args = EncodeArgs { dst, src, width, height, channels, red, blue, interleaved };
        let blocks = width / 2 * (height / 2);
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, PICTURE, "gxe_encode_yuv", blocks, args) }?;
        Ok(written)
    }

    /// Gives all pixels of `float32` channels one colour.
    pub fn set(&mut self, value: &[f32], dst: &'a mut MemoryBuffer, pixels: u64) -> Result<()> {
        let (channels, value) = four(value)?;
        require(dst, &[pixels, channels.into(), 4])?;
        let args = SetArgs { dst: self.writes(dst)?, pixels, channels, reserved: 0, value };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, NUMBERS, "gxe_set_f32", pixels * u64::from(channels), args) }
    }

    /// Multiplies each `float32` channel of pixels with a factor.
    pub fn multiply(
        &mut self,
        factor: &[f32],
        src: &'a MemoryBuffer,
        dst: &'a mut MemoryBuffer,
        pixels: u64,
    ) -> Result<()> {
        let (channels, factor) = four(factor)?;
        require(src, &[pixels, channels.into(), 4])?;
        require(dst, &[pixels, channels.into(), 4])?;
        let (src, dst) = (self.reads(src)?, self.writes(dst)?);
        let steps = pixels * u64::from(channels);
        let args = MultiplyArgs { dst, src, pixels, channels, reserved: 0, factor };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, NUMBERS, "gxe_multiply_f32", steps, args) }
    }

    /// Sum of `count` numbers of type `float32`, in an order that is always the same. `parts` has
    /// room for [`PARTS`] numbers.
    pub fn sum(
        &mut self,
        src: &'a MemoryBuffer,
        parts: &'a mut MemoryBuffer,
        dst: &'a mut MemoryBuffer,
        count: u64,
    ) -> Result<()> {
        require(src, &[count, 4])?;
        require(parts, &[PARTS, 4])?;
        require(dst, &[4])?;
        let (src, parts, dst) = (self.reads(src)?, self.writes(parts)?, self.writes(dst)?);
        let first = SumArgs { dst: parts, src, count, parts: PARTS };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, NUMBERS, "gxe_sum_f32", PARTS, first) }?;
        self.sum_of_parts(parts, dst)
    }

    /// Sum of the products of two arrays of type `float32`, see [`Work::sum`].
    pub fn dot(
        &mut self,
        (left, right): (&'a MemoryBuffer, &'a MemoryBuffer),
        parts: &'a mut MemoryBuffer,
        dst: &'a mut MemoryBuffer,
        count: u64,
    ) -> Result<()> {
        require(left, &[count, 4])?;
        require(right, &[count, 4])?;
        require(parts, &[PARTS, 4])?;
        require(dst, &[4])?;
        let (left, right) = (self.reads(left)?, self.reads(right)?);
        let (parts, dst) = (self.writes(parts)?, self.writes(dst)?);
        let first = DotArgs { dst: parts, left, right, count, parts: PARTS };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, NUMBERS, "gxe_dot_f32", PARTS, first) }?;
        self.sum_of_parts(parts, dst)
    }

    fn sum_of_parts(&mut self, parts: u64, dst: u64) -> Result<()> {
        let args = SumArgs { dst, src: parts, count: PARTS, parts: 1 };
        // SAFETY: this is the kernel's structure; the callers checked the sizes.
        unsafe { launch(self, NUMBERS, "gxe_sum_f32", 1, args) }
    }

    /// Convolves a picture of one `float32` channel with a small one; beyond the edges it is 0.
    pub fn convolve(
        &mut self,
        (src, (width, height)): (&'a MemoryBuffer, (u64, u64)),
        (weights, (weights_width, weights_height)): (&'a MemoryBuffer, (u32, u32)),
        dst: &'a mut MemoryBuffer,
    ) -> Result<()> {
        require(src, &[width, height, 4])?;
        require(dst, &[width, height, 4])?;
        require(weights, &[weights_width.into(), weights_height.into(), 4])?;
        let (src, weights, dst) = (self.reads(src)?, self.reads(weights)?, self.writes(dst)?);
        let args = ConvolveArgs { dst, src, weights, width, height, weights_width, weights_height };
        // SAFETY: this is the kernel's structure, and the sizes are checked.
        unsafe { launch(self, NUMBERS, "gxe_convolve_f32", width * height, args) }
    }
}

fn require_even(width: u64, height: u64) -> Result<()> {
    if width.is_multiple_of(2) && height.is_multiple_of(2) {
        return Ok(());
    }
    let text = format!("width and height must be even, not {width} × {height}");
    Err(Error::new(ResultCode::ARGUMENT_INVALID, text))
}

/// Up to four channels, filled up with 0.
fn four(values: &[f32]) -> Result<(u32, [f32; 4])> {
    let channels = u32::try_from(values.len()).unwrap_or(u32::MAX);
    require_channels(channels, 4)?;
    let mut four = [0.0; 4];
    four[..values.len()].copy_from_slice(values);
    Ok((channels, four))
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};
    use std::fmt::Write;

    #[test]
    fn the_ptx_is_made_from_its_source() {
        let header = include_str!("../kernels/kernel.h");
        for (source, ptx) in [
            (include_str!("../kernels/picture.c"), super::PICTURE),
            (include_str!("../kernels/numbers.c"), super::NUMBERS),
        ] {
            let hash = Sha256::digest(format!("{header}{source}"));
            let hash = hash.iter().fold(String::new(), |mut text, byte| {
                _ = write!(text, "{byte:02x}");
                text
            });
            let first = ptx.lines().next().unwrap_or_default();
            assert!(first.ends_with(&hash), "the kernels changed; run `make kernels`");
        }
    }
}
