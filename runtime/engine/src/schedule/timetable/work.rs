//! Work that an entity submits to an engine without a worker: a device, or threads of an extension.
//!
//! The worker goes on as soon as the submitter's tick is over. A `Completion` says when the work is
//! done: its token reaches the engine through the event queue, and a worker that waits for the work
//! also asks by itself (`submit.rs`).

use gxf_app::error::{Error, Result};
use gxf_plugin::component::{Component, Interface};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A runnable that is submitted.
pub struct Work {
    /// `client.runnable`.
    pub name: String,
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

/// What says when the work is done.
#[derive(Clone)]
pub struct Target {
    /// The completion.
    pub completion: Interface<gxf::Completion>,
    /// A component of the submitter, whose entity the token names.
    pub submitter: Arc<Component>,
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
    pub fn new(name: String, runnable: usize, epoch: usize, fence: usize) -> Self {
        Self { name, runnable, epoch, fence, state: Mutex::default() }
    }

    /// Sets what says when the work is done.
    pub fn set_target(&self, target: Option<Target>) {
        self.state.lock().target = target;
    }

    /// Asks a completion whether the work is done.
    ///
    /// # Errors
    /// It failed.
    pub fn ask(&self, target: &Target) -> Result<bool> {
        let done = target.completion.call("poll of the completion", |work| work.poll());
        done.map_err(|error| self.failed(error))
    }

    /// The error of a completion that failed.
    pub fn failed(&self, error: gxf::Error) -> Error {
        let code = error.code();
        Error::new(code, format!("the submitted work `{}` failed with {code}", self.name))
            .caused_by(error)
    }

    /// The error of work that takes longer than it may.
    pub fn late(&self, limit: Duration) -> Error {
        let text = format!(
            "the submitted work `{}` is not done after {} ms, the `fence_timeout_ms` of the \
             scheduler",
            self.name,
            limit.as_millis()
        );
        Error::new(gxf_plugin_abi::ResultCode::FAILURE, text)
    }
}
