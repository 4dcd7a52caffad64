//! Pausing a run, stepping through it, changing its schedule, and waking its scheduler.

use super::state::{GraphState, wrong_state};
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::schedule::engine::{Engine, ScheduleSwap};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

impl Inner {
    /// Executes nothing more until [`Self::resume`]; running ticks finish.
    pub fn pause(&self) -> Result<()> {
        let segments = self.running_segments("pause")?;
        if !segments.is_empty() {
            return segments.iter().try_for_each(|(_, segment)| segment.pause());
        }
        self.ask_engine("pause", |engine| engine.pause())
    }

    /// Ends a pause.
    pub fn resume(&self) -> Result<()> {
        let segments = self.running_segments("resume")?;
        if !segments.is_empty() {
            return segments.iter().try_for_each(|(_, segment)| segment.resume());
        }
        self.ask_engine("resume", |engine| engine.resume())
    }

    /// During a pause, starts or ticks the next ready entity, and names it. `None` if none is ready.
    pub fn step(&self) -> Result<Option<String>> {
        let mut segments = self.running_segments("step")?;
        if !segments.is_empty() {
            // Those behind the one that stepped last are first.
            let last = self.run.lock().last_segment.clone();
            segments.sort_by_key(|(name, _)| (Some(name) <= last.as_ref(), name.clone()));
            for (name, segment) in segments {
                if let Some(entity) = segment.step()? {
                    let full = format!("{name}/{entity}");
                    self.run.lock().last_segment = Some(name);
                    return Ok(Some(full));
                }
            }
            return Ok(None);
        }
        let engine = self.ask_engine("step", Arc::clone)?;
        if !engine.is_paused() {
            let text = "step is only possible while the graph is paused";
            return Err(Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text));
        }
        self.ensure_not_reentrant("step")?;
        let _entered = self.scope().enter();
        let last = self.run.lock().last_step;
        let stepped = engine.step(last);
        match &stepped {
            Ok(Some(runner)) => self.run.lock().last_step = Some(runner.number),
            Ok(None) => {}
            Err(error) => self.fail_run(&engine, error),
        }
        Ok(stepped?.map(|runner| runner.entity.name().to_owned()))
    }

    /// The segments that run, by name; none if this graph is no graph of segments.
    fn running_segments(&self, call: &str) -> Result<Vec<(String, Arc<Self>)>> {
        if self.engine().is_some() {
            return Ok(Vec::new());
        }
        let mut segments = self.living_segments();
        if segments.is_empty() {
            return Ok(segments);
        }
        segments.retain(|(_, segment)| *segment.state.lock() == GraphState::Running);
        if segments.is_empty() {
            return Err(Error::new(
                ResultCode::INVALID_EXECUTION_SEQUENCE,
                format!("{call} is not possible: no segment of this process is running"),
            ));
        }
        Ok(segments)
    }

    /// Changes to another static schedule.
    pub fn swap_schedule(&self, swap: &ScheduleSwap) -> Result<()> {
        let engine = self.ask_engine("a change of schedules", Arc::clone);
        #[cfg(feature = "stm")]
        let engine = engine.map_err(|error| error.caused_by(gxf_stm::status::Status::InvalidState));
        engine?.swap_schedule(swap)
    }

    /// Asks something of the engine of the run that does not wait. The run does not end before the
    /// state's lock is released, so what is asked does not reach the next run.
    fn ask_engine<R>(&self, call: &str, ask: impl FnOnce(&Arc<dyn Engine>) -> R) -> Result<R> {
        let state = self.state.lock();
        if *state != GraphState::Running {
            return Err(wrong_state(call, *state));
        }
        let run = self.run.lock();
        let engine = run.engine.clone().ok_or_else(|| match run.scheduler {
            Some(_) => Error::new(
                ResultCode::INVALID_EXECUTION_SEQUENCE,
                format!("{call} is not possible while the run is starting"),
            ),
            None => Error::new(
                ResultCode::QUERY_NOT_APPLICABLE,
                format!("{call} is not possible: the graph's scheduler comes from an extension"),
            ),
        });
        drop(run);
        engine.map(|engine| ask(&engine))
    }

    /// Whether the graph is paused.
    pub fn is_paused(&self) -> bool {
        match self.running_segments("a pause") {
            Ok(segments) if !segments.is_empty() => {
                segments.iter().all(|(_, segment)| segment.is_paused())
            }
            _ => self.engine().is_some_and(|engine| engine.is_paused()),
        }
    }

    /// Makes the scheduler check the time again.
    pub fn poke_scheduler(&self) {
        let event_queue = self.run.lock().event_queue.clone();
        if let Some(event_queue) = event_queue {
            event_queue.poke();
        }
    }
}
