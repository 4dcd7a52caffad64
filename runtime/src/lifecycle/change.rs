//! The right to change the graph, which one thread has at a time.

use super::waits::{CHANGE, Waiting, this_thread};
use crate::context::Inner;
use crate::entity::runner::Runner;
use crate::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use parking_lot::ReentrantMutexGuard;

/// As long as it lives, the calling thread changes the graph and no other does.
#[must_use]
pub(crate) struct Changing<'a> {
    /// None within another change of the same thread.
    _noted: Option<Waiting<'a>>,
    // Behind the note: nobody else may get the right before that is gone.
    _held: ReentrantMutexGuard<'a, ()>,
}

/// Whom others wait for when they wait for the calling thread.
fn myself() -> usize {
    match Runner::executing().addr() {
        0 => this_thread(),
        runner => runner,
    }
}

impl Inner {
    /// Waits until the calling thread may change the graph. Refused to a tick for whose end a change
    /// waits, because it lets the tick's entity leave.
    pub fn change(&self) -> Result<Changing<'_>> {
        let wants = self.want_change()?;
        let held = self.changing.lock();
        let noted = wants.is_some().then(|| self.waits.got_change(myself()));
        Ok(Changing { _noted: noted, _held: held })
    }

    /// Notes that the calling thread waits for the right to change the graph, or will; nothing if it
    /// has it.
    pub(super) fn want_change(&self) -> Result<Option<Waiting<'_>>> {
        if self.changing.is_owned_by_current_thread() {
            return Ok(None);
        }
        self.waits.begin(myself(), CHANGE).map(Some).ok_or_else(|| {
            let runners = self.run.lock().roster.all();
            let here = runners.iter().find(|runner| runner.is_executing_here());
            let text = format!(
                "the graph cannot be changed from within the tick of {}, for whose end {} waits",
                here.map_or_else(String::new, |runner| runner.entity.described()),
                self.change_under_way()
            );
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text)
        })
    }

    /// The calling thread is about to wait for the end of an entity's tick, which is refused if that
    /// waits for the thread.
    pub(super) fn wait_for(&self, runner: &Runner) -> Result<Waiting<'_>> {
        self.waits.begin(myself(), runner.address()).ok_or_else(|| {
            let entity = runner.entity.described();
            let text = if self.initializes_here() {
                format!(
                    "{entity} cannot be deactivated from within {}, for whose end its tick waits",
                    self.change_under_way()
                )
            } else {
                format!(
                    "{entity} cannot be deactivated from within this tick, for whose end it waits \
                     itself"
                )
            };
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text)
        })
    }

    /// What changes the graph at this moment, for messages to people.
    fn change_under_way(&self) -> String {
        let calls = self.calls.open();
        let part = calls.iter().rev().find_map(|call| {
            let (eid, cid) = call.component()?;
            let store = self.store.read();
            let (entity, component) = (store.entity(eid)?, store.component(cid)?);
            let is_change = ["initialize", "deinitialize"].contains(&call.function);
            let text =
                format!("{} of {}, {}", call.function, entity.described(), component.description());
            is_change.then_some(text)
        });
        part.unwrap_or_else(|| "a change of the graph".to_owned())
    }
}
