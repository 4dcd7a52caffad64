//! The execution of an entity: starts it, ticks it when its terms allow, stops it (section 2.2 of
//! GXF's behaviour).
//!
//! A runner is created when its entity is activated and belongs to the entity as long as it is
//! active. Schedulers call [`Runner::execute`]; a lock ensures that an entity never runs twice at
//! once, whatever the scheduler does.

use crate::entity::condition::is_ready;
use crate::entity::failure::Failure;
use crate::entity::observer::Observe;
use crate::entity::parts::Parts;
use crate::entity::port::Wake;
use crate::entity::remote::RemotePort;
use crate::entity::term::Term;
use crate::entity::work::{Reasons, Work, reasons, waits_only_for_links};
use crate::graph::store::Entity;
use crate::standard::deadline::OnMiss;
use gxf::BtSchedulingTerm;
use gxf_app::error::{Error, Result};
use gxf_app::{ParameterSpec, ParameterValue};
use gxf_plugin::TypeInfo;
use gxf_plugin::call_note;
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin_abi::verdict;
use gxf_plugin_abi::{Condition, ConditionType, EntityState, ResultCode, Uid};
use gxf_sync::event_queue::EventQueue;
use gxf_sync::run_state::RunState;
use gxf_sync::tick_lock::TickLock;
use gxf_sync::timers::Target;
use parking_lot::Mutex;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};
use std::sync::{Arc, Weak};
use std::time::Duration;
use thin_vec::ThinVec;

/// GXF's `gxf_entity_status_t`, and one that GXF does not tell from [`Status::NotStarted`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Status {
    /// It was not started yet.
    NotStarted = 0,
    /// It is being started.
    StartPending = 1,
    /// It was started.
    Started = 2,
    /// A codelet is being called.
    Ticking = 4,
    /// It waits for its next tick.
    Idle = 5,
    /// It is being stopped.
    StopPending = 6,
    /// It was stopped.
    Stopped = 7,
}

impl Status {
    fn of(number: u8) -> Self {
        let all = [
            Self::NotStarted,
            Self::StartPending,
            Self::Started,
            Self::Ticking,
            Self::Idle,
            Self::StopPending,
            Self::Stopped,
        ];
        all.into_iter().find(|status| *status as u8 == number).unwrap_or(Self::NotStarted)
    }

    /// A word for it, GXF's if it has one.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotStarted => "not started",
            Self::StartPending => "start pending",
            Self::Started => "started",
            Self::Ticking => "ticking",
            Self::Idle => "idle",
            Self::StopPending => "stop pending",
            Self::Stopped => "stopped",
        }
    }

    /// GXF's number for it.
    pub fn number(self) -> u8 {
        if self.is_started() { self as u8 } else { Self::NotStarted as u8 }
    }

    /// Whether the entity is started, or on the way there or back.
    #[inline]
    pub fn is_started(self) -> bool {
        !matches!(self, Self::NotStarted | Self::Stopped)
    }
}

/// That the entity was retired or rewired, has ended, or that its parameters or its observation changed.
const CHANGED: u8 = 1;
/// That the entity is held, or was.
const HELD: u8 = 2;

/// The state of one entity's execution. Between what others change to wake it and what each
/// execution changes lies what rarely changes, so that the two are not on one cache line.
#[repr(C)]
pub struct Runner {
    /// The entity.
    pub entity: Arc<Entity>,
    event_queue: Arc<EventQueue>,
    observation: Arc<dyn Observe>,
    /// The parts of the entity from the next execution on. They do not change immediately, because
    /// the entity may be executing: its own tick may add another entity.
    rewired: Mutex<Option<Box<Parts>>>,
    /// Parameters set during an execution, which its components get afterwards.
    settings: Mutex<ThinVec<Setting>>,
    /// For schedulers with workers: whether a worker has the entity.
    pub run_state: RunState,
    /// The entity's index in the schedule.
    pub number: u32,
    /// How often it is held.
    holds: AtomicU16,
    /// Whether a term must be polled.
    pub polled: bool,
    /// Whether the entity has combiners or links, which may hide that such a term waits.
    hides_waits: bool,
    verdict: Mutex<EntityState>,
    /// Term of a behaviour tree node other than the root: its parent may arm it again after it
    /// ended.
    node: Option<Box<Interface<BtSchedulingTerm>>>,
    /// Entities to check again after each verdict other than "running".
    observers: Mutex<ThinVec<Weak<Runner>>>,
    /// Names of the codelets, in order, for readers without the lock.
    codelets: Box<[CodeletName]>,
    /// What the next execution must check first: [`CHANGED`], [`HELD`].
    attention: AtomicU8,
    /// Whether the terms or the controller said NEVER in this run.
    has_ended: AtomicBool,
    /// Whether a verdict stopped a behaviour tree node other than the root; its next start waits until
    /// its terms say READY.
    halted: AtomicBool,
    /// Whether the entity was deactivated; the scheduler may still know the runner.
    retired: AtomicBool,
    /// For schedulers with workers: the entity's latest condition (a [`ConditionType`]).
    pub condition: AtomicI32,
    /// Position of the codelet that was called last.
    inside: AtomicU32,
    status: AtomicU8,
    /// For schedulers with workers: the time that the entity waits for.
    pub target: Target,
    ticks: AtomicU64,
    work: TickLock<Work>,
}

/// A large graph has many. With the counts of its `Arc`, one fits an allocator's block of 448 bytes; the
/// next size is 512.
const _: () = assert!(size_of::<Runner>() + 16 <= 448);

/// Name of a codelet.
pub struct CodeletName {
    /// Name of the component; may be empty.
    pub name: Box<str>,
    /// Its type.
    pub type_info: Arc<TypeInfo>,
}

impl CodeletName {
    /// Name, or type if it has no name.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.type_info.name } else { &self.name }
    }
}

/// The new value of a parameter.
struct Setting {
    component: Arc<Component>,
    /// Position in the type's list of parameters.
    index: usize,
    value: Option<ParameterValue>,
    /// The value before it.
    former: Option<ParameterValue>,
}

/// Result of [`Runner::tick_light`].
pub struct Light {
    /// Number of ticks.
    pub ticks: u32,
    /// Whether the entity waits now. Otherwise it must be asked again.
    pub waits: bool,
}

/// Result of [`Runner::execute_and_look`].
pub struct Executed {
    /// Whether the entity started or ticked.
    pub ran: bool,
    /// The current condition of its terms.
    pub condition: Condition,
}

impl Runner {
    /// The runner of an entity that becomes active.
    pub fn new(
        entity: Arc<Entity>,
        number: u32,
        event_queue: Arc<EventQueue>,
        observation: Arc<dyn Observe>,
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
            let mut found = nodes.filter(|term| not_root(term));
            found.find_map(BtSchedulingTerm::from_component).map(Box::new)
        });
        let behavior = if work.controller.is_some() {
            verdict::BEHAVIOR_INIT
        } else {
            verdict::BEHAVIOR_UNKNOWN
        };
        Self {
            entity,
            number,
            polled: work.polled,
            hides_waits: !work.combiners.is_empty() || !work.remote.is_empty(),
            run_state: RunState::default(),
            target: Target::default(),
            condition: AtomicI32::new(ConditionType::READY.0),
            event_queue,
            observation,
            status: AtomicU8::new(Status::NotStarted as u8),
            ticks: AtomicU64::new(0),
            inside: AtomicU32::new(0),
            attention: AtomicU8::new(0),
            holds: AtomicU16::new(0),
            retired: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
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

    /// Whether a term that must be polled may be what keeps the entity from being ready, if this is
    /// its latest condition. One of several terms of which one suffices waits behind the time or
    /// the event that another one names, and one that may wait for a link waits behind its event.
    pub fn may_wait_for_poll(&self, condition: ConditionType) -> bool {
        match condition {
            ConditionType::WAIT => self.polled,
            ConditionType::WAIT_TIME | ConditionType::WAIT_EVENT => self.polled && self.hides_waits,
            _ => false,
        }
    }

    /// The codelets, in order.
    pub fn codelets(&self) -> &[CodeletName] {
        &self.codelets
    }

    /// Whether [`Runner::tick_light`] can tick it as it is now; false while it executes.
    pub fn is_light(&self) -> bool {
        self.work.try_visit().is_some_and(|work| work.is_light())
    }

    /// Whether its thread may call [`Self::may_tick`] again and again, instead of waiting until it is
    /// woken.
    #[inline]
    pub fn may_be_watched(&self) -> bool {
        self.work.try_own().is_some_and(|work| work.is_light())
    }

    /// Whether one that is watched may tick, or must be executed for another reason.
    #[inline]
    pub fn may_tick(&self) -> bool {
        self.attention.load(Ordering::Relaxed) != 0
            || self.work.try_own().is_none_or(|work| !work.is_light() || work.is_allowed())
    }

    /// Makes the scheduler check the entity again.
    pub fn notify(&self) {
        self.event_queue.post(self.number);
    }

    /// Holds the entity: until [`Runner::let_go`], it waits for an event instead of ticking. Several may hold
    /// it. For a tick of its own.
    pub fn hold(&self) {
        self.holds.fetch_add(1, Ordering::Relaxed);
        self.ask(HELD);
    }

    /// Ends a [`Runner::hold`], on any thread.
    pub fn let_go(&self) {
        if self.holds.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.notify();
        }
    }

    /// Whether it is held, see [`Runner::hold`].
    pub fn is_held(&self) -> bool {
        self.holds.load(Ordering::Relaxed) > 0
    }

    /// Makes the next execution check something first.
    fn ask(&self, what: u8) {
        self.attention.fetch_or(what, Ordering::Release);
    }

    /// The status of the execution.
    pub fn status(&self) -> Status {
        Status::of(self.status.load(Ordering::Relaxed))
    }

    /// Number of successful ticks.
    pub fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }

    /// Latest verdict of the controller.
    pub fn state(&self) -> EntityState {
        *self.verdict.lock()
    }

    /// Makes the scheduler check another entity after each verdict on this one other than
    /// "running".
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
            if behavior == verdict::BEHAVIOR_RUNNING {
                return;
            }
            state.verdicts += 1;
        }
        for observer in self.observers.lock().iter().filter_map(Weak::upgrade) {
            observer.notify();
        }
    }

    /// The condition of an entity whose terms say NEVER.
    fn never(&self, now: i64) -> Condition {
        let condition_type =
            if self.node.is_some() { ConditionType::WAIT } else { ConditionType::NEVER };
        Condition { condition_type, target: now }
    }

    /// The condition of an entity whose controller ended it. A node has ticked, and waits from now
    /// on until its parent arms it.
    fn ended(&self, now: i64) -> std::result::Result<Condition, Failure> {
        let Some(node) = &self.node else {
            self.has_ended.store(true, Ordering::Relaxed);
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

    /// Sets a parameter of one of the entity's components. During an execution, perhaps by the
    /// caller itself, the component gets it before its next call, so the caller need not wait.
    pub fn set_parameter(
        &self,
        component: &Arc<Component>,
        index: usize,
        spec: &ParameterSpec,
        value: Option<ParameterValue>,
    ) -> Result<()> {
        let work = if self.is_executing_here() { None } else { self.work.try_visit() };
        if let Some(mut work) = work {
            self.take_settings();
            let former = component.parameter(&spec.key);
            let set = self.marked(|| {
                component.change_parameter(index, spec, value.as_ref(), former.as_ref())
            });
            if set.is_ok() {
                component.keep_parameter(index, value);
            }
            work.refresh_terms();
            return set;
        }
        let mut settings = self.settings.lock();
        let waiting = settings
            .iter_mut()
            .find(|waiting| waiting.index == index && Arc::ptr_eq(&waiting.component, component));
        match waiting {
            Some(waiting) => waiting.value.clone_from(&value),
            None => {
                let former = component.parameter(&spec.key);
                let component = component.clone();
                settings.push(Setting { component, index, value: value.clone(), former });
            }
        }
        component.keep_parameter(index, value);
        drop(settings);
        self.ask(CHANGED);
        Ok(())
    }

    /// Passes on the parameters that were set during an execution.
    #[cold]
    fn take_settings(&self) {
        loop {
            // Outside the lock, because a component may set parameters itself.
            let settings = std::mem::take(&mut *self.settings.lock());
            if settings.is_empty() {
                return;
            }
            for Setting { component, index, value, former } in settings {
                let spec = &component.type_info().parameters[index];
                let passed = self.marked(|| {
                    component.change_parameter(index, spec, value.as_ref(), former.as_ref())
                });
                if let Err(error) = passed {
                    component.keep_parameter(index, former);
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

    /// Looks at the parts of the entity, or changes them; not while it executes.
    pub fn with_parts<R>(&self, action: impl FnOnce(&mut Parts) -> R) -> R {
        action(&mut self.work.visit().parts)
    }

    /// Identifies this runner.
    pub fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// The runner that the calling thread executes, which is alive; null for none.
    pub fn executing() -> *const Self {
        call_note::execution().cast()
    }

    /// Notes that the calling thread holds the lock during the action. A nested execution belongs
    /// to another entity, by a scheduler in an extension.
    #[inline(always)]
    fn marked<R>(&self, action: impl FnOnce() -> R) -> R {
        let outer = call_note::replace_execution(std::ptr::from_ref(self).cast());
        let result = action();
        call_note::replace_execution(outer);
        result
    }

    /// Whether the calling thread executes this entity.
    pub fn is_executing_here(&self) -> bool {
        std::ptr::eq(Self::executing(), self)
    }

    /// Executes the entity once at time `now`.
    ///
    /// READY: it started or ticked. WAIT…: it could not. NEVER: it was stopped and never runs
    /// again. An error ends the graph.
    #[inline(always)]
    pub fn execute(&self, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        match self.work.try_own() {
            Some(mut work) => self.execute_owned(&mut work, now, waker),
            None => self.execute_after_waiting(now, waker),
        }
    }

    #[inline(never)]
    fn execute_after_waiting(&self, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        self.execute_owned(&mut self.work.own(), now, waker)
    }

    #[inline(always)]
    fn execute_owned(&self, work: &mut Work, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        // Not `marked`, whose closure would be a function of its own.
        let outer = call_note::replace_execution(std::ptr::from_ref(self).cast());
        let executed = self.execute_monitored(work, now, waker);
        call_note::replace_execution(outer);
        match executed {
            Ok(condition) => Ok(by_fields(condition)),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Executes the entity once and, if it ran, checks its terms again, so that the caller need not
    /// come back for that. Threads may disagree slightly on the time; the entity's own never goes
    /// back.
    #[inline]
    pub fn execute_and_look(&self, now: i64, waker: &mut impl Wake) -> Result<Executed> {
        match self.work.try_own() {
            Some(mut work) => self.execute_and_look_owned(&mut work, now, waker),
            None => self.execute_and_look_after_waiting(now, waker),
        }
    }

    #[inline(never)]
    fn execute_and_look_after_waiting(&self, now: i64, waker: &mut impl Wake) -> Result<Executed> {
        self.execute_and_look_owned(&mut self.work.own(), now, waker)
    }

    #[inline(always)]
    fn execute_and_look_owned(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> Result<Executed> {
        let now = now.max(work.latest);
        work.latest = now;
        let executed = self.marked(|| {
            let condition = self.execute_monitored(work, now, waker)?;
            let ran = condition.condition_type == ConditionType::READY;
            if !ran || work.controller.is_some() {
                return Ok(Executed { ran, condition });
            }
            if self.attention.load(Ordering::Relaxed) & CHANGED != 0 {
                // A tick may have changed what its terms wait for.
                self.take_settings();
                work.refresh_terms();
            }
            Ok(Executed { ran, condition: self.look(work, now, false, waker)? })
        });
        match executed {
            Ok(Executed { ran, condition }) => {
                Ok(Executed { ran, condition: by_fields(condition) })
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Ticks an entity whose terms only count messages, room and ticks, as long as they let it, but
    /// not for too long. `None` if it must be executed in full: then nothing happened.
    ///
    /// # Errors
    /// The entity failed, which must end the run.
    #[inline]
    pub fn tick_light(&self, now: i64, waker: &mut impl Wake) -> Result<Option<Light>> {
        let Some(mut work) = self.work.try_own() else { return Ok(None) };
        let light = work.is_light() && work.started;
        if !light || self.attention.load(Ordering::Relaxed) != 0 {
            return Ok(None);
        }
        let outer = call_note::replace_execution(std::ptr::from_ref(self).cast());
        let ticked = self.tick_light_owned(&mut work, now, waker);
        call_note::replace_execution(outer);
        match ticked {
            Ok(light) => Ok(light),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    #[inline(always)]
    fn tick_light_owned(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Option<Light>, Failure> {
        let (mut ticks, mut waits) = (0, false);
        while ticks < work.streak {
            if !work.is_allowed() {
                waits = !work.has_ended();
                break;
            }
            if ticks == 0 {
                work.latest = work.latest.max(now);
                self.set_status(Status::Ticking);
            }
            if let Err(failure) = work.tick::<true>(self.entity.eid(), &self.inside, now) {
                // The first error is reported.
                let _ = self.stop_locked(work);
                return Err(failure);
            }
            ticks += 1;
            self.count_tick();
            work.finish::<true>(now, waker)?;
            if !work.plain || self.attention.load(Ordering::Relaxed) != 0 {
                break;
            }
        }
        if ticks > 0 {
            self.set_status(Status::Idle);
        }
        Ok((ticks > 0 || waits).then_some(Light { ticks, waits }))
    }

    /// Executes the entity once if it is ready; returns whether it started or ticked. For a thread
    /// other than the engine's: an entity that ended stays ended.
    ///
    /// # Errors
    /// The entity failed, which must end the run.
    pub fn execute_if_ready(&self, now: i64, waker: &mut impl Wake) -> Result<bool> {
        let mut work = self.work.visit();
        if self.has_ended.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let now = now.max(work.latest);
        let executed = self.marked(|| {
            if work.started {
                let condition = work.condition(now, false, waker)?;
                if !is_ready(condition, now) {
                    return Ok(false);
                }
            }
            let condition = self.execute_monitored(&mut work, now, waker)?;
            // A controller ends its entity in a tick, of which the engine knows nothing.
            let has_ended = self.has_ended.load(Ordering::Relaxed);
            if has_ended {
                self.ask(CHANGED);
            }
            Ok(has_ended || condition.condition_type == ConditionType::READY)
        });
        executed.map_err(|failure| self.failed(failure))
    }

    /// Whether the terms or the controller said NEVER in this run.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// A run begins: the entity may be started.
    pub fn run_begins(&self) {
        self.has_ended.store(false, Ordering::Relaxed);
    }

    #[inline(always)]
    fn execute_monitored(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        if self.attention.load(Ordering::Relaxed) != 0
            && let Some(condition_type) = self.attend(work, now, waker)
        {
            return Ok(Condition { condition_type, target: now });
        }
        if work.plain {
            return self.execute_locked::<true>(work, now, waker);
        }
        self.execute_full(work, now, waker)
    }

    /// The same for an entity that is not plain.
    #[inline(never)]
    fn execute_full(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        let result = self.execute_locked::<false>(work, now, waker);
        work.end_promises(waker);
        let code = result.as_ref().map_or_else(|failure| failure.0.code, |_| ResultCode::SUCCESS);
        for monitor in work.monitors.iter() {
            let eid = self.entity.eid();
            monitor
                .call_unless_left("on_execute", |monitor| monitor.on_execute(eid, now, code))
                .map_err(|error| Failure::of(monitor.component(), "monitor", error))?;
        }
        result
    }

    /// What the terms say, and what that means at time `now`: an entity that will never run again
    /// is stopped, one that is ready may tick at once.
    #[inline(always)]
    fn look(
        &self,
        work: &mut Work,
        now: i64,
        ticks: bool,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        let mut condition = work.condition(now, ticks, waker)?;
        match condition.condition_type {
            ConditionType::READY => {}
            ConditionType::WAIT_TIME if condition.target <= now => {
                condition.condition_type = ConditionType::READY;
            }
            ConditionType::NEVER => {
                self.stop_locked(work)?;
                self.halted.store(self.node.is_some(), Ordering::Relaxed);
                self.has_ended.store(self.node.is_none(), Ordering::Relaxed);
                if self.node.is_none() {
                    work.remote.iter().for_each(RemotePort::finish);
                }
                return Ok(self.never(now));
            }
            _ => {}
        }
        Ok(condition)
    }

    /// Separate, to keep an execution that needs no look small.
    #[inline(never)]
    fn look_before_tick(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        self.look(work, now, true, waker)
    }

    /// `PLAIN` says whether the entity is.
    #[inline(always)]
    fn execute_locked<const PLAIN: bool>(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        if !work.started {
            if self.halted.load(Ordering::Relaxed) {
                let condition = work.condition(now, false, waker)?;
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
        if !(PLAIN && work.is_plainly_ready(now)) {
            let condition = self.look_before_tick(work, now, waker)?;
            if condition.condition_type != ConditionType::READY {
                return Ok(condition);
            }
        }
        self.set_status(Status::Ticking);
        let mut ticked = work.tick::<PLAIN>(self.entity.eid(), &self.inside, now);
        if !PLAIN && !work.deadlines.is_empty() && ticked.is_ok() {
            ticked = self.check_deadlines(work);
        }
        if !PLAIN && let Some(controller) = &work.controller {
            let code =
                ticked.as_ref().map_or_else(|failure| failure.0.code, |()| ResultCode::SUCCESS);
            let eid = self.entity.eid();
            let verdict = controller.call("control", |controller| controller.control(eid, code));
            if ticked.is_ok() {
                self.count_tick();
            }
            if let Some(condition) = self.obey(work, verdict, now)? {
                if ticked.is_ok() {
                    work.finish::<PLAIN>(now, waker)?;
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
            // The first error is reported.
            let _ = self.stop_locked(work);
            return Err(failure);
        }
        self.count_tick();
        work.finish::<PLAIN>(now, waker)?;
        self.set_status(Status::Idle);
        Ok(Condition { condition_type: ConditionType::READY, target: now })
    }

    /// Only the executing thread counts; the lock orders executions.
    #[inline(always)]
    fn count_tick(&self) {
        self.ticks.store(self.ticks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Reports the deadlines that the tick has missed.
    #[cold]
    fn check_deadlines(&self, work: &Work) -> std::result::Result<(), Failure> {
        let Some(now) = self.observation.now() else { return Ok(()) };
        let mut kept = Ok(());
        for deadline in &work.deadlines {
            let Some(missed) = deadline.end(now) else { continue };
            self.observation.missed_deadline(&self.entity, &missed);
            let [took, limit] =
                [missed.took, missed.limit].map(|time| Duration::from_nanos(time.unsigned_abs()));
            match missed.on_miss {
                OnMiss::stop => {
                    let text = format!("the tick took {took:?}, and {limit:?} are allowed");
                    let component = deadline.component();
                    kept =
                        Err(Failure::new(component, "deadline", ResultCode::FAILURE, Some(text)));
                }
                OnMiss::warn if missed.count.is_power_of_two() => {
                    let entity = self.entity.described();
                    let times = missed.count;
                    tracing::warn!(
                        "{entity} missed its deadline (number {times}): the tick took {took:?}, and \
                         {limit:?} are allowed"
                    );
                }
                OnMiss::warn => {}
            }
        }
        kept
    }

    /// Applies a controller's verdict; `None` for a failure that ends the graph.
    fn obey(
        &self,
        work: &mut Work,
        verdict: gxf::ControllerStatus,
        now: i64,
    ) -> std::result::Result<Option<Condition>, Failure> {
        let ready = Condition { condition_type: ConditionType::READY, target: now };
        self.set_status(Status::Started);
        let condition = match (verdict.execution, verdict.behavior) {
            (verdict::EXECUTION_SUCCESS, verdict::BEHAVIOR_RUNNING)
            | (verdict::EXECUTION_FAILURE_REPEAT, _) => Some(ready),
            (verdict::EXECUTION_SUCCESS, _) => Some(self.ended(now)?),
            (verdict::EXECUTION_FAILURE_DEACTIVATE, _) => {
                self.stop_locked(work)?;
                self.halted.store(self.node.is_some(), Ordering::Relaxed);
                Some(self.ended(now)?)
            }
            _ => {
                let _ = self.stop_locked(work);
                None
            }
        };
        // Last, so that woken entities find this one in its new state.
        self.note_verdict(verdict.behavior);
        Ok(condition)
    }

    /// Starts all codelets in order. If one fails, stops those before it.
    fn start(&self, work: &mut Work, now: i64) -> std::result::Result<(), Failure> {
        self.set_status(Status::StartPending);
        for index in 0..work.codelets.len() {
            self.inside.store(index as u32, Ordering::Relaxed);
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

    /// Stops all codelets, even if one fails; returns the first failure.
    fn stop_locked(&self, work: &mut Work) -> std::result::Result<(), Failure> {
        if !std::mem::take(&mut work.started) {
            return Ok(());
        }
        self.set_status(Status::StopPending);
        let mut first = None;
        for (index, codelet) in work.parts.codelets.iter_mut().enumerate() {
            self.inside.store(index as u32, Ordering::Relaxed);
            let code = codelet.stop();
            if !code.is_success() {
                let failure = Failure::of_codelet(codelet, "stop", code);
                first.get_or_insert(failure);
            }
        }
        self.set_status(Status::Stopped);
        first.map_or(Ok(()), Err)
    }

    /// Stops the entity if it is started.
    pub fn stop(&self) -> Result<()> {
        let mut work = self.work.visit();
        let stopped = self.marked(|| self.stop_locked(&mut work));
        self.take_settings();
        stopped.map_err(|failure| self.failed(failure))
    }

    /// Ends the entity's links to other processes regularly, or only those that were ever open: it
    /// publishes and takes nothing more.
    pub fn finish_links(&self, only_open: bool) {
        let work = self.work.visit();
        let wanted = work.remote.iter().filter(|port| !only_open || port.has_been_open());
        wanted.for_each(RemotePort::finish);
    }

    /// From now on executions return NEVER; a tick that has begun goes on.
    pub fn end_ticks(&self) {
        self.retired.store(true, Ordering::Relaxed);
        self.ask(CHANGED);
    }

    /// Stops the entity for good and releases its parts: later executions return NEVER.
    pub fn retire(&self) -> Result<()> {
        self.end_ticks();
        let stopped = self.stop();
        let work = { self.work.visit().renew(Parts::default(), None) };
        // Outside the lock, because dropping may release the last part of an extension.
        drop((work, self.rewired.lock().take()));
        stopped
    }

    /// Applies what `rewire` and `observation_changed` left. Returns the condition of an entity that was
    /// retired, has ended in this run, or is held.
    #[cold]
    fn attend(&self, work: &mut Work, now: i64, waker: &mut impl Wake) -> Option<ConditionType> {
        if self.retired.load(Ordering::Relaxed) || self.has_ended.load(Ordering::Relaxed) {
            return Some(ConditionType::NEVER);
        }
        if self.is_held() {
            work.held(now);
            return Some(ConditionType::WAIT_EVENT);
        }
        if self.attention.swap(0, Ordering::Relaxed) & CHANGED == 0 {
            return None;
        }
        self.take_settings();
        // Codelets keep their tick counts.
        let codelets = std::mem::take(&mut work.parts.codelets);
        let mut rewired = self.rewired.lock().take();
        let is_rewired = rewired.is_some();
        if let Some(parts) = &mut rewired {
            parts.continue_from(&work.parts);
        }
        let parts = rewired.map_or_else(|| std::mem::take(&mut work.parts), |parts| *parts);
        let parts = Parts { codelets, ..parts };
        let observer = self.observation.observer(&self.entity, self.number, &parts);
        drop(work.renew(parts, observer));
        work.refresh_terms();
        if is_rewired {
            work.wake_senders(waker);
        }
        None
    }

    /// Makes the next execution look for its observer again.
    pub fn observation_changed(&self) {
        self.ask(CHANGED);
    }

    /// Gives the entity new routes, because another entity joined or left.
    pub fn rewire(&self, parts: Parts) {
        *self.rewired.lock() = Some(Box::new(parts));
        self.ask(CHANGED);
    }

    /// The codelet that is being called, and its function. Takes no lock.
    pub fn activity(&self) -> Option<(&CodeletName, &'static str)> {
        let function = match self.status() {
            Status::StartPending => "start",
            Status::Ticking => "tick",
            Status::StopPending => "stop",
            _ => return None,
        };
        Some((self.codelets.get(self.inside.load(Ordering::Relaxed) as usize)?, function))
    }

    /// The terms that keep the entity from running at time `now`.
    pub fn reasons(&self, now: i64) -> Reasons {
        let work = self.work.visit();
        self.marked(|| reasons(&work, now))
    }

    /// The same; `None` if the entity is executing and stays so for a while.
    pub fn reasons_now(&self, now: i64) -> Option<Reasons> {
        let work = self.work.try_visit()?;
        Some(self.marked(|| reasons(&work, now)))
    }

    /// Whether the entity has ended, or rests for ever if nothing more comes over its links. False
    /// if it is executing and stays so for a while.
    pub fn waits_only_for_links(&self, now: i64) -> bool {
        let has_left = self.retired.load(Ordering::Relaxed);
        if has_left || self.has_ended.load(Ordering::Relaxed) {
            return true;
        }
        if self.is_held() {
            return false;
        }
        let work = self.work.try_visit();
        work.is_some_and(|work| self.marked(|| waits_only_for_links(&work, now)))
    }

    /// Logs the messages that were not delivered because a receiver had no room until the end.
    pub fn report_held(&self) {
        let work = self.work.visit();
        for outbox in work.outbox.iter().filter(|outbox| outbox.holds) {
            let count = outbox.transmitter.message_count();
            let messages =
                if count == 1 { "1 message".to_owned() } else { format!("{count} messages") };
            tracing::warn!(
                "{}: transmitter `{}` still holds {messages}, because `{}` had no room",
                self.entity.described(),
                outbox.transmitter.component().label(),
                outbox.owed_to().join("` and `"),
            );
        }
    }

    /// Whether a term waits for nothing but more messages in these receivers, or by a link that has ended.
    pub fn misses_messages(&self, now: i64, receivers: impl Fn(Uid) -> bool) -> bool {
        let work = self.work.visit();
        self.marked(|| work.parts.misses_messages(now, receivers))
    }

    /// Logs the messages that the transmitters hold, and no longer waits for room for them.
    pub fn give_up_held(&self) {
        self.report_held();
        self.with_parts(Parts::give_up_held);
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
        .of_component(failure.component.cid())
        .in_stage(failure.stage);
        match failure.text {
            Some(text) => error.caused_by(text),
            None => error,
        }
    }
}

/// The same condition, copied field by field. Copied as a whole, its 4-byte type is read back with
/// its padding, as 8 bytes, just after 4 of them were written; a processor waits for such a read until
/// the write has left its store buffer, which took an eighth of a hop.
#[inline(always)]
fn by_fields(Condition { condition_type, target }: Condition) -> Condition {
    Condition { condition_type, target }
}

impl gxf_sync::timers::Waits for Runner {
    fn number(&self) -> u32 {
        self.number
    }

    fn target(&self) -> &Target {
        &self.target
    }
}
