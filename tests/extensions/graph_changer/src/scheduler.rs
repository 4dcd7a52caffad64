//! A scheduler written like any other component: it executes the entities in turn on a thread of
//! its own, and sleeps while none is ready.

use gxf::prelude::*;
use gxf::{Event, Uid};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

/// Executes every entity in turn until all wait for each other.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct RoundRobinScheduler {
    /// Clock for the time of each execution.
    clock: Parameter<Handle<Clock>>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
    context: Mutex<Option<ContextHandle>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    entities: Vec<Uid>,
    /// Number of events so far.
    events: u64,
    stop: bool,
}

impl Shared {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the lock")
    }
}

impl Lifecycle for RoundRobinScheduler {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *self.context.lock().expect("the lock of the context") = Some(context.handle());
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.context.lock().expect("the lock of the context") = None;
        Ok(())
    }
}

impl implement::System for RoundRobinScheduler {
    fn schedule(&self, eid: Uid) -> Result<()> {
        self.shared.change(|state| state.entities.push(eid));
        Ok(())
    }

    fn unschedule(&self, eid: Uid) -> Result<()> {
        self.shared.change(|state| state.entities.retain(|known| *known != eid));
        Ok(())
    }

    fn run_async(&self) -> Result<()> {
        let context = self.context.lock().expect("the lock of the context").clone();
        let context = context.ok_or_else(|| Error::failure("the scheduler is not initialised"))?;
        let (shared, clock) = (self.shared.clone(), self.clock.get().clone());
        self.shared.change(|state| state.stop = false);
        let thread = std::thread::spawn(move || run(&shared, &clock, &context));
        *self.thread.lock().expect("the lock of the thread") = Some(thread);
        Ok(())
    }

    fn stop(&self) -> Result<()> {
        self.shared.change(|state| state.stop = true);
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        let thread = self.thread.lock().expect("the lock of the thread").take();
        thread.map_or(Ok(()), |thread| thread.join().expect("the scheduler does not panic"))
    }

    fn event_notify(&self, _eid: Uid, _event: Event) -> Result<()> {
        self.shared.change(|state| state.events += 1);
        Ok(())
    }
}

impl implement::Scheduler for RoundRobinScheduler {
    fn prepare(&self) -> Result<()> {
        gxf::info!("round robin: prepared");
        Ok(())
    }
}

fn run(shared: &Shared, clock: &Handle<Clock>, context: &ContextHandle) -> Result<()> {
    loop {
        let (entities, events) = {
            let state = shared.lock();
            if state.stop {
                return Ok(());
            }
            (state.entities.clone(), state.events)
        };
        let now = clock.timestamp();
        let (mut ran, mut waits_for_event, mut earliest) = (false, false, None::<i64>);
        for eid in entities {
            // An entity earlier in this round may have removed it.
            if !shared.lock().entities.contains(&eid) {
                continue;
            }
            let condition = context.execute_entity(eid, now)?;
            match condition.condition_type {
                ConditionType::READY => ran = true,
                ConditionType::WAIT_EVENT => waits_for_event = true,
                ConditionType::WAIT_TIME => {
                    let target = condition.target;
                    earliest = Some(earliest.map_or(target, |known| known.min(target)));
                }
                ConditionType::NEVER => {
                    shared.lock().entities.retain(|known| *known != eid);
                }
                _ => {}
            }
        }
        if ran {
            continue;
        }
        let state = shared.lock();
        if state.stop || state.events != events {
            continue;
        }
        match earliest {
            Some(target) => {
                let left = u64::try_from(target - clock.timestamp()).unwrap_or(0);
                let _ = shared.changed.wait_timeout(state, Duration::from_nanos(left));
            }
            None if waits_for_event => drop(shared.changed.wait(state)),
            None => return Ok(()),
        }
    }
}
