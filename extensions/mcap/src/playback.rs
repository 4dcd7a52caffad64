//! The messages of a file.

use crate::part::add_part;
use gxe_columns::bad_data;
use gxf::{EntitySerializer, Error, Handle, Message, Result, TickContext};
use mcap::McapError;
use mcap::io::MessageReader;
use mcap::sans_io::LinearReaderOptions;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Longest record of a file; a damaged length is not believed.
const LONGEST: usize = 1 << 30;

/// A recorded message, in parts.
pub struct Recorded {
    /// Its topic.
    pub topic: String,
    /// When it was acquired, in nanoseconds.
    pub time: u64,
    sequence: u32,
    parts: Vec<mcap::Message<'static>>,
}

/// The messages of a file, in order.
pub struct Playback {
    reader: MessageReader<BufReader<File>>,
    path: PathBuf,
    /// The first part of the next message.
    ahead: Option<mcap::Message<'static>>,
    /// Whether the file ends within a record, as that of a killed recorder does.
    pub is_cut: bool,
}

impl Playback {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| {
            Error::from(error).context(format!("`{}` cannot be opened", path.display()))
        })?;
        let options = LinearReaderOptions::default().with_record_length_limit(LONGEST);
        let reader = MessageReader::new_with_options(BufReader::new(file), options);
        Ok(Self { reader, path: path.to_owned(), ahead: None, is_cut: false })
    }

    /// The next message of MCAP.
    fn part(&mut self) -> Result<Option<mcap::Message<'static>>> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        match self.reader.next() {
            None => Ok(None),
            Some(Ok(part)) => Ok(Some(part)),
            Some(Err(McapError::UnexpectedEof | McapError::BadFooter)) => {
                self.is_cut = true;
                Ok(None)
            }
            Some(Err(error)) => {
                Err(bad_data(format!("`{}` cannot be read: {error}", self.path.display())))
            }
        }
    }

    /// The next message.
    pub fn next(&mut self) -> Result<Option<Recorded>> {
        let Some(first) = self.part()? else { return Ok(None) };
        let topic_of = |part: &mcap::Message<'_>| {
            let own = part.channel.metadata.get("gxe.topic");
            own.map_or(part.channel.topic.trim_matches('/'), String::as_str).to_owned()
        };
        let mut message = Recorded {
            topic: topic_of(&first),
            time: first.log_time,
            sequence: first.sequence,
            parts: vec![first],
        };
        while let Some(part) = self.part()? {
            let belongs = topic_of(&part) == message.topic
                && part.sequence == message.sequence
                && part.log_time == message.time
                // A message has each payload once.
                && message.parts.iter().all(|other| other.channel.id != part.channel.id);
            if !belongs {
                self.ahead = Some(part);
                break;
            }
            message.parts.push(part);
        }
        Ok(Some(message))
    }
}

impl Recorded {
    /// The message itself.
    pub fn message(
        &self,
        context: &TickContext,
        serializer: Option<&Handle<EntitySerializer>>,
    ) -> Result<Message> {
        let mut message = context.new_message()?;
        for part in &self.parts {
            let channel = &part.channel;
            if channel.message_encoding == "gxf" {
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
}
