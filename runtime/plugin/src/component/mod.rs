//! A component instance: its memory and its life. `parameters.rs` has its parameters,
//! `interface.rs` the runtime's calls to it, `codelet.rs` the calls of a codelet.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

mod codelet;
mod interface;
mod parameters;

use crate::call_note::{Callee, noted};
use crate::descriptor::Construction;
use crate::registry::TypeInfo;
use crate::reported::take_reported;
pub use codelet::CodeletRef;
use gxf::host::MayThrow as _;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_plugin_abi::{
    ComponentEnvironment, ComponentVtable, Context, InterfaceRef, ResultCode, Tid, Uid, tids,
};
use gxf_sync::call_gate::CallGate;
pub use interface::{FromComponent, Interface, Native};
use parameters::Parameters;
use parking_lot::Mutex;
use std::alloc::{Layout, LayoutError};
use std::any::TypeId;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

/// A component of an entity. A reference keeps its memory alive.
pub struct Component {
    type_info: Arc<TypeInfo>,
    name: Box<str>,
    object: NonNull<c_void>,
    /// Behind the instance in the same allocation, because the component may keep its address.
    environment: NonNull<ComponentEnvironment>,
    parameters: Mutex<Parameters>,
    /// Calls by other entities.
    gate: CallGate,
}

// SAFETY: the ABI allows calls from any thread, except where the users of `Component` (the entity's
// runner, the life cycle) ensure one call at a time.
unsafe impl Send for Component {}

// SAFETY: as above.
unsafe impl Sync for Component {}

/// A function of the component's table that has no further arguments.
type Call = unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> ResultCode;

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
                format!("`{}` is abstract and has no instances", type_info.name),
            ));
        };
        let (layout, offset) = layout_of(construction)
            .map_err(|_| ResultCode::FACTORY_INVALID_INFO)
            .map_err(|code| Error::new(code, "impossible size of an instance"))?;
        // SAFETY: the size is not zero.
        let storage = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })
            .ok_or_else(|| Error::new(ResultCode::OUT_OF_MEMORY, "no memory for a component"))?;
        // SAFETY: the layout has room for the environment at this offset, aligned for it.
        let environment = unsafe { storage.add(offset) }.cast::<ComponentEnvironment>();
        let size = size_of::<ComponentEnvironment>();
        // SAFETY: fresh memory for an environment, see above.
        unsafe { environment.write(ComponentEnvironment { size, context, eid, cid }) };
        // SAFETY: the storage has the type's size and alignment, and the environment is valid.
        let object = unsafe { create.unwinding()(storage.as_ptr().cast(), environment.as_ptr()) };
        let Some(object) = NonNull::new(object) else {
            // SAFETY: the storage was allocated above with this layout.
            unsafe { std::alloc::dealloc(storage.as_ptr(), layout) };
            let mut error = Error::new(
                ResultCode::FAILURE,
                format!("an instance of `{}` could not be created", type_info.name),
            );
            if let Some(text) = take_reported(ResultCode::FAILURE) {
                error = error.caused_by(text);
            }
            return Err(error);
        };
        Ok(Arc::new(Self {
            type_info: type_info.clone(),
            name: name.into(),
            object,
            environment,
            parameters: Mutex::default(),
            gate: CallGate::default(),
        }))
    }

    #[inline]
    fn environment(&self) -> &ComponentEnvironment {
        // SAFETY: `create` wrote it, and it lives as long as the storage.
        unsafe { self.environment.as_ref() }
    }

    /// Id of the component.
    pub fn cid(&self) -> Uid {
        self.environment().cid
    }

    /// Id of its entity.
    pub fn eid(&self) -> Uid {
        self.environment().eid
    }

    /// Its name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Type of the component.
    pub fn type_info(&self) -> &Arc<TypeInfo> {
        &self.type_info
    }

    /// Whether its type is `tid` or derived from it.
    pub fn is_a(&self, tid: Tid) -> bool {
        self.type_info.is_a(tid)
    }

    /// Whether a handle to `tid` may refer to it: it is of this type, or has the interface besides
    /// that of its own base type.
    pub fn serves_as(&self, tid: Tid) -> bool {
        self.is_a(tid) || self.interface(tid).is_some()
    }

    /// Name, or type if it has no name; for messages to people.
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.type_info.name } else { &self.name }
    }

    /// Name, type and extension, for messages to people.
    pub fn description(&self) -> String {
        let [name, type_name, extension] =
            [&*self.name, &*self.type_info.name, &*self.type_info.extension].map(one_line);
        match name.as_str() {
            "" => format!("component of type {type_name} (extension {extension})"),
            name => format!("component `{name}` of type {type_name} (extension {extension})"),
        }
    }

    /// Object and function table of an interface.
    pub fn interface(&self, id: Tid) -> Option<(*mut c_void, *const c_void)> {
        let interface = self.type_info.construction.interface(id)?;
        // SAFETY: the type declares that the interface's object is at this offset.
        let object = unsafe { self.object.as_ptr().cast::<u8>().offset(interface.offset) };
        Some((object.cast(), interface.vtable.as_ptr()))
    }

    /// An interface of the component, with a reference for the receiver.
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

    /// A token that wakes the component's entity.
    ///
    /// # Errors
    /// The entity is gone.
    pub fn wake_token(&self) -> gxf::Result<gxf::WakeToken> {
        let mut token = std::ptr::null_mut();
        let (context, eid) = (self.environment().context, self.eid());
        // SAFETY: the context is alive while the component is; `token` is written on success only.
        gxf::host::check(unsafe {
            (gxf::host::host().wake_token_new)(context, eid, &raw mut token)
        })?;
        // SAFETY: on success the host returns a token with one reference, which this call owns.
        unsafe { gxf::WakeToken::from_raw(token) }
    }

    /// Direct access to a built-in component, past the ABI.
    pub fn native<T: 'static>(self: &Arc<Self>) -> Option<Native<T>> {
        (self.type_info.native == Some(TypeId::of::<T>()))
            .then(|| Native { object: self.object.cast(), component: self.clone() })
    }

    fn vtable(&self) -> Option<&'static ComponentVtable> {
        let (_, vtable) = self.interface(tids::COMPONENT)?;
        // SAFETY: the registry made a full-size copy that lives as long as the process.
        Some(unsafe { &*vtable.cast() })
    }

    /// Checks that the parameter values fit together. All of them must be set.
    pub fn check_parameters(&self) -> Result<()> {
        self.call("check_parameters", |vtable| vtable.check_parameters)
    }

    /// Ends the calls by other entities: none begins any more. Waits for those in progress, which
    /// must not wait for the calling thread.
    pub fn end_calls(&self) {
        /// How often to look.
        const PERIOD: Duration = Duration::from_micros(50);
        self.gate.close();
        while !self.gate.is_empty() {
            std::thread::sleep(PERIOD);
        }
    }

    /// Calls `initialize`.
    pub fn initialize(&self) -> Result<()> {
        self.gate.open();
        self.call("initialize", |vtable| vtable.initialize)
    }

    /// Calls `deinitialize`.
    pub fn deinitialize(&self) -> Result<()> {
        self.call("deinitialize", |vtable| vtable.deinitialize)
    }

    /// Calls a function of the component's table, if the component has it.
    fn call(
        &self,
        name: &'static str,
        function: impl FnOnce(&ComponentVtable) -> Option<Call>,
    ) -> Result<()> {
        let Some(function) = self.vtable().and_then(function) else { return Ok(()) };
        let environment = self.environment.as_ptr();
        // SAFETY: the instance and its environment; the life cycle calls once at a time.
        let call = || unsafe { function.unwinding()(self.object.as_ptr(), environment) };
        gxf::host::check(self.noted(name, call)).map_err(Error::from)
    }

    /// Runs a call of a function of the component with a note about it. The name of the entity comes
    /// from a call around this one, or from what the engine executes.
    #[inline]
    fn noted<R>(&self, function: &'static str, call: impl FnOnce() -> R) -> R {
        let (eid, name, type_info) = (self.eid(), self.name(), self.type_info());
        noted(Callee::Component { eid, entity: "", name, type_info }, function, call)
    }
}

impl Drop for Component {
    fn drop(&mut self) {
        if let Some(destroy) = self.type_info.construction.destroy {
            // SAFETY: what `create` returned, destroyed once.
            self.noted("destroy", || unsafe { destroy.unwinding()(self.object.as_ptr()) });
        }
        let Ok((layout, offset)) = layout_of(&self.type_info.construction) else { return };
        // SAFETY: `create` allocated the storage with this layout, and the environment lies at this
        // offset in it.
        unsafe { std::alloc::dealloc(self.environment.cast::<u8>().sub(offset).as_ptr(), layout) };
    }
}

/// Components have cache lines of their own: those of entities on different threads change all the time.
const CACHE_LINE: usize = 64;

/// The layout of an instance with its environment, and the offset of the environment.
fn layout_of(construction: &Construction) -> std::result::Result<(Layout, usize), LayoutError> {
    let alignment = construction.alignment.max(CACHE_LINE);
    let instance = Layout::from_size_align(construction.size.max(1), alignment)?;
    let (both, offset) = instance.extend(Layout::new::<ComponentEnvironment>())?;
    Ok((both.pad_to_align(), offset))
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
/// `owner` must come from an [`InterfaceRef`] and not be released yet.
pub unsafe fn retain_owner(owner: *mut c_void) {
    // SAFETY: `owner_of` created this pointer from an `Arc`.
    unsafe { Arc::increment_strong_count(owner.cast_const().cast::<Component>()) };
}

/// # Safety
/// `owner` must come from an [`InterfaceRef`] and not be used again.
pub unsafe fn release_owner(owner: *mut c_void) {
    if !owner.is_null() {
        // SAFETY: `owner_of` created this pointer from an `Arc`.
        drop(unsafe { Arc::from_raw(owner.cast_const().cast::<Component>()) });
    }
}
