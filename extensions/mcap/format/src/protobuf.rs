//! The few parts of Protocol Buffers that recordings take: <https://protobuf.dev/programming-guides/encoding>.

use crate::Error;

/// A message in the making.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// An integer or an enumeration.
    pub fn integer(&mut self, field: u32, value: u64) -> &mut Self {
        self.varint(u64::from(field) << 3);
        self.varint(value);
        self
    }

    /// A text, bytes, or a message.
    pub fn bytes(&mut self, field: u32, value: &[u8]) -> &mut Self {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// A `fixed32`.
    pub fn fixed32(&mut self, field: u32, value: u32) -> &mut Self {
        self.varint(u64::from(field) << 3 | 5);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Packed integers.
    pub fn packed(&mut self, field: u32, values: impl Iterator<Item = u64>) -> &mut Self {
        let mut inner = Self::default();
        values.for_each(|value| inner.varint(value));
        self.bytes(field, &inner.0)
    }
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// An integer, also a fixed one.
    Integer(u64),
    /// A text, bytes, a message, or packed integers.
    Bytes(&'a [u8]),
}

/// The fields of a message.
pub fn fields(mut bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>, Error> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = read_varint(&mut bytes)?;
        let value = match tag & 7 {
            0 => Value::Integer(read_varint(&mut bytes)?),
            1 => Value::Integer(u64::from_le_bytes(fixed(&mut bytes)?)),
            2 => {
                let length =
                    usize::try_from(read_varint(&mut bytes)?).map_err(|_| Error::Damaged)?;
                let (value, rest) = bytes.split_at_checked(length).ok_or(Error::Damaged)?;
                bytes = rest;
                Value::Bytes(value)
            }
            5 => Value::Integer(u64::from(u32::from_le_bytes(fixed(&mut bytes)?))),
            _ => return Err(Error::Damaged),
        };
        fields.push((u32::try_from(tag >> 3).map_err(|_| Error::Damaged)?, value));
    }
    Ok(fields)
}

/// Packed integers.
pub fn unpacked(mut bytes: &[u8]) -> Result<Vec<u64>, Error> {
    let mut values = Vec::new();
    while !bytes.is_empty() {
        values.push(read_varint(&mut bytes)?);
    }
    Ok(values)
}

fn fixed<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Error> {
    let (value, rest) = bytes.split_first_chunk().ok_or(Error::Damaged)?;
    *bytes = rest;
    Ok(*value)
}

fn read_varint(bytes: &mut &[u8]) -> Result<u64, Error> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(Error::Damaged)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Error::Damaged)
}

/// A field of a message type: its number, name, type, and whether it repeats. The types are those
/// of `FieldDescriptorProto.Type`; for a message, its full name.
pub type Field = (u32, &'static str, Type, bool);

/// Type of a field.
#[derive(Clone, Copy)]
pub enum Type {
    /// `int64`
    Int64,
    /// `int32`
    Int32,
    /// `fixed32`
    Fixed32,
    /// `string`
    Text,
    /// `bytes`
    Bytes,
    /// An enumeration, by its full name with a leading dot.
    Enum(&'static str),
    /// A message, by its full name with a leading dot.
    Message(&'static str),
}

/// An enumeration within a message type: its name, and the names of its values, from 0.
pub type Enum = (&'static str, &'static [&'static str]);

/// One file with one message type, as a `FileDescriptorProto`.
pub fn file(
    path: &str,
    package: &str,
    message: &str,
    (fields, enums): (&[Field], &[Enum]),
    dependencies: &[&str],
) -> Vec<u8> {
    let mut inner = Writer::default();
    inner.bytes(1, message.as_bytes());
    for (number, name, kind, repeats) in fields {
        let mut field = Writer::default();
        field.bytes(1, name.as_bytes()).integer(3, u64::from(*number));
        field.integer(4, if *repeats { 3 } else { 1 });
        let code = match kind {
            Type::Int64 => 3,
            Type::Int32 => 5,
            Type::Fixed32 => 7,
            Type::Text => 9,
            Type::Message(_) => 11,
            Type::Bytes => 12,
            Type::Enum(_) => 14,
        };
        field.integer(5, code);
        if let Type::Message(name) | Type::Enum(name) = kind {
            field.bytes(6, name.as_bytes());
        }
        inner.bytes(2, &field.0);
    }
    for (name, values) in enums {
        let mut inner_enum = Writer::default();
        inner_enum.bytes(1, name.as_bytes());
        for (number, name) in (0..).zip(*values) {
            let mut value = Writer::default();
            value.bytes(1, name.as_bytes()).integer(2, number);
            inner_enum.bytes(2, &value.0);
        }
        inner.bytes(4, &inner_enum.0);
    }
    let mut file = Writer::default();
    file.bytes(1, path.as_bytes()).bytes(2, package.as_bytes());
    for dependency in dependencies {
        file.bytes(3, dependency.as_bytes());
    }
    file.bytes(4, &inner.0).bytes(12, b"proto3");
    file.0
}

/// A `FileDescriptorSet`.
pub fn file_set(files: &[Vec<u8>]) -> Vec<u8> {
    let mut set = Writer::default();
    for file in files {
        set.bytes(1, file);
    }
    set.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut message = Writer::default();
        message
            .integer(1, u64::MAX)
            .bytes(2, b"text")
            .fixed32(3, 7)
            .packed(4, [1, 300].into_iter());
        let read = fields(&message.0).unwrap();
        assert_eq!(read[0], (1, Value::Integer(u64::MAX)));
        assert_eq!(read[1], (2, Value::Bytes(b"text")));
        assert_eq!(read[2], (3, Value::Integer(7)));
        let (4, Value::Bytes(packed)) = read[3] else { panic!("{read:?}") };
        assert_eq!(unpacked(packed).unwrap(), [1, 300]);
        for end in 1..message.0.len() {
            // Cut anywhere, it is damaged or shorter, and never more.
            assert!(fields(&message.0[..end]).map_or(true, |fields| fields.len() < 4));
        }
    }
}
