//! Payloads to parts of recorded messages and back.

use gxe_columns::bad_data;
use gxe_mcap_format::foxglove::{Image, image_of, image_part};
use gxe_mcap_format::schema::{
    self, COMPRESSED_SCHEMA, END, END_SCHEMA, IMAGE_SCHEMA, LOG_SCHEMA, NUMBER_SCHEMA,
    TENSOR_SCHEMA, VIDEO, float_of_json, json_of_float,
};
use gxe_mcap_format::{Part, Recorded, tensor};
use gxf::multimedia::{VideoFormat, default_color_planes};
use gxf::{
    EndOfStream, EntitySerializer, Error, Handle, MemoryBuffer, Message, Payload, PayloadInfo,
    PrimitiveType, Result, Shape, Tensor, TickContext, VideoBuffer,
};
use serde_json::Value;

macro_rules! numbers {
    ($($type:ident $name:literal),*) => {
        /// A number, with the digits it takes to read it again.
        fn number(message: &Message, payload: &PayloadInfo<'_>) -> Option<Part> {
            $(
                if payload.tid == <$type as Payload>::TID {
                    let value = *message.try_get::<$type>(payload.name)?;
                    let value = value.to_json();
                    return Some(Part {
                        kind: schema::number($name),
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
            value: &Value,
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
trait Json: Sized {
    fn of_json(value: &Value) -> Result<Self>;
    fn to_json(self) -> Value;
}

macro_rules! json {
    ($($type:ty, $to_json:expr => $value:ident => $result:expr;)*) => {$(
        impl Json for $type {
            fn of_json($value: &Value) -> Result<Self> {
                let read: Option<$type> = $result;
                read.ok_or_else(|| bad_data(format!("{} is no {}", $value, stringify!($type))))
            }

            fn to_json(self) -> Value {
                $to_json(self)
            }
        }
    )*};
}

json! {
    f64, json_of_float => value => float_of_json(value);
    f32, |number| json_of_float(f64::from(number)) => value => {
        float_of_json(value).map(|number| number as f32)
    };
    i64, Value::from => value => value.as_i64();
    u64, Value::from => value => value.as_u64();
    i32, Value::from => value => value.as_i64().and_then(|value| value.try_into().ok());
    u32, Value::from => value => value.as_u64().and_then(|value| value.try_into().ok());
    i16, Value::from => value => value.as_i64().and_then(|value| value.try_into().ok());
    u16, Value::from => value => value.as_u64().and_then(|value| value.try_into().ok());
    i8, Value::from => value => value.as_i64().and_then(|value| value.try_into().ok());
    u8, Value::from => value => value.as_u64().and_then(|value| value.try_into().ok());
    bool, Value::from => value => value.as_bool();
}

/// A payload as a message of MCAP; `None` if it has no form of its own. `time` is the log time.
pub(crate) fn part_of(
    message: &Message,
    payload: &PayloadInfo<'_>,
    time: u64,
) -> Result<Option<Part>> {
    if payload.tid == EndOfStream::TID {
        let end = message.get::<EndOfStream>(payload.name)?;
        let data = format!("{{\"stream_id\":{}}}", end.stream_id).into_bytes();
        return Ok(Some(Part { kind: END, data }));
    }
    if payload.tid == VideoBuffer::TID {
        return video_part(message.get::<VideoBuffer>(payload.name)?, time);
    }
    if payload.tid != Tensor::TID {
        return Ok(number(message, payload));
    }
    let tensor = message.get::<Tensor>(payload.name)?;
    if tensor.element_type() == PrimitiveType::CUSTOM || !tensor.is_contiguous() {
        return Ok(None);
    }
    let (element_type, dimensions) = (tensor.element_type().name(), tensor.shape().dimensions());
    Ok(Some(tensor::part_of(element_type, dimensions, tensor.bytes()?, time)))
}

/// The message that was recorded.
///
/// # Errors
/// A part is damaged, has no payload of gxe, or needs a serializer that is not there.
pub fn message_of(
    recorded: &Recorded,
    context: &TickContext,
    serializer: Option<&Handle<EntitySerializer>>,
) -> Result<Message> {
    let mut message = context.new_message()?;
    for part in &recorded.parts {
        let channel = &part.channel;
        if channel.message_encoding == schema::WHOLE.encoding {
            let Some(serializer) = serializer else {
                return Err(Error::failure(format!(
                    "messages on `{}` need an `entity_serializer` to be read",
                    channel.topic
                )));
            };
            let mut bytes: &[u8] = &part.data;
            serializer.read_message(&mut message, &mut bytes)?;
            continue;
        }
        let of = |key: &str| channel.metadata.get(key).map(String::as_str);
        let schema = channel.schema.as_ref().map_or("", |schema| schema.name.as_str());
        let Some(name) = of("gxe.payload") else {
            return Err(bad_data(format!(
                "the channel `{}` was not recorded by gxe, and its messages have no payload",
                channel.topic
            )));
        };
        let payload_type = of("gxe.type").unwrap_or_default();
        add_part(&mut message, name, payload_type, schema, &part.data)
            .map_err(|error| error.context(format!("channel `{}`", channel.topic)))?;
    }
    Ok(message)
}

/// Adds a recorded payload to a message.
fn add_part(
    message: &mut Message,
    name: &str,
    payload_type: &str,
    schema: &str,
    data: &[u8],
) -> Result<()> {
    match schema {
        NUMBER_SCHEMA | END_SCHEMA => {
            let object: Value = serde_json::from_slice(data)
                .map_err(|error| bad_data(format!("a number of the recording: {error}")))?;
            if schema == END_SCHEMA {
                let stream_id = object["stream_id"].as_i64().unwrap_or(-1);
                message.add(name, EndOfStream { stream_id })?;
            } else if !add_number(message, name, payload_type, &object["value"])? {
                return Err(bad_data(format!("no number has the type `{payload_type}`")));
            }
        }
        IMAGE_SCHEMA if payload_type == VIDEO.payload_type => {
            message.add(name, video_of(data)?)?;
        }
        TENSOR_SCHEMA | IMAGE_SCHEMA | COMPRESSED_SCHEMA | LOG_SCHEMA => {
            message.add(name, tensor_of(schema, data)?)?;
        }
        _ => return Err(bad_data(format!("no payload has the schema `{schema}`"))),
    }
    Ok(())
}

/// Foxglove's names for formats of video with one plane.
const ENCODINGS: [(VideoFormat, &str); 7] = [
    (VideoFormat::RGB, "rgb8"),
    (VideoFormat::RGBA, "rgba8"),
    (VideoFormat::BGR, "bgr8"),
    (VideoFormat::BGRA, "bgra8"),
    (VideoFormat::GRAY, "mono8"),
    (VideoFormat::GRAY16, "mono16"),
    (VideoFormat::GRAY32F, "32FC1"),
];

/// A frame of video; `None` if Foxglove has no name for its format.
fn video_part(video: &VideoBuffer, time: u64) -> Result<Option<Part>> {
    let info = video.info();
    let known = ENCODINGS.iter().find(|(format, _)| *format == info.color_format);
    let (Some((_, encoding)), [plane]) = (known, video.planes()) else { return Ok(None) };
    let bytes = video.plane_bytes(0)?;
    let (width, height, step) = (info.width, info.height, plane.stride);
    Ok(Some(image_part(VIDEO, &Image { width, height, encoding, step, bytes }, time)))
}

fn video_of(data: &[u8]) -> Result<VideoBuffer> {
    let image = image_of(data).map_err(|error| bad_data(error.to_string()))?;
    let known = ENCODINGS.iter().find(|(_, encoding)| *encoding == image.encoding);
    let (format, _) = known
        .ok_or_else(|| bad_data(format!("no format of video is named `{}`", image.encoding)))?;
    let (mut info, _) = default_color_planes(*format, image.width, image.height, false)?;
    let plane = &mut info.color_planes[0];
    (plane.stride, plane.size) = (image.step, image.bytes.len() as u64);
    if u64::from(plane.stride) * u64::from(plane.height) > plane.size {
        return Err(bad_data("a picture of the recording has fewer bytes than rows".to_owned()));
    }
    VideoBuffer::from_memory(info, aligned(image.bytes))
}

fn tensor_of(schema: &str, data: &[u8]) -> Result<Tensor> {
    let read = tensor::tensor_of(schema, data).map_err(|error| bad_data(error.to_string()))?;
    let element = element_type(&read.element_type)?;
    let memory = aligned(&read.bytes);
    Tensor::from_memory(Shape::new(&read.dimensions)?, element, element.size(), None, memory)
}

/// Bytes in memory that is aligned for every element type.
fn aligned(bytes: &[u8]) -> MemoryBuffer {
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(padded);
    }
    MemoryBuffer::from_vec(words)
}

/// The element type with a name.
fn element_type(name: &str) -> Result<PrimitiveType> {
    let known = (0..32).map(PrimitiveType);
    let mut found = known.filter(|known| known.size() > 0 && known.name() == name);
    found.next().ok_or_else(|| bad_data(format!("no element type is named `{name}`")))
}
