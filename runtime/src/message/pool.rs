//! The cells messages live in, and what can be done with a message.
//!
//! There is one pool in the process: messages may travel between contexts and outlive the one they
//! were made in. A cell keeps its payloads in a small buffer of its own and goes back to the free
//! list when the last reference is gone, buffer and all; once warm, a message costs no heap
//! allocation. Cells live in blocks that are never freed, so a cell can be found by its number and
//! a stale id can always be looked at.
//!
//! Payload types are process-wide as well: a type id means one layout, whoever asks.

use super::free_list::{FreeList, NONE};
use crate::id::MESSAGE_BIT;
use gxf_plugin_abi::{
    ComponentEnvironment, Message, PayloadRef, ResultCode, Text, Tid, Timestamp, Uid, tids,
};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};

/// What the pool must know about a payload type.
#[derive(Clone, Copy)]
pub(crate) struct PayloadType {
    pub tid: Tid,
    pub size: usize,
    pub alignment: usize,
    pub create: unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> *mut c_void,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Size and alignment of a payload, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub size: usize,
    pub alignment: usize,
}

impl PayloadType {
    pub fn layout(&self) -> Layout {
        Layout { size: self.size, alignment: self.alignment }
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes at multiples of {}", self.size, self.alignment)
    }
}

static PAYLOAD_TYPES: OnceLock<RwLock<FxHashMap<Tid, PayloadType>>> = OnceLock::new();

fn payload_types() -> &'static RwLock<FxHashMap<Tid, PayloadType>> {
    PAYLOAD_TYPES.get_or_init(RwLock::default)
}

/// Makes a payload type known. The first registration of an id counts.
///
/// # Errors
/// The layout of the first one, when it is another.
pub(crate) fn register_payload_type(new: PayloadType) -> Result<(), Layout> {
    let mut types = payload_types().write();
    let known = types.entry(new.tid).or_insert(new);
    if known.layout() == new.layout() { Ok(()) } else { Err(known.layout()) }
}

/// Whether messages may carry this type.
pub(crate) fn is_payload_type(tid: Tid) -> bool {
    payload_types().read().contains_key(&tid)
}

/// One payload of a message.
struct Payload {
    tid: Tid,
    object: NonNull<c_void>,
    name: NonNull<u8>,
    name_length: usize,
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
struct Buffer(MaybeUninit<[u8; BUFFER_SIZE]>);

const _: () = assert!(align_of::<Buffer>() == BUFFER_ALIGNMENT);

/// More room for a message that does not fit its buffer; kept for the cell's next message.
struct Chunk {
    memory: NonNull<u8>,
    layout: std::alloc::Layout,
    used: usize,
}

/// What only the sole holder of a message may change.
struct Content {
    payloads: SmallVec<[Payload; 4]>,
    /// Position of the payload `timestamp` plus one; 0 for none.
    timestamp: usize,
    buffer_used: usize,
    chunks: Vec<Chunk>,
    /// The message whose payloads this one shares.
    parent: Option<NonNull<Cell>>,
}

pub(crate) struct Cell {
    references: AtomicU32,
    generation: AtomicU32,
    next_free: AtomicU32,
    number: u32,
    /// Whether the first reference still waits for a user, see `by_id.rs`.
    unclaimed: AtomicBool,
    content: UnsafeCell<Content>,
    /// Beside the content, since payloads in it are in use while the content is changed.
    buffer: UnsafeCell<Buffer>,
}

// SAFETY: `content` is changed only through the sole reference (or by the pool while there is
// none) and is otherwise read-only; the rest is atomic or constant.
unsafe impl Sync for Cell {}

const FIRST_BLOCK: usize = 64;
const BLOCKS: usize = 22;

/// The pool. Block `n` holds `FIRST_BLOCK << n` cells.
struct Pool {
    free: FreeList,
    blocks: [AtomicPtr<Cell>; BLOCKS],
    /// Number of blocks; the lock is taken to grow only.
    grown: parking_lot::Mutex<usize>,
}

macro_rules! empty_pool {
    () => {
        Pool {
            free: FreeList::new(),
            blocks: [const { AtomicPtr::new(std::ptr::null_mut()) }; BLOCKS],
            grown: parking_lot::Mutex::new(0),
        }
    };
}

#[cfg(not(loom))]
static POOL: Pool = empty_pool!();
/// Loom's atomics cannot be made in a constant; its models never get here.
#[cfg(loom)]
static POOL: std::sync::LazyLock<Pool> = std::sync::LazyLock::new(|| empty_pool!());

/// Block and position in it of a cell number.
fn locate(number: u32) -> (usize, usize) {
    let shifted = number as usize / FIRST_BLOCK + 1;
    let block = shifted.ilog2() as usize;
    let first = FIRST_BLOCK * ((1 << block) - 1);
    (block, number as usize - first)
}

impl Pool {
    fn cell(&self, number: u32) -> Option<&'static Cell> {
        let (block, position) = locate(number);
        // Acquire pairs with the Release of `grow`.
        let start = self.blocks.get(block)?.load(Ordering::Acquire);
        // SAFETY: a block that is there holds `FIRST_BLOCK << block` cells for ever, and
        // `position` is below that.
        (!start.is_null()).then(|| unsafe { &*start.add(position) })
    }

    fn take(&self) -> Option<&'static Cell> {
        loop {
            let number = self.free.pop(|number| {
                self.cell(number).map_or(NONE, |cell| cell.next_free.load(Ordering::Relaxed))
            });
            match number {
                Some(number) => return self.cell(number),
                None => self.grow()?,
            }
        }
    }

    fn put_back(&self, cell: &Cell) {
        self.free.push(cell.number, |next| cell.next_free.store(next, Ordering::Relaxed));
    }

    #[cold]
    fn grow(&self) -> Option<()> {
        let mut grown = self.grown.lock();
        let block = *grown;
        if block == BLOCKS {
            return None;
        }
        let first = FIRST_BLOCK * ((1 << block) - 1);
        let cells: Vec<Cell> = (0..FIRST_BLOCK << block)
            .map(|position| Cell {
                references: AtomicU32::new(0),
                generation: AtomicU32::new(0),
                next_free: AtomicU32::new(NONE),
                number: u32::try_from(first + position).expect("22 blocks hold 2^28 cells"),
                unclaimed: AtomicBool::new(false),
                content: UnsafeCell::new(Content {
                    payloads: SmallVec::new(),
                    timestamp: 0,
                    buffer_used: 0,
                    chunks: Vec::new(),
                    parent: None,
                }),
                buffer: UnsafeCell::new(Buffer(MaybeUninit::uninit())),
            })
            .collect();
        let count = cells.len();
        let cells = Box::into_raw(cells.into_boxed_slice()).cast::<Cell>();
        // Release: whoever sees the block sees its cells.
        self.blocks[block].store(cells, Ordering::Release);
        *grown += 1;
        drop(grown);
        for number in (first..first + count).rev() {
            self.put_back(self.cell(u32::try_from(number).ok()?)?);
        }
        Some(())
    }
}

/// The process-wide pool of messages, for those who watch its memory; see [`message_pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessagePool {
    /// Messages that can be alive before the pool grows. It never shrinks.
    pub capacity: usize,
    /// Of these, those that are not alive.
    pub free: usize,
    /// Memory of the pool in bytes, without what payloads own.
    pub bytes: usize,
}

/// Looks at the pool of messages. The number of free ones is right only while no thread creates or
/// releases a message.
#[must_use]
pub fn message_pool() -> MessagePool {
    let blocks = *POOL.grown.lock();
    let capacity = FIRST_BLOCK * ((1 << blocks) - 1);
    let link =
        |number| POOL.cell(number).map_or(NONE, |cell| cell.next_free.load(Ordering::Relaxed));
    let free = POOL.free.walk(link).take(capacity).count();
    MessagePool { capacity, free, bytes: capacity * size_of::<Cell>() }
}

/// A new, empty message with one reference; `None` when 2^28 messages are alive.
pub(crate) fn new_message() -> Option<NonNull<Message>> {
    let cell = POOL.take()?;
    cell.references.store(1, Ordering::Relaxed);
    cell.unclaimed.store(false, Ordering::Relaxed);
    Some(NonNull::from(cell).cast())
}

/// # Safety
/// `message` must be alive.
unsafe fn cell_of<'a>(message: *mut Message) -> &'a Cell {
    // SAFETY: messages are made of cells, see `new_message`.
    unsafe { &*message.cast::<Cell>() }
}

/// # Safety
/// The cell must be alive, and nobody may be changing it.
unsafe fn read(cell: &Cell) -> &Content {
    // SAFETY: the caller's promise.
    unsafe { &*cell.content.get() }
}

/// The content of a message nobody else holds, with the buffer for its payloads.
///
/// # Safety
/// The caller must own one reference of the cell.
unsafe fn write(cell: &Cell) -> Result<Filling<'_>, ResultCode> {
    // SAFETY: the caller's promise.
    unsafe { write_as_holder_of(cell, 1) }
}

/// # Safety
/// The caller must own that many references of the cell.
unsafe fn write_as_holder_of(cell: &Cell, references: u32) -> Result<Filling<'_>, ResultCode> {
    // Acquire pairs with the Release of the releases that brought the count down.
    if cell.references.load(Ordering::Acquire) != references {
        return Err(ResultCode::CONTRACT_INVALID_SEQUENCE);
    }
    // SAFETY: all references are the caller's.
    Ok(Filling { content: unsafe { &mut *cell.content.get() }, buffer: cell.buffer.get().cast() })
}

/// A message that is being filled.
struct Filling<'a> {
    content: &'a mut Content,
    buffer: *mut u8,
}

/// One reference more.
///
/// # Safety
/// `message` must be alive.
pub(crate) unsafe fn retain(message: *mut Message) {
    // SAFETY: the caller's promise.
    unsafe { cell_of(message) }.references.fetch_add(1, Ordering::Relaxed);
}

/// One reference less; the last one destroys the payloads and frees the cell.
///
/// # Safety
/// The caller must own a reference and not use it again.
pub(crate) unsafe fn release(message: *mut Message) {
    // SAFETY: the caller's promise.
    let cell = unsafe { cell_of(message) };
    // Release and Acquire order the other holders' reads before the destruction.
    if cell.references.fetch_sub(1, Ordering::AcqRel) != 1 {
        return;
    }
    // From here on an old id no longer fits, even before the payloads are gone.
    cell.generation.fetch_add(1, Ordering::Relaxed);
    // SAFETY: no reference is left, and the cell is not in the free list yet.
    let parent = unsafe { &mut *cell.content.get() }.clear();
    POOL.put_back(cell);
    if let Some(parent) = parent {
        // SAFETY: the child owned this reference.
        unsafe { release(parent.as_ptr().cast()) };
    }
}

/// Number of references. Whoever else holds the message whose payloads this one shares counts too,
/// so 1 means that the caller may change every payload.
///
/// # Safety
/// `message` must be alive.
pub(crate) unsafe fn reference_count(message: *mut Message) -> u32 {
    // SAFETY: the caller's promise; content is only changed by a sole holder.
    let (cell, parent) = unsafe { (cell_of(message), read(cell_of(message)).parent) };
    let own = cell.references.load(Ordering::Acquire);
    match parent {
        // SAFETY: this message keeps its parent alive.
        Some(parent) => own - 1 + unsafe { reference_count(parent.as_ptr().cast()) },
        None => own,
    }
}

/// The id GXF's C API shows: a mark, the generation and the number of the cell.
///
/// # Safety
/// `message` must be alive.
pub(crate) unsafe fn id_of(message: *mut Message) -> Uid {
    // SAFETY: the caller's promise.
    let cell = unsafe { cell_of(message) };
    let generation = Uid::from(cell.generation.load(Ordering::Relaxed) & GENERATION_MASK);
    MESSAGE_BIT | (generation << 38) | (Uid::from(cell.number) << 10)
}

/// Whether the message's first reference waits for a user.
///
/// # Safety
/// `message` must be alive.
pub(crate) unsafe fn unclaimed<'a>(message: *mut Message) -> &'a AtomicBool {
    // SAFETY: the caller's promise.
    &unsafe { cell_of(message) }.unclaimed
}

/// 24 bits of generation, 28 bits of cell number, 10 bits left for the payloads of a message.
const GENERATION_MASK: u32 = (1 << 24) - 1;

/// The message with an id, with one more reference. For the C API only: whoever holds a mere id
/// must not use it while the message's sole holder still fills it.
pub(crate) fn from_id(id: Uid) -> Option<NonNull<Message>> {
    if id < 0 || id & MESSAGE_BIT == 0 {
        return None;
    }
    let number = u32::try_from((id >> 10) & ((1 << 28) - 1)).ok()?;
    let cell = POOL.cell(number)?;
    let mut references = cell.references.load(Ordering::Relaxed);
    loop {
        if references == 0 {
            return None;
        }
        match cell.references.compare_exchange_weak(
            references,
            references + 1,
            Ordering::Acquire,
            Ordering::Relaxed,
        ) {
            Ok(_) => break,
            Err(now) => references = now,
        }
    }
    let message: NonNull<Message> = NonNull::from(cell).cast();
    // SAFETY: the reference was taken above; it is given back if the cell holds another message.
    unsafe {
        if id_of(message.as_ptr()) != id {
            release(message.as_ptr());
            return None;
        }
    }
    Some(message)
}

/// Whether there is a message with this id, without holding it.
pub(crate) fn is_alive(id: Uid) -> bool {
    let number = u32::try_from((id >> 10) & ((1 << 28) - 1)).ok();
    let cell = number.filter(|_| id > 0 && id & MESSAGE_BIT != 0).and_then(|n| POOL.cell(n));
    cell.is_some_and(|cell| {
        let message: NonNull<Message> = NonNull::from(cell).cast();
        // SAFETY: cells are never freed, and only the cell's atomics are looked at.
        cell.references.load(Ordering::Acquire) > 0 && unsafe { id_of(message.as_ptr()) } == id
    })
}

/// # Safety
/// The caller must own the sole reference of the message; `name` must be readable.
pub(crate) unsafe fn add(
    message: *mut Message,
    tid: Tid,
    name: Text,
) -> Result<PayloadRef, ResultCode> {
    // SAFETY: the caller's promise.
    unsafe { add_as_holder_of(message, 1, tid, name) }
}

/// # Safety
/// The caller must own that many references of the message; `name` must be readable.
pub(crate) unsafe fn add_as_holder_of(
    message: *mut Message,
    references: u32,
    tid: Tid,
    name: Text,
) -> Result<PayloadRef, ResultCode> {
    let known = payload_types().read().get(&tid).copied();
    let known = known.ok_or(ResultCode::FACTORY_UNKNOWN_TID)?;
    // SAFETY: the caller's promise.
    let mut filling = unsafe { write_as_holder_of(cell_of(message), references) }?;
    // SAFETY: the caller's promise.
    unsafe { filling.add(&known, name) }
}

/// # Safety
/// `message` must be alive and `name` readable.
pub(crate) unsafe fn find(
    message: *mut Message,
    tid: Tid,
    name: Text,
    start: usize,
) -> Option<PayloadRef> {
    // SAFETY: the caller's promise; content is only changed by a sole holder.
    let content = unsafe { read(cell_of(message)) };
    let wanted = (!name.data.is_null()).then(|| {
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(name.data, name.length) }
    });
    content
        .payloads
        .iter()
        .skip(start)
        .find(|payload| {
            (tid.is_null() || payload.tid == tid)
                && wanted.is_none_or(|name| payload.name() == name)
        })
        .map(Payload::to_ref)
}

/// # Safety
/// `message` must be alive.
pub(crate) unsafe fn count(message: *mut Message) -> usize {
    // SAFETY: the caller's promise.
    unsafe { read(cell_of(message)) }.payloads.len()
}

/// # Safety
/// `message` must be alive.
pub(crate) unsafe fn at(message: *mut Message, index: usize) -> Option<PayloadRef> {
    // SAFETY: the caller's promise.
    unsafe { read(cell_of(message)) }.payloads.get(index).map(Payload::to_ref)
}

/// # Safety
/// The caller must own the sole reference of the message.
pub(crate) unsafe fn remove(message: *mut Message, index: usize) -> Result<(), ResultCode> {
    // SAFETY: the caller's promise.
    unsafe { remove_as_holder_of(message, 1, index) }
}

/// # Safety
/// The caller must own that many references of the message.
pub(crate) unsafe fn remove_as_holder_of(
    message: *mut Message,
    references: u32,
    index: usize,
) -> Result<(), ResultCode> {
    // SAFETY: the caller's promise.
    let content = unsafe { write_as_holder_of(cell_of(message), references) }?.content;
    if index >= content.payloads.len() {
        return Err(ResultCode::ENTITY_COMPONENT_NOT_FOUND);
    }
    let payload = content.payloads.remove(index);
    // SAFETY: the payload was just taken out of the message.
    unsafe { payload.destroy() };
    content.find_timestamp();
    Ok(())
}

/// Gives the payload at a position another name.
///
/// # Safety
/// The caller must own that many references of the message; `name` must be readable.
pub(crate) unsafe fn rename_as_holder_of(
    message: *mut Message,
    references: u32,
    index: usize,
    name: Text,
) -> Result<(), ResultCode> {
    // SAFETY: the caller's promise.
    let mut filling = unsafe { write_as_holder_of(cell_of(message), references) }?;
    if index >= filling.content.payloads.len() {
        return Err(ResultCode::ENTITY_COMPONENT_NOT_FOUND);
    }
    // SAFETY: the caller's promise.
    let (name, length) = unsafe { filling.keep_name(name) }?;
    let payload = &mut filling.content.payloads[index];
    payload.name = name;
    payload.name_length = length;
    filling.content.find_timestamp();
    Ok(())
}

/// Gives the message a `timestamp` with this acquisition time and publication time 0. Takes over
/// the reference and hands out one.
///
/// # Safety
/// The caller must own a reference of the message and use only the returned one from then on; on
/// an error the reference is gone.
pub(crate) unsafe fn stamp(
    message: *mut Message,
    acquisition_time: i64,
) -> Result<NonNull<Message>, ResultCode> {
    let stamp = Timestamp { pubtime: 0, acqtime: acquisition_time };
    // SAFETY: the caller's promise, and that the caller owns a reference.
    if let Ok(filling) = unsafe { write(cell_of(message)) }
        && let Some(object) = filling.timestamp()
    {
        // SAFETY: the payload is a timestamp of this message, which is exclusively ours.
        unsafe { object.write(stamp) };
        return NonNull::new(message).ok_or(ResultCode::NULL_POINTER);
    }
    // SAFETY: the caller's promise.
    unsafe { stamp_anew(message, stamp) }
}

/// The first stamp of a message, or one for a message that others hold too. Kept apart, so that the
/// usual way stays short.
///
/// # Safety
/// As for [`stamp`].
#[inline(never)]
unsafe fn stamp_anew(
    message: *mut Message,
    stamp: Timestamp,
) -> Result<NonNull<Message>, ResultCode> {
    // SAFETY: the caller's promise.
    let cell = unsafe { cell_of(message) };
    // SAFETY: the caller owns a reference.
    if let Ok(mut filling) = unsafe { write(cell) } {
        // SAFETY: the message is exclusively ours.
        let result = unsafe { filling.add_timestamp(stamp) };
        return match result {
            Ok(()) => Ok(NonNull::from(cell).cast()),
            Err(code) => {
                // SAFETY: the caller's reference.
                unsafe { release(message) };
                Err(code)
            }
        };
    }
    // Others hold the message: leave it as it is and send one that shares its payloads.
    let Some(child) = new_message() else {
        // SAFETY: the caller's reference.
        unsafe { release(message) };
        return Err(ResultCode::OUT_OF_MEMORY);
    };
    // SAFETY: the child is new and ours; it takes over the caller's reference of the parent, which
    // keeps the shared payloads alive.
    unsafe {
        let mut filling = write(cell_of(child.as_ptr()))?;
        let parent = read(cell);
        filling.content.parent = Some(NonNull::from(cell));
        for (index, payload) in parent.payloads.iter().enumerate() {
            if index + 1 != parent.timestamp {
                filling.content.payloads.push(payload.borrowed());
            }
        }
        if let Err(code) = filling.add_timestamp(stamp) {
            release(child.as_ptr());
            return Err(code);
        }
    }
    Ok(child)
}

/// Fills an empty message with the payloads of another one, which they share, and a copy of its
/// timestamp.
///
/// # Safety
/// The caller must own references of both, the sole one of `message`.
pub(crate) unsafe fn share(message: *mut Message, source: *mut Message) -> Result<(), ResultCode> {
    // SAFETY: the caller's promise; a message that is its own source has a reference too many or
    // is found to be no empty one.
    unsafe {
        let mut filling = write(cell_of(message))?;
        if !filling.content.payloads.is_empty()
            || filling.content.parent.is_some()
            || message == source
        {
            return Err(ResultCode::CONTRACT_INVALID_SEQUENCE);
        }
        retain(source);
        let parent = read(cell_of(source));
        filling.content.parent = Some(NonNull::from(cell_of(source)));
        for (index, payload) in parent.payloads.iter().enumerate() {
            if index + 1 == parent.timestamp {
                // Its holder may change it, as if it were alone.
                let stamp = payload.object.cast::<Timestamp>().read();
                filling.add_timestamp(stamp)?;
            } else {
                filling.content.payloads.push(payload.borrowed());
            }
        }
    }
    Ok(())
}

impl Payload {
    fn name(&self) -> &[u8] {
        // SAFETY: the name lies in the memory of the message, which is alive.
        unsafe { std::slice::from_raw_parts(self.name.as_ptr(), self.name_length) }
    }

    fn to_ref(&self) -> PayloadRef {
        PayloadRef {
            tid: self.tid,
            name: Text { data: self.name.as_ptr(), length: self.name_length },
            data: self.object.as_ptr(),
            size: self.size,
            alignment: self.alignment,
        }
    }

    /// The same payload, owned by another message.
    fn borrowed(&self) -> Self {
        Self { destroy: None, ..*self }
    }

    /// # Safety
    /// The payload must not be used again.
    unsafe fn destroy(self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: made by the type's `create`, destroyed once.
            unsafe { destroy(self.object.as_ptr()) };
        }
    }
}

impl Content {
    /// Destroys the payloads and keeps the memory; the result is the parent to release.
    fn clear(&mut self) -> Option<NonNull<Cell>> {
        for payload in self.payloads.drain(..).rev() {
            // SAFETY: drained, so used no more.
            unsafe { payload.destroy() };
        }
        self.timestamp = 0;
        self.buffer_used = 0;
        for chunk in &mut self.chunks {
            chunk.used = 0;
        }
        self.parent.take()
    }

    fn find_timestamp(&mut self) {
        self.timestamp = self
            .payloads
            .iter()
            .position(|payload| payload.tid == tids::TIMESTAMP && payload.name() == b"timestamp")
            .map_or(0, |position| position + 1);
    }
}

impl Filling<'_> {
    /// # Safety
    /// `name` must be readable.
    unsafe fn add(&mut self, known: &PayloadType, name: Text) -> Result<PayloadRef, ResultCode> {
        // SAFETY: the caller's promise.
        let (name_memory, name_length) = unsafe { self.keep_name(name) }?;
        let storage = self.allocate(known.size, known.alignment)?;
        // SAFETY: `create` gets room as its type demands.
        let object = unsafe { (known.create)(storage.as_ptr().cast(), std::ptr::null()) };
        let payload = Payload {
            tid: known.tid,
            object: NonNull::new(object).ok_or(ResultCode::FAILURE)?,
            name: name_memory,
            name_length,
            size: known.size,
            alignment: known.alignment,
            destroy: known.destroy,
        };
        let result = payload.to_ref();
        self.content.payloads.push(payload);
        if known.tid == tids::TIMESTAMP {
            self.content.find_timestamp();
        }
        Ok(result)
    }

    /// A copy of a name that lives as long as the message, and its length.
    ///
    /// # Safety
    /// `name` must be readable.
    unsafe fn keep_name(&mut self, name: Text) -> Result<(NonNull<u8>, usize), ResultCode> {
        let length = if name.data.is_null() { 0 } else { name.length };
        let memory = self.allocate(length, 1)?;
        if length > 0 {
            // SAFETY: fresh memory of that length, and the caller's promise.
            unsafe { memory.as_ptr().copy_from_nonoverlapping(name.data, length) };
        }
        Ok((memory, length))
    }

    /// Where the message's timestamp is, if it has one.
    #[inline(always)]
    fn timestamp(&self) -> Option<NonNull<Timestamp>> {
        let place = self.content.timestamp.checked_sub(1)?;
        Some(self.content.payloads.get(place)?.object.cast())
    }

    /// Gives a message without a timestamp one.
    ///
    /// # Safety
    /// The message must be exclusively the caller's.
    unsafe fn add_timestamp(&mut self, stamp: Timestamp) -> Result<(), ResultCode> {
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
        let start = self.content.buffer_used.next_multiple_of(alignment);
        if alignment <= BUFFER_ALIGNMENT
            && start.checked_add(size).is_some_and(|end| end <= BUFFER_SIZE)
        {
            self.content.buffer_used = start + size;
            // SAFETY: `start` lies within the buffer, which is never null.
            return Ok(unsafe { NonNull::new_unchecked(self.buffer.add(start)) });
        }
        let fits = |chunk: &Chunk| {
            let start = chunk.used.next_multiple_of(alignment);
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

#[cfg(test)]
mod tests {
    //! Through the SDK's `Message`, as an extension uses it. Miri runs these.

    use super::*;
    use gxf::Payload;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    /// Counts how often it is dropped, and needs more alignment than the cell's buffer gives.
    #[repr(align(128))]
    #[derive(Default)]
    struct Tracked(Option<Arc<AtomicUsize>>);

    // SAFETY: registered by these tests alone.
    unsafe impl Payload for Tracked {
        const TID: Tid = Tid::new(0x7e57, 1);
    }

    impl Drop for Tracked {
        fn drop(&mut self) {
            if let Some(drops) = &self.0 {
                drops.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Larger than a cell's buffer.
    struct Large([u8; 3000]);

    impl Default for Large {
        fn default() -> Self {
            Self([0; 3000])
        }
    }

    // SAFETY: registered by these tests alone.
    unsafe impl Payload for Large {
        const TID: Tid = Tid::new(0x7e57, 2);
    }

    /// Once a process: a context takes Miri longer than everything these tests do with messages.
    fn register_payloads() {
        crate::plugin::host::table();
        drop(crate::context::Context::new());
        for tracked in [
            gxf::support::payload_type::<Tracked>(texts(Tracked::TID)),
            gxf::support::payload_type::<Large>(texts(Large::TID)),
        ] {
            let known = PayloadType {
                tid: tracked.tid,
                size: tracked.instance_size,
                alignment: tracked.instance_alignment,
                create: tracked.create.unwrap(),
                destroy: tracked.destroy,
            };
            assert_eq!(register_payload_type(known), Ok(()));
            let larger = PayloadType { size: known.size + 8, ..known };
            assert_eq!(register_payload_type(larger), Err(known.layout()));
        }
    }

    fn message() -> gxf::Message {
        static REGISTERED: std::sync::Once = std::sync::Once::new();
        REGISTERED.call_once(register_payloads);
        // SAFETY: a new message with one reference.
        unsafe { gxf::Message::from_raw(new_message().unwrap()) }
    }

    fn texts(tid: Tid) -> gxf::support::TypeTexts {
        gxf::support::TypeTexts {
            tid,
            base: Tid::NULL,
            name: c"test",
            display_name: "",
            brief: "",
            description: "",
            flags: 0,
        }
    }

    #[test]
    fn payloads_are_found_by_type_and_name() {
        let mut message = message();
        message.add("one", 1i32).unwrap();
        message.add("two", 2i32).unwrap();
        message.add("two", 2.5f64).unwrap();
        assert_eq!(*message.get::<i32>("two").unwrap(), 2);
        assert_eq!(*message.get::<i32>("").unwrap(), 1);
        assert_eq!(*message.get::<f64>("two").unwrap(), 2.5);
        assert_eq!(message.find_all::<i32>().copied().collect::<Vec<_>>(), [1, 2]);
        *message.get_mut::<i32>("one").unwrap() = 10;
        message.remove(1).unwrap();
        assert_eq!(
            message.payloads().map(|p| p.name.to_owned()).collect::<Vec<_>>(),
            ["one", "two"]
        );
        let error = message.get::<u8>("three").unwrap_err();
        assert_eq!(error.code(), ResultCode::ENTITY_COMPONENT_NOT_FOUND);
        assert!(error.to_string().ends_with("it carries `one`, `two`"), "{error}");
    }

    #[test]
    fn the_last_reference_destroys_the_payload_once() {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut message = message();
        let tracked = message.add("t", Tracked(Some(drops.clone()))).unwrap();
        assert_eq!(std::ptr::from_ref(tracked).addr() % 128, 0);
        message.add("large", Large([7; 3000])).unwrap();
        let other = message.clone();
        drop(message);
        assert_eq!(other.get::<Large>("large").unwrap().0[2999], 7);
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(other);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_shared_message_is_not_changed() {
        let mut one = message();
        one.add("n", 1i64).unwrap();
        let two = one.clone();
        let code = |result: gxf::Result<()>| result.unwrap_err().code();
        let refused = ResultCode::CONTRACT_INVALID_SEQUENCE;
        assert_eq!(code(one.add("m", 2i64).map(drop)), refused);
        assert_eq!(code(one.get_mut::<i64>("n").map(drop)), refused);
        assert_eq!(code(one.remove(0)), refused);
        drop(two);
        one.add("m", 2i64).unwrap();
    }

    /// Stamping a message that others hold gives a new one that shares the other payloads and keeps
    /// them alive.
    #[test]
    fn stamping_a_shared_message_leaves_it_alone() {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut first = message();
        first.add("t", Tracked(Some(drops.clone()))).unwrap();
        let stamped = |message: gxf::Message, time| {
            // SAFETY: the reference goes in, and the one that comes out is used.
            unsafe { gxf::Message::from_raw(stamp(message.into_raw().as_ptr(), time).unwrap()) }
        };
        let first = stamped(first, 1);
        let second = stamped(first.clone(), 2);
        let third = stamped(second.clone(), 3);
        let time = |message: &gxf::Message| message.timestamp().unwrap().acqtime;
        assert_eq!([time(&first), time(&second), time(&third)], [1, 2, 3]);
        let mut third = third;
        let refused = third.get_mut::<Tracked>("t").map(drop).unwrap_err();
        assert_eq!(refused.code(), ResultCode::CONTRACT_INVALID_SEQUENCE);
        assert_eq!(third.len(), 2);
        let again = stamped(third, 4);
        drop((first, second));
        assert!(again.get::<Tracked>("t").unwrap().0.is_some());
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(again);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn payloads_can_be_shared() {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut source = message();
        source.add("t", Tracked(Some(drops.clone()))).unwrap();
        source.add("timestamp", Timestamp { pubtime: 1, acqtime: 2 }).unwrap();
        source.add("n", 7i32).unwrap();
        let mut other = message();
        other.share_payloads(&source).unwrap();
        let names: Vec<_> = other.payloads().map(|p| p.name.to_owned()).collect();
        assert_eq!(names, ["t", "timestamp", "n"]);
        other.remove(1).unwrap();
        assert_eq!(source.timestamp(), Some(Timestamp { pubtime: 1, acqtime: 2 }));
        assert!(other.get_mut::<i32>("n").is_err());
        let again = other.share_payloads(&source).unwrap_err();
        assert_eq!(again.code(), ResultCode::CONTRACT_INVALID_SEQUENCE);
        drop(source);
        *other.get_mut::<i32>("n").unwrap() = 8;
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        drop(other);
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_stale_id_finds_nothing() {
        let message = message();
        let id = message.eid();
        assert!(id & MESSAGE_BIT != 0);
        let found = from_id(id).unwrap();
        // SAFETY: `from_id` hands out a reference.
        drop(unsafe { gxf::Message::from_raw(found) });
        drop(message);
        assert!(from_id(id).is_none());
        for id in [0, 1, -1, i64::MIN, i64::MAX, MESSAGE_BIT, MESSAGE_BIT | (1 << 37)] {
            assert!(from_id(id).is_none_or(|found| {
                // SAFETY: `from_id` hands out a reference.
                drop(unsafe { gxf::Message::from_raw(found) });
                true
            }));
        }
    }

    /// Messages made, shared and dropped on several threads: every payload is destroyed once.
    #[test]
    fn messages_travel_between_threads() {
        let drops = Arc::new(AtomicUsize::new(0));
        let rounds = if cfg!(miri) { 20 } else { 2000 };
        message();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (sender, receiver) = std::sync::mpsc::channel::<gxf::Message>();
                let drops = &drops;
                scope.spawn(move || {
                    for _ in 0..rounds {
                        let mut message = message();
                        message.add("t", Tracked(Some(drops.clone()))).unwrap();
                        message.add("n", 5u8).unwrap();
                        sender.send(message.clone()).unwrap();
                    }
                });
                scope.spawn(move || {
                    for message in receiver {
                        assert_eq!(*message.get::<u8>("n").unwrap(), 5);
                    }
                });
            }
        });
        assert_eq!(drops.load(Ordering::Relaxed), 2 * rounds);
    }

    #[test]
    fn cells_are_numbered_through_the_blocks() {
        let mut expected = (0, 0);
        for number in 0..5000u32 {
            assert_eq!(locate(number), expected, "{number}");
            expected.1 += 1;
            if expected.1 == FIRST_BLOCK << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
    }
}
