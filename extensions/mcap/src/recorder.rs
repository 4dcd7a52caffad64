//! `McapRecorder`.

use gxe_mcap_format::schema::WHOLE;
use gxe_mcap_format::{Part, Writer};
use gxe_mcap_messages::receivers::{check_topics, receive_all, topics_of};
use gxe_mcap_messages::{Foreign, parts_of};
use gxf::prelude::*;
use gxf::{EntitySerializer, SharedCodelet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Records messages to an MCAP file, which Foxglove and other tools read. A recorded message
/// survives even if the program is killed a moment later. Recording a replay gives the same bytes.
/// It is its own scheduling term: it ticks when any receiver has a message.
///
/// Numbers and tensors have schemas of their own, on the channels `/TOPIC/PAYLOAD`. Pictures and
/// frames of video are `foxglove.RawImage`, bytes of PNG, JPEG and WebP files
/// `foxglove.CompressedImage`, and texts `foxglove.Log`. A message with any other payload is on the channel `/TOPIC`, in the bytes of
/// `entity_serializer`.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct McapRecorder {
    /// Receivers for the messages, of any kind.
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// Topics of the receivers [default: their names].
    topics: Parameter<Option<Vec<String>>>,
    /// File to write, replacing an existing one.
    path: Parameter<PathBuf>,
    /// Serializer for messages with other payloads than numbers and tensors.
    entity_serializer: Parameter<Option<Handle<EntitySerializer>>>,
    run: Mutex<Option<Run>>,
}

struct Run {
    writer: Writer,
    path: PathBuf,
}

impl McapRecorder {
    fn run(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lifecycle for McapRecorder {
    fn check_parameters(&self) -> Result<()> {
        check_topics(&self.receivers, self.topics.as_deref())
    }
}

impl SharedCodelet for McapRecorder {
    fn start(&self, context: &TickContext) -> Result<()> {
        let names = topics_of(&self.receivers, self.topics.as_deref(), context);
        let path = self.path.get().clone();
        let writer = Writer::create(&path, names).map_err(|error| failed(&path, &error))?;
        *self.run() = Some(Run { writer, path });
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = self.run();
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let serializer = self.entity_serializer.as_ref();
        let mut messages = Vec::new();
        receive_all(&self.receivers, context, |index, message, time| {
            messages.push((time.cast_unsigned(), index, message));
            Ok(())
        })?;
        messages.sort_by_key(|(time, _, _)| *time);
        for (time, index, message) in messages {
            run.record(context, index, &message, time, serializer)?;
        }
        Ok(())
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let Some(run) = self.run().take() else { return Ok(()) };
        run.writer.finish().map_err(|error| failed(&run.path, &error))
    }
}

gxe_mcap_messages::ticks_on_messages!(McapRecorder);

fn failed(path: &std::path::Path, error: &gxe_mcap_format::Error) -> Error {
    Error::failure(format!("the recording `{}` cannot be written: {error}", path.display()))
}

impl Run {
    fn record(
        &mut self,
        context: &TickContext,
        topic: usize,
        message: &Message,
        time: u64,
        serializer: Option<&Handle<EntitySerializer>>,
    ) -> Result<()> {
        let (mut parts, foreign) = parts_of(message, time)?;
        if let Some(Foreign { name, tid }) = foreign {
            let Some(serializer) = serializer else {
                return Err(Error::new(
                    ResultCode::NOT_IMPLEMENTED,
                    format!(
                        "the payload `{name}` ({}) is neither a number nor a tensor; set \
                         `entity_serializer` to record it",
                        context.type_name(tid)
                    ),
                ));
            };
            let mut data = Vec::new();
            serializer.write_message(message, &mut data)?;
            parts = vec![(String::new(), Part { kind: WHOLE, data })];
        }
        let written = self.writer.write(topic, &parts, time);
        written.map_err(|error| failed(&self.path, &error))
    }
}
