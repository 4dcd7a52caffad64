//! The outcome of a run with several threads, which any of them may decide.

use crate::schedule::engine::End;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;

/// The first reason for the end of a run.
#[derive(Default)]
pub struct Outcome(Option<Result<End>>);

impl Outcome {
    /// The first reason counts; later errors are logged.
    pub fn note(&mut self, outcome: Result<End>) {
        match (&self.0, outcome) {
            (None, outcome) => self.0 = Some(outcome),
            (Some(_), Err(error)) => {
                let error = gxf::Error::from(error);
                tracing::error!("also: {error}");
            }
            (Some(_), Ok(_)) => {}
        }
    }

    /// The outcome, when these threads have ended.
    ///
    /// # Errors
    /// The run failed, or nothing ended it.
    pub fn take(&mut self, threads: &str) -> Result<End> {
        self.0.take().unwrap_or_else(|| {
            let text = format!("the {threads} of the scheduler ended without a reason");
            Err(Error::new(ResultCode::FAILURE, text))
        })
    }
}
