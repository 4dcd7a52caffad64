//! Messages and their payloads.

use super::errors::finish;
use super::{inner, put};
use crate::error::Error;
use crate::message::by_id::HeldMessage;
use crate::message::pool;
use gxf_plugin_abi::{Context, Message, PayloadRef, ResultCode, Text, Tid, Uid};

pub(super) unsafe extern "C" fn message_new(
    _context: *mut Context,
    message: *mut *mut Message,
) -> ResultCode {
    match pool::new_message() {
        Some(new) => {
            // SAFETY: the extension's promise.
            unsafe { message.write(new.as_ptr()) };
            ResultCode::SUCCESS
        }
        None => ResultCode::OUT_OF_MEMORY,
    }
}

pub(super) unsafe extern "C" fn message_retain(message: *mut Message) {
    // SAFETY: the extension's promise.
    unsafe { pool::retain(message) };
}

pub(super) unsafe extern "C" fn message_release(message: *mut Message) {
    // SAFETY: the extension's promise.
    unsafe { pool::release(message) };
}

pub(super) unsafe extern "C" fn message_reference_count(message: *mut Message) -> u32 {
    // SAFETY: the extension's promise.
    unsafe { pool::reference_count(message) }
}

pub(super) unsafe extern "C" fn message_id(message: *mut Message) -> Uid {
    // SAFETY: the extension's promise.
    unsafe { pool::id_of(message) }
}

pub(super) unsafe extern "C" fn message_from_id(
    context: *mut Context,
    eid: Uid,
    message: *mut *mut Message,
) -> ResultCode {
    let found = pool::from_id(eid).or_else(|| {
        // SAFETY: the extension's promise.
        let inner = unsafe { inner(context) }.ok()?;
        inner.message_of_entity(eid).map(HeldMessage::into_raw)
    });
    finish(match found {
        // SAFETY: the extension's promise.
        Some(found) => unsafe { put(message, found.as_ptr()) },
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
    // SAFETY: the extension's promise.
    match unsafe { pool::add(message, tid, name) } {
        Ok(added) => {
            // SAFETY: the extension's promise.
            unsafe { payload.write(added) };
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
                Error::new(code, "a message that others hold as well cannot be changed")
            }
            code => Error::new(code, "the payload could not be added"),
        })),
    }
}

pub(super) unsafe extern "C" fn message_share(
    message: *mut Message,
    source: *mut Message,
) -> ResultCode {
    // SAFETY: the extension's promise.
    finish(unsafe { pool::share(message, source) }.map_err(|code| {
        let text = match code {
            ResultCode::CONTRACT_INVALID_SEQUENCE => {
                "only an empty message that nobody else holds can share the payloads of another one"
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
    // SAFETY: the extension's promise.
    match unsafe { pool::find(message, tid, name, start) } {
        Some(found) => {
            // SAFETY: the extension's promise.
            unsafe { payload.write(found) };
            ResultCode::SUCCESS
        }
        None => ResultCode::ENTITY_COMPONENT_NOT_FOUND,
    }
}

pub(super) unsafe extern "C" fn message_count(message: *mut Message) -> usize {
    // SAFETY: the extension's promise.
    unsafe { pool::count(message) }
}

pub(super) unsafe extern "C" fn message_at(
    message: *mut Message,
    index: usize,
    payload: *mut PayloadRef,
) -> ResultCode {
    // SAFETY: the extension's promise.
    match unsafe { pool::at(message, index) } {
        Some(found) => {
            // SAFETY: the extension's promise.
            unsafe { payload.write(found) };
            ResultCode::SUCCESS
        }
        None => ResultCode::ARGUMENT_OUT_OF_RANGE,
    }
}

pub(super) unsafe extern "C" fn message_remove(message: *mut Message, index: usize) -> ResultCode {
    // SAFETY: the extension's promise.
    unsafe { pool::remove(message, index) }.err().unwrap_or(ResultCode::SUCCESS)
}

pub(super) unsafe extern "C" fn message_stamp(
    message: *mut Message,
    acquisition_time: i64,
    stamped: *mut *mut Message,
) -> ResultCode {
    // SAFETY: the extension's promise.
    match unsafe { pool::stamp(message, acquisition_time) } {
        Ok(result) => {
            // SAFETY: the extension's promise.
            unsafe { stamped.write(result.as_ptr()) };
            ResultCode::SUCCESS
        }
        Err(code) => code,
    }
}
