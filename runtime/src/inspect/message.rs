//! What a message has, in a few words, numbers and a small picture: [`describe`].
//!
//! The thread that executes an entity describes the message, so the work is bounded, however large
//! the message is: it reads some elements of large tensors, and every so many pixels of a picture.

use gxf::multimedia::{FormatTraits, color_space, traits_of};
use gxf::{AudioBuffer, EndOfStream, Message, PayloadInfo, PrimitiveType, Tensor, VideoBuffer};
use gxf_plugin_abi::Tid;
use serde::{Serialize, Serializer};

/// Payloads that are described; the others are counted.
const PAYLOADS: usize = 32;
/// Elements of a tensor that are read, evenly spread.
const ELEMENTS: u64 = 1 << 14;
/// Elements of a small tensor that are listed.
const LISTED: usize = 8;
/// Characters of a text that are kept.
const CHARACTERS: usize = 2000;
/// Longest side of a small picture, in pixels.
const SIDE: u32 = 128;
/// Sides of the smallest tensor that is taken for a picture.
const SMALLEST: i32 = 8;

/// A message at one moment.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MessageView {
    /// Its acquisition time in nanoseconds, if it has one.
    pub acquired_ns: Option<i64>,
    /// Its payloads in order, the first 32 of them.
    pub payloads: Vec<PayloadView>,
    /// Number of further payloads.
    pub more: usize,
}

/// A payload.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PayloadView {
    /// Name of the payload; may be empty.
    pub name: String,
    /// Name of its type.
    #[serde(rename = "type")]
    pub type_name: String,
    #[serde(skip)]
    pub(crate) tid: Tid,
    /// What it is: shape, format, value or text.
    pub text: String,
    /// The numbers of a tensor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersView>,
    /// A small picture of a frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
}

/// Numbers of a tensor.
#[derive(Clone, Debug, Default, Serialize)]
pub struct NumbersView {
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
    /// Their mean.
    pub mean: f64,
    /// Number of elements that are no number.
    pub missing: u64,
    /// Number of elements that were read: all, or some of a large tensor.
    pub read: u64,
}

/// A small picture.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Picture {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row; in JSON, hexadecimal digits.
    #[serde(serialize_with = "hexadecimal")]
    pub rgb: Vec<u8>,
}

fn hexadecimal<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let text: String = digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect();
    serializer.serialize_str(&text)
}

/// Describes a message; the names of its types are left empty.
pub(crate) fn describe(message: &Message) -> MessageView {
    let payloads = message.payloads().take(PAYLOADS);
    MessageView {
        acquired_ns: message.timestamp().map(|stamp| stamp.acqtime),
        payloads: payloads.map(|payload| view(message, &payload)).collect(),
        more: message.len().saturating_sub(PAYLOADS),
    }
}

fn view(message: &Message, payload: &PayloadInfo<'_>) -> PayloadView {
    let mut view =
        PayloadView { name: payload.name.to_owned(), tid: payload.tid, ..PayloadView::default() };
    if payload.tid == <Tensor as gxf::Payload>::TID
        && let Some(tensor) = message.try_get::<Tensor>(payload.name)
    {
        describe_tensor(tensor, &mut view);
    } else if payload.tid == <VideoBuffer as gxf::Payload>::TID
        && let Some(frame) = message.try_get::<VideoBuffer>(payload.name)
    {
        describe_frame(frame, &mut view);
    } else if payload.tid == <AudioBuffer as gxf::Payload>::TID
        && let Some(sound) = message.try_get::<AudioBuffer>(payload.name)
    {
        let info = sound.info();
        let (channels, samples, rate) = (info.channels, info.samples, info.sampling_rate);
        view.text = format!("{channels} channels of {samples} samples, {rate} Hz");
    } else if payload.tid == <gxf::Timestamp as gxf::Payload>::TID
        && let Some(stamp) = message.try_get::<gxf::Timestamp>(payload.name)
    {
        view.text = format!("acquired {} ns, published {} ns", stamp.acqtime, stamp.pubtime);
    } else if payload.tid == <EndOfStream as gxf::Payload>::TID {
        view.text = "end of the stream".to_owned();
    } else {
        view.text = scalar(message, payload).unwrap_or_else(|| format!("{} bytes", payload.size));
    }
    view
}

fn scalar(message: &Message, payload: &PayloadInfo<'_>) -> Option<String> {
    macro_rules! first_of {
        ($($type:ty),*) => {
            $(
                if payload.tid == <$type as gxf::Payload>::TID {
                    return Some(message.try_get::<$type>(payload.name)?.to_string());
                }
            )*
        };
    }
    first_of!(f64, f32, i64, u64, i32, u32, i16, u16, i8, u8, bool);
    None
}

fn describe_tensor(tensor: &Tensor, view: &mut PayloadView) {
    view.text = tensor.to_string();
    let Ok(bytes) = tensor.bytes() else { return };
    if tensor.element_type() == PrimitiveType::INT8
        && tensor.rank() == 1
        && tensor.is_contiguous()
        && let Some(text) = texts(bytes)
    {
        view.text = text;
        return;
    }
    let count = tensor.element_count().unwrap_or(0);
    let element = tensor.element_type();
    if count == 0 || number(element, bytes, 0).is_none() {
        return;
    }
    let step = count.div_ceil(ELEMENTS).max(1);
    let places = (0..count).step_by(usize::try_from(step).unwrap_or(usize::MAX));
    let read = places.filter_map(|place| number(element, bytes, offset(tensor, place)));
    let read: Vec<f64> = read.collect();
    let known = || read.iter().copied().filter(|number| !number.is_nan());
    let numbers = NumbersView {
        minimum: known().fold(f64::INFINITY, f64::min),
        maximum: known().fold(f64::NEG_INFINITY, f64::max),
        mean: known().sum::<f64>() / known().count() as f64,
        missing: (read.len() - known().count()) as u64,
        read: read.len() as u64,
    };
    if read.len() <= LISTED && step == 1 {
        let texts: Vec<String> = read.iter().map(f64::to_string).collect();
        view.text = format!("{}: {}", view.text, texts.join(" "));
    }
    view.picture = tensor_picture(tensor, bytes, &numbers);
    view.numbers = Some(numbers);
}

/// The beginning of a text, if the bytes are lines.
fn texts(bytes: &[u8]) -> Option<String> {
    if bytes.last().is_some_and(|last| *last != b'\n') {
        return None;
    }
    // A character may be cut at the end.
    let begin = &bytes[..bytes.len().min(4 * CHARACTERS)];
    let text = match std::str::from_utf8(begin) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() && begin.len() < bytes.len() => {
            std::str::from_utf8(&begin[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    Some(text.chars().take(CHARACTERS).collect())
}

/// Distance of an element, by its position, from the first byte.
fn offset(tensor: &Tensor, mut place: u64) -> u64 {
    let mut offset = 0;
    for (length, stride) in tensor.shape().dimensions().iter().zip(tensor.strides()).rev() {
        let length = u64::from(length.unsigned_abs()).max(1);
        offset += place % length * stride;
        place /= length;
    }
    offset
}

/// The number at an offset; `None` if elements are no real numbers.
fn number(element: PrimitiveType, bytes: &[u8], offset: u64) -> Option<f64> {
    let begin = usize::try_from(offset).ok()?;
    let bytes = bytes.get(begin..)?;
    macro_rules! of {
        ($type:ty) => {
            <$type>::from_ne_bytes(*bytes.first_chunk()?) as f64
        };
    }
    Some(match element {
        PrimitiveType::FLOAT64 => of!(f64),
        PrimitiveType::FLOAT32 => of!(f32),
        PrimitiveType::FLOAT16 => half::f16::from_ne_bytes(*bytes.first_chunk()?).to_f64(),
        PrimitiveType::BFLOAT16 => half::bf16::from_ne_bytes(*bytes.first_chunk()?).to_f64(),
        PrimitiveType::INT64 => of!(i64),
        PrimitiveType::UNSIGNED64 => of!(u64),
        PrimitiveType::INT32 => of!(i32),
        PrimitiveType::UNSIGNED32 => of!(u32),
        PrimitiveType::INT16 => of!(i16),
        PrimitiveType::UNSIGNED16 => of!(u16),
        PrimitiveType::INT8 => of!(i8),
        PrimitiveType::UNSIGNED8 => of!(u8),
        _ => return None,
    })
}

/// A tensor of height, width and perhaps 1, 3 or 4 channels as a picture. Values other than `uint8`
/// are spread over all greys.
fn tensor_picture(tensor: &Tensor, bytes: &[u8], numbers: &NumbersView) -> Option<Picture> {
    let (height, width, channels) = match tensor.shape().dimensions() {
        [height, width] => (*height, *width, 1),
        [height, width, channels @ (1 | 3 | 4)] => (*height, *width, *channels),
        _ => return None,
    };
    if height < SMALLEST || width < SMALLEST {
        return None;
    }
    let element = tensor.element_type();
    let span = numbers.maximum - numbers.minimum;
    let strides = tensor.strides();
    let channel_stride = if tensor.rank() > 2 { strides[2] } else { 0 };
    Picture::of(height.unsigned_abs(), width.unsigned_abs(), |y, x| {
        let first = u64::from(y) * strides[0] + u64::from(x) * strides[1];
        [0, 1, 2].map(|channel| {
            let channel = if channels == 1 { 0 } else { channel };
            let value = number(element, bytes, first + channel * channel_stride).unwrap_or(0.0);
            match element {
                PrimitiveType::UNSIGNED8 => value as u8,
                _ if span > 0.0 => ((value - numbers.minimum) / span * 255.0) as u8,
                _ => 0,
            }
        })
    })
}

fn describe_frame(frame: &VideoBuffer, view: &mut PayloadView) {
    let info = frame.info();
    let traits = traits_of(info.color_format);
    let planes: Vec<_> = frame.planes().iter().map(color_space).collect();
    let format = traits.map_or_else(|| planes.join(" "), |traits| traits.name.to_owned());
    view.text = format!("{} x {} pixels, {format}", info.width, info.height);
    view.picture = traits.and_then(|traits| frame_picture(frame, traits));
}

/// The first plane of a frame, in colour if that has all colours.
fn frame_picture(frame: &VideoBuffer, traits: &FormatTraits) -> Option<Picture> {
    if traits.element_type != PrimitiveType::UNSIGNED8 {
        return None;
    }
    let plane = frame.planes().first()?;
    let bytes = frame.plane_bytes(0).ok()?;
    let colors = match traits.name {
        "RGB" | "RGBA" | "RGBX" => [0, 1, 2],
        "BGR" | "BGRA" | "BGRX" => [2, 1, 0],
        "ARGB" | "XRGB" => [1, 2, 3],
        "ABGR" | "XBGR" => [3, 2, 1],
        _ => [0; 3],
    };
    let (stride, pixel) = (plane.stride as usize, usize::from(plane.bytes_per_pixel));
    Picture::of(plane.height, plane.width, |y, x| {
        let first = y as usize * stride + x as usize * pixel;
        colors.map(|color| bytes.get(first + color).copied().unwrap_or(0))
    })
}

impl Picture {
    /// Takes every so many pixels of a larger picture.
    fn of(height: u32, width: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Option<Self> {
        let longest = height.max(width);
        if height == 0 || width == 0 {
            return None;
        }
        let fitted = |length: u32| match longest <= SIDE {
            true => length,
            false => (u64::from(length) * u64::from(SIDE) / u64::from(longest)).max(1) as u32,
        };
        let (own_height, own_width) = (fitted(height), fitted(width));
        let mut rgb = Vec::with_capacity((own_height * own_width * 3) as usize);
        let at = |place: u32, own: u32, all: u32| {
            (u64::from(place) * u64::from(all) / u64::from(own)) as u32
        };
        for y in 0..own_height {
            for x in 0..own_width {
                rgb.extend(pixel(at(y, own_height, height), at(x, own_width, width)));
            }
        }
        Some(Self { width: own_width, height: own_height, rgb })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewed(tensor: &Tensor) -> PayloadView {
        let mut view = PayloadView::default();
        describe_tensor(tensor, &mut view);
        view
    }

    #[test]
    fn small_tensors_are_listed() {
        let view = viewed(&Tensor::from_vec(&[3], vec![1.5f32, f32::NAN, -2.0]).unwrap());
        assert_eq!(view.text, "float32 tensor of 3 in system memory: 1.5 NaN -2");
        let numbers = view.numbers.unwrap();
        assert_eq!((numbers.minimum, numbers.maximum, numbers.mean), (-2.0, 1.5, -0.25));
        assert_eq!((numbers.missing, numbers.read), (1, 3));
    }

    #[test]
    fn large_tensors_are_read_in_part() {
        let view = viewed(&Tensor::from_vec(&[1 << 18], vec![7i64; 1 << 18]).unwrap());
        let numbers = view.numbers.unwrap();
        assert_eq!((numbers.mean, numbers.read), (7.0, ELEMENTS));
        assert!(view.picture.is_none());
    }

    #[test]
    fn views_are_read_by_their_strides() {
        let mut tensor = Tensor::from_vec(&[3, 2], vec![1u8, 9, 2, 9, 3, 9]).unwrap();
        let column = tensor.share().unwrap().select(1, 0).unwrap();
        let numbers = viewed(&column).numbers.unwrap();
        assert_eq!((numbers.minimum, numbers.maximum), (1.0, 3.0));
    }

    #[test]
    fn pictures_are_small() {
        let bytes: Vec<u8> = (0..256 * 512).flat_map(|pixel| [(pixel / 512) as u8, 2, 3]).collect();
        let view = viewed(&Tensor::from_vec(&[256, 512, 3], bytes).unwrap());
        let picture = view.picture.unwrap();
        assert_eq!((picture.height, picture.width), (64, 128));
        assert_eq!(picture.rgb[..3], [0, 2, 3]);
        assert_eq!(picture.rgb[picture.rgb.len() - 3..], [252, 2, 3]);
        assert_eq!(
            serde_json::to_value(&picture).unwrap()["rgb"].as_str().unwrap()[..6],
            *"000203"
        );
    }

    #[test]
    fn depths_become_greys() {
        let depths: Vec<f32> = (0..64).map(|place| place as f32 / 10.0).collect();
        let picture = viewed(&Tensor::from_vec(&[8, 8], depths).unwrap()).picture.unwrap();
        assert_eq!((picture.rgb[0], picture.rgb[picture.rgb.len() - 1]), (0, 255));
    }

    #[test]
    fn lines_are_texts() {
        let lines = |text: &str| {
            let bytes: Vec<i8> = text.bytes().map(u8::cast_signed).collect();
            viewed(&Tensor::from_vec(&[bytes.len() as i32], bytes).unwrap()).text
        };
        assert_eq!(lines("one\ntwo\n"), "one\ntwo\n");
        assert!(lines("one").starts_with("int8 tensor of 3"));
        assert_eq!(lines(&format!("{}\n", "ö".repeat(10_000))), "ö".repeat(CHARACTERS));
    }
}
