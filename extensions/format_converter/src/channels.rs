//! Reorders, drops and adds channels.

use crate::picture::Shape;

/// Where a channel of the result comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Channel {
    /// A channel of the input.
    Of(usize),
    /// Alpha, the same for all pixels.
    Alpha,
}

/// Gives each pixel the channels of `order`; `alpha` are the bytes of one element.
pub fn reorder(shape: Shape, order: &[Channel], alpha: &[u8], src: &[u8], dst: &mut [u8]) {
    // Nearly all pictures have bytes and 3 or 4 channels. Constant sizes let the compiler unroll
    // the inner loop.
    match (shape.element.size(), shape.channels, order.len()) {
        (1, 3, 3) => pixels::<3, 3>(order, alpha, src, dst),
        (1, 3, 4) => pixels::<3, 4>(order, alpha, src, dst),
        (1, 4, 3) => pixels::<4, 3>(order, alpha, src, dst),
        (1, 4, 4) => pixels::<4, 4>(order, alpha, src, dst),
        (size, channels, _) => {
            let pixels =
                src.chunks_exact(channels * size).zip(dst.chunks_exact_mut(order.len() * size));
            for (src, dst) in pixels {
                for (channel, dst) in order.iter().zip(dst.chunks_exact_mut(size)) {
                    dst.copy_from_slice(match channel {
                        Channel::Of(index) => &src[index * size..(index + 1) * size],
                        Channel::Alpha => alpha,
                    });
                }
            }
        }
    }
}

fn pixels<const FROM: usize, const TO: usize>(
    order: &[Channel],
    alpha: &[u8],
    src: &[u8],
    dst: &mut [u8],
) {
    // The pixel followed by alpha, so that an index selects every channel.
    let index: [usize; TO] = std::array::from_fn(|channel| match order[channel] {
        Channel::Of(index) => index.min(FROM - 1),
        Channel::Alpha => FROM,
    });
    let (src, _) = src.as_chunks::<FROM>();
    let (dst, _) = dst.as_chunks_mut::<TO>();
    for (src, dst) in src.iter().zip(dst) {
        let mut padded = [alpha[0]; 8];
        padded[..FROM].copy_from_slice(src);
        *dst = std::array::from_fn(|channel| padded[index[channel] & 7]);
    }
}

/// Brightness of RGB pixels (BT.601); `red` and `blue` are the places of these colours.
pub fn gray(channels: usize, red: usize, blue: usize, src: &[u8], dst: &mut [u8]) {
    for (src, dst) in src.chunks_exact(channels).zip(dst) {
        let [red, green, blue] = [red, 1, blue].map(|place| u32::from(src[place]));
        let sum = 77 * red + 150 * green + 29 * blue + 128;
        *dst = u8::try_from(sum >> 8).unwrap_or(u8::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Element;
    use Channel::{Alpha, Of};

    #[test]
    fn channels_are_swapped_dropped_and_added() {
        let shape = |channels, element| Shape { width: 2, height: 1, channels, element };
        let reordered = |channels, element, order: &[Channel], alpha: &[u8], src: &[u8]| {
            let mut dst = vec![0; 2 * order.len() * alpha.len()];
            reorder(shape(channels, element), order, alpha, src, &mut dst);
            dst
        };
        let rgb = [1, 2, 3, 4, 5, 6];
        assert_eq!(
            reordered(3, Element::U8, &[Of(2), Of(1), Of(0)], &[9], &rgb),
            [3, 2, 1, 6, 5, 4]
        );
        let rgba = reordered(3, Element::U8, &[Of(0), Of(1), Of(2), Alpha], &[9], &rgb);
        assert_eq!(rgba, [1, 2, 3, 9, 4, 5, 6, 9]);
        assert_eq!(reordered(4, Element::U8, &[Of(0), Of(1), Of(2)], &[0], &rgba), rgb);
        assert_eq!(
            reordered(1, Element::U16, &[Of(0), Of(0), Alpha], &[7, 8], &[1, 2, 3, 4]),
            [1, 2, 1, 2, 7, 8, 3, 4, 3, 4, 7, 8]
        );
    }

    #[test]
    fn gray_of_gray_is_the_same() {
        let mut dst = [0; 256];
        let src: Vec<u8> = (0..=255).flat_map(|value| [value; 3]).collect();
        gray(3, 0, 2, &src, &mut dst);
        assert_eq!(dst.to_vec(), (0..=255).collect::<Vec<u8>>());
    }
}
