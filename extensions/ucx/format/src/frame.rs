//! The header of everything that is sent.

/// Bytes of a header.
pub const FRAME_SIZE: usize = 32;

const MAGIC: [u8; 4] = *b"GXEL";
const VERSION: u8 = 1;

/// What follows a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The transmitter's greeting.
    Hello = 1,
    /// The receiver's greeting.
    Welcome = 2,
    /// The receiver does not want this transmitter.
    Refused = 3,
    /// A message.
    Message = 4,
    /// From the receiver: `sequence` is the number of messages that it has, `body` how many there
    /// may be in all. No body follows.
    Credit = 5,
    /// A sign of life: `sequence` is the sender's time, nanoseconds of `CLOCK_MONOTONIC`, `body` the
    /// bytes of bodies that it has read. No body follows.
    Heartbeat = 6,
    /// The answer: `sequence` is the time of the heartbeat, `body` the time of the answer on the
    /// other clock. No body follows.
    Echo = 7,
    /// The transmitter sends no more; `sequence` is the number of messages that it sent.
    End = 8,
    /// The receiver takes no more.
    Ended = 9,
    /// A message of a few payloads of fixed size, as most small ones are: its head is an entity in the
    /// layout of GXF's `StdEntitySerializer`, a quarter of the other's size. No body follows.
    Compact = 10,
}

impl Kind {
    fn of(number: u8) -> Option<Self> {
        let all = [
            Self::Hello,
            Self::Welcome,
            Self::Refused,
            Self::Message,
            Self::Credit,
            Self::Heartbeat,
            Self::Echo,
            Self::End,
            Self::Ended,
            Self::Compact,
        ];
        all.into_iter().find(|kind| *kind as u8 == number)
    }

    /// Whether it is a message.
    #[must_use]
    pub fn is_message(self) -> bool {
        matches!(self, Self::Message | Self::Compact)
    }
}

/// A header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame {
    /// What it is.
    pub kind: Kind,
    /// See [`Kind`].
    pub sequence: u64,
    /// Bytes of the body, or what [`Kind`] says.
    pub body: u64,
    /// Bytes of the head.
    pub head: u32,
}

/// What is wrong with a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FrameError {
    /// The other end is something else.
    #[error("the peer does not speak gxe's link protocol")]
    Magic,
    /// The layout is of another version.
    #[error("the peer's frames have version {0}, and this gxe reads version {VERSION}")]
    Version(u8),
    /// It arrived damaged.
    #[error("a frame arrived damaged: its checksum is wrong")]
    Checksum,
    /// A kind of another version.
    #[error("a frame has the unknown kind {0}")]
    Kind(u8),
    /// A small frame says that much follows.
    #[error("a frame of kind {kind:?} states a head of {head} bytes")]
    Head {
        /// The kind.
        kind: Kind,
        /// The size.
        head: u32,
    },
}

impl Frame {
    /// A header with nothing behind it.
    #[must_use]
    pub fn small(kind: Kind, sequence: u64, body: u64) -> Self {
        Self { kind, sequence, body, head: 0 }
    }

    /// The header as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; FRAME_SIZE] {
        let mut bytes = [0; FRAME_SIZE];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4] = VERSION;
        bytes[5] = self.kind as u8;
        bytes[8..16].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.body.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.head.to_le_bytes());
        let sum = crc32fast::hash(&bytes[..28]);
        bytes[28..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a header.
    ///
    /// # Errors
    /// It is none, or damaged.
    pub fn from_bytes(bytes: &[u8; FRAME_SIZE]) -> Result<Self, FrameError> {
        let word = |from: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[from..from + 8]);
            u64::from_le_bytes(word)
        };
        if bytes[..4] != MAGIC {
            return Err(FrameError::Magic);
        }
        if bytes[4] != VERSION {
            return Err(FrameError::Version(bytes[4]));
        }
        let last = word(24);
        let (head, sum) = (last as u32, (last >> 32) as u32);
        if crc32fast::hash(&bytes[..28]) != sum {
            return Err(FrameError::Checksum);
        }
        let kind = Kind::of(bytes[5]).ok_or(FrameError::Kind(bytes[5]))?;
        let greets = matches!(kind, Kind::Hello | Kind::Welcome | Kind::Refused);
        if head > 0 && !greets && !kind.is_message() {
            return Err(FrameError::Head { kind, head });
        }
        Ok(Self { kind, sequence: word(8), body: word(16), head })
    }

    /// Bytes of the body that follow.
    #[must_use]
    pub fn body_size(&self) -> u64 {
        if self.kind == Kind::Message { self.body } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_no_bit_may_flip() {
        let frame = Frame { kind: Kind::Message, sequence: 7, body: 1 << 40, head: 300 };
        let bytes = frame.to_bytes();
        assert_eq!(Frame::from_bytes(&bytes), Ok(frame));
        for bit in 0..FRAME_SIZE * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(Frame::from_bytes(&damaged).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn small_frames_have_no_head() {
        let head = Frame { head: 1, ..Frame::small(Kind::Credit, 0, 0) };
        let error = Frame::from_bytes(&head.to_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "a frame of kind Credit states a head of 1 bytes");
    }
}
