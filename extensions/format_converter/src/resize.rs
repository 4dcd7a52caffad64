//! Pictures of another size.

use crate::format::{Element, Possible};
use crate::picture::Shape;
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use gxf::{Error, Result, ResultCode};

/// The algorithm of `resize_mode`, in the numbers of NPP's interpolation modes.
pub fn algorithm(mode: i32) -> Possible<ResizeAlg> {
    match mode {
        1 => Ok(ResizeAlg::Nearest),
        2 => Ok(ResizeAlg::Interpolation(FilterType::Bilinear)),
        0 | 4 => Ok(ResizeAlg::Interpolation(FilterType::CatmullRom)),
        // Each pixel is the mean of the area it replaces.
        8 => Ok(ResizeAlg::Convolution(FilterType::Box)),
        16 => Ok(ResizeAlg::Interpolation(FilterType::Lanczos3)),
        _ => Err(format!(
            "{mode} is not known; there are 1 (nearest), 2 (bilinear), 4 (cubic), 8 (area), \
             16 (Lanczos), and 0 for the usual one, which is 4"
        )),
    }
}

/// The pixel type for resizing; `None` when there is none.
pub fn pixel_type(element: Element, channels: usize) -> Option<PixelType> {
    Some(match (element, channels) {
        (Element::U8, 1) => PixelType::U8,
        (Element::U8, 2) => PixelType::U8x2,
        (Element::U8, 3) => PixelType::U8x3,
        (Element::U8, 4) => PixelType::U8x4,
        (Element::U16, 1) => PixelType::U16,
        (Element::U16, 2) => PixelType::U16x2,
        (Element::U16, 3) => PixelType::U16x3,
        (Element::U16, 4) => PixelType::U16x4,
        (Element::F32, 1) => PixelType::F32,
        (Element::F32, 2) => PixelType::F32x2,
        (Element::F32, 3) => PixelType::F32x3,
        (Element::F32, 4) => PixelType::F32x4,
        _ => return None,
    })
}

/// Resizes into `dst`, without multiplying colours by alpha.
pub fn resize(
    resizer: &mut Resizer,
    algorithm: ResizeAlg,
    from: Shape,
    to: Shape,
    src: &[u8],
    dst: &mut [u8],
) -> Result<()> {
    let failed = |error: &dyn std::fmt::Display| {
        Error::new(ResultCode::ARGUMENT_INVALID, format!("the picture cannot be resized: {error}"))
    };
    let kind = pixel_type(from.element, from.channels);
    let kind = kind.ok_or_else(|| failed(&"its pixels are not supported"))?;
    let side = |length: usize| u32::try_from(length).map_err(|error| failed(&error));
    let src = ImageRef::new(side(from.width)?, side(from.height)?, src, kind);
    let src = src.map_err(|error| failed(&error))?;
    let dst = Image::from_slice_u8(side(to.width)?, side(to.height)?, dst, kind);
    let mut dst = dst.map_err(|error| failed(&error))?;
    let options = ResizeOptions::new().resize_alg(algorithm).use_alpha(false);
    resizer.resize(&src, &mut dst, &options).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resized(mode: i32, src: &[u8], (width, height): (usize, usize)) -> Vec<u8> {
        let from = Shape { width: 4, height: 2, channels: 1, element: Element::U8 };
        let to = Shape { width, height, ..from };
        let mut dst = vec![0; width * height];
        let algorithm = algorithm(mode).unwrap();
        resize(&mut Resizer::new(), algorithm, from, to, src, &mut dst).unwrap();
        dst
    }

    #[test]
    fn each_mode_does_what_its_name_says() {
        let src = [0, 100, 200, 40, 20, 80, 220, 60];
        assert_eq!(resized(1, &src, (8, 2))[..8], [0, 0, 100, 100, 200, 200, 40, 40]);
        assert_eq!(resized(2, &src, (8, 2))[..8], [0, 25, 75, 125, 175, 160, 80, 40]);
        assert_eq!(resized(8, &src, (2, 1)), [50, 130]);
        for mode in [0, 1, 2, 4, 8, 16] {
            assert_eq!(resized(mode, &[77; 8], (7, 5)), [77; 35], "{mode}");
            assert_eq!(resized(mode, &src, (4, 2)), src, "{mode}");
        }
        assert!(algorithm(3).unwrap_err().contains("3 is not known"));
    }
}
