//! Tokens that wake an entity from outside the graph.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::{inner, missing_place, place};
use crate::inner::Inner;
use gxf_plugin::reported::answer;
use gxf_plugin_abi::{Context, Event, ResultCode, Uid, WakeToken};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// The state that the holders of a token share. They own references to it, as to an `Arc`.
struct Token {
    context: Weak<Inner>,
    entity: Uid,
    is_used: AtomicBool,
}

impl Token {
    fn wake(&self) {
        if self.is_used.swap(true, Ordering::AcqRel) {
            return;
        }
        let Some(context) = self.context.upgrade() else { return };
        if let Err(error) = context.notify_entity(self.entity, Event::EXTERNAL) {
            tracing::debug!("a token of an entity was used in vain: {error}");
        }
    }
}

pub(super) unsafe extern "C" fn wake_token_new(
    context: *mut Context,
    eid: Uid,
    token: *mut *mut WakeToken,
) -> ResultCode {
    // SAFETY: `token` is null or writable.
    let Some(place) = (unsafe { place(token) }) else { return missing_place() };
    answer(|| {
        // SAFETY: `context` is alive.
        let inner = unsafe { inner(context) }?;
        inner.graph.entity(eid)?;
        // SAFETY: a context's address comes from an `Arc`, and the caller has a reference.
        let owned = unsafe {
            Arc::increment_strong_count(std::ptr::from_ref(inner));
            Arc::from_raw(std::ptr::from_ref(inner))
        };
        let made =
            Token { context: Arc::downgrade(&owned), entity: eid, is_used: AtomicBool::new(false) };
        place.write(Arc::into_raw(Arc::new(made)).cast_mut().cast());
        Ok(())
    })
}

pub(super) unsafe extern "C" fn wake_token_retain(token: *mut WakeToken) {
    // SAFETY: the caller has a reference to a token, whose address comes from an `Arc`.
    unsafe { Arc::increment_strong_count(token.cast_const().cast::<Token>()) };
}

pub(super) unsafe extern "C" fn wake_token_use(token: *mut WakeToken) {
    // SAFETY: the caller gives up a reference to a token, whose address comes from an `Arc`.
    let token = unsafe { Arc::from_raw(token.cast_const().cast::<Token>()) };
    token.wake();
}

pub(super) unsafe extern "C" fn wake_token_release(token: *mut WakeToken) {
    // SAFETY: the caller gives up a reference to a token, whose address comes from an `Arc`.
    drop(unsafe { Arc::from_raw(token.cast_const().cast::<Token>()) });
}
