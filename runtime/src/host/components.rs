//! Components, their types and their parameters.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::{inner, null_pointer, place, put, text};
use gxf_app::error::Error;
use gxf_plugin::reported::answer;
use gxf_plugin::{component, value};
use gxf_plugin_abi::{
    Context, InterfaceRef, ResultCode, Text, Tid, Uid, UidSink, Value, ValueSink,
};
use std::ffi::c_void;

pub(super) unsafe extern "C" fn component_add(
    context: *mut Context,
    eid: Uid,
    tid: Tid,
    name: Text,
    cid: *mut Uid,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is readable, `cid` is null or writable.
    answer(|| unsafe { put(cid, inner(context)?.add_component(eid, tid, text(name)?)?.cid()) })
}

pub(super) unsafe extern "C" fn component_find(
    context: *mut Context,
    eid: Uid,
    tid: Tid,
    name: Text,
    offset: *mut i32,
    cid: *mut Uid,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is readable, `offset` and `cid` are null or writable.
    answer(|| unsafe {
        let tid = (!tid.is_null()).then_some(tid);
        let name = if name.data.is_null() { None } else { Some(text(name)?) };
        let start = offset
            .as_ref()
            .map_or(Ok(0), |start| usize::try_from(*start))
            .map_err(|_| Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, "the offset is negative"))?;
        let (position, found) = inner(context)?.find_component(eid, tid, name, start)?;
        if let Some(offset) = offset.as_mut() {
            *offset = i32::try_from(position).unwrap_or(i32::MAX);
        }
        put(cid, found)
    })
}

pub(super) unsafe extern "C" fn component_find_all(
    context: *mut Context,
    eid: Uid,
    sink: UidSink,
) -> ResultCode {
    // SAFETY: `context` is alive, `sink` may be called.
    answer(|| unsafe {
        for component in inner(context)?.graph.entity(eid)?.components().iter() {
            (sink.add)(sink.user, component.cid());
        }
        Ok(())
    })
}

pub(super) unsafe extern "C" fn component_type(
    context: *mut Context,
    cid: Uid,
    tid: *mut Tid,
) -> ResultCode {
    // SAFETY: `context` is alive, `tid` is null or writable.
    answer(|| unsafe { put(tid, inner(context)?.graph.component(cid)?.type_info().tid) })
}

pub(super) unsafe extern "C" fn component_name(
    context: *mut Context,
    cid: Uid,
    name: *mut Text,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is null or writable; the name lives as long as the
    // component.
    answer(|| unsafe { put(name, gxf::text_of(inner(context)?.graph.component(cid)?.name())) })
}

pub(super) unsafe extern "C" fn component_entity(
    context: *mut Context,
    cid: Uid,
    eid: *mut Uid,
) -> ResultCode {
    // SAFETY: `context` is alive, `eid` is null or writable.
    answer(|| unsafe { put(eid, inner(context)?.graph.component(cid)?.eid()) })
}

pub(super) unsafe extern "C" fn component_pointer(
    context: *mut Context,
    cid: Uid,
    tid: Tid,
    result: *mut InterfaceRef,
) -> ResultCode {
    // SAFETY: `context` is alive, `result` is null or writable.
    answer(|| unsafe {
        // Checked first, because otherwise the new reference would leak.
        let place = place(result).ok_or_else(null_pointer)?;
        let component = inner(context)?.graph.component(cid)?;
        if !component.is_a(tid) {
            return Err(inner(context)?.graph.wrong_type(&component, tid));
        }
        place.write(component.pointer());
        Ok(())
    })
}

pub(super) unsafe extern "C" fn component_interface(
    context: *mut Context,
    cid: Uid,
    id: Tid,
    result: *mut InterfaceRef,
) -> ResultCode {
    // SAFETY: `context` is alive, `result` is null or writable.
    answer(|| unsafe {
        // As above.
        let place = place(result).ok_or_else(null_pointer)?;
        let component = inner(context)?.graph.component(cid)?;
        match component.interface_ref(id) {
            Some(reference) => {
                place.write(reference);
                Ok(())
            }
            None => Err(inner(context)?.graph.wrong_type(&component, id)),
        }
    })
}

pub(super) unsafe extern "C" fn component_retain(owner: *mut c_void) {
    // SAFETY: the caller has the reference `owner`.
    unsafe { component::retain_owner(owner) };
}

pub(super) unsafe extern "C" fn component_release(owner: *mut c_void) {
    // SAFETY: the caller has the reference `owner`.
    unsafe { component::release_owner(owner) };
}

pub(super) unsafe extern "C" fn type_id(
    context: *mut Context,
    name: Text,
    tid: *mut Tid,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is readable, `tid` is null or writable.
    answer(|| unsafe { put(tid, inner(context)?.graph.type_by_name(text(name)?)?.tid) })
}

pub(super) unsafe extern "C" fn type_name(
    context: *mut Context,
    tid: Tid,
    name: *mut Text,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is null or writable; the registry keeps the type as long
    // as the context lives.
    answer(|| unsafe { put(name, gxf::text_of(&inner(context)?.graph.type_by_id(tid)?.name)) })
}

pub(super) unsafe extern "C" fn type_is_base(
    context: *mut Context,
    derived: Tid,
    base: Tid,
    result: *mut bool,
) -> ResultCode {
    // SAFETY: `context` is alive, `result` is null or writable.
    answer(|| unsafe { put(result, inner(context)?.graph.type_by_id(derived)?.is_a(base)) })
}

pub(super) unsafe extern "C" fn parameter_set(
    context: *mut Context,
    cid: Uid,
    key: Text,
    given: *const Value,
) -> ResultCode {
    // SAFETY: `context` is alive, `key` is readable, `given` is null or a value of its type.
    answer(|| unsafe {
        let given = match given.as_ref() {
            Some(given) => Some(
                value::from_abi(given)
                    .map_err(|code| Error::new(code, "the parameter's value is not well-formed"))?,
            ),
            None => None,
        };
        inner(context)?.set_parameter(cid, text(key)?, given)
    })
}

pub(super) unsafe extern "C" fn parameter_get(
    context: *mut Context,
    cid: Uid,
    key: Text,
    sink: ValueSink,
) -> ResultCode {
    // SAFETY: `context` is alive, `key` is readable, `sink` may be called.
    answer(|| unsafe {
        let (spec, found) = inner(context)?.parameter(cid, text(key)?)?;
        value::with_abi_value(spec.element, spec.rank, &found, |found| {
            (sink.accept)(sink.user, found);
        });
        Ok(())
    })
}

pub(super) unsafe extern "C" fn transmitter_receivers(
    context: *mut Context,
    cid: Uid,
    sink: UidSink,
) -> ResultCode {
    // SAFETY: `context` is alive, `sink` may be called.
    answer(|| unsafe {
        for receiver in inner(context)?.graph.receivers_of(cid) {
            (sink.add)(sink.user, receiver);
        }
        Ok(())
    })
}
