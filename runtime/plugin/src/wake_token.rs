//! The tokens behind a [`gxf::WakeToken`].

#![expect(unsafe_code, reason = "extensions hold references to tokens as pointers")]

use gxf_plugin_abi::{Uid, WakeToken as Raw};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// What a token wakes.
pub trait Wakes: Send + Sync {
    /// Makes the scheduler check an entity, from any thread.
    fn wake(&self, entity: Uid);
}

/// The state that the holders of a token share. They own references to it, as to an `Arc`.
pub struct Token {
    waker: Weak<dyn Wakes>,
    entity: Uid,
    is_used: AtomicBool,
}

impl Token {
    /// A token that wakes an entity, as long as the waker is there.
    #[must_use]
    pub fn new(waker: Weak<dyn Wakes>, entity: Uid) -> Self {
        Self { waker, entity, is_used: AtomicBool::new(false) }
    }

    /// Whether somebody has used it.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Acquire)
    }

    /// A reference for an extension, which can use it or drop it.
    #[must_use]
    pub fn reference(self: &Arc<Self>) -> gxf::WakeToken {
        let raw = into_raw(self.clone());
        // SAFETY: the pointer comes with a reference. The host's functions, which the token calls,
        // are those below.
        unsafe { gxf::WakeToken::from_raw(raw) }.unwrap_or_else(|_| unreachable!("not null"))
    }

    fn wake(&self) {
        if self.is_used.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Some(waker) = self.waker.upgrade() {
            waker.wake(self.entity);
        }
    }
}

/// Gives a reference away as a pointer.
#[must_use]
pub fn into_raw(token: Arc<Token>) -> *mut Raw {
    Arc::into_raw(token).cast_mut().cast()
}

/// Takes one more reference.
///
/// # Safety
/// The caller has a reference to a token of [`into_raw`].
pub unsafe extern "C" fn retain(token: *mut Raw) {
    // SAFETY: as above; the address comes from an `Arc`.
    unsafe { Arc::increment_strong_count(token.cast_const().cast::<Token>()) };
}

/// Wakes the entity, if nobody has, and gives up a reference.
///
/// # Safety
/// The caller has a reference to a token of [`into_raw`], which it gives up.
pub unsafe extern "C" fn use_once(token: *mut Raw) {
    // SAFETY: as above; the address comes from an `Arc`.
    let token = unsafe { Arc::from_raw(token.cast_const().cast::<Token>()) };
    token.wake();
}

/// Gives up a reference.
///
/// # Safety
/// The caller has a reference to a token of [`into_raw`], which it gives up.
pub unsafe extern "C" fn release(token: *mut Raw) {
    // SAFETY: as above; the address comes from an `Arc`.
    drop(unsafe { Arc::from_raw(token.cast_const().cast::<Token>()) });
}
