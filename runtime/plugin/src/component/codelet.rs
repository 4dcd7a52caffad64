//! Calls of a codelet.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::Component;
use crate::reported::begin_call;
use gxf_plugin_abi::{CodeletVtable, ResultCode, TickInfo, tids};
use std::ffi::c_void;
use std::sync::Arc;

/// A codelet and the information about its executions.
pub struct CodeletRef {
    object: *mut c_void,
    vtable: &'static CodeletVtable,
    info: TickInfo,
    component: Arc<Component>,
}

// SAFETY: the codelet belongs to one entity, whose runner lets one thread at a time call it.
unsafe impl Send for CodeletRef {}

impl Component {
    /// This component as a codelet, if it is one.
    pub fn codelet(self: &Arc<Self>) -> Option<CodeletRef> {
        let (object, vtable) = self.interface(tids::CODELET)?;
        Some(CodeletRef {
            object,
            // SAFETY: the registry made a full-size copy that lives as long as the process.
            vtable: unsafe { &*vtable.cast() },
            info: TickInfo {
                size: size_of::<TickInfo>(),
                environment: self.environment.as_ptr(),
                timestamp: 0,
                previous_timestamp: 0,
                count: 0,
            },
            component: self.clone(),
        })
    }
}

impl CodeletRef {
    /// The codelet's component.
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }

    /// Calls `start`.
    pub fn start(&mut self, now: i64) -> ResultCode {
        begin_call();
        self.info.timestamp = now;
        self.info.previous_timestamp = now;
        self.info.count = 0;
        // SAFETY: object and table belong together, and `&mut self` excludes other calls.
        self.vtable.start.map_or(ResultCode::SUCCESS, |start| unsafe {
            start(self.object, &raw const self.info)
        })
    }

    /// Calls `tick`.
    #[inline(always)]
    pub fn tick(&mut self, now: i64) -> ResultCode {
        begin_call();
        let first = self.info.count == 0;
        self.info.previous_timestamp = if first { now } else { self.info.timestamp };
        self.info.timestamp = now;
        self.info.count += 1;
        // SAFETY: object and table belong together, and `&mut self` excludes other calls.
        unsafe { (self.vtable.tick)(self.object, &raw const self.info) }
    }

    /// Calls `stop`.
    pub fn stop(&mut self) -> ResultCode {
        begin_call();
        // SAFETY: object and table belong together, and `&mut self` excludes other calls.
        self.vtable
            .stop
            .map_or(ResultCode::SUCCESS, |stop| unsafe { stop(self.object, &raw const self.info) })
    }
}
