//! The table through which `libgxf_python_codelet.so` executes codelets.

#![expect(unsafe_code, reason = "functions that a library of another language calls")]

use crate::codelet::{Call, Codelet, CodeletContext, create as create_codelet};
use crate::error::{self, Origin};
use crate::guest;
use crate::interpreter::attached;
use crate::message::data_of;
use crate::term::{self, Term};
use gxf::abi::{ComponentEnvironment, Condition, HostTable, Text, TickInfo};
use gxf::support::guard;
use gxf::{Error, Result, ResultCode, TickContext, text_to_str};
use gxf_python_bridge::{Bridge, CAPSULE, PyData, VERSION};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use std::ffi::c_void;
use std::ptr::NonNull;

static TABLE: Bridge = Bridge {
    version: VERSION,
    attach,
    create,
    start,
    tick,
    stop,
    create_term,
    check,
    on_execute,
    update_state,
    destroy_term,
    destroy,
    pickle,
    unpickle,
};

/// The capsule with the table.
pub fn capsule(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: table and name are static.
    unsafe {
        let table = (&raw const TABLE).cast_mut().cast::<c_void>();
        Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(table, CAPSULE.as_ptr(), None))
    }
}

fn closed() -> Error {
    Error::failure("the Python program is ending, and its codelets with it")
}

unsafe extern "C" fn attach(host: *const HostTable) -> ResultCode {
    // SAFETY: the extension passes its host's table, which lives as long as the process.
    let Some(host) = (unsafe { host.as_ref() }) else { return ResultCode::ARGUMENT_NULL };
    if !std::ptr::eq(host, gxf::host::host()) {
        gxf::host::set_host(host);
        guest::become_guest();
    }
    ResultCode::SUCCESS
}

/// Address of the context that a call comes from.
///
/// # Safety
/// `info` must be valid.
unsafe fn address_of(info: *const TickInfo) -> *mut c_void {
    // SAFETY: the environment of a call is valid during it.
    unsafe { (*(*info).environment.cast::<ComponentEnvironment>()).context.cast() }
}

unsafe extern "C" fn create(
    info: *const TickInfo,
    name: Text,
    file: Text,
    parameters: Text,
    codelet: *mut *mut c_void,
) -> ResultCode {
    guard(|| {
        // SAFETY: the extension passes what is valid during the call.
        let (tick, address, name, file, parameters) = unsafe {
            let text = |text| text_to_str(text).unwrap_or_default();
            let tick = TickContext::from_raw(info);
            (tick, address_of(info), text(name), text(file), text(parameters))
        };
        let made = attached(|py| {
            let context = CodeletContext::new(tick, address, parameters);
            create_codelet(py, name, file, context).map_err(|raised| {
                let ids = (tick.eid(), tick.cid());
                let origin = Origin { context: address.addr(), ids, is_stop: false };
                error::failed(py, origin, &raised)
            })
        });
        let made = made.ok_or_else(closed)??;
        guest::add_context(address.addr());
        let owned = Owned { codelet: Some(made), address: address.addr() };
        // SAFETY: the extension passes a place for the result.
        unsafe { codelet.write(Box::into_raw(Box::new(owned)).cast()) };
        Ok(())
    })
}

/// What the extension holds.
struct Owned {
    /// `None` only while it is dropped.
    codelet: Option<Codelet>,
    address: usize,
}

impl Drop for Owned {
    fn drop(&mut self) {
        guest::remove_context(self.address);
        let codelet = self.codelet.take();
        let mut codelet = Some(codelet);
        _ = attached(|_| drop(codelet.take()));
        // After the interpreter's end its objects have no owner left.
        std::mem::forget(codelet);
    }
}

/// # Safety
/// `codelet` must come from `create` and `info` must be valid.
#[inline]
unsafe fn call(codelet: *mut c_void, info: *const TickInfo, call: Call) -> ResultCode {
    guard(|| -> Result<()> {
        // SAFETY: as the caller promises.
        let (owned, tick) =
            unsafe { (NonNull::new(codelet.cast::<Owned>()), TickContext::from_raw(info)) };
        // SAFETY: the extension owns the codelet, and this is the only call.
        let owned = owned.map(|owned| unsafe { owned.as_ref() });
        let codelet = owned.and_then(|owned| owned.codelet.as_ref());
        let codelet = codelet.ok_or(ResultCode::ARGUMENT_NULL)?;
        attached(|py| codelet.call(py, call, tick)).ok_or_else(closed)?
    })
}

unsafe extern "C" fn start(codelet: *mut c_void, info: *const TickInfo) -> ResultCode {
    // SAFETY: the extension passes its codelet and the host's information.
    unsafe { call(codelet, info, Call::Start) }
}

unsafe extern "C" fn tick(codelet: *mut c_void, info: *const TickInfo) -> ResultCode {
    // SAFETY: as above.
    unsafe { call(codelet, info, Call::Tick) }
}

unsafe extern "C" fn stop(codelet: *mut c_void, info: *const TickInfo) -> ResultCode {
    // SAFETY: as above.
    unsafe { call(codelet, info, Call::Stop) }
}

unsafe extern "C" fn create_term(
    info: *const TickInfo,
    name: Text,
    parameters: Text,
    place: *mut *mut c_void,
) -> ResultCode {
    guard(|| {
        // SAFETY: the extension passes what is valid during the call.
        let (tick, address, name, parameters) = unsafe {
            let text = |text| text_to_str(text).unwrap_or_default();
            (TickContext::from_raw(info), address_of(info), text(name), text(parameters))
        };
        let made = attached(|py| {
            let context = CodeletContext::new(tick, address, parameters);
            term::create(py, name, context).map_err(|raised| {
                let ids = (tick.eid(), tick.cid());
                let origin = Origin { context: address.addr(), ids, is_stop: false };
                error::failed(py, origin, &raised)
            })
        });
        let made = made.ok_or_else(closed)??;
        // SAFETY: the extension passes a place for the result.
        unsafe { place.write(Box::into_raw(Box::new(Some(made))).cast()) };
        Ok(())
    })
}

/// # Safety
/// `term` must come from `create_term`.
unsafe fn with_term(
    term: *mut c_void,
    f: impl FnOnce(Python<'_>, &Term) -> Result<()>,
) -> ResultCode {
    guard(|| {
        // SAFETY: as the caller promises; calls share the term.
        let term = unsafe { term.cast::<Option<Term>>().as_ref() }.and_then(Option::as_ref);
        let term = term.ok_or(ResultCode::ARGUMENT_NULL)?;
        attached(|py| f(py, term)).ok_or_else(closed)?
    })
}

unsafe extern "C" fn check(term: *mut c_void, now: i64, place: *mut Condition) -> ResultCode {
    // SAFETY: the extension passes its term, and a place for the result.
    unsafe {
        with_term(term, |py, term| {
            place.write(term.check(py, now)?);
            Ok(())
        })
    }
}

unsafe extern "C" fn on_execute(term: *mut c_void, now: i64) -> ResultCode {
    // SAFETY: the extension passes its term.
    unsafe { with_term(term, |py, term| term.on_execute(py, now)) }
}

unsafe extern "C" fn update_state(term: *mut c_void, now: i64) -> ResultCode {
    // SAFETY: the extension passes its term.
    unsafe { with_term(term, |py, term| term.update_state(py, now)) }
}

unsafe extern "C" fn destroy_term(term: *mut c_void) {
    _ = guard(|| {
        // SAFETY: the box comes from `create_term`, and the extension destroys it once.
        let mut term = unsafe { Box::from_raw(term.cast::<Option<Term>>()) };
        _ = attached(|_| drop(term.take()));
        std::mem::forget(term);
        Ok(())
    });
}

unsafe extern "C" fn destroy(codelet: *mut c_void) {
    _ = guard(|| {
        // SAFETY: the box comes from `create`, and the extension destroys it once.
        drop(unsafe { Box::from_raw(codelet.cast::<Owned>()) });
        Ok(())
    });
}

/// A function of the module `gxe._codelets`.
fn function<'py>(
    py: Python<'py>,
    known: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyAny>> {
    known.import(py, "gxe._codelets", name)
}

/// The error for an exception that no graph of this process has to know.
fn raised(error: &PyErr) -> Error {
    Error::failure(error.to_string())
}

unsafe extern "C" fn pickle(
    object: *mut c_void,
    write: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> ResultCode,
    user: *mut c_void,
) -> ResultCode {
    static PICKLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    guard(|| {
        let pickled = attached(|py| {
            // SAFETY: the extension's payload owns a reference during the call.
            let object = unsafe { Bound::from_borrowed_ptr_or_opt(py, object.cast()) };
            let object = object.unwrap_or_else(|| py.None().into_bound(py));
            let pickled = function(py, &PICKLE, "pickled")?.call1((object,))?;
            let bytes = pickled.cast::<PyBytes>()?.as_bytes();
            // SAFETY: the extension passes a function with its argument.
            Ok(unsafe { write(user, bytes.as_ptr(), bytes.len()) })
        });
        let code = pickled.ok_or_else(closed)?.map_err(|error: PyErr| raised(&error))?;
        gxf::host::check(code)
    })
}

unsafe extern "C" fn unpickle(bytes: *const u8, size: usize, data: *mut PyData) -> ResultCode {
    static UNPICKLE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    guard(|| {
        let object = attached(|py| {
            // SAFETY: the extension passes bytes that are valid during the call.
            let bytes = PyBytes::new(py, unsafe { std::slice::from_raw_parts(bytes, size) });
            let object = function(py, &UNPICKLE, "unpickled")?.call1((bytes,))?;
            Ok(data_of(object))
        });
        let object = object.ok_or_else(closed)?.map_err(|error: PyErr| raised(&error))?;
        // SAFETY: the extension passes its payload, which nobody else uses.
        unsafe { *data = object };
        Ok(())
    })
}
