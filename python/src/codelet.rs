//! One codelet: what Python made, and how a tick calls it.

#![expect(unsafe_code, reason = "finds the ports of a codelet in its context")]

use crate::error::{self, Origin};
use crate::interpreter::detached;
use crate::message;
use crate::port::{
    self, Allocator, AsynchronousTerm, BooleanTerm, Clock, Environment, Receiver, TargetTimeTerm,
    Transmitter,
};
use gxf::{ContextHandle, Handle, TickContext, Uid};
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A codelet's access to its entity and its graph, valid until it stops.
#[pyclass(frozen, module = "gxe._gxe", weakref)]
pub struct CodeletContext {
    graph: ContextHandle,
    environment: Environment,
    address: usize,
    /// Name of the component and of its entity.
    names: (String, String),
    parameters: String,
    now: Arc<AtomicI64>,
    previous: AtomicI64,
    count: AtomicI64,
}

impl CodeletContext {
    /// The context of the codelet whose creation `call` is.
    pub fn new(call: &TickContext, address: *mut std::ffi::c_void, parameters: &str) -> Self {
        Self {
            graph: call.handle(),
            environment: Environment::of_call(call, address),
            address: address.addr(),
            names: (call.name(), call.entity_name()),
            parameters: parameters.to_owned(),
            now: Arc::default(),
            previous: AtomicI64::new(0),
            count: AtomicI64::new(0),
        }
    }

    /// Address of the context.
    pub fn address(&self) -> usize {
        self.address
    }

    /// Ids of the entity and the component.
    pub fn ids(&self) -> (Uid, Uid) {
        (self.graph.eid(), self.graph.cid())
    }

    /// Takes over the times of a call.
    #[inline]
    fn enter(&self, call: &TickContext) {
        self.now.store(call.now(), Ordering::Relaxed);
        self.previous.store(call.delta(), Ordering::Relaxed);
        self.count.store(call.count(), Ordering::Relaxed);
    }

    fn find(&self, py: Python<'_>, name: &str) -> PyResult<Uid> {
        let found = port::find(&self.graph, self.graph.eid(), name);
        found.map_err(|error| error::of_sdk(py, &error))
    }
}

#[pymethods]
impl CodeletContext {
    /// Name of the component.
    #[getter]
    fn name(&self) -> &str {
        &self.names.0
    }

    /// Name of the entity.
    #[getter]
    fn entity(&self) -> &str {
        &self.names.1
    }

    #[getter]
    fn eid(&self) -> Uid {
        self.graph.eid()
    }

    #[getter]
    fn cid(&self) -> Uid {
        self.graph.cid()
    }

    /// Address of the context in GXF's C API.
    #[getter]
    fn context(&self) -> usize {
        self.address
    }

    /// The parameters as YAML text; empty without any.
    #[getter]
    fn parameters(&self) -> &str {
        &self.parameters
    }

    /// Time of this execution in nanoseconds of the scheduler's clock.
    #[getter]
    fn now(&self) -> i64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Nanoseconds since the previous execution; 0 the first time.
    #[getter]
    fn delta(&self) -> i64 {
        self.previous.load(Ordering::Relaxed)
    }

    /// Number of this tick, from 1; 0 during start.
    #[getter]
    fn count(&self) -> i64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The component `name` of this entity, or `entity/component`, as what `kind` says: `Receiver`,
    /// `Transmitter`, `Clock`, `Allocator`, `BooleanTerm`, `AsynchronousTerm` or `TargetTimeTerm`.
    fn component<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (place, cid) = (&self.environment, self.find(py, name)?);
        let failed = |error| error::of_sdk(py, &error);
        // SAFETY: the codelet's handle keeps the context alive.
        unsafe {
            match kind {
                "Receiver" => Receiver::resolve(place, cid).map_err(failed)?.into_bound_py_any(py),
                "Transmitter" => Transmitter::resolve(place, cid, Some(self.now.clone()))
                    .map_err(failed)?
                    .into_bound_py_any(py),
                "Clock" => Clock::resolve(place, cid).map_err(failed)?.into_bound_py_any(py),
                "Allocator" => {
                    Allocator::resolve(place, cid).map_err(failed)?.into_bound_py_any(py)
                }
                "BooleanTerm" => {
                    BooleanTerm::resolve(place, cid).map_err(failed)?.into_bound_py_any(py)
                }
                "AsynchronousTerm" => {
                    AsynchronousTerm::resolve(place, cid).map_err(failed)?.into_bound_py_any(py)
                }
                "TargetTimeTerm" => {
                    TargetTimeTerm::resolve(place, cid).map_err(failed)?.into_bound_py_any(py)
                }
                _ => Err(PyValueError::new_err(format!("`{kind}` is not a kind of component"))),
            }
        }
    }

    /// Names of the receivers of this entity, and of its transmitters, in order.
    fn ports(&self, py: Python<'_>) -> PyResult<(Vec<String>, Vec<String>)> {
        // SAFETY: the codelet's handle keeps the context alive.
        let component = unsafe { self.environment.context() };
        let failed = |error| error::of_sdk(py, &error);
        let receivers = component.find_all::<gxf::Receiver>().map_err(failed)?;
        let transmitters = component.find_all::<gxf::Transmitter>().map_err(failed)?;
        Ok((
            receivers.iter().map(|queue| component.component_name(queue.cid())).collect(),
            transmitters.iter().map(|queue| component.component_name(queue.cid())).collect(),
        ))
    }

    /// An empty message.
    fn new_message(&self, py: Python<'_>) -> PyResult<message::Message> {
        let made = self.graph.new_message().map(message::Message::of);
        made.map_err(|error| error::of_sdk(py, &error))
    }

    /// Asks the running graph to stop.
    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        self.graph.interrupt().map_err(|error| error::of_sdk(py, &error))
    }

    /// Makes the scheduler check the entity again, from any thread.
    #[pyo3(signature = (event = 1))]
    fn notify(&self, py: Python<'_>, event: u32) -> PyResult<()> {
        let notified = detached(py, || self.graph.notify(gxf::Event(event)));
        notified.map_err(|error| error::of_sdk(py, &error))
    }

    /// Ends the graph with an exception of work that goes on outside the codelet's calls.
    fn fail(&self, py: Python<'_>, exception: &Bound<'_, PyAny>) -> PyResult<()> {
        let raised = PyErr::from_value(exception.clone());
        let origin = Origin { context: self.address, ids: self.ids(), is_stop: false };
        let failure = error::failed(py, origin, &raised);
        let failed = detached(py, || self.graph.fail(&failure));
        failed.map_err(|error| error::of_sdk(py, &error))
    }
}

/// How a tick calls Python.
enum Tick {
    /// A method without arguments.
    Method(Py<PyAny>),
    /// A function of the received values, whose result is sent.
    Function(Function),
}

/// A function between queues.
struct Function {
    call: Py<PyAny>,
    inputs: Vec<Handle<gxf::Receiver>>,
    outputs: Vec<Transmitter>,
    names: Vec<String>,
}

/// A codelet that exists.
pub struct Codelet {
    context: Py<CodeletContext>,
    ids: (i64, i64),
    start: Option<Py<PyAny>>,
    tick: Tick,
    stop: Option<Py<PyAny>>,
    /// What the functions above belong to, dropped last.
    _owner: Py<PyAny>,
    /// One call at a time: the engine keeps to that, a program that calls on its own may not.
    busy: Mutex<()>,
}

/// The codelet that `gxe._codelets.create` returns: `(owner, start, tick, stop, inputs, outputs)`.
pub fn create(
    py: Python<'_>,
    name: &str,
    file: &str,
    context: CodeletContext,
) -> PyResult<Codelet> {
    let ids = context.ids();
    let context = Py::new(py, context)?;
    let module = py.import("gxe._codelets")?;
    let made = module.call_method1("create", (name, file, context.clone_ref(py)))?;
    type Made<'py> = (
        Bound<'py, PyAny>,
        Option<Bound<'py, PyAny>>,
        Bound<'py, PyAny>,
        Option<Bound<'py, PyAny>>,
        Option<Vec<String>>,
        Option<Vec<String>>,
    );
    let (owner, start, tick, stop, inputs, outputs): Made<'_> = made.extract()?;
    let tick = match (inputs, outputs) {
        (Some(inputs), Some(outputs)) => {
            let of = context.get();
            let failed = |error| error::of_sdk(py, &error);
            let inputs = inputs.iter().map(|name| {
                // SAFETY: the codelet's handle keeps the context alive.
                unsafe { port::resolve(&of.environment, of.find(py, name)?) }.map_err(failed)
            });
            let sinks = outputs.iter().map(|name| {
                let (now, cid) = (Some(of.now.clone()), of.find(py, name)?);
                // SAFETY: as above.
                unsafe { Transmitter::resolve(&of.environment, cid, now) }.map_err(failed)
            });
            Tick::Function(Function {
                call: tick.unbind(),
                inputs: inputs.collect::<PyResult<_>>()?,
                outputs: sinks.collect::<PyResult<_>>()?,
                names: outputs,
            })
        }
        _ => Tick::Method(tick.unbind()),
    };
    let unbound = |function: Option<Bound<'_, PyAny>>| function.map(Bound::unbind);
    Ok(Codelet {
        context,
        ids,
        start: unbound(start),
        tick,
        stop: unbound(stop),
        _owner: owner.unbind(),
        busy: Mutex::new(()),
    })
}

/// Which call of a codelet.
#[derive(Clone, Copy)]
pub enum Call {
    /// The first one.
    Start,
    /// Each execution.
    Tick,
    /// The last one.
    Stop,
}

impl Codelet {
    /// Calls Python; an exception becomes an error, and the cause of the graph's.
    #[inline]
    pub fn call(&self, py: Python<'_>, call: Call, tick: &TickContext) -> gxf::Result<()> {
        let Some(_busy) = self.busy.try_lock() else {
            return Err(gxf::Error::failure("the codelet is being executed already"));
        };
        self.context.get().enter(tick);
        let called = match (call, &self.tick) {
            (Call::Tick, Tick::Method(method)) => call_method(py, method),
            (Call::Tick, Tick::Function(function)) => function.call(py),
            (Call::Start, _) => self.start.as_ref().map_or(Ok(()), |start| call_method(py, start)),
            (Call::Stop, _) => self.stop.as_ref().map_or(Ok(()), |stop| call_method(py, stop)),
        };
        called.map_err(|raised| self.failed(py, call, &raised))
    }

    #[cold]
    fn failed(&self, py: Python<'_>, call: Call, raised: &PyErr) -> gxf::Error {
        let context = self.context.get();
        if error::ends_program(py, raised) {
            _ = context.graph.interrupt();
        }
        let is_stop = matches!(call, Call::Stop);
        error::failed(py, Origin { context: context.address, ids: self.ids, is_stop }, raised)
    }
}

#[inline]
fn call_method(py: Python<'_>, method: &Py<PyAny>) -> PyResult<()> {
    // SAFETY: the method is alive, and the interpreter's lock is held.
    unsafe {
        let result = ffi::PyObject_CallObject(method.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, result).map(drop)
    }
}

impl Function {
    #[inline]
    fn call(&self, py: Python<'_>) -> PyResult<()> {
        let result = match &self.inputs[..] {
            [] => self.call.bind(py).call0(),
            [input] => {
                let value = received(py, input)?;
                // SAFETY: function and value are alive, and the list of arguments ends with null.
                unsafe {
                    let result = ffi::PyObject_CallFunctionObjArgs(
                        self.call.as_ptr(),
                        value.as_ptr(),
                        std::ptr::null_mut::<ffi::PyObject>(),
                    );
                    Bound::from_owned_ptr_or_err(py, result)
                }
            }
            inputs => {
                let values = inputs.iter().map(|input| received(py, input));
                let values = values.collect::<PyResult<Vec<_>>>()?;
                self.call.bind(py).call1(PyTuple::new(py, values)?)
            }
        }?;
        if result.is_none() {
            return Ok(());
        }
        match &self.outputs[..] {
            [output] => output.send(result, None),
            [] => Ok(()),
            outputs => self.send_several(outputs, &result),
        }
    }

    /// Sends the items of a dictionary by output, or those of a tuple in order; `None` sends nothing.
    fn send_several(&self, outputs: &[Transmitter], result: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(items) = result.cast::<PyDict>() {
            for (name, value) in items.iter() {
                let name: String = name.extract()?;
                let at = self.names.iter().position(|known| *known == name);
                let output = at.and_then(|at| outputs.get(at)).ok_or_else(|| {
                    let known = self.names.join(", ");
                    PyValueError::new_err(format!("there is no output `{name}`, only {known}"))
                })?;
                if !value.is_none() {
                    output.send(value, None)?;
                }
            }
            return Ok(());
        }
        let items = result.cast::<PyTuple>().map_err(|_| {
            PyTypeError::new_err(
                "a codelet with several outputs returns a tuple in their order or a dictionary",
            )
        })?;
        if items.len() != outputs.len() {
            let (found, wanted) = (items.len(), outputs.len());
            return Err(PyValueError::new_err(format!("{found} values for {wanted} outputs")));
        }
        for (output, value) in outputs.iter().zip(items.iter()) {
            if !value.is_none() {
                output.send(value, None)?;
            }
        }
        Ok(())
    }
}

/// The value of the next message of an input; `None` without one.
#[inline]
fn received<'py>(py: Python<'py>, input: &Handle<gxf::Receiver>) -> PyResult<Bound<'py, PyAny>> {
    match input.try_receive().map_err(|error| error::of_sdk(py, &error))? {
        Some(received) => message::value_of(py, received),
        None => Ok(py.None().into_bound(py)),
    }
}
