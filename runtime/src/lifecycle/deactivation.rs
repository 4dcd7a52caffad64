//! The way down, also after an error and from any state.

use super::{GraphState, keep_first, wrong_state};
use crate::context::Inner;
use crate::entity::store::{Entity, Stage};
use crate::error::{Error, Result};
use crate::message::router::Routes;
use crate::plugin::component::Component;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

impl Inner {
    pub fn deactivate(&self) -> Result<()> {
        let state = *self.state.lock();
        if state != GraphState::Origin {
            self.must_be_outside("deactivate")?;
        }
        match state {
            GraphState::Origin => return Ok(()),
            GraphState::Running | GraphState::Interrupting => {
                // Nobody waited: end the run first.
                let _ = self.interrupt();
                let waited = self.wait();
                let state = *self.state.lock();
                if matches!(state, GraphState::Origin | GraphState::Deinitializing) {
                    // After an error whoever waited takes the graph down.
                    return waited;
                }
            }
            GraphState::Activated => {}
            state => return Err(wrong_state("deactivate", state)),
        }
        self.change_state("deactivate", &[GraphState::Activated], GraphState::Deinitializing)?;
        let result = self.deactivate_all();
        self.set_state(GraphState::Origin);
        result
    }

    /// Deactivates, in state `Deinitializing`, after an error, which stays the one that is reported;
    /// what else fails on the way is logged.
    pub(super) fn deactivate_after(&self, error: Error) -> Result<()> {
        let mut first = Err(error);
        keep_first(&mut first, self.deactivate_all());
        self.set_state(GraphState::Origin);
        first
    }

    /// Stops all entities, then deinitialises them in reverse order, those of the scheduler last.
    fn deactivate_all(&self) -> Result<()> {
        let _inside = self.errand().begin();
        let runners = {
            let mut run = self.run.lock();
            run.scheduler = None;
            run.systems.clear();
            run.mailbox = None;
            let runners = std::mem::take(&mut run.roster).all();
            run.leaving.clone_from(&runners);
            runners
        };
        self.has_systems.store(false, Ordering::Release);
        let mut first = Ok(());
        for runner in runners.iter().rev() {
            keep_first(&mut first, runner.retire());
        }
        // Not before the last tick is over, which may itself change something. None is waited for from
        // here on, so nobody needs to know who changes the graph.
        let _changing = self.changing.lock();
        let active = {
            let mut run = self.run.lock();
            run.leaving.clear();
            std::mem::take(&mut run.active)
        };
        keep_first(&mut first, self.report_observation(&active));
        for entity in active.iter().rev() {
            self.deinitialize(entity, &entity.components(), &mut first);
            *entity.runner.write() = None;
            entity.watchers.write().clear();
        }
        *self.routes.write() = Routes::default();
        let departed = std::mem::take(&mut *self.departed.lock());
        for component in departed.iter().filter_map(Weak::upgrade) {
            component.clear_parameters();
        }
        first
    }

    /// Waits while another thread activates or deactivates the graph.
    pub(super) fn settle(&self) {
        let mut state = self.state.lock();
        while matches!(*state, GraphState::Activating | GraphState::Deinitializing) {
            self.state_changed.wait(&mut state);
        }
    }

    /// Deactivates the graph whatever it does.
    pub fn end(&self) -> Result<()> {
        self.must_be_outside("destroy")?;
        self.settle();
        self.deactivate()
    }

    /// Deinitialises components of an entity in reverse order and opens the entity again.
    pub(super) fn deinitialize(
        &self,
        entity: &Entity,
        components: &[Arc<Component>],
        first: &mut Result<()>,
    ) {
        let _inside = self.errand_for(entity.eid()).begin();
        for component in components.iter().rev() {
            let result = self
                .calls
                .during_function(entity, component, "deinitialize", || component.deinitialize());
            keep_first(
                first,
                result.map_err(|error| {
                    self.component_failed(entity, component, "deinitialize", error)
                }),
            );
        }
        *entity.stage.lock() = Stage::Open;
    }

    /// Ends the graph for good.
    pub fn destroy(&self) {
        if let Err(error) = self.end() {
            tracing::error!("{error}");
        }
        if self.is_inside() {
            // It goes on to its end, and whoever executes it keeps it alive so long.
            _ = self.interrupt();
            return;
        }
        let entities = self.store.write().clear();
        for entity in &entities {
            for component in entity.components().iter() {
                component.clear_parameters();
            }
        }
    }
}
