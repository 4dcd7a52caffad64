//! The scheduler and clock of a graph, and the entities that request threads of their own.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_app::{Diagnostic, ParameterValue};
use gxf_engine::graph::store::Entity;
use gxf_engine::schedule::engine::EngineType;
use gxf_engine::schedule::engines::ENGINES;
use gxf_engine::schedule::runners::Runners;
use gxf_engine::schedule::settings::pinning;
use gxf_engine::schedule::thread::{Pinning, Placement, ThreadPoolMembers, Threads};
use gxf_engine::standard::BuiltIn;
use gxf_engine::standard::resources::{CPUThread, ThreadPool};
use gxf_engine::standard::scheduler::GreedyScheduler;
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use gxf_plugin_abi::{ResultCode, Tid, Uid, tids};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Inner {
    pub(super) fn find_schedulers(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut run = self.run.lock();
        for entity in entities {
            for component in entity.components().iter() {
                if self.engine_type(component.type_info().tid).is_some() {
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
        if let Some(place) = other.place() {
            problem = problem.at(place).label("remove one of them");
        }
        if let Some(place) = one.place() {
            problem = problem.note(place, "the other one is here");
        }
        Error::from_diagnostics("the graph has two schedulers", problem.into())
    }

    /// The kind of engine that a component of this type selects.
    pub(super) fn engine_type(&self, scheduler: Tid) -> Option<EngineType> {
        let added = self.engines.lock();
        let mut all = ENGINES.iter().chain(added.iter());
        all.find(|kind| kind.scheduler == scheduler).copied()
    }

    /// Adds a kind of engine.
    pub fn add_engine(&self, kind: EngineType) -> Result<()> {
        if self.engine_type(kind.scheduler).is_some() {
            let text = format!("the scheduler type {} has an engine already", kind.scheduler);
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        self.engines.lock().push(kind);
        Ok(())
    }

    /// The entities that request threads of their own.
    pub(super) fn threads(&self, runners: &Runners) -> Result<Threads> {
        let mut threads = Threads::default();
        // By pool: its place among the requests.
        let mut places: FxHashMap<Uid, usize> = FxHashMap::default();
        let pools = self.graph.first_resources(ThreadPool::TID);
        for runner in runners.all() {
            let group = self.graph.groups.lock().of(runner.entity.eid());
            let pool = pools.get(&group).and_then(Component::native::<ThreadPool>);
            if let Some(placement) = self.pinning_of(&runner.entity, pool.as_ref())? {
                if let Some(pool) = &pool {
                    // The words of GXF, which tests of applications look for.
                    tracing::debug!(
                        "ThreadPool [cid: {}, name: {}] created thread [uid: {}] for pinned entity \
                         [eid: {}, name: {}]",
                        pool.component().cid(),
                        pool.component().name(),
                        runner.number,
                        runner.entity.eid(),
                        runner.entity.name(),
                    );
                }
                threads.pinned.push(Pinning { number: runner.number, placement });
            } else if let Some(pool) = pool {
                let next = threads.pools.len();
                let place = *places.entry(pool.component().cid()).or_insert(next);
                if place == next {
                    threads.pools.push(ThreadPoolMembers { pool, members: Vec::new() });
                }
                threads.pools[place].members.push(runner.number);
            }
        }
        Ok(threads)
    }

    /// Where an entity with a thread of its own runs.
    fn pinning_of(
        &self,
        entity: &Entity,
        pool: Option<&Native<ThreadPool>>,
    ) -> Result<Option<Placement>> {
        let components = entity.components();
        let cpu_thread = components.iter().find_map(Component::native::<CPUThread>);
        let Some(cpu_thread) = cpu_thread else { return Ok(None) };
        let placement = pinning(&cpu_thread, pool)?;
        if placement.is_some() && pool.is_none() {
            tracing::warn!(
                "{} requests a thread of its own, but its group has no nvidia::gxf::ThreadPool; it \
                 runs on the scheduler's threads",
                entity.described()
            );
            return Ok(None);
        }
        Ok(placement)
    }

    pub(super) fn clock_of(&self, scheduler: &Arc<Component>) -> Result<Interface<gxf::Clock>> {
        let clock = match scheduler.parameter("clock") {
            Some(ParameterValue::Component(cid)) => self.graph.component(cid)?,
            _ => self.own_clock(scheduler)?,
        };
        gxf::Clock::from_component(&clock).ok_or_else(|| self.graph.wrong_type(&clock, tids::CLOCK))
    }

    /// The clock of a scheduler without a `clock`. It has an id, but belongs to no entity.
    fn own_clock(&self, scheduler: &Arc<Component>) -> Result<Arc<Component>> {
        let greedy = scheduler.native::<GreedyScheduler>();
        let is_manual = greedy.is_some_and(|greedy| greedy.is_manual());
        let name =
            if is_manual { "nvidia::gxf::ManualClock" } else { "nvidia::gxf::RealtimeClock" };
        let type_info = self.graph.type_by_name(name)?;
        let cid = self.graph.store.write().reserve_component();
        let created = Component::create(&type_info, "", self.raw(), scheduler.eid(), cid);
        self.graph.store.write().put_component(cid, created.as_ref().ok().cloned());
        let clock = created?;
        self.run.lock().own_clock = Some(clock.clone());
        clock.complete_parameters()?;
        clock.initialize()?;
        Ok(clock)
    }
}
