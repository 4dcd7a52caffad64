//! Work that an entity submits to an engine without a worker: a device, or threads of an extension.
//!
//! The worker goes on as soon as the submitter's tick is over. A `Completion` says when the work is
//! done: its token reaches the engine through the event queue, and a worker that waits for the work
//! also asks by itself.

use super::Shared;
use super::hyperepoch::{Hyperepoch, Outcome};
use gxf_app::error::{Error, Result};
use gxf_plugin::component::{Component, Interface};
use gxf_sync::frames::Entry;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;
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
    state: Mutex<State>,
}

/// One thread at a time asks a completion.
#[derive(Default)]
struct State {
    target: Option<Target>,
    pending: Option<Pending>,
}

/// What says when the work is done.
#[derive(Clone)]
pub struct Target {
    /// The completion.
    pub completion: Interface<gxf::Completion>,
    /// A component of the submitter, whose entity the token names.
    pub submitter: Arc<Component>,
}

struct Pending {
    frame: u64,
    since: Instant,
}

/// Passed or done work: its fence is signalled, and its frame left. What the run comes to.
type Done = Result<Outcome>;

impl Work {
    /// Work of a runnable in an epoch.
    pub fn new(name: String, runnable: usize, epoch: usize, fence: usize) -> Self {
        Self { name, runnable, epoch, fence, state: Mutex::default() }
    }

    /// Sets what says when the work is done.
    pub fn set_target(&self, target: Option<Target>) {
        self.state.lock().target = target;
    }

    #[expect(clippy::cast_possible_truncation, reason = "fences compare the lower bits")]
    fn signal(&self, shared: &Shared, hyperepoch: &Hyperepoch, frame: u64) {
        hyperepoch.fences[self.fence].signal(frame as u32 + 1);
        shared.time.signalled();
    }

    fn leave(&self, shared: &Shared, hyperepoch: &Hyperepoch, frame: u64) -> Outcome {
        if hyperepoch.epochs[self.epoch].gate.leave() {
            return hyperepoch.frame_over(shared, self.epoch, frame);
        }
        None
    }

    /// The submitter has ticked.
    ///
    /// # Errors
    /// The completion fails.
    pub fn submitted(&self, shared: &Shared, hyperepoch: &Hyperepoch, frame: u64) -> Done {
        let mut state = self.state.lock();
        let Some(target) = &state.target else {
            drop(state);
            return Ok(self.passed(shared, hyperepoch, frame, Entry::Begun));
        };
        let is_done = self.ask(target)?;
        if !is_done {
            let token = target.submitter.wake_token();
            let notified = token.and_then(|token| {
                target.completion.call("notify of the completion", |work| work.notify(token))
            });
            notified.map_err(|error| self.failed(error))?;
            state.pending = Some(Pending { frame, since: Instant::now() });
            shared.time.outside.fetch_add(1, Ordering::AcqRel);
            return Ok(None);
        }
        drop(state);
        Ok(self.passed(shared, hyperepoch, frame, Entry::Begun))
    }

    /// Nothing was submitted in this frame, or it is done.
    pub fn passed(
        &self,
        shared: &Shared,
        hyperepoch: &Hyperepoch,
        frame: u64,
        entry: Entry,
    ) -> Outcome {
        self.signal(shared, hyperepoch, frame);
        match entry {
            Entry::Passed => None,
            Entry::Begun | Entry::Cancelled => self.leave(shared, hyperepoch, frame),
        }
    }

    fn ask(&self, target: &Target) -> Result<bool> {
        let done = target.completion.call("poll of the completion", |work| work.poll());
        done.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: gxf::Error) -> Error {
        let code = error.code();
        Error::new(code, format!("the submitted work `{}` failed with {code}", self.name))
            .caused_by(error)
    }

    /// Asks whether pending work is done.
    ///
    /// # Errors
    /// The work failed, or takes longer than it may.
    pub fn poll(&self, shared: &Shared, hyperepoch: &Hyperepoch) -> Done {
        // Another thread is asking.
        let Some(mut state) = self.state.try_lock() else { return Ok(None) };
        let (Some(target), Some(pending)) = (&state.target, &state.pending) else {
            return Ok(None);
        };
        let frame = pending.frame;
        if !self.ask(target)? {
            let limit = shared.settings.fence_timeout;
            if limit.is_some_and(|limit| pending.since.elapsed() > limit) {
                return Err(self.late(limit.unwrap_or(Duration::MAX)));
            }
            return Ok(None);
        }
        state.pending = None;
        drop(state);
        self.signal(shared, hyperepoch, frame);
        shared.time.outside.fetch_sub(1, Ordering::AcqRel);
        shared.time.signalled();
        Ok(self.leave(shared, hyperepoch, frame))
    }

    fn late(&self, limit: Duration) -> Error {
        let text = format!(
            "the submitted work `{}` is not done after {} ms, the `fence_timeout_ms` of the \
             scheduler",
            self.name,
            limit.as_millis()
        );
        Error::new(gxf_plugin_abi::ResultCode::FAILURE, text)
    }
}
