//! Operations on messages.
//!
//! The process has one pool, because messages may travel between contexts and outlive the one they
//! were created in. A cell keeps its payloads in a small buffer of its own. It is free again, with
//! its buffer, when the last reference is gone; once warm, a message needs no heap allocation.

#![expect(unsafe_code, reason = "messages live in raw memory that they share")]

use super::cells::{self, Cell, cell, free_cell, take_cell};
use super::content::{Content, Filling, Payload};
use super::payload_type::payload_type;
use crate::id::MESSAGE_BIT;
use gxf_plugin_abi::{Message, PayloadRef, ResultCode, Text, Tid, Timestamp, Uid};
use std::hint::cold_path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// Creates an empty message with one reference; `None` if 2^28 messages are alive.
pub fn new_message() -> Option<NonNull<Message>> {
    let cell = take_cell()?;
    cell.references.store(1, Ordering::Relaxed);
    cell.unclaimed.store(false, Ordering::Relaxed);
    Some(NonNull::from(cell).cast())
}

/// # Safety
/// `message` must be alive.
unsafe fn cell_of(message: *mut Message) -> &'static Cell {
    // SAFETY: `new_message` makes messages from cells, which are never freed.
    unsafe { &*message.cast::<Cell>() }
}

/// # Safety
/// The cell must be alive, and must not be changing.
unsafe fn read(cell: &Cell) -> &Content {
    // SAFETY: the cell is alive and not being changed.
    unsafe { &*cell.content.get() }
}

/// The content of a message, with the buffer for its payloads, if the caller is its sole holder.
///
/// # Safety
/// The caller must own one reference of the cell.
unsafe fn write(cell: &Cell) -> Result<Filling<'_>, ResultCode> {
    // SAFETY: the caller owns one reference of the cell.
    unsafe { write_as_holder_of(cell, 1) }
}

/// # Safety
/// The caller must own that many references of the cell.
unsafe fn write_as_holder_of(cell: &Cell, references: u32) -> Result<Filling<'_>, ResultCode> {
    // Acquire pairs with the Release of the releases that lowered the count.
    if cell.references.load(Ordering::Acquire) != references {
        return Err(ResultCode::CONTRACT_INVALID_SEQUENCE);
    }
    // SAFETY: the caller owns all references.
    Ok(Filling { content: unsafe { &mut *cell.content.get() }, buffer: cell.buffer.get().cast() })
}

/// Has the processor fetch a message that will be used soon: another thread may have made it.
#[inline(always)]
pub fn fetch_ahead(message: NonNull<Message>) {
    cells::fetch_ahead(message.as_ptr().cast());
}

/// Adds a reference.
///
/// # Safety
/// `message` must be alive.
pub unsafe fn retain(message: *mut Message) {
    // SAFETY: `message` is alive.
    unsafe { cell_of(message) }.references.fetch_add(1, Ordering::Relaxed);
}

/// Releases a reference; releasing the last one destroys the payloads and frees the cell.
///
/// # Safety
/// The caller must own a reference and not use it again.
pub unsafe fn release(message: *mut Message) {
    // SAFETY: the caller owns a reference and does not use it again.
    let cell = unsafe { cell_of(message) };
    // Release and Acquire order the other holders' reads before the destruction.
    if cell.references.fetch_sub(1, Ordering::AcqRel) != 1 {
        return;
    }
    // From here on an old id does not match, even before the payloads are gone.
    cell.generation
        .store(cell.generation.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    // SAFETY: there is no reference left, and the cell is not in the free list yet.
    let parent = unsafe { &mut *cell.content.get() }.clear();
    free_cell(cell);
    if let Some(parent) = parent {
        // SAFETY: the child owned this reference.
        unsafe { release(parent.as_ptr()) };
    }
}

/// Number of references. Holders of the parent, whose payloads this message shares, count too, so 1
/// means that the caller may change every payload.
///
/// # Safety
/// `message` must be alive.
pub unsafe fn reference_count(message: *mut Message) -> u32 {
    // SAFETY: `message` is alive; content is only changed by a sole holder.
    let (cell, parent) = unsafe { (cell_of(message), read(cell_of(message)).parent) };
    let own = cell.references.load(Ordering::Acquire);
    match parent {
        // SAFETY: this message keeps its parent alive.
        Some(parent) => own - 1 + unsafe { reference_count(parent.as_ptr()) },
        None => own,
    }
}

/// The id in GXF's C API: a mark, the generation and the number of the cell.
///
/// # Safety
/// `message` must be alive.
pub unsafe fn id_of(message: *mut Message) -> Uid {
    // SAFETY: `message` is alive.
    let cell = unsafe { cell_of(message) };
    let generation = Uid::from(cell.generation.load(Ordering::Relaxed) & GENERATION_MASK);
    MESSAGE_BIT | (generation << 38) | (Uid::from(cell.number) << 10)
}

/// Whether the message's first reference waits for a user.
///
/// # Safety
/// `message` must be alive.
pub unsafe fn unclaimed<'a>(message: *mut Message) -> &'a AtomicBool {
    // SAFETY: `message` is alive.
    &unsafe { cell_of(message) }.unclaimed
}

/// 24 bits of generation, 28 bits of cell number, 10 bits left for the payloads of a message.
const GENERATION_MASK: u32 = (1 << 24) - 1;

/// The message with an id, with an added reference. Only for the C API: a caller with a mere id
/// must not use it while the message's sole holder fills it.
pub fn from_id(id: Uid) -> Option<NonNull<Message>> {
    if id < 0 || id & MESSAGE_BIT == 0 {
        return None;
    }
    let number = u32::try_from((id >> 10) & ((1 << 28) - 1)).ok()?;
    let cell = cell(number)?;
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
    // SAFETY: the reference was added above; it is released if the cell now holds another message.
    unsafe {
        if id_of(message.as_ptr()) != id {
            release(message.as_ptr());
            return None;
        }
    }
    Some(message)
}

/// Whether a message with this id exists, without holding it.
pub fn is_alive(id: Uid) -> bool {
    let number = u32::try_from((id >> 10) & ((1 << 28) - 1)).ok();
    let cell = number.filter(|_| id > 0 && id & MESSAGE_BIT != 0).and_then(|n| cell(n));
    cell.is_some_and(|cell| {
        let message: NonNull<Message> = NonNull::from(cell).cast();
        // SAFETY: cells are never freed, and only the cell's atomics are read.
        cell.references.load(Ordering::Acquire) > 0 && unsafe { id_of(message.as_ptr()) } == id
    })
}

/// # Safety
/// The caller must own the only reference to the message; `name` must be readable.
pub unsafe fn add(message: *mut Message, tid: Tid, name: Text) -> Result<PayloadRef, ResultCode> {
    // SAFETY: the caller owns the sole reference of the message; `name` is readable.
    unsafe { add_as_holder_of(message, 1, tid, name) }
}

/// # Safety
/// The caller must own that many references to the message; `name` must be readable.
pub unsafe fn add_as_holder_of(
    message: *mut Message,
    references: u32,
    tid: Tid,
    name: Text,
) -> Result<PayloadRef, ResultCode> {
    let known = payload_type(tid).ok_or(ResultCode::FACTORY_UNKNOWN_TID)?;
    // SAFETY: the caller owns that many references of the message; `name` is readable.
    let mut filling = unsafe { write_as_holder_of(cell_of(message), references) }?;
    // SAFETY: the caller owns that many references of the message; `name` is readable.
    unsafe { filling.add(known, name) }
}

/// # Safety
/// `message` must be alive and `name` readable.
pub unsafe fn find(
    message: *mut Message,
    tid: Tid,
    name: Text,
    start: usize,
) -> Option<PayloadRef> {
    // SAFETY: `message` is alive and `name` readable; content is only changed by a sole holder.
    let content = unsafe { read(cell_of(message)) };
    let wanted = (!name.data.is_null()).then(|| {
        // SAFETY: `message` is alive and `name` readable.
        unsafe { std::slice::from_raw_parts(name.data, name.length) }
    });
    content
        .payloads()
        .iter()
        .skip(start)
        .find(|payload| {
            (tid.is_null() || payload.tid() == tid)
                && wanted.is_none_or(|name| payload.name() == name)
        })
        .map(Payload::to_ref)
}

/// # Safety
/// `message` must be alive.
pub unsafe fn count(message: *mut Message) -> usize {
    // SAFETY: `message` is alive.
    unsafe { read(cell_of(message)) }.payloads().len()
}

/// # Safety
/// `message` must be alive.
pub unsafe fn at(message: *mut Message, index: usize) -> Option<PayloadRef> {
    // SAFETY: `message` is alive.
    unsafe { read(cell_of(message)) }.payloads().get(index).map(Payload::to_ref)
}

/// # Safety
/// The caller must own the only reference to the message.
pub unsafe fn remove(message: *mut Message, index: usize) -> Result<(), ResultCode> {
    // SAFETY: the caller owns the sole reference of the message.
    unsafe { remove_as_holder_of(message, 1, index) }
}

/// # Safety
/// The caller must own that many references to the message.
pub unsafe fn remove_as_holder_of(
    message: *mut Message,
    references: u32,
    index: usize,
) -> Result<(), ResultCode> {
    // SAFETY: the caller owns that many references of the message.
    let content = unsafe { write_as_holder_of(cell_of(message), references) }?.content;
    if index >= content.payloads().len() {
        return Err(ResultCode::ENTITY_COMPONENT_NOT_FOUND);
    }
    let payload = content.remove(index);
    // SAFETY: the payload was just removed from the message.
    unsafe { payload.destroy() };
    content.find_timestamp();
    // Without payloads of its parent, a message need not keep it alive.
    if let Some(parent) = content.parent {
        // SAFETY: the message holds a reference of its parent.
        let lent = unsafe { read(cell_of(parent.as_ptr())) };
        let is_lent = |own: &Payload| lent.payloads().iter().any(|it| it.object == own.object);
        if !content.payloads().iter().any(is_lent) {
            content.parent = None;
            // SAFETY: this is the message's reference, which it no longer has.
            unsafe { release(parent.as_ptr()) };
        }
    }
    Ok(())
}

/// Renames the payload at a position.
///
/// # Safety
/// The caller must own that many references to the message; `name` must be readable.
pub unsafe fn rename_as_holder_of(
    message: *mut Message,
    references: u32,
    index: usize,
    name: Text,
) -> Result<(), ResultCode> {
    // SAFETY: the caller owns that many references of the message; `name` is readable.
    let mut filling = unsafe { write_as_holder_of(cell_of(message), references) }?;
    if index >= filling.content.payloads().len() {
        return Err(ResultCode::ENTITY_COMPONENT_NOT_FOUND);
    }
    // SAFETY: there is such a payload, and `name` is readable.
    unsafe { filling.rename(index, name) }
}

/// Sets the message's `timestamp` to this acquisition time and publication time 0. Consumes the
/// caller's reference and returns one.
///
/// # Safety
/// The caller must own a reference to the message and use only the returned one afterwards; after
/// an error the reference is gone.
pub unsafe fn stamp(
    message: *mut Message,
    acquisition_time: i64,
) -> Result<NonNull<Message>, ResultCode> {
    // SAFETY: the caller owns a reference of the message.
    if unsafe { stamp_again(message, acquisition_time) } {
        return NonNull::new(message).ok_or(ResultCode::NULL_POINTER);
    }
    let stamp = Timestamp { pubtime: 0, acqtime: acquisition_time };
    // SAFETY: the caller owns a reference of the message and uses only the returned one from then
    // on.
    unsafe { stamp_anew(message, stamp) }
}

/// The usual case of [`stamp`]: a message with a timestamp and no other holder, which stays the
/// same; false for any other.
///
/// # Safety
/// The caller must own a reference to the message.
#[inline(always)]
pub unsafe fn stamp_again(message: *mut Message, acquisition_time: i64) -> bool {
    // SAFETY: the caller owns a reference of the message.
    let Ok(filling) = (unsafe { write(cell_of(message)) }) else { return false };
    let Some(object) = filling.content.timestamp else { return false };
    // SAFETY: the payload is a timestamp of this message, and the caller is its sole holder.
    unsafe { object.write(Timestamp { pubtime: 0, acqtime: acquisition_time }) };
    true
}

/// The first stamp of a message, or the stamp of a message with other holders. Separate, to keep
/// the usual path short.
///
/// # Safety
/// See [`stamp`].
#[inline(never)]
unsafe fn stamp_anew(
    message: *mut Message,
    stamp: Timestamp,
) -> Result<NonNull<Message>, ResultCode> {
    // SAFETY: the caller owns a reference of the message.
    let cell = unsafe { cell_of(message) };
    // SAFETY: the caller owns a reference.
    if let Ok(mut filling) = unsafe { write(cell) } {
        return match filling.add_timestamp(stamp) {
            Ok(()) => Ok(NonNull::from(cell).cast()),
            Err(code) => {
                // SAFETY: this releases the caller's reference.
                unsafe { release(message) };
                Err(code)
            }
        };
    }
    // The message has other holders: leave it unchanged and send one that shares its payloads.
    let Some(child) = new_message() else {
        // SAFETY: this releases the caller's reference.
        unsafe { release(message) };
        return Err(ResultCode::OUT_OF_MEMORY);
    };
    // SAFETY: the child is new. It consumes the caller's reference to the parent, which keeps the
    // shared payloads alive.
    unsafe {
        let mut filling = write(cell_of(child.as_ptr()))?;
        let parent = read(cell);
        filling.content.parent = Some(NonNull::from(cell).cast());
        for payload in parent.payloads() {
            if parent.timestamp != Some(payload.object.cast()) {
                filling.content.push(payload.borrowed());
            }
        }
        if let Err(code) = filling.add_timestamp(stamp) {
            release(child.as_ptr());
            return Err(code);
        }
    }
    Ok(child)
}

/// Adds a payload `timestamp` with publication time `now`, as every published message has it. A
/// publication time other than 0 is kept. If the message is shared, publishes a new one with the
/// same other payloads instead.
///
/// # Errors
/// There is no memory for a message or its timestamp.
#[inline(always)]
pub fn published(message: gxf::Message, now: i64) -> Result<gxf::Message, ResultCode> {
    if note_publication(&message, now) {
        return Ok(message);
    }
    cold_path();
    publish_anew(message, now)
}

/// Whether the message is as [`published`] would have it, or could be made so in place.
#[inline(always)]
fn note_publication(message: &gxf::Message, now: i64) -> bool {
    // SAFETY: `message` holds a reference, so the cell is alive.
    let cell = unsafe { cell_of(message.as_raw().as_ptr()) };
    // SAFETY: only the message's sole holder may change its content.
    let Some(stamp) = unsafe { read(cell) }.timestamp else { return false };
    // SAFETY: a payload of this message, which is alive.
    if unsafe { (*stamp.as_ptr()).pubtime } != 0 {
        return true;
    }
    // SAFETY: `message` owns one reference of the cell.
    if unsafe { write(cell) }.is_err() {
        cold_path();
        return now == 0;
    }
    // SAFETY: a payload of a message whose sole holder is the caller.
    unsafe { (*stamp.as_ptr()).pubtime = now };
    true
}

/// The first stamp of a message that is published, or one for a message that others hold too.
#[inline(never)]
fn publish_anew(message: gxf::Message, now: i64) -> Result<gxf::Message, ResultCode> {
    let raw = message.into_raw().as_ptr();
    // SAFETY: `raw` owns a reference, so the cell is alive and its content does not change.
    let known = unsafe { read(cell_of(raw)) }.timestamp;
    // SAFETY: a payload of this message, which is alive.
    let acqtime = known.map_or(now, |stamp| unsafe { stamp.read() }.acqtime);
    // SAFETY: the reference of `message` goes in, and only the one that comes out is used.
    unsafe {
        stamp_anew(raw, Timestamp { pubtime: now, acqtime }).map(|raw| gxf::Message::from_raw(raw))
    }
}

/// Fills an empty message with the payloads of another one, which they share, and a copy of its
/// timestamp.
///
/// # Safety
/// The caller must own references to both, and the only one to `message`.
pub unsafe fn share(message: *mut Message, source: *mut Message) -> Result<(), ResultCode> {
    // SAFETY: the caller owns references of both, the sole one of `message`; a message that is its
    // own source has a reference too many or
    // is found to be no empty one.
    unsafe {
        let mut filling = write(cell_of(message))?;
        if !filling.content.payloads().is_empty()
            || filling.content.parent.is_some()
            || message == source
        {
            return Err(ResultCode::CONTRACT_INVALID_SEQUENCE);
        }
        retain(source);
        let parent = read(cell_of(source));
        filling.content.parent = NonNull::new(source);
        for payload in parent.payloads() {
            let object = payload.object.cast::<Timestamp>();
            if parent.timestamp == Some(object) {
                // A copy, because the message's holder may change it.
                filling.add_timestamp(object.read())?;
            } else {
                filling.content.push(payload.borrowed());
            }
        }
    }
    Ok(())
}
