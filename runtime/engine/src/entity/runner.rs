//! What a scheduler knows of an entity, and what others change of it while it runs; `execution.rs`
//! starts it, ticks it when its terms allow, and stops it.
//!
//! A runner is created when its entity is activated and belongs to the entity as long as it is
//! active. Schedulers call [`Runner::execute`]; a lock ensures that an entity never runs twice at
//! once, whatever the scheduler does.

use crate::entity::failure::Failure;
use crate::entity::observer::Observe;
use crate::entity::parts::Parts;
use crate::entity::port::Wake;
use crate::entity::remote::RemotePort;
use crate::entity::term::Term;
use crate::entity::work::{Reasons, Work, reasons, waits_only_for_links};
use crate::graph::store::Entity;
use gxf::BtSchedulingTerm;
use gxf_app::error::{Error, Result};
use gxf_app::{ParameterSpec, ParameterValue};
use gxf_plugin::TypeInfo;
use gxf_plugin::call_note;
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin_abi::verdict;
use gxf_plugin_abi::{Condition, ConditionType, EntityState, Uid};
use gxf_sync::event_queue::EventQueue;
use gxf_sync::run_state::RunState;
use gxf_sync::tick_lock::TickLock;
use gxf_sync::timers::Target;
use parking_lot::Mutex;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering,
};
use std::sync::{Arc, Weak};
use thin_vec::ThinVec;

mod execution;

pub use execution::{Executed, Light, Visited};

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

    /// Whether the entity was started.
    pub fn is_constructed(self) -> bool {
        !matches!(self, Self::NotStarted | Self::StartPending)
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
        self.work.visit().change_parts(action)
    }

    /// Does something while the entity does not execute.
    pub fn while_at_rest(&self, action: impl FnOnce()) {
        let _work = self.work.visit();
        action();
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

    /// Whether the terms or the controller said NEVER in this run.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }

    /// A run begins: the entity may be started.
    pub fn run_begins(&self) {
        self.has_ended.store(false, Ordering::Relaxed);
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

impl gxf_sync::timers::Waits for Runner {
    fn number(&self) -> u32 {
        self.number
    }

    fn target(&self) -> &Target {
        &self.target
    }
}
