//! Codelets whose ticks change what entities wait for.

use gxf::RealtimeClock;
use gxf::prelude::*;
use std::thread::JoinHandle;
use std::time::Duration;

/// Delay of an event.
const EVENT: Duration = Duration::from_millis(5);

/// Each tick sets the next of several states. A thread follows EVENT_WAITING with EVENT_DONE.
#[derive(Component, Default)]
pub struct EventSteps {
    /// The term, possibly of another entity.
    term: Parameter<Handle<AsynchronousSchedulingTerm>>,
    /// GXF's numbers of the states.
    states: Parameter<Vec<i32>>,
    name: String,
    events: Vec<JoinHandle<Result<()>>>,
}

impl Codelet for EventSteps {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.name = context.name();
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let place = usize::try_from(context.count() - 1).unwrap_or(usize::MAX);
        gxf::info!("probe {} tick", self.name);
        let Some(state) = self.states.get().get(place).copied().map(AsynchronousEventState) else {
            return Ok(());
        };
        self.term.set_event_state(state)?;
        if state == AsynchronousEventState::EVENT_WAITING {
            let term = self.term.get().clone();
            self.events.push(std::thread::spawn(move || {
                std::thread::sleep(EVENT);
                term.set_event_state(AsynchronousEventState::EVENT_DONE)
            }));
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!("probe {} stop", self.name);
        self.events.drain(..).try_for_each(|event| {
            event.join().unwrap_or_else(|_| Err(Error::failure("the event's thread panicked")))
        })
    }
}

/// Changes the speed of a clock in a tick.
#[derive(Component, Default)]
pub struct SpeedStep {
    /// The clock.
    clock: Parameter<Handle<RealtimeClock>>,
    /// Number of the tick, from 1.
    at_tick: Parameter<i64>,
    /// The new speed.
    scale: Parameter<f64>,
}

impl Codelet for SpeedStep {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        if context.count() == *self.at_tick {
            self.clock.set_time_scale(*self.scale)?;
        }
        Ok(())
    }
}
