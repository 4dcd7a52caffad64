//! Activation: routes, parameters, components, wiring.

use super::state::{GraphState, wrong_stage, wrong_state};
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_app::{Diagnostic, Diagnostics};
use gxf_engine::graph::routes::{CONNECTION, Declared, Routes};
use gxf_engine::graph::store::{Entity, Stage};
use gxf_plugin_abi::{ResultCode, Uid, tids};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    pub fn activate(&self) -> Result<()> {
        // Before the lock, which a change of the graph may hold for long.
        let state = *self.state.lock();
        if state != GraphState::Origin {
            return Err(wrong_state("activate", state));
        }
        if self.is_only_read() {
            let text = "a graph that is only read cannot be activated";
            return Err(Error::new(ResultCode::FACTORY_UNKNOWN_CLASS_NAME, text));
        }
        let _changing = self.change()?;
        self.change_state("activate", &[GraphState::Origin], GraphState::Activating)?;
        let _entered = self.scope().enter();
        let activated = self.activate_all();
        {
            // Under the state's lock: a cancellation belongs to this activation or finds none.
            let mut state = self.state.lock();
            self.activation_cancelled.store(false, Ordering::Relaxed);
            *state = match &activated {
                Ok(()) => GraphState::Activated,
                Err(_) => GraphState::Deinitializing,
            };
            self.state_changed.notify_all();
        }
        activated.or_else(|error| self.deactivate_after(error))
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
        let mut entities = self.graph.store.read().program();
        entities.sort_by_cached_key(|entity| class_of(entity));
        let routes = routes_of(&entities);
        self.warn_of_repeated(&routes, |_| true);
        self.graph.set_routes(routes);
        self.complete_parameters(&entities)?;
        self.check_parameters(&entities)?;
        self.serve(&entities);
        self.begin_observation(&entities)?;
        // Links open before the entities that use them are initialised.
        let first = entities.partition_point(|entity| class_of(entity) <= NETWORK);
        let (systems, others) = entities.split_at(first);
        self.initialize_entities(systems)?;
        self.open_links(systems, &entities)?;
        self.initialize_entities(others)?;
        // An initialisation may have removed an entity.
        self.wire(&self.staying());
        self.find_schedulers(&entities)
    }

    fn initialize_entities(&self, entities: &[Arc<Entity>]) -> Result<()> {
        for entity in entities {
            // An entity that was activated on its own is already initialised.
            let is_active = *entity.stage.lock() == Stage::Active;
            if !is_active {
                if !becomes_active(entity) {
                    continue;
                }
                self.initialize_components(entity)?;
            }
            self.run.lock().active.push(entity.clone());
        }
        Ok(())
    }

    /// Logs the connections that are ignored, among those of the entities asked for.
    pub(super) fn warn_of_repeated(&self, routes: &Routes, is_asked: impl Fn(Uid) -> bool) {
        for [_, again] in routes.repeated() {
            let Ok(connection) = self.graph.component(*again) else { continue };
            let Ok(entity) = self.graph.entity(connection.eid()) else { continue };
            if is_asked(connection.eid()) {
                let place = connection.place().map(|span| format!(" at {span}"));
                tracing::warn!(
                    "{}, component `{}`{}: its source is connected to its target already, so this \
                     connection is ignored",
                    entity.described(),
                    connection.label(),
                    place.unwrap_or_default(),
                );
            }
        }
    }

    /// Makes an entity active, unless it was destroyed.
    pub(super) fn initialize_entity(&self, entity: &Arc<Entity>) -> Result<()> {
        if !becomes_active(entity) {
            return Err(wrong_stage(entity, "destroyed already"));
        }
        self.initialize_components(entity)
    }

    /// Initialises the components of an entity; after an error those before are deinitialised.
    fn initialize_components(&self, entity: &Arc<Entity>) -> Result<()> {
        let _entered = self.scope_for(entity.eid()).enter();
        // From here on no components are added; other threads may have added some since the last
        // check.
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
            let initialized = self
                .calls
                .during_function(entity, component, "initialize", || component.initialize());
            if let Err(error) = initialized {
                let mut first = Err(self.component_failed(entity, component, "initialize", error));
                self.deinitialize(entity, &components[..index], &mut first);
                return first;
            }
        }
        Ok(())
    }

    /// Sets all defaults; reports all missing mandatory parameters together.
    pub(super) fn complete_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut missing = Diagnostics::new();
        for entity in entities {
            for component in entity.components().iter().filter(|it| !it.is_complete()) {
                let complete = || component.complete_parameters();
                let gaps = self.calls.during_function(entity, component, "set_parameter", complete);
                let gaps = gaps.map_err(|error| {
                    self.component_failed(entity, component, "set_parameter", error)
                })?;
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
                    if let Some(place) = component.place() {
                        problem = problem.at(place);
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

    /// Lets every component check its parameters, before any of them starts to work.
    pub(super) fn check_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut impossible = Diagnostics::new();
        for entity in entities {
            // What another thread has added since has no values yet.
            for component in entity.components().iter().filter(|it| it.is_complete()) {
                let check = || crate::check::impossible(entity, component);
                let found =
                    self.calls.during_function(entity, component, "check_parameters", check);
                impossible.extend(found);
            }
        }
        // Two components must declare what they carry before the two can differ.
        let declaring = entities.iter().map(|entity| {
            let components = entity.components();
            components.iter().filter(|component| !component.type_info().ports.is_empty()).count()
        });
        if declaring.sum::<usize>() > 1 {
            impossible.extend(crate::check::wrong_payloads(self));
        }
        if impossible.has_errors() {
            impossible.sort_by_place();
            return Err(Error::from_diagnostics("the graph cannot be activated", impossible));
        }
        Ok(())
    }
}

/// Gives an entity the stage of active ones; false if it was destroyed.
fn becomes_active(entity: &Entity) -> bool {
    let mut stage = entity.stage.lock();
    if *stage == Stage::Destroyed {
        return false;
    }
    *stage = Stage::Active;
    true
}

/// Class of an entity with a network context, after which only those without special roles follow.
const NETWORK: u8 = 3;

/// GXF's class of an entity, for the order of activation.
fn class_of(entity: &Entity) -> u8 {
    let components = entity.components();
    let has = |tid| components.iter().any(|component| component.is_a(tid));
    if has(tids::SYSTEM) {
        0
    } else if has(tids::ROUTER) {
        1
    } else if has(CONNECTION) {
        2
    } else if has(tids::NETWORK_CONTEXT) {
        NETWORK
    } else {
        4
    }
}

/// The routes that the connections and topics of these entities declare.
pub(super) fn routes_of(entities: &[Arc<Entity>]) -> Routes {
    let mut declared = Declared::default();
    for entity in entities {
        entity.components().iter().for_each(|component| declared.add(component));
    }
    Routes::of(&declared)
}
