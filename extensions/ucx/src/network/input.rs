//! From bytes to frames and messages. The memory of tensors and frames is read to where it will be
//! used; everything else goes through a buffer.

use super::options::Options;
use crate::entity_serializer::parse_small;
use crate::socket::Stream;
use gxe_access::unexpected_tls;
use gxe_ucp::{Endpoint, Memory, Received, WORTH_LENDING};
use gxf::{Error, Message, ResultCode, Scattered};
use gxf_link_format::{FRAME_SIZE, Frame, GREETING_LIMIT, Kind, walk};
use std::any::Any;
use std::io::ErrorKind;

/// Size of the buffer, unless a head needs more.
const BUFFER: usize = 64 << 10;
/// So many frames in a buffer that one read has filled are worth a larger one.
const MANY: usize = 4;
/// So many bytes of a message that are missing are worth waiting for together, and at most so many.
const WORTH_WAITING: u64 = 64 << 10;
const MOST_AWAITED: u64 = 512 << 10;
/// Why a connection is of no use any more.
const CLOSED: &str = "the peer has closed it";
/// A buffer of this size is kept when it is empty; one that a larger head needed is not.
const KEPT: usize = 16 << 20;

/// Reads a connection.
pub struct Input {
    buffer: Vec<u8>,
    /// The part of the buffer that is read and not yet used.
    start: usize,
    end: usize,
    body: Option<Body>,
    /// Size of the body that UCX fills.
    lent: Option<u64>,
    /// Whether messages are accepted; before the greeting they are not.
    pub accepts_messages: bool,
    /// Why a message cannot be read, however often it comes.
    pub unreadable: Option<Error>,
    /// Whether the latest read took all that was there.
    is_drained: bool,
    ends: bool,
    /// Whether any bytes came since the latest `begin`.
    pub has_read: bool,
    /// Bytes of bodies that were read.
    pub bodies: u64,
    /// Bytes that the stream waits for before it is readable.
    awaited: u64,
    /// Frames of the buffer since it was filled, and whether it was filled to its end.
    frames: usize,
    was_filled: bool,
}

/// A message whose memory is being filled.
struct Body {
    frame: Frame,
    scattered: Scattered,
    filled: u64,
}

impl Memory for Body {
    fn place(&mut self, filled: u64) -> &mut [u8] {
        self.scattered.place(filled)
    }
}

/// What was read.
pub enum Item {
    /// A frame with its head.
    Frame(Frame, Vec<u8>),
    /// A message, with its number, its bytes on the wire, and those of them behind its head.
    Message { sequence: u64, message: Message, bytes: u64, body: u64 },
    /// Nothing until the stream is readable again.
    Nothing,
}

impl Input {
    pub fn new(size: usize) -> Self {
        let buffer = vec![0; size.clamp(4096, BUFFER)];
        Self {
            buffer,
            start: 0,
            end: 0,
            body: None,
            lent: None,
            accepts_messages: false,
            unreadable: None,
            is_drained: false,
            ends: false,
            has_read: false,
            bodies: 0,
            awaited: 1,
            frames: 0,
            was_filled: false,
        }
    }

    /// There is something to read; `ends` if that includes the end of the stream.
    pub fn begin(&mut self, ends: bool) {
        self.is_drained = false;
        self.ends = ends;
        self.has_read = false;
    }

    /// Whether the stream may hold bytes of which it has said nothing yet.
    pub fn may_hold_bytes(&self) -> bool {
        self.awaited > 1
    }

    /// Bytes of the message that is being read, without its head.
    pub fn body_size(&self) -> u64 {
        self.lent.or(self.body.as_ref().map(|body| body.frame.body)).unwrap_or_default()
    }

    /// The next item. `Err` if the connection is of no use any more.
    pub fn next(&mut self, stream: &Stream, options: &Options) -> Result<Item, String> {
        loop {
            if self.lent.is_some() {
                if !self.take_filled(stream)? {
                    return Ok(Item::Nothing);
                }
                continue;
            }
            if let Some(body) = &mut self.body {
                if body.filled == body.frame.body
                    && let Some(Body { frame, scattered, .. }) = self.body.take()
                {
                    let bytes = FRAME_SIZE as u64 + u64::from(frame.head) + frame.body;
                    let message = scattered
                        .into_message()
                        .map_err(|error| self.unreadable(frame.sequence, error))?;
                    return Ok(Item::Message {
                        sequence: frame.sequence,
                        message,
                        bytes,
                        body: frame.body,
                    });
                } else if !self.fill(stream)? && !self.awaits_less(stream) {
                    return Ok(Item::Nothing);
                }
                continue;
            }
            match self.frame(options)? {
                Some(item) => return Ok(item),
                None if self.body.is_some() => {}
                None => {
                    if !self.read_more(stream)? && !self.awaits_less(stream) {
                        return Ok(Item::Nothing);
                    }
                }
            }
        }
    }

    /// Before a wait: has the stream wait for what is missing of a large message, rather than for each
    /// piece of it. Returns whether it waited for more so far, so that there may be something to read.
    fn awaits_less(&mut self, stream: &Stream) -> bool {
        let missing = self.body.as_ref().map_or(0, |body| body.frame.body - body.filled);
        let wanted = if missing >= WORTH_WAITING { missing.min(MOST_AWAITED) } else { 1 };
        let before = self.awaited;
        if wanted == before || !stream.await_bytes(wanted) {
            return false;
        }
        self.awaited = wanted;
        let is_less = wanted < before && !self.ends;
        if is_less {
            self.is_drained = false;
        }
        is_less
    }

    /// What the log says of a message that cannot be read, however often it comes.
    fn never_readable(&mut self, sequence: u64, error: Error) -> String {
        let text = format!("message {sequence} cannot be read: {error}");
        self.unreadable = Some(error.context(format!("message {sequence}")));
        text
    }

    /// What the log says of a message that cannot be read. For a lack of memory there may be help, not
    /// for a lack of a device.
    fn unreadable(&mut self, sequence: u64, error: Error) -> String {
        let may_pass = [
            ResultCode::OUT_OF_MEMORY,
            ResultCode::EXCEEDING_PREALLOCATED_SIZE,
            ResultCode::INVALID_DATA_FORMAT,
        ];
        if may_pass.contains(&error.code()) {
            return format!("message {sequence} cannot be read: {error}");
        }
        self.never_readable(sequence, error)
    }

    /// Has UCX fill the memory of a large message from here on, if that carries the stream.
    fn lend(&mut self, stream: &Stream) -> bool {
        if self.start < self.end {
            return false;
        }
        let endpoint = stream.endpoint().filter(|endpoint| endpoint.has_read_all());
        let Some(endpoint) = endpoint else { return false };
        let is_large = |body: &mut Body| body.scattered.place(body.filled).len() >= WORTH_LENDING;
        let Some(body) = self.body.take_if(is_large) else { return false };
        self.lent = Some(body.frame.body);
        let filled = body.filled;
        endpoint.receive(Box::new(body), filled);
        true
    }

    /// Asks UCX for the memory of the message. Returns whether anything came.
    fn take_filled(&mut self, stream: &Stream) -> Result<bool, String> {
        let received = stream.endpoint().map(Endpoint::received);
        let Received { filled, memory } = match received {
            Some(Ok(received)) => received,
            Some(Err(error)) if error.kind() != ErrorKind::UnexpectedEof => {
                return Err(error.to_string());
            }
            _ => return Err(CLOSED.to_owned()),
        };
        self.bodies += filled;
        self.has_read |= filled > 0;
        let Some(memory) = memory else { return Ok(filled > 0) };
        let memory: Box<dyn Any> = memory;
        self.lent = None;
        self.body = memory.downcast::<Body>().ok().map(|body| *body);
        if let Some(body) = &mut self.body {
            // Up to the end of the place that it was lent for.
            body.filled += body.scattered.place(body.filled).len() as u64;
        }
        Ok(true)
    }

    /// Fills the memory of the message. Returns whether anything came.
    fn fill(&mut self, stream: &Stream) -> Result<bool, String> {
        if self.lend(stream) {
            return Ok(true);
        }
        let Some(body) = &mut self.body else { return Ok(false) };
        let place = body.scattered.place(body.filled);
        let ready = &self.buffer[self.start..self.end];
        let count = if ready.is_empty() {
            match read(stream, place, self.ends, &mut self.is_drained)? {
                None => return Ok(false),
                Some(count) => {
                    self.has_read = true;
                    count
                }
            }
        } else {
            let count = ready.len().min(place.len());
            place[..count].copy_from_slice(&ready[..count]);
            self.start += count;
            count
        };
        body.filled += count as u64;
        self.bodies += count as u64;
        Ok(true)
    }

    /// The next frame of the buffer, if it is there with its head. A message becomes the body.
    fn frame(&mut self, options: &Options) -> Result<Option<Item>, String> {
        let ready = &self.buffer[self.start..self.end];
        let Some(header) = ready.first_chunk::<FRAME_SIZE>() else { return Ok(None) };
        let frame = Frame::from_bytes(header).map_err(|error| error.to_string())?;
        if !frame.kind.is_message() {
            if frame.head > GREETING_LIMIT {
                let (kind, head) = (frame.kind, frame.head);
                return Err(format!(
                    "a head of {head} bytes, and {kind:?} may have {GREETING_LIMIT}"
                ));
            }
        } else if !self.accepts_messages {
            return Err("a message came before a greeting".to_owned());
        } else {
            let bytes = frame.body.saturating_add(frame.head.into());
            if bytes > options.maximum_message_size {
                let most = options.maximum_message_size;
                let text = format!("it has {bytes} bytes, and `maximum_message_size` is {most}");
                let error = Error::new(ResultCode::EXCEEDING_PREALLOCATED_SIZE, text);
                return Err(self.never_readable(frame.sequence, error));
            }
        }
        let size = FRAME_SIZE + frame.head as usize;
        self.frames += 1;
        let Some(head) = ready.get(FRAME_SIZE..size) else {
            // With what arrives: the peer may state more than it sends.
            let wanted = size.min(2 * ready.len().max(BUFFER / 2));
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            return Ok(None);
        };
        if !frame.kind.is_message() {
            let head = head.to_vec();
            self.start += size;
            return Ok(Some(Item::Frame(frame, head)));
        }
        if frame.kind == Kind::Compact {
            let parsed = parse_small(&options.context, head);
            let parsed = parsed.map_err(|error| self.unreadable(frame.sequence, error))?;
            let Some(message) = parsed.filter(|_| frame.body == 0) else {
                return Err(format!("message {} has no payloads of fixed size", frame.sequence));
            };
            self.start += size;
            let (sequence, bytes) = (frame.sequence, size as u64);
            return Ok(Some(Item::Message { sequence, message, bytes, body: 0 }));
        }
        if options.knows_layout {
            walk(head, frame.body).map_err(|error| error.to_string())?;
        }
        let scattered = options
            .context
            .new_message()
            .and_then(|empty| Scattered::new(options.serializer.any(), empty, head))
            .map_err(|error| self.unreadable(frame.sequence, error))?;
        if scattered.size() != frame.body {
            let (stated, brought) = (scattered.size(), frame.body);
            return Err(format!("a message states {stated} bytes, and brings {brought}"));
        }
        self.start += size;
        self.body = Some(Body { frame, scattered, filled: 0 });
        Ok(None)
    }

    /// Reads into the buffer. Returns whether anything came.
    fn read_more(&mut self, stream: &Stream) -> Result<bool, String> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.buffer.len() > KEPT {
                self.buffer.truncate(BUFFER);
                self.buffer.shrink_to_fit();
            }
        } else if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.was_filled && self.frames >= MANY && self.buffer.len() < BUFFER {
            self.buffer.resize(BUFFER, 0);
        }
        self.frames = 0;
        let place = &mut self.buffer[self.end..];
        let read = read(stream, place, self.ends, &mut self.is_drained).map_err(|problem| {
            unexpected_tls(&self.buffer[..self.end]).map_or(problem, str::to_owned)
        });
        let Some(count) = read? else { return Ok(false) };
        self.has_read = true;
        self.end += count;
        self.was_filled = self.end == self.buffer.len();
        Ok(true)
    }
}

/// Reads some bytes; `None` if there are none now. A socket that gives less than it could has no
/// more, so it is not asked again before it says so.
fn read(
    stream: &Stream,
    place: &mut [u8],
    ends: bool,
    is_drained: &mut bool,
) -> Result<Option<usize>, String> {
    if *is_drained {
        return Ok(None);
    }
    loop {
        match stream.read(place) {
            Ok(0) => return Err(CLOSED.to_owned()),
            Ok(count) => {
                *is_drained = count < place.len() && !ends && stream.gives_all();
                return Ok(Some(count));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error.to_string()),
        }
    }
}
