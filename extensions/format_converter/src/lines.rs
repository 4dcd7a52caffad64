//! What each line of a resized picture is made of, for resizing on a device.
//!
//! The numbers are those of `fast_image_resize`, which resizes on the host, so that integers come out
//! the same to the bit.

use fast_image_resize::{FilterType, ResizeAlg};
use gxf::{Error, Result, ResultCode};
use std::f64::consts::PI;

/// How the lines of one axis, rows or columns, become others.
pub struct Lines {
    /// For each line of the result: its first source line, and how many there are.
    pub bounds: Vec<[u32; 2]>,
    /// Room for weights of each line.
    pub window: usize,
    /// By line, [`Lines::window`] each.
    pub weights: Vec<f64>,
}

/// Most weights of all lines together: 128 MiB.
const MOST: usize = 1 << 24;

type Filter = fn(f64) -> f64;

fn area(x: f64) -> f64 {
    if x > -0.5 && x <= 0.5 { 1.0 } else { 0.0 }
}

fn bilinear(x: f64) -> f64 {
    (1.0 - x.abs()).max(0.0)
}

fn cubic(x: f64) -> f64 {
    const A: f64 = -0.5;
    let x = x.abs();
    if x < 1.0 {
        ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0
    } else if x < 2.0 {
        (((x - 5.0) * x + 8.0) * x - 4.0) * A
    } else {
        0.0
    }
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let x = x * PI;
    x.sin() / x
}

fn lanczos(x: f64) -> f64 {
    if (-3.0..3.0).contains(&x) { sinc(x) * sinc(x / 3.0) } else { 0.0 }
}

/// The function of a filter, its radius, and whether it covers what it replaces.
fn filter(algorithm: ResizeAlg) -> Option<(Filter, f64, bool)> {
    let (kind, covers) = match algorithm {
        ResizeAlg::Interpolation(kind) => (kind, false),
        ResizeAlg::Convolution(kind) => (kind, true),
        _ => return None,
    };
    Some(match kind {
        FilterType::Box => (area as Filter, 0.5, covers),
        FilterType::Bilinear => (bilinear as Filter, 1.0, covers),
        FilterType::CatmullRom => (cubic as Filter, 2.0, covers),
        FilterType::Lanczos3 => (lanczos as Filter, 3.0, covers),
        _ => return None,
    })
}

impl Lines {
    /// The rows (`is_rows`) or columns of a picture with `from` of them that gets `to`.
    pub fn new(algorithm: ResizeAlg, is_rows: bool, from: usize, to: usize) -> Result<Self> {
        let check = |window: usize| {
            let is_fine = to.checked_mul(window).is_some_and(|count| count <= MOST);
            is_fine.then_some(window).ok_or_else(|| {
                let (axis, key) =
                    if is_rows { ("rows", "resize_height") } else { ("columns", "resize_width") };
                Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!(
                        "`{key}`: a picture on a device with {from} {axis} cannot get {to}: each is made \
                         of up to {window}, and all together of at most {MOST}"
                    ),
                )
            })
        };
        if let ResizeAlg::Nearest = algorithm {
            check(1)?;
            return Ok(Self::nearest(is_rows, from, to));
        }
        let Some((filter, radius, covers)) = filter(algorithm) else {
            let text = "the picture cannot be resized on a device in this mode";
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        };
        let scale = from as f64 / to as f64;
        let filter_scale = if covers { scale.max(1.0) } else { 1.0 };
        let radius = radius * filter_scale;
        let window = check(radius.ceil() as usize * 2 + 1)?;
        let mut lines = Self { bounds: Vec::with_capacity(to), window, weights: Vec::new() };
        for line in 0..to {
            lines.add(filter, from, (line as f64 + 0.5) * scale, radius, 1.0 / filter_scale);
        }
        Ok(lines)
    }

    /// Adds the line around `center`, in source lines.
    fn add(&mut self, filter: Filter, from: usize, center: f64, radius: f64, factor: f64) {
        let first = (center - radius).floor().max(0.0) as u32;
        let end = (center + radius).ceil().min(from as f64) as u32;
        let weight = |line: u32| filter((f64::from(line) - (center - 0.5)) * factor);
        // Without zeros at the start.
        let start = (first..end).find(|line| weight(*line) != 0.0).unwrap_or(end);
        let own = self.weights.len();
        self.weights.extend((start..end).map(weight));
        let sum: f64 = self.weights[own..].iter().sum();
        let zeros = self.weights[own..].iter().rev().take_while(|weight| **weight == 0.0).count();
        let size = (end - start) - zeros as u32;
        if sum != 0.0 {
            self.weights[own..].iter_mut().for_each(|weight| *weight /= sum);
        }
        self.weights.resize(own + self.window, 0.0);
        self.bounds.push([start, size]);
    }

    fn nearest(is_rows: bool, from: usize, to: usize) -> Self {
        let scale = from as f64 / to as f64;
        let first = scale * 0.5;
        let mut next = first;
        let bounds = (0..to).map(|line| {
            // Rows are counted on, columns computed each.
            let place = if is_rows { next } else { first + scale * line as f64 };
            next += scale;
            [(place as usize).min(from - 1) as u32, 1]
        });
        Self { bounds: bounds.collect(), window: 1, weights: vec![1.0; to] }
    }

    /// The weights as integers of `bits` bits, and the number of bits that a sum of products is
    /// shifted by: as many as the weights, or `most`, allow.
    pub fn fixed(&self, bits: u32, most: u32) -> (Vec<i32>, u32) {
        let largest = self.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut precision = 0;
        for candidate in 0..most {
            precision = candidate;
            if (largest * (1u64 << (candidate + 1)) as f64).round() >= (1u64 << (bits - 1)) as f64 {
                break;
            }
        }
        let scale = (1u64 << precision) as f64;
        (self.weights.iter().map(|weight| (weight * scale).round() as i32).collect(), precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_bounded() {
        let cubic = ResizeAlg::Interpolation(FilterType::CatmullRom);
        for (algorithm, from, to) in [
            (ResizeAlg::Nearest, 8, MOST + 1),
            (cubic, 8, MOST / 5 + 1),
            (cubic, 8, usize::MAX),
            (ResizeAlg::Convolution(FilterType::Box), MOST, 1),
        ] {
            let refused = Lines::new(algorithm, false, from, to).err().expect("an error");
            assert_eq!(refused.code(), ResultCode::ARGUMENT_OUT_OF_RANGE);
            let text = format!(
                "`resize_width`: a picture on a device with {from} columns cannot get {to}"
            );
            assert!(refused.message().starts_with(&text), "{refused}");
        }
        assert!(Lines::new(cubic, true, 8, 100_000).is_ok());
    }
}
