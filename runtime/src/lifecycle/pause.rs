//! Pausing a run, and waking its scheduler.

use super::state::{GraphState, wrong_state};
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use gxf_sync::event_queue::EventQueue;
use std::sync::Arc;

impl Inner {
    /// Executes nothing more until [`Self::resume`]; running ticks finish.
    pub fn pause(&self) -> Result<()> {
        self.pausable("pause")?.pause();
        Ok(())
    }

    /// Ends a pause.
    pub fn resume(&self) -> Result<()> {
        self.pausable("resume")?.resume();
        Ok(())
    }

    fn pausable(&self, call: &str) -> Result<Arc<EventQueue>> {
        let state = self.state.lock();
        if *state != GraphState::Running {
            return Err(wrong_state(call, *state));
        }
        let run = self.run.lock();
        match (&run.scheduler, &run.event_queue) {
            (Some(_), Some(event_queue)) => Ok(event_queue.clone()),
            _ => Err(Error::new(
                ResultCode::QUERY_NOT_APPLICABLE,
                format!("{call} is not possible: the graph's scheduler comes from an extension"),
            )),
        }
    }

    /// Whether the graph is paused.
    pub fn is_paused(&self) -> bool {
        let run = self.run.lock();
        run.event_queue.as_ref().is_some_and(|event_queue| event_queue.is_paused())
    }

    /// Makes the scheduler check the time again.
    pub fn poke_scheduler(&self) {
        let event_queue = self.run.lock().event_queue.clone();
        if let Some(event_queue) = event_queue {
            event_queue.poke();
        }
    }
}
