//! The kinds of channels and their schemas.

use crate::protobuf::{Enum, Field, Type, file, file_set};
use serde_json::Value;
use std::collections::BTreeMap;

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
/// Name of the schema of pictures in a file format, which is Foxglove's.
pub const COMPRESSED_SCHEMA: &str = "foxglove.CompressedImage";
/// Name of the schema of texts, which is Foxglove's.
pub const LOG_SCHEMA: &str = "foxglove.Log";
/// Name of the schema of ends of streams.
pub const END_SCHEMA: &str = "gxe.EndOfStream";

/// A tensor.
pub const TENSOR: Kind =
    Kind { payload_type: "nvidia::gxf::Tensor", encoding: "protobuf", schema: TENSOR_SCHEMA };
/// A tensor that is a picture.
pub const IMAGE: Kind = Kind { schema: IMAGE_SCHEMA, ..TENSOR };
/// A tensor that is a picture in a file format.
pub const COMPRESSED: Kind = Kind { schema: COMPRESSED_SCHEMA, ..TENSOR };
/// A tensor that is a text.
pub const LOG: Kind = Kind { schema: LOG_SCHEMA, ..TENSOR };
/// A frame of video.
pub const VIDEO: Kind = Kind { payload_type: "nvidia::gxf::VideoBuffer", ..IMAGE };
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

/// A float in JSON, which has neither infinite numbers nor NaN: they are texts and `null`.
#[must_use]
pub fn json_of_float(number: f64) -> Value {
    if number.is_infinite() {
        Value::from(if number > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        Value::from(number)
    }
}

/// The float that a value of JSON stands for.
#[must_use]
pub fn float_of_json(value: &Value) -> Option<f64> {
    match value {
        Value::Null => Some(f64::NAN),
        Value::String(text) if text == "Infinity" => Some(f64::INFINITY),
        Value::String(text) if text == "-Infinity" => Some(f64::NEG_INFINITY),
        value => value.as_f64(),
    }
}

/// The path of a channel for this payload of a topic; a whole message has no name of a payload.
#[must_use]
pub fn path(topic: &str, payload: &str) -> String {
    match payload {
        "" => format!("/{topic}"),
        name => format!("/{topic}/{name}"),
    }
}

/// The metadata of a channel, which say what to make of its messages.
#[must_use]
pub fn metadata(topic: &str, payload: &str, kind: &Kind) -> BTreeMap<String, String> {
    let metadata =
        [("gxe.topic", topic), ("gxe.payload", payload), ("gxe.type", kind.payload_type)];
    metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).into()
}

/// The schema of that name: its encoding and its text.
#[must_use]
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
    const COMPRESSED_IMAGE: &[Field] = &[
        (1, "timestamp", Type::Message(".google.protobuf.Timestamp"), false),
        (4, "frame_id", Type::Text, false),
        (2, "data", Type::Bytes, false),
        (3, "format", Type::Text, false),
    ];
    const LOG: &[Field] = &[
        (1, "timestamp", Type::Message(".google.protobuf.Timestamp"), false),
        (2, "level", Type::Enum(".foxglove.Log.Level"), false),
        (3, "message", Type::Text, false),
        (4, "name", Type::Text, false),
        (5, "file", Type::Text, false),
        (6, "line", Type::Fixed32, false),
    ];
    const LEVEL: Enum = ("Level", &["UNKNOWN", "DEBUG", "INFO", "WARNING", "ERROR", "FATAL"]);
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
    let foxglove = |message: &str, parts: (&[Field], &[Enum])| {
        let time = "google/protobuf/timestamp.proto";
        let path = format!("foxglove/{message}.proto");
        let files = [
            file(time, "google.protobuf", "Timestamp", (TIMESTAMP, &[]), &[]),
            file(&path, "foxglove", message, parts, &[time]),
        ];
        ("protobuf", file_set(&files))
    };
    match name {
        IMAGE_SCHEMA => foxglove("RawImage", (RAW_IMAGE, &[])),
        COMPRESSED_SCHEMA => foxglove("CompressedImage", (COMPRESSED_IMAGE, &[])),
        LOG_SCHEMA => foxglove("Log", (LOG, &[LEVEL])),
        TENSOR_SCHEMA => {
            let tensor = file("gxe/Tensor.proto", "gxe", "Tensor", (OF_TENSOR, &[]), &[]);
            ("protobuf", file_set(&[tensor]))
        }
        NUMBER_SCHEMA => {
            ("jsonschema", json("value", "[\"number\",\"boolean\",\"string\",\"null\"]"))
        }
        _ => ("jsonschema", json("stream_id", "\"integer\"")),
    }
}
