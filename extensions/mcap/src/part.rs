//! Payloads to parts of recorded messages and back.

use gxe_columns::bad_data;
use gxe_mcap_format::schema::{self, END, END_SCHEMA, IMAGE_SCHEMA, NUMBER_SCHEMA, TENSOR_SCHEMA};
use gxe_mcap_format::{Part, Recorded, tensor};
use gxf::{
    EndOfStream, EntitySerializer, Error, Handle, MemoryBuffer, Message, Payload, PayloadInfo,
    PrimitiveType, Result, Shape, Tensor, TickContext,
};

macro_rules! numbers {
    ($($type:ident $name:literal),*) => {
        /// A number, with the digits it takes to read it again.
        fn number(message: &Message, payload: &PayloadInfo<'_>) -> Option<Part> {
            $(
                if payload.tid == <$type as Payload>::TID {
                    let value = *message.try_get::<$type>(payload.name)?;
                    let value = serde_json::Value::from(value);
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
    let (element_type, dimensions) = (tensor.element_type().name(), tensor.shape().dimensions());
    Ok(Some(tensor::part_of(element_type, dimensions, tensor.bytes()?, time)))
}

/// The message that was recorded.
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
            let object: serde_json::Value = serde_json::from_slice(data)
                .map_err(|error| bad_data(format!("a number of the recording: {error}")))?;
            if schema == END_SCHEMA {
                let stream_id = object["stream_id"].as_i64().unwrap_or(-1);
                message.add(name, EndOfStream { stream_id })?;
            } else if !add_number(message, name, payload_type, &object["value"])? {
                return Err(bad_data(format!("no number has the type `{payload_type}`")));
            }
        }
        TENSOR_SCHEMA | IMAGE_SCHEMA => {
            message.add(name, tensor_of(schema, data)?)?;
        }
        _ => return Err(bad_data(format!("no payload has the schema `{schema}`"))),
    }
    Ok(())
}

fn tensor_of(schema: &str, data: &[u8]) -> Result<Tensor> {
    let read = tensor::tensor_of(schema, data).map_err(|error| bad_data(error.to_string()))?;
    let element = element_type(&read.element_type)?;
    // The memory of a vector of `u64` is aligned for every element type.
    let mut words = vec![0u64; read.bytes.len().div_ceil(8)];
    for (word, bytes) in words.iter_mut().zip(read.bytes.chunks(8)) {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_ne_bytes(padded);
    }
    let memory = MemoryBuffer::from_vec(words);
    Tensor::from_memory(Shape::new(&read.dimensions)?, element, element.size(), None, memory)
}

/// The element type with a name.
fn element_type(name: &str) -> Result<PrimitiveType> {
    let known = (0..32).map(PrimitiveType);
    let mut found = known.filter(|known| known.size() > 0 && known.name() == name);
    found.next().ok_or_else(|| bad_data(format!("no element type is named `{name}`")))
}
