//! The thread that waits for what others do.

use crate::memory::Ipc;
use gxf::{ContextHandle, Result, WakeToken};
use iceoryx2::port::listener::Listener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// After this time the thread looks even if nobody woke it, and ends if it is to. Not all that frees
/// memory wakes it, see `FrameHeader::wants`.
const LOOK: Duration = Duration::from_millis(50);

/// What a component that waits for others shares with its thread.
pub struct Waiting {
    /// Of the component.
    context: ContextHandle,
    token: Mutex<Option<WakeToken>>,
    is_closed: AtomicBool,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waiting {
    /// Wakes the entity once something changes. Ask again afterwards whether something has.
    pub fn arm(&self) -> Result<()> {
        let mut token = lock(&self.token);
        if token.is_none() {
            *token = Some(self.context.wake_token()?);
        }
        Ok(())
    }

    /// Wakes the entity.
    pub fn wake(&self) {
        let token = lock(&self.token).take();
        if let Some(token) = token {
            token.wake();
        }
    }
}

/// The thread that waits for others.
pub struct Waiter {
    pub waiting: Arc<Waiting>,
    thread: Option<JoinHandle<()>>,
}

impl Waiter {
    /// Begins. The thread wakes the entity of `context` each time it looks, and calls `looked` then.
    pub fn start(
        context: ContextHandle,
        listener: Listener<Ipc>,
        mut looked: impl FnMut() + Send + 'static,
    ) -> std::io::Result<Self> {
        let (token, is_closed) = (Mutex::default(), AtomicBool::new(false));
        let waiting = Arc::new(Waiting { context, token, is_closed });
        let shared = waiting.clone();
        let thread = std::thread::Builder::new().name("iceoryx2".to_owned()).spawn(move || {
            while !shared.is_closed.load(Ordering::Acquire) {
                // A failure of the file system: the look at the others still happens.
                _ = listener.timed_wait(|_| {}, LOOK);
                shared.wake();
                looked();
            }
        })?;
        Ok(Self { waiting, thread: Some(thread) })
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.waiting.is_closed.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            // It has no way to panic that matters here.
            _ = thread.join();
        }
    }
}
