//! From bytes to messages. Nothing is allocated for a length before so many bytes are there: an
//! entity is walked through in the buffer first, and its serializer reads it once it is complete.

use gxf::{ContextHandle, EntitySerializer, Handle, Message};
use gxf_recording::walk::EntityWalk;
use gxf_recording::{FrameError, TypeId};
use std::io::{ErrorKind, Read};

/// Size of a frame's header: a size, which GXF leaves 0, and the number of entities.
pub const HEADER: usize = 16;
/// Size of the number of a channel, before each entity.
pub const CHANNEL: usize = 8;
/// Most bytes of an entity.
const LIMIT: usize = 1 << 30;
/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

/// Reads a connection.
#[derive(Default)]
pub struct Input {
    buffer: Vec<u8>,
    /// Where the part that is not used begins.
    start: usize,
    /// Entities of the frame that are still to come.
    entities: u64,
    /// Bytes at which it is worth looking at the entity again.
    worth: usize,
}

/// What a stream has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filled {
    /// Perhaps more.
    More,
    /// Nothing until it is readable again.
    Drained,
    /// Nothing ever again.
    Ended,
}

impl Input {
    /// Reads some of what the stream has.
    pub fn fill(&mut self, stream: &mut impl Read) -> std::io::Result<Filled> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let size = self.buffer.len();
        self.buffer.resize(size + CHUNK, 0);
        let read = loop {
            match stream.read(&mut self.buffer[size..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(size + read.as_ref().map_or(0, |read| *read));
        match read {
            Ok(0) => Ok(Filled::Ended),
            Ok(_) => Ok(Filled::More),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.worth = 0;
                Ok(Filled::Drained)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether a frame is complete: the peer may leave here.
    pub fn is_between_frames(&self) -> bool {
        self.entities == 0 && self.start == self.buffer.len()
    }

    /// Bytes of what is not complete.
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// The next message and its channel, if it is there. Entities of the `foreign` types have a
    /// layout that only their serializer knows. `Err` if the connection is of no use any more.
    pub fn next(
        &mut self,
        serializer: &Handle<EntitySerializer>,
        context: &ContextHandle,
        foreign: &[TypeId],
    ) -> Result<Option<(u64, Message)>, String> {
        while self.entities == 0 {
            let Some(header) = self.buffer[self.start..].first_chunk::<HEADER>() else {
                return Ok(None);
            };
            self.entities = number(&header[8..]);
            self.start += HEADER;
        }
        let ready = &self.buffer[self.start..];
        if ready.len() < self.worth.max(CHANNEL) {
            return Ok(None);
        }
        let (channel, entity) = ready.split_at(CHANNEL);
        let walk = EntityWalk::begin(&entity, 0, entity.len() as u64);
        match walk.and_then(|walk| walk.with_foreign(foreign).finish()) {
            Ok(_) | Err(FrameError::UnknownType { .. }) => {}
            Err(FrameError::NoHeader { .. } | FrameError::Truncated { .. }) => return self.later(),
            Err(error) => return Err(unreadable(&error)),
        }
        let mut message = context.new_message().map_err(|error| error.to_string())?;
        let mut bytes = Bytes { rest: entity, is_short: false };
        if let Err(error) = serializer.read_message(&mut message, &mut bytes) {
            return if bytes.is_short { self.later() } else { Err(unreadable(&error)) };
        }
        let (channel, size) = (number(channel), entity.len() - bytes.rest.len());
        self.worth = 0;
        self.start += CHANNEL + size;
        self.entities -= 1;
        Ok(Some((channel, message)))
    }

    /// The entity is not complete.
    fn later(&mut self) -> Result<Option<(u64, Message)>, String> {
        let size = self.buffer.len() - self.start;
        if size > LIMIT {
            return Err(format!("a message has more than {LIMIT} bytes"));
        }
        // A large entity is not walked through for each piece of it.
        self.worth = size + size / 8 + 1;
        Ok(None)
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> String {
    format!("a message cannot be read: {error}")
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Bytes, and whether more of them were wanted.
struct Bytes<'a> {
    rest: &'a [u8],
    is_short: bool,
}

impl Read for Bytes<'_> {
    fn read(&mut self, place: &mut [u8]) -> std::io::Result<usize> {
        self.is_short |= self.rest.len() < place.len();
        self.rest.read(place)
    }
}
