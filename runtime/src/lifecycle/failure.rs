//! Failures that components report outside their calls, and work that they announce.

use super::state::{GraphState, wrong_state};
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::schedule::engine::Engine;
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_sync::event_queue::Expected;
use std::sync::Arc;

impl Inner {
    /// Ends the run with an error of a component, from any thread; in a graph that does not run
    /// yet, the next run.
    pub fn fail_component(&self, cid: Uid, code: ResultCode, text: &str) -> Result<()> {
        let component = self.graph.component(cid)?;
        let entity = self.graph.entity(component.eid())?;
        let code = if code.is_success() { ResultCode::FAILURE } else { code };
        let text = if text.is_empty() { code.to_string() } else { text.to_owned() };
        let error = Error::new(code, text);
        let error = self.component_failed(&entity, &component, "asynchronous work", error);
        let later = {
            // Under the state's lock, so that a graph that ends either reports the failure or
            // refuses it here.
            let state = self.state.lock();
            if matches!(*state, GraphState::Origin | GraphState::Deinitializing) {
                return Err(wrong_state("entity_fail", *state));
            }
            let failure = &mut self.run.lock().failure;
            if failure.is_none() {
                *failure = Some(error);
                None
            } else {
                Some(error)
            }
        };
        if let Some(error) = later {
            let error = gxf::Error::from(error);
            tracing::error!("also: {error}");
        }
        self.end_if_failed();
        Ok(())
    }

    /// Work outside the graph that may matter to entities of the run; `None` without a run, and for
    /// one that is to end.
    pub fn expect_event(&self) -> Option<Expected> {
        // Never waits: the caller may be within an interrupt.
        if self.state.try_lock().is_some_and(|state| *state == GraphState::Interrupting) {
            return None;
        }
        let run = self.run.lock();
        run.engine.as_ref()?;
        run.event_queue.as_ref().map(|events| events.expect())
    }

    /// Ends the run if a component reported a failure. Does nothing without a run.
    pub(super) fn end_if_failed(&self) {
        let state = self.state.lock();
        let has_failed = {
            let run = self.run.lock();
            let has_failed = run.failure.is_some();
            if has_failed {
                // The other ends must not take what came so far for all that there is.
                run.runners.break_links();
            }
            has_failed
        };
        if has_failed {
            _ = self.interrupt_locked(state);
        }
    }

    /// Ends the run of this engine, unless it is over, with an error that another thread met.
    pub(super) fn fail_run(&self, engine: &Arc<dyn Engine>, error: &Error) {
        let state = self.state.lock();
        {
            let mut run = self.run.lock();
            if !run.engine.as_ref().is_some_and(|running| Arc::ptr_eq(running, engine)) {
                return;
            }
            run.failure.get_or_insert_with(|| error.clone());
            run.runners.break_links();
        }
        _ = self.interrupt_locked(state);
    }

    /// The failure that a component reported since the last call.
    pub(super) fn take_failure(&self) -> Result<()> {
        self.run.lock().failure.take().map_or(Ok(()), Err)
    }
}
