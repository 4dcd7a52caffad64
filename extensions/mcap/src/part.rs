//! Payloads to messages of MCAP and back.
//!
//! | payload | encoding | schema |
//! |---|---|---|
//! | a number | JSON | `gxe.Number`: `value` |
//! | a tensor of `uint8` with height, width and 1, 3 or 4 | Protocol Buffers | `foxglove.RawImage` |
//! | any other tensor | Protocol Buffers | `gxe.Tensor`: `element_type`, `shape`, `data` |
//! | the end of a stream | JSON | `gxe.EndOfStream`: `stream_id` |
//!
//! The channel's metadata has the name of the payload (`gxe.payload`), its type (`gxe.type`) and the
//! topic (`gxe.topic`).

use crate::protobuf::{Field, Type, Value, Writer, fields, file, file_set, unpacked};
use gxe_columns::bad_data;
use gxf::{
    EndOfStream, MemoryBuffer, Message, Payload, PayloadInfo, PrimitiveType, Result, Shape, Tensor,
};

/// What a channel says about its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Type of the payload, for replays.
    pub payload_type: &'static str,
    /// Encoding of the messages.
    pub encoding: &'static str,
    /// Name of the schema.
    pub schema: &'static str,
}

/// A payload as a message of MCAP.
pub struct Part {
    /// The channel it needs.
    pub kind: Kind,
    /// Its bytes.
    pub data: Vec<u8>,
}

const TENSOR: Kind =
    Kind { payload_type: "nvidia::gxf::Tensor", encoding: "protobuf", schema: "gxe.Tensor" };
const IMAGE: Kind =
    Kind { payload_type: "nvidia::gxf::Tensor", encoding: "protobuf", schema: "foxglove.RawImage" };
const END: Kind =
    Kind { payload_type: "nvidia::gxf::EndOfStream", encoding: "json", schema: "gxe.EndOfStream" };

/// The schema of that name: its encoding and its text.
pub fn schema(name: &str) -> (&'static str, Vec<u8>) {
    const TIMESTAMP: &[Field] =
        &[(1, "seconds", Type::Int64, false), (2, "nanos", Type::Int32, false)];
    const RAW_IMAGE: &[Field] = &[
        (1, "timestamp", Type::Message(".google.protobuf.Timestamp"), false),
        (7, "frame_id", Type::Text, false),
        (2, "width", Type::Fixed32, false),
        (3, "height", Type::Fixed32, false),
        (4, "encoding", Type::Text, false),
        (5, "step", Type::Fixed32, false),
        (6, "data", Type::Bytes, false),
    ];
    const OF_TENSOR: &[Field] = &[
        (1, "element_type", Type::Text, false),
        (2, "shape", Type::Int32, true),
        (3, "data", Type::Bytes, false),
    ];
    let json = |key: &str, kind: &str| {
        format!(
            "{{\"type\":\"object\",\"title\":\"{name}\",\
             \"properties\":{{\"{key}\":{{\"type\":{kind}}}}}}}"
        )
        .into_bytes()
    };
    match name {
        "foxglove.RawImage" => {
            let time = "google/protobuf/timestamp.proto";
            let files = [
                file(time, "google.protobuf", "Timestamp", TIMESTAMP, &[]),
                file("foxglove/RawImage.proto", "foxglove", "RawImage", RAW_IMAGE, &[time]),
            ];
            ("protobuf", file_set(&files))
        }
        "gxe.Tensor" => {
            ("protobuf", file_set(&[file("gxe/Tensor.proto", "gxe", "Tensor", OF_TENSOR, &[])]))
        }
        "gxe.Number" => ("jsonschema", json("value", "[\"number\",\"null\"]")),
        _ => ("jsonschema", json("stream_id", "\"integer\"")),
    }
}

macro_rules! numbers {
    ($($type:ident $name:literal),*) => {
        /// A number, with the digits it takes to read it again.
        fn number(message: &Message, payload: &PayloadInfo<'_>) -> Option<Part> {
            $(
                if payload.tid == <$type as Payload>::TID {
                    let value = *message.try_get::<$type>(payload.name)?;
                    let value = serde_json::Value::from(value);
                    return Some(Part {
                        kind: Kind { payload_type: $name, encoding: "json", schema: "gxe.Number" },
                        data: format!("{{\"value\":{value}}}").into_bytes(),
                    });
                }
            )*
            None
        }

        /// Adds a number that was recorded; `false` if the type is not one of a number.
        fn add_number(
            message: &mut Message,
            name: &str,
            payload_type: &str,
            value: &serde_json::Value,
        ) -> Result<bool> {
            $(
                if payload_type == $name {
                    message.add::<$type>(name, $type::of_json(value)?)?;
                    return Ok(true);
                }
            )*
            Ok(false)
        }
    };
}

numbers! {
    f64 "double", f32 "float", i64 "int64_t", u64 "uint64_t", i32 "int32_t", u32 "uint32_t",
    i16 "int16_t", u16 "uint16_t", i8 "int8_t", u8 "uint8_t", bool "bool"
}

/// A number that JSON can say.
trait OfJson: Sized {
    fn of_json(value: &serde_json::Value) -> Result<Self>;
}

macro_rules! of_json {
    ($($type:ty: $value:ident => $result:expr;)*) => {$(
        impl OfJson for $type {
            fn of_json($value: &serde_json::Value) -> Result<Self> {
                let read: Option<$type> = $result;
                read.ok_or_else(|| bad_data(format!("{} is no {}", $value, stringify!($type))))
            }
        }
    )*};
}

of_json! {
    f64: value => if value.is_null() { Some(f64::NAN) } else { value.as_f64() };
    f32: value => if value.is_null() { Some(f32::NAN) } else { value.as_f64().map(|v| v as f32) };
    i64: value => value.as_i64();
    u64: value => value.as_u64();
    i32: value => value.as_i64().and_then(|value| value.try_into().ok());
    u32: value => value.as_u64().and_then(|value| value.try_into().ok());
    i16: value => value.as_i64().and_then(|value| value.try_into().ok());
    u16: value => value.as_u64().and_then(|value| value.try_into().ok());
    i8: value => value.as_i64().and_then(|value| value.try_into().ok());
    u8: value => value.as_u64().and_then(|value| value.try_into().ok());
    bool: value => value.as_bool();
}

/// A payload as a message of MCAP; `None` if it has no form of its own. `time` is the log time.
pub fn part_of(message: &Message, payload: &PayloadInfo<'_>, time: u64) -> Result<Option<Part>> {
    if payload.tid == EndOfStream::TID {
        let end = message.get::<EndOfStream>(payload.name)?;
        let data = format!("{{\"stream_id\":{}}}", end.stream_id).into_bytes();
        return Ok(Some(Part { kind: END, data }));
    }
    if payload.tid != Tensor::TID {
        return Ok(number(message, payload));
    }
    let tensor = message.get::<Tensor>(payload.name)?;
    if tensor.element_type() == PrimitiveType::CUSTOM || !tensor.is_contiguous() {
        return Ok(None);
    }
    let bytes = tensor.bytes()?;
    let dimensions = tensor.shape().dimensions();
    let mut data = Writer(Vec::with_capacity(bytes.len() + 64));
    if let (PrimitiveType::UNSIGNED8, [height, width, channels @ (1 | 3 | 4)]) =
        (tensor.element_type(), dimensions)
    {
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
        return Ok(Some(Part { kind: IMAGE, data: data.0 }));
    }
    data.bytes(1, tensor.element_type().name().as_bytes());
    data.packed(2, dimensions.iter().map(|length| *length as u64));
    data.bytes(3, bytes);
    Ok(Some(Part { kind: TENSOR, data: data.0 }))
}

/// Adds a recorded payload to a message.
pub fn add_part(
    message: &mut Message,
    name: &str,
    payload_type: &str,
    schema: &str,
    data: &[u8],
) -> Result<()> {
    match schema {
        "gxe.Number" | "gxe.EndOfStream" => {
            let object: serde_json::Value = serde_json::from_slice(data)
                .map_err(|error| bad_data(format!("a number of the recording: {error}")))?;
            if schema == "gxe.EndOfStream" {
                let stream_id = object["stream_id"].as_i64().unwrap_or(-1);
                message.add(name, EndOfStream { stream_id })?;
            } else if !add_number(message, name, payload_type, &object["value"])? {
                return Err(bad_data(format!("no number has the type `{payload_type}`")));
            }
        }
        "gxe.Tensor" | "foxglove.RawImage" => {
            message.add(name, tensor_of(schema, data)?)?;
        }
        _ => return Err(bad_data(format!("no payload has the schema `{schema}`"))),
    }
    Ok(())
}

fn tensor_of(schema: &str, data: &[u8]) -> Result<Tensor> {
    let (mut dimensions, mut element) = (Vec::new(), PrimitiveType::UNSIGNED8);
    let (mut width, mut height, mut channels, mut bytes) = (0, 0, 0, &[][..]);
    let is_image = schema == "foxglove.RawImage";
    for (number, value) in fields(data)? {
        match (is_image, number, value) {
            (true, 2, Value::Integer(value)) => width = value,
            (true, 3, Value::Integer(value)) => height = value,
            (true, 4, Value::Bytes(b"mono8")) => channels = 1,
            (true, 4, Value::Bytes(b"rgb8")) => channels = 3,
            (true, 4, Value::Bytes(b"rgba8")) => channels = 4,
            (true, 6, Value::Bytes(value)) | (false, 3, Value::Bytes(value)) => bytes = value,
            (false, 1, Value::Bytes(name)) => element = element_type(name)?,
            (false, 2, Value::Bytes(packed)) => dimensions = unpacked(packed)?,
            (false, 2, Value::Integer(length)) => dimensions.push(length),
            _ => {}
        }
    }
    if is_image {
        dimensions = vec![height, width, channels];
    }
    let dimensions =
        dimensions.into_iter().map(i32::try_from).collect::<std::result::Result<Vec<_>, _>>();
    let dimensions = dimensions.map_err(|_| bad_data("a tensor of the recording is too large"))?;
    // The memory of a vector of `u64` is aligned for every element type.
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(padded);
    }
    let memory = MemoryBuffer::from_vec(words);
    Tensor::from_memory(Shape::new(&dimensions)?, element, element.size(), None, memory)
}

/// The element type with a name.
fn element_type(name: &[u8]) -> Result<PrimitiveType> {
    let known = (0..32).map(PrimitiveType);
    let mut found = known.filter(|known| known.size() > 0 && known.name().as_bytes() == name);
    found.next().ok_or_else(|| {
        bad_data(format!("no element type is named `{}`", String::from_utf8_lossy(name)))
    })
}
