//! Work that an entity submits to an engine without a worker: a device, or threads of an extension.
//!
//! The worker goes on as soon as the submitter's tick is over. A `Completion` says when the work is
//! done: its token reaches the engine through the event queue, and a worker that waits for the work
//! also asks by itself (`submit.rs`).

use crate::schedule::target::Target;
use gxf_app::error::Error;
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// A runnable that is submitted.
pub struct Work {
    /// The runnable.
    pub runnable: usize,
    /// Its epoch.
    pub epoch: usize,
    /// Its fence.
    pub fence: usize,
    /// One thread at a time asks a completion.
    pub state: Mutex<State>,
}

/// What is known of the work.
#[derive(Default)]
pub struct State {
    /// What says when it is done.
    pub target: Option<Target>,
    /// Work that was submitted and is not done.
    pub pending: Option<Pending>,
}

/// Work that was submitted.
pub struct Pending {
    /// In which frame.
    pub frame: u64,
    /// When.
    pub since: Instant,
}

impl Work {
    /// Work of a runnable in an epoch.
    pub fn new(runnable: usize, epoch: usize, fence: usize) -> Self {
        Self { runnable, epoch, fence, state: Mutex::default() }
    }

    /// Sets what says when the work is done.
    pub fn set_target(&self, target: Option<Target>) {
        self.state.lock().target = target;
    }
}

/// The error of work that takes longer than it may.
pub fn late(work: &str, limit: Duration) -> Error {
    let text = format!(
        "the submitted work `{work}` is not done after {} ms, the `fence_timeout_ms` of the \
         scheduler",
        limit.as_millis()
    );
    Error::new(gxf_plugin_abi::ResultCode::FAILURE, text)
}
