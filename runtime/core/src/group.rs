//! Groups of entities and the resources they share.

use crate::boundary::{Text, fill, needed, put, text, text_or_empty};
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_runtime::{Context, Result};

/// The id that groups know an entity by: one that began as a message was given another.
fn member(context: &Context, eid: Uid) -> Result<Uid> {
    let name = context.entity_name(eid)?;
    if name.is_empty() { Ok(eid) } else { context.find_entity(&name) }
}

api! {
    fn GxfCreateEntityGroup(name: Text, gid: *mut Uid) |context| {
        needed(gid)?;
        put(gid, context.create_group(text(name)?)?)
    }

    fn GxfUpdateEntityGroup(gid: Uid, eid: Uid) |context| {
        context.move_to_group(gid, member(context, eid)?)
    }

    fn GxfEntityGroupFindResources(eid: Uid, count: *mut u64, cids: *mut Uid) |context| {
        let found = context.group_resources(member(context, eid)?)?;
        fill(&found, count, cids, ResultCode::RESULT_ARRAY_TOO_SMALL)
    }

    fn GxfEntityGroupId(eid: Uid, gid: *mut Uid) |context| {
        put(gid, context.group_of(member(context, eid)?)?.0)
    }

    fn GxfEntityGroupName(eid: Uid, name: *mut Text) |context| {
        let (gid, found) = context.group_of(member(context, eid)?)?;
        put(name, context.keep_text(gid, "name", &found))
    }

    fn GxfEntityResourceGetHandle(
        eid: Uid,
        type_name: Text,
        key: Text,
        cid: *mut Uid,
    ) |context| {
        needed(cid)?;
        put(cid, context.find_resource(member(context, eid)?, text(type_name)?, text_or_empty(key)?)?)
    }
}
