//! The component `PyCodeletV0`.

#![expect(unsafe_code, reason = "calls the functions of the Python module's table")]

use crate::interpreter::bridge;
use gxf::abi::TickInfo;
use gxf::prelude::*;
use gxf::{Yaml, host, text_of};
use gxf_python_bridge::Bridge;
use std::ffi::c_void;
use std::ptr::NonNull;

/// Executes a codelet written in Python: a class with `start`, `tick` and `stop`, or what
/// `@gxe.codelet` decorates. Its ports are the queues of the entity, by name.
#[derive(Component, Default)]
pub struct PyCodelet {
    /// Name of the class or function in `codelet_file`.
    codelet_name: Parameter<String>,
    /// Python file with the codelet; its folder joins `sys.path`. Without one, or with `None`, the
    /// codelet is one of the running Python program.
    #[parameter(default = "")]
    codelet_file: Parameter<String>,
    /// Parameters that the codelet reads as a dictionary.
    codelet_params: Parameter<Option<Yaml>>,
    instance: Option<Instance>,
}

/// The codelet that Python made.
struct Instance {
    object: NonNull<c_void>,
    bridge: &'static Bridge,
}

// SAFETY: the functions of the table take the interpreter's lock, and may be called from any thread.
unsafe impl Send for Instance {}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: `create` returned the object, and this is its only owner.
        unsafe { (self.bridge.destroy)(self.object.as_ptr()) };
    }
}

fn info_of(context: &TickContext) -> *const TickInfo {
    // `TickContext` is a transparent wrapper.
    core::ptr::from_ref(context).cast()
}

impl PyCodelet {
    fn create(&self, context: &TickContext) -> Result<Instance> {
        let bridge = bridge()?;
        let parameters = self.codelet_params.as_ref().map_or("", |yaml| yaml.0.as_str());
        let mut object = std::ptr::null_mut();
        // SAFETY: all texts live until the call returns; `object` is written on success only.
        host::check(unsafe {
            (bridge.create)(
                info_of(context),
                text_of(&self.codelet_name),
                text_of(&self.codelet_file),
                text_of(parameters),
                &raw mut object,
            )
        })?;
        let object = NonNull::new(object).ok_or(ResultCode::NULL_POINTER)?;
        Ok(Instance { object, bridge })
    }

    fn instance(&self) -> Result<&Instance> {
        self.instance.as_ref().ok_or_else(|| ResultCode::INVALID_LIFECYCLE_STAGE.into())
    }
}

impl Codelet for PyCodelet {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        let instance = self.instance.insert(self.create(context)?);
        // SAFETY: the object is that of `create`, and no other call uses it.
        host::check(unsafe { (instance.bridge.start)(instance.object.as_ptr(), info_of(context)) })
    }

    #[inline]
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let instance = self.instance()?;
        // SAFETY: as in `start`.
        host::check(unsafe { (instance.bridge.tick)(instance.object.as_ptr(), info_of(context)) })
    }

    fn stop(&mut self, context: &TickContext) -> Result<()> {
        let Some(instance) = self.instance.take() else { return Ok(()) };
        // SAFETY: as in `start`.
        host::check(unsafe { (instance.bridge.stop)(instance.object.as_ptr(), info_of(context)) })
    }
}
