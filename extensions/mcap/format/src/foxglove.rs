//! Payloads in Foxglove's messages: pictures, pictures in a file format, texts.

use crate::Error;
use crate::protobuf::{Value, Writer, fields};
use crate::schema::{COMPRESSED, Kind, LOG};
use crate::writer::Part;

/// A picture of `foxglove.RawImage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Image<'a> {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Foxglove's name for the arrangement of the pixels, such as `rgb8`.
    pub encoding: &'a str,
    /// Distance between rows in bytes.
    pub step: u32,
    /// The rows.
    pub bytes: &'a [u8],
}

/// A `google.protobuf.Timestamp`.
fn stamp(time: u64) -> Vec<u8> {
    let mut stamp = Writer::default();
    stamp.integer(1, time / 1_000_000_000).integer(2, time % 1_000_000_000);
    stamp.0
}

/// A picture as a part of this kind; `time` is the log time in nanoseconds.
#[must_use]
pub fn image_part(kind: Kind, image: &Image<'_>, time: u64) -> Part {
    let mut data = Writer(Vec::with_capacity(image.bytes.len() + 64));
    data.bytes(1, &stamp(time)).fixed32(2, image.width).fixed32(3, image.height);
    data.bytes(4, image.encoding.as_bytes()).fixed32(5, image.step).bytes(6, image.bytes);
    Part { kind, data: data.0 }
}

/// The picture of a part with the schema `foxglove.RawImage`.
///
/// # Errors
/// The part is damaged.
pub fn image_of(data: &[u8]) -> Result<Image<'_>, Error> {
    let mut image = Image::default();
    for (number, value) in fields(data)? {
        match (number, value) {
            (2 | 3 | 5, Value::Integer(value)) => {
                let value = u32::try_from(value).map_err(|_| Error::TooLarge)?;
                match number {
                    2 => image.width = value,
                    3 => image.height = value,
                    _ => image.step = value,
                }
            }
            (4, Value::Bytes(name)) => {
                image.encoding = str::from_utf8(name).map_err(|_| Error::Damaged)?;
            }
            (6, Value::Bytes(bytes)) => image.bytes = bytes,
            _ => {}
        }
    }
    Ok(image)
}

/// The content of a picture file as a part, if Foxglove shows its format.
pub(crate) fn compressed_part(bytes: &[u8], time: u64) -> Option<Part> {
    let format = match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => "png",
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        _ => return None,
    };
    let mut data = Writer(Vec::with_capacity(bytes.len() + 32));
    data.bytes(1, &stamp(time)).bytes(2, bytes).bytes(3, format.as_bytes());
    Some(Part { kind: COMPRESSED, data: data.0 })
}

/// Texts, each of which ends with a newline, as a part.
pub(crate) fn log_part(bytes: &[u8], time: u64) -> Option<Part> {
    const INFO: u64 = 2;
    let text = bytes.strip_suffix(b"\n").filter(|text| str::from_utf8(text).is_ok())?;
    let mut data = Writer::default();
    data.bytes(1, &stamp(time)).integer(2, INFO).bytes(3, text);
    Some(Part { kind: LOG, data: data.0 })
}

/// The bytes of the field with this number.
pub(crate) fn bytes_of(data: &[u8], wanted: u32) -> Result<&[u8], Error> {
    let found = fields(data)?.into_iter().find_map(|(number, value)| match value {
        Value::Bytes(bytes) if number == wanted => Some(bytes),
        _ => None,
    });
    found.ok_or(Error::Damaged)
}
