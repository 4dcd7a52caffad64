//! What the macros expand to: panic guards, the tables every component has, the factory. Not for
//! direct use.

pub use crate::handle::{ComponentPointer, resolve_component};
use crate::host::{host, report};
use crate::implement::{Codelet, Component, Lifecycle, SharedCodelet};
use crate::{
    ComponentContext, Error, Message, ParameterDescription, Result, ResultCode, TickContext, Tid,
    abi,
};
use core::cell::RefCell;
use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Text and place of the last panic on this thread, until somebody asks for it.
    static PANIC: RefCell<Panic> = const { RefCell::new(Panic(None)) };
}

/// A panic nobody caught in a callback, on an extension's own thread, is shown when the thread ends.
struct Panic(Option<String>);

impl Drop for Panic {
    fn drop(&mut self) {
        if let Some(text) = &self.0 {
            eprintln!("a thread of an extension {text}");
        }
    }
}

/// Lets panics inside callbacks end as errors instead of lines on standard error. That costs
/// nothing on the way in: the hook only keeps the text, and whoever catches the panic takes it.
pub fn install_panic_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line()));
            let text = info.payload_as_str().unwrap_or("a panic without a text");
            let text = format!("panicked{}: {text}", place.unwrap_or_default());
            // A second panic on the way out of the first: the thread is lost, and so is the text.
            let _ = PANIC.try_with(|slot| drop(slot.replace(Panic(Some(text)))));
        }));
    });
}

#[cold]
fn panicked(payload: &(dyn core::any::Any + Send)) -> Error {
    let text = PANIC.with(|slot| slot.borrow_mut().0.take()).unwrap_or_else(|| {
        let text = payload.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        format!("panicked: {}", text.as_deref().unwrap_or("a panic without a text"))
    });
    Error::failure(text)
}

#[inline]
fn caught<R>(body: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(panicked(&*payload)))
}

/// Runs the body of a callback: a panic becomes an error, an error its code and text.
#[inline]
pub fn guard(body: impl FnOnce() -> Result<()>) -> ResultCode {
    match caught(body) {
        Ok(()) => ResultCode::SUCCESS,
        Err(error) => report(&error),
    }
}

/// What a callback that cannot fail returns when it fails after all.
pub trait Fallback {
    /// The value.
    fn fallback() -> Self;
}

macro_rules! fallbacks {
    ($($type:ty = $value:expr;)*) => {
        $(impl Fallback for $type { fn fallback() -> Self { $value } })*
    };
}

fallbacks! {
    bool = false;
    i64 = 0;
    u64 = 0;
    usize = 0;
    *const u8 = core::ptr::null();
    abi::StorageType = abi::StorageType::SYSTEM;
    abi::AllocatorStatistics = abi::AllocatorStatistics::default();
    abi::ControllerStatus = abi::ControllerStatus { behavior: 4, execution: 3 };
    abi::AsynchronousEventState = abi::AsynchronousEventState::EVENT_NEVER;
}

/// As [`guard`] for callbacks that return a plain value: an error is logged.
#[inline]
pub fn guard_value<R: Fallback>(body: impl FnOnce() -> Result<R>) -> R {
    caught(body).unwrap_or_else(|error| {
        crate::error!("{error}");
        R::fallback()
    })
}

/// Function table of `nvidia::gxf::Component` for a component that is not a codelet.
pub struct ComponentTable<T>(core::marker::PhantomData<T>);

impl<T: Lifecycle> ComponentTable<T> {
    /// The table of `T`.
    pub const TABLE: abi::ComponentVtable = abi::ComponentVtable {
        size: size_of::<abi::ComponentVtable>(),
        set_parameter: Some(set_parameter::<T>),
        clear_parameters: Some(clear_parameters::<T>),
        initialize: Some(Self::initialize),
        deinitialize: Some(Self::deinitialize),
        check_parameters: Some(Self::check_parameters),
    };

    unsafe extern "C" fn initialize(
        object: *mut c_void,
        environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the border passes this type's object and a valid environment.
        guard(|| unsafe { Lifecycle::initialize(&*object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn deinitialize(
        object: *mut c_void,
        environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the border passes this type's object and a valid environment.
        guard(|| unsafe { Lifecycle::deinitialize(&*object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn check_parameters(
        object: *mut c_void,
        _environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the border passes this type's object.
        guard(|| unsafe { Lifecycle::check_parameters(&*object.cast::<T>()) })
    }
}

/// Function table of `nvidia::gxf::Codelet` for a codelet that others call while it works.
pub struct SharedCodeletTable<T>(core::marker::PhantomData<T>);

impl<T: SharedCodelet> SharedCodeletTable<T> {
    /// The table of `T`.
    pub const TABLE: abi::CodeletVtable = abi::CodeletVtable {
        size: size_of::<abi::CodeletVtable>(),
        start: Some(Self::start),
        tick: Self::tick,
        stop: Some(Self::stop),
    };

    unsafe extern "C" fn start(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the border passes this type's object.
        guard(|| unsafe { (*object.cast::<T>()).start(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn tick(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the border passes this type's object.
        guard(|| unsafe { (*object.cast::<T>()).tick(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn stop(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the border passes this type's object.
        guard(|| unsafe { (*object.cast::<T>()).stop(TickContext::from_raw(info)) })
    }
}

/// Function tables of a codelet: `nvidia::gxf::Component` and `nvidia::gxf::Codelet`.
pub struct CodeletTable<T>(core::marker::PhantomData<T>);

impl<T: Codelet> CodeletTable<T> {
    /// The `Component` part.
    pub const COMPONENT: abi::ComponentVtable = abi::ComponentVtable {
        size: size_of::<abi::ComponentVtable>(),
        set_parameter: Some(set_codelet_parameter::<T>),
        clear_parameters: Some(clear_parameters::<T>),
        initialize: Some(Self::initialize),
        deinitialize: Some(Self::deinitialize),
        check_parameters: Some(Self::check_parameters),
    };

    /// The `Codelet` part.
    pub const CODELET: abi::CodeletVtable = abi::CodeletVtable {
        size: size_of::<abi::CodeletVtable>(),
        start: Some(Self::start),
        tick: Self::tick,
        stop: Some(Self::stop),
    };

    unsafe extern "C" fn initialize(
        object: *mut c_void,
        environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the border passes this type's object, to one thread at a time.
        guard(|| unsafe { Codelet::initialize(&mut *object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn deinitialize(
        object: *mut c_void,
        environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the border passes this type's object, to one thread at a time.
        guard(|| unsafe { Codelet::deinitialize(&mut *object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn check_parameters(
        object: *mut c_void,
        _environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the border passes this type's object, to one thread at a time.
        guard(|| unsafe { Codelet::check_parameters(&*object.cast::<T>()) })
    }

    unsafe extern "C" fn start(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the border passes this type's object, to one thread at a time.
        guard(|| unsafe { (*object.cast::<T>()).start(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn tick(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the border passes this type's object, to one thread at a time.
        guard(|| unsafe { (*object.cast::<T>()).tick(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn stop(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the border passes this type's object, to one thread at a time.
        guard(|| unsafe { (*object.cast::<T>()).stop(TickContext::from_raw(info)) })
    }
}

/// # Safety
/// `environment` must be null or valid during the call.
unsafe fn context(environment: *const abi::ComponentEnvironment) -> Result<ComponentContext> {
    let environment = NonNull::new(environment.cast_mut()).ok_or(ResultCode::ARGUMENT_NULL)?;
    // SAFETY: the caller's promise.
    Ok(unsafe { ComponentContext::from_raw(environment) })
}

unsafe extern "C" fn set_parameter<T: Component>(
    object: *mut c_void,
    environment: *const abi::ComponentEnvironment,
    index: usize,
    value: *const abi::Value,
) -> ResultCode {
    guard(|| {
        // SAFETY: the border passes this type's object and a value that is valid or null.
        let (this, context, value) =
            unsafe { (&*object.cast::<T>(), context(environment)?, value.as_ref()) };
        let slot = this.parameter(index).ok_or(ResultCode::PARAMETER_NOT_FOUND)?;
        slot.assign(&context, value)
    })
}

unsafe extern "C" fn set_codelet_parameter<T: Component>(
    object: *mut c_void,
    environment: *const abi::ComponentEnvironment,
    index: usize,
    value: *const abi::Value,
) -> ResultCode {
    // SAFETY: same arguments.
    let code = unsafe { set_parameter::<T>(object, environment, index, value) };
    // SAFETY: the border sets parameters of a codelet between ticks, so nobody holds a reference
    // to a value that was replaced.
    if let Some(slot) = unsafe { &*object.cast::<T>() }.parameter(index) {
        // SAFETY: as above.
        unsafe { slot.drop_replaced() };
    }
    code
}

unsafe extern "C" fn clear_parameters<T: Component>(object: *mut c_void) {
    guard(|| {
        // SAFETY: the border passes this type's object.
        let this = unsafe { &*object.cast::<T>() };
        for index in 0.. {
            let Some(slot) = this.parameter(index) else { break };
            // SAFETY: the component is not part of a graph any more, so that it needs no others.
            unsafe { slot.let_go() };
        }
        Ok(())
    });
}

unsafe extern "C" fn create<T: Default>(
    storage: *mut c_void,
    _environment: *const abi::ComponentEnvironment,
) -> *mut c_void {
    let mut made = core::ptr::null_mut();
    guard(|| {
        let value = T::default();
        // SAFETY: the border provides room of this type's size and alignment.
        unsafe { storage.cast::<T>().write(value) };
        made = storage;
        Ok(())
    });
    made
}

unsafe extern "C" fn destroy<T>(object: *mut c_void) {
    guard(|| {
        // SAFETY: the border passes what `create` returned, once.
        unsafe { object.cast::<T>().drop_in_place() };
        Ok(())
    });
}

/// Names and texts of a component type, for [`component_type`] and [`payload_type`].
pub struct TypeTexts {
    /// Type id.
    pub tid: Tid,
    /// Id of the base, null for none.
    pub base: Tid,
    /// Full name.
    pub name: &'static CStr,
    /// Name shown in tools; empty for none.
    pub display_name: &'static str,
    /// One line shown in tools; empty for none.
    pub brief: &'static str,
    /// Full description; empty for none.
    pub description: &'static str,
    /// `TYPE_…` flags of the border.
    pub flags: u32,
}

fn c_text(text: &str) -> *const c_char {
    if text.is_empty() {
        return core::ptr::null();
    }
    // A text with a zero byte inside is cut there, as C would.
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).map_or(core::ptr::null(), |text| text.into_raw().cast_const())
}

fn leak<T>(values: Vec<T>) -> (*const T, usize) {
    let values = Vec::leak(values);
    (values.as_ptr(), values.len())
}

/// Describes a component type to the host. The description lives as long as the process.
#[must_use]
pub fn component_type<T: Component + Default>(
    texts: TypeTexts,
    interfaces: Vec<abi::InterfaceEntry>,
) -> &'static abi::ComponentType {
    let parameters = T::parameters().iter().map(ParameterDescription::to_descriptor).collect();
    let description = if texts.description.is_empty() { T::DESCRIPTION } else { texts.description };
    describe::<T>(TypeTexts { description, ..texts }, leak(parameters), leak(interfaces))
}

/// Describes a payload type to the host. The description lives as long as the process.
#[must_use]
pub fn payload_type<T: crate::Payload + Default>(texts: TypeTexts) -> &'static abi::ComponentType {
    describe::<T>(texts, (core::ptr::null(), 0), (core::ptr::null(), 0))
}

fn describe<T: Default>(
    texts: TypeTexts,
    parameters: (*const abi::ParameterDescriptor, usize),
    interfaces: (*const abi::InterfaceEntry, usize),
) -> &'static abi::ComponentType {
    Box::leak(Box::new(abi::ComponentType {
        size: size_of::<abi::ComponentType>(),
        tid: texts.tid,
        base_tid: texts.base,
        type_name: texts.name.as_ptr(),
        display_name: c_text(texts.display_name),
        brief: c_text(texts.brief),
        description: c_text(texts.description),
        flags: texts.flags,
        reserved: 0,
        instance_size: size_of::<T>(),
        instance_alignment: align_of::<T>(),
        create: Some(create::<T>),
        destroy: Some(destroy::<T>),
        parameters: parameters.0,
        parameter_count: parameters.1,
        interfaces: interfaces.0,
        interface_count: interfaces.1,
    }))
}

/// One entry of a type's interface list.
#[must_use]
pub const fn interface<V>(id: Tid, vtable: &'static V) -> abi::InterfaceEntry {
    abi::InterfaceEntry { id, offset: 0, vtable: core::ptr::from_ref(vtable).cast() }
}

/// Body of the factory function: remembers the host and hands out the types.
///
/// # Safety
/// `table` must be the host's table, valid for the life of the process; `factory` must be writable.
pub unsafe fn create_factory(
    table: *const abi::HostTable,
    factory: *mut abi::ExtensionFactory,
    types: impl FnOnce() -> Vec<&'static abi::ComponentType>,
) -> ResultCode {
    // SAFETY: the caller's promise.
    let (Some(table), false) = (unsafe { table.as_ref() }, factory.is_null()) else {
        return ResultCode::ARGUMENT_NULL;
    };
    crate::host::set_host(table);
    install_panic_hook();
    guard(|| {
        let types: Vec<*const abi::ComponentType> =
            types().into_iter().map(core::ptr::from_ref).collect();
        let (types, type_count) = leak(types);
        // SAFETY: the caller's promise.
        unsafe {
            (*factory).types = types;
            (*factory).type_count = type_count;
        }
        Ok(())
    })
}

/// `build_info` of extensions written with this crate.
pub const BUILD_INFO: &CStr = c"Rust, gxf SDK";

/// Makes a text constant end with a zero byte; the factory macro calls this on literals it made.
#[must_use]
pub const fn c_literal(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text contains a zero byte"),
    }
}

/// Whether a message is still held by others, for tests of extensions.
#[must_use]
pub fn reference_count(message: &Message) -> u32 {
    // SAFETY: the message is alive.
    unsafe { (host().message_reference_count)(message.as_raw().as_ptr()) }
}
