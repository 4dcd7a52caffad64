//! The content of a message: payloads, names, and the memory of both.

#![expect(unsafe_code, reason = "messages live in raw memory that they share")]

use super::payload_type::{PayloadType, TIMESTAMP};
use gxf_plugin_abi::{Message, PayloadRef, ResultCode, Text, Tid, Timestamp, tids};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use thin_vec::ThinVec;

/// One payload of a message. Small, because each cache line of a message that crosses threads moves.
pub(super) struct Payload {
    known: &'static PayloadType,
    pub object: NonNull<c_void>,
    name: NonNull<u8>,
    name_length: u32,
    /// Whether it is destroyed with this message, and not with the parent.
    is_own: bool,
}

/// Bytes in every cell for payloads and their names.
const BUFFER_SIZE: usize = 440;
/// Highest alignment of a payload in the buffer.
pub(super) const BUFFER_ALIGNMENT: usize = 64;

/// Starts on the cache line where the content ends.
#[repr(C, align(8))]
pub(super) struct Buffer(MaybeUninit<[u8; BUFFER_SIZE]>);

impl Buffer {
    pub const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }
}

/// Extra memory for a message that does not fit its buffer; the cell's next message reuses it.
struct Chunk {
    memory: NonNull<u8>,
    layout: std::alloc::Layout,
    used: usize,
}

/// The part of a message that only its sole holder may change. What every message uses comes first,
/// so that it is on few cache lines.
#[derive(Default)]
#[repr(C)]
pub(super) struct Content {
    /// The payload `timestamp`, if any: every message is stamped on its way.
    pub timestamp: Option<NonNull<Timestamp>>,
    /// The message that owns the payloads of this one.
    pub parent: Option<NonNull<Message>>,
    buffer_used: usize,
    payload_count: usize,
    chunks: ThinVec<Chunk>,
    /// The payloads, and behind them those that are left of messages before: the next message often
    /// has the same ones, and what need not be written stays in the caches of all threads.
    pub entries: Entries,
}

/// See [`Content::entries`].
pub(super) type Entries = SmallVec<[Payload; 4]>;

/// A message while it is being filled.
pub(super) struct Filling<'a> {
    pub content: &'a mut Content,
    pub buffer: *mut u8,
}

impl Payload {
    pub fn tid(&self) -> Tid {
        self.known.tid
    }

    pub fn name(&self) -> &[u8] {
        // SAFETY: the name is in the memory of the message, which is alive.
        unsafe { std::slice::from_raw_parts(self.name.as_ptr(), self.name_length as usize) }
    }

    pub fn to_ref(&self) -> PayloadRef {
        PayloadRef {
            tid: self.known.tid,
            name: Text { data: self.name.as_ptr(), length: self.name_length as usize },
            data: self.object.as_ptr(),
            size: self.known.size,
            alignment: self.known.alignment,
        }
    }

    /// Whether [`gxf::Message::timestamp`] would read this payload, if it is the first such.
    fn is_timestamp(&self) -> bool {
        self.known.tid == tids::TIMESTAMP && self.name() == b"timestamp"
    }

    /// The same payload, owned by another message.
    pub fn borrowed(&self) -> Self {
        Self { is_own: false, ..*self }
    }

    /// Whether both are the same bytes.
    fn is_same(&self, other: &Self) -> bool {
        self.object == other.object
            && self.name == other.name
            && std::ptr::eq(self.known, other.known)
            && self.name_length == other.name_length
            && self.is_own == other.is_own
    }

    /// # Safety
    /// The payload must not be used again.
    pub unsafe fn destroy(&self) {
        if self.is_own
            && let Some(destroy) = self.known.destroy
        {
            // SAFETY: the type's `create` made the object, which is destroyed once.
            unsafe { destroy(self.object.as_ptr()) };
        }
    }
}

impl Content {
    /// The payloads.
    #[inline]
    pub fn payloads(&self) -> &[Payload] {
        &self.entries[..self.payload_count]
    }

    /// Adds a payload.
    #[inline]
    pub fn push(&mut self, payload: Payload) {
        match self.entries.get_mut(self.payload_count) {
            Some(entry) if entry.is_same(&payload) => {}
            Some(entry) => *entry = payload,
            None => self.entries.push(payload),
        }
        self.payload_count += 1;
    }

    /// Takes out the payload at a position, which exists.
    pub fn remove(&mut self, position: usize) -> Payload {
        self.payload_count -= 1;
        self.entries.remove(position)
    }

    /// Destroys the payloads and keeps the memory. Returns the parent, which must be released.
    pub fn clear(&mut self) -> Option<NonNull<Message>> {
        let count = std::mem::take(&mut self.payload_count);
        for payload in self.entries[..count].iter().rev() {
            // SAFETY: what is behind the last payload is not used.
            unsafe { payload.destroy() };
        }
        self.timestamp = None;
        self.buffer_used = 0;
        for chunk in &mut self.chunks {
            chunk.used = 0;
        }
        self.parent.take()
    }

    /// Finds the timestamp again after a payload was removed.
    pub fn find_timestamp(&mut self) {
        let found = self.payloads().iter().find(|payload| payload.is_timestamp());
        self.timestamp = found.map(|payload| payload.object.cast());
    }
}

impl Filling<'_> {
    /// # Safety
    /// `name` must be readable.
    pub unsafe fn add(
        &mut self,
        known: &'static PayloadType,
        name: Text,
    ) -> Result<PayloadRef, ResultCode> {
        // SAFETY: `name` is readable.
        let (name, name_length) = unsafe { self.keep_name(name) }?;
        let storage = self.allocate(known.size, known.alignment)?;
        // SAFETY: the storage has the type's size and alignment.
        let object = unsafe { (known.create)(storage.as_ptr().cast(), std::ptr::null()) };
        let payload = Payload {
            known,
            object: NonNull::new(object).ok_or(ResultCode::FAILURE)?,
            name,
            name_length,
            is_own: true,
        };
        let result = payload.to_ref();
        if self.content.timestamp.is_none() && payload.is_timestamp() {
            self.content.timestamp = Some(payload.object.cast());
        }
        self.content.push(payload);
        Ok(result)
    }

    /// A copy of a name that lives as long as the message, and its length.
    ///
    /// # Safety
    /// `name` must be readable.
    unsafe fn keep_name(&mut self, name: Text) -> Result<(NonNull<u8>, u32), ResultCode> {
        let length = if name.data.is_null() { 0 } else { name.length };
        let kept = u32::try_from(length).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let memory = self.allocate(length, 1)?;
        if length > 0 {
            // SAFETY: fresh memory of that length, and `name` is readable.
            unsafe { memory.as_ptr().copy_from_nonoverlapping(name.data, length) };
        }
        Ok((memory, kept))
    }

    /// Gives the payload at a position, which exists, another name.
    ///
    /// # Safety
    /// `name` must be readable.
    pub unsafe fn rename(&mut self, position: usize, name: Text) -> Result<(), ResultCode> {
        // SAFETY: `name` is readable.
        let (name, name_length) = unsafe { self.keep_name(name) }?;
        let payload = &mut self.content.entries[position];
        (payload.name, payload.name_length) = (name, name_length);
        self.content.find_timestamp();
        Ok(())
    }

    /// Gives a message without a timestamp one.
    pub fn add_timestamp(&mut self, stamp: Timestamp) -> Result<(), ResultCode> {
        const NAME: &[u8] = b"timestamp";
        let (size, alignment) = (size_of::<Timestamp>(), align_of::<Timestamp>());
        let object = self.allocate(size, alignment)?.cast::<Timestamp>();
        // SAFETY: fresh memory of that size and alignment.
        unsafe { object.write(stamp) };
        self.content.timestamp = Some(object);
        self.content.push(Payload {
            known: &TIMESTAMP,
            object: object.cast(),
            name: NonNull::from(NAME).cast(),
            name_length: NAME.len() as u32,
            is_own: true,
        });
        Ok(())
    }

    /// Allocates from the buffer or a chunk.
    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Result<NonNull<u8>, ResultCode> {
        let buffer = self.buffer.addr();
        let start = aligned(buffer + self.content.buffer_used, alignment) - buffer;
        if alignment <= BUFFER_ALIGNMENT
            && start.checked_add(size).is_some_and(|end| end <= BUFFER_SIZE)
        {
            self.content.buffer_used = start + size;
            // SAFETY: `start` is inside the buffer, which is never null.
            return Ok(unsafe { NonNull::new_unchecked(self.buffer.add(start)) });
        }
        self.allocate_from_chunk(size, alignment)
    }

    #[inline(never)]
    fn allocate_from_chunk(
        &mut self,
        size: usize,
        alignment: usize,
    ) -> Result<NonNull<u8>, ResultCode> {
        let fits = |chunk: &Chunk| {
            let start = aligned(chunk.used, alignment);
            let end = start.checked_add(size)?;
            (chunk.layout.align() >= alignment && end <= chunk.layout.size()).then_some(start)
        };
        let found = self.content.chunks.iter().position(|chunk| fits(chunk).is_some());
        let position = match found {
            Some(position) => position,
            None => {
                self.content.chunks.push(Chunk::new(size, alignment)?);
                self.content.chunks.len() - 1
            }
        };
        let chunk = &mut self.content.chunks[position];
        let start = fits(chunk).ok_or(ResultCode::OUT_OF_MEMORY)?;
        chunk.used = start + size;
        // SAFETY: `fits` ensured that the range is inside the chunk.
        Ok(unsafe { chunk.memory.add(start) })
    }
}

/// The next multiple of a power of two, which every alignment is.
#[inline]
fn aligned(position: usize, alignment: usize) -> usize {
    (position + alignment - 1) & !(alignment - 1)
}

impl Chunk {
    fn new(size: usize, alignment: usize) -> Result<Self, ResultCode> {
        let size = size.max(4 * BUFFER_SIZE).checked_next_power_of_two();
        let layout = size
            .and_then(|size| std::alloc::Layout::from_size_align(size, alignment.max(16)).ok())
            .ok_or(ResultCode::OUT_OF_MEMORY)?;
        // SAFETY: the size is not zero.
        let memory = NonNull::new(unsafe { std::alloc::alloc(layout) });
        Ok(Self { memory: memory.ok_or(ResultCode::OUT_OF_MEMORY)?, layout, used: 0 })
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: the memory was allocated with this layout and is freed once.
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), self.layout) };
    }
}
