//! Components, and the payloads of messages.

use crate::boundary::{Text, fill, needed, put, put_if_wanted, text, text_or_empty};
use crate::entity::entity_of;
use crate::texts::lasting;
use gxf_plugin_abi::{ResultCode, StorageType, Tid, Uid};
use gxf_runtime::{Context, Error, MemoryBuffer, Result};
use std::ffi::c_void;

fn type_name(context: &Context, tid: Tid) -> Result<Text> {
    let known = context.type_info_by_id(tid).ok_or_else(|| {
        let text = format!("no loaded extension has a type with id {tid}");
        Error::new(ResultCode::FACTORY_UNKNOWN_TID, text)
    })?;
    Ok(lasting(&known.name))
}

/// The object that a program sees at a component's address.
fn object(context: &Context, cid: Uid, tid: Tid) -> Result<*mut c_void> {
    let address = context.component_address(cid, tid)?;
    Ok(crate::shim::object_for(context, cid, tid, address))
}

/// # Safety
/// The pointers must be as the header requires.
unsafe fn find(context: &Context, eid: Uid, tid: Tid, name: Text, offset: *mut i32) -> Result<Uid> {
    let tid = (!tid.is_null()).then_some(tid);
    // SAFETY: the pointers are as the header says.
    let name = if name.is_null() { None } else { Some(unsafe { text(name) }?) };
    // SAFETY: the pointers are as the header says.
    let start = unsafe { offset.as_ref() }.copied().unwrap_or_default();
    let start = usize::try_from(start)
        .map_err(|_| Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, "the offset is negative"))?;
    let (position, cid) = context.find_component_from(eid, tid, name, start)?;
    // SAFETY: the pointers are as the header says.
    unsafe { put_if_wanted(offset, i32::try_from(position).unwrap_or(i32::MAX)) };
    Ok(cid)
}

api! {
    fn GxfComponentTypeId(name: Text, tid: *mut Tid) |context| {
        needed(tid)?;
        put(tid, context.type_id(text(name)?)?)
    }

    fn GxfComponentTypeName(tid: Tid, name: *mut Text) |context| {
        put(name, type_name(context, tid)?)
    }

    fn GxfComponentTypeNameFromUID(cid: Uid, name: *mut Text) |context| {
        put(name, type_name(context, context.component_type(cid)?)?)
    }

    fn GxfComponentName(cid: Uid, name: *mut Text) |context| {
        put(name, context.keep_text(cid, "name", &context.component_name(cid)?))
    }

    fn GxfComponentEntity(cid: Uid, eid: *mut Uid) |context| {
        put(eid, context.component_entity(cid)?)
    }

    fn GxfComponentAdd(eid: Uid, tid: Tid, name: Text, cid: *mut Uid) |context| {
        put_if_wanted(cid, context.add_component_by_id(eid, tid, text_or_empty(name)?)?);
        Ok(())
    }

    fn GxfComponentAddAndGetPtr(
        item: *mut c_void,
        tid: Tid,
        name: Text,
        cid: *mut Uid,
        pointer: *mut *mut c_void,
    ) |context| {
        needed(pointer)?;
        let added = context.add_component_by_id(entity_of(item)?, tid, text_or_empty(name)?)?;
        put_if_wanted(cid, added);
        put(pointer, object(context, added, tid)?)
    }

    fn GxfComponentRemoveWithUID(cid: Uid) |context| {
        context.remove_component(cid)
    }

    fn GxfComponentRemove(eid: Uid, tid: Tid, name: Text) |context| {
        let name = if name.is_null() { None } else { Some(text(name)?) };
        for cid in context.component_ids(eid)? {
            if context.component_type(cid)? == tid
                && name.is_none_or(|name| context.component_name(cid).is_ok_and(|own| own == name))
            {
                return context.remove_component(cid);
            }
        }
        let text = "the entity has no component of this type and name";
        Err(Error::new(ResultCode::ENTITY_COMPONENT_NOT_FOUND, text))
    }

    fn GxfComponentAddToInterface(eid: Uid, cid: Uid, name: Text) |context| {
        context.export_component(eid, cid, text(name)?)
    }

    fn GxfComponentFind(
        eid: Uid,
        tid: Tid,
        name: Text,
        offset: *mut i32,
        cid: *mut Uid,
    ) |context| {
        put_if_wanted(cid, find(context, eid, tid, name, offset)?);
        Ok(())
    }

    fn GxfComponentFindAndGetPtr(
        eid: Uid,
        item: *mut c_void,
        tid: Tid,
        name: Text,
        offset: *mut i32,
        cid: *mut Uid,
        pointer: *mut *mut c_void,
    ) |context| {
        needed(pointer)?;
        let eid = if item.is_null() { eid } else { entity_of(item)? };
        let found = find(context, eid, tid, name, offset)?;
        put_if_wanted(cid, found);
        put(pointer, object(context, found, tid)?)
    }

    fn GxfComponentFindAll(eid: Uid, count: *mut u64, cids: *mut Uid) |context| {
        let found = context.component_ids(eid)?;
        fill(&found, count, cids, ResultCode::RESULT_ARRAY_TOO_SMALL)
    }

    fn GxfComponentType(cid: Uid, tid: *mut Tid) |context| {
        put(tid, context.component_type(cid)?)
    }

    fn GxfComponentPointer(cid: Uid, tid: Tid, pointer: *mut *mut c_void) |context| {
        put(pointer, object(context, cid, tid)?)
    }

    fn GxfVariableBind(cid: Uid, memory: *mut c_void, size: u64) |context| {
        needed(memory)?;
        // SAFETY: the header asks for memory of this size that others leave alone.
        let memory = unsafe {
            MemoryBuffer::wrap(memory.cast(), size, StorageType::SYSTEM, |_| ())
        };
        context.give_memory(cid, memory)
    }

    fn GxfVariableRead(cid: Uid, buffer: *mut c_void, size: u64) |context| {
        needed(buffer)?;
        let too_large = |_| Error::new(ResultCode::ARGUMENT_INVALID, "the buffer is too large");
        let size = usize::try_from(size).map_err(too_large)?;
        // SAFETY: the header asks for a buffer of this size.
        let buffer = unsafe { std::slice::from_raw_parts_mut(buffer.cast::<u8>(), size) };
        context.read_variable_into(cid, buffer)
    }

    fn GxfComponentIsBase(derived: Tid, base: Tid, result: *mut bool) |context| {
        put(result, context.is_base(derived, base)?)
    }
}
