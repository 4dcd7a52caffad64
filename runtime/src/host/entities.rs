//! Entities by id and name.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::{inner, put, text};
use gxf_plugin::reported::answer;
use gxf_plugin_abi::{Condition, Context, EntityState, Event, ResultCode, Text, Uid};

pub(super) unsafe extern "C" fn entity_create(
    context: *mut Context,
    name: Text,
    eid: *mut Uid,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is readable, `eid` is null or writable.
    answer(|| unsafe {
        let entity = inner(context)?.create_entity(text(name)?)?;
        put(eid, entity.eid())
    })
}

pub(super) unsafe extern "C" fn entity_find(
    context: *mut Context,
    name: Text,
    eid: *mut Uid,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is readable, `eid` is null or writable.
    answer(|| unsafe { put(eid, inner(context)?.graph.find_entity(text(name)?)?.eid()) })
}

pub(super) unsafe extern "C" fn entity_name(
    context: *mut Context,
    eid: Uid,
    name: *mut Text,
) -> ResultCode {
    // SAFETY: `context` is alive, `name` is null or writable; the name lives as long as the entity.
    answer(|| unsafe { put(name, gxf::text_of(inner(context)?.graph.entity(eid)?.name())) })
}

pub(super) unsafe extern "C" fn entity_activate(context: *mut Context, eid: Uid) -> ResultCode {
    // SAFETY: `context` is alive.
    answer(|| unsafe { inner(context)?.activate_entity(eid) })
}

pub(super) unsafe extern "C" fn entity_deactivate(context: *mut Context, eid: Uid) -> ResultCode {
    // SAFETY: `context` is alive.
    answer(|| unsafe { inner(context)?.deactivate_entity(eid) })
}

pub(super) unsafe extern "C" fn entity_destroy(context: *mut Context, eid: Uid) -> ResultCode {
    // SAFETY: `context` is alive.
    answer(|| unsafe { inner(context)?.remove_entity(eid) })
}

pub(super) unsafe extern "C" fn entity_notify(
    context: *mut Context,
    eid: Uid,
    event: Event,
) -> ResultCode {
    // SAFETY: `context` is alive.
    answer(|| unsafe { inner(context)?.notify_entity(eid, event) })
}

pub(super) unsafe extern "C" fn entity_execute(
    context: *mut Context,
    eid: Uid,
    now: i64,
    condition: *mut Condition,
) -> ResultCode {
    // SAFETY: `context` is alive, `condition` is null or writable.
    answer(|| unsafe { put(condition, inner(context)?.execute_entity(eid, now)?) })
}

pub(super) unsafe extern "C" fn entity_state(
    context: *mut Context,
    eid: Uid,
    state: *mut EntityState,
) -> ResultCode {
    // SAFETY: `context` is alive, `state` is null or writable.
    answer(|| unsafe { put(state, inner(context)?.runner_of(eid)?.state()) })
}

pub(super) unsafe extern "C" fn entity_status(
    context: *mut Context,
    eid: Uid,
    status: *mut i32,
) -> ResultCode {
    // SAFETY: `context` is alive, `status` is null or writable.
    answer(|| unsafe { put(status, inner(context)?.runner_of(eid)?.status().number().into()) })
}

pub(super) unsafe extern "C" fn entity_observe(
    context: *mut Context,
    eid: Uid,
    observer: Uid,
) -> ResultCode {
    // SAFETY: `context` is alive.
    answer(|| unsafe {
        let inner = inner(context)?;
        inner.runner_of(eid)?.observe(&inner.runner_of(observer)?);
        Ok(())
    })
}

pub(super) unsafe extern "C" fn entity_fail(
    context: *mut Context,
    cid: Uid,
    code: ResultCode,
    what: Text,
) -> ResultCode {
    // SAFETY: `context` is alive, `what` is readable.
    answer(|| unsafe { inner(context)?.fail_component(cid, code, &gxf::text_lossy(what)) })
}
