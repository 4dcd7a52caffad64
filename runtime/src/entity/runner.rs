//! The execution of an entity: start it, tick it when its terms say so, stop it (section 2.2 of GXF's
//! behaviour).
//!
//! A runner is made when its entity is activated and belongs to one entity for its whole active
//! life. Schedulers call [`Runner::execute`]; a lock makes sure that an entity never runs twice at
//! a time, whatever the scheduler does.

use crate::entity::failure::Failure;
use crate::entity::mail::Wake;
use crate::entity::store::Entity;
use crate::entity::term::Term;
use crate::entity::tick_lock::TickLock;
use crate::entity::work::{Parts, Reason, Work, reasons};
use crate::error::{Error, Result};
use crate::extension::TypeInfo;
use crate::graph::{ParameterSpec, ParameterValue};
use crate::observe::Observation;
use crate::plugin::component::{Component, FromComponent, Interface};
use crate::schedule::job::JobState;
use crate::schedule::mailbox::Mailbox;
use crate::schedule::timers::Target;
use gxf::BtSchedulingTerm;
use gxf_plugin_abi::{Condition, ConditionType, EntityState, ResultCode};
use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

thread_local! {
    /// The runner whose lock this thread holds; null for none.
    static EXECUTING: Cell<*const Runner> = const { Cell::new(std::ptr::null()) };
}

/// GXF's `entity_state_t`, the part of a controller's verdict that parents in a behaviour tree read.
mod behavior {
    pub const INIT: i32 = 0;
    pub const RUNNING: i32 = 2;
    pub const UNKNOWN: i32 = 4;
}

/// GXF's `gxf_entity_status_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Status {
    NotStarted = 0,
    StartPending = 1,
    Started = 2,
    Ticking = 4,
    Idle = 5,
    StopPending = 6,
}

/// The state of one entity's execution.
pub(crate) struct Runner {
    pub entity: Arc<Entity>,
    /// The entity's number in the schedule.
    pub number: u32,
    /// Whether a term has to be asked again without an event.
    pub polled: bool,
    /// For schedulers with workers: who is responsible for the entity.
    pub job: JobState,
    /// For the same: the time the entity waits for.
    pub target: Target,
    /// For the same: what the entity answered last (a [`ConditionType`]).
    pub condition: AtomicI32,
    mailbox: Arc<Mailbox>,
    observation: Arc<Observation>,
    status: AtomicU8,
    ticks: AtomicU64,
    /// Place of the codelet that was called last.
    inside: AtomicUsize,
    /// The next execution has to look at `retired`, `rewired` and the observation first.
    attention: AtomicBool,
    /// The entity was deactivated; the scheduler may still know the runner.
    retired: AtomicBool,
    /// What the entity consists of from the next execution on. It is not changed at once, because
    /// the entity may be executing: its own tick may let another entity join.
    rewired: Mutex<Option<Parts>>,
    /// Parameters that were set while the entity was executing, for its components to get.
    settings: Mutex<Vec<Setting>>,
    /// Term of a behaviour tree node other than the root: its parent may arm it again after it
    /// ended.
    node: Option<Interface<BtSchedulingTerm>>,
    /// A verdict stopped such a node; its next start waits until its terms say READY.
    halted: AtomicBool,
    verdict: Mutex<EntityState>,
    /// Entities to look at again after each verdict other than "running".
    observers: Mutex<Vec<Weak<Runner>>>,
    work: TickLock<Work>,
    /// What the codelets are called, in their order: for those who look without the lock.
    codelets: Box<[CodeletName]>,
}

/// A codelet by name.
pub(crate) struct CodeletName {
    /// Name of the component; may be empty.
    pub name: Box<str>,
    pub type_info: Arc<TypeInfo>,
}

impl CodeletName {
    /// Name, or type when it has none.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.type_info.name } else { &self.name }
    }
}

/// The new value of a parameter.
struct Setting {
    component: Arc<Component>,
    /// Place in the type's list.
    index: usize,
    value: Option<ParameterValue>,
}

/// What came of [`Runner::execute_and_look`].
pub(crate) struct Executed {
    /// The entity was started or ticked.
    pub ran: bool,
    /// What its terms say now.
    pub condition: Condition,
}

impl Runner {
    pub fn new(
        entity: Arc<Entity>,
        number: u32,
        mailbox: Arc<Mailbox>,
        observation: Arc<Observation>,
        parts: Parts,
    ) -> Self {
        let observer = observation.observer(&entity, number, &parts);
        let work = Work::new(parts, observer);
        let codelets = work.codelets.iter().map(|codelet| {
            let component = codelet.component();
            CodeletName { name: component.name().into(), type_info: component.type_info().clone() }
        });
        let codelets = codelets.collect();
        let not_root = |component: &Component| {
            component.parameter("is_root") != Some(ParameterValue::Bool(true))
        };
        let node = work.controller.as_ref().and_then(|_| {
            let nodes = work.terms.iter().map(Term::component);
            nodes.filter(|term| not_root(term)).find_map(BtSchedulingTerm::from_component)
        });
        let behavior = if work.controller.is_some() { behavior::INIT } else { behavior::UNKNOWN };
        Self {
            entity,
            number,
            polled: work.polled,
            job: JobState::default(),
            target: Target::default(),
            condition: AtomicI32::new(ConditionType::READY.0),
            mailbox,
            observation,
            status: AtomicU8::new(Status::NotStarted as u8),
            ticks: AtomicU64::new(0),
            inside: AtomicUsize::new(0),
            attention: AtomicBool::new(false),
            retired: AtomicBool::new(false),
            rewired: Mutex::default(),
            settings: Mutex::default(),
            node,
            halted: AtomicBool::new(false),
            verdict: Mutex::new(EntityState { behavior, reserved: 0, verdicts: 0 }),
            observers: Mutex::default(),
            work: TickLock::new(work),
            codelets,
        }
    }

    /// An event from anywhere: the scheduler looks at the entity again.
    pub fn notify(&self) {
        self.mailbox.post(self.number);
    }

    /// GXF's status number.
    pub fn status(&self) -> u8 {
        self.status.load(Ordering::Relaxed)
    }

    /// GXF's word for the status.
    pub fn state_name(&self) -> &'static str {
        const NAMES: [&str; 7] = [
            "not started",
            "start pending",
            "started",
            "tick pending",
            "ticking",
            "idle",
            "stop pending",
        ];
        NAMES[usize::from(self.status()).min(NAMES.len() - 1)]
    }

    /// Number of successful ticks.
    pub fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }

    /// What the controller said last.
    pub fn state(&self) -> EntityState {
        *self.verdict.lock()
    }

    /// Looks at another entity again after each verdict on this one other than "running".
    pub fn observe(&self, observer: &Arc<Runner>) {
        let observer = Arc::downgrade(observer);
        let mut observers = self.observers.lock();
        if !observers.iter().any(|known| known.ptr_eq(&observer)) {
            observers.push(observer);
        }
    }

    fn note_verdict(&self, behavior: i32) {
        {
            let mut state = self.verdict.lock();
            state.behavior = behavior;
            if behavior == behavior::RUNNING {
                return;
            }
            state.verdicts += 1;
        }
        for observer in self.observers.lock().iter().filter_map(Weak::upgrade) {
            observer.notify();
        }
    }

    /// What an entity answers whose terms say NEVER.
    fn never(&self, now: i64) -> Condition {
        let condition_type =
            if self.node.is_some() { ConditionType::WAIT } else { ConditionType::NEVER };
        Condition { condition_type, target: now }
    }

    /// What an entity answers whose controller says that it ended. A node was ticked, and waits from
    /// now on until its parent arms it.
    fn ended(&self, now: i64) -> std::result::Result<Condition, Failure> {
        let Some(node) = &self.node else {
            return Ok(Condition { condition_type: ConditionType::NEVER, target: now });
        };
        node.set_condition(ConditionType::WAIT).map_err(|error| {
            Failure::of(node.component(), "set_condition of the scheduling term", error)
        })?;
        Ok(Condition { condition_type: ConditionType::READY, target: now })
    }

    fn set_status(&self, status: Status) {
        self.status.store(status as u8, Ordering::Relaxed);
    }

    /// Sets a parameter of one of the entity's components. While the entity is executing, perhaps by
    /// the very caller, the component gets it before it is called the next time: nobody waits.
    pub fn set_parameter(
        &self,
        component: &Arc<Component>,
        index: usize,
        spec: &ParameterSpec,
        value: Option<ParameterValue>,
    ) -> Result<()> {
        let work = if self.is_executing_here() { None } else { self.work.try_visit() };
        if work.is_some() {
            self.take_settings();
            return self.marked(|| component.set_parameter(index, spec, value));
        }
        component.keep_parameter(index, value.clone());
        self.settings.lock().push(Setting { component: component.clone(), index, value });
        self.attention.store(true, Ordering::Release);
        Ok(())
    }

    /// Gives the components the parameters that were set while the entity was executing.
    #[cold]
    fn take_settings(&self) {
        loop {
            // Not under the lock: a component may set parameters itself.
            let settings = std::mem::take(&mut *self.settings.lock());
            if settings.is_empty() {
                return;
            }
            for Setting { component, index, value } in settings {
                let spec = &component.type_info().parameters[index];
                let passed = self.marked(|| component.pass_parameter(index, spec, value.as_ref()));
                if let Err(error) = passed {
                    let error = gxf::Error::from(error);
                    tracing::error!(
                        "{}, {} does not take parameter `{}`: {error}",
                        self.entity.described(),
                        component.description(),
                        spec.key,
                    );
                }
            }
        }
    }

    /// What tells this runner from all others.
    pub fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The runner that the calling thread executes, which is alive; null for none.
    pub fn executing() -> *const Self {
        EXECUTING.get()
    }

    /// Notes that the calling thread holds the lock as long as the action lasts. An execution within
    /// another one would be that of another entity, by a scheduler in an extension.
    #[inline(always)]
    fn marked<R>(&self, action: impl FnOnce() -> R) -> R {
        let outer = EXECUTING.replace(self);
        let result = action();
        EXECUTING.set(outer);
        result
    }

    /// Whether the calling thread executes this entity.
    pub fn is_executing_here(&self) -> bool {
        std::ptr::eq(EXECUTING.get(), self)
    }

    /// Executes the entity once at time `now`.
    ///
    /// READY: it was started or ticked; WAIT…: it could not; NEVER: it was stopped and will not run
    /// again. An error ends the graph.
    #[inline]
    pub fn execute(&self, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        let mut work = self.work.own();
        self.marked(|| self.execute_monitored(&mut work, now, waker))
            .map_err(|failure| self.failed(failure))
    }

    /// Executes the entity once and asks its terms again if it ran, so that the caller need not come
    /// back for that. Threads may disagree on the time a little; the entity's own never goes back.
    #[inline]
    pub fn execute_and_look(&self, now: i64, waker: &mut impl Wake) -> Result<Executed> {
        let mut work = self.work.own();
        let now = now.max(work.latest);
        work.latest = now;
        let executed = self.marked(|| {
            let condition = self.execute_monitored(&mut work, now, waker)?;
            let ran = condition.condition_type == ConditionType::READY;
            if !ran || work.controller.is_some() {
                return Ok(Executed { ran, condition });
            }
            if self.attention.load(Ordering::Relaxed) {
                // A tick may have changed what its terms wait for.
                self.take_settings();
            }
            Ok(Executed { ran, condition: self.look(&mut work, now)? })
        });
        executed.map_err(|failure| self.failed(failure))
    }

    #[inline(always)]
    fn execute_monitored(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        let result = self.execute_locked(work, now, waker);
        if !work.plain {
            let code =
                result.as_ref().map_or_else(|failure| failure.0.code, |_| ResultCode::SUCCESS);
            for monitor in work.monitors.iter() {
                monitor
                    .on_execute(self.entity.eid(), now, code)
                    .map_err(|error| Failure::of(monitor.component(), "monitor", error))?;
            }
        }
        result
    }

    /// What the terms say, and what that means at time `now`: an entity that will never run again is
    /// stopped.
    #[inline(always)]
    fn look(&self, work: &mut Work, now: i64) -> std::result::Result<Condition, Failure> {
        let mut condition = work.condition(now)?;
        match condition.condition_type {
            ConditionType::WAIT_TIME if condition.target <= now => {
                condition.condition_type = ConditionType::READY;
            }
            ConditionType::NEVER => {
                self.stop_locked(work)?;
                self.halted.store(self.node.is_some(), Ordering::Relaxed);
                return Ok(self.never(now));
            }
            _ => {}
        }
        Ok(condition)
    }

    #[inline(always)]
    fn execute_locked(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        if self.attention.load(Ordering::Relaxed) && self.is_retired_or_rewire(work) {
            return Ok(Condition { condition_type: ConditionType::NEVER, target: now });
        }
        if !work.started {
            if self.halted.load(Ordering::Relaxed) {
                let condition = work.condition(now)?;
                match condition.condition_type {
                    ConditionType::READY => {}
                    ConditionType::NEVER => return Ok(self.never(now)),
                    _ => return Ok(condition),
                }
                self.halted.store(false, Ordering::Relaxed);
            }
            self.start(work, now)?;
            return Ok(Condition { condition_type: ConditionType::READY, target: now });
        }
        let condition = self.look(work, now)?;
        if condition.condition_type != ConditionType::READY {
            return Ok(condition);
        }
        self.set_status(Status::Ticking);
        let ticked = work.tick(self.entity.eid(), &self.inside, now);
        if let Some(controller) = &work.controller {
            let code =
                ticked.as_ref().map_or_else(|failure| failure.0.code, |()| ResultCode::SUCCESS);
            let verdict = controller.control(self.entity.eid(), code);
            if let Some(condition) = self.obey(work, verdict, now)? {
                if ticked.is_ok() {
                    work.finish(now, waker)?;
                }
                return Ok(condition);
            }
            return Err(ticked.err().unwrap_or_else(|| {
                let text = "the controller of the entity reports a failure".to_owned();
                let codelet = work.codelets[0].component();
                Failure::new(codelet, "tick", ResultCode::FAILURE, Some(text))
            }));
        }
        if let Err(failure) = ticked {
            // The first error is the one reported.
            let _ = self.stop_locked(work);
            return Err(failure);
        }
        // Counted by the executing thread alone; the lock orders executions.
        self.ticks.store(self.ticks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        work.finish(now, waker)?;
        self.set_status(Status::Idle);
        Ok(condition)
    }

    /// What a controller's verdict means; `None` for a failure that ends the graph.
    fn obey(
        &self,
        work: &mut Work,
        verdict: gxf::ControllerStatus,
        now: i64,
    ) -> std::result::Result<Option<Condition>, Failure> {
        let ready = Condition { condition_type: ConditionType::READY, target: now };
        self.set_status(Status::Started);
        let condition = match (verdict.execution, verdict.behavior) {
            (0, behavior::RUNNING) | (1, _) => Some(ready),
            (0, _) => Some(self.ended(now)?),
            (2, _) => {
                self.stop_locked(work)?;
                self.halted.store(self.node.is_some(), Ordering::Relaxed);
                Some(self.ended(now)?)
            }
            _ => {
                let _ = self.stop_locked(work);
                None
            }
        };
        // Last, so that whoever is woken finds the entity in its new state.
        self.note_verdict(verdict.behavior);
        Ok(condition)
    }

    /// Starts all codelets in order. A codelet that fails is not stopped, those before it are.
    fn start(&self, work: &mut Work, now: i64) -> std::result::Result<(), Failure> {
        self.set_status(Status::StartPending);
        for index in 0..work.codelets.len() {
            self.inside.store(index, Ordering::Relaxed);
            let code = work.codelets[index].start(now);
            if !code.is_success() {
                let failure = Failure::of_codelet(&work.codelets[index], "start", code);
                for codelet in work.codelets[..index].iter_mut().rev() {
                    codelet.stop();
                }
                return Err(failure);
            }
        }
        work.started = true;
        self.set_status(Status::Started);
        Ok(())
    }

    /// Stops all codelets, even when one fails; the first failure counts.
    fn stop_locked(&self, work: &mut Work) -> std::result::Result<(), Failure> {
        if !std::mem::take(&mut work.started) {
            return Ok(());
        }
        self.set_status(Status::StopPending);
        let mut first = None;
        for (index, codelet) in work.parts.codelets.iter_mut().enumerate() {
            self.inside.store(index, Ordering::Relaxed);
            let code = codelet.stop();
            if !code.is_success() {
                let failure = Failure::of_codelet(codelet, "stop", code);
                first.get_or_insert(failure);
            }
        }
        self.set_status(Status::NotStarted);
        first.map_or(Ok(()), Err)
    }

    /// Stops the entity if it was started.
    pub fn stop(&self) -> Result<()> {
        let mut work = self.work.visit();
        let stopped = self.marked(|| self.stop_locked(&mut work));
        self.take_settings();
        stopped.map_err(|failure| self.failed(failure))
    }

    /// Stops the entity for good: later executions answer NEVER. What it consisted of is let go.
    pub fn retire(&self) -> Result<()> {
        self.retired.store(true, Ordering::Relaxed);
        self.attention.store(true, Ordering::Release);
        let stopped = self.stop();
        let work = { self.work.visit().renew(Parts::default(), None) };
        // Without the lock, since what is dropped may be the last of an extension's.
        drop((work, self.rewired.lock().take()));
        stopped
    }

    /// Takes over what `rewire` and `observation_changed` left. Whether the entity was retired.
    #[cold]
    fn is_retired_or_rewire(&self, work: &mut Work) -> bool {
        if self.retired.load(Ordering::Relaxed) {
            return true;
        }
        self.attention.store(false, Ordering::Relaxed);
        self.take_settings();
        // Codelets know how often they ticked.
        let codelets = std::mem::take(&mut work.parts.codelets);
        let rewired = self.rewired.lock().take();
        let parts = match rewired {
            Some(parts) => Parts { codelets, ..parts },
            None => Parts { codelets, ..std::mem::take(&mut work.parts) },
        };
        let observer = self.observation.observer(&self.entity, self.number, &parts);
        drop(work.renew(parts, observer));
        false
    }

    /// The next execution asks anew who observes it.
    pub fn observation_changed(&self) {
        self.attention.store(true, Ordering::Release);
    }

    /// Gives the entity other ways to send and receive, because another entity joined or left.
    pub fn rewire(&self, parts: Parts) {
        *self.rewired.lock() = Some(parts);
        self.attention.store(true, Ordering::Release);
    }

    /// The codelet that is being called, and its function. Takes no lock.
    pub fn activity(&self) -> Option<(&CodeletName, &'static str)> {
        let function = match self.status() {
            status if status == Status::StartPending as u8 => "start",
            status if status == Status::Ticking as u8 => "tick",
            status if status == Status::StopPending as u8 => "stop",
            _ => return None,
        };
        Some((self.codelets.get(self.inside.load(Ordering::Relaxed))?, function))
    }

    /// Which terms keep the entity from running at time `now`.
    pub fn reasons(&self, now: i64) -> Vec<Reason> {
        let work = self.work.visit();
        self.marked(|| reasons(&work, now))
    }

    /// The same; `None` when the entity is being executed and will be for a while.
    pub fn reasons_now(&self, now: i64) -> Option<Vec<Reason>> {
        let work = self.work.try_visit()?;
        Some(self.marked(|| reasons(&work, now)))
    }

    #[cold]
    fn failed(&self, failure: Failure) -> Error {
        let failure = *failure.0;
        let error = Error::new(
            failure.code,
            format!(
                "{}, {}: {} failed with {}",
                self.entity.described(),
                failure.component.description(),
                failure.stage,
                failure.code,
            ),
        )
        .of_component(failure.component.cid());
        match failure.text {
            Some(text) => error.caused_by(text),
            None => error,
        }
    }
}
