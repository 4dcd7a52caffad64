//! The component `gxe::PythonSchedulingTerm`.

#![expect(unsafe_code, reason = "calls the functions of the Python module's table")]

use crate::interpreter::bridge;
use gxf::abi::{ComponentEnvironment, TickInfo};
use gxf::prelude::*;
use gxf::{Yaml, host, text_of};
use gxf_python_bridge::Bridge;
use parking_lot::RwLock;
use std::ffi::c_void;
use std::ptr::NonNull;

/// Lets its entity run when a condition written in Python says so. The engine asks it regularly.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct PythonTerm {
    /// Name of the condition in the running Python program.
    condition_name: Parameter<String>,
    /// Parameters that the condition reads.
    parameters: Parameter<Option<Yaml>>,
    instance: RwLock<Option<Instance>>,
}

/// The condition that Python made.
struct Instance {
    object: NonNull<c_void>,
    bridge: &'static Bridge,
}

// SAFETY: the functions of the table take the interpreter's lock, and may be called from any thread.
unsafe impl Send for Instance {}
// SAFETY: as above.
unsafe impl Sync for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `create_term` returned the object, and this is its only owner.
        unsafe { (self.bridge.destroy_term)(self.object.as_ptr()) };
    }
}

impl PythonTerm {
    /// Calls the condition.
    fn with<R>(&self, call: impl FnOnce(&Instance) -> Result<R>) -> Result<R> {
        let instance = self.instance.read();
        call(instance.as_ref().ok_or(ResultCode::UNINITIALIZED_VALUE)?)
    }
}

impl Lifecycle for PythonTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let bridge = bridge()?;
        // `ComponentContext` is a transparent wrapper of this pointer.
        let environment = core::ptr::from_ref(context).cast::<*const ComponentEnvironment>();
        let info = TickInfo {
            size: size_of::<TickInfo>(),
            // SAFETY: see above.
            environment: unsafe { environment.read() },
            timestamp: 0,
            previous_timestamp: 0,
            count: 0,
        };
        let parameters = self.parameters.as_ref().map_or("", |yaml| yaml.0.as_str());
        let mut object = std::ptr::null_mut();
        // SAFETY: information and texts live until the call returns; `object` is written on success
        // only.
        host::check(unsafe {
            let (name, parameters) = (text_of(&self.condition_name), text_of(parameters));
            (bridge.create_term)(&raw const info, name, parameters, &raw mut object)
        })?;
        let object = NonNull::new(object).ok_or(ResultCode::NULL_POINTER)?;
        *self.instance.write() = Some(Instance { object, bridge });
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let instance = self.instance.write().take();
        drop(instance);
        Ok(())
    }
}

impl implement::SchedulingTerm for PythonTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        self.with(|Instance { object, bridge }| {
            let mut condition = Condition { condition_type: ConditionType::NEVER, target: now };
            // SAFETY: the object is that of `create_term`; the condition has room.
            host::check(unsafe { (bridge.check)(object.as_ptr(), now, &raw mut condition) })?;
            Ok(condition)
        })
    }

    fn on_execute(&self, now: i64) -> Result<()> {
        self.with(|Instance { object, bridge }| {
            // SAFETY: the object is that of `create_term`.
            host::check(unsafe { (bridge.on_execute)(object.as_ptr(), now) })
        })
    }

    fn update_state(&self, now: i64) -> Result<()> {
        self.with(|Instance { object, bridge }| {
            // SAFETY: the object is that of `create_term`.
            host::check(unsafe { (bridge.update_state)(object.as_ptr(), now) })
        })
    }
}
