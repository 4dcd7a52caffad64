//! Deactivation, after an error too and from any state.

use super::state::{GraphState, keep_first, wrong_state};
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::graph::routes::Routes;
use gxf_engine::graph::store::{Entity, Stage};
use gxf_plugin::component::Component;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

impl Inner {
    pub fn deactivate(&self) -> Result<()> {
        loop {
            let current = *self.state.lock();
            if current != GraphState::Origin {
                self.ensure_not_reentrant("deactivate")?;
            }
            let (state, run) = {
                let mut state = self.state.lock();
                let found = *state;
                if found == GraphState::Activated {
                    *state = GraphState::Deinitializing;
                    self.state_changed.notify_all();
                }
                (found, self.run.lock().begun)
            };
            match state {
                GraphState::Origin => return Ok(()),
                GraphState::Activated => break,
                GraphState::Running | GraphState::Interrupting => {}
                state => return Err(wrong_state("deactivate", state)),
            }
            // End the run first. Another thread may start a new one in the meantime, which is then
            // ended, too.
            let _ = self.interrupt();
            let waited = self.wait_for_run(run);
            let state = *self.state.lock();
            if matches!(state, GraphState::Origin | GraphState::Deinitializing) {
                // After an error, the waiting thread deactivates the graph.
                return waited;
            }
        }
        // A graph that did not run ends well, too.
        let runners = self.run.lock().runners.clone();
        runners.finish_links();
        let result = self.deactivate_all();
        self.set_state(GraphState::Origin);
        result
    }

    /// Deactivates the graph in state `Deinitializing` after an error, which is returned; logs
    /// further ones.
    pub(super) fn deactivate_after(&self, error: Error) -> Result<()> {
        let mut first = Err(error);
        keep_first(&mut first, self.deactivate_all());
        self.set_state(GraphState::Origin);
        first
    }

    /// Stops all entities, then deinitialises them in reverse order, the scheduler's last.
    fn deactivate_all(&self) -> Result<()> {
        let _entered = self.scope().enter();
        let reports = self.entity_reports();
        let runners = {
            let mut run = self.run.lock();
            run.reports = reports;
            run.scheduler = None;
            run.systems.clear();
            run.event_queue = None;
            run.ledgers.clear();
            let runners = std::mem::take(&mut run.runners).all();
            run.leaving.clone_from(&runners);
            runners
        };
        self.has_systems.store(false, Ordering::Release);
        let mut first = self.take_failure();
        for runner in runners.iter().rev() {
            keep_first(&mut first, runner.retire());
        }
        // What a device calls back must find its components.
        gxf_device::settle();
        // Not before the last tick is over, which may itself change the graph. From here on nothing
        // waits for a tick, so the change need not be noted.
        let _changing = self.changing.lock();
        let (active, joined) = {
            let mut run = self.run.lock();
            run.leaving.clear();
            // What an entity that joined meanwhile brought: the next run must not find it.
            run.event_queue = None;
            run.ledgers.clear();
            (std::mem::take(&mut run.active), std::mem::take(&mut run.runners).all())
        };
        for runner in joined.iter().rev() {
            keep_first(&mut first, runner.retire());
        }
        self.close_links(&mut first);
        let statistics = self.statistics();
        self.run.lock().statistics = statistics;
        keep_first(&mut first, self.report_observation(&active));
        for entity in active.iter().rev() {
            self.deinitialize(entity, &entity.components(), &mut first);
            self.active_runners.take(entity.eid());
        }
        self.active_runners.clear_watchers_of(&active);
        self.graph.set_routes(Routes::default());
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

    /// Deactivates the graph in any state, and what was activated without it.
    pub fn end(&self) -> Result<()> {
        self.ensure_not_reentrant("destroy")?;
        self.settle();
        let mut first = self.deactivate();
        self.deactivate_single(&mut first);
        first
    }

    /// Deinitialises the entities that were activated on their own, the newest first.
    fn deactivate_single(&self, first: &mut Result<()>) {
        let _changing = self.changing.lock();
        if *self.state.lock() != GraphState::Origin {
            return;
        }
        let _entered = self.scope().enter();
        let mut entities = self.graph.store.read().entities();
        entities.retain(|entity| *entity.stage.lock() == Stage::Active);
        for entity in entities.iter().rev() {
            self.deinitialize(entity, &entity.components(), first);
        }
    }

    /// Deinitialises an entity's components in reverse order and opens the entity again.
    pub(super) fn deinitialize(
        &self,
        entity: &Entity,
        components: &[Arc<Component>],
        first: &mut Result<()>,
    ) {
        let _entered = self.scope_for(entity.eid()).enter();
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

    /// Ends the graph permanently.
    pub fn destroy(&self) {
        if let Err(error) = self.end() {
            tracing::error!("{error}");
        }
        if self.is_inside() {
            // The run continues to its end; the executing thread keeps it alive.
            _ = self.interrupt();
            return;
        }
        let entities = self.graph.store.write().clear();
        for entity in &entities {
            for component in entity.components().iter() {
                let clear = || component.clear_parameters();
                self.calls.during_function(entity, component, "clear_parameters", clear);
            }
        }
    }
}
