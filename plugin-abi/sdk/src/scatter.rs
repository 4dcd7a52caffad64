//! Messages as a header and pieces of memory, for networks: large pieces are sent from where they
//! lie, and received where they will lie.
//!
//! A serializer writes small things to the endpoint, and passes large ones to its `write_pointer`:
//! when it writes a message, memory to send; when it reads one, memory to fill. The order is the
//! same on both sides.
//!
//! Memory that the CPU does not reach goes by way of host memory: a serializer passes a copy of what
//! it sends, which [`keep_until_sent`] keeps, or passes memory to fill in place of it, and moves the
//! content once that is there, [`when_filled`]. Both concern the message that the calling thread
//! gathers or scatters with this copy of the SDK.

use crate::support::guard;
use crate::{
    Endpoint, EntitySerializer, Error, MemoryBuffer, Message, Result, ResultCode, StorageType, abi,
};
use core::ffi::c_void;
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

/// Memory of a payload.
#[derive(Clone, Copy)]
struct Piece {
    data: *mut u8,
    size: usize,
}

// SAFETY: a piece is memory of a message, which is `Send` and goes along with it.
unsafe impl Send for Piece {}
// SAFETY: as above; only `Scattered` writes to it, through `&mut`.
unsafe impl Sync for Piece {}

/// What to do with a message whose memory is filled.
type Step = Box<dyn FnOnce(&mut Message) -> Result<()> + Send>;

/// What serializers want kept or done, beside pieces of memory.
#[derive(Default)]
struct Aside {
    kept: Vec<MemoryBuffer>,
    steps: Vec<Step>,
}

thread_local! {
    /// Of the message that this thread gathers or scatters.
    static ASIDE: RefCell<Option<Aside>> = const { RefCell::new(None) };
}

fn aside(change: impl FnOnce(&mut Aside)) -> Result<()> {
    let changed = ASIDE.with_borrow_mut(|aside| aside.as_mut().map(change));
    changed.ok_or_else(|| {
        Error::new(
            ResultCode::MEMORY_INVALID_STORAGE_MODE,
            "this serializer writes device memory to links only; use the \
             gxe::MultimediaComponentSerializer, or copy the data to the host first",
        )
    })
}

/// Keeps memory that is passed to `write_pointer` until the message is sent.
///
/// # Errors
/// If this thread gathers no message.
pub fn keep_until_sent(memory: MemoryBuffer) -> Result<()> {
    aside(|aside| aside.kept.push(memory))
}

/// Calls a function once all memory of the message is filled.
///
/// # Errors
/// If this thread scatters no message.
pub fn when_filled(step: impl FnOnce(&mut Message) -> Result<()> + Send + 'static) -> Result<()> {
    aside(|aside| aside.steps.push(Box::new(step)))
}

/// A message to send.
pub struct Gathered {
    header: Vec<u8>,
    pieces: Vec<Piece>,
    /// Keeps the pieces alive and unchanged: a message with another holder cannot be changed.
    _message: Message,
    /// As the message.
    _kept: Vec<MemoryBuffer>,
}

impl Gathered {
    /// Serializes a message behind what `header` contains.
    ///
    /// # Errors
    /// Those of the serializer; `MEMORY_INVALID_STORAGE_MODE` for device memory.
    pub fn new(serializer: &EntitySerializer, message: Message, header: Vec<u8>) -> Result<Self> {
        let writer = Writer { header, pieces: Vec::new() };
        let (writer, written, aside) = with_endpoint(Side::Writer(writer), |endpoint| {
            serializer.write_to(&message, endpoint).map(drop)
        });
        written?;
        let Side::Writer(Writer { header, pieces }) = writer else {
            return Err(ResultCode::FAILURE.into());
        };
        Ok(Self { header, pieces, _message: message, _kept: aside.kept })
    }

    /// What was written to the endpoint.
    #[must_use]
    pub fn header(&self) -> &[u8] {
        &self.header
    }

    /// The same, to complete it.
    pub fn header_mut(&mut self) -> &mut Vec<u8> {
        &mut self.header
    }

    /// The same, to use its memory again.
    #[must_use]
    pub fn into_header(self) -> Vec<u8> {
        self.header
    }

    /// The pieces that follow.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        // SAFETY: a serializer passes readable memory of the message, which this value holds.
        self.pieces.iter().map(|piece| unsafe { piece.bytes() })
    }
}

/// A message that is being received.
pub struct Scattered {
    message: Message,
    pieces: Vec<Piece>,
    steps: Vec<Step>,
}

impl Scattered {
    /// Reads the header of a message into an empty one.
    ///
    /// # Errors
    /// Those of the serializer; `INVALID_DATA_FORMAT` if the header is longer than the message.
    pub fn new(serializer: &EntitySerializer, message: Message, header: &[u8]) -> Result<Self> {
        let mut message = message;
        let reader = Reader { header, position: 0, pieces: Vec::new() };
        let (reader, read, aside) = with_endpoint(Side::Reader(reader), |endpoint| {
            serializer.read_from(&mut message, endpoint)
        });
        read?;
        let Side::Reader(Reader { position, pieces, .. }) = reader else {
            return Err(ResultCode::FAILURE.into());
        };
        if position < header.len() {
            return Err(Error::new(
                ResultCode::INVALID_DATA_FORMAT,
                format!("{} bytes follow the last component", header.len() - position),
            ));
        }
        Ok(Self { message, pieces, steps: aside.steps })
    }

    /// Bytes of all pieces.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.size as u64).sum()
    }

    /// The rest of the memory to fill, behind this many bytes; empty if all is filled.
    pub fn place(&mut self, filled: u64) -> &mut [u8] {
        let mut before = filled;
        for piece in &self.pieces {
            if before < piece.size as u64 {
                // SAFETY: a serializer passes writable memory of the message, which only this
                // value holds.
                let bytes = unsafe { core::slice::from_raw_parts_mut(piece.data, piece.size) };
                return &mut bytes[usize::try_from(before).unwrap_or(piece.size)..];
            }
            before -= piece.size as u64;
        }
        &mut []
    }

    /// The message, whose memory is filled.
    ///
    /// # Errors
    /// If the content of memory cannot go where it belongs.
    pub fn into_message(self) -> Result<Message> {
        let Self { mut message, steps, .. } = self;
        steps.into_iter().try_for_each(|step| step(&mut message))?;
        Ok(message)
    }
}

impl Piece {
    /// # Safety
    /// The memory must be readable for as long as the result is used.
    unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: as required.
        unsafe { core::slice::from_raw_parts(self.data, self.size) }
    }
}

struct Writer {
    header: Vec<u8>,
    pieces: Vec<Piece>,
}

struct Reader<'a> {
    header: &'a [u8],
    position: usize,
    pieces: Vec<Piece>,
}

enum Side<'a> {
    Writer(Writer),
    Reader(Reader<'a>),
}

/// The object behind such an endpoint. A serializer may call it from any thread.
struct ScatterEndpoint<'a>(Mutex<Side<'a>>);

static TABLE: abi::EndpointVtable = abi::EndpointVtable {
    size: size_of::<abi::EndpointVtable>(),
    is_write_available,
    is_read_available,
    write,
    read,
    write_pointer: Some(write_pointer),
};

fn with_endpoint<'a, R>(side: Side<'a>, body: impl FnOnce(&Endpoint) -> R) -> (Side<'a>, R, Aside) {
    let outer = ASIDE.replace(Some(Aside::default()));
    let object = ScatterEndpoint(Mutex::new(side));
    let pointer = (&raw const object).cast_mut().cast();
    // SAFETY: the table's functions expect such an object, which lives until `body` returns. An
    // endpoint is borrowed for a call, so a serializer must not keep it.
    let endpoint = unsafe { Endpoint::from_raw(pointer, (&raw const TABLE).cast()) };
    let result = body(&endpoint);
    let aside = ASIDE.replace(outer).unwrap_or_default();
    (object.0.into_inner().unwrap_or_else(PoisonError::into_inner), result, aside)
}

fn with<R>(object: *mut c_void, body: impl FnOnce(&mut Side<'_>) -> R) -> R {
    // SAFETY: the table's functions are only called with a live `ScatterEndpoint`.
    let endpoint = unsafe { &*object.cast::<ScatterEndpoint<'_>>() };
    body(&mut endpoint.0.lock().unwrap_or_else(PoisonError::into_inner))
}

unsafe extern "C" fn is_write_available(object: *mut c_void) -> bool {
    with(object, |side| matches!(side, Side::Writer(_)))
}

unsafe extern "C" fn is_read_available(object: *mut c_void) -> bool {
    with(object, |side| matches!(side, Side::Reader(_)))
}

unsafe extern "C" fn write(
    object: *mut c_void,
    data: *const u8,
    size: usize,
    written: *mut usize,
) -> ResultCode {
    guard(|| {
        with(object, |side| match side {
            Side::Writer(writer) => {
                // SAFETY: the caller passes `size` readable bytes.
                let bytes = unsafe { Piece { data: data.cast_mut(), size }.bytes() };
                writer.header.extend_from_slice(bytes);
                Ok(())
            }
            Side::Reader(_) => Err(Error::failure("the endpoint is for reading")),
        })?;
        // SAFETY: the caller passes a valid place for the result.
        unsafe { written.write(size) };
        Ok(())
    })
}

unsafe extern "C" fn read(
    object: *mut c_void,
    data: *mut u8,
    size: usize,
    count: *mut usize,
) -> ResultCode {
    guard(|| {
        let read = with(object, |side| match side {
            Side::Reader(reader) => {
                let rest = &reader.header[reader.position..];
                let read = rest.len().min(size);
                if read > 0 {
                    // SAFETY: the caller passes `size` writable bytes.
                    unsafe { data.copy_from_nonoverlapping(rest.as_ptr(), read) };
                }
                reader.position += read;
                Ok(read)
            }
            Side::Writer(_) => Err(Error::failure("the endpoint is for writing")),
        })?;
        // SAFETY: the caller passes a valid place for the result.
        unsafe { count.write(read) };
        Ok(())
    })
}

unsafe extern "C" fn write_pointer(
    object: *mut c_void,
    data: *const u8,
    size: usize,
    storage: StorageType,
) -> ResultCode {
    guard(|| {
        if storage == StorageType::DEVICE {
            return Err(Error::new(
                ResultCode::MEMORY_INVALID_STORAGE_MODE,
                "device memory cannot be sent over this link; copy it to the host first",
            ));
        }
        if size > 0 && data.is_null() {
            return Err(ResultCode::ARGUMENT_NULL.into());
        }
        let piece = Piece { data: data.cast_mut(), size };
        with(object, |side| match side {
            Side::Writer(writer) => writer.pieces.push(piece),
            Side::Reader(reader) => reader.pieces.push(piece),
        });
        Ok(())
    })
}
