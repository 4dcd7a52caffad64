//! From bytes to messages. Nothing is allocated for a length before so many bytes are there: an
//! entity is walked through in the buffer first, and its serializer reads it once it is complete.
//! A size or a number beyond the limits ends the connection as soon as it is there, not once as many
//! bytes have come.

use gxf::{ContextHandle, EntitySerializer, Handle, Message};
use gxf_recording::layout::ENTITY_HEADER_SIZE;
use gxf_recording::walk::{EntityWalk, NAME};
use gxf_recording::{FrameError, TypeId};
use std::io::{ErrorKind, Read};

/// Size of a frame's header: a size, which GXF leaves 0, and the number of entities.
pub const HEADER: usize = 16;
/// Size of the number of a channel, before each entity.
pub const CHANNEL: usize = 8;
/// Most bytes of an entity.
const LIMIT: usize = 1 << 30;
/// Most entities of a frame.
const ENTITIES: u64 = 1 << 16;
/// Most bytes of a frame.
const FRAME_LIMIT: u64 = ENTITIES * LIMIT as u64;
/// Most components of an entity.
const COMPONENTS: u64 = 1 << 16;
/// Most bytes of the name of a component, as for every serializer.
const NAME_LIMIT: u64 = 1024;
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
    /// Bytes that the entity has at least, with its channel.
    least: usize,
    /// Bytes at which it is worth asking the serializer again, which alone knows the length.
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
            self.entities = entities(header)?;
            self.start += HEADER;
        }
        let ready = &self.buffer[self.start..];
        if ready.len() < self.least.max(self.worth).max(CHANNEL) {
            return Ok(None);
        }
        let (channel, entity) = ready.split_at(CHANNEL);
        let least = least_size(entity, foreign)?;
        if least > entity.len() {
            self.least = CHANNEL + least;
            return Ok(None);
        }
        let mut message = context.new_message().map_err(|error| error.to_string())?;
        let mut bytes = Bytes { rest: entity, is_short: false };
        if let Err(error) = serializer.read_message(&mut message, &mut bytes) {
            return if bytes.is_short { self.later() } else { Err(unreadable(&error)) };
        }
        let (channel, size) = (number(channel), entity.len() - bytes.rest.len());
        (self.least, self.worth) = (0, 0);
        self.start += CHANNEL + size;
        self.entities -= 1;
        Ok(Some((channel, message)))
    }

    /// The serializer wants more bytes.
    fn later(&mut self) -> Result<Option<(u64, Message)>, String> {
        let size = self.pending();
        if size > LIMIT {
            return Err(format!("a message has more than {LIMIT} bytes"));
        }
        // A large entity is not read for each piece of it.
        self.worth = size + size / 8 + 1;
        Ok(None)
    }
}

/// The number of entities of a frame. `Err` if no frame has this header.
fn entities(header: &[u8; HEADER]) -> Result<u64, String> {
    let (size, entities) = (number(&header[..8]), number(&header[8..]));
    if size > FRAME_LIMIT || entities > ENTITIES {
        return Err(format!(
            "it sent no header of GXF: a frame has at most {ENTITIES} messages, and not {entities} \
             in {size} bytes"
        ));
    }
    Ok(entities)
}

/// Bytes that an entity has at least, as far as its lengths are there; no more than there are if it
/// may be complete. `Err` if no entity begins like this.
fn least_size(entity: &[u8], foreign: &[TypeId]) -> Result<usize, String> {
    let size = entity.len() as u64;
    let walk = match EntityWalk::begin(&entity, 0, size) {
        Err(FrameError::NoHeader { .. }) => return Ok(ENTITY_HEADER_SIZE as usize),
        walk => walk.map_err(|error| unreadable(&error))?,
    };
    let (count, stated) = (walk.header().component_count, walk.header().serialized_size);
    if count > COMPONENTS || stated > LIMIT as u64 {
        let text = format!("it states {count} components in {stated} bytes");
        return Err(unreadable(&text));
    }
    match walk.with_foreign(foreign).finish() {
        Ok(_) | Err(FrameError::UnknownType { .. }) => Ok(entity.len()),
        Err(FrameError::Truncated { what, component, needed, available }) => {
            let least = (size - available).checked_add(needed);
            let least = least.filter(|_| what != NAME || needed <= NAME_LIMIT);
            let least = least.and_then(|least| usize::try_from(least).ok());
            least.filter(|least| *least <= LIMIT).ok_or_else(|| {
                let text = format!("{what} of component {component} would have {needed} bytes");
                unreadable(&text)
            })
        }
        Err(error) => Err(unreadable(&error)),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An entity with a component of this type, a name of this stated length, and what follows.
    fn entity(tid: TypeId, length: u64, rest: &[u8]) -> Vec<u8> {
        let mut entity = vec![0; ENTITY_HEADER_SIZE as usize];
        entity[24] = 1;
        for number in [0, tid.0, tid.1, length] {
            entity.extend(number.to_le_bytes());
        }
        entity.extend(rest);
        entity
    }

    #[test]
    fn a_frame_has_a_limit() {
        let header = |size: u64, entities: u64| {
            let bytes = [size.to_le_bytes(), entities.to_le_bytes()].concat();
            <[u8; HEADER]>::try_from(bytes).unwrap()
        };
        for count in [0, 1, 3, ENTITIES] {
            assert_eq!(entities(&header(0, count)), Ok(count));
            assert_eq!(entities(&header(FRAME_LIMIT, count)), Ok(count));
        }
        for (size, count) in [(0, ENTITIES + 1), (0, u64::MAX), (u64::MAX, 1), (1 << 47, 0)] {
            let text = entities(&header(size, count)).unwrap_err();
            assert!(text.contains(&format!("and not {count} in {size} bytes")), "{text}");
        }
        assert!(entities(b"GET / HTTP/1.1\r\n").is_err());
    }

    #[test]
    fn an_entity_says_how_many_bytes_it_has() {
        let whole = entity(TypeId::TIMESTAMP, 9, &[b"timestamp", &[0; 16][..]].concat());
        for size in 0..=whole.len() {
            let least = least_size(&whole[..size], &[]).unwrap();
            match size {
                0..40 => assert_eq!(least, 40),
                40..72 => assert_eq!(least, 72),
                72..81 => assert_eq!(least, 81),
                _ => assert_eq!(least, whole.len()),
            }
        }
        // Its serializer alone knows.
        assert_eq!(least_size(&whole[..90], &[TypeId::TIMESTAMP]), Ok(90));
        assert_eq!(least_size(&entity(TypeId(1, 2), 0, &[]), &[]), Ok(72));
    }

    #[test]
    fn what_is_too_large_is_not_awaited() {
        let of = |at: usize, value: u64| {
            let mut entity = entity(TypeId::TENSOR, 0, &[0; 116]);
            entity[at..at + 8].copy_from_slice(&value.to_le_bytes());
            least_size(&entity, &[])
        };
        let tensor = |bytes: i32| {
            let mut entity = entity(TypeId::TENSOR, 0, &[0; 116]);
            entity[72 + 4..][..4].copy_from_slice(&2_i32.to_le_bytes());
            entity[72 + 8..][..8].copy_from_slice(&1_u64.to_le_bytes());
            entity[72 + 16..][..4].copy_from_slice(&1_u32.to_le_bytes());
            entity[72 + 20..][..4].copy_from_slice(&bytes.to_le_bytes());
            least_size(&entity, &[])
        };
        assert_eq!(of(64, 1024), Ok(72 + 1024));
        assert_eq!(tensor(1000), Ok(72 + 116 + 1000));
        for (refused, text) in [
            (least_size(&[0xff; 40], &[]), "it states 18446744073709551615 components in 1844"),
            (of(24, COMPONENTS + 1), "it states 65537 components in 0 bytes"),
            (of(0, 1 << 31), "it states 1 components in 2147483648 bytes"),
            (of(64, 1025), "the name of component 0 would have 1025 bytes"),
            (of(64, u64::MAX), "the name of component 0 would have 18446744073709551615 bytes"),
            (tensor(1 << 30), "the data of component 0 would have 1073741824 bytes"),
            (tensor(-1), "the tensor in component 0 is impossible"),
        ] {
            let refused = refused.unwrap_err();
            let text = format!("a message cannot be read: {text}");
            assert!(refused.starts_with(&text), "{refused}");
        }
    }
}
