//! The right to change the graph, which one thread holds at a time.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::entity::runner::Runner;
use gxf_engine::graph::store::Entity;
use gxf_plugin::call_note::called_entities;
use gxf_plugin_abi::ResultCode;
use gxf_sync::wait_graph::{CHANGE, Waiting, calls_of, this_thread};
use parking_lot::ReentrantMutexGuard;
use smallvec::SmallVec;

/// The right to change the graph, which the calling thread holds while this exists.
#[must_use]
pub(crate) struct Changing<'a> {
    /// `None` within another change by the same thread.
    _noted: Option<Waiting<'a>>,
    // Dropped after the note: no other thread may get the right before the note is gone.
    _held: ReentrantMutexGuard<'a, ()>,
}

/// The identity under which others wait for the calling thread.
fn myself() -> usize {
    match Runner::executing().addr() {
        0 => this_thread(),
        runner => runner,
    }
}

impl Inner {
    /// Waits until the calling thread may change the graph. Fails in a tick that a change waits
    /// for, because the change removes the tick's entity.
    pub fn change(&self) -> Result<Changing<'_>> {
        let wants = self.want_change()?;
        let held = self.changing.lock();
        let noted = wants.is_some().then(|| self.wait_graph.got_change(myself()));
        Ok(Changing { _noted: noted, _held: held })
    }

    /// Begins a wait of the calling thread; `None` if it would close a cycle.
    fn begin_wait(&self, whom: usize) -> Option<Waiting<'_>> {
        let calls: SmallVec<[usize; 4]> = called_entities().into_iter().map(calls_of).collect();
        self.wait_graph.begin_inside(myself(), whom, &calls)
    }

    /// Prepares to wait until no other entity calls components of this one. Fails within such a
    /// call, and if one waits for the calling thread.
    pub(super) fn wait_for_calls(&self, entity: &Entity) -> Result<Waiting<'_>> {
        self.begin_wait(calls_of(entity.eid())).ok_or_else(|| {
            let entity = entity.described();
            let text = format!(
                "{entity} cannot be deactivated here, because a call of one of its components waits \
                 for this to end"
            );
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text)
        })
    }

    /// Notes that the calling thread waits for the right to change the graph; `None` if it has it.
    pub(super) fn want_change(&self) -> Result<Option<Waiting<'_>>> {
        if self.changing.is_owned_by_current_thread() {
            return Ok(None);
        }
        self.begin_wait(CHANGE).map(Some).ok_or_else(|| {
            let runners = self.run.lock().runners.all();
            let here = runners.iter().find(|runner| runner.is_executing_here());
            let text = format!(
                "the graph cannot be changed from within the tick of {}, because {} waits for that \
                 tick to end",
                here.map_or_else(String::new, |runner| runner.entity.described()),
                self.change_under_way()
            );
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text)
        })
    }

    /// Prepares to execute an entity. Fails within a tick that this execution would wait for,
    /// because neither would end.
    pub(super) fn may_execute(&self, runner: &Runner) -> Result<Option<Waiting<'_>>> {
        if Runner::executing().is_null() {
            return Ok(None);
        }
        self.begin_wait(runner.address()).map(Some).ok_or_else(|| {
            let text = format!(
                "{} cannot be executed from within this tick, for whose end it waits itself",
                runner.entity.described()
            );
            Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text)
        })
    }

    /// Prepares to wait for the end of an entity's tick. Fails if that tick waits for the calling
    /// thread.
    pub(super) fn wait_for(&self, runner: &Runner) -> Result<Waiting<'_>> {
        self.begin_wait(runner.address()).ok_or_else(|| {
            let entity = runner.entity.described();
            let text = if self.initializes_here() {
                format!(
                    "{entity} cannot be deactivated from within {}, because its tick waits for that \
                     to end",
                    self.change_under_way()
                )
            } else {
                format!(
                    "{entity} cannot be deactivated from within this tick, because it waits for this \
                     tick to end"
                )
            };
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text)
        })
    }

    /// The change in progress, for messages to people.
    fn change_under_way(&self) -> String {
        let calls = self.calls.open();
        let part = calls.iter().rev().find_map(|call| {
            let (eid, cid) = call.component()?;
            let store = self.graph.store.read();
            let (entity, component) = (store.entity(eid)?, store.component(cid)?);
            let is_change = ["initialize", "deinitialize"].contains(&call.function);
            let text =
                format!("{} of {}, {}", call.function, entity.described(), component.description());
            is_change.then_some(text)
        });
        part.unwrap_or_else(|| "a change of the graph".to_owned())
    }
}
