//! Messages for callers that know only an id, such as C programs.
//!
//! GXF does not distinguish entities and messages: a program creates an entity, fills it, and
//! counts its users from 0. Here, the creator's reference waits for the first user, which claims
//! it.

#![expect(unsafe_code, reason = "messages live in raw memory that they share")]

use super::pool;
use crate::id::MESSAGE_BIT;
use gxf_plugin_abi::{Message, ResultCode, Tid, Uid};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;

/// The lower bits of a payload's id are its position, from 1; the others are the message's id.
const POSITION_BITS: Uid = (1 << 10) - 1;

/// One reference to a message.
pub struct HeldMessage(NonNull<Message>);

// SAFETY: messages may be used from any thread.
unsafe impl Send for HeldMessage {}
// SAFETY: as above.
unsafe impl Sync for HeldMessage {}

/// One payload of a message.
pub struct PayloadInfo {
    /// Id of the payload; `None` if its position does not fit into an id.
    pub cid: Uid,
    /// Its type.
    pub tid: Tid,
    /// Its name; may be empty.
    pub name: String,
    /// Valid as long as the message.
    pub data: *mut c_void,
}

/// Whether an id belongs to a message or a payload.
pub fn is_message_id(id: Uid) -> bool {
    id > 0 && id & MESSAGE_BIT != 0
}

/// The message of a payload, and the payload's position in it.
pub fn split_payload_id(cid: Uid) -> Option<(Uid, usize)> {
    let position = usize::try_from(cid & POSITION_BITS).ok()?.checked_sub(1)?;
    is_message_id(cid).then_some((cid & !POSITION_BITS, position))
}

/// Whether a message, or a payload, with this id exists.
pub fn is_there(id: Uid) -> bool {
    pool::is_alive(id & !POSITION_BITS)
}

impl HeldMessage {
    /// Creates a message without users, and returns its id. It lives until its last user is gone.
    pub fn create() -> Result<Uid, ResultCode> {
        let message = Self(pool::new_message().ok_or(ResultCode::OUT_OF_MEMORY)?);
        // SAFETY: the message is alive.
        unsafe { pool::unclaimed(message.as_ptr()) }.store(true, Ordering::Release);
        let id = message.id();
        // The reference waits for the first user.
        std::mem::forget(message);
        Ok(id)
    }

    /// Creates a message with one reference.
    pub fn new() -> Result<Self, ResultCode> {
        pool::new_message().map(Self).ok_or(ResultCode::OUT_OF_MEMORY)
    }

    /// A new reference to the message with this id.
    pub fn find(id: Uid) -> Option<Self> {
        if id & POSITION_BITS != 0 { None } else { pool::from_id(id).map(Self) }
    }

    /// Returns the reference as a raw pointer.
    pub fn into_raw(self) -> NonNull<Message> {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    /// The message's address.
    pub fn as_ptr(&self) -> *mut Message {
        self.0.as_ptr()
    }

    /// Id of the message.
    pub fn id(&self) -> Uid {
        // SAFETY: the message is alive.
        unsafe { pool::id_of(self.as_ptr()) }
    }

    /// Number of references that users hold besides this one.
    pub fn users(&self) -> u32 {
        // SAFETY: the message is alive.
        let (references, unclaimed) =
            unsafe { (pool::reference_count(self.as_ptr()), pool::unclaimed(self.as_ptr())) };
        references - 1 - u32::from(unclaimed.load(Ordering::Acquire))
    }

    /// Adds a user.
    pub fn add_user(&self) {
        // SAFETY: the message is alive.
        unsafe {
            if !pool::unclaimed(self.as_ptr()).swap(false, Ordering::AcqRel) {
                pool::retain(self.as_ptr());
            }
        }
    }

    /// Removes a user.
    pub fn remove_user(&self) -> Result<(), ResultCode> {
        if self.users() == 0 {
            return Err(ResultCode::REF_COUNT_NEGATIVE);
        }
        // SAFETY: a user besides this reference exists, and the caller gives it up.
        unsafe { pool::release(self.as_ptr()) };
        Ok(())
    }

    /// Releases the creator's reference if no user claimed it.
    pub fn discard(&self) -> Result<(), ResultCode> {
        // SAFETY: the message is alive.
        if !unsafe { pool::unclaimed(self.as_ptr()) }.swap(false, Ordering::AcqRel) {
            return Err(ResultCode::ARGUMENT_INVALID);
        }
        // SAFETY: this is the creator's reference, which is released only here.
        unsafe { pool::release(self.as_ptr()) };
        Ok(())
    }

    /// Adds a payload. `others` is the number of further references that belong to the caller.
    pub fn add(&self, tid: Tid, name: &str, others: u32) -> Result<PayloadInfo, ResultCode> {
        // SAFETY: the caller owns these references.
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

    /// Removes a payload; see [`HeldMessage::add`] for `others`.
    pub fn remove(&self, position: usize, others: u32) -> Result<(), ResultCode> {
        // SAFETY: the caller owns these references.
        unsafe { pool::remove_as_holder_of(self.as_ptr(), 1 + others, position) }
    }

    /// Renames a payload; see [`HeldMessage::add`] for `others`.
    pub fn rename(&self, position: usize, name: &str, others: u32) -> Result<(), ResultCode> {
        let name = gxf::text_of(name);
        // SAFETY: the caller owns these references.
        unsafe { pool::rename_as_holder_of(self.as_ptr(), 1 + others, position, name) }
    }

    /// Whether there are no payloads.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        let name = unsafe { gxf::text_lossy(found.name) }.into_owned();
        Some(PayloadInfo { cid: self.payload_id(position), tid: found.tid, name, data: found.data })
    }

    fn payload_id(&self, position: usize) -> Uid {
        let position = Uid::try_from(position + 1).unwrap_or(Uid::MAX);
        if position > POSITION_BITS { 0 } else { self.id() | position }
    }
}

impl Drop for HeldMessage {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference.
        unsafe { pool::release(self.as_ptr()) };
    }
}
