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
//! # A map
//!
//! - `activation.rs`, `deactivation.rs`: the way up and the way down;
//! - `schedulers.rs`: which scheduler and which clock a graph has; `run.rs`: one run, from its begin
//!   to its end; `pause.rs`, `epochs.rs`: what a program does meanwhile;
//! - `entity.rs`: entities that join and leave;
//! - `inside.rs`: calls that come from within; `calls.rs`: calls that do not return;
//! - `change.rs`: who may change the graph; `waits.rs`: those who would wait for each other.

mod activation;
mod calls;
mod change;
mod deactivation;
mod entity;
mod epochs;
mod inside;
mod pause;
mod run;
mod schedulers;
mod waits;

use crate::context::Inner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::plugin::component::Component;
pub(crate) use calls::{Call, Calls, Subject};
use gxf_plugin_abi::ResultCode;
pub(crate) use inside::Errand;
pub(crate) use run::Run;
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
        let context = context.of_component(component.cid()).with_place(&self.origins.lock());
        if error.to_string() == error.code().to_string() {
            return context;
        }
        context.caused_by(error)
    }

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
}
