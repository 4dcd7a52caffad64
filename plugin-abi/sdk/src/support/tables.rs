//! The function tables that every component has.

use super::guard;
use crate::implement::{Codelet, Component, Lifecycle, SharedCodelet};
use crate::{ComponentContext, Result, ResultCode, TickContext, abi};
use core::ffi::c_void;
use core::ptr::NonNull;

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
        // SAFETY: the host passes an object of type `T` and a valid environment.
        guard(|| unsafe { Lifecycle::initialize(&*object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn deinitialize(
        object: *mut c_void,
        environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the host passes an object of type `T` and a valid environment.
        guard(|| unsafe { Lifecycle::deinitialize(&*object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn check_parameters(
        object: *mut c_void,
        _environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the host passes an object of type `T`.
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
        // SAFETY: the host passes an object of type `T`.
        guard(|| unsafe { (*object.cast::<T>()).start(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn tick(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the host passes an object of type `T`.
        guard(|| unsafe { (*object.cast::<T>()).tick(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn stop(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the host passes an object of type `T`.
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
        // SAFETY: the host passes an object of type `T`, on one thread at a time.
        guard(|| unsafe { Codelet::initialize(&mut *object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn deinitialize(
        object: *mut c_void,
        environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the host passes an object of type `T`, on one thread at a time.
        guard(|| unsafe { Codelet::deinitialize(&mut *object.cast::<T>(), &context(environment)?) })
    }

    unsafe extern "C" fn check_parameters(
        object: *mut c_void,
        _environment: *const abi::ComponentEnvironment,
    ) -> ResultCode {
        // SAFETY: the host passes an object of type `T`, on one thread at a time.
        guard(|| unsafe { Codelet::check_parameters(&*object.cast::<T>()) })
    }

    unsafe extern "C" fn start(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the host passes an object of type `T`, on one thread at a time.
        guard(|| unsafe { (*object.cast::<T>()).start(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn tick(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the host passes an object of type `T`, on one thread at a time.
        guard(|| unsafe { (*object.cast::<T>()).tick(TickContext::from_raw(info)) })
    }

    unsafe extern "C" fn stop(object: *mut c_void, info: *const abi::TickInfo) -> ResultCode {
        // SAFETY: the host passes an object of type `T`, on one thread at a time.
        guard(|| unsafe { (*object.cast::<T>()).stop(TickContext::from_raw(info)) })
    }
}

/// # Safety
/// `environment` must be null or valid during the call.
unsafe fn context(environment: *const abi::ComponentEnvironment) -> Result<ComponentContext> {
    let environment = NonNull::new(environment.cast_mut()).ok_or(ResultCode::ARGUMENT_NULL)?;
    // SAFETY: `environment` is not null, hence valid during the call.
    Ok(unsafe { ComponentContext::from_raw(environment) })
}

unsafe extern "C" fn set_parameter<T: Component>(
    object: *mut c_void,
    environment: *const abi::ComponentEnvironment,
    index: usize,
    value: *const abi::Value,
) -> ResultCode {
    guard(|| {
        // SAFETY: the host passes an object of type `T`, and a value that is valid or null.
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
    // SAFETY: the host sets parameters of a codelet between ticks, so no reference to a replaced
    // value exists.
    if let Some(slot) = unsafe { &*object.cast::<T>() }.parameter(index) {
        // SAFETY: as above.
        unsafe { slot.drop_replaced() };
    }
    code
}

unsafe extern "C" fn clear_parameters<T: Component>(object: *mut c_void) {
    guard(|| {
        // SAFETY: the host passes an object of type `T`.
        let this = unsafe { &*object.cast::<T>() };
        for index in 0.. {
            let Some(slot) = this.parameter(index) else { break };
            // SAFETY: the component is no longer part of a graph and does not read these values.
            unsafe { slot.let_go() };
        }
        Ok(())
    });
}
