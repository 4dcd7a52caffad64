//! The scheduler and clock of a graph, and the entities that request threads of their own.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_app::{Diagnostic, ParameterValue};
use gxf_engine::graph::store::Entity;
use gxf_engine::schedule::runners::Runners;
use gxf_engine::schedule::settings::{Pinning, pinning};
use gxf_engine::standard;
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin_abi::{ResultCode, Tid, tids};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The schedulers that are built in.
const BUILT_IN: [Tid; 4] = [
    standard::GREEDY_SCHEDULER,
    standard::MULTI_THREAD_SCHEDULER,
    standard::EVENT_BASED_SCHEDULER,
    standard::EPOCH_SCHEDULER,
];

impl Inner {
    pub(super) fn find_schedulers(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut run = self.run.lock();
        for entity in entities {
            for component in entity.components().iter() {
                if BUILT_IN.contains(&component.type_info().tid) {
                    if let Some(other) = &run.scheduler {
                        return Err(self.two_schedulers(other, component));
                    }
                    run.scheduler = Some(component.clone());
                } else if let Some(system) = gxf::System::from_component(component) {
                    run.systems.push(system);
                }
            }
        }
        let (systems, runners, scheduler) =
            (run.systems.clone(), run.runners.clone(), run.scheduler.clone());
        drop(run);
        self.has_systems.store(!systems.is_empty(), Ordering::Release);
        let runners = runners.all();
        for system in &systems {
            for runner in &runners {
                system.schedule(runner.entity.eid())?;
            }
        }
        if scheduler.is_none() && systems.is_empty() && !runners.is_empty() {
            tracing::warn!(
                "the graph has codelets but no scheduler, so nothing runs; add an entity with \
                 a component of type nvidia::gxf::GreedyScheduler"
            );
        }
        Ok(())
    }

    fn two_schedulers(&self, one: &Component, other: &Component) -> Error {
        let mut problem =
            Diagnostic::error(ResultCode::ARGUMENT_INVALID, "the graph has two schedulers");
        let origins = self.graph.origins.lock();
        if let Some(span) = origins.get(&other.cid()) {
            problem = problem.at(span.clone()).label("remove one of them");
        }
        if let Some(span) = origins.get(&one.cid()) {
            problem = problem.note(span.clone(), "the other one is here");
        }
        Error::from_diagnostics("the graph has two schedulers", problem.into())
    }

    /// The entities that request a thread of their own.
    pub(super) fn pinned_entities(&self, runners: &Runners) -> Result<Vec<Pinning>> {
        let mut pinned = Vec::new();
        for runner in runners.all() {
            let entity = &runner.entity;
            let components = entity.components();
            let mut wanted =
                components.iter().filter(|known| known.type_info().tid == standard::CPU_THREAD);
            let Some(cpu_thread) = wanted.next() else { continue };
            if let Some(second) = wanted.next() {
                return Err(Error::new(
                    ResultCode::FAILURE,
                    format!(
                        "{} has two components of type nvidia::gxf::CPUThread, {} and {}; remove \
                         one",
                        entity.described(),
                        cpu_thread.description(),
                        second.description(),
                    ),
                )
                .of_component(second.cid()));
            }
            let pool = self.graph.resource_of(entity.eid(), standard::THREAD_POOL, "").ok();
            match pinning(cpu_thread, pool.as_deref())? {
                Some(_) if pool.is_none() => tracing::warn!(
                    "{} requests a thread of its own, but its group has no \
                     nvidia::gxf::ThreadPool; it runs on the scheduler's threads",
                    entity.described()
                ),
                Some(placement) => pinned.push(Pinning { number: runner.number, placement }),
                None => {}
            }
        }
        Ok(pinned)
    }

    pub(super) fn clock_of(&self, scheduler: &Arc<Component>) -> Result<Interface<gxf::Clock>> {
        let clock = match scheduler.parameter("clock") {
            Some(ParameterValue::Component(cid)) => self.graph.component(cid)?,
            _ => {
                let realtime = scheduler.parameter("realtime");
                self.own_clock(scheduler, realtime != Some(ParameterValue::Bool(false)))?
            }
        };
        gxf::Clock::from_component(&clock).ok_or_else(|| self.graph.wrong_type(&clock, tids::CLOCK))
    }

    /// The clock of a scheduler that names none; it belongs to no entity.
    fn own_clock(&self, scheduler: &Component, realtime: bool) -> Result<Arc<Component>> {
        let name = if realtime { "nvidia::gxf::RealtimeClock" } else { "nvidia::gxf::ManualClock" };
        let type_info = self.graph.type_by_name(name)?;
        let clock =
            Component::create(&type_info, "", self.raw(), scheduler.eid(), scheduler.cid())?;
        clock.complete_parameters()?;
        clock.initialize()?;
        Ok(clock)
    }
}
