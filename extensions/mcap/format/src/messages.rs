//! The messages of a file.

use crate::{Error, frames};
use mcap::McapError;
use mcap::io::MessageReader;
use mcap::sans_io::LinearReaderOptions;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

/// Longest record of a file; a damaged length is not believed.
const LONGEST: usize = 1 << 30;

/// A recorded message.
pub struct Recorded {
    /// Its topic.
    pub topic: String,
    /// When it was acquired, in nanoseconds.
    pub time: u64,
    sequence: u32,
    /// Its parts, at least one.
    pub parts: Vec<mcap::Message<'static>>,
}

/// The messages of a file, in order.
pub struct Messages {
    reader: MessageReader<BufReader<File>>,
    /// The first part of the next message.
    ahead: Option<mcap::Message<'static>>,
    /// Whether the file ends within a record, as that of a killed recorder does.
    pub is_cut: bool,
}

/// Whether a file begins as MCAP files do.
#[must_use]
pub fn is_mcap(path: &Path) -> bool {
    let mut magic = [0; mcap::MAGIC.len()];
    // A pipe would be waited for.
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == mcap::MAGIC
}

impl Messages {
    /// Opens a file, and locks writers out; its checksums are checked on the way.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let options = LinearReaderOptions::default()
            .with_record_length_limit(LONGEST)
            .with_validate_chunk_crcs(true)
            .with_validate_data_section_crc(true)
            .with_validate_summary_section_crc(true);
        let file = BufReader::new(frames::open(path)?);
        let reader = MessageReader::new_with_options(file, options);
        Ok(Self { reader, ahead: None, is_cut: false })
    }

    fn part(&mut self) -> Result<Option<mcap::Message<'static>>, Error> {
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
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// The next message; `None` at the end.
    ///
    /// # Errors
    /// The file is damaged. There is no message after that.
    #[expect(clippy::should_implement_trait, reason = "an error ends it, but is no message")]
    pub fn next(&mut self) -> Result<Option<Recorded>, Error> {
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
