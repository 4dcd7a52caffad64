//! The life of a whole graph: activation, run, deactivation (section 2.1 of GXF's behaviour).
//!
//! # Order
//!
//! Routes are known before any component is initialised. Entities are activated class by class
//! (systems, routers, connections, network contexts, all others), each in the order of loading, and
//! deactivated in reverse. Within an entity, components are initialised in the order in which they
//! were added, and deinitialised in reverse. Whatever fails, everything that was begun is undone,
//! and the first error is reported.
//!
//! # A map
//!
//! - `state.rs`: the states of a graph, and what a run consists of;
//! - `activation.rs`, `deactivation.rs`: the way up and the way down;
//! - `schedulers.rs`: the scheduler and clock of a graph; `run.rs`: one run, from start to end;
//!   `pause.rs`, `epochs.rs`: control of a run by the program;
//! - `failure.rs`: failures that components report outside their calls;
//! - `links.rs`: links to other processes;
//! - `entity.rs`: entities that join and leave;
//! - `scope.rs`: calls from within the graph; `calls.rs`: calls that have not returned;
//! - `change.rs`: the right to change the graph;
//! - `segments.rs`: graphs of their own that belong to a graph;
//! - `observation.rs`, `report.rs`: statistics, traces, and a summary of the run; `device_watches.rs`: the
//!   work of devices that these wait for; `device_ticks.rs`: how far entities are ahead of devices.

mod activation;
pub(crate) mod calls;
mod change;
mod deactivation;
pub(crate) mod device_ticks;
pub(crate) mod device_watches;
mod entity;
mod epochs;
mod failure;
pub mod links;
pub mod observation;
mod pause;
pub(crate) mod report;
mod run;
mod schedulers;
mod scope;
pub(crate) mod segments;
pub(crate) mod state;

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use state::GraphState;

impl Inner {
    fn component_failed(
        &self,
        entity: &Entity,
        component: &Component,
        stage: &str,
        error: Error,
    ) -> Error {
        let context = Error::new(
            error.code(),
            format!(
                "{}, {}: {stage} failed with {}",
                entity.described(),
                component.description(),
                error.code(),
            ),
        );
        let context = context.of_component(component.cid()).in_stage(stage);
        let context = context.with_place(|_| component.place());
        if error.to_string() == error.code().to_string() {
            return context;
        }
        context.caused_by(error)
    }

    /// Changes the state of the graph, or returns an error that says why not.
    fn change_state(&self, call: &str, from: &[GraphState], to: GraphState) -> Result<()> {
        let mut state = self.state.lock();
        if !from.contains(&state) {
            return Err(state::wrong_state(call, *state));
        }
        *state = to;
        self.state_changed.notify_all();
        Ok(())
    }

    fn set_state(&self, state: GraphState) {
        *self.state.lock() = state;
        self.state_changed.notify_all();
    }
}
