//! From one element type to another.
//!
//! Integers cover a range of intensities, and `scale_min` and `scale_max` give the range of floats:
//! the smallest integer becomes `scale_min`, the largest `scale_max`, and back, with floats clamped
//! to the range. Between integer types only the range of the integers is scaled, between float
//! types nothing.

use crate::format::Element;
use crate::picture::{elements, elements_mut};
use gxf::Result;
use half::f16;

/// The range of floats.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub minimum: f32,
    pub maximum: f32,
}

/// Converts all elements.
pub fn convert(from: Element, to: Element, scale: Scale, src: &[u8], dst: &mut [u8]) -> Result<()> {
    match from {
        Element::U8 => convert_from::<u8>(to, scale, src, dst),
        Element::U16 => convert_from::<u16>(to, scale, src, dst),
        Element::F16 => convert_from::<f16>(to, scale, src, dst),
        Element::F32 => convert_from::<f32>(to, scale, src, dst),
        Element::F64 => convert_from::<f64>(to, scale, src, dst),
    }
}

fn convert_from<S: Intensity>(to: Element, scale: Scale, src: &[u8], dst: &mut [u8]) -> Result<()> {
    let src = elements::<S>(src)?;
    match to {
        Element::U8 => each::<S, u8>(scale, src, elements_mut(dst)?),
        Element::U16 => each::<S, u16>(scale, src, elements_mut(dst)?),
        Element::F16 => each::<S, f16>(scale, src, elements_mut(dst)?),
        Element::F32 => each::<S, f32>(scale, src, elements_mut(dst)?),
        Element::F64 => each::<S, f64>(scale, src, elements_mut(dst)?),
    }
    Ok(())
}

/// One loop per pair of types, so that the compiler vectorises it.
fn each<S: Intensity, D: Intensity>(scale: Scale, src: &[S], dst: &mut [D]) {
    let span = scale.maximum - scale.minimum;
    match (S::LARGEST, D::LARGEST) {
        (Some(largest), None) => {
            let factor = span / largest;
            loop_over(src, dst, |value| D::from_f32(value.to_f32() * factor + scale.minimum));
        }
        (None, Some(largest)) => {
            let factor = largest / span;
            loop_over(src, dst, |value| {
                let value = (value.to_f32() - scale.minimum) * factor;
                D::from_f32(value.clamp(0.0, largest) + 0.5)
            });
        }
        (Some(old), Some(new)) => {
            let factor = new / old;
            loop_over(src, dst, |value| D::from_f32(value.to_f32() * factor + 0.5));
        }
        (None, None) => loop_over(src, dst, |value| D::from_f64(value.to_f64())),
    }
}

fn loop_over<S: Copy, D>(src: &[S], dst: &mut [D], convert: impl Fn(S) -> D) {
    for (dst, src) in dst.iter_mut().zip(src) {
        *dst = convert(*src);
    }
}

/// An element type.
trait Intensity: bytemuck::Pod {
    /// Largest value of an integer type.
    const LARGEST: Option<f32>;
    fn to_f32(self) -> f32;
    fn to_f64(self) -> f64;
    /// Truncates integers.
    fn from_f32(value: f32) -> Self;
    fn from_f64(value: f64) -> Self;
}

macro_rules! intensities {
    ($($type:ty, $largest:expr;)*) => {$(
        impl Intensity for $type {
            const LARGEST: Option<f32> = $largest;
            fn to_f32(self) -> f32 { self as f32 }
            fn to_f64(self) -> f64 { self as f64 }
            fn from_f32(value: f32) -> Self { value as Self }
            fn from_f64(value: f64) -> Self { value as Self }
        }
    )*};
}

intensities! {
    u8, Some(255.0);
    u16, Some(65535.0);
    f32, None;
    f64, None;
}

impl Intensity for f16 {
    const LARGEST: Option<f32> = None;
    fn to_f32(self) -> f32 {
        self.to_f32()
    }
    fn to_f64(self) -> f64 {
        self.to_f64()
    }
    fn from_f32(value: f32) -> Self {
        Self::from_f32(value)
    }
    fn from_f64(value: f64) -> Self {
        Self::from_f64(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted<S: bytemuck::Pod, D: bytemuck::Pod>(
        from: Element,
        to: Element,
        (minimum, maximum): (f32, f32),
        src: &[S],
    ) -> Vec<D> {
        let mut dst = vec![D::zeroed(); src.len()];
        let bytes = bytemuck::cast_slice_mut(&mut dst);
        convert(from, to, Scale { minimum, maximum }, bytemuck::cast_slice(src), bytes).unwrap();
        dst
    }

    #[test]
    fn integers_become_floats_in_the_range() {
        let floats: Vec<f32> =
            converted(Element::U8, Element::F32, (0.0, 255.0), &[0_u8, 1, 128, 255]);
        assert_eq!(floats, [0.0, 1.0, 128.0, 255.0]);
        let floats: Vec<f64> = converted(Element::U16, Element::F64, (-1.0, 1.0), &[0_u16, 65535]);
        assert_eq!(floats, [-1.0, 1.0]);
        let floats: Vec<f16> = converted(Element::U8, Element::F16, (0.0, 1.0), &[255_u8]);
        assert_eq!(floats, [f16::ONE]);
    }

    #[test]
    fn floats_are_rounded_and_kept_within_the_range() {
        let floats = [-5.0_f32, 0.0, 0.5, 0.999, 1.0, 7.0, f32::NAN, f32::INFINITY];
        let bytes: Vec<u8> = converted(Element::F32, Element::U8, (0.0, 1.0), &floats);
        assert_eq!(bytes, [0, 0, 128, 255, 255, 255, 0, 255]);
    }

    #[test]
    fn every_integer_comes_back() {
        for (minimum, maximum) in [(0.0, 255.0), (0.0, 1.0), (-1.0, 1.0), (10.0, 11.0)] {
            let all: Vec<u8> = (0..=255).collect();
            for to in [Element::U16, Element::F32, Element::F64] {
                let mut there = vec![0_u64; 256];
                let there = &mut bytemuck::cast_slice_mut::<_, u8>(&mut there)[..256 * to.size()];
                let mut back = vec![0_u8; 256];
                let scale = Scale { minimum, maximum };
                convert(Element::U8, to, scale, &all, there).unwrap();
                convert(to, Element::U8, scale, there, &mut back).unwrap();
                assert_eq!(back, all, "{to:?} {minimum} {maximum}");
            }
        }
    }
}
