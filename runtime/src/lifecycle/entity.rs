//! What happens to a single entity: it may join a graph that runs, and leave it.

use super::activation::routes_of;
use super::keep_first;
use crate::context::{EntityReport, Inner, RunReport};
use crate::entity::mail::Wake;
use crate::entity::plan::{Plan, interfaces};
use crate::entity::runner::Runner;
use crate::entity::store::{Entity, Stage};
use crate::error::{Error, Result};
use crate::lifecycle::GraphState;
use crate::lifecycle::change::Changing;
use crate::plugin::component::Component;
use crate::schedule::mailbox::Mailbox;
use gxf_plugin_abi::{Condition, ResultCode, Uid};
use smallvec::SmallVec;
use std::sync::Arc;

impl Inner {
    /// Works out who wakes whom among these entities, makes runners for those with codelets that have
    /// none, and tells the others.
    pub(super) fn wire(&self, entities: &[Arc<Entity>]) {
        let (roster, mailbox) = {
            let mut run = self.run.lock();
            let mailbox = run.mailbox.get_or_insert_with(|| Arc::new(Mailbox::new())).clone();
            (run.roster.clone(), mailbox)
        };
        let reusable = self.observation.reusable_from();
        let plan = Plan::new(entities, &self.routes.read(), || roster.reserve(reusable));
        let monitors: Arc<[_]> = interfaces::<gxf::Monitor>(entities.iter()).into();
        let routers = interfaces::<gxf::Router>(entities.iter());
        for entity in entities {
            let Some(number) = plan.numbers.get(&entity.eid()).copied() else { continue };
            let parts = plan.parts(entity, monitors.clone(), &routers);
            let known = entity.runner.read().clone();
            if let Some(runner) = known {
                runner.rewire(parts);
                continue;
            }
            let observation = self.observation.clone();
            let runner = Runner::new(entity.clone(), number, mailbox.clone(), observation, parts);
            let runner = Arc::new(runner);
            *entity.runner.write() = Some(runner.clone());
            roster.push(runner);
        }
        // Whoever watches a component also hears of what is told about the component's entity.
        for entity in entities {
            entity.watchers.write().clear();
        }
        for (cid, numbers) in &plan.on_arrival {
            let Ok(entity) = self.component(*cid).and_then(|found| self.entity(found.eid())) else {
                continue;
            };
            let watching = numbers.iter().filter_map(|number| roster.get(*number));
            entity.watchers.write().extend(watching);
        }
    }

    /// Works out anew who wakes whom, within a change.
    pub fn wire_again(&self, _changing: &Changing<'_>) {
        self.wire(&self.staying());
    }

    /// The active entities without those that are on their way out.
    pub(super) fn staying(&self) -> Vec<Arc<Entity>> {
        let mut active = self.run.lock().active.clone();
        active.retain(|entity| *entity.stage.lock() == Stage::Active);
        active
    }

    /// Activates one entity. In a graph that is active it takes part from now on: it is connected,
    /// handed to the scheduler, and started when the graph runs.
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        // Looked at before the lock, too, which whoever changes the graph holds for long.
        self.can_join(&entity)?;
        // One after the other, and not while the whole graph changes.
        let _changing = self.change()?;
        let state = self.can_join(&entity)?;
        self.complete_parameters(std::slice::from_ref(&entity))?;
        self.check_parameters(std::slice::from_ref(&entity))?;
        if matches!(state, GraphState::Origin | GraphState::Activating) {
            return self.initialize_entity(&entity);
        }
        let mut active = self.staying();
        active.push(entity.clone());
        *self.routes.write() = routes_of(&active);
        let initialized = self.initialize_entity(&entity);
        if initialized.is_ok() {
            self.run.lock().active.push(entity.clone());
        }
        // Others may have joined or left within the initialisation.
        let active = self.staying();
        *self.routes.write() = routes_of(&active);
        initialized?;
        self.wire(&active);
        self.entity_joined(&entity)
    }

    /// The state of the graph, unless the entity cannot become active in it.
    fn can_join(&self, entity: &Entity) -> Result<GraphState> {
        if *entity.stage.lock() != Stage::Open {
            return Err(wrong_stage(entity, "active already"));
        }
        let state = *self.state.lock();
        if state == GraphState::Deinitializing {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                format!("{} cannot join a graph that is being taken down", entity.described()),
            ));
        }
        Ok(state)
    }

    fn entity_joined(&self, entity: &Arc<Entity>) -> Result<()> {
        let systems = self.run.lock().systems.clone();
        let runner = entity.runner.read().clone();
        if let Some(runner) = runner {
            for system in &systems {
                system.schedule(entity.eid())?;
            }
            runner.notify();
        }
        // Others may have waited for it, for example with nobody to send to.
        for runner in self.run.lock().roster.all() {
            runner.notify();
        }
        Ok(())
    }

    /// Stops and deinitialises one entity.
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        self.can_leave(&entity)?;
        // From the beginning, because it cannot be refused in the middle.
        let _wants = self.want_change()?;
        let (runner, waiting) = {
            let _changing = self.change()?;
            let mut stage = entity.stage.lock();
            if *stage != Stage::Active {
                return Err(wrong_stage(&entity, "not active"));
            }
            let mut runner = entity.runner.write();
            let waiting = runner.as_deref().map(|runner| self.wait_for(runner)).transpose()?;
            *stage = Stage::Leaving;
            (runner.take(), waiting)
        };
        let mut first = Ok(());
        if let Some(runner) = &runner {
            let systems = self.run.lock().systems.clone();
            for system in &systems {
                keep_first(&mut first, system.unschedule(eid).map_err(Error::from));
            }
            // Without the lock: the tick that is waited for may let another entity join.
            keep_first(&mut first, runner.retire());
            drop(waiting);
            self.run.lock().roster.release(runner);
            runner.notify();
        }
        let _changing = self.change()?;
        if *entity.stage.lock() != Stage::Leaving {
            // The whole graph was taken down meanwhile, and the entity with it.
            return first;
        }
        self.run.lock().active.retain(|active| active.eid() != eid);
        let active = self.staying();
        // Runners keep their entities alive: none may be held by an entity that left.
        entity.watchers.write().clear();
        if *self.state.lock() != GraphState::Origin {
            *self.routes.write() = routes_of(&active);
            self.wire(&active);
        }
        self.deinitialize(&entity, &entity.components(), &mut first);
        first
    }

    /// An entity cannot be taken out by its own code, which is waited for.
    fn can_leave(&self, entity: &Entity) -> Result<()> {
        let runner = entity.runner.read().clone();
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

    /// Deactivates one entity if need be and removes it.
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.entity(eid)?;
        self.can_leave(&entity)?;
        let active = *entity.stage.lock() == Stage::Active;
        let deactivated = if active { self.deactivate_entity(eid) } else { Ok(()) };
        if *entity.stage.lock() == Stage::Active {
            // It was refused.
            return deactivated;
        }
        self.store.write().remove_entity(eid);
        self.observation.entity_left(eid);
        self.origins.lock().remove(&eid);
        for component in entity.components().iter() {
            self.left(component);
            self.origins.lock().remove(&component.cid());
            self.parameter_origins.lock().remove(&component.cid());
        }
        // A scheduler may know the entity for a while.
        entity.forget_components();
        deactivated
    }

    /// A component was taken out of the graph. What it leads to is let go, so that components that lead
    /// to each other are freed. As long as the graph is active an entity may have a handle to it and be
    /// calling it; so only what frees itself is freed then.
    pub fn left(&self, component: &Arc<Component>) {
        if *self.state.lock() == GraphState::Origin {
            component.clear_parameters();
            return;
        }
        let mut departed = self.departed.lock();
        departed.retain(|known| known.strong_count() > 0);
        departed.push(Arc::downgrade(component));
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
        let _inside = self.errand().begin();
        let condition = runner.execute(now, &mut woken)?;
        let (systems, roster) = {
            let run = self.run.lock();
            (run.systems.clone(), run.roster.clone())
        };
        for number in woken.0 {
            let Some(runner) = roster.get(number) else { continue };
            for system in &systems {
                system.event_notify(runner.entity.eid(), gxf_plugin_abi::Event::MESSAGE_SYNC)?;
            }
        }
        Ok(condition)
    }

    pub fn run_report(&self) -> RunReport {
        let runners = self.run.lock().roster.all();
        let entities = runners.iter().map(|runner| EntityReport {
            name: runner.entity.name().to_owned(),
            ticks: runner.ticks(),
            state: runner.state_name().to_owned(),
        });
        RunReport { entities: entities.collect() }
    }
}

fn wrong_stage(entity: &Entity, what: &str) -> Error {
    Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, format!("entity `{}` is {what}", entity.name()))
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

    /// An entity that gets what `stays` sends; `count` says how often it ticks at most.
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

    /// A graph whose entities come and go all day is not measured at the cost of its memory, and
    /// nothing they did is lost.
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
        let (mut ticks, origins) = (0, inner.origins.lock().len());
        // One that needs no message to tick.
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
            let runner = inner.entity(eid).unwrap().runner.read().clone().unwrap();
            while runner.ticks() == 0 {
                std::thread::yield_now();
            }
            inner.deactivate_entity(eid).unwrap();
            ticks += runner.ticks();
            inner.remove_entity(eid).unwrap();
        }
        context.interrupt().unwrap();
        context.wait().unwrap();
        assert_eq!(inner.origins.lock().len(), origins);
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

    /// Entities that come and go all day leave nothing behind: neither numbers nor components.
    #[test]
    fn entities_that_leave_are_forgotten() {
        let rounds: usize = if cfg!(miri) { 4 } else { 150 };
        for scheduler in ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"] {
            let context = Context::new();
            let graph = GRAPH.replace("SCHEDULER", scheduler);
            context.load_app_text("graph", &graph, &[]).unwrap();
            context.activate().unwrap();
            let inner = context.inner();
            let roster = inner.run.lock().roster.clone();
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
                    let entity = inner.entity(eid).unwrap();
                    inner.activate_entity(eid).unwrap();
                    assert_eq!(roster.all().len(), 2);
                    entities.push(Arc::downgrade(&entity));
                    components.extend(entity.components().iter().map(Arc::downgrade));
                    drop(entity);
                    inner.remove_entity(eid).unwrap();
                    assert_eq!(context.run_report().entities.len(), 1);
                    // The scheduler looks when it does.
                    while roster.numbers().1 == 0 {
                        std::thread::yield_now();
                    }
                }
                if stage == 1 {
                    context.interrupt().unwrap();
                    context.wait().unwrap();
                }
            }
            assert_eq!(roster.numbers(), (2, 1), "{scheduler}");
            let left = entities.iter().filter(|entity| entity.strong_count() > 0).count();
            assert!(left <= 1, "{scheduler}: {left} of {} entities are left", entities.len());
            let left = components.iter().filter(|known| known.strong_count() > 0).count();
            // The sender lets the last receiver go when it is executed again.
            assert!(left <= 1, "{scheduler}: {left} of {} components", components.len());
            context.deactivate().unwrap();
        }
    }
}
