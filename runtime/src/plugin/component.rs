//! A component instance: the memory its type constructed it in, its parameters, its interfaces.

use crate::error::{Error, Result};
use crate::extension::registry::TypeInfo;
use crate::graph::{ParameterSpec, ParameterValue};
use crate::plugin::value::with_border_value;
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{
    CodeletVtable, ComponentEnvironment, ComponentVtable, Context, InterfaceRef, ResultCode,
    TickInfo, Tid, Uid, tids,
};
use parking_lot::Mutex;
use std::alloc::Layout;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// A component of an entity. Whoever holds a reference keeps its memory alive.
pub(crate) struct Component {
    type_info: Arc<TypeInfo>,
    name: String,
    object: NonNull<c_void>,
    storage: NonNull<u8>,
    layout: Layout,
    /// Boxed: the component may keep its address.
    environment: Box<ComponentEnvironment>,
    parameters: Mutex<Parameters>,
}

// SAFETY: the border allows calls from any thread except where `Component`'s users (the entity's
// runner, the life cycle) make sure that there is one at a time.
unsafe impl Send for Component {}
// SAFETY: as above.
unsafe impl Sync for Component {}

#[derive(Default)]
struct Parameters {
    /// By position in the type's list.
    values: Vec<Option<ParameterValue>>,
    /// Values for keys the type does not have, as GXF keeps them.
    unregistered: BTreeMap<String, ParameterValue>,
}

impl Component {
    /// Constructs an instance.
    pub fn create(
        type_info: &Arc<TypeInfo>,
        name: &str,
        context: *mut Context,
        eid: Uid,
        cid: Uid,
    ) -> Result<Arc<Self>> {
        let construction = &type_info.construction;
        let Some(create) = construction.create else {
            return Err(Error::new(
                ResultCode::FACTORY_ABSTRACT_CLASS,
                format!("`{}` is abstract, it has no instances", type_info.name),
            ));
        };
        let layout = Layout::from_size_align(construction.size.max(1), construction.alignment)
            .map_err(|_| ResultCode::FACTORY_INVALID_INFO)
            .map_err(|code| Error::new(code, "impossible size of an instance"))?;
        // SAFETY: the size is not zero.
        let storage = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })
            .ok_or_else(|| Error::new(ResultCode::OUT_OF_MEMORY, "no memory for a component"))?;
        let environment = Box::new(ComponentEnvironment {
            size: size_of::<ComponentEnvironment>(),
            context,
            eid,
            cid,
        });
        // SAFETY: storage of the size and alignment the type states, and a valid environment.
        let object = unsafe { create(storage.as_ptr().cast(), &raw const *environment) };
        let Some(object) = NonNull::new(object) else {
            // SAFETY: allocated above with this layout.
            unsafe { std::alloc::dealloc(storage.as_ptr(), layout) };
            let mut error = Error::new(
                ResultCode::FAILURE,
                format!("an instance of `{}` could not be created", type_info.name),
            );
            if let Some(text) = super::host::take_reported() {
                error = error.caused_by(text);
            }
            return Err(error);
        };
        let values = vec![None; type_info.parameters.len()];
        Ok(Arc::new(Self {
            type_info: type_info.clone(),
            name: name.to_owned(),
            object,
            storage,
            layout,
            environment,
            parameters: Mutex::new(Parameters { values, ..Parameters::default() }),
        }))
    }

    pub fn cid(&self) -> Uid {
        self.environment.cid
    }

    pub fn eid(&self) -> Uid {
        self.environment.eid
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn type_info(&self) -> &Arc<TypeInfo> {
        &self.type_info
    }

    pub fn is_a(&self, tid: Tid) -> bool {
        self.type_info.is_a(tid)
    }

    /// Name, or type when it has none; for messages to people.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.type_info.name } else { &self.name }
    }

    /// Name, type and extension, for messages to people.
    pub fn description(&self) -> String {
        let (type_name, extension) = (&self.type_info.name, &self.type_info.extension);
        match self.name.as_str() {
            "" => format!("component of type {type_name} (extension {extension})"),
            name => format!("component `{name}` of type {type_name} (extension {extension})"),
        }
    }

    /// Object and function table of an interface.
    pub fn interface(&self, id: Tid) -> Option<(*mut c_void, *const c_void)> {
        let interface = self.type_info.construction.interface(id)?;
        // SAFETY: the type states that the interface's object lies there.
        let object = unsafe { self.object.as_ptr().cast::<u8>().offset(interface.offset) };
        Some((object.cast(), interface.vtable.as_ptr()))
    }

    /// The component seen through an interface, with a reference for the receiver.
    pub fn interface_ref(self: &Arc<Self>, id: Tid) -> Option<InterfaceRef> {
        let (object, vtable) = self.interface(id)?;
        Some(InterfaceRef { object, vtable, owner: owner_of(self.clone()) })
    }

    /// The component's address, valid as long as the component.
    pub fn address(&self) -> *mut c_void {
        self.object.as_ptr()
    }

    /// The component's address, with a reference for the receiver.
    pub fn pointer(self: &Arc<Self>) -> InterfaceRef {
        InterfaceRef {
            object: self.object.as_ptr(),
            vtable: std::ptr::null(),
            owner: owner_of(self.clone()),
        }
    }

    /// One of our own components as what it is, past the border.
    pub fn native<T: 'static>(self: &Arc<Self>) -> Option<Native<T>> {
        (self.type_info.native == Some(TypeId::of::<T>()))
            .then(|| Native { object: self.object.cast(), component: self.clone() })
    }

    fn vtable(&self) -> Option<&'static ComponentVtable> {
        let (_, vtable) = self.interface(tids::COMPONENT)?;
        // SAFETY: the registry made a full-size copy that lives as long as the process.
        Some(unsafe { &*vtable.cast() })
    }

    /// Stores a value and passes it on to the instance. `None` takes the value away.
    pub fn set_parameter(
        &self,
        index: usize,
        spec: &ParameterSpec,
        value: Option<ParameterValue>,
    ) -> Result<()> {
        self.pass_parameter(index, spec, value.as_ref())?;
        self.keep_parameter(index, value);
        Ok(())
    }

    /// Stores a value without passing it on.
    pub fn keep_parameter(&self, index: usize, value: Option<ParameterValue>) {
        self.parameters.lock().values[index] = value;
    }

    /// Passes a value on to the instance, which must not be executing.
    pub fn pass_parameter(
        &self,
        index: usize,
        spec: &ParameterSpec,
        value: Option<&ParameterValue>,
    ) -> Result<()> {
        let Some(vtable) = self.vtable() else { return Ok(()) };
        let Some(set) = vtable.set_parameter else { return Ok(()) };
        let pass = |value: *const abi::Value| {
            // SAFETY: the instance, its environment, and a value that is valid or null.
            gxf::host::check(unsafe {
                set(self.object.as_ptr(), &raw const *self.environment, index, value)
            })
        };
        let result = match value {
            Some(value) => with_border_value(spec.element, spec.rank, value, |v| pass(v)),
            None => pass(std::ptr::null()),
        };
        result.map_err(Error::from)
    }

    /// Keeps a value for a key the type does not have.
    pub fn set_unregistered(&self, key: &str, value: ParameterValue) {
        self.parameters.lock().unregistered.insert(key.to_owned(), value);
    }

    /// The values for keys the type does not have.
    pub fn unregistered(&self) -> BTreeMap<String, ParameterValue> {
        self.parameters.lock().unregistered.clone()
    }

    /// The value of a parameter: what was set, or the default.
    pub fn parameter(&self, key: &str) -> Option<ParameterValue> {
        let parameters = self.parameters.lock();
        match self.type_info.parameter(key) {
            Some((index, spec)) => {
                parameters.values[index].clone().or_else(|| spec.default.clone())
            }
            None => parameters.unregistered.get(key).cloned(),
        }
    }

    /// Whether the parameter at this position was set.
    pub fn has_value(&self, index: usize) -> bool {
        self.parameters.lock().values[index].is_some()
    }

    /// Gives every parameter without a value its default, tells the instance of optional ones that
    /// have none, and names the mandatory ones that are missing.
    pub fn complete_parameters(&self) -> Result<Vec<&ParameterSpec>> {
        let mut missing = Vec::new();
        for (index, spec) in self.type_info.parameters.iter().enumerate() {
            if self.has_value(index) {
                continue;
            }
            match &spec.default {
                Some(default) => self.pass_parameter(index, spec, Some(default))?,
                None if spec.flags & abi::PARAMETER_OPTIONAL != 0 => {
                    self.pass_parameter(index, spec, None)?;
                }
                None => missing.push(spec),
            }
        }
        Ok(missing)
    }

    /// Whether the values of the parameters are possible together. To be asked when all are set.
    pub fn check_parameters(&self) -> Result<()> {
        let check = self.vtable().and_then(|vtable| vtable.check_parameters);
        let Some(check) = check else { return Ok(()) };
        // SAFETY: the instance and its environment; nobody uses the component yet.
        let code = unsafe { check(self.object.as_ptr(), &raw const *self.environment) };
        gxf::host::check(code).map_err(Error::from)
    }

    /// Calls `initialize`.
    pub fn initialize(&self) -> Result<()> {
        let initialize = self.vtable().and_then(|vtable| vtable.initialize);
        let Some(initialize) = initialize else { return Ok(()) };
        // SAFETY: the instance and its environment; the life cycle calls once at a time.
        let code = unsafe { initialize(self.object.as_ptr(), &raw const *self.environment) };
        gxf::host::check(code).map_err(Error::from)
    }

    /// Calls `deinitialize`.
    pub fn deinitialize(&self) -> Result<()> {
        let deinitialize = self.vtable().and_then(|vtable| vtable.deinitialize);
        let Some(deinitialize) = deinitialize else { return Ok(()) };
        // SAFETY: the instance and its environment; the life cycle calls once at a time.
        let code = unsafe { deinitialize(self.object.as_ptr(), &raw const *self.environment) };
        gxf::host::check(code).map_err(Error::from)
    }

    /// Lets go of the components the parameters lead to; those that hold each other are freed that
    /// way. The component itself is not asked to do anything any more.
    pub fn clear_parameters(&self) {
        if let Some(clear) = self.vtable().and_then(|vtable| vtable.clear_parameters) {
            // SAFETY: the instance, which is part of no graph any more.
            unsafe { clear(self.object.as_ptr()) };
        }
    }

    /// The codelet this component is, if it is one.
    pub fn codelet(self: &Arc<Self>) -> Option<CodeletRef> {
        let (object, vtable) = self.interface(tids::CODELET)?;
        Some(CodeletRef {
            object,
            // SAFETY: the registry made a full-size copy that lives as long as the process.
            vtable: unsafe { &*vtable.cast() },
            info: TickInfo {
                size: size_of::<TickInfo>(),
                environment: &raw const *self.environment,
                timestamp: 0,
                previous_timestamp: 0,
                count: 0,
            },
            component: self.clone(),
        })
    }
}

impl Drop for Component {
    fn drop(&mut self) {
        if let Some(destroy) = self.type_info.construction.destroy {
            // SAFETY: what `create` returned, destroyed once.
            unsafe { destroy(self.object.as_ptr()) };
        }
        // SAFETY: allocated in `create` with this layout.
        unsafe { std::alloc::dealloc(self.storage.as_ptr(), self.layout) };
    }
}

impl std::fmt::Debug for Component {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} `{}` ({})", self.type_info.name, self.name, self.cid())
    }
}

fn owner_of(component: Arc<Component>) -> *mut c_void {
    Arc::into_raw(component).cast_mut().cast()
}

/// # Safety
/// `owner` must come from an [`InterfaceRef`] and still be owned.
pub(crate) unsafe fn retain_owner(owner: *mut c_void) {
    // SAFETY: made by `owner_of`.
    unsafe { Arc::increment_strong_count(owner.cast_const().cast::<Component>()) };
}

/// # Safety
/// `owner` must come from an [`InterfaceRef`] and not be used again.
pub(crate) unsafe fn release_owner(owner: *mut c_void) {
    if !owner.is_null() {
        // SAFETY: made by `owner_of`.
        drop(unsafe { Arc::from_raw(owner.cast_const().cast::<Component>()) });
    }
}

/// One of our own components as what it is. The engine takes this short way to what every message
/// passes; everything else goes through [`Interface`].
pub(crate) struct Native<T> {
    object: NonNull<T>,
    component: Arc<Component>,
}

// SAFETY: our own components are `Sync`, as the traits of `gxf::implement` demand.
unsafe impl<T: Sync> Send for Native<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Native<T> {}

impl<T> Native<T> {
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }
}

impl<T> std::ops::Deref for Native<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the type was compared, the component is kept alive, and nobody has a mutable
        // reference to a component that is not a codelet.
        unsafe { self.object.as_ref() }
    }
}

/// A typed interface of a component, which it keeps alive.
pub(crate) struct Interface<T> {
    interface: T,
    component: Arc<Component>,
}

impl<T> Interface<T> {
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }
}

impl<T> std::ops::Deref for Interface<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.interface
    }
}

impl<T: Clone> Clone for Interface<T> {
    fn clone(&self) -> Self {
        Self { interface: self.interface.clone(), component: self.component.clone() }
    }
}

/// An interface the runtime calls.
pub(crate) trait FromComponent: Sized {
    /// The interface of a component, if it has it.
    fn from_component(component: &Arc<Component>) -> Option<Interface<Self>>;
}

macro_rules! from_component {
    ($($name:ident = $tid:ident;)*) => {$(
        impl FromComponent for gxf::$name {
            fn from_component(component: &Arc<Component>) -> Option<Interface<Self>> {
                let (object, vtable) = component.interface(tids::$tid)?;
                Some(Interface {
                    // SAFETY: the table belongs to the object; the component is kept alive.
                    interface: unsafe { Self::from_raw(object, vtable) },
                    component: component.clone(),
                })
            }
        }
    )*};
}

from_component! {
    Queue = QUEUE;
    SchedulingTerm = SCHEDULING_TERM;
    SchedulingTermCombiner = SCHEDULING_TERM_COMBINER;
    BtSchedulingTerm = BT_SCHEDULING_TERM;
    Clock = CLOCK;
    Router = ROUTER;
    System = SYSTEM;
    Controller = CONTROLLER;
    Monitor = MONITOR;
    Allocator = ALLOCATOR;
}

macro_rules! derived_from_component {
    ($($name:ident: $base:ident = $tid:ident;)*) => {$(
        impl FromComponent for gxf::$name {
            fn from_component(component: &Arc<Component>) -> Option<Interface<Self>> {
                let base = gxf::$base::from_component(component)?.interface;
                let (object, vtable) = component.interface(tids::$tid)?;
                Some(Interface {
                    // SAFETY: the tables belong to the object; the component is kept alive.
                    interface: unsafe { Self::from_raw(object, vtable, base) },
                    component: component.clone(),
                })
            }
        }
    )*};
}

derived_from_component! {
    Receiver: Queue = RECEIVER;
    Transmitter: Queue = TRANSMITTER;
    Scheduler: System = SCHEDULER;
}

/// A codelet and what it is told about its executions.
pub(crate) struct CodeletRef {
    object: *mut c_void,
    vtable: &'static CodeletVtable,
    info: TickInfo,
    component: Arc<Component>,
}

// SAFETY: the codelet belongs to one entity, whose runner lets one thread at a time call it.
unsafe impl Send for CodeletRef {}

impl CodeletRef {
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }

    /// Calls `start`.
    pub fn start(&mut self, now: i64) -> ResultCode {
        super::host::begin_call();
        self.info.timestamp = now;
        self.info.previous_timestamp = now;
        self.info.count = 0;
        // SAFETY: object and table belong together; `&mut self` makes this the only call.
        self.vtable.start.map_or(ResultCode::SUCCESS, |start| unsafe {
            start(self.object, &raw const self.info)
        })
    }

    /// Calls `tick`.
    #[inline]
    pub fn tick(&mut self, now: i64) -> ResultCode {
        super::host::begin_call();
        let first = self.info.count == 0;
        self.info.previous_timestamp = if first { now } else { self.info.timestamp };
        self.info.timestamp = now;
        self.info.count += 1;
        // SAFETY: object and table belong together; `&mut self` makes this the only call.
        unsafe { (self.vtable.tick)(self.object, &raw const self.info) }
    }

    /// Calls `stop`.
    pub fn stop(&mut self) -> ResultCode {
        super::host::begin_call();
        // SAFETY: object and table belong together; `&mut self` makes this the only call.
        self.vtable
            .stop
            .map_or(ResultCode::SUCCESS, |stop| unsafe { stop(self.object, &raw const self.info) })
    }
}
