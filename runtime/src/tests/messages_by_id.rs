//! Messages by their ids. Miri runs these.

use crate::host;
use gxf::Payload;
use gxf_plugin::message::by_id::{HeldMessage, is_there, split_payload_id};
use gxf_plugin_abi::{ResultCode, Tid, Uid};

const I64: Tid = <i64 as Payload>::TID;

/// A new message whose payload types are registered.
fn create() -> Uid {
    host::table();
    drop(crate::context::Context::new());
    HeldMessage::create().unwrap()
}

#[test]
fn users_are_counted_from_zero() {
    let id = create();
    let held = HeldMessage::find(id).unwrap();
    assert_eq!(held.users(), 0);
    assert_eq!(held.remove_user(), Err(ResultCode::REF_COUNT_NEGATIVE));
    held.add_user();
    assert_eq!(held.users(), 1);
    assert_eq!(held.discard(), Err(ResultCode::ARGUMENT_INVALID));
    held.add_user();
    assert_eq!((held.users(), held.remove_user(), held.remove_user()), (2, Ok(()), Ok(())));
    drop(held);
    assert!(HeldMessage::find(id).is_none() && !is_there(id));
    // A message that was never used.
    let id = create();
    assert_eq!(HeldMessage::find(id).unwrap().discard(), Ok(()));
    assert!(HeldMessage::find(id).is_none());
}

#[test]
fn payloads_have_ids_of_their_own() {
    let id = create();
    let held = HeldMessage::find(id).unwrap();
    let added = held.add(I64, "number", 1).unwrap();
    assert_eq!(split_payload_id(added.cid), Some((id, 0)));
    assert!(HeldMessage::find(added.cid).is_none() && is_there(added.cid));
    let found = held.payload(0).unwrap();
    assert_eq!((found.cid, found.tid, &*found.name), (added.cid, I64, "number"));
    assert_eq!(found.data, added.data);
    // It has another holder.
    let other = HeldMessage::find(id).unwrap();
    let refused = Some(ResultCode::CONTRACT_INVALID_SEQUENCE);
    assert_eq!(held.add(I64, "more", 1).err(), refused);
    assert_eq!(held.remove(0, 1).err(), refused);
    assert_eq!(held.rename(0, "count", 1).err(), refused);
    drop(other);
    assert_eq!(held.rename(1, "count", 1).err(), Some(ResultCode::ENTITY_COMPONENT_NOT_FOUND));
    assert_eq!(held.rename(0, "count", 1), Ok(()));
    let renamed = held.payload(0).unwrap();
    assert_eq!((&*renamed.name, renamed.data), ("count", added.data));
    assert_eq!((held.remove(0, 1), held.len()), (Ok(()), 0));
    held.discard().unwrap();
}
