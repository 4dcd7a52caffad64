//! Messages to a file.

use crate::Error;
use crate::frames::Frames;
use crate::schema::{Kind, metadata, path, schema};
use mcap::records::MessageHeader;
use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;

/// A part of a message.
pub struct Part {
    /// The channel it needs.
    pub kind: Kind,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// Writes messages to a file. Each is on its way to the file system, whole, when the call returns.
pub struct Writer {
    writer: mcap::Writer<Frames>,
    topics: Vec<Topic>,
    schemas: HashMap<&'static str, u16>,
}

struct Topic {
    name: String,
    /// Channels by the name of the payload.
    channels: HashMap<String, Vec<(Kind, u16)>>,
    /// Messages recorded.
    count: u32,
}

impl Writer {
    /// Creates a file for messages on these topics, replacing an existing one.
    ///
    /// # Errors
    /// The file cannot be written, or is in use.
    pub fn create(path: &Path, topics: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let frames = Frames::create(path)?;
        let options = mcap::WriteOptions::new()
            .use_chunks(false)
            .profile("")
            .library(concat!("gxe ", env!("CARGO_PKG_VERSION")));
        let mut writer = options.create(frames)?;
        writer.flush()?;
        let topics = topics.into_iter().map(|name| Topic {
            name: name.trim_matches('/').to_owned(),
            channels: HashMap::new(),
            count: 0,
        });
        Ok(Self { writer, topics: topics.collect(), schemas: HashMap::new() })
    }

    /// Writes a message on the topic at this position: its parts with the names of their payloads.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(
        &mut self,
        topic: usize,
        parts: &[(String, Part)],
        time: u64,
    ) -> Result<(), Error> {
        let sequence = self.topics[topic].count;
        for (name, part) in parts {
            let channel_id = self.channel(topic, name, &part.kind)?;
            let header = MessageHeader { channel_id, sequence, log_time: time, publish_time: time };
            self.writer.write_to_known_channel(&header, &part.data)?;
        }
        self.topics[topic].count = sequence.wrapping_add(1);
        Ok(self.writer.flush()?)
    }

    fn channel(&mut self, topic: usize, payload: &str, kind: &Kind) -> Result<u16, Error> {
        let known = self.topics[topic].channels.get(payload);
        let known = known.and_then(|kinds| kinds.iter().find(|(other, _)| other == kind));
        if let Some((_, id)) = known {
            return Ok(*id);
        }
        let schema_id = match (kind.schema, self.schemas.get(kind.schema)) {
            ("", _) => 0,
            (_, Some(id)) => *id,
            (name, None) => {
                let (encoding, data) = schema(name);
                let id = self.writer.add_schema(name, encoding, &data)?;
                self.schemas.insert(name, id);
                id
            }
        };
        let topic = &mut self.topics[topic];
        let path = path(&topic.name, payload);
        let metadata = metadata(&topic.name, payload, kind);
        let id = self.writer.add_channel(schema_id, &path, kind.encoding, &metadata)?;
        topic.channels.entry(payload.to_owned()).or_default().push((kind.clone(), id));
        Ok(id)
    }

    /// Writes the summary at the end of the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<(), Error> {
        self.writer.finish()?;
        Ok(self.writer.into_inner().flush().map_err(mcap::McapError::from)?)
    }
}
