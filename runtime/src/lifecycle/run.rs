//! A run of the graph: its start and its end.

use super::state::{Ended, GraphState, keep_first, wrong_state};
use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::graph::store::Entity;
use gxf_engine::schedule::deadlock;
use gxf_engine::schedule::engine::{End, Engine, Environment};
use gxf_engine::schedule::pace::Pace;
use gxf_engine::schedule::start::StartBarrier;
use gxf_plugin::component::FromComponent;
use gxf_plugin_abi::{Event, ResultCode, Uid, tids};
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    pub fn run_async(&self) -> Result<()> {
        {
            let mut state = self.state.lock();
            if *state != GraphState::Activated {
                return Err(wrong_state("run", *state));
            }
            *state = GraphState::Running;
            {
                let mut run = self.run.lock();
                run.outcome = None;
                run.begun += 1;
            }
            // No thread may wait for threads that do not run yet.
            self.is_awaited.store(true, Ordering::Relaxed);
        }
        let started = self.start_run();
        if started.is_ok() {
            let _state = self.state.lock();
            self.is_awaited.store(false, Ordering::Relaxed);
            self.state_changed.notify_all();
        }
        if started.is_ok() {
            self.reach_start();
        }
        started.map(|()| self.end_if_failed()).or_else(|error| {
            let mut first = Err(error);
            // They would run on, and be waited for.
            let begun = self.run.lock().begun_systems.clone();
            for system in begun {
                let stopped = system.call("stop", |system| system.stop());
                keep_first(&mut first, stopped.map_err(Error::from));
            }
            keep_first(&mut first, self.end_run());
            self.run_ended(first)
        })
    }

    /// Starts the systems and the engine.
    fn start_run(&self) -> Result<()> {
        let systems = self.run.lock().systems.clone();
        self.observation.run_begins(systems.first().map(|system| &**system.component()));
        if !systems.is_empty() {
            let runners = self.run.lock().runners.clone();
            runners.all().iter().for_each(|runner| runner.run_begins());
        }
        for system in &systems {
            if let Some(scheduler) = gxf::Scheduler::from_component(system.component()) {
                scheduler.call("prepare", |scheduler| scheduler.prepare())?;
            }
            system.call("run_async", |system| system.run_async())?;
            let is_interrupted = {
                let state = self.state.lock();
                self.run.lock().begun_systems.push(system.clone());
                *state == GraphState::Interrupting
            };
            if is_interrupted {
                system.call("stop", |system| system.stop())?;
            }
        }
        let (scheduler, event_queue, runners) = {
            let run = self.run.lock();
            (run.scheduler.clone(), run.event_queue.clone(), run.runners.clone())
        };
        let (Some(scheduler), Some(event_queue)) = (scheduler, event_queue) else { return Ok(()) };
        let clock = self.clock_of(&scheduler)?;
        self.observation.run_uses(&scheduler, &clock);
        let moved_by_others = clock.component().is_a(tids::SYNTHETIC_CLOCK);
        tracing::info!("Scheduling {} entities", runners.all().len());
        self.sleep_in_network(&event_queue);
        let threads = self.threads(&runners)?;
        let routes = self.graph.routes();
        let entities = self.graph.store.read().entities();
        let pace = Pace::new(clock.clone(), moved_by_others);
        let is_timeless = pace.real_time_until(pace.now().saturating_add(1)).is_none();
        let environment = Environment {
            runners,
            clock,
            moved_by_others,
            event_queue,
            threads,
            entities,
            routes,
            barrier: self.run.lock().barrier.clone(),
        };
        let kind = self.engine_type(scheduler.type_info().tid);
        let kind = kind.ok_or_else(|| self.graph.wrong_type(&scheduler, tids::SCHEDULER))?;
        let engine = (kind.start)(&scheduler, environment)?;
        self.device_ticks.begin_run(!engine.bounds_device_work(), is_timeless);
        {
            let state = self.state.lock();
            self.run.lock().engine = Some(engine.clone());
            if *state == GraphState::Interrupting {
                engine.interrupt();
            }
        }
        if engine.epochs().is_some() {
            return Ok(());
        }
        let runners = engine.environment().runners.clone();
        let spawned = self.spawn_run(engine.thread_name(), move || run_to_the_end(&*engine));
        spawned.inspect_err(|_| {
            // It would pass for an engine that the program drives.
            let engine = self.run.lock().engine.take();
            drop(engine);
            runners.end_run();
        })
    }

    /// Nothing holds this run before its first tick, unless its engine does.
    fn reach_start(&self) {
        let barrier = self.run.lock().barrier.clone();
        if let Some(barrier) = barrier.filter(|barrier| !barrier.is_taken()) {
            barrier.reach();
        }
    }

    /// The next run waits before the first tick until [`Self::open_start`], and calls `reached` when
    /// it does.
    pub fn hold_start(&self, reached: impl FnOnce() + Send + 'static) {
        self.run.lock().barrier = Some(Arc::new(StartBarrier::new(reached)));
    }

    /// A run that [`Self::hold_start`] holds goes on.
    pub fn open_start(&self) {
        if let Some(barrier) = &self.run.lock().barrier {
            barrier.open();
        }
    }

    fn spawn_run(&self, name: String, run: impl FnOnce() -> Ended + Send + 'static) -> Result<()> {
        let scope = self.scope();
        let run = move || {
            let _entered = scope.enter();
            run()
        };
        let thread = std::thread::Builder::new().name(name).spawn(run).map_err(|error| {
            Error::new(ResultCode::FAILURE, "the scheduler's thread cannot be started")
                .caused_by(error)
        })?;
        self.run.lock().thread = Some(thread);
        Ok(())
    }

    /// Waits for everything that runs; returns the first error.
    fn end_run(&self) -> Result<()> {
        let (thread, engine, systems) = {
            let mut run = self.run.lock();
            (run.thread.take(), run.engine.clone(), run.systems.clone())
        };
        let ended = match (thread, &engine) {
            (Some(thread), _) => Some(thread.join().unwrap_or_else(|_| {
                let text = "the scheduler's thread panicked";
                Ended { end: Err(Error::new(ResultCode::FAILURE, text)), stuck: Vec::new() }
            })),
            // The program drives it, and says when it ends.
            (None, Some(engine)) => Some(run_to_the_end(&**engine)),
            (None, None) => None,
        };
        let stuck = ended.as_ref().map_or(0, |ended| deadlock::deadlock(&self.graph, &ended.stuck));
        let mut first = ended.map_or(Ok(()), |ended| ended.end.map(|_| ()));
        self.forget_engine();
        for system in systems {
            let waited = system.call("wait", |system| system.wait());
            keep_first(&mut first, waited.map_err(Error::from));
        }
        let runners = self.run.lock().runners.clone();
        for runner in runners.all() {
            runner.report_held();
        }
        gxf_device::chain::forget(std::ptr::from_ref(self).addr());
        self.device_ticks.end_run();
        // So that reports of the run have the last work, too.
        self.device_watches.settle();
        self.observation.run_ends(stuck);
        keep_first(&mut first, self.take_failure());
        first
    }

    /// The run is over: its engine is gone, and so is a clock that was made for it.
    fn forget_engine(&self) {
        let (engine, clock) = {
            let mut run = self.run.lock();
            if let Some(engine) = &run.engine {
                run.jobs = engine.jobs();
            }
            (run.engine.take(), run.own_clock.take())
        };
        if let Some(clock) = clock {
            self.graph.store.write().remove_component(clock.cid());
        }
        drop(engine);
    }

    pub fn wait(&self) -> Result<()> {
        let run = self.run.lock().begun;
        self.wait_for_run(run)
    }

    /// Waits for the end of a run, but not of one that another thread begins after it.
    pub(super) fn wait_for_run(&self, run: u64) -> Result<()> {
        if !self.begin_waiting(run)? {
            return Ok(());
        }
        let ended = self.end_run();
        self.run_ended(ended)
    }

    /// Publishes how the run ended; after an error, deactivates the graph.
    fn run_ended(&self, ended: Result<()>) -> Result<()> {
        let ended = ended.map_err(|error| error.with_place(|cid| self.graph.place_of(cid)));
        {
            // Under the state's lock: an interrupt belongs to this run or finds none.
            let mut state = self.state.lock();
            if let Some(event_queue) = &self.run.lock().event_queue {
                event_queue.reset();
            }
            let mut run = self.run.lock();
            run.outcome = Some(ended.clone());
            run.barrier = None;
            run.begun_systems.clear();
            drop(run);
            self.is_awaited.store(false, Ordering::Relaxed);
            *state = match &ended {
                Ok(()) => GraphState::Activated,
                Err(_) => GraphState::Deinitializing,
            };
            self.state_changed.notify_all();
        }
        ended.or_else(|error| self.deactivate_after(error))
    }

    /// Whether the caller must end the run: one waiting thread does, the others return when it is
    /// over, with its error.
    fn begin_waiting(&self, run: u64) -> Result<bool> {
        let mut state = self.state.lock();
        let mut waited = false;
        while matches!(*state, GraphState::Running | GraphState::Interrupting)
            && self.run.lock().begun == run
        {
            self.ensure_not_reentrant("wait")?;
            if !self.is_awaited.swap(true, Ordering::Relaxed) {
                return Ok(true);
            }
            self.state_changed.wait(&mut state);
            waited = true;
        }
        if waited { self.outcome().map(|()| false) } else { Ok(false) }
    }

    /// Result of the latest run; success while it runs.
    pub fn outcome(&self) -> Result<()> {
        self.run.lock().outcome.clone().unwrap_or(Ok(()))
    }

    pub fn interrupt(&self) -> Result<()> {
        self.interrupt_locked(self.state.lock())
    }

    /// Ends the run that the caller found under the state's lock.
    pub(super) fn interrupt_locked(&self, mut state: MutexGuard<'_, GraphState>) -> Result<()> {
        if *state != GraphState::Running {
            return Err(wrong_state("interrupt", *state));
        }
        *state = GraphState::Interrupting;
        let (systems, engine) = {
            let run = self.run.lock();
            (run.begun_systems.clone(), run.engine.clone())
        };
        // A system or an engine that starts now learns of it from the state. Under the lock, because
        // this run may end by itself, and the next one has the same event queue.
        if let Some(engine) = &engine {
            engine.interrupt();
        }
        drop(state);
        for system in systems {
            system.call("stop", |system| system.stop())?;
        }
        Ok(())
    }

    /// Notifies the systems of extensions about an event of an entity, for it and those that watch
    /// it.
    #[cold]
    pub fn notify_systems(&self, entity: &Entity, event: Event) -> Result<()> {
        let systems = self.run.lock().systems.clone();
        let watchers: Vec<Uid> =
            self.active_runners.watchers(entity.eid()).iter().map(|it| it.entity.eid()).collect();
        for system in &systems {
            system.call("event_notify", |system| system.event_notify(entity.eid(), event))?;
            for watcher in &watchers {
                system.call("event_notify", |system| system.event_notify(*watcher, event))?;
            }
        }
        Ok(())
    }
}

/// Runs an engine, and records its stuck entities before it stops them.
fn run_to_the_end(engine: &dyn Engine) -> Ended {
    let mut end = engine.run();
    let runners = &engine.environment().runners;
    runners.end_run();
    let stuck = engine.stuck(&end);
    deadlock::stops(&stuck);
    if engine.stops_entities(&end) {
        for runner in runners.all().iter().rev() {
            keep_first(&mut end, runner.stop());
        }
    }
    if matches!(end, Ok(End::Interrupted)) {
        runners.interrupted();
    }
    if end.is_ok() {
        runners.finish_links();
    }
    tracing::info!("Scheduler finished.");
    Ended { end, stuck }
}
