//! The kinds of channels and their schemas.

use crate::protobuf::{Field, Type, file, file_set};

/// What a channel says about its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Type of the payload, for replays.
    pub payload_type: &'static str,
    /// Encoding of the messages.
    pub encoding: &'static str,
    /// Name of the schema; empty for none.
    pub schema: &'static str,
}

/// Name of the schema of numbers.
pub const NUMBER_SCHEMA: &str = "gxe.Number";
/// Name of the schema of tensors.
pub const TENSOR_SCHEMA: &str = "gxe.Tensor";
/// Name of the schema of pictures, which is Foxglove's.
pub const IMAGE_SCHEMA: &str = "foxglove.RawImage";
/// Name of the schema of ends of streams.
pub const END_SCHEMA: &str = "gxe.EndOfStream";

/// A tensor.
pub const TENSOR: Kind =
    Kind { payload_type: "nvidia::gxf::Tensor", encoding: "protobuf", schema: TENSOR_SCHEMA };
/// A tensor that is a picture.
pub const IMAGE: Kind =
    Kind { payload_type: "nvidia::gxf::Tensor", encoding: "protobuf", schema: IMAGE_SCHEMA };
/// The end of a stream.
pub const END: Kind =
    Kind { payload_type: "nvidia::gxf::EndOfStream", encoding: "json", schema: END_SCHEMA };
/// A whole message.
pub const WHOLE: Kind = Kind { payload_type: "", encoding: "gxf", schema: "" };

/// A number of this type, by its name in C++.
#[must_use]
pub fn number(payload_type: &'static str) -> Kind {
    Kind { payload_type, encoding: "json", schema: NUMBER_SCHEMA }
}

/// The schema of that name: its encoding and its text.
pub(crate) fn schema(name: &str) -> (&'static str, Vec<u8>) {
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
        IMAGE_SCHEMA => {
            let time = "google/protobuf/timestamp.proto";
            let files = [
                file(time, "google.protobuf", "Timestamp", TIMESTAMP, &[]),
                file("foxglove/RawImage.proto", "foxglove", "RawImage", RAW_IMAGE, &[time]),
            ];
            ("protobuf", file_set(&files))
        }
        TENSOR_SCHEMA => {
            ("protobuf", file_set(&[file("gxe/Tensor.proto", "gxe", "Tensor", OF_TENSOR, &[])]))
        }
        NUMBER_SCHEMA => ("jsonschema", json("value", "[\"number\",\"null\"]")),
        _ => ("jsonschema", json("stream_id", "\"integer\"")),
    }
}
