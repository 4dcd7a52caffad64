//! Waking an entity from outside the graph.

use crate::host::{check, host};
use crate::{Result, ResultCode, Uid, abi};
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// The right to wake an entity once, from any thread.
///
/// Clones share it: whichever is used first wakes the entity. It does not keep the graph alive, and
/// using it when the entity is no longer active does nothing. Dropping a token wakes no entity.
///
/// A scheduling term that waits for a [`crate::Completion`] passes it one:
///
/// ```ignore
/// fn check(&self, now: i64) -> Result<Condition> {
///     let condition_type = if self.completion.poll()? {
///         ConditionType::READY
///     } else {
///         self.completion.notify(self.context.wake_token()?)?;
///         ConditionType::WAIT_EVENT
///     };
///     Ok(Condition { condition_type, target: now })
/// }
/// ```
pub struct WakeToken(NonNull<abi::WakeToken>);

// SAFETY: the host counts references atomically, and its functions may be called from any thread.
unsafe impl Send for WakeToken {}
// SAFETY: as above.
unsafe impl Sync for WakeToken {}

impl WakeToken {
    pub(crate) fn new(context: *mut abi::Context, eid: Uid) -> Result<Self> {
        let mut raw = core::ptr::null_mut();
        // SAFETY: the context is alive; `raw` is written on success only.
        check(unsafe { (host().wake_token_new)(context, eid, &raw mut raw) })?;
        // SAFETY: on success the host returns a token with one reference.
        unsafe { Self::from_raw(raw) }
    }

    /// Makes the scheduler check the entity again, unless a clone already did. Does not block.
    pub fn wake(self) {
        // SAFETY: this value owns a reference, which the host consumes.
        unsafe { (host().wake_token_use)(self.into_raw()) };
    }

    /// Gives the reference away.
    #[must_use]
    pub fn into_raw(self) -> *mut abi::WakeToken {
        ManuallyDrop::new(self).0.as_ptr()
    }

    /// Takes a reference over.
    ///
    /// # Errors
    /// `ARGUMENT_NULL` if the pointer is null.
    ///
    /// # Safety
    /// `raw` must be null or come with a reference.
    pub unsafe fn from_raw(raw: *mut abi::WakeToken) -> Result<Self> {
        NonNull::new(raw).map(Self).ok_or_else(|| ResultCode::ARGUMENT_NULL.into())
    }
}

impl Clone for WakeToken {
    fn clone(&self) -> Self {
        // SAFETY: this value owns a reference; the clone owns the new one.
        unsafe { (host().wake_token_retain)(self.0.as_ptr()) };
        Self(self.0)
    }
}

impl Drop for WakeToken {
    fn drop(&mut self) {
        // SAFETY: this value owns a reference.
        unsafe { (host().wake_token_release)(self.0.as_ptr()) };
    }
}
