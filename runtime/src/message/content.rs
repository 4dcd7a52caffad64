//! What a message holds: its payloads, their names, and the memory both lie in.

use super::payload_type::PayloadType;
use gxf_plugin_abi::{
    ComponentEnvironment, Message, PayloadRef, ResultCode, Text, Tid, Timestamp, tids,
};
use smallvec::SmallVec;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// One payload of a message.
pub(super) struct Payload {
    pub tid: Tid,
    pub object: NonNull<c_void>,
    pub name: NonNull<u8>,
    pub name_length: usize,
    size: usize,
    alignment: usize,
    /// `None` also for payloads that belong to the parent.
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Bytes every cell has for its payloads and their names.
const BUFFER_SIZE: usize = 448;
/// Alignment of the buffer; larger payload alignments cost padding or a chunk.
const BUFFER_ALIGNMENT: usize = 64;

#[repr(C, align(64))]
pub(super) struct Buffer(MaybeUninit<[u8; BUFFER_SIZE]>);

const _: () = assert!(align_of::<Buffer>() == BUFFER_ALIGNMENT);

impl Buffer {
    pub const fn new() -> Self {
        Self(MaybeUninit::uninit())
    }
}

/// More room for a message that does not fit its buffer; kept for the cell's next message.
struct Chunk {
    memory: NonNull<u8>,
    layout: std::alloc::Layout,
    used: usize,
}

/// What only the sole holder of a message may change.
#[derive(Default)]
pub(super) struct Content {
    pub payloads: SmallVec<[Payload; 4]>,
    /// The payload `timestamp`, if there is one; every message is stamped on its way.
    pub timestamp: Option<NonNull<Timestamp>>,
    buffer_used: usize,
    chunks: Vec<Chunk>,
    /// The message whose payloads this one shares.
    pub parent: Option<NonNull<Message>>,
}

/// A message that is being filled.
pub(super) struct Filling<'a> {
    pub content: &'a mut Content,
    pub buffer: *mut u8,
}

impl Payload {
    pub fn name(&self) -> &[u8] {
        // SAFETY: the name lies in the memory of the message, which is alive.
        unsafe { std::slice::from_raw_parts(self.name.as_ptr(), self.name_length) }
    }

    pub fn to_ref(&self) -> PayloadRef {
        PayloadRef {
            tid: self.tid,
            name: Text { data: self.name.as_ptr(), length: self.name_length },
            data: self.object.as_ptr(),
            size: self.size,
            alignment: self.alignment,
        }
    }

    /// Whether it is what [`gxf::Message::timestamp`] reads, if it is the first such.
    fn is_timestamp(&self) -> bool {
        self.tid == tids::TIMESTAMP && self.name() == b"timestamp"
    }

    /// The same payload, owned by another message.
    pub fn borrowed(&self) -> Self {
        Self { destroy: None, ..*self }
    }

    /// # Safety
    /// The payload must not be used again.
    pub unsafe fn destroy(self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: made by the type's `create`, destroyed once.
            unsafe { destroy(self.object.as_ptr()) };
        }
    }
}

impl Content {
    /// Destroys the payloads and keeps the memory; the result is the parent to release.
    pub fn clear(&mut self) -> Option<NonNull<Message>> {
        for payload in self.payloads.drain(..).rev() {
            // SAFETY: drained, so used no more.
            unsafe { payload.destroy() };
        }
        self.timestamp = None;
        self.buffer_used = 0;
        for chunk in &mut self.chunks {
            chunk.used = 0;
        }
        self.parent.take()
    }

    /// Looks for the timestamp anew, after a payload was taken out.
    pub fn find_timestamp(&mut self) {
        let found = self.payloads.iter().find(|payload| payload.is_timestamp());
        self.timestamp = found.map(|payload| payload.object.cast());
    }
}

impl Filling<'_> {
    /// # Safety
    /// `name` must be readable.
    pub unsafe fn add(
        &mut self,
        known: &PayloadType,
        name: Text,
    ) -> Result<PayloadRef, ResultCode> {
        // SAFETY: the caller's promise.
        let (name, name_length) = unsafe { self.keep_name(name) }?;
        let storage = self.allocate(known.size, known.alignment)?;
        // SAFETY: `create` gets room as its type demands.
        let object = unsafe { (known.create)(storage.as_ptr().cast(), std::ptr::null()) };
        let payload = Payload {
            tid: known.tid,
            object: NonNull::new(object).ok_or(ResultCode::FAILURE)?,
            name,
            name_length,
            size: known.size,
            alignment: known.alignment,
            destroy: known.destroy,
        };
        let result = payload.to_ref();
        if self.content.timestamp.is_none() && payload.is_timestamp() {
            self.content.timestamp = Some(payload.object.cast());
        }
        self.content.payloads.push(payload);
        Ok(result)
    }

    /// A copy of a name that lives as long as the message, and its length.
    ///
    /// # Safety
    /// `name` must be readable.
    pub unsafe fn keep_name(&mut self, name: Text) -> Result<(NonNull<u8>, usize), ResultCode> {
        let length = if name.data.is_null() { 0 } else { name.length };
        let memory = self.allocate(length, 1)?;
        if length > 0 {
            // SAFETY: fresh memory of that length, and the caller's promise.
            unsafe { memory.as_ptr().copy_from_nonoverlapping(name.data, length) };
        }
        Ok((memory, length))
    }

    /// Gives a message without a timestamp one.
    ///
    /// # Safety
    /// The message must be exclusively the caller's.
    pub unsafe fn add_timestamp(&mut self, stamp: Timestamp) -> Result<(), ResultCode> {
        let known = PayloadType {
            tid: tids::TIMESTAMP,
            size: size_of::<Timestamp>(),
            alignment: align_of::<Timestamp>(),
            create: create_timestamp,
            destroy: None,
        };
        // SAFETY: the name is a constant.
        let made = unsafe { self.add(&known, gxf::text_of("timestamp")) }?;
        let object = NonNull::new(made.data).ok_or(ResultCode::NULL_POINTER)?.cast();
        // SAFETY: the payload is a timestamp of this message, which is exclusively ours.
        unsafe { object.write(stamp) };
        Ok(())
    }

    /// Room in the buffer or in a chunk.
    fn allocate(&mut self, size: usize, alignment: usize) -> Result<NonNull<u8>, ResultCode> {
        let start = aligned(self.content.buffer_used, alignment);
        if alignment <= BUFFER_ALIGNMENT
            && start.checked_add(size).is_some_and(|end| end <= BUFFER_SIZE)
        {
            self.content.buffer_used = start + size;
            // SAFETY: `start` lies within the buffer, which is never null.
            return Ok(unsafe { NonNull::new_unchecked(self.buffer.add(start)) });
        }
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
        // SAFETY: `fits` made sure that the range lies within the chunk.
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
        // SAFETY: allocated with this layout, freed once.
        unsafe { std::alloc::dealloc(self.memory.as_ptr(), self.layout) };
    }
}

unsafe extern "C" fn create_timestamp(
    storage: *mut c_void,
    _environment: *const ComponentEnvironment,
) -> *mut c_void {
    // SAFETY: the pool provides room for a timestamp.
    unsafe { storage.cast::<Timestamp>().write(Timestamp::default()) };
    storage
}
