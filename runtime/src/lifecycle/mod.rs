//! What happens to a whole graph: activation, the run, deactivation (section 2.1 of GXF's
//! behaviour).
//!
//! # Order
//!
//! Routes are known before any component is initialised. Entities are activated class by class
//! (systems, routers, connections, network contexts, all others), each in the order of loading, and
//! deactivated in reverse. Within an entity, components are initialised in the order of their
//! addition and deinitialised in reverse. Whatever fails, everything that was begun is undone, and
//! the first error is the one reported.
//!
//! `run.rs` is about a run of the graph, `entity.rs` about entities that join and leave, `inside.rs`
//! about calls that come from within, `calls.rs` about calls that do not return, `change.rs` about who
//! may change the graph, `waits.rs` about those who would wait for each other.

mod calls;
mod change;
mod entity;
mod inside;
mod run;
mod waits;

use crate::builtin;
use crate::context::Inner;
use crate::entity::store::{Entity, Stage};
use crate::error::{Error, Result};
use crate::graph::{Diagnostic, Diagnostics, ParameterValue};
use crate::message::router::Routes;
use crate::plugin::component::Component;
pub(crate) use calls::{Call, Calls, Subject};
use gxf_plugin_abi::{ResultCode, tids};
pub(crate) use inside::Errand;
pub(crate) use run::Run;
use std::sync::Arc;
use std::sync::atomic::Ordering;
pub(crate) use waits::Waits;

/// GXF's states of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GraphState {
    Origin,
    Activating,
    Activated,
    Running,
    Interrupting,
    Deinitializing,
}

/// The first error is the one reported; later ones are logged, so that none is lost.
fn keep_first(first: &mut Result<()>, next: Result<()>) {
    match next {
        Err(error) if first.is_err() => {
            let error = gxf::Error::from(error);
            tracing::error!("also: {error}");
        }
        Err(error) => *first = Err(error),
        Ok(()) => {}
    }
}

fn wrong_state(call: &str, state: GraphState) -> Error {
    Error::new(
        ResultCode::INVALID_EXECUTION_SEQUENCE,
        format!("{call} is not possible while the graph is in state {state:?}"),
    )
}

/// GXF's classes of entities, in the order of activation.
fn class_of(entity: &Entity) -> u8 {
    let components = entity.components();
    let has = |tid| components.iter().any(|component| component.is_a(tid));
    if has(tids::SYSTEM) {
        0
    } else if has(tids::ROUTER) {
        1
    } else if has(builtin::CONNECTION) {
        2
    } else if has(tids::NETWORK_CONTEXT) {
        3
    } else {
        4
    }
}

impl Inner {
    /// Moves the graph from one state to another, or says why not.
    fn change_state(&self, call: &str, from: &[GraphState], to: GraphState) -> Result<()> {
        let mut state = self.state.lock();
        if !from.contains(&state) {
            return Err(wrong_state(call, *state));
        }
        *state = to;
        self.state_changed.notify_all();
        Ok(())
    }

    fn set_state(&self, state: GraphState) {
        *self.state.lock() = state;
        self.state_changed.notify_all();
    }

    pub fn activate(&self) -> Result<()> {
        // Before the lock, which whoever changes the graph holds for long.
        let state = *self.state.lock();
        if state != GraphState::Origin {
            return Err(wrong_state("activate", state));
        }
        let _changing = self.change()?;
        self.change_state("activate", &[GraphState::Origin], GraphState::Activating)?;
        let _inside = self.errand().begin();
        let activated = self.activate_all();
        self.activation_cancelled.store(false, Ordering::Relaxed);
        match activated {
            Ok(()) => {
                self.set_state(GraphState::Activated);
                Ok(())
            }
            Err(error) => {
                self.set_state(GraphState::Deinitializing);
                self.deactivate_after(error)
            }
        }
    }

    pub fn cancel_activation(&self) -> Result<()> {
        let state = self.state.lock();
        if *state != GraphState::Activating {
            return Err(wrong_state("cancel_activation", *state));
        }
        self.activation_cancelled.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn activate_all(&self) -> Result<()> {
        let mut entities = self.store.read().program();
        entities.sort_by_cached_key(|entity| class_of(entity));
        *self.routes.write() = routes_of(&entities);
        self.complete_parameters(&entities)?;
        self.check_parameters(&entities)?;
        self.begin_observation(&entities);
        for entity in &entities {
            // One that was activated by itself before is ready already.
            if *entity.stage.lock() != Stage::Active {
                self.initialize_entity(entity)?;
            }
            self.run.lock().active.push(entity.clone());
        }
        self.wire(&entities);
        self.find_schedulers(&entities)
    }

    /// Initialises the components of an entity; after an error those before are deinitialised.
    fn initialize_entity(&self, entity: &Arc<Entity>) -> Result<()> {
        let _inside = self.errand_for(entity.eid()).begin();
        *entity.stage.lock() = Stage::Active;
        // Now no component comes any more; other threads may have added some since all were complete.
        let components = entity.components();
        if let Err(error) = self.complete_parameters(std::slice::from_ref(entity)) {
            let mut first = Err(error);
            self.deinitialize(entity, &[], &mut first);
            return first;
        }
        for (index, component) in components.iter().enumerate() {
            if self.activation_cancelled.load(Ordering::Relaxed) {
                let text = "the activation was cancelled";
                let mut first = Err(Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text));
                self.deinitialize(entity, &components[..index], &mut first);
                return first;
            }
            let initialized =
                self.calls
                    .during(Subject::component(component), "initialize", || component.initialize());
            if let Err(error) = initialized {
                let mut error = component_failed(entity, component, "initialize", error);
                if let Some(span) = self.origins.lock().get(&component.cid()) {
                    // Mostly a parameter is wrong, so the user wants to know where it stands.
                    error = error.with_place(span);
                }
                let mut first = Err(error);
                self.deinitialize(entity, &components[..index], &mut first);
                return first;
            }
        }
        Ok(())
    }

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
    fn deactivate_after(&self, error: Error) -> Result<()> {
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
        first
    }

    /// Waits while another thread activates or deactivates the graph.
    fn settle(&self) {
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
    fn deinitialize(&self, entity: &Entity, components: &[Arc<Component>], first: &mut Result<()>) {
        let _inside = self.errand_for(entity.eid()).begin();
        for component in components.iter().rev() {
            let result = self
                .calls
                .during(Subject::component(component), "deinitialize", || component.deinitialize());
            keep_first(
                first,
                result.map_err(|error| component_failed(entity, component, "deinitialize", error)),
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

fn wrong_stage(entity: &Entity, what: &str) -> Error {
    Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, format!("entity `{}` is {what}", entity.name()))
}

fn component_failed(entity: &Entity, component: &Component, stage: &str, error: Error) -> Error {
    let context = Error::new(
        error.code(),
        format!(
            "{}, {}: {stage} failed with {}",
            entity.described(),
            component.description(),
            error.code(),
        ),
    );
    if error.to_string() == error.code().to_string() { context } else { context.caused_by(error) }
}

impl Inner {
    /// Sets defaults everywhere; all mandatory parameters that are missing are reported together.
    fn complete_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut missing = Diagnostics::new();
        for entity in entities {
            for component in entity.components().iter() {
                let gaps = component
                    .complete_parameters()
                    .map_err(|error| component_failed(entity, component, "set_parameter", error))?;
                for spec in gaps {
                    let mut problem = Diagnostic::error(
                        ResultCode::PARAMETER_MANDATORY_NOT_SET,
                        format!(
                            "{}, component `{}`: mandatory parameter `{}` has no value",
                            entity.described(),
                            component.label(),
                            spec.key
                        ),
                    );
                    if let Some(span) = self.origins.lock().get(&component.cid()) {
                        problem = problem.at(span.clone());
                    }
                    if !spec.description.is_empty() {
                        problem = problem.help(format!("`{}`: {}", spec.key, spec.description));
                    }
                    missing.push(problem);
                }
            }
        }
        if missing.has_errors() {
            missing.sort_by_place();
            return Err(Error::from_diagnostics("the graph is not complete", missing));
        }
        Ok(())
    }
}

impl Inner {
    /// Asks every component whether it can work with its parameters, before any of them begins to.
    fn check_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut impossible = Diagnostics::new();
        for entity in entities {
            for component in entity.components().iter() {
                let found = crate::graph::check::impossible(entity, component);
                let place = self.origins.lock().get(&component.cid()).cloned();
                impossible.extend(found.map(|problem| match place {
                    Some(place) => problem.at(place),
                    None => problem,
                }));
            }
        }
        if impossible.has_errors() {
            impossible.sort_by_place();
            return Err(Error::from_diagnostics("the graph cannot be activated", impossible));
        }
        Ok(())
    }
}

/// The routes all connections of the graph declare.
fn routes_of(entities: &[Arc<Entity>]) -> Routes {
    let mut routes = Routes::default();
    for entity in entities {
        for component in entity.components().iter() {
            if component.type_info().tid != builtin::CONNECTION {
                continue;
            }
            let end = |key| match component.parameter(key) {
                Some(ParameterValue::Component(cid)) => Some(cid),
                _ => None,
            };
            if let (Some(source), Some(target)) = (end("source"), end("target")) {
                routes.add(source, target);
            }
        }
    }
    let components: Vec<_> =
        entities.iter().flat_map(|entity| entity.components().to_vec()).collect();
    routes.add_topics(&components);
    routes
}
