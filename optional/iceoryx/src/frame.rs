//! What samples of the service contain.
//!
//! A message is one sample with what its serializer wrote, behind as many samples with tensors as it
//! has in shared memory. Tensors that lie elsewhere are copied behind what the serializer wrote.

use gxf::{Error, Result, ResultCode};
use iceoryx2::prelude::ZeroCopySend;

/// What a sample contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memory of a message that follows.
    Part,
    /// A message.
    Message,
    /// Nothing follows.
    End,
}

/// Stands beside each sample.
#[derive(Clone, Copy, Debug, Default, ZeroCopySend)]
#[type_name("gxe::iceoryx::FrameHeader")]
#[repr(C)]
pub struct FrameHeader {
    kind: u16,
    /// What the publisher wants to know, see [`FrameHeader::wants`].
    wanted: u16,
    /// Samples before this one that belong to its message.
    pub parts: u32,
    /// Number of the sample among those of its publisher, from 0 on.
    pub sequence: u64,
    /// Pieces of memory that the message describes.
    pub pieces: u64,
    /// Bytes that the serializer wrote, behind the descriptions of the pieces.
    pub header_size: u64,
}

/// What a publisher wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// That the sample is taken, since subscribers have little room left.
    Taken = 1,
    /// That its memory is free, since there is little left.
    Free = 2,
}

/// Says which samples a subscriber has taken.
#[derive(Clone, Copy, Debug, Default, ZeroCopySend)]
#[type_name("gxe::iceoryx::Taken")]
#[repr(C)]
pub struct Taken {
    pub publisher: [u64; 2],
    pub subscriber: [u64; 2],
    /// Number of the first sample that it has not taken.
    pub next: u64,
}

/// Where the bytes of a tensor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which part of the message; none for bytes behind the header.
    pub part: Option<u32>,
    /// First byte in the part, or behind the header.
    pub offset: u64,
    pub size: u64,
}

const PIECE_SIZE: usize = 24;
const NO_PART: u64 = u64::MAX;

impl FrameHeader {
    pub fn new(kind: Kind, sequence: u64) -> Self {
        let kind = match kind {
            Kind::Part => 1,
            Kind::Message => 2,
            Kind::End => 3,
        };
        Self { kind, sequence, ..Self::default() }
    }

    /// Whether the publisher wants to know this. It asks only if it may have to wait soon: an answer
    /// wakes it.
    pub fn wants(&self, wanted: Wanted) -> bool {
        self.wanted & wanted as u16 != 0
    }

    /// Asks for an answer.
    pub fn want(&mut self, wanted: Wanted) {
        self.wanted |= wanted as u16;
    }

    pub fn kind(&self) -> Result<Kind> {
        match self.kind {
            1 => Ok(Kind::Part),
            2 => Ok(Kind::Message),
            3 => Ok(Kind::End),
            other => Err(bad(format!("it is of an unknown kind, {other}"))),
        }
    }
}

/// The two halves of an id of iceoryx2.
pub fn halves(id: u128) -> [u64; 2] {
    [(id >> 64) as u64, id as u64]
}

fn bad(text: String) -> Error {
    Error::new(ResultCode::INVALID_DATA_FORMAT, text)
}

/// Adds the description of a piece.
pub fn write_piece(piece: Piece, to: &mut Vec<u8>) {
    for number in [piece.part.map_or(NO_PART, u64::from), piece.offset, piece.size] {
        to.extend(number.to_ne_bytes());
    }
}

/// A message as it arrived.
pub struct Frame<'a> {
    pub pieces: Vec<Piece>,
    /// What the serializer wrote.
    pub header: &'a [u8],
    /// Bytes of tensors that were copied.
    pub rest: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Takes a message apart; every piece lies within its part.
    ///
    /// # Errors
    /// `INVALID_DATA_FORMAT` says what does not fit.
    pub fn read(header: &FrameHeader, parts: &[u64], bytes: &'a [u8]) -> Result<Self> {
        if u64::from(header.parts) != parts.len() as u64 {
            return Err(bad(format!("it has {} parts, and {} came", header.parts, parts.len())));
        }
        let table = usize::try_from(header.pieces).ok().and_then(|it| it.checked_mul(PIECE_SIZE));
        let (Some(table), Ok(header_size)) = (table, usize::try_from(header.header_size)) else {
            return Err(bad("its lengths are too large".to_owned()));
        };
        let split = bytes.split_at_checked(table).and_then(|(table, rest)| {
            rest.split_at_checked(header_size).map(|(header, rest)| (table, header, rest))
        });
        let Some((table, text, rest)) = split else {
            return Err(bad(format!("it has only {} bytes", bytes.len())));
        };
        let pieces = table.chunks_exact(PIECE_SIZE).map(|chunk| {
            let number = |at: usize| {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(&chunk[8 * at..8 * at + 8]);
                u64::from_ne_bytes(bytes)
            };
            let (part, offset, size) = (number(0), number(1), number(2));
            let (part, room) = match part {
                NO_PART => (None, Some(rest.len() as u64)),
                part => {
                    let index = u32::try_from(part).ok();
                    (index, index.and_then(|index| parts.get(index as usize)).copied())
                }
            };
            let end = offset.checked_add(size);
            if room.is_none() || end.is_none() || end > room {
                return Err(bad(format!("a piece of {size} bytes lies outside of it")));
            }
            Ok(Piece { part, offset, size })
        });
        Ok(Self { pieces: pieces.collect::<Result<_>>()?, header: text, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(pieces: &[Piece], text: &[u8], rest: &[u8], parts: u32) -> (FrameHeader, Vec<u8>) {
        let mut header = FrameHeader::new(Kind::Message, 7);
        (header.parts, header.pieces) = (parts, pieces.len() as u64);
        header.header_size = text.len() as u64;
        let mut bytes = Vec::new();
        pieces.iter().for_each(|piece| write_piece(*piece, &mut bytes));
        bytes.extend(text);
        bytes.extend(rest);
        (header, bytes)
    }

    #[test]
    fn a_message_is_read_as_it_was_written() {
        let pieces =
            [Piece { part: Some(0), offset: 3, size: 5 }, Piece { part: None, offset: 1, size: 2 }];
        let (header, bytes) = message(&pieces, b"text", b"abc", 1);
        let frame = Frame::read(&header, &[8], &bytes).unwrap();
        assert_eq!(
            (&frame.pieces[..], frame.header, frame.rest),
            (&pieces[..], &b"text"[..], &b"abc"[..])
        );
    }

    #[test]
    fn lengths_that_do_not_fit_are_refused() {
        let outside = "lies outside of it";
        for (piece, parts, text) in [
            (Piece { part: Some(0), offset: 4, size: 5 }, &[8_u64][..], outside),
            (Piece { part: Some(1), offset: 0, size: 1 }, &[8], outside),
            (Piece { part: None, offset: 3, size: 1 }, &[8], outside),
            (Piece { part: None, offset: u64::MAX, size: 2 }, &[8], outside),
            (Piece { part: None, offset: 0, size: 1 }, &[], "it has 1 parts, and 0 came"),
        ] {
            let (header, bytes) = message(&[piece], b"text", b"abc", 1);
            let error = Frame::read(&header, parts, &bytes).err().unwrap();
            assert!(error.to_string().contains(text), "{error}");
        }
        let (mut header, bytes) = message(&[], b"text", b"", 0);
        header.header_size = 5;
        assert!(Frame::read(&header, &[], &bytes).is_err());
        header.pieces = u64::MAX;
        assert!(Frame::read(&header, &[], &bytes).is_err());
        assert!(FrameHeader { kind: 4, ..header }.kind().is_err());
    }
}
