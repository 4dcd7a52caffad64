//! Video buffers as input: their rows may have gaps, and are copied without them.

use crate::format::{Element, Format, Pixels};
use crate::picture::{Scratch, Shape};
use gxf::{Error, MemoryBuffer, Message, Result, ResultCode, VideoBuffer, abi::VideoFormat};
use gxf_device::{Fence, MemoryPool, Stream};
use std::sync::Arc;

/// The format of a video buffer.
pub fn format(video: &VideoBuffer) -> Result<Pixels> {
    match video.info().color_format {
        VideoFormat::RGB => Ok(Pixels::Rgb),
        VideoFormat::BGR => Ok(Pixels::Bgr),
        VideoFormat::RGBA => Ok(Pixels::Rgba),
        VideoFormat::BGRA => Ok(Pixels::Bgra),
        VideoFormat::GRAY => Ok(Pixels::Gray),
        VideoFormat::NV12 => Ok(Pixels::Nv12),
        VideoFormat::YUV420 => Ok(Pixels::Yuv420),
        format => Err(Error::new(
            ResultCode::INVALID_DATA_FORMAT,
            format!(
                "video buffers of color format {} cannot be converted; RGB, BGR, RGBA, BGRA, GRAY, \
                 NV12 and YUV420 can",
                format.0
            ),
        )),
    }
}

/// Format and shape of a video buffer without gaps.
fn described(video: &VideoBuffer) -> Result<(Format, Shape)> {
    let pixels = format(video)?;
    let (width, height) = (video.info().width as usize, video.info().height as usize);
    let rows = if pixels.is_planar() { height + height / 2 } else { height };
    let shape = Shape { width, height: rows, channels: pixels.channels(), element: Element::U8 };
    Ok((Format::Pixels(pixels), shape))
}

/// Enqueues copies of the rows of all planes on a device; they are valid at the fence.
pub fn gather_on_device(
    (message, video): (&Message, &VideoBuffer),
    stream: &Stream,
    pool: &Arc<MemoryPool>,
) -> Result<(Format, Shape, MemoryBuffer, Fence)> {
    let (format, shape) = described(video)?;
    let size = shape.size()? as u64;
    let mut gathered = pool.lend(stream, size)?;
    let mut fence = Fence::default();
    let mut end = 0;
    for plane in video.planes() {
        let row = u64::from(plane.width) * u64::from(plane.bytes_per_pixel);
        let rows = (row, u64::from(plane.height), plane.stride.into());
        ((), fence) = stream.enqueue(|work| {
            work.input(message)?;
            work.copy_rows((video.memory(), plane.offset.into()), (&mut gathered, end), rows)
        })?;
        end += row * u64::from(plane.height);
    }
    if end == size {
        Ok((format, shape, gathered, fence))
    } else {
        Err(refused("planes are missing"))
    }
}

/// Copies the rows of all planes without gaps.
pub fn gather(video: &VideoBuffer, scratch: &mut Scratch) -> Result<(Format, Shape)> {
    let (format, shape) = described(video)?;
    let mut rest = scratch.bytes_mut(shape.size()?);
    for (index, plane) in video.planes().iter().enumerate() {
        let row = plane.width as usize * usize::from(plane.bytes_per_pixel);
        if row == 0 || plane.height == 0 {
            continue;
        }
        let bytes = video.plane_bytes(index)?;
        let wanted = row * plane.height as usize;
        if rest.len() < wanted
            || bytes.len() < (plane.height as usize - 1) * plane.stride as usize + row
        {
            return Err(refused("a plane is larger than the frame"));
        }
        let (dst, behind) = rest.split_at_mut(wanted);
        let rows = bytes.chunks(plane.stride.max(1) as usize);
        for (src, dst) in rows.zip(dst.chunks_exact_mut(row)) {
            dst.copy_from_slice(src.get(..row).ok_or_else(|| refused("a row is too short"))?);
        }
        rest = behind;
    }
    if rest.is_empty() { Ok((format, shape)) } else { Err(refused("planes are missing")) }
}

fn refused(text: &str) -> Error {
    Error::new(ResultCode::INVALID_DATA_FORMAT, format!("the video buffer is damaged: {text}"))
}
