//! Planes of brightness and colour (NV12, YUV420) to RGB and back: BT.601, limited range, in
//! integers of 8 fractional bits.

use crate::format::Pixels;

/// Where the colours of a row of 2 × 2 blocks are.
struct Colors<'a> {
    u: &'a [u8],
    v: &'a [u8],
    /// Distance between neighbours in both.
    step: usize,
}

/// Colours of block row `row` behind the plane Y.
fn colors(pixels: Pixels, colors: &[u8], width: usize, height: usize, row: usize) -> Colors<'_> {
    if pixels == Pixels::Nv12 {
        let row = &colors[row * width..][..width];
        return Colors { u: row, v: &row[1..], step: 2 };
    }
    let (half, plane) = (width / 2, width / 2 * (height / 2));
    let (u, v) = colors.split_at(plane);
    Colors { u: &u[row * half..][..half], v: &v[row * half..][..half], step: 1 }
}

/// Converts to RGB. `width` and `height` of the result are even.
pub fn decode(pixels: Pixels, width: usize, height: usize, src: &[u8], dst: &mut [u8]) {
    let (luma, chroma) = src.split_at(width * height);
    let rows = luma.chunks_exact(width).zip(dst.chunks_exact_mut(width * 3));
    for (row, (luma, dst)) in rows.enumerate() {
        let colors = colors(pixels, chroma, width, height, row / 2);
        let blocks = luma.as_chunks::<2>().0.iter().zip(dst.as_chunks_mut::<6>().0);
        let colors = colors.u.iter().step_by(colors.step).zip(colors.v.iter().step_by(colors.step));
        for ((luma, rgb), (u, v)) in blocks.zip(colors) {
            let (u, v) = (i32::from(*u) - 128, i32::from(*v) - 128);
            let (red, green, blue) = (409 * v, -100 * u - 208 * v, 516 * u);
            for (luma, rgb) in luma.iter().zip(rgb.as_chunks_mut::<3>().0) {
                let base = 298 * (i32::from(*luma) - 16) + 128;
                *rgb = [byte(base + red), byte(base + green), byte(base + blue)];
            }
        }
    }
}

/// Converts from RGB or another order of colours: `red` and `blue` are indices among `channels`.
/// `width` and `height` are even. The colour of a block is the mean of its four pixels.
pub fn encode(
    pixels: Pixels,
    (width, height): (usize, usize),
    (channels, red, blue): (usize, usize, usize),
    src: &[u8],
    dst: &mut [u8],
) {
    let (luma, chroma) = dst.split_at_mut(width * height);
    for (src, luma) in src.chunks_exact(channels).zip(luma) {
        let [red, green, blue] = [red, 1, blue].map(|place| i32::from(src[place]));
        *luma = byte(66 * red + 129 * green + 25 * blue + 128 + (16 << 8));
    }
    let half = width / 2;
    let plane = half * (height / 2);
    for row in 0..height / 2 {
        let upper = &src[2 * row * width * channels..][..width * channels];
        let lower = &src[(2 * row + 1) * width * channels..][..width * channels];
        let blocks = upper.chunks_exact(2 * channels).zip(lower.chunks_exact(2 * channels));
        for (column, (upper, lower)) in blocks.enumerate() {
            let mean = |place: usize| {
                let pairs = [upper, lower]
                    .map(|row| i32::from(row[place]) + i32::from(row[place + channels]));
                (pairs[0] + pairs[1] + 2) >> 2
            };
            let (red, green, blue) = (mean(red), mean(1), mean(blue));
            let u = byte(-38 * red - 74 * green + 112 * blue + 128 + (128 << 8));
            let v = byte(112 * red - 94 * green - 18 * blue + 128 + (128 << 8));
            let block = row * half + column;
            let (at_u, at_v) = match pixels {
                Pixels::Nv12 => (2 * block, 2 * block + 1),
                _ => (block, plane + block),
            };
            chroma[at_u] = u;
            chroma[at_v] = v;
        }
    }
}

/// Drops the fractional bits and clamps the value to a byte.
fn byte(value: i32) -> u8 {
    u8::try_from((value >> 8).clamp(0, 255)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_standard() {
        // BT.601, limited range: white, black, red.
        for (rgb, yuv) in [
            ([255, 255, 255], [235, 128, 128]),
            ([0, 0, 0], [16, 128, 128]),
            ([255, 0, 0], [82, 90, 240]),
        ] {
            let src = rgb.repeat(4);
            for (pixels, expected) in [
                (Pixels::Nv12, [&[yuv[0]; 4][..], &yuv[1..]].concat()),
                (Pixels::Yuv420, [&[yuv[0]; 4][..], &yuv[1..]].concat()),
            ] {
                let mut dst = [0; 6];
                encode(pixels, (2, 2), (3, 0, 2), &src, &mut dst);
                assert_eq!(dst, *expected, "{rgb:?}");
                let mut back = [0; 12];
                decode(pixels, 2, 2, &dst, &mut back);
                let near = back.iter().zip(&src).all(|(a, b): (&u8, &u8)| a.abs_diff(*b) <= 2);
                assert!(near, "{rgb:?}: {back:?}");
            }
        }
    }

    #[test]
    fn both_arrangements_hold_the_same() {
        let (width, height) = (6, 4);
        let src: Vec<u8> = (0..width * height * 3).map(|index| (index * 37 % 256) as u8).collect();
        let mut planes = [const { Vec::new() }; 2];
        let mut pictures = [const { Vec::new() }; 2];
        for (index, pixels) in [Pixels::Nv12, Pixels::Yuv420].into_iter().enumerate() {
            planes[index].resize(width * height * 3 / 2, 0);
            pictures[index].resize(src.len(), 0);
            encode(pixels, (width, height), (3, 0, 2), &src, &mut planes[index]);
            decode(pixels, width, height, &planes[index], &mut pictures[index]);
        }
        assert_eq!(pictures[0], pictures[1]);
        let [nv12, yuv420] = &planes;
        let colors: Vec<u8> = nv12[24..].iter().step_by(2).copied().collect();
        assert_eq!(colors, yuv420[24..30]);
    }
}
