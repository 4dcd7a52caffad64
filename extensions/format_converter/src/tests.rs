//! Whole plans: every way from one format to another.

use crate::element::{Scale, convert};
use crate::format::{Element, Format, Pixels, Possible};
use crate::picture::{Scratch, Shape};
use crate::plan::{Plan, Wish};
use crate::resize::algorithm;
use fast_image_resize::{FilterType, ResizeAlg, Resizer};

fn wish(out: &str) -> Wish {
    Wish {
        out: Format::parse(out).unwrap(),
        scale: Scale { minimum: 0.0, maximum: 1.0 },
        alpha: 200,
        size: None,
        algorithm: algorithm(2).unwrap(),
        order: Vec::new(),
    }
}

fn run(wish: &Wish, format: Format, shape: Shape, src: &[u8]) -> Possible<(Shape, Vec<u8>)> {
    let plan = Plan::new(wish, format, shape.channels)?;
    let result = plan.result(shape).map_err(|error| error.to_string())?;
    let mut memory = Scratch::default();
    let dst = memory.bytes_mut(result.size().unwrap());
    let mut scratch = Default::default();
    plan.run(shape, src, dst, &mut scratch, &mut Resizer::new())
        .map_err(|error| error.to_string())?;
    Ok((result, dst.to_vec()))
}

fn rgb(width: usize, height: usize) -> (Shape, Vec<u8>) {
    let shape = Shape { width, height, channels: 3, element: Element::U8 };
    (shape, (0..width * height * 3).map(|index| (index * 11 % 256) as u8).collect())
}

#[test]
fn every_format_becomes_every_other() {
    let (shape, src) = rgb(8, 4);
    let names = ["gray8", "rgb888", "bgr888", "rgba8888", "bgra8888", "nv12", "yuv420"];
    let types = ["uint8", "uint16", "float16", "float32", "float64"];
    for from in names {
        let start = Format::Pixels(Pixels::Rgb);
        let (shape, picture) = run(&wish(from), start, shape, &src).unwrap();
        for to in names.into_iter().chain(types) {
            let result = run(&wish(to), Format::parse(from).unwrap(), shape, &picture);
            let (result, bytes) = result.unwrap_or_else(|text| panic!("{from} to {to}: {text}"));
            assert_eq!(bytes.len(), result.size().unwrap());
            if from == to {
                assert_eq!(bytes, picture);
            }
        }
    }
    for from in types {
        let (shape, picture) = run(&wish(from), Format::Pixels(Pixels::Rgb), shape, &src).unwrap();
        let (back, bytes) =
            run(&wish("rgb888"), Format::parse(from).unwrap(), shape, &picture).unwrap();
        assert_eq!((back.element, bytes), (Element::U8, src.clone()), "{from}");
    }
}

#[test]
fn alpha_is_added_and_taken_away() {
    let (shape, src) = rgb(2, 1);
    let (_, rgba) = run(&wish("rgba8888"), Format::Pixels(Pixels::Rgb), shape, &src).unwrap();
    assert_eq!(rgba, [src[0], src[1], src[2], 200, src[3], src[4], src[5], 200]);
    let shape = Shape { channels: 4, ..shape };
    let (_, bgr) = run(&wish("bgr888"), Format::Pixels(Pixels::Rgba), shape, &rgba).unwrap();
    assert_eq!(bgr, [src[2], src[1], src[0], src[5], src[4], src[3]]);
}

#[test]
fn all_steps_work_together() {
    // Resized, scaled to floats, and in another order.
    let shape = Shape { width: 4, height: 4, channels: 3, element: Element::U8 };
    let src = [51, 102, 255].repeat(16);
    let wish = Wish {
        scale: Scale { minimum: 0.0, maximum: 10.0 },
        size: Some((2, 6)),
        order: vec![2, 0, 1],
        ..wish("float32")
    };
    let (result, bytes) = run(&wish, Format::Elements(Element::U8), shape, &src).unwrap();
    assert_eq!(result, Shape { width: 2, height: 6, channels: 3, element: Element::F32 });
    let floats: &[f32] = bytemuck::cast_slice(&bytes);
    let near = |(found, wanted): (&f32, &f32)| (found - wanted).abs() < 1e-5;
    assert!(floats.iter().zip(&[10.0, 2.0, 4.0].repeat(12)).all(near), "{floats:?}");
}

#[test]
fn floats_of_every_size_are_resized() {
    let shape = |element| Shape { width: 2, height: 1, channels: 1, element };
    for (element, word) in
        [(Element::F16, "float16"), (Element::F32, "float32"), (Element::F64, "float64")]
    {
        let floats = [2.0_f32, 6.0];
        let mut src = vec![0; 2 * element.size()];
        let scale = Scale { minimum: 0.0, maximum: 1.0 };
        let input = bytemuck::cast_slice(&floats);
        convert(Element::F32, element, scale, input, &mut src).unwrap();
        let wish = Wish {
            size: Some((1, 1)),
            algorithm: ResizeAlg::Convolution(FilterType::Box),
            ..wish(word)
        };
        let (result, bytes) = run(&wish, Format::Elements(element), shape(element), &src).unwrap();
        assert_eq!((result.width, result.element), (1, element));
        let mut mean = [0.0_f32];
        convert(element, Element::F32, scale, &bytes, bytemuck::cast_slice_mut(&mut mean)).unwrap();
        assert_eq!(mean, [4.0], "{word}");
    }
}

#[test]
fn what_is_not_possible_is_said() {
    let (shape, src) = rgb(3, 3);
    let refusal = |wish: &Wish, format, shape| run(wish, format, shape, &src).unwrap_err();
    let rgb = Format::Pixels(Pixels::Rgb);
    assert_eq!(
        refusal(&wish("nv12"), rgb, shape),
        "a nv12 picture has an even width and height, not 3 × 3"
    );
    assert_eq!(
        refusal(&Wish { order: vec![0, 1, 3], ..wish("uint8") }, rgb, shape),
        "`out_channel_order` [0, 1, 3] does not fit 3 channels: it names one of 0 to 2 for each"
    );
    assert_eq!(
        refusal(
            &Wish { size: Some((2, 2)), ..wish("float64") },
            Format::Elements(Element::U8),
            Shape { channels: 5, ..shape }
        ),
        "pictures of 5 channels cannot be resized; those of up to 4 can"
    );
    assert_eq!(
        refusal(&wish("rgba8888"), Format::Elements(Element::U8), Shape { channels: 2, ..shape }),
        "a picture of 2 channels cannot become rgba8888: only 1, 3 or 4 channels have colours"
    );
    assert_eq!(
        refusal(&wish("uint8"), Format::Pixels(Pixels::Nv12), Shape { channels: 1, ..shape }),
        "a nv12 picture has an even width and one and a half times an even height in rows, not 3 × 3"
    );
    assert!(
        Format::parse("rgb565").unwrap_err().starts_with("`rgb565` is not known; there are uint8,")
    );
}
