//! Tokens that wake an entity from outside the graph.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::{inner, missing_place, place};
use crate::inner::Inner;
use gxf_plugin::reported::answer;
use gxf_plugin::wake_token::{Token, Wakes, into_raw};
pub(super) use gxf_plugin::wake_token::{
    release as wake_token_release, retain as wake_token_retain, use_once as wake_token_use,
};
use gxf_plugin_abi::{Context, Event, ResultCode, Uid, WakeToken};
use std::sync::{Arc, Weak};

impl Wakes for Inner {
    fn wake(&self, entity: Uid) {
        if let Err(error) = self.notify_entity(entity, Event::EXTERNAL) {
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
        let waker: Weak<Inner> = Arc::downgrade(&owned);
        place.write(into_raw(Arc::new(Token::new(waker, eid))));
        Ok(())
    })
}
