//! Who takes part in a service, and the thread that waits for the others.

use crate::memory::Ipc;
use crate::service::Open;
use gxf::{Result, WakeToken};
use iceoryx2::port::listener::Listener;
use std::collections::HashSet;
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
    /// Ids of the publishers or subscribers that there are.
    present: Mutex<HashSet<u128>>,
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

    /// Ids of the publishers or subscribers that there are.
    pub fn present(&self) -> HashSet<u128> {
        lock(&self.present).clone()
    }

    /// Whether there are any.
    pub fn is_alone(&self) -> bool {
        lock(&self.present).is_empty()
    }

    /// Looks who is there, and says whether that has changed.
    fn look(&self, list: impl FnOnce() -> HashSet<u128>) -> bool {
        let now = list();
        let mut present = lock(&self.present);
        let has_changed = *present != now;
        *present = now;
        has_changed
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
        let list = if is_publisher { Open::subscribers } else { Open::publishers };
        let waiting = Arc::new(Waiting::default());
        waiting.look(|| list(&open));
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
                // First of all: the rest is not what it waits for, mostly.
                shared.wake();
                if shared.look(|| list(&open)) {
                    shared.wake();
                }
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
