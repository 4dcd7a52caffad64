//! `gxe recording convert`: between GXF's two files and MCAP.

use super::files::{
    Place, both_files, cannot_read, counted, create, frames, keep, not_written, open, unreadable,
    unwritable,
};
use super::mcap::{self, messages};
use super::progress::{Unit, bar};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::outputs::Unfinished;
use crate::usage_error::UsageError;
use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use gxe_mcap_format::schema::{
    COMPRESSED_SCHEMA, END_SCHEMA, IMAGE_SCHEMA, LOG_SCHEMA, NUMBER_SCHEMA, TENSOR_SCHEMA, VIDEO,
    WHOLE, float_of_json, json_of_float, number,
};
use gxe_mcap_format::{Part, Recorded, Writer, is_mcap, tensor};
use gxf_recording::layout::{
    COMPONENT_HEADER_SIZE, ComponentHeader, ELEMENT_TYPES, ENTITY_HEADER_SIZE, EntityHeader,
    IndexRecord, TENSOR_HEADER_SIZE, TensorHeader,
};
use gxf_recording::walk::{Payload, plain_type};
use gxf_recording::{Recording, RecordingPaths, Source, TypeId};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;

/// A recording in the other form.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    gxe recording convert walk walk.mcap\n  \
    gxe recording convert run.mcap camera --topic camera")]
pub struct Convert {
    /// Recording: either of GXF's files, the name without extension, or an MCAP file
    #[arg(value_name = "RECORDING")]
    recording: PathBuf,

    /// MCAP file to create, or the recording of GXF if RECORDING is an MCAP file
    #[arg(value_name = "OUTPUT")]
    output: PathBuf,

    /// Topic of the messages [default: the name of RECORDING, or the only topic in it]
    #[arg(long, value_name = "NAME")]
    topic: Option<String>,

    /// Overwrite OUTPUT if it exists
    #[arg(long, alias = "overwrite")]
    force: bool,

    #[command(flatten)]
    common: CommonArguments,
}

/// Names of numbers in GXF's recordings, and in C++.
const NUMBERS: [(&str, &str); 11] = [
    ("float64", "double"),
    ("float32", "float"),
    ("int64", "int64_t"),
    ("uint64", "uint64_t"),
    ("int32", "int32_t"),
    ("uint32", "uint32_t"),
    ("int16", "int16_t"),
    ("uint16", "uint16_t"),
    ("int8", "int8_t"),
    ("uint8", "uint8_t"),
    ("bool", "bool"),
];

impl Convert {
    /// Writes the other form.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        if is_mcap(&self.recording) { self.to_gxf(console) } else { self.to_mcap() }
    }

    fn to_mcap(&self) -> Result<ExitStatus, CommandError> {
        let recording = open(&self.recording)?;
        keep(&both_files(&self.recording), [&self.output], self.force)?;
        let topic = self.topic.clone().unwrap_or_else(|| {
            let paths = RecordingPaths::named(&self.recording);
            paths.index.file_stem().unwrap_or_default().to_string_lossy().into_owned()
        });
        let failed = || format!("cannot write the recording '{}'", self.output.display());
        let unfinished = Unfinished::new(&self.output).with_context(failed).map_err(unwritable)?;
        let mut writer =
            Writer::create(unfinished.path(), [topic]).with_context(failed).map_err(unwritable)?;
        let bar = bar(Some(recording.frames()), Unit::Frames);
        for number in 0..recording.frames() {
            let read = || -> anyhow::Result<_> {
                let record = recording.record(number)?;
                Ok((record, parts_of(&recording, &record)?))
            };
            let (record, parts) = read()
                .with_context(|| format!("cannot convert frame {number}"))
                .map_err(unreadable)?;
            let written = writer.write(0, &parts, record.log_time);
            written.with_context(failed).map_err(unwritable)?;
            bar.inc(1);
        }
        writer.finish().with_context(failed).map_err(unwritable)?;
        unfinished.finish().with_context(failed).map_err(unwritable)?;
        drop(bar);
        let count = messages(recording.frames());
        Console::print(&format!("{count} in {}\n", self.output.display()))?;
        Ok(ExitStatus::Success)
    }

    fn to_gxf(&self, console: Console) -> Result<ExitStatus, CommandError> {
        let topic = self.only_topic()?;
        let paths = RecordingPaths::named(&self.output);
        let read = std::slice::from_ref(&self.recording);
        keep(read, [&paths.index, &paths.entities], self.force)?;
        let place = Place::new(&paths)?;
        let mut writer = create(&place.paths())?;
        let mut source = mcap::open(&self.recording)?;
        let (mut count, mut left_out) = (0, 0);
        let bar = bar(None, Unit::Frames);
        loop {
            let message = source.next().with_context(|| cannot_read(&self.recording));
            let Some(mut message) = message.map_err(unreadable)? else { break };
            if message.topic != topic {
                continue;
            }
            // The end of a stream is no payload of GXF's recordings, which end where their file
            // does.
            let parts = message.parts.len();
            message.parts.retain(|part| schema_of(part) != END_SCHEMA);
            left_out += (parts - message.parts.len()) as u64;
            if message.parts.is_empty() {
                continue;
            }
            let frame = frame_of(&message, count)
                .with_context(|| format!("cannot convert message {count} of the topic `{topic}`"));
            let frame = frame.map_err(unreadable)?;
            let written = writer.write_all(&frame).map_err(anyhow::Error::from);
            written
                .and_then(|()| Ok(writer.finish_frame(message.time)?))
                .with_context(not_written)
                .map_err(unwritable)?;
            count += 1;
            bar.set_position(count);
        }
        drop((bar, writer));
        place.finish()?;
        if left_out > 0 {
            let left_out = counted(left_out, "payload");
            console.note(&format!(
                "{left_out} of the type {END_SCHEMA} left out: GXF's recordings have no such payload"
            ));
        }
        Console::print(&format!("{} in {}\n", frames(count), self.output.display()))?;
        Ok(ExitStatus::Success)
    }

    /// The topic to convert: the one that was named, or the only one.
    fn only_topic(&self) -> Result<String, CommandError> {
        let mut source = mcap::open(&self.recording)?;
        let mut topics = BTreeSet::new();
        while let Some(message) =
            source.next().with_context(|| cannot_read(&self.recording)).map_err(unreadable)?
        {
            topics.insert(message.topic);
        }
        let listed = || topics.iter().map(|topic| format!("`{topic}`")).collect::<Vec<_>>();
        let error = match (&self.topic, topics.len()) {
            (Some(topic), _) if topics.contains(topic) => return Ok(topic.clone()),
            (None, 1) => return Ok(topics.into_iter().next().unwrap_or_default()),
            (_, 0) => return Err(unreadable(anyhow!("there is no message in the recording"))),
            (Some(topic), _) => UsageError::new(format!("no message has the topic `{topic}`")),
            (None, _) => UsageError::new("the recording has several topics".to_owned()),
        };
        Err(error.hint(format!("choose with --topic: {}", listed().join(", "))).into())
    }
}

/// A frame as parts of a message of MCAP: tensors and numbers with schemas, or the whole.
fn parts_of<S: Source>(
    recording: &Recording<S>,
    record: &IndexRecord,
) -> anyhow::Result<Vec<(String, Part)>> {
    recording.check(record)?;
    let bytes = |range: std::ops::Range<u64>| -> anyhow::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
        recording.entities().read_exact_at(&mut bytes, range.start)?;
        Ok(bytes)
    };
    let whole = || -> anyhow::Result<_> {
        let data = bytes(record.data_offset..record.data_offset + record.data_size)?;
        Ok(vec![(String::new(), Part { kind: WHOLE, data })])
    };
    let mut parts = Vec::new();
    let mut walk = recording.walk(record)?;
    while let Some(component) = walk.next_component()? {
        if component.tid == TypeId::TIMESTAMP {
            continue;
        }
        let part = match component.payload {
            Payload::Tensor(header) => {
                let data = bytes(component.bytes.start + TENSOR_HEADER_SIZE..component.bytes.end)?;
                tensor_part(&header, &data, record.log_time)
            }
            Payload::Plain(name) => number_part(name, &bytes(component.bytes.clone())?),
            Payload::Video(_) | Payload::Audio(_) => None,
        };
        match part {
            Some(part) => parts.push((walk.name(&component)?, part)),
            None => return whole(),
        }
    }
    if parts.is_empty() { whole() } else { Ok(parts) }
}

/// `None` for a tensor that has gaps or elements without a name.
fn tensor_part(header: &TensorHeader, data: &[u8], time: u64) -> Option<Part> {
    let shape = header.shape().ok()?;
    let plain = TensorHeader::without_gaps(header.storage_type, header.element_type, shape).ok()?;
    let name = header.element_name()?;
    (plain == *header).then(|| tensor::part_of(name, shape, data, time))
}

fn number_part(name: &str, bytes: &[u8]) -> Option<Part> {
    let (_, in_cpp) = NUMBERS.into_iter().find(|(known, _)| *known == name)?;
    macro_rules! value {
        ($($name:literal $type:ty),*) => {
            match name {
                $($name => Value::from(<$type>::from_le_bytes(bytes.try_into().ok()?)),)*
                "float64" => json_of_float(f64::from_le_bytes(bytes.try_into().ok()?)),
                "float32" => json_of_float(f32::from_le_bytes(bytes.try_into().ok()?).into()),
                _ => Value::from(*bytes.first()? != 0),
            }
        };
    }
    let value = value!(
        "int64" i64, "uint64" u64, "int32" i32, "uint32" u32, "int16" i16, "uint16" u16,
        "int8" i8, "uint8" u8
    );
    let data = format!("{{\"value\":{value}}}").into_bytes();
    Some(Part { kind: number(in_cpp), data })
}

/// Name of the schema of a message of MCAP; empty for none.
fn schema_of<'a>(part: &'a ::mcap::Message<'_>) -> &'a str {
    part.channel.schema.as_ref().map_or("", |schema| schema.name.as_str())
}

/// A message as the bytes of a frame.
fn frame_of(message: &Recorded, sequence_number: u64) -> anyhow::Result<Vec<u8>> {
    if let [part] = &message.parts[..]
        && part.channel.message_encoding == WHOLE.encoding
    {
        let mut frame = part.data.to_vec();
        let header = frame.first_chunk_mut::<{ ENTITY_HEADER_SIZE as usize }>();
        let header = header.context("it is shorter than the header of an entity")?;
        *header = EntityHeader { sequence_number, ..EntityHeader::from_bytes(header) }.to_bytes();
        return Ok(frame);
    }
    let component_count = message.parts.len() as u64;
    let header = EntityHeader { sequence_number, component_count, ..EntityHeader::default() };
    let mut frame = header.to_bytes().to_vec();
    for part in &message.parts {
        let channel = &part.channel;
        let of = |key: &str| channel.metadata.get(key).map_or("", String::as_str);
        let name = of("gxe.payload");
        let schema = schema_of(part);
        let (tid, payload) = match schema {
            IMAGE_SCHEMA if of("gxe.type") == VIDEO.payload_type => bail!(
                "the channel `{}` has frames of video, which only a graph converts: replay them to \
                 an EntityRecorder",
                channel.topic
            ),
            TENSOR_SCHEMA | IMAGE_SCHEMA | COMPRESSED_SCHEMA | LOG_SCHEMA => {
                (TypeId::TENSOR, tensor_payload(schema, &part.data)?)
            }
            NUMBER_SCHEMA => number_payload(of("gxe.type"), &part.data)?,
            _ => bail!(
                "the messages on the channel `{}` are neither tensors nor numbers that gxe \
                 recorded",
                channel.topic
            ),
        };
        let header = ComponentHeader { serialized_size: 0, tid, name_size: name.len() as u64 };
        frame.reserve(COMPONENT_HEADER_SIZE as usize + name.len() + payload.len());
        frame.extend_from_slice(&header.to_bytes());
        frame.extend_from_slice(name.as_bytes());
        frame.extend_from_slice(&payload);
    }
    Ok(frame)
}

fn tensor_payload(schema: &str, data: &[u8]) -> anyhow::Result<Vec<u8>> {
    /// What GXF's readers allocate if the graph does not say otherwise.
    const SYSTEM_MEMORY: i32 = 2;
    let read = tensor::tensor_of(schema, data)?;
    let element = ELEMENT_TYPES.iter().position(|(name, _)| *name == read.element_type);
    let element = element.and_then(|element| i32::try_from(element).ok());
    let element =
        element.with_context(|| format!("no element type is named `{}`", read.element_type))?;
    let header = TensorHeader::without_gaps(SYSTEM_MEMORY, element, &read.dimensions)?;
    let (needed, there) = (header.data_size()?, read.bytes.len() as u64);
    if needed != there {
        bail!("a {header} has {needed} bytes, and there are {there}");
    }
    Ok([&header.to_bytes()[..], &read.bytes].concat())
}

fn number_payload(payload_type: &str, data: &[u8]) -> anyhow::Result<(TypeId, Vec<u8>)> {
    let document: Value = serde_json::from_slice(data).context("a number is not JSON")?;
    let value = &document["value"];
    let known = NUMBERS.into_iter().find(|(_, in_cpp)| *in_cpp == payload_type);
    let known = known.and_then(|(name, _)| Some((name, plain_type(name)?.0)));
    let (name, tid) = known.with_context(|| format!("no number has the type `{payload_type}`"))?;
    let float = || float_of_json(value);
    macro_rules! bytes {
        ($($name:literal $type:ty),*) => {
            match name {
                "float64" => float().map(|number| number.to_le_bytes().to_vec()),
                "float32" => float().map(|number| (number as f32).to_le_bytes().to_vec()),
                "uint64" => value.as_u64().map(|number| number.to_le_bytes().to_vec()),
                $($name => value.as_i64().and_then(|number| <$type>::try_from(number).ok())
                    .map(|number| number.to_le_bytes().to_vec()),)*
                _ => value.as_bool().map(|flag| vec![u8::from(flag)]),
            }
        };
    }
    let bytes = bytes!(
        "int64" i64, "int32" i32, "uint32" u32, "int16" i16, "uint16" u16, "int8" i8, "uint8" u8
    );
    Ok((tid, bytes.with_context(|| format!("{value} is no {payload_type}"))?))
}
