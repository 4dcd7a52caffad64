//! Pausing a run, and waking its scheduler.

use super::{GraphState, wrong_state};
use crate::context::Inner;
use crate::error::{Error, Result};
use crate::schedule::mailbox::Mailbox;
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

impl Inner {
    /// Nothing is executed any more until [`Self::resume`]; what is being executed is finished.
    pub fn pause(&self) -> Result<()> {
        self.pausable("pause")?.pause();
        Ok(())
    }

    /// Ends a pause.
    pub fn resume(&self) -> Result<()> {
        self.pausable("resume")?.resume();
        Ok(())
    }

    fn pausable(&self, call: &str) -> Result<Arc<Mailbox>> {
        let state = self.state.lock();
        if *state != GraphState::Running {
            return Err(wrong_state(call, *state));
        }
        let run = self.run.lock();
        match (&run.scheduler, &run.mailbox) {
            (Some(_), Some(mailbox)) => Ok(mailbox.clone()),
            _ => Err(Error::new(
                ResultCode::QUERY_NOT_APPLICABLE,
                format!("{call} is not possible: the graph's scheduler comes from an extension"),
            )),
        }
    }

    /// Whether nothing is executed because somebody paused the graph.
    pub fn is_paused(&self) -> bool {
        let run = self.run.lock();
        run.mailbox.as_ref().is_some_and(|mailbox| mailbox.is_paused())
    }

    /// Makes the scheduler look at the time again.
    pub fn poke_scheduler(&self) {
        let mailbox = self.run.lock().mailbox.clone();
        if let Some(mailbox) = mailbox {
            mailbox.poke();
        }
    }
}
