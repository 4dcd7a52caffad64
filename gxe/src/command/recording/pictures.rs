//! Reads and writes picture files, in builds with the feature `pictures`.

use anyhow::Result;
use std::path::Path;

/// Size, and one byte for each channel of each pixel.
pub type Picture = ((u32, u32), Vec<u8>);

/// Reads a PNG or JPEG file as grey (1 channel), grey with alpha (2), RGB (3) or RGBA.
#[cfg(feature = "pictures")]
pub fn read(path: &Path, channels: i32) -> Result<Picture> {
    let image = image::open(path)?;
    let size = (image.width(), image.height());
    let bytes = match channels {
        1 => image.into_luma8().into_raw(),
        2 => image.into_luma_alpha8().into_raw(),
        3 => image.into_rgb8().into_raw(),
        _ => image.into_rgba8().into_raw(),
    };
    Ok((size, bytes))
}

/// Writes a PNG file from bytes as [`read`] returns them.
#[cfg(feature = "pictures")]
pub fn write_png(
    path: &Path,
    bytes: &[u8],
    (width, height, channels): (u32, u32, i32),
) -> Result<()> {
    use image::ExtendedColorType;
    let color = match channels {
        1 => ExtendedColorType::L8,
        2 => ExtendedColorType::La8,
        3 => ExtendedColorType::Rgb8,
        _ => ExtendedColorType::Rgba8,
    };
    Ok(image::save_buffer(path, bytes, width, height, color)?)
}

#[cfg(not(feature = "pictures"))]
const LEFT_OUT: &str = "this gxe was built without PNG and JPEG, as `make run` does; `make install` \
                        builds all of it, and raw frames work here, too";

#[cfg(not(feature = "pictures"))]
pub fn read(_: &Path, _: i32) -> Result<Picture> {
    anyhow::bail!(LEFT_OUT)
}

#[cfg(not(feature = "pictures"))]
pub fn write_png(_: &Path, _: &[u8], _: (u32, u32, i32)) -> Result<()> {
    anyhow::bail!(LEFT_OUT)
}
