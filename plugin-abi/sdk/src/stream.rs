//! Endpoints over Rust's streams, so that serializers can use files.

use crate::support::guard;
use crate::{
    Endpoint, EntitySerializer, Error, Message, MessageRef, Result, ResultCode, StorageType, abi,
};
use core::ffi::c_void;
use std::io::{ErrorKind, Read, Write};
use std::sync::{Mutex, PoisonError};

/// A stream in one of the two directions.
enum Stream<'a> {
    Reader(&'a mut (dyn Read + Send)),
    Writer(&'a mut (dyn Write + Send)),
}

/// The object behind such an endpoint. A serializer may call it from any thread.
struct StreamEndpoint<'a>(Mutex<Stream<'a>>);

static TABLE: abi::EndpointVtable = abi::EndpointVtable {
    size: size_of::<abi::EndpointVtable>(),
    is_write_available,
    is_read_available,
    write,
    read,
    write_pointer: Some(write_pointer),
};

impl Endpoint {
    /// An endpoint that reads from a stream, valid during `body`.
    pub fn of_reader<R>(
        reader: &mut (dyn Read + Send),
        body: impl FnOnce(&Self) -> Result<R>,
    ) -> Result<R> {
        over(Stream::Reader(reader), body)
    }

    /// An endpoint that writes to a stream, valid during `body`.
    pub fn of_writer<R>(
        writer: &mut (dyn Write + Send),
        body: impl FnOnce(&Self) -> Result<R>,
    ) -> Result<R> {
        over(Stream::Writer(writer), body)
    }

    /// Writes all of `bytes`.
    pub fn write_all(&self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let written = self.write(bytes.as_ptr(), bytes.len())?;
            match bytes.get(written..).filter(|_| written > 0) {
                Some(rest) => bytes = rest,
                None => return Err(Error::failure("the endpoint takes no more bytes")),
            }
        }
        Ok(())
    }

    /// Fills `bytes`.
    pub fn read_exact(&self, bytes: &mut [u8]) -> Result<()> {
        let wanted = bytes.len();
        let mut rest = bytes;
        while !rest.is_empty() {
            let read = self.read(rest.as_mut_ptr(), rest.len())?;
            if read == 0 || read > rest.len() {
                return Err(Error::failure(format!(
                    "the data ends {} bytes before the end of what is read ({wanted} bytes)",
                    rest.len()
                )));
            }
            rest = &mut rest[read..];
        }
        Ok(())
    }
}

impl EntitySerializer {
    /// Writes a message to an endpoint and returns the number of bytes.
    pub fn write_to(&self, message: &Message, endpoint: &Endpoint) -> Result<u64> {
        // SAFETY: the message outlives the call.
        self.serialize(unsafe { MessageRef::new(message) }, endpoint.clone())
    }

    /// Reads from an endpoint into an empty message.
    pub fn read_from(&self, message: &mut Message, endpoint: &Endpoint) -> Result<()> {
        // SAFETY: the message outlives the call.
        self.deserialize(unsafe { MessageRef::new(message) }, endpoint.clone())
    }

    /// Writes a message to a stream and returns the number of bytes.
    pub fn write_message(&self, message: &Message, stream: &mut (dyn Write + Send)) -> Result<u64> {
        Endpoint::of_writer(stream, |endpoint| self.write_to(message, endpoint))
    }

    /// Reads from a stream into an empty message.
    pub fn read_message(
        &self,
        message: &mut Message,
        stream: &mut (dyn Read + Send),
    ) -> Result<()> {
        Endpoint::of_reader(stream, |endpoint| self.read_from(message, endpoint))
    }
}

fn over<R>(stream: Stream<'_>, body: impl FnOnce(&Endpoint) -> Result<R>) -> Result<R> {
    let stream = StreamEndpoint(Mutex::new(stream));
    let object = (&raw const stream).cast_mut().cast();
    // SAFETY: the table's functions expect such an object, which lives until `body` returns. An
    // endpoint is borrowed for a call, so a serializer must not keep it.
    let endpoint = unsafe { Endpoint::from_raw(object, (&raw const TABLE).cast()) };
    body(&endpoint)
}

fn with<R>(object: *mut c_void, body: impl FnOnce(&mut Stream<'_>) -> R) -> R {
    // SAFETY: the table's functions are only called with a live `StreamEndpoint`.
    let stream = unsafe { &*object.cast::<StreamEndpoint<'_>>() };
    body(&mut stream.0.lock().unwrap_or_else(PoisonError::into_inner))
}

unsafe extern "C" fn is_write_available(object: *mut c_void) -> bool {
    with(object, |stream| matches!(stream, Stream::Writer(_)))
}

unsafe extern "C" fn is_read_available(object: *mut c_void) -> bool {
    with(object, |stream| matches!(stream, Stream::Reader(_)))
}

unsafe extern "C" fn write(
    object: *mut c_void,
    data: *const u8,
    size: usize,
    written: *mut usize,
) -> ResultCode {
    guard(|| {
        // SAFETY: the caller passes `size` readable bytes.
        let bytes = unsafe { bytes(data, size) };
        let count = with(object, |stream| match stream {
            Stream::Writer(writer) => writer.write_all(bytes).map(|()| size).map_err(Error::from),
            Stream::Reader(_) => Err(Error::failure("the endpoint is for reading")),
        })?;
        // SAFETY: the caller passes a valid place for the result.
        unsafe { written.write(count) };
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
        let bytes = match size {
            0 => &mut [],
            // SAFETY: the caller passes `size` writable bytes.
            _ => unsafe { core::slice::from_raw_parts_mut(data, size) },
        };
        let read = with(object, |stream| match stream {
            Stream::Reader(reader) => loop {
                match reader.read(bytes) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    read => break read.map_err(Error::from),
                }
            },
            Stream::Writer(_) => Err(Error::failure("the endpoint is for writing")),
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
    if storage == StorageType::DEVICE {
        return guard(|| {
            Err(Error::new(
                ResultCode::MEMORY_INVALID_STORAGE_MODE,
                "device memory cannot be written to a stream",
            ))
        });
    }
    let mut written = 0;
    // SAFETY: the arguments are valid, as this function requires too.
    unsafe { write(object, data, size, &raw mut written) }
}

/// # Safety
/// `data` must point to `size` readable bytes, unless `size` is 0.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    // SAFETY: `data` points to `size` readable bytes, as required.
    if size == 0 { &[] } else { unsafe { core::slice::from_raw_parts(data, size) } }
}
