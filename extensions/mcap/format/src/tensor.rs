//! Tensors as messages in Protocol Buffers.

use crate::Error;
use crate::protobuf::{Value, Writer, fields, unpacked};
use crate::schema::{IMAGE, IMAGE_SCHEMA, TENSOR};
use crate::writer::Part;

/// A tensor without gaps between its elements.
#[derive(Debug, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// GXF's name of the element type.
    pub element_type: String,
    /// Its dimensions.
    pub dimensions: Vec<i32>,
    /// Its elements.
    pub bytes: &'a [u8],
}

/// A tensor as a part; `time` is the log time in nanoseconds.
#[must_use]
pub fn part_of(element_type: &str, dimensions: &[i32], bytes: &[u8], time: u64) -> Part {
    let mut data = Writer(Vec::with_capacity(bytes.len() + 64));
    if let ("uint8", [height, width, channels @ (1 | 3 | 4)]) = (element_type, dimensions) {
        let mut stamp = Writer::default();
        stamp.integer(1, time / 1_000_000_000).integer(2, time % 1_000_000_000);
        let encoding = match channels {
            1 => "mono8",
            3 => "rgb8",
            _ => "rgba8",
        };
        data.bytes(1, &stamp.0).fixed32(2, *width as u32).fixed32(3, *height as u32);
        data.bytes(4, encoding.as_bytes()).fixed32(5, (*width * *channels) as u32);
        data.bytes(6, bytes);
        return Part { kind: IMAGE, data: data.0 };
    }
    data.bytes(1, element_type.as_bytes());
    data.packed(2, dimensions.iter().map(|length| *length as u64));
    data.bytes(3, bytes);
    Part { kind: TENSOR, data: data.0 }
}

/// The tensor of a part with the schema `gxe.Tensor` or `foxglove.RawImage`. Whether the number of
/// bytes is that of the dimensions is not checked.
///
/// # Errors
/// The part is damaged.
pub fn tensor_of<'a>(schema: &str, data: &'a [u8]) -> Result<Tensor<'a>, Error> {
    let mut element_type = "uint8".to_owned();
    let (mut dimensions, mut bytes) = (Vec::new(), &[][..]);
    let (mut width, mut height, mut channels) = (0, 0, 0);
    let is_image = schema == IMAGE_SCHEMA;
    for (number, value) in fields(data)? {
        match (is_image, number, value) {
            (true, 2, Value::Integer(value)) => width = value,
            (true, 3, Value::Integer(value)) => height = value,
            (true, 4, Value::Bytes(b"mono8")) => channels = 1,
            (true, 4, Value::Bytes(b"rgb8")) => channels = 3,
            (true, 4, Value::Bytes(b"rgba8")) => channels = 4,
            (true, 6, Value::Bytes(value)) | (false, 3, Value::Bytes(value)) => bytes = value,
            (false, 1, Value::Bytes(name)) => {
                element_type = String::from_utf8_lossy(name).into_owned();
            }
            (false, 2, Value::Bytes(packed)) => dimensions = unpacked(packed)?,
            (false, 2, Value::Integer(length)) => dimensions.push(length),
            _ => {}
        }
    }
    if is_image {
        dimensions = vec![height, width, channels];
    }
    let dimensions = dimensions.into_iter().map(i32::try_from).collect::<Result<_, _>>();
    let dimensions = dimensions.map_err(|_| Error::TooLarge)?;
    Ok(Tensor { element_type, dimensions, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::TENSOR_SCHEMA;

    #[test]
    fn tensors_come_back() {
        let bytes: Vec<u8> = (0..24).collect();
        for (element_type, dimensions, schema) in [
            ("uint8", vec![2, 4, 3], IMAGE_SCHEMA),
            ("uint8", vec![24], TENSOR_SCHEMA),
            ("float64", vec![3, 1], TENSOR_SCHEMA),
        ] {
            let part = part_of(element_type, &dimensions, &bytes, 1_500_000_000);
            assert_eq!(part.kind.schema, schema);
            let element_type = element_type.to_owned();
            let expected = Tensor { element_type, dimensions, bytes: &bytes };
            assert_eq!(tensor_of(schema, &part.data).unwrap(), expected);
        }
    }
}
