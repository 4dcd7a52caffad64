//! Tensors as messages in Protocol Buffers.

use crate::Error;
use crate::foxglove::{Image, bytes_of, compressed_part, image_of, image_part, log_part};
use crate::protobuf::{Value, Writer, fields, unpacked};
use crate::schema::{COMPRESSED_SCHEMA, IMAGE, IMAGE_SCHEMA, LOG_SCHEMA, TENSOR};
use crate::writer::Part;
use std::borrow::Cow;

/// A tensor without gaps between its elements.
#[derive(Debug, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// GXF's name of the element type.
    pub element_type: String,
    /// Its dimensions.
    pub dimensions: Vec<i32>,
    /// Its elements.
    pub bytes: Cow<'a, [u8]>,
}

/// Foxglove's names for pictures with so many channels of `uint8`.
const ENCODINGS: [(i32, &str); 3] = [(1, "mono8"), (3, "rgb8"), (4, "rgba8")];

/// A tensor as a part; `time` is the log time in nanoseconds.
#[must_use]
pub fn part_of(element_type: &str, dimensions: &[i32], bytes: &[u8], time: u64) -> Part {
    let shown = match (element_type, dimensions) {
        ("uint8", [height, width, channels]) => {
            let known = ENCODINGS.iter().find(|(known, _)| known == channels);
            known.map(|(_, encoding)| {
                let (width, height, step) =
                    (*width as u32, *height as u32, (width * channels) as u32);
                image_part(IMAGE, &Image { width, height, encoding, step, bytes }, time)
            })
        }
        ("uint8", [_]) => compressed_part(bytes, time),
        ("int8", [_]) => log_part(bytes, time),
        _ => None,
    };
    shown.unwrap_or_else(|| {
        let mut data = Writer(Vec::with_capacity(bytes.len() + 64));
        data.bytes(1, element_type.as_bytes());
        data.packed(2, dimensions.iter().map(|length| *length as u64));
        data.bytes(3, bytes);
        Part { kind: TENSOR, data: data.0 }
    })
}

/// The tensor of a part with a schema of tensors. Whether the number of bytes is that of the
/// dimensions is not checked.
///
/// # Errors
/// The part is damaged.
pub fn tensor_of<'a>(schema: &str, data: &'a [u8]) -> Result<Tensor<'a>, Error> {
    let length = |bytes: &[u8]| i32::try_from(bytes.len()).map_err(|_| Error::TooLarge);
    let of = |element_type: &str, dimensions: Vec<i32>, bytes: Cow<'a, [u8]>| Tensor {
        element_type: element_type.to_owned(),
        dimensions,
        bytes,
    };
    match schema {
        IMAGE_SCHEMA => {
            let image = image_of(data)?;
            let known = ENCODINGS.iter().find(|(_, encoding)| *encoding == image.encoding);
            let (channels, _) = *known.ok_or(Error::Damaged)?;
            let size = |length: u32| i32::try_from(length).map_err(|_| Error::TooLarge);
            let dimensions = vec![size(image.height)?, size(image.width)?, channels];
            Ok(of("uint8", dimensions, image.bytes.into()))
        }
        COMPRESSED_SCHEMA => {
            let bytes = bytes_of(data, 2)?;
            Ok(of("uint8", vec![length(bytes)?], bytes.into()))
        }
        LOG_SCHEMA => {
            let text = [bytes_of(data, 3)?, b"\n"].concat();
            Ok(of("int8", vec![length(&text)?], text.into()))
        }
        _ => {
            let mut tensor = of("uint8", Vec::new(), Cow::default());
            let dimension = |length: u64| i32::try_from(length).map_err(|_| Error::TooLarge);
            for (number, value) in fields(data)? {
                match (number, value) {
                    (1, Value::Bytes(name)) => {
                        tensor.element_type = String::from_utf8_lossy(name).into_owned();
                    }
                    (2, Value::Bytes(packed)) => {
                        let lengths = unpacked(packed)?.into_iter().map(dimension);
                        tensor.dimensions = lengths.collect::<Result<_, _>>()?;
                    }
                    (2, Value::Integer(length)) => tensor.dimensions.push(dimension(length)?),
                    (3, Value::Bytes(bytes)) => tensor.bytes = bytes.into(),
                    _ => {}
                }
            }
            Ok(tensor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::TENSOR_SCHEMA;

    #[test]
    fn tensors_come_back() {
        let counted: Vec<u8> = (0..24).collect();
        let png = b"\x89PNG\r\n\x1a\n................";
        let (lines, cut) = (b"two lines\nare a log text\n", b"a text without an end....");
        for (element_type, dimensions, schema, bytes) in [
            ("uint8", vec![2, 4, 3], IMAGE_SCHEMA, &counted[..]),
            ("uint8", vec![24], TENSOR_SCHEMA, &counted),
            ("uint8", vec![24], COMPRESSED_SCHEMA, png),
            ("int8", vec![25], LOG_SCHEMA, lines),
            ("int8", vec![25], TENSOR_SCHEMA, cut),
            ("float64", vec![3, 1], TENSOR_SCHEMA, &counted),
        ] {
            let part = part_of(element_type, &dimensions, bytes, 1_500_000_000);
            assert_eq!(part.kind.schema, schema);
            let element_type = element_type.to_owned();
            let expected = Tensor { element_type, dimensions, bytes: bytes.into() };
            assert_eq!(tensor_of(schema, &part.data).unwrap(), expected);
        }
    }
}
