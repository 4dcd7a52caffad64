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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[derive(Default)]
    struct Counter(AtomicU32);

    impl Wakes for Counter {
        fn wake(&self, entity: Uid) {
            assert_eq!(entity, 7);
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn woken(counter: &Counter) -> u32 {
        counter.0.load(Ordering::Relaxed)
    }

    #[test]
    fn all_references_wake_once_from_any_thread() {
        let counter = Arc::new(Counter::default());
        let waker: Weak<Counter> = Arc::downgrade(&counter);
        let token = Arc::new(Token::new(waker, 7));
        let raw = into_raw(token.clone());
        // SAFETY: each reference is used or released once.
        unsafe {
            retain(raw);
            let address = raw.expose_provenance();
            let other = std::thread::spawn(move || {
                use_once(std::ptr::with_exposed_provenance_mut(address));
            });
            use_once(raw);
            other.join().unwrap();
        }
        assert_eq!((woken(&counter), token.is_used()), (1, true));
        assert_eq!(Arc::strong_count(&token), 1);
    }

    #[test]
    fn what_is_gone_is_not_woken_and_a_released_token_is_not_used() {
        let counter = Arc::new(Counter::default());
        let waker: Weak<Counter> = Arc::downgrade(&counter);
        let [late, unused] = [waker.clone(), waker].map(|waker| Arc::new(Token::new(waker, 7)));
        drop(counter);
        // SAFETY: the reference is used once.
        unsafe { use_once(into_raw(late.clone())) };
        // SAFETY: the reference is released once.
        unsafe { release(into_raw(unused.clone())) };
        assert_eq!((late.is_used(), unused.is_used()), (true, false));
        assert_eq!((Arc::strong_count(&late), Arc::strong_count(&unused)), (1, 1));
    }
}
