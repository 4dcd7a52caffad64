//! Entities.

use crate::boundary::{Text, fill, logged, needed, put, text, text_or_empty};
use gxf_plugin_abi::{Event, ResultCode, Uid};
use gxf_runtime::{Context, Error, Result};
use std::ffi::c_void;

/// `GxfEntityCreateInfo` of the header.
#[repr(C)]
struct EntityCreateInfo {
    entity_name: Text,
    flags: u32,
}

/// `GXF_ENTITY_CREATE_PROGRAM_BIT`
const PROGRAM: u32 = 1;

/// A pointer that means an entity: its id, in a form that is never a valid address.
/// `Entity::entity_item_ptr()` in C++ creates the same.
pub(crate) fn item_of(eid: Uid) -> *mut c_void {
    std::ptr::without_provenance_mut(((eid as usize) << 1) | 1)
}

/// The entity that such a pointer means.
pub(crate) fn entity_of(item: *mut c_void) -> Result<Uid> {
    needed(item)?;
    if item.addr() & 1 == 0 {
        let text = "the pointer is not an entity";
        return Err(Error::new(ResultCode::ENTITY_NOT_FOUND, text));
    }
    Ok((item.addr() >> 1) as Uid)
}

/// # Safety
/// `info` must be null or point to a valid structure.
unsafe fn create(context: &Context, info: *const EntityCreateInfo) -> Result<Uid> {
    needed(info)?;
    // SAFETY: `info` is null or refers to what the header requires.
    let info = unsafe { &*info };
    if info.flags & !PROGRAM != 0 {
        let text = "an unknown flag for the creation of an entity";
        return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
    }
    // SAFETY: `info` is null or refers to what the header requires.
    let name = unsafe { text_or_empty(info.entity_name) }?;
    context.create_entity_of(name, info.flags & PROGRAM != 0)
}

api! {
    fn GxfCreateEntity(info: *const EntityCreateInfo, eid: *mut Uid) |context| {
        needed(eid)?;
        put(eid, create(context, info)?)
    }

    fn GxfCreateEntityAndGetItem(
        info: *const EntityCreateInfo,
        eid: *mut Uid,
        item: *mut *mut c_void,
    ) |context| {
        needed(eid)?;
        needed(item)?;
        let created = create(context, info)?;
        put(eid, created)?;
        put(item, item_of(created))
    }

    fn GxfEntityGetItemPtr(eid: Uid, item: *mut *mut c_void) |context| {
        needed(item)?;
        context.entity_name(eid)?;
        put(item, item_of(eid))
    }

    fn GxfEntityIsValid(eid: Uid, valid: *mut bool) |context| {
        put(valid, context.has_entity(eid))
    }

    fn GxfEntityActivate(eid: Uid) |context| {
        logged(context.activate_entity(eid))
    }

    fn GxfEntityDeactivate(eid: Uid) |context| {
        logged(context.deactivate_entity(eid))
    }

    fn GxfEntityDestroy(eid: Uid) |context| {
        context.destroy_entity(eid)
    }

    fn GxfEntityFind(name: Text, eid: *mut Uid) |context| {
        needed(eid)?;
        put(eid, context.find_entity(text(name)?)?)
    }

    fn GxfEntityFindAll(count: *mut u64, entities: *mut Uid) |context| {
        fill(&context.entities(), count, entities, ResultCode::RESULT_ARRAY_TOO_SMALL)
    }

    fn GxfEntityRefCountInc(eid: Uid) |context| {
        context.add_entity_user(eid)
    }

    fn GxfEntityRefCountDec(eid: Uid) |context| {
        context.remove_entity_user(eid)
    }

    fn GxfEntityGetRefCount(eid: Uid, count: *mut i64) |context| {
        put(count, context.entity_users(eid)?)
    }

    fn GxfEntityGetStatus(eid: Uid, status: *mut u32) |context| {
        put(status, u32::from(context.entity_status(eid)?))
    }

    fn GxfEntityGetName(eid: Uid, name: *mut Text) |context| {
        put(name, context.keep_text(eid, "name", &context.entity_name(eid)?))
    }

    fn GxfEntityGetState(eid: Uid, state: *mut i32) |context| {
        put(state, context.entity_behavior(eid)?)
    }

    fn GxfEntityEventNotify(eid: Uid) |context| {
        context.notify_entity(eid, Event::EXTERNAL)
    }

    fn GxfEntityNotifyEventType(eid: Uid, event: u32) |context| {
        if event > Event::STATE_UPDATE.0 {
            let text = format!("{event} is not an event");
            return Err(Error::new(ResultCode::INVALID_ENUM, text));
        }
        context.notify_entity(eid, Event(event))
    }
}
