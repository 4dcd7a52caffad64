//! Messages for those who know but an id, as programs in C do.
//!
//! GXF makes no difference between entities and messages: a program creates an entity, fills it and
//! counts its users from 0. Here the creator's reference waits for the first user, who claims it.

use super::pool;
use crate::id::MESSAGE_BIT;
use gxf_plugin_abi::{Message, ResultCode, Tid, Uid};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

/// The lower bits of a payload's id are its position from 1, the others are the message's id.
const POSITION_BITS: Uid = (1 << 10) - 1;

/// One reference of a message.
pub(crate) struct HeldMessage(NonNull<Message>);

// SAFETY: messages may be used from any thread.
unsafe impl Send for HeldMessage {}
// SAFETY: as above.
unsafe impl Sync for HeldMessage {}

/// One payload of a message.
pub(crate) struct PayloadInfo {
    /// Id of the payload; none beyond the positions an id has room for.
    pub cid: Uid,
    pub tid: Tid,
    pub name: String,
    /// Valid as long as the message.
    pub data: *mut c_void,
}

/// Whether an id is that of a message or of a payload.
pub(crate) fn is_message_id(id: Uid) -> bool {
    id > 0 && id & MESSAGE_BIT != 0
}

/// The message a payload belongs to, and the payload's position in it.
pub(crate) fn split_payload_id(cid: Uid) -> Option<(Uid, usize)> {
    let position = usize::try_from(cid & POSITION_BITS).ok()?.checked_sub(1)?;
    is_message_id(cid).then_some((cid & !POSITION_BITS, position))
}

/// Whether there is a message with this id, or with a payload with this id.
pub(crate) fn is_there(id: Uid) -> bool {
    pool::is_alive(id & !POSITION_BITS)
}

impl HeldMessage {
    /// A new message without users, and its id. It lives until the last user it gets is gone.
    pub fn create() -> Result<Uid, ResultCode> {
        let message = Self(pool::new_message().ok_or(ResultCode::OUT_OF_MEMORY)?);
        // SAFETY: the message is alive.
        unsafe { pool::unclaimed(message.as_ptr()) }.store(true, Ordering::Release);
        let id = message.id();
        // The reference waits for the first user.
        std::mem::forget(message);
        Ok(id)
    }

    /// A new message with this one reference.
    pub fn new() -> Result<Self, ResultCode> {
        pool::new_message().map(Self).ok_or(ResultCode::OUT_OF_MEMORY)
    }

    /// One more reference of the message with this id.
    pub fn find(id: Uid) -> Option<Self> {
        if id & POSITION_BITS != 0 { None } else { pool::from_id(id).map(Self) }
    }

    /// Hands the reference out.
    pub fn into_raw(self) -> NonNull<Message> {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// The message's address.
    pub fn as_ptr(&self) -> *mut Message {
        self.0.as_ptr()
    }

    pub fn id(&self) -> Uid {
        // SAFETY: the message is alive.
        unsafe { pool::id_of(self.as_ptr()) }
    }

    /// Number of references besides this one that users have.
    pub fn users(&self) -> u32 {
        // SAFETY: the message is alive.
        let (references, unclaimed) =
            unsafe { (pool::reference_count(self.as_ptr()), pool::unclaimed(self.as_ptr())) };
        references - 1 - u32::from(unclaimed.load(Ordering::Acquire))
    }

    /// One user more.
    pub fn add_user(&self) {
        // SAFETY: the message is alive.
        unsafe {
            if !pool::unclaimed(self.as_ptr()).swap(false, Ordering::AcqRel) {
                pool::retain(self.as_ptr());
            }
        }
    }

    /// One user less.
    pub fn remove_user(&self) -> Result<(), ResultCode> {
        if self.users() == 0 {
            return Err(ResultCode::REF_COUNT_NEGATIVE);
        }
        // SAFETY: a user other than this reference is there, and the caller gives it up.
        unsafe { pool::release(self.as_ptr()) };
        Ok(())
    }

    /// Takes the creator's reference away if nobody claimed it.
    pub fn discard(&self) -> Result<(), ResultCode> {
        // SAFETY: the message is alive.
        if !unsafe { pool::unclaimed(self.as_ptr()) }.swap(false, Ordering::AcqRel) {
            return Err(ResultCode::ARGUMENT_INVALID);
        }
        // SAFETY: the creator's reference, which nobody else gives back.
        unsafe { pool::release(self.as_ptr()) };
        Ok(())
    }

    /// Adds a payload. `others` says how many references besides this one belong to the caller.
    pub fn add(&self, tid: Tid, name: &str, others: u32) -> Result<PayloadInfo, ResultCode> {
        // SAFETY: the caller speaks for these references.
        let added =
            unsafe { pool::add_as_holder_of(self.as_ptr(), 1 + others, tid, gxf::text_of(name)) }?;
        let position = self.len() - 1;
        Ok(PayloadInfo {
            cid: self.payload_id(position),
            tid,
            name: name.to_owned(),
            data: added.data,
        })
    }

    /// Removes a payload; `others` as in [`HeldMessage::add`].
    pub fn remove(&self, position: usize, others: u32) -> Result<(), ResultCode> {
        // SAFETY: the caller speaks for these references.
        unsafe { pool::remove_as_holder_of(self.as_ptr(), 1 + others, position) }
    }

    /// Gives a payload another name; `others` as in [`HeldMessage::add`].
    pub fn rename(&self, position: usize, name: &str, others: u32) -> Result<(), ResultCode> {
        let name = gxf::text_of(name);
        // SAFETY: the caller speaks for these references.
        unsafe { pool::rename_as_holder_of(self.as_ptr(), 1 + others, position, name) }
    }

    /// Number of payloads.
    pub fn len(&self) -> usize {
        // SAFETY: the message is alive.
        unsafe { pool::count(self.as_ptr()) }
    }

    /// The payload at a position.
    pub fn payload(&self, position: usize) -> Option<PayloadInfo> {
        // SAFETY: the message is alive.
        let found = unsafe { pool::at(self.as_ptr(), position) }?;
        // SAFETY: the name lives as long as the message.
        let name = unsafe { gxf::text_to_str(found.name) }.unwrap_or_default().to_owned();
        Some(PayloadInfo { cid: self.payload_id(position), tid: found.tid, name, data: found.data })
    }

    fn payload_id(&self, position: usize) -> Uid {
        let position = Uid::try_from(position + 1).unwrap_or(Uid::MAX);
        if position > POSITION_BITS { 0 } else { self.id() | position }
    }
}

impl Drop for HeldMessage {
    fn drop(&mut self) {
        // SAFETY: the reference this owns.
        unsafe { pool::release(self.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    //! Miri runs these.

    use super::*;
    use gxf::Payload;

    const I64: Tid = <i64 as Payload>::TID;

    /// A new message, and that the types it may carry are known.
    fn create() -> Uid {
        crate::plugin::host::table();
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
        // One nobody ever used.
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
        // Somebody else holds it as well.
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
}
