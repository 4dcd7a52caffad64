//! What a transmitter has turned into bytes, until the receiver has it.
//!
//! Small messages are copied to neighbouring memory. A message with more is held, and its memory is
//! written from where it is.

use crate::entity_serializer::MessageSerializer;
use gxe_ucp::WORTH_LENDING;
use gxf::serialization::Pattern;
use gxf::{Error, Gathered, Message, Result, ResultCode};
use gxf_link_format::{COPIED, Chunks, FRAME_SIZE, Frame, Kind, Place};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::io::IoSlice;
use std::sync::Arc;

/// Most pieces of memory in one system call.
const SLICES: usize = 64;
/// Heads that are kept to be used again, and the largest of them.
const SPARE: usize = 16;
const SPARE_SIZE: usize = 64 << 10;

/// Messages with their frames, in order.
#[derive(Default)]
pub struct Sent {
    messages: VecDeque<Bytes>,
    /// The first `written` messages are on the stream, and `offset` bytes of the next one.
    written: usize,
    offset: usize,
    /// Bytes of the others, with those of `offset`.
    unwritten: usize,
    chunks: Chunks,
    /// Of the latest small message.
    pattern: Pattern,
    /// Heads to use again.
    spare: Vec<Vec<u8>>,
}

/// A message.
enum Bytes {
    /// Pieces of the message itself, which is held until the receiver has it.
    Held(Arc<Gathered>),
    Copied(Place),
}

impl Bytes {
    fn size(&self) -> usize {
        match self {
            Self::Held(gathered) => pieces(gathered).map(<[u8]>::len).sum(),
            Self::Copied(place) => place.size(),
        }
    }
}

/// A piece of a message that is held.
struct Piece {
    gathered: Arc<Gathered>,
    index: usize,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        pieces(&self.gathered).nth(self.index).unwrap_or_default()
    }
}

fn pieces(gathered: &Gathered) -> impl Iterator<Item = &[u8]> {
    std::iter::once(gathered.header()).chain(gathered.pieces())
}

impl Sent {
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Number of messages that are written in full.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Number of the others.
    pub fn unwritten(&self) -> usize {
        self.messages.len() - self.written
    }

    /// Bytes of the others.
    pub fn unwritten_bytes(&self) -> usize {
        self.unwritten
    }

    /// Whether a part of a message is written, whose rest must follow.
    pub fn is_within_message(&self) -> bool {
        self.offset > 0
    }

    /// Adds a message. `head_size` is the size that the buffer of the head of one with tensors begins
    /// with. Returns the number of bytes.
    ///
    /// # Errors
    /// Those of the serializer; then the message is not added.
    pub fn push(
        &mut self,
        serializer: &MessageSerializer,
        message: Message,
        sequence: u64,
        head_size: usize,
    ) -> Result<usize> {
        if let Some(size) = self.push_small(serializer, &message, sequence)? {
            return Ok(size);
        }
        let bytes = self.gather(serializer, message, sequence, head_size)?;
        Ok(self.add(bytes))
    }

    /// The same for a message of small payloads; `None` if it has others, and is not added.
    pub fn push_small(
        &mut self,
        serializer: &MessageSerializer,
        message: &Message,
        sequence: u64,
    ) -> Result<Option<usize>> {
        let pattern = &mut self.pattern;
        let copied = self.chunks.add(|chunk, start| {
            chunk.resize(start + FRAME_SIZE, 0);
            match serializer.append(message, sequence, pattern, chunk) {
                Ok(true) => complete(&mut chunk[start..], Kind::Compact, sequence, 0).map_err(Some),
                Ok(false) => Err(None),
                Err(error) => Err(Some(error)),
            }
        });
        match copied {
            Ok(place) => Ok(Some(self.add(Bytes::Copied(place)))),
            Err(None) => Ok(None),
            Err(Some(error)) => Err(error),
        }
    }

    fn add(&mut self, bytes: Bytes) -> usize {
        let size = bytes.size();
        self.unwritten += size;
        self.messages.push_back(bytes);
        size
    }

    /// A message by way of its serializer's interface.
    fn gather(
        &mut self,
        serializer: &MessageSerializer,
        message: Message,
        sequence: u64,
        head_size: usize,
    ) -> Result<Bytes> {
        let mut head = self.spare.pop().unwrap_or_default();
        head.clear();
        head.reserve(head_size);
        head.resize(FRAME_SIZE, 0);
        let mut gathered = Gathered::new(serializer.any(), message, head)?;
        let body = gathered.pieces().map(|piece| piece.len() as u64).sum();
        complete(gathered.header_mut(), Kind::Message, sequence, body)?;
        if body > COPIED {
            return Ok(Bytes::Held(Arc::new(gathered)));
        }
        let place = self.chunks.add(|chunk, _| {
            pieces(&gathered).for_each(|piece| chunk.extend_from_slice(piece));
            Ok(())
        });
        self.keep_head(gathered);
        place.map(Bytes::Copied)
    }

    fn keep_head(&mut self, gathered: Gathered) {
        let head = gathered.into_header();
        if self.spare.len() < SPARE && head.capacity() <= SPARE_SIZE {
            self.spare.push(head);
        }
    }

    /// The rest of a large piece of memory that is to be written next.
    pub fn large_piece(&self) -> Option<bytes::Bytes> {
        let Bytes::Held(gathered) = self.messages.get(self.written)? else { return None };
        let mut skip = self.offset;
        for (index, piece) in pieces(gathered).enumerate() {
            if skip < piece.len() {
                let piece = Piece { gathered: gathered.clone(), index };
                let is_large = piece.as_ref().len() - skip >= WORTH_LENDING;
                return is_large.then(|| bytes::Bytes::from_owner(piece).slice(skip..));
            }
            skip -= piece.len();
        }
        None
    }

    /// What is not written, at least its beginning; or what is before the next large piece of memory.
    pub fn slices(&self, before_large: bool) -> SmallVec<[IoSlice<'_>; SLICES]> {
        let mut slices = SmallVec::new();
        let mut skip = self.offset;
        // Copied neighbours that are not among the slices yet.
        let mut neighbours: Option<Place> = None;
        for message in self.messages.range(self.written..) {
            // One place is for the neighbours.
            if slices.len() + 1 >= SLICES {
                break;
            }
            match message {
                Bytes::Copied(place) => {
                    let place = place.without(std::mem::take(&mut skip));
                    let joined = neighbours.and_then(|before| before.joined(place));
                    if joined.is_none() {
                        slices.extend(neighbours.map(|before| self.slice(before)));
                    }
                    neighbours = joined.or(Some(place));
                }
                Bytes::Held(gathered) => {
                    slices.extend(neighbours.take().map(|before| self.slice(before)));
                    for piece in pieces(gathered) {
                        if skip >= piece.len() {
                            skip -= piece.len();
                            continue;
                        }
                        if slices.len() == SLICES
                            || before_large && piece.len() - skip >= WORTH_LENDING
                        {
                            return slices;
                        }
                        slices.push(IoSlice::new(&piece[skip..]));
                        skip = 0;
                    }
                }
            }
        }
        slices.extend(neighbours.map(|before| self.slice(before)));
        slices
    }

    fn slice(&self, place: Place) -> IoSlice<'_> {
        IoSlice::new(self.chunks.bytes(place))
    }

    /// So many bytes more are written.
    pub fn advance(&mut self, bytes: usize) {
        let mut bytes = bytes;
        while bytes > 0
            && let Some(message) = self.messages.get(self.written)
        {
            let size = message.size();
            if self.offset + bytes < size {
                self.offset += bytes;
                return;
            }
            bytes -= size - self.offset;
            self.unwritten -= size;
            self.offset = 0;
            self.written += 1;
        }
    }

    /// Everything is to be written again, on a new stream.
    pub fn rewind(&mut self) {
        (self.written, self.offset) = (0, 0);
        self.unwritten = self.messages.iter().map(Bytes::size).sum();
    }

    /// Forgets the first message. False if there is none.
    pub fn pop(&mut self) -> bool {
        let Some(message) = self.messages.pop_front() else { return false };
        if self.written > 0 {
            self.written -= 1;
        } else {
            self.unwritten -= message.size();
            self.offset = 0;
        }
        match message {
            // UCX may not know yet that it is sent.
            Bytes::Held(gathered) => _ = Arc::into_inner(gathered).map(|it| self.keep_head(it)),
            Bytes::Copied(place) => self.chunks.release(place),
        }
        true
    }
}

/// Fills in the frame in front of the head of a message.
fn complete(bytes: &mut [u8], kind: Kind, sequence: u64, body: u64) -> Result<()> {
    let head = bytes.len() - FRAME_SIZE;
    let head = u32::try_from(head).map_err(|_| {
        let text = format!("a message has a head of {head} bytes");
        Error::new(ResultCode::EXCEEDING_PREALLOCATED_SIZE, text)
    })?;
    let frame = Frame { kind, sequence, body, head };
    bytes[..FRAME_SIZE].copy_from_slice(&frame.to_bytes());
    Ok(())
}
