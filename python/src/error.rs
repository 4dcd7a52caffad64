//! Errors as exceptions, exceptions as errors.

use gxf::ResultCode;
use gxf_runtime::Context;
use gxf_runtime::graph::Severity;
use parking_lot::Mutex;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

/// Where an exception came from.
#[derive(Clone, Copy, PartialEq)]
pub struct Origin {
    /// Address of the graph's context.
    pub context: usize,
    /// Ids of the codelet's entity and component.
    pub ids: (i64, i64),
    /// Whether it was the last call of the codelet: one before may have ended the graph.
    pub is_stop: bool,
}

/// An exception of a codelet that may have ended its graph.
struct Failure {
    origin: Origin,
    exception: Py<PyAny>,
}

/// The latest exception of each origin since the run of its graph began, the latest of all at the end: a
/// controller may have let the graph go on after others.
static FAILURES: Mutex<Vec<Failure>> = Mutex::new(Vec::new());

fn class<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "gxe._errors", "GxfError")
}

/// Where and what failed, for `GxfError`.
#[derive(Default)]
pub struct Place {
    /// Name of the entity.
    pub entity: Option<String>,
    /// Name of the component, or its type.
    pub component: Option<String>,
    /// What was called.
    pub stage: Option<String>,
}

/// A `GxfError`.
pub fn exception(py: Python<'_>, code: ResultCode, text: &str, place: Place) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let keys = PyDict::new(py);
        keys.set_item("code", code.name())?;
        keys.set_item("entity", place.entity)?;
        keys.set_item("component", place.component)?;
        keys.set_item("stage", place.stage)?;
        Ok(PyErr::from_value(class(py)?.call((text,), Some(&keys))?))
    };
    made().unwrap_or_else(|error| error)
}

/// The exception for an error of the SDK.
pub fn of_sdk(py: Python<'_>, error: &gxf::Error) -> PyErr {
    exception(py, error.code(), &error.to_string(), Place::default())
}

/// The exception for an error of a graph. Its cause is the exception of the codelet that failed.
pub fn of_graph(py: Python<'_>, context: &Context, error: gxf_runtime::Error) -> PyErr {
    let component = error.component();
    let name = |cid| {
        let name = context.component_name(cid).ok().filter(|name| !name.is_empty());
        name.or_else(|| {
            Some(context.type_info_by_id(context.component_type(cid).ok()?)?.name.clone())
        })
    };
    let entity = component.and_then(|cid| context.component_entity(cid).ok());
    let findings = error.diagnostics().into_iter().flatten();
    let mut mistakes = findings.filter(|found| found.severity == Severity::Error);
    let (first, second) = mistakes.next().map_or((None, None), |found| subject(&found.message));
    let place = Place {
        entity: entity.and_then(|eid| context.entity_name(eid).ok()).or(first),
        component: component.and_then(name).or(second),
        stage: error.stage().map(str::to_owned),
    };
    let is_stop = error.stage() == Some("stop");
    let origin = component.map(|cid| {
        let ids = (entity.unwrap_or_default(), cid);
        Origin { context: context.as_raw().addr(), ids, is_stop }
    });
    let error = gxf::Error::from(error);
    let raised = exception(py, error.code(), error.message(), place);
    let mut failures = origin.map(|origin| take_failures(origin.context)).unwrap_or_default();
    if let Some(at) = failures.iter().position(|failure| Some(failure.origin) == origin) {
        let cause = failures.swap_remove(at).exception;
        raised.set_cause(py, Some(PyErr::from_value(cause.into_bound(py))));
    }
    raised
}

/// Entity and component that a finding begins with: "entity `a`, component `b`: …".
fn subject(text: &str) -> (Option<String>, Option<String>) {
    let named = |text: &str, kind: &str| {
        let (name, rest) = text.strip_prefix(kind)?.strip_prefix(" `")?.split_once('`')?;
        Some((name.to_owned(), rest.to_owned()))
    };
    let Some((entity, rest)) = named(text, "entity") else { return (None, None) };
    let component = rest.strip_prefix(", ").and_then(|rest| named(rest, "component"));
    (Some(entity), component.map(|(name, _)| name))
}

/// Remembers an exception, and returns its text: `ValueError: …`, with the traceback if nobody else
/// can show it.
pub fn failed(py: Python<'_>, origin: Origin, error: &PyErr) -> gxf::Error {
    let code = code_of(py, error);
    let is_guest = crate::guest::is_guest();
    let text = text(py, error, is_guest).unwrap_or_else(|_| error.to_string());
    let failure = gxf::Error::new(code, text);
    if is_guest {
        return failure;
    }
    if let Some(traceback) = error.traceback(py) {
        // Fails for no exception.
        _ = error.value(py).setattr("__traceback__", traceback);
    }
    let exception = error.value(py).clone().unbind().into_any();
    let mut failures = FAILURES.lock();
    let known = failures.iter().position(|known| known.origin == origin);
    let earlier = known.map(|at| failures.remove(at));
    failures.push(Failure { origin, exception });
    drop(failures);
    // What it owns may fail, too.
    drop(earlier);
    failure
}

/// Forgets the exceptions of a graph whose run begins, or which ends.
pub fn forget_failures(context: usize) {
    drop(take_failures(context));
}

/// The exception that most likely ended a graph, once.
pub fn take_exception(context: usize) -> Option<Py<PyAny>> {
    let mut failures = take_failures(context);
    let at = failures.iter().rposition(|failure| !failure.origin.is_stop);
    at.or_else(|| failures.len().checked_sub(1)).map(|at| failures.swap_remove(at).exception)
}

fn take_failures(context: usize) -> Vec<Failure> {
    let mut failures = FAILURES.lock();
    failures.extract_if(.., |failure| failure.origin.context == context).collect()
}

/// The code that a codelet raised itself, else `GXF_FAILURE`.
fn code_of(py: Python<'_>, error: &PyErr) -> ResultCode {
    let stated = class(py).ok().filter(|class| error.is_instance(py, class));
    let name = stated.and_then(|_| error.value(py).getattr("code").ok()?.extract::<String>().ok());
    // GXF numbers its results from 0 on.
    let known = (1..=u8::MAX).map(|number| ResultCode(number.into()));
    let code = name.and_then(|name| known.into_iter().find(|code| code.name() == name));
    code.unwrap_or(ResultCode::FAILURE)
}

fn text(py: Python<'_>, error: &PyErr, with_traceback: bool) -> PyResult<String> {
    let module = py.import("traceback")?;
    let (kind, value) = (error.get_type(py), error.value(py));
    let lines = if with_traceback {
        module.call_method1("format_exception", (kind, value, error.traceback(py)))?
    } else {
        module.call_method1("format_exception_only", (kind, value))?
    };
    let lines: Vec<String> = lines.extract()?;
    Ok(lines.concat().trim_end().to_owned())
}

/// Whether an exception ends the program, whoever raised it.
pub fn ends_program(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyKeyboardInterrupt>(py) || !error.is_instance_of::<PyException>(py)
}

/// An error of the module's use.
pub fn misuse(text: impl Into<String>) -> PyErr {
    PyRuntimeError::new_err(text.into())
}
