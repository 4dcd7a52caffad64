//! Messages and their payloads.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::{inner, missing_place, place};
use gxf_app::error::Error;
use gxf_plugin::message::by_id::HeldMessage;
use gxf_plugin::message::pool;
use gxf_plugin::reported::finish;
use gxf_plugin_abi::{Context, Message, PayloadRef, ResultCode, Text, Tid, Uid};
use std::mem::MaybeUninit;

pub(super) unsafe extern "C" fn message_new(
    _context: *mut Context,
    message: *mut *mut Message,
) -> ResultCode {
    // SAFETY: `message` is null or writable.
    let Some(place) = (unsafe { place(message) }) else { return missing_place() };
    let Some(new) = pool::new_message() else { return ResultCode::OUT_OF_MEMORY };
    place.write(new.as_ptr());
    ResultCode::SUCCESS
}

pub(super) unsafe extern "C" fn message_retain(message: *mut Message) {
    // SAFETY: `message` is alive.
    unsafe { pool::retain(message) };
}

pub(super) unsafe extern "C" fn message_release(message: *mut Message) {
    // SAFETY: the caller owns a reference of `message` and gives it up.
    unsafe { pool::release(message) };
}

pub(super) unsafe extern "C" fn message_reference_count(message: *mut Message) -> u32 {
    // SAFETY: `message` is alive.
    unsafe { pool::reference_count(message) }
}

pub(super) unsafe extern "C" fn message_id(message: *mut Message) -> Uid {
    // SAFETY: `message` is alive.
    unsafe { pool::id_of(message) }
}

pub(super) unsafe extern "C" fn message_from_id(
    context: *mut Context,
    eid: Uid,
    message: *mut *mut Message,
) -> ResultCode {
    // SAFETY: `message` is null or writable.
    let Some(place) = (unsafe { place(message) }) else { return missing_place() };
    let found = pool::from_id(eid).or_else(|| {
        // SAFETY: `context` is alive or null.
        let inner = unsafe { inner(context) }.ok()?;
        inner.message_of_entity(eid).map(HeldMessage::into_raw)
    });
    finish(match found {
        Some(found) => {
            place.write(found.as_ptr());
            Ok(())
        }
        None => Err(Error::new(
            ResultCode::ENTITY_NOT_FOUND,
            format!("there is no message with id {eid}"),
        )),
    })
}

pub(super) unsafe extern "C" fn message_add(
    message: *mut Message,
    tid: Tid,
    name: Text,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: `payload` is null or writable.
    let Some(place) = (unsafe { place(payload) }) else { return missing_place() };
    // SAFETY: `message` is alive and `name` readable.
    match unsafe { pool::add(message, tid, name) } {
        Ok(added) => {
            place.write(added);
            ResultCode::SUCCESS
        }
        Err(code) => finish(Err(match code {
            ResultCode::FACTORY_UNKNOWN_TID => Error::new(
                code,
                format!(
                    "no loaded extension registers a payload type with id {tid}; list it under \
                     `payloads` of its extension"
                ),
            ),
            ResultCode::CONTRACT_INVALID_SEQUENCE => {
                Error::new(code, "a message with other holders cannot be changed")
            }
            code => Error::new(code, "the payload could not be added"),
        })),
    }
}

pub(super) unsafe extern "C" fn message_share(
    message: *mut Message,
    source: *mut Message,
) -> ResultCode {
    // SAFETY: the caller owns references of `message` and `source`.
    finish(unsafe { pool::share(message, source) }.map_err(|code| {
        let text = match code {
            ResultCode::CONTRACT_INVALID_SEQUENCE => {
                "only an empty message without other holders can share the payloads of another one"
            }
            _ => "the payloads could not be shared",
        };
        Error::new(code, text)
    }))
}

pub(super) unsafe extern "C" fn message_find(
    message: *mut Message,
    tid: Tid,
    name: Text,
    start: usize,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: `payload` is null or writable.
    let Some(place) = (unsafe { place(payload) }) else { return missing_place() };
    // SAFETY: `message` is alive and `name` readable.
    let Some(found) = (unsafe { pool::find(message, tid, name, start) }) else {
        return ResultCode::ENTITY_COMPONENT_NOT_FOUND;
    };
    place.write(found);
    ResultCode::SUCCESS
}

pub(super) unsafe extern "C" fn message_count(message: *mut Message) -> usize {
    // SAFETY: `message` is alive.
    unsafe { pool::count(message) }
}

pub(super) unsafe extern "C" fn message_at(
    message: *mut Message,
    index: usize,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: `payload` is null or writable.
    let Some(place) = (unsafe { place(payload) }) else { return missing_place() };
    // SAFETY: `message` is alive.
    let Some(found) = (unsafe { pool::at(message, index) }) else {
        return ResultCode::ARGUMENT_OUT_OF_RANGE;
    };
    place.write(found);
    ResultCode::SUCCESS
}

pub(super) unsafe extern "C" fn message_remove(message: *mut Message, index: usize) -> ResultCode {
    // SAFETY: the caller owns a reference of `message`.
    unsafe { pool::remove(message, index) }.err().unwrap_or(ResultCode::SUCCESS)
}

pub(super) unsafe extern "C" fn message_stamp(
    message: *mut Message,
    acquisition_time: i64,
    stamped: *mut *mut Message,
) -> ResultCode {
    // SAFETY: `stamped` is null or writable.
    let Some(place) = (unsafe { place(stamped) }) else { return missing_place() };
    // SAFETY: the caller owns a reference of `message`, and gets it back.
    if unsafe { pool::stamp_again(message, acquisition_time) } {
        place.write(message);
        return ResultCode::SUCCESS;
    }
    // SAFETY: the caller owns a reference of `message` and gives it up.
    unsafe { stamp_into(message, acquisition_time, place) }
}

/// Separate, so that the usual path saves no registers.
///
/// # Safety
/// The caller must own a reference of `message`, and gives it up.
#[inline(never)]
unsafe fn stamp_into(
    message: *mut Message,
    acquisition_time: i64,
    place: &mut MaybeUninit<*mut Message>,
) -> ResultCode {
    // SAFETY: the caller owns a reference of `message` and gives it up.
    match unsafe { pool::stamp(message, acquisition_time) } {
        Ok(result) => {
            place.write(result.as_ptr());
            ResultCode::SUCCESS
        }
        Err(code) => code,
    }
}
