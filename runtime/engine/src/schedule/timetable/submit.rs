//! Work that is submitted, passed over and done within a hyperepoch.

use super::Shared;
use super::hyperepoch::{FrameOver, Hyperepoch, Outcome};
use super::work::{Pending, State, Work, late};
use gxf_app::error::Result;
use gxf_sync::frames::Entry;
use parking_lot::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Passed or done work: its fence is signalled, and its frame left. What the run comes to.
type Done = Result<Outcome>;

impl Work {
    #[expect(clippy::cast_possible_truncation, reason = "fences compare the lower bits")]
    fn signal(&self, shared: &Shared, hyperepoch: &Hyperepoch, frame: u64) {
        hyperepoch.fence(self.fence).signal(frame as u32 + 1);
        shared.time.signalled();
    }

    fn leave(
        &self,
        shared: &Shared,
        hyperepoch: &Hyperepoch,
        frame: u64,
        has_run: bool,
    ) -> Outcome {
        if hyperepoch.gate(self.epoch).leave() {
            let over = FrameOver { epoch: self.epoch, frame, has_run, lane: 0 };
            return hyperepoch.frame_over(shared, over);
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
        let is_done = target.is_done()?;
        if !is_done {
            let token = target.submitter.wake_token();
            target.notify(token.map_err(|error| target.failed(error))?)?;
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
            Entry::Begun => self.leave(shared, hyperepoch, frame, true),
            Entry::Cancelled => self.leave(shared, hyperepoch, frame, false),
        }
    }

    /// Asks whether pending work is done, unless another thread is asking.
    ///
    /// # Errors
    /// The work failed, or takes longer than it may.
    pub fn poll(&self, shared: &Shared, hyperepoch: &Hyperepoch) -> Done {
        match self.state.try_lock() {
            Some(state) => self.poll_locked(state, shared, hyperepoch),
            None => Ok(None),
        }
    }

    /// Asks whether pending work is done, behind an event that may say so: the thread that is asking,
    /// or submitting, may have asked before.
    ///
    /// # Errors
    /// Those of [`Self::poll`].
    pub fn poll_surely(&self, shared: &Shared, hyperepoch: &Hyperepoch) -> Done {
        self.poll_locked(self.state.lock(), shared, hyperepoch)
    }

    fn poll_locked(
        &self,
        mut state: MutexGuard<'_, State>,
        shared: &Shared,
        hyperepoch: &Hyperepoch,
    ) -> Done {
        let (Some(target), Some(pending)) = (&state.target, &state.pending) else {
            return Ok(None);
        };
        let frame = pending.frame;
        let limit = shared.settings.fence_timeout;
        let is_done = match target.is_done() {
            Ok(false) if limit.is_some_and(|limit| pending.since.elapsed() > limit) => {
                Err(late(&target.work, limit.unwrap_or(Duration::MAX)))
            }
            Ok(false) => return Ok(None),
            other => other,
        };
        // Nobody asks again about what failed, either.
        state.pending = None;
        drop(state);
        if is_done.is_ok() {
            self.signal(shared, hyperepoch, frame);
        }
        shared.time.outside.fetch_sub(1, Ordering::AcqRel);
        shared.time.signalled();
        is_done.map(|_| self.leave(shared, hyperepoch, frame, true))
    }
}
