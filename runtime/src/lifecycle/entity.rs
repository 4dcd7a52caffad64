//! Single entities: joining and leaving a running graph.

use super::activation::routes_of;
use super::state::{keep_first, wrong_stage};
use crate::inner::Inner;
use crate::lifecycle::change::Changing;
use crate::lifecycle::report::{EntityReport, RunReport};
use crate::lifecycle::state::GraphState;
use gxf_app::error::{Error, Result};
use gxf_engine::entity::port::Wake;
use gxf_engine::entity::runner::Runner;
use gxf_engine::entity::wiring::Wiring;
use gxf_engine::graph::store::{Entity, Stage};
use gxf_plugin::component::Component;
use gxf_plugin_abi::{Condition, ResultCode, Uid};
use gxf_sync::event_queue::EventQueue;
use smallvec::SmallVec;
use std::sync::Arc;

impl Inner {
    /// Computes the wiring of these entities, creates missing runners, and rewires the others.
    pub(super) fn wire(&self, entities: &[Arc<Entity>]) {
        let (runners, event_queue) = {
            let mut run = self.run.lock();
            let event_queue =
                run.event_queue.get_or_insert_with(|| Arc::new(EventQueue::new())).clone();
            (run.runners.clone(), event_queue)
        };
        let reusable = self.observation.reusable_from();
        let mut wiring = {
            let number_of = |eid| self.active_runners.get(eid).map(|runner| runner.number);
            let reserve = || runners.reserve(reusable);
            Wiring::new(entities, &self.graph.routes(), number_of, reserve)
        };
        wiring.keep_ledgers(&mut self.run.lock().ledgers);
        for entity in entities {
            let Some(number) = wiring.numbers.get(&entity.eid()).copied() else { continue };
            let parts = wiring.parts(entity);
            let known = self.active_runners.get(entity.eid());
            if let Some(runner) = known {
                runner.rewire(parts);
                continue;
            }
            let observation = self.observation.clone();
            let runner =
                Runner::new(entity.clone(), number, event_queue.clone(), observation, parts);
            let runner = Arc::new(runner);
            self.active_runners.insert(&runner);
            runners.push(runner);
        }
        // An entity that watches a component also gets events of that component's entity.
        self.active_runners.clear_watchers_of(entities);
        for (cid, number) in &wiring.watched_elsewhere {
            if let Ok(component) = self.graph.component(*cid)
                && let Some(watching) = runners.get(*number)
            {
                self.active_runners.watch(component.eid(), watching);
            }
        }
    }

    /// Computes the wiring again, within a change.
    pub fn wire_again(&self, _changing: &Changing<'_>) {
        self.wire(&self.staying());
    }

    /// The active entities that are not about to leave.
    pub(super) fn staying(&self) -> Vec<Arc<Entity>> {
        let mut active = self.run.lock().active.clone();
        active.retain(|entity| *entity.stage.lock() == Stage::Active);
        active
    }

    /// Activates one entity. In an active graph it takes part from now on: it is connected, passed
    /// to the scheduler, and started when the graph runs.
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.graph.entity(eid)?;
        // Also before the lock, which a change of the graph may hold for long.
        self.can_join(&entity)?;
        // One change at a time, and not while the whole graph changes.
        let _changing = self.change()?;
        let state = self.can_join(&entity)?;
        self.complete_parameters(std::slice::from_ref(&entity))?;
        self.check_parameters(std::slice::from_ref(&entity))?;
        if matches!(state, GraphState::Origin | GraphState::Activating) {
            return self.initialize_entity(&entity);
        }
        let mut active = self.staying();
        active.push(entity.clone());
        let routes = routes_of(&active);
        self.warn_of_repeated(&routes, |asked| asked == eid);
        self.graph.set_routes(routes);
        let initialized = self.initialize_entity(&entity).and_then(|()| self.link_joining(&entity));
        if initialized.is_ok() {
            self.run.lock().active.push(entity.clone());
        }
        // Others may have joined or left during the initialisation.
        let active = self.staying();
        self.graph.set_routes(routes_of(&active));
        initialized?;
        self.wire(&active);
        self.entity_joined(&entity)
    }

    /// Opens the links of an entity that joins; if that fails, deinitialises it again.
    fn link_joining(&self, entity: &Arc<Entity>) -> Result<()> {
        let itself = std::slice::from_ref(entity);
        self.open_links(itself, itself).inspect_err(|_| {
            let mut closed = Ok(());
            self.close_links_of(entity.eid(), &mut closed);
            self.deinitialize(entity, &entity.components(), &mut closed);
        })
    }

    /// The state of the graph, or an error if the entity cannot become active in it.
    fn can_join(&self, entity: &Entity) -> Result<GraphState> {
        if *entity.stage.lock() != Stage::Open {
            return Err(wrong_stage(entity, "active already"));
        }
        let state = *self.state.lock();
        if state == GraphState::Deinitializing {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                format!("{} cannot join a graph that is being deactivated", entity.described()),
            ));
        }
        Ok(state)
    }

    fn entity_joined(&self, entity: &Arc<Entity>) -> Result<()> {
        let systems = self.run.lock().systems.clone();
        let runner = self.active_runners.get(entity.eid());
        if let Some(runner) = runner {
            for system in &systems {
                system.schedule(entity.eid())?;
            }
            runner.notify();
        }
        // Others may have waited for it, for example for lack of a receiver.
        for runner in self.run.lock().runners.all() {
            runner.notify();
        }
        Ok(())
    }

    /// Stops and deinitialises one entity.
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.graph.entity(eid)?;
        if self.leave(&entity)? { Ok(()) } else { Err(wrong_stage(&entity, "not active")) }
    }

    /// The same; false if it is not active.
    fn leave(&self, entity: &Entity) -> Result<bool> {
        let eid = entity.eid();
        self.can_leave(entity)?;
        // From the start, because it cannot be refused in the middle.
        let _wants = self.want_change()?;
        let (runner, waiting, waiting_for_calls) = {
            let _changing = self.change()?;
            let mut stage = entity.stage.lock();
            if *stage != Stage::Active {
                return Ok(false);
            }
            let runner = self.active_runners.get(eid);
            let waiting = runner.as_deref().map(|runner| self.wait_for(runner)).transpose()?;
            let waiting_for_calls = self.wait_for_calls(entity)?;
            *stage = Stage::Leaving;
            self.active_runners.take(eid);
            (runner, waiting, waiting_for_calls)
        };
        let mut first = Ok(());
        if let Some(runner) = &runner {
            let systems = self.run.lock().systems.clone();
            for system in &systems {
                keep_first(&mut first, system.unschedule(eid).map_err(Error::from));
            }
            // First: what follows waits for the end of a tick, each time.
            runner.end_ticks();
            runner.report_held();
            runner.finish_links(false);
            // Outside the lock: the tick that this waits for may add another entity.
            keep_first(&mut first, runner.retire());
            drop(waiting);
            self.run.lock().runners.release(runner);
            runner.notify();
        }
        // Other entities may be calling its monitors, routers and queues, and know them until they
        // execute again.
        entity.components().iter().for_each(|component| component.end_calls());
        drop(waiting_for_calls);
        let _changing = self.change()?;
        if *entity.stage.lock() != Stage::Leaving {
            // The whole graph was deactivated in the meantime, including the entity.
            return first.map(|()| true);
        }
        self.run.lock().active.retain(|active| active.eid() != eid);
        let active = self.staying();
        // Runners keep their entities alive: none may be held by an entity that left.
        self.active_runners.clear_watchers(eid);
        if *self.state.lock() != GraphState::Origin {
            self.graph.set_routes(routes_of(&active));
            self.wire(&active);
        }
        self.close_links_of(eid, &mut first);
        self.deinitialize(entity, &entity.components(), &mut first);
        first.map(|()| true)
    }

    /// Refuses to remove an entity from within its own code, which would wait for itself.
    fn can_leave(&self, entity: &Entity) -> Result<()> {
        let runner = self.active_runners.get(entity.eid());
        let itself = runner.is_some_and(|runner| runner.is_executing_here());
        if itself || self.is_inside_entity(entity.eid()) {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                format!(
                    "{} cannot be deactivated from within its own tick; a scheduling term that says \
                     NEVER, such as a BooleanSchedulingTerm, ends it",
                    entity.described()
                ),
            ));
        }
        Ok(())
    }

    /// Removes an entity, deactivating it first if it is active.
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.graph.entity(eid)?;
        self.can_leave(&entity)?;
        let mut deactivated = Ok(());
        loop {
            {
                let mut stage = entity.stage.lock();
                match *stage {
                    Stage::Open => {
                        *stage = Stage::Destroyed;
                        break;
                    }
                    Stage::Leaving => {
                        return Err(wrong_stage(&entity, "being deactivated by another thread"));
                    }
                    Stage::Destroyed => return Err(wrong_stage(&entity, "destroyed already")),
                    // Removal was refused.
                    Stage::Active if deactivated.is_err() => return deactivated,
                    Stage::Active => {}
                }
            }
            deactivated = self.leave(&entity).map(|_| ());
        }
        self.graph.store.write().remove_entity(eid);
        self.observation.entity_left(eid);
        for component in entity.components().iter() {
            self.left(component);
        }
        // A scheduler may know the entity for a while.
        entity.forget_components();
        deactivated
    }

    /// Releases what a removed component refers to, so that components in a cycle are freed. While
    /// the graph is active, an entity may have a handle to it and be calling it, so only what frees
    /// itself is freed then.
    pub fn left(&self, component: &Arc<Component>) {
        if *self.state.lock() == GraphState::Origin {
            component.clear_parameters();
            return;
        }
        let mut departed = self.departed.lock();
        departed.retain(|known| known.strong_count() > 0);
        departed.push(Arc::downgrade(component));
    }

    /// Executes one entity for a scheduler in an extension.
    pub fn execute_entity(&self, eid: Uid, now: i64) -> Result<Condition> {
        #[derive(Default)]
        struct Woken(SmallVec<[u32; 8]>);
        impl Wake for Woken {
            fn wake(&mut self, entity: u32) {
                self.0.push(entity);
            }
        }
        let entity = self.graph.entity(eid)?;
        let runner =
            self.active_runners.get(eid).ok_or_else(|| wrong_stage(&entity, "not active"))?;
        let mut woken = Woken::default();
        let _entered = self.scope().enter();
        let waiting = self.may_execute(&runner)?;
        let condition = runner.execute(now, &mut woken)?;
        drop(waiting);
        let (systems, runners) = {
            let run = self.run.lock();
            (run.systems.clone(), run.runners.clone())
        };
        for number in woken.0 {
            let Some(runner) = runners.get(number) else { continue };
            for system in &systems {
                system.event_notify(runner.entity.eid(), gxf_plugin_abi::Event::MESSAGE_SYNC)?;
            }
        }
        Ok(condition)
    }

    pub fn run_report(&self) -> RunReport {
        let mut report = RunReport { entities: self.entity_reports() };
        self.add_segment_reports(&mut report);
        report
    }

    /// What ran of this graph itself.
    pub(super) fn entity_reports(&self) -> Vec<EntityReport> {
        let run = self.run.lock();
        let runners = run.runners.all();
        if runners.is_empty() {
            return run.reports.clone();
        }
        let report = |runner: &Arc<Runner>| EntityReport {
            name: runner.entity.name().to_owned(),
            ticks: runner.ticks(),
            state: runner.status().name().to_owned(),
        };
        runners.iter().map(report).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use std::sync::Weak;

    const GRAPH: &str = "
name: stays
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::Forward, parameters: {in: in, out: out}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::SCHEDULER, parameters: {clock: clock, stop_on_deadlock: false}}
";

    /// An entity that gets what `stays` sends and ticks at most `count` times.
    fn guest(count: i64) -> String {
        format!(
            "
name: guest
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
- {{type: nvidia::gxf::Forward, parameters: {{in: in, out: out}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: stays/out, target: in}}}}
"
        )
    }

    /// One thread runs the graph again and again, two others take it down: none of them waits for a
    /// run that began after the one it ended.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn who_takes_the_graph_down_does_not_wait_for_a_later_run() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let context = Context::new();
        let graph = GRAPH.replace("SCHEDULER", "GreedyScheduler");
        context.load_app_text("graph", &graph, &[]).unwrap();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let deactivate = || {
                for _ in 0..300 {
                    let _ = context.deactivate();
                }
            };
            let enders = [(); 2].map(|()| scope.spawn(deactivate));
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let _ = context.activate();
                    let _ = context.run_async();
                    std::thread::yield_now();
                }
            });
            let waiter = scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let _ = context.wait();
                }
            });
            for ender in enders {
                ender.join().unwrap();
            }
            over.store(true, Ordering::Relaxed);
            while !waiter.is_finished() {
                let _ = context.interrupt();
                std::thread::yield_now();
            }
        });
        context.deactivate().unwrap();
    }

    /// An entity that joins while the graph is taken down does not stay for the next run, which
    /// would execute it twice.
    #[test]
    fn who_joins_while_the_graph_is_taken_down_leaves_with_it() {
        let context = Context::new();
        let graph = GRAPH.replace("SCHEDULER", "GreedyScheduler") + "---\n" + &guest(-1);
        context.load_app_text("graph", &graph, &[]).unwrap();
        let inner = context.inner();
        let eid = context.find_entity("guest").unwrap();
        let rounds: u64 = if cfg!(miri) { 10 } else { 1000 };
        for round in 0..rounds {
            context.activate().unwrap();
            inner.deactivate_entity(eid).unwrap();
            let start = std::sync::Barrier::new(2);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    start.wait();
                    // Refused once the graph is being deactivated.
                    let _ = inner.activate_entity(eid);
                });
                start.wait();
                // At another moment of the other thread's work each time.
                let begin = std::time::Instant::now();
                while begin.elapsed().as_nanos() < u128::from(round * 100) {
                    std::hint::spin_loop();
                }
                context.deactivate().unwrap();
            });
            assert_eq!(inner.run.lock().runners.all().len(), 0, "after {round} rounds");
            // It may have been activated on its own.
            let _ = inner.deactivate_entity(eid);
        }
    }

    /// Statistics of a graph whose entities come and go all day take bounded memory, and lose
    /// nothing.
    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn statistics_of_entities_that_left_are_summed_up() {
        const GUESTS: u64 = 350;
        let context = Context::new();
        let graph = GRAPH.replace("SCHEDULER", "EventBasedScheduler");
        context.load_app_text("graph", &graph, &[]).unwrap();
        context.enable_statistics();
        context.activate().unwrap();
        context.run_async().unwrap();
        let inner = context.inner();
        let mut ticks = 0;
        // Needs no message to tick.
        let guest = guest(-1)
            .replace("Forward, parameters: {in: in, out: out}", "Gather, parameters: {sink: out}");
        let guest = guest.replace(
            "- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}\n",
            "",
        );
        for _ in 0..GUESTS {
            context.load_app_text("guest", &guest, &[]).unwrap();
            let eid = context.find_entity("guest").unwrap();
            inner.activate_entity(eid).unwrap();
            let runner = inner.active_runners.get(eid).unwrap();
            while runner.ticks() == 0 {
                std::thread::yield_now();
            }
            inner.deactivate_entity(eid).unwrap();
            ticks += runner.ticks();
            inner.remove_entity(eid).unwrap();
        }
        context.interrupt().unwrap();
        context.wait().unwrap();
        let statistics = context.statistics().unwrap();
        let departed = statistics.departed.unwrap();
        assert_eq!(departed.entities, GUESTS - 100);
        // The graph's own are two at most.
        let guests = statistics.entities.iter().filter(|entity| entity.name == "guest");
        let named: Vec<u64> = guests.map(|entity| entity.ticks).collect();
        assert_eq!(named.len(), 100);
        assert_eq!(named.iter().sum::<u64>() + departed.ticks, ticks);
        assert!(statistics.entities.len() <= 102, "{}", statistics.entities.len());
        assert!(statistics.connections.len() <= 400, "{}", statistics.connections.len());
        assert!(statistics.queues.len() <= 400, "{}", statistics.queues.len());
        assert!(statistics.to_string().contains("and earlier: 250 entities that left ("));
        context.deactivate().unwrap();
    }

    /// Entities that come and go all day leave nothing behind: neither indices nor components.
    #[test]
    fn entities_that_leave_are_forgotten() {
        let rounds: usize = if cfg!(miri) { 4 } else { 150 };
        for scheduler in ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"] {
            let context = Context::new();
            let graph = GRAPH.replace("SCHEDULER", scheduler);
            context.load_app_text("graph", &graph, &[]).unwrap();
            context.activate().unwrap();
            let inner = context.inner();
            let runners = inner.run.lock().runners.clone();
            let mut components: Vec<Weak<_>> = Vec::new();
            let mut entities: Vec<Weak<Entity>> = Vec::new();
            // Before a run, during one, and after it; some end before they leave.
            for stage in 0..3 {
                if stage == 1 {
                    context.run_async().unwrap();
                }
                for round in 0..rounds {
                    let count = if round % 3 == 0 { 0 } else { -1 };
                    context.load_app_text("guest", &guest(count), &[]).unwrap();
                    let eid = context.find_entity("guest").unwrap();
                    let entity = inner.graph.entity(eid).unwrap();
                    inner.activate_entity(eid).unwrap();
                    assert_eq!(runners.all().len(), 2);
                    entities.push(Arc::downgrade(&entity));
                    components.extend(entity.components().iter().map(Arc::downgrade));
                    drop(entity);
                    inner.remove_entity(eid).unwrap();
                    assert_eq!(context.run_report().entities.len(), 1);
                    // The scheduler notices at some point.
                    while runners.numbers().1 == 0 {
                        std::thread::yield_now();
                    }
                }
                if stage == 1 {
                    context.interrupt().unwrap();
                    context.wait().unwrap();
                }
            }
            assert_eq!(runners.numbers(), (2, 1), "{scheduler}");
            let left = entities.iter().filter(|entity| entity.strong_count() > 0).count();
            assert!(left <= 1, "{scheduler}: {left} of {} entities are left", entities.len());
            let left = components.iter().filter(|known| known.strong_count() > 0).count();
            // The sender releases the last receiver when it next executes.
            assert!(left <= 1, "{scheduler}: {left} of {} components", components.len());
            context.deactivate().unwrap();
        }
    }
}
