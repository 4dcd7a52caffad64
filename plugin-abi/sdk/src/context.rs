//! Access from a component to its graph.

use crate::abi::{ComponentEnvironment, TickInfo, UidSink};
use crate::host::{check, host};
use crate::{
    EntityState, Error, Event, Handle, HandleTarget, Message, Result, Tid, Uid, WakeToken, abi,
    text_lossy, text_of,
};
use core::ffi::c_void;
use core::ptr::NonNull;

/// A component's access to itself, its entity and its graph.
///
/// Cheap to copy. Valid during the call that receives it; [`ComponentContext::handle`] returns a
/// form to keep.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct ComponentContext {
    environment: NonNull<ComponentEnvironment>,
}

impl ComponentContext {
    /// Wraps a pointer from the host.
    ///
    /// # Safety
    /// `environment` must be valid for as long as the result is used.
    #[must_use]
    pub unsafe fn from_raw(environment: NonNull<ComponentEnvironment>) -> Self {
        Self { environment }
    }

    fn environment(&self) -> &ComponentEnvironment {
        // SAFETY: `from_raw` requires a pointer that is valid while this value is used.
        unsafe { self.environment.as_ref() }
    }

    fn context(&self) -> *mut abi::Context {
        self.environment().context
    }

    /// Id of the component's entity.
    #[must_use]
    pub fn eid(&self) -> Uid {
        self.environment().eid
    }

    /// Id of the component.
    #[must_use]
    pub fn cid(&self) -> Uid {
        self.environment().cid
    }

    /// Name of the component; empty if it has none.
    #[must_use]
    pub fn name(&self) -> String {
        component_name(self.context(), self.cid())
    }

    /// `entity/component`, with the type instead of a missing name; for messages to people.
    #[must_use]
    pub fn place(&self) -> String {
        place(self.context(), self.eid(), self.cid())
    }

    /// Name of another component; empty if it has none.
    #[must_use]
    pub fn component_name(&self, cid: Uid) -> String {
        component_name(self.context(), cid)
    }

    /// Name of the component's entity.
    #[must_use]
    pub fn entity_name(&self) -> String {
        entity_name(self.context(), self.eid())
    }

    /// Creates an empty message.
    pub fn new_message(&self) -> Result<Message> {
        new_message(self.context())
    }

    /// Type of a component.
    pub fn type_of(&self, cid: Uid) -> Result<Tid> {
        type_of(self.context(), cid)
    }

    /// Full name of a type; its id if no loaded extension has it.
    #[must_use]
    pub fn type_name(&self, tid: Tid) -> String {
        type_name(self.context(), tid)
    }

    /// All components of the same entity that a `Handle<T>` can refer to, in the order of the file.
    pub fn find_all<T: HandleTarget>(&self) -> Result<Vec<Handle<T>>> {
        find_all(self.context(), self.eid())
    }

    /// The receivers a transmitter is connected to.
    pub fn receivers_of(&self, transmitter: Uid) -> Result<Vec<Handle<crate::Receiver>>> {
        // SAFETY: the sink is valid during the call.
        let ids = collect(|sink| unsafe {
            (host().transmitter_receivers)(self.context(), transmitter, sink)
        })?;
        ids.into_iter().map(|cid| Handle::resolve(self, cid)).collect()
    }

    /// Number of the CUDA device of the component's entity: that of the first GPUDevice in its
    /// group. `None` if the group has none.
    #[must_use]
    pub fn gpu_device(&self) -> Option<i32> {
        // SAFETY: the host's table with this id is a `DeviceTable` that lives as long as the process.
        let table = unsafe {
            (host().host_interface)(abi::tids::DEVICES).cast::<abi::DeviceTable>().as_ref()
        }?;
        // SAFETY: the context is alive.
        let device = unsafe { (table.device_of)(self.context(), self.eid()) };
        (device >= 0).then_some(device)
    }

    /// Entity of another component.
    pub fn entity_of(&self, cid: Uid) -> Result<Uid> {
        let mut eid = 0;
        // SAFETY: the context is alive; `eid` is written on success only.
        check(unsafe { (host().component_entity)(self.context(), cid, &raw mut eid) })?;
        Ok(eid)
    }

    /// Latest verdict of an entity's controller.
    pub fn entity_state(&self, eid: Uid) -> Result<EntityState> {
        entity_state(self.context(), eid)
    }

    /// Makes the scheduler check this component's entity again after each verdict, other than
    /// "running", of another entity's controller. Works while the graph is active, from `start` on.
    pub fn observe(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_observe)(self.context(), eid, self.eid()) })
    }

    /// Makes the scheduler check this component's entity again.
    pub fn notify(&self, event: Event) -> Result<()> {
        notify(self.context(), self.eid(), event)
    }

    /// Asks the running graph to stop.
    pub fn interrupt(&self) -> Result<()> {
        // SAFETY: the context is alive while the component is.
        check(unsafe { (host().graph_interrupt)(self.context()) })
    }

    /// A token that wakes this component's entity, for what happens outside the graph.
    pub fn wake_token(&self) -> Result<WakeToken> {
        WakeToken::new(self.context(), self.eid())
    }

    /// A form of this context to keep and to send to other threads.
    #[must_use]
    pub fn handle(&self) -> ContextHandle {
        // SAFETY: the context is alive; the handle owns the new reference.
        unsafe { (host().context_retain)(self.context()) };
        ContextHandle { context: self.context(), eid: self.eid(), cid: self.cid() }
    }

    pub(crate) fn raw_context(&self) -> *mut abi::Context {
        self.context()
    }
}

/// A component's access to its graph that outlives the call, for the component's own threads. Once
/// the component or the graph is gone, its functions return errors.
pub struct ContextHandle {
    context: *mut abi::Context,
    eid: Uid,
    cid: Uid,
}

// SAFETY: host functions may be called from any thread, and a reference keeps the context alive.
unsafe impl Send for ContextHandle {}
// SAFETY: as above.
unsafe impl Sync for ContextHandle {}

impl ContextHandle {
    /// Id of the component's entity.
    #[must_use]
    pub fn eid(&self) -> Uid {
        self.eid
    }

    /// Id of the component.
    #[must_use]
    pub fn cid(&self) -> Uid {
        self.cid
    }

    /// The address by which the host knows the context, without a reference.
    #[must_use]
    pub fn as_raw(&self) -> *const c_void {
        self.context.cast()
    }

    /// A handle to no component in particular, for the host's functions.
    ///
    /// # Safety
    /// `context` must be alive.
    #[must_use]
    pub unsafe fn from_raw(context: *mut abi::Context) -> Self {
        // SAFETY: the context is alive; the handle owns the new reference.
        unsafe { (host().context_retain)(context) };
        Self { context, eid: 0, cid: 0 }
    }

    pub(crate) fn raw(&self) -> *mut abi::Context {
        self.context
    }

    /// A handle to the component with this id.
    pub fn resolve<T: HandleTarget>(&self, cid: Uid) -> Result<Handle<T>> {
        Handle::in_context(self.context, cid)
    }

    /// Creates an empty message.
    pub fn new_message(&self) -> Result<Message> {
        new_message(self.context)
    }

    /// The message with an id (see [`Message::eid`]); `ENTITY_NOT_FOUND` once it is gone.
    pub fn message(&self, eid: Uid) -> Result<Message> {
        let mut raw = core::ptr::null_mut();
        // SAFETY: this handle keeps the context alive; `raw` is written on success only.
        check(unsafe { (host().message_from_id)(self.context, eid, &raw mut raw) })?;
        // SAFETY: on success the host returns a message with one reference, which this call owns.
        NonNull::new(raw)
            .map(|raw| unsafe { Message::from_raw(raw) })
            .ok_or_else(|| crate::ResultCode::NULL_POINTER.into())
    }

    /// All components of an entity that a `Handle<T>` can refer to, in the order of the file.
    pub fn find_all_of<T: HandleTarget>(&self, eid: Uid) -> Result<Vec<Handle<T>>> {
        find_all(self.context, eid)
    }

    /// Name of an entity; empty if it is gone.
    #[must_use]
    pub fn entity_name(&self, eid: Uid) -> String {
        entity_name(self.context, eid)
    }

    /// Name of a component; empty if it has none.
    #[must_use]
    pub fn component_name(&self, cid: Uid) -> String {
        component_name(self.context, cid)
    }

    /// `entity/component` of a component, with its type instead of a missing name; for messages to
    /// people.
    #[must_use]
    pub fn place_of(&self, eid: Uid, cid: Uid) -> String {
        place(self.context, eid, cid)
    }

    /// Full name of a type; its id if no loaded extension has it.
    #[must_use]
    pub fn type_name(&self, tid: Tid) -> String {
        type_name(self.context, tid)
    }

    /// Latest verdict of an entity's controller.
    pub fn entity_state(&self, eid: Uid) -> Result<EntityState> {
        entity_state(self.context, eid)
    }

    /// Makes the scheduler check the component's entity again.
    pub fn notify(&self, event: Event) -> Result<()> {
        notify(self.context, self.eid, event)
    }

    /// Makes the scheduler check another entity again.
    pub fn notify_entity(&self, eid: Uid, event: Event) -> Result<()> {
        notify(self.context, eid, event)
    }

    /// A token that wakes the component's entity, for what happens outside the graph.
    pub fn wake_token(&self) -> Result<WakeToken> {
        WakeToken::new(self.context, self.eid)
    }

    /// Ends the graph with an error of the component, for work that fails outside the component's
    /// calls. `INVALID_EXECUTION_SEQUENCE` if the graph is not active.
    pub fn fail(&self, error: &Error) -> Result<()> {
        let text = text_of(error.message());
        // SAFETY: this handle keeps the context alive; the host copies the text.
        check(unsafe { (host().entity_fail)(self.context, self.cid, error.code(), text) })
    }

    /// Asks the running graph to stop.
    pub fn interrupt(&self) -> Result<()> {
        // SAFETY: this handle keeps the context alive.
        check(unsafe { (host().graph_interrupt)(self.context) })
    }
}

impl Clone for ContextHandle {
    fn clone(&self) -> Self {
        // SAFETY: this handle keeps the context alive; the clone owns the new reference.
        unsafe { (host().context_retain)(self.context) };
        Self { context: self.context, eid: self.eid, cid: self.cid }
    }
}

impl Drop for ContextHandle {
    fn drop(&mut self) {
        // SAFETY: this value owns one reference.
        unsafe { (host().context_release)(self.context) };
    }
}

/// Information about a codelet's start, tick or stop.
#[repr(transparent)]
pub struct TickContext {
    info: TickInfo,
}

impl TickContext {
    /// Wraps the host's structure.
    ///
    /// # Safety
    /// `info` and its environment must be valid for `'a`.
    #[must_use]
    pub unsafe fn from_raw<'a>(info: *const TickInfo) -> &'a Self {
        // SAFETY: the type is a transparent wrapper, and `info` is valid for `'a`.
        unsafe { &*info.cast::<Self>() }
    }

    /// Time of this execution in nanoseconds of the scheduler's clock.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.info.timestamp
    }

    /// Nanoseconds since the previous execution; 0 the first time.
    #[must_use]
    pub fn delta(&self) -> i64 {
        self.info.timestamp - self.info.previous_timestamp
    }

    /// Number of this tick, counting from 1; 0 during start.
    #[must_use]
    pub fn count(&self) -> i64 {
        self.info.count
    }

    /// Whether this is the first tick since the start.
    #[must_use]
    pub fn is_first_tick(&self) -> bool {
        self.info.count == 1
    }
}

impl core::ops::Deref for TickContext {
    type Target = ComponentContext;

    fn deref(&self) -> &ComponentContext {
        // SAFETY: `ComponentContext` is a transparent wrapper of a non-null pointer to the
        // environment, which is this field; `from_raw` requires that pointer to be valid.
        unsafe { &*(&raw const self.info.environment).cast::<ComponentContext>() }
    }
}

/// Collects the ids that a host function lists.
fn collect(call: impl FnOnce(UidSink) -> crate::ResultCode) -> Result<Vec<Uid>> {
    unsafe extern "C" fn add(user: *mut c_void, cid: Uid) {
        // SAFETY: `user` is the vector below, which is alive during the call.
        unsafe { (*user.cast::<Vec<Uid>>()).push(cid) };
    }
    let mut ids: Vec<Uid> = Vec::new();
    check(call(UidSink { user: (&raw mut ids).cast(), add }))?;
    Ok(ids)
}

fn find_all<T: HandleTarget>(context: *mut abi::Context, eid: Uid) -> Result<Vec<Handle<T>>> {
    // SAFETY: the context is alive, and the sink is valid during the call.
    let ids = collect(|sink| unsafe { (host().component_find_all)(context, eid, sink) })?;
    let mut handles = Vec::new();
    for cid in ids {
        let (mut tid, mut fits) = (Tid::NULL, false);
        // SAFETY: the results are written on success only.
        unsafe {
            check((host().component_type)(context, cid, &raw mut tid))?;
            check((host().type_is_base)(context, tid, T::TID, &raw mut fits))?;
        }
        if fits {
            handles.push(Handle::in_context(context, cid)?);
        }
    }
    Ok(handles)
}

fn new_message(context: *mut abi::Context) -> Result<Message> {
    let mut raw = core::ptr::null_mut();
    // SAFETY: the context is alive; `raw` is written on success only.
    check(unsafe { (host().message_new)(context, &raw mut raw) })?;
    // SAFETY: on success the host returns a message with one reference.
    NonNull::new(raw)
        .map(|raw| unsafe { Message::from_raw(raw) })
        .ok_or_else(|| crate::ResultCode::NULL_POINTER.into())
}

fn notify(context: *mut abi::Context, eid: Uid, event: Event) -> Result<()> {
    // SAFETY: the context is alive.
    check(unsafe { (host().entity_notify)(context, eid, event) })
}

fn entity_state(context: *mut abi::Context, eid: Uid) -> Result<EntityState> {
    let mut state = EntityState { behavior: 0, reserved: 0, verdicts: 0 };
    // SAFETY: the context is alive; `state` is written on success only.
    check(unsafe { (host().entity_state)(context, eid, &raw mut state) })?;
    Ok(state)
}

fn entity_name(context: *mut abi::Context, eid: Uid) -> String {
    let mut name = text_of("");
    // SAFETY: `name` is written on success only, and copied before any other host call.
    unsafe {
        (host().entity_name)(context, eid, &raw mut name);
        text_lossy(name).into_owned()
    }
}

fn type_name(context: *mut abi::Context, tid: Tid) -> String {
    let mut name = text_of("");
    // SAFETY: `name` is written on success only, and copied before any other host call.
    unsafe {
        match (host().type_name)(context, tid, &raw mut name) {
            abi::ResultCode::SUCCESS => text_lossy(name).into_owned(),
            _ => tid.to_string(),
        }
    }
}

fn type_of(context: *mut abi::Context, cid: Uid) -> Result<Tid> {
    let mut tid = Tid::NULL;
    // SAFETY: the result is written on success only.
    check(unsafe { (host().component_type)(context, cid, &raw mut tid) })?;
    Ok(tid)
}

fn place(context: *mut abi::Context, eid: Uid, cid: Uid) -> String {
    let mut component = component_name(context, cid);
    if component.is_empty()
        && let Ok(tid) = type_of(context, cid)
    {
        component = type_name(context, tid);
    }
    format!("{}/{component}", entity_name(context, eid))
}

fn component_name(context: *mut abi::Context, cid: Uid) -> String {
    let mut name = text_of("");
    // SAFETY: `name` is written on success only, and copied before any other host call.
    unsafe {
        (host().component_name)(context, cid, &raw mut name);
        text_lossy(name).into_owned()
    }
}
