//! The way up: routes, parameters, components, wiring.

use super::{GraphState, wrong_state};
use crate::builtin;
use crate::context::Inner;
use crate::entity::store::{Entity, Stage};
use crate::error::{Error, Result};
use crate::graph::{Diagnostic, Diagnostics, ParameterValue};
use crate::message::router::Routes;
use gxf_plugin_abi::{ResultCode, tids};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    pub fn activate(&self) -> Result<()> {
        // Before the lock, which whoever changes the graph holds for long.
        let state = *self.state.lock();
        if state != GraphState::Origin {
            return Err(wrong_state("activate", state));
        }
        if self.accepts_unknown_types.load(Ordering::Relaxed) {
            let text = "a graph that may have components of unknown types cannot be activated";
            return Err(Error::new(ResultCode::FACTORY_UNKNOWN_CLASS_NAME, text));
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
        // An initialisation may have let one leave again.
        self.wire(&self.staying());
        self.find_schedulers(&entities)
    }

    /// Initialises the components of an entity; after an error those before are deinitialised.
    pub(super) fn initialize_entity(&self, entity: &Arc<Entity>) -> Result<()> {
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

    /// Sets defaults everywhere; all mandatory parameters that are missing are reported together.
    pub(super) fn complete_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut missing = Diagnostics::new();
        for entity in entities {
            for component in entity.components().iter() {
                let gaps = component.complete_parameters().map_err(|error| {
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

    /// Asks every component whether it can work with its parameters, before any of them begins to.
    pub(super) fn check_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
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

/// The routes all connections of the graph declare.
pub(super) fn routes_of(entities: &[Arc<Entity>]) -> Routes {
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
