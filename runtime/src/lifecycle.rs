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

use crate::builtin;
use crate::context::{EntityReport, Inner, RunReport};
use crate::entity::mail::Wake;
use crate::entity::plan::{Plan, interfaces};
use crate::entity::runner::Runner;
use crate::entity::store::{Entity, Stage};
use crate::error::{Error, Result};
use crate::graph::{Diagnostic, Diagnostics, ParameterValue};
use crate::message::router::Routes;
use crate::plugin::component::{Component, FromComponent, Interface};
use crate::schedule::greedy::{self, End, GreedySettings};
use crate::schedule::mailbox::Mailbox;
use gxf_plugin_abi::{Condition, ResultCode, Uid, tids};
use smallvec::SmallVec;
use std::sync::Arc;
use std::thread::JoinHandle;

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

/// What is needed to run, and to end it.
#[derive(Default)]
pub(crate) struct Run {
    /// Activated entities in the order of activation.
    active: Vec<Arc<Entity>>,
    runners: Vec<Arc<Runner>>,
    mailbox: Option<Arc<Mailbox>>,
    /// The scheduler that is built in, if the graph has it.
    greedy: Option<Arc<Component>>,
    /// Systems that come from extensions.
    systems: Vec<Interface<gxf::System>>,
    thread: Option<JoinHandle<Result<End>>>,
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

/// GXF's classes of entities, in the order of activation.
fn class_of(entity: &Entity) -> u8 {
    let components = entity.components();
    let has = |tid| components.iter().any(|component| component.is_a(tid));
    if has(tids::SYSTEM) {
        0
    } else if has(tids::ROUTER) {
        1
    } else if has(builtin::CONNECTION) {
        2
    } else if has(tids::NETWORK_CONTEXT) {
        3
    } else {
        4
    }
}

impl Inner {
    /// Moves the graph from one state to another, or says why not.
    fn change_state(&self, call: &str, from: &[GraphState], to: GraphState) -> Result<()> {
        let mut state = self.state.lock();
        if !from.contains(&state) {
            return Err(wrong_state(call, *state));
        }
        *state = to;
        Ok(())
    }

    pub fn activate(&self) -> Result<()> {
        self.change_state("activate", &[GraphState::Origin], GraphState::Activating)?;
        match self.activate_all() {
            Ok(()) => {
                *self.state.lock() = GraphState::Activated;
                Ok(())
            }
            Err(error) => self.deactivate_after(error),
        }
    }

    fn activate_all(&self) -> Result<()> {
        let mut entities = self.store.read().program();
        entities.sort_by_cached_key(|entity| class_of(entity));
        *self.routes.write() = routes_of(&entities);
        self.complete_parameters(&entities)?;
        for entity in &entities {
            self.initialize_entity(entity)?;
            self.run.lock().active.push(entity.clone());
        }
        self.make_runners(&entities);
        self.find_schedulers(&entities)
    }

    /// Initialises the components of an entity; after an error those before are deinitialised.
    fn initialize_entity(&self, entity: &Entity) -> Result<()> {
        let components = entity.components();
        *entity.stage.lock() = Stage::Active;
        for (index, component) in components.iter().enumerate() {
            if let Err(error) = component.initialize() {
                let mut error = component_failed(entity, component, "initialize", error);
                if let Some(span) = self.origins.lock().get(&component.cid()) {
                    // Mostly a parameter is wrong, so the user wants to know where it stands.
                    error = error.with_place(span);
                }
                let mut first = Err(error);
                deinitialize(entity, &components[..index], &mut first);
                return first;
            }
        }
        Ok(())
    }

    /// Makes a runner for each entity that has codelets.
    fn make_runners(&self, entities: &[Arc<Entity>]) {
        let mailbox = Arc::new(Mailbox::new());
        let plan = Plan::new(entities, &self.routes.read());
        let monitors: Arc<[_]> = interfaces::<gxf::Monitor>(entities.iter()).into();
        let routers = interfaces::<gxf::Router>(entities.iter());
        let mut runners = Vec::new();
        for entity in entities {
            let Some(number) = plan.numbers.get(&entity.eid()).copied() else { continue };
            let parts = plan.parts(entity, monitors.clone(), &routers);
            let runner = Arc::new(Runner::new(entity.clone(), number, mailbox.clone(), parts));
            *entity.runner.write() = Some(runner.clone());
            runners.push(runner);
        }
        // Whoever watches a component also hears of what is told about the component's entity.
        for (cid, numbers) in &plan.on_arrival {
            let Ok(entity) = self.component(*cid).and_then(|found| self.entity(found.eid())) else {
                continue;
            };
            let watching = numbers.iter().filter_map(|number| runners.get(*number as usize));
            entity.watchers.write().extend(watching.cloned());
        }
        let mut run = self.run.lock();
        run.runners = runners;
        run.mailbox = Some(mailbox);
    }

    fn find_schedulers(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut run = self.run.lock();
        for entity in entities {
            for component in entity.components().iter() {
                if component.type_info().tid == builtin::GREEDY_SCHEDULER {
                    if let Some(other) = &run.greedy {
                        return Err(self.two_schedulers(other, component));
                    }
                    run.greedy = Some(component.clone());
                } else if let Some(system) = gxf::System::from_component(component) {
                    run.systems.push(system);
                }
            }
        }
        let run = &*run;
        for system in &run.systems {
            for runner in &run.runners {
                system.schedule(runner.entity.eid())?;
            }
        }
        if run.greedy.is_none() && run.systems.is_empty() && !run.runners.is_empty() {
            tracing::warn!(
                "the graph has codelets but no scheduler, so nothing will run; add an entity with \
                 a component of type nvidia::gxf::GreedyScheduler"
            );
        }
        Ok(())
    }

    fn two_schedulers(&self, one: &Component, other: &Component) -> Error {
        let mut problem =
            Diagnostic::error(ResultCode::ARGUMENT_INVALID, "the graph has two schedulers");
        let origins = self.origins.lock();
        if let Some(span) = origins.get(&other.cid()) {
            problem = problem.at(span.clone()).label("one has to go");
        }
        if let Some(span) = origins.get(&one.cid()) {
            problem = problem.note(span.clone(), "the other one is here");
        }
        Error::from_diagnostics("the graph has two schedulers", problem.into())
    }

    pub fn run_async(&self) -> Result<()> {
        self.change_state("run", &[GraphState::Activated], GraphState::Running)?;
        self.start_run().or_else(|error| {
            let mut first = Err(error);
            keep_first(&mut first, self.end_run());
            first.or_else(|error| self.deactivate_after(error))
        })
    }

    fn start_run(&self) -> Result<()> {
        let mut run = self.run.lock();
        for system in &run.systems {
            if let Some(scheduler) = gxf::Scheduler::from_component(system.component()) {
                scheduler.prepare()?;
            }
            system.run_async()?;
        }
        let (Some(greedy), Some(mailbox)) = (run.greedy.clone(), run.mailbox.clone()) else {
            return Ok(());
        };
        let (settings, clock) = self.greedy_settings(&greedy)?;
        let runners = run.runners.clone();
        tracing::info!("Scheduling {} entities", runners.len());
        let thread = std::thread::Builder::new().name("gxe-greedy".to_owned()).spawn(move || {
            let end = greedy::run(runners.clone(), &settings, &clock, &mailbox);
            if end.is_err() || matches!(end, Ok(End::Timeout)) {
                // As in GXF: after an error or the maximum duration everything stops at once.
                for runner in runners.iter().rev() {
                    if let Err(error) = runner.stop() {
                        let error = gxf::Error::from(error);
                        tracing::error!("also: {error}");
                    }
                }
            }
            tracing::info!("Scheduler finished.");
            end
        });
        let thread = thread.map_err(|error| {
            Error::new(ResultCode::FAILURE, "the scheduler's thread cannot be started")
                .caused_by(error)
        })?;
        run.thread = Some(thread);
        Ok(())
    }

    fn greedy_settings(
        &self,
        scheduler: &Arc<Component>,
    ) -> Result<(GreedySettings, Interface<gxf::Clock>)> {
        const NANOSECONDS: i64 = 1_000_000;
        let milliseconds = |key| match scheduler.parameter(key) {
            Some(ParameterValue::Int64(ms)) => Some(ms.saturating_mul(NANOSECONDS)),
            Some(ParameterValue::Float64(ms)) => Some((ms * NANOSECONDS as f64) as i64),
            _ => None,
        };
        let flag = |key| match scheduler.parameter(key) {
            Some(ParameterValue::Bool(value)) => Some(value),
            _ => None,
        };
        let clock = match scheduler.parameter("clock") {
            Some(ParameterValue::Component(cid)) => self.component(cid)?,
            _ => self.own_clock(scheduler, flag("realtime").unwrap_or(true))?,
        };
        let moved_by_others = clock.is_a(tids::SYNTHETIC_CLOCK);
        let clock = gxf::Clock::from_component(&clock)
            .ok_or_else(|| self.wrong_type(&clock, tids::CLOCK))?;
        let settings = GreedySettings {
            max_duration: milliseconds("max_duration_ms"),
            stop_on_deadlock: flag("stop_on_deadlock").unwrap_or(true),
            recession_period: milliseconds("check_recession_period_ms").unwrap_or(0),
            deadlock_timeout: milliseconds("stop_on_deadlock_timeout").unwrap_or(0),
            moved_by_others,
        };
        Ok((settings, clock))
    }

    /// The clock of a scheduler that names none; it belongs to no entity.
    fn own_clock(&self, scheduler: &Component, realtime: bool) -> Result<Arc<Component>> {
        let name = if realtime { "nvidia::gxf::RealtimeClock" } else { "nvidia::gxf::ManualClock" };
        let type_info = self.type_by_name(name)?;
        let clock =
            Component::create(&type_info, "", self.raw(), scheduler.eid(), scheduler.cid())?;
        clock.complete_parameters()?;
        clock.initialize()?;
        Ok(clock)
    }

    /// Waits for everything that runs; the first error counts.
    fn end_run(&self) -> Result<()> {
        let (thread, systems) = {
            let mut run = self.run.lock();
            (run.thread.take(), run.systems.clone())
        };
        let mut first = Ok(());
        if let Some(thread) = thread {
            first = match thread.join() {
                Ok(Ok(_)) => Ok(()),
                Ok(Err(error)) => Err(error),
                Err(_) => Err(Error::new(ResultCode::FAILURE, "the scheduler's thread panicked")),
            };
        }
        for system in systems {
            keep_first(&mut first, system.wait().map_err(Error::from));
        }
        first
    }

    pub fn wait(&self) -> Result<()> {
        // One waiter ends the run; others find it ended.
        let _waiting = self.waiting.lock();
        if !matches!(*self.state.lock(), GraphState::Running | GraphState::Interrupting) {
            return Ok(());
        }
        self.end_run().or_else(|error| self.deactivate_after(error))?;
        // Under the state's lock: an interrupt belongs to this run or finds nothing running.
        let mut state = self.state.lock();
        if let Some(mailbox) = &self.run.lock().mailbox {
            mailbox.reset();
        }
        *state = GraphState::Activated;
        Ok(())
    }

    pub fn interrupt(&self) -> Result<()> {
        let systems = {
            let mut state = self.state.lock();
            if *state != GraphState::Running {
                return Err(wrong_state("interrupt", *state));
            }
            *state = GraphState::Interrupting;
            let run = self.run.lock();
            if let Some(mailbox) = &run.mailbox {
                mailbox.stop();
            }
            run.systems.clone()
        };
        for system in systems {
            system.stop()?;
        }
        Ok(())
    }

    pub fn deactivate(&self) -> Result<()> {
        let state = *self.state.lock();
        match state {
            GraphState::Origin => return Ok(()),
            GraphState::Running | GraphState::Interrupting => {
                // Nobody waited: end the run first.
                let _ = self.interrupt();
                let waited = self.wait();
                if *self.state.lock() == GraphState::Origin {
                    return waited;
                }
            }
            GraphState::Activated => {}
            state => return Err(wrong_state("deactivate", state)),
        }
        self.change_state("deactivate", &[GraphState::Activated], GraphState::Deinitializing)?;
        let result = self.deactivate_all();
        *self.state.lock() = GraphState::Origin;
        result
    }

    /// Deactivates after an error, which stays the one that is reported; what else fails on the way
    /// is logged.
    fn deactivate_after(&self, error: Error) -> Result<()> {
        let mut first = Err(error);
        *self.state.lock() = GraphState::Deinitializing;
        keep_first(&mut first, self.deactivate_all());
        *self.state.lock() = GraphState::Origin;
        first
    }

    /// Stops all entities, then deinitialises them in reverse order, those of the scheduler last.
    fn deactivate_all(&self) -> Result<()> {
        let (active, runners) = {
            let mut run = self.run.lock();
            run.greedy = None;
            run.systems.clear();
            run.mailbox = None;
            (std::mem::take(&mut run.active), std::mem::take(&mut run.runners))
        };
        let mut first = Ok(());
        for runner in runners.iter().rev() {
            keep_first(&mut first, runner.retire());
        }
        for entity in active.iter().rev() {
            deinitialize(entity, &entity.components(), &mut first);
            *entity.runner.write() = None;
            entity.watchers.write().clear();
        }
        *self.routes.write() = Routes::default();
        first
    }

    /// Ends the graph for good.
    pub fn destroy(&self) {
        if let Err(error) = self.deactivate() {
            tracing::error!("{error}");
        }
        let entities = self.store.write().clear();
        for entity in &entities {
            for component in entity.components().iter() {
                component.clear_parameters();
            }
        }
    }

    /// Activates one entity while the graph runs or not.
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        if *entity.stage.lock() == Stage::Active {
            return Err(wrong_stage(&entity, "active already"));
        }
        if *self.state.lock() != GraphState::Origin {
            return Err(Error::new(
                ResultCode::NOT_IMPLEMENTED,
                format!(
                    "entity `{}` cannot join a graph that is active already; create it before the \
                     graph is activated",
                    entity.name()
                ),
            ));
        }
        self.complete_parameters(std::slice::from_ref(&entity))?;
        self.initialize_entity(&entity)
    }

    /// Stops and deinitialises one entity.
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        if *entity.stage.lock() != Stage::Active {
            return Err(wrong_stage(&entity, "not active"));
        }
        let runner = entity.runner.write().take();
        let mut first = runner.map_or(Ok(()), |runner| runner.retire());
        self.run.lock().active.retain(|active| active.eid() != eid);
        // Runners keep their entities alive: none may be held by an entity that left.
        entity.watchers.write().clear();
        deinitialize(&entity, &entity.components(), &mut first);
        first
    }

    /// Deactivates one entity if need be and removes it.
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        let active = *entity.stage.lock() == Stage::Active;
        let deactivated = if active { self.deactivate_entity(eid) } else { Ok(()) };
        self.store.write().remove_entity(eid);
        for component in entity.components().iter() {
            component.clear_parameters();
        }
        deactivated
    }

    /// Executes one entity on behalf of a scheduler in an extension.
    pub fn execute_entity(&self, eid: Uid, now: i64) -> Result<Condition> {
        #[derive(Default)]
        struct Woken(SmallVec<[u32; 8]>);
        impl Wake for Woken {
            fn wake(&mut self, entity: u32) {
                self.0.push(entity);
            }
        }
        let entity = self.entity(eid)?;
        let runner =
            entity.runner.read().clone().ok_or_else(|| wrong_stage(&entity, "not active"))?;
        let mut woken = Woken::default();
        let condition = runner.execute(now, &mut woken)?;
        let (systems, woken): (_, Vec<Uid>) = {
            let run = self.run.lock();
            let ids = woken.0.iter().filter_map(|number| run.runners.get(*number as usize));
            (run.systems.clone(), ids.map(|runner| runner.entity.eid()).collect())
        };
        for system in &systems {
            for eid in &woken {
                system.event_notify(*eid, gxf_plugin_abi::Event::MESSAGE_SYNC)?;
            }
        }
        Ok(condition)
    }

    /// Makes the scheduler look at the time again.
    pub fn poke_scheduler(&self) {
        let mailbox = self.run.lock().mailbox.clone();
        if let Some(mailbox) = mailbox {
            mailbox.poke();
        }
    }

    pub fn run_report(&self) -> RunReport {
        const STATES: [&str; 7] = [
            "not started",
            "start pending",
            "started",
            "tick pending",
            "ticking",
            "idle",
            "stop pending",
        ];
        let run = self.run.lock();
        let entities = run.runners.iter().map(|runner| EntityReport {
            name: runner.entity.name().to_owned(),
            ticks: runner.ticks(),
            state: STATES[usize::from(runner.status()).min(6)].to_owned(),
        });
        RunReport { entities: entities.collect() }
    }
}

/// Deinitialises components of an entity in reverse order and opens the entity again.
fn deinitialize(entity: &Entity, components: &[Arc<Component>], first: &mut Result<()>) {
    for component in components.iter().rev() {
        let result = component.deinitialize();
        keep_first(
            first,
            result.map_err(|error| component_failed(entity, component, "deinitialize", error)),
        );
    }
    *entity.stage.lock() = Stage::Open;
}

fn wrong_stage(entity: &Entity, what: &str) -> Error {
    Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, format!("entity `{}` is {what}", entity.name()))
}

fn component_failed(entity: &Entity, component: &Component, stage: &str, error: Error) -> Error {
    let context = Error::new(
        error.code(),
        format!(
            "{}, {}: {stage} failed with {}",
            entity.described(),
            component.description(),
            error.code(),
        ),
    );
    if error.to_string() == error.code().to_string() { context } else { context.caused_by(error) }
}

impl Inner {
    /// Sets defaults everywhere; all mandatory parameters that are missing are reported together.
    fn complete_parameters(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut missing = Diagnostics::new();
        for entity in entities {
            for component in entity.components().iter() {
                let gaps = component
                    .complete_parameters()
                    .map_err(|error| component_failed(entity, component, "set_parameter", error))?;
                for spec in gaps {
                    let mut problem = Diagnostic::error(
                        ResultCode::PARAMETER_MANDATORY_NOT_SET,
                        format!(
                            "{}, component `{}`: mandatory parameter `{}` has no value",
                            entity.described(),
                            component.label(),
                            spec.key
                        ),
                    );
                    if let Some(span) = self.origins.lock().get(&component.cid()) {
                        problem = problem.at(span.clone());
                    }
                    if !spec.description.is_empty() {
                        problem = problem.help(format!("`{}`: {}", spec.key, spec.description));
                    }
                    missing.push(problem);
                }
            }
        }
        if missing.has_errors() {
            missing.sort_by_place();
            return Err(Error::from_diagnostics("the graph is not complete", missing));
        }
        Ok(())
    }
}

/// The routes all connections of the graph declare.
fn routes_of(entities: &[Arc<Entity>]) -> Routes {
    let mut routes = Routes::default();
    for entity in entities {
        for component in entity.components().iter() {
            if component.type_info().tid != builtin::CONNECTION {
                continue;
            }
            let end = |key| match component.parameter(key) {
                Some(ParameterValue::Component(cid)) => Some(cid),
                _ => None,
            };
            if let (Some(source), Some(target)) = (end("source"), end("target")) {
                routes.add(source, target);
            }
        }
    }
    let components: Vec<_> =
        entities.iter().flat_map(|entity| entity.components().to_vec()).collect();
    routes.add_topics(&components);
    routes
}
