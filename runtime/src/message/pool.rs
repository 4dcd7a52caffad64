//! What can be done with a message.
//!
//! There is one pool in the process: messages may travel between contexts and outlive the one they
//! were made in. A cell keeps its payloads in a small buffer of its own and is free again when the
//! last reference is gone, buffer and all; once warm, a message costs no heap allocation.

use super::cells::{Cell, cell, free_cell, take_cell};
use super::content::{Content, Filling, Payload};
use super::payload_type::payload_type;
use crate::id::MESSAGE_BIT;
use gxf_plugin_abi::{Message, PayloadRef, ResultCode, Text, Tid, Timestamp, Uid};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// A new, empty message with one reference; `None` when 2^28 messages are alive.
pub(crate) fn new_message() -> Option<NonNull<Message>> {
    let cell = take_cell()?;
    cell.references.store(1, Ordering::Relaxed);
    cell.unclaimed.store(false, Ordering::Relaxed);
    Some(NonNull::from(cell).cast())
}

/// # Safety
/// `message` must be alive.
unsafe fn cell_of(message: *mut Message) -> &'static Cell {
    // SAFETY: messages are made of cells, see `new_message`, and cells are never freed.
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
    cell.generation
        .store(cell.generation.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    // SAFETY: no reference is left, and the cell is not in the free list yet.
    let parent = unsafe { &mut *cell.content.get() }.clear();
    free_cell(cell);
    if let Some(parent) = parent {
        // SAFETY: the child owned this reference.
        unsafe { release(parent.as_ptr()) };
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
        Some(parent) => own - 1 + unsafe { reference_count(parent.as_ptr()) },
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
    let cell = number.filter(|_| id > 0 && id & MESSAGE_BIT != 0).and_then(|n| cell(n));
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
    let known = payload_type(tid).ok_or(ResultCode::FACTORY_UNKNOWN_TID)?;
    // SAFETY: the caller's promise.
    let mut filling = unsafe { write_as_holder_of(cell_of(message), references) }?;
    // SAFETY: the caller's promise.
    unsafe { filling.add(known, name) }
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
        && let Some(object) = filling.content.timestamp
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
        filling.content.parent = Some(NonNull::from(cell).cast());
        for payload in &parent.payloads {
            if parent.timestamp != Some(payload.object.cast()) {
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
        filling.content.parent = NonNull::new(source);
        for payload in &parent.payloads {
            let object = payload.object.cast::<Timestamp>();
            if parent.timestamp == Some(object) {
                // Its holder may change it, as if it were alone.
                filling.add_timestamp(object.read())?;
            } else {
                filling.content.payloads.push(payload.borrowed());
            }
        }
    }
    Ok(())
}
