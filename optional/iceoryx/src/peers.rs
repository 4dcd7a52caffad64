//! The thread that waits for what others do.

use crate::memory::Ipc;
use crate::service::Open;
use gxf::{Result, WakeToken};
use iceoryx2::port::listener::Listener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After this time the thread looks even if nobody woke it, and ends if it is to. Not all that frees
/// memory wakes it, see `FrameHeader::wants`.
const LOOK: Duration = Duration::from_millis(50);
/// How often it looks for peers that died.
const CLEAN: Duration = Duration::from_millis(500);

/// What a component that waits for others shares with its thread.
#[derive(Default)]
pub struct Waiting {
    token: Mutex<Option<WakeToken>>,
    is_closed: AtomicBool,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Waiting {
    /// Wakes the entity once something changes. Ask again afterwards whether something has.
    pub fn arm(&self, token: impl FnOnce() -> Result<WakeToken>) -> Result<()> {
        let mut place = lock(&self.token);
        if place.is_none() {
            *place = Some(token()?);
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
    /// Begins to wait for subscribers, or for publishers.
    pub fn start(
        open: Arc<Open>,
        listener: Listener<Ipc>,
        is_publisher: bool,
    ) -> std::io::Result<Self> {
        let waiting = Arc::new(Waiting::default());
        open.add(&waiting);
        let shared = waiting.clone();
        let thread = std::thread::Builder::new().name("iceoryx2".to_owned()).spawn(move || {
            let mut cleaned = Instant::now();
            while !shared.is_closed.load(Ordering::Acquire) {
                // A failure of the file system: the look at the others still happens.
                _ = listener.timed_wait(|_| {}, LOOK);
                if cleaned.elapsed() >= CLEAN {
                    open.clean();
                    cleaned = Instant::now();
                }
                shared.wake();
                if is_publisher {
                    open.memory_may_be_free();
                }
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
