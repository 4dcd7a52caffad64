//! Video buffers as input: their rows may have gaps, and are copied without them.

use crate::format::{Element, Format, Pixels};
use crate::picture::{Scratch, Shape};
use crate::plan::even;
use gxf::multimedia::traits_of;
use gxf::{Error, Result, ResultCode, VideoBuffer, abi::VideoFormat};
use gxf_device::Rows;

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
                traits_of(format)
                    .map_or_else(|| format.0.to_string(), |known| known.name.to_owned())
            ),
        )),
    }
}

/// Format and shape of a video buffer without gaps.
fn described(video: &VideoBuffer) -> Result<(Format, Shape)> {
    let pixels = format(video)?;
    let (width, height) = (video.info().width as usize, video.info().height as usize);
    if pixels.is_planar() {
        even(pixels, (width, height))
            .map_err(|text| Error::new(ResultCode::INVALID_DATA_FORMAT, text))?;
    }
    let rows = if pixels.is_planar() { height + height / 2 } else { height };
    let shape = Shape { width, height: rows, channels: pixels.channels(), element: Element::U8 };
    Ok((Format::Pixels(pixels), shape))
}

/// What a video buffer on a device is without gaps, and the rows of all its planes.
pub fn rows(video: &VideoBuffer) -> Result<(Format, Shape, Vec<Rows>)> {
    let (format, shape) = described(video)?;
    let mut end = 0;
    let rows = video.planes().iter().map(|plane| {
        let length = u64::from(plane.width) * u64::from(plane.bytes_per_pixel);
        let count = u64::from(plane.height);
        let to = end;
        end += length * count;
        Rows { from: plane.offset.into(), to, length, count, stride: plane.stride.into() }
    });
    let rows = rows.collect();
    if end == shape.size()? as u64 {
        Ok((format, shape, rows))
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
