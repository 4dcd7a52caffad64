//! Components that Python calls: queues, clocks, terms and allocators, found by id or by name.
//!
//! They go through the host's table, so that they work in this process's runtime and in that of
//! `gxe` alike.

#![expect(unsafe_code, reason = "finds components of a context by its address")]

use crate::error;
use crate::interpreter::{attached, detached};
use crate::message::{self, Message};
use crate::tensor::{self, Tensor};
use gxf::abi::{self, ComponentEnvironment};
use gxf::{
    AsynchronousEventState, ComponentContext, ContextHandle, Handle, HandleTarget, IpcService,
    ResultCode, StorageType, Uid,
};
use pyo3::prelude::*;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Where a component's context is, and who asks.
pub struct Environment(ComponentEnvironment);

// SAFETY: the pointer is only passed to host functions, which any thread may call.
unsafe impl Send for Environment {}
// SAFETY: as above.
unsafe impl Sync for Environment {}

impl Environment {
    /// That of a call into a codelet.
    pub fn of_call(context: &ComponentContext, address: *mut c_void) -> Self {
        Self::at(address, context.eid(), context.cid())
    }

    fn at(address: *mut c_void, eid: Uid, cid: Uid) -> Self {
        let size = size_of::<ComponentEnvironment>();
        Self(ComponentEnvironment { size, context: address.cast::<abi::Context>(), eid, cid })
    }

    /// The graph, in the form of a component of it.
    ///
    /// # Safety
    /// The context must be alive.
    pub unsafe fn context(&self) -> ComponentContext {
        // SAFETY: the environment lives as long as `self`, and the caller answers for the context.
        unsafe { ComponentContext::from_raw(NonNull::from(&self.0)) }
    }
}

/// The environment of any component of the context at an address that a program states.
///
/// # Errors
/// There is no such context in this process's runtime.
pub fn of_address(
    py: Python<'_>,
    address: usize,
) -> PyResult<(Environment, Option<gxf_runtime::Context>)> {
    let pointer = address as *mut c_void;
    if crate::guest::is_guest() {
        if !crate::guest::is_known_context(address) {
            let text = "this is not the context of a codelet";
            return Err(error::exception(py, ResultCode::CONTEXT_INVALID, text, <_>::default()));
        }
        return Ok((Environment::at(pointer, 0, 0), None));
    }
    let context = gxf_runtime::Context::from_raw(pointer)
        .map_err(|error| error::of_sdk(py, &gxf::Error::from(error)))?;
    Ok((Environment::at(pointer, 0, 0), Some(context)))
}

/// Finds the component `name` of the entity `eid`, or `entity/component` of any entity.
pub fn find(handle: &ContextHandle, eid: Uid, name: &str) -> gxf::Result<Uid> {
    match name.split_once('/') {
        Some((entity, component)) => handle.find_component(handle.find_entity(entity)?, component),
        None => handle.find_component(eid, name),
    }
}

/// Id of the component with a name, `component` or `entity/component`, beside the component `cid`.
#[pyfunction]
pub fn find_component(py: Python<'_>, context: usize, cid: Uid, name: &str) -> PyResult<Uid> {
    let (environment, _alive) = of_address(py, context)?;
    // SAFETY: `of_address` finds contexts that are alive, and keeps this one.
    let component = unsafe { environment.context() };
    let found = component.entity_of(cid).and_then(|eid| find(&component.handle(), eid, name));
    found.map_err(|error| error::of_sdk(py, &error))
}

/// An empty message of the context at an address.
#[pyfunction]
pub fn new_message(py: Python<'_>, context: usize) -> PyResult<Message> {
    let (environment, _alive) = of_address(py, context)?;
    // SAFETY: `of_address` finds contexts that are alive, and keeps this one.
    let component = unsafe { environment.context() };
    component.new_message().map(Message::of).map_err(failed(py))
}

/// The message with an id of GXF's C API.
#[pyfunction]
pub fn message_by_id(py: Python<'_>, context: usize, eid: Uid) -> PyResult<Message> {
    let (environment, _alive) = of_address(py, context)?;
    // SAFETY: `of_address` finds contexts that are alive, and keeps this one.
    let component = unsafe { environment.context() };
    component.handle().message(eid).map(Message::of).map_err(failed(py))
}

/// A handle to a component.
///
/// # Safety
/// The context of the environment must be alive.
pub unsafe fn resolve<T: HandleTarget>(
    environment: &Environment,
    cid: Uid,
) -> gxf::Result<Handle<T>> {
    // SAFETY: as the caller promises.
    Handle::resolve(&unsafe { environment.context() }, cid)
}

fn failed(py: Python<'_>) -> impl FnOnce(gxf::Error) -> PyErr {
    move |error| error::of_sdk(py, &error)
}

/// A class for the components of one interface.
macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident: $interface:ident { $($method:tt)* })*) => { $(
        $(#[$doc])*
        #[pyclass(frozen, module = "gxe._gxe", weakref)]
        pub struct $name {
            target: Handle<gxf::$interface>,
        }

        impl $name {
            /// Finds the component with this id.
            ///
            /// # Safety
            /// The context of the environment must be alive.
            pub unsafe fn resolve(environment: &Environment, cid: Uid) -> gxf::Result<Self> {
                // SAFETY: as the caller promises.
                Ok(Self { target: unsafe { resolve(environment, cid) }? })
            }
        }

        #[pymethods]
        impl $name {
            /// The component with this id of the context at this address.
            #[staticmethod]
            fn at(py: Python<'_>, context: usize, cid: Uid) -> PyResult<Self> {
                let (environment, _alive) = of_address(py, context)?;
                // SAFETY: `of_address` finds contexts that are alive, and keeps this one.
                unsafe { Self::resolve(&environment, cid) }.map_err(failed(py))
            }

            /// Id of the component.
            #[getter]
            fn cid(&self) -> Uid {
                self.target.cid()
            }

            $($method)*
        }
    )* };
}

classes! {
    /// Calls services of other processes.
    IpcClient: IpcClient {
        /// Sends a text to a service, and returns what it answers.
        fn action(
            &self,
            py: Python<'_>,
            service: &str,
            action: &str,
            payload: &str,
        ) -> PyResult<String> {
            let call = || self.target.action(service, action, payload);
            detached(py, call).map_err(failed(py))
        }
    }

    /// Offers services to other processes.
    IpcServer: IpcServer {
        /// Offers a service: a function of action and payload that returns the answer. It is kept until
        /// the process ends.
        fn register(&self, py: Python<'_>, name: &str, service: Py<PyAny>) -> PyResult<()> {
            let service = IpcService::new(move |action, payload| {
                let call = |py: Python<'_>| -> PyResult<String> {
                    service.call1(py, (action, payload))?.extract(py)
                };
                let failed = |error: PyErr| gxf::Error::failure(error.to_string());
                let gone = || Err(gxf::Error::failure("the program ends"));
                attached(|py| call(py).map_err(failed)).unwrap_or_else(gone)
            });
            self.target.register_service(name, true, service).map_err(failed(py))
        }
    }

    /// Receives messages.
    Receiver: Receiver {
        /// Takes the oldest message and returns its value; `None` if there is none.
        fn receive<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
            let received = self.target.try_receive().map_err(failed(py))?;
            received.map(|received| message::value_of(py, received)).transpose()
        }

        /// Takes the oldest message; `None` if there is none.
        fn receive_message(&self, py: Python<'_>) -> PyResult<Option<Message>> {
            let received = self.target.try_receive().map_err(failed(py))?;
            Ok(received.map(Message::of))
        }

        /// The message at a position, which stays in the queue.
        #[pyo3(signature = (index = 0))]
        fn peek(&self, py: Python<'_>, index: i32) -> PyResult<Message> {
            self.target.peek(index).map(Message::of).map_err(failed(py))
        }

        /// Messages that can be received now.
        fn __len__(&self) -> usize {
            self.target.message_count()
        }

        /// A receiver is itself, whether it has messages or not.
        fn __bool__(&self) -> bool {
            true
        }

        /// Messages that arrived since the tick began.
        #[getter]
        fn back_count(&self) -> usize {
            self.target.back_count()
        }

        #[getter]
        fn capacity(&self) -> usize {
            self.target.capacity()
        }
    }

    /// A source of time.
    Clock: Clock {
        /// Time in nanoseconds.
        fn timestamp(&self) -> i64 {
            self.target.timestamp()
        }

        /// Waits for a number of nanoseconds of this clock.
        fn sleep_for(&self, py: Python<'_>, duration: i64) -> PyResult<()> {
            detached(py, || self.target.sleep_for(duration)).map_err(failed(py))
        }

        /// Waits until a time of this clock, in nanoseconds.
        fn sleep_until(&self, py: Python<'_>, target: i64) -> PyResult<()> {
            detached(py, || self.target.sleep_until(target)).map_err(failed(py))
        }
    }

    /// A clock that follows the machine's.
    RealtimeClock: RealtimeClock {
        /// Lets the clock run faster or slower.
        fn set_time_scale(&self, py: Python<'_>, scale: f64) -> PyResult<()> {
            self.target.set_time_scale(scale).map_err(failed(py))
        }
    }

    /// A clock that programs move.
    SyntheticClock: SyntheticClock {
        /// Moves the clock by a number of nanoseconds, which must not be negative.
        fn advance_by(&self, py: Python<'_>, duration: i64) -> PyResult<()> {
            detached(py, || self.target.advance_by(duration)).map_err(failed(py))
        }

        /// Moves the clock to a time in nanoseconds, which must not be in the past.
        fn advance_to(&self, py: Python<'_>, target: i64) -> PyResult<()> {
            detached(py, || self.target.advance_to(target)).map_err(failed(py))
        }
    }

    /// Decides when an entity runs.
    SchedulingTerm: SchedulingTerm {
        /// State and time at a time, in nanoseconds.
        fn check(&self, py: Python<'_>, now: i64) -> PyResult<(i32, i64)> {
            let condition = self.target.check(now).map_err(failed(py))?;
            Ok((condition.condition_type.0, condition.target))
        }
    }

    /// Passes messages out of the graph.
    Vault: Vault {
        /// Takes the oldest message, for which it waits up to a time in nanoseconds, or for ever if
        /// that is negative.
        #[pyo3(signature = (timeout = -1))]
        fn take(&self, py: Python<'_>, timeout: i64) -> PyResult<Message> {
            detached(py, || self.target.take(timeout)).map(Message::of).map_err(failed(py))
        }

        /// Messages that wait.
        fn __len__(&self) -> usize {
            self.target.waiting_count()
        }
    }

    /// A stream of a CUDA device.
    CudaStream: CudaStream {
        /// Address of the driver's stream; 0 while its pool is not active.
        #[getter]
        fn stream(&self) -> usize {
            self.target.stream().addr()
        }
    }

    /// Streams of a CUDA device.
    CudaStreamPool: CudaStreamPool {
        /// Takes a stream: the id of its component.
        fn allocate_stream(&self, py: Python<'_>) -> PyResult<Uid> {
            detached(py, || self.target.allocate_stream()).map_err(failed(py))
        }

        /// Gives a stream back.
        fn release_stream(&self, py: Python<'_>, stream: Uid) -> PyResult<()> {
            detached(py, || self.target.release_stream(stream)).map_err(failed(py))
        }
    }

    /// Allocates memory.
    Allocator: Allocator {
        fn is_available(&self, size: u64) -> bool {
            self.target.is_available(size)
        }

        #[getter]
        fn block_size(&self) -> u64 {
            self.target.block_size()
        }

        /// A copy of an array in memory of this allocator: 0 host, 1 device, 2 system.
        #[pyo3(signature = (array, storage = 2))]
        fn copy_of(&self, array: &Bound<'_, PyAny>, storage: i32) -> PyResult<Tensor> {
            let source = tensor::for_message(array)?.payload;
            let copied = source.copied(&self.target, StorageType(storage));
            copied.map(Tensor::of).map_err(failed(array.py()))
        }
    }

    /// A term that lets its entity run, or ends it.
    BooleanTerm: BooleanSchedulingTerm {
        fn enable_tick(&self, py: Python<'_>) -> PyResult<()> {
            self.target.set_tick_enabled(true).map_err(failed(py))
        }

        fn disable_tick(&self, py: Python<'_>) -> PyResult<()> {
            self.target.set_tick_enabled(false).map_err(failed(py))
        }

        fn check_tick_enabled(&self) -> bool {
            self.target.is_tick_enabled()
        }
    }

    /// A term that follows an event outside the graph. Its states: 0 ready, 1 wait, 2 event waiting,
    /// 3 event done, 4 event never.
    AsynchronousTerm: AsynchronousSchedulingTerm {
        #[getter]
        fn event_state(&self) -> i32 {
            self.target.event_state().0
        }

        #[setter]
        fn set_event_state(&self, py: Python<'_>, state: i32) -> PyResult<()> {
            // Without the lock: a worker that checks the term may want it.
            let state = AsynchronousEventState(state);
            detached(py, || self.target.set_event_state(state)).map_err(failed(py))
        }
    }

    /// A term that waits for a time that its codelet sets.
    TargetTimeTerm: TargetTimeSchedulingTerm {
        /// Sets the time of the next execution, in nanoseconds of the term's clock.
        fn set_next_target_time(&self, py: Python<'_>, target: i64) -> PyResult<()> {
            self.target.set_next_target_time(target).map_err(failed(py))
        }
    }
}

/// Sends messages at the end of a tick that succeeds.
#[pyclass(frozen, module = "gxe._gxe", weakref)]
pub struct Transmitter {
    target: Handle<gxf::Transmitter>,
    graph: ContextHandle,
    /// Time of the codelet's execution, if it belongs to one.
    now: Option<Arc<AtomicI64>>,
}

impl Transmitter {
    /// Finds the transmitter with this id.
    ///
    /// # Safety
    /// The context of the environment must be alive.
    pub unsafe fn resolve(
        environment: &Environment,
        cid: Uid,
        now: Option<Arc<AtomicI64>>,
    ) -> gxf::Result<Self> {
        // SAFETY: as the caller promises.
        let (target, context) = unsafe { (resolve(environment, cid)?, environment.context()) };
        Ok(Self { target, graph: context.handle(), now })
    }

    /// Sends a value as the message it stands for.
    pub fn send(&self, value: Bound<'_, PyAny>, acqtime: Option<i64>) -> PyResult<()> {
        let py = value.py();
        let mut sent = self.graph.new_message().map_err(failed(py))?;
        if let Some(whole) = message::fill(&mut sent, value)? {
            sent = whole;
            if acqtime.is_none() {
                return self.target.publish_as_is(sent).map_err(failed(py));
            }
        }
        let now = || self.now.as_ref().map_or(0, |now| now.load(Ordering::Relaxed));
        self.target.publish(sent, acqtime.unwrap_or_else(now)).map_err(failed(py))
    }
}

#[pymethods]
impl Transmitter {
    /// The transmitter with this id of the context at this address.
    #[staticmethod]
    fn at(py: Python<'_>, context: usize, cid: Uid) -> PyResult<Self> {
        let (environment, _alive) = of_address(py, context)?;
        // SAFETY: `of_address` finds contexts that are alive, and keeps this one.
        unsafe { Self::resolve(&environment, cid, None) }.map_err(failed(py))
    }

    /// Id of the component.
    #[getter]
    fn cid(&self) -> Uid {
        self.target.cid()
    }

    /// Sends a value; see the package's documentation for the message it becomes. The acquisition
    /// time, in nanoseconds, is that of the tick unless stated.
    #[pyo3(signature = (value, acqtime = None))]
    fn publish(&self, value: Bound<'_, PyAny>, acqtime: Option<i64>) -> PyResult<()> {
        self.send(value, acqtime)
    }

    /// An empty message.
    fn new_message(&self, py: Python<'_>) -> PyResult<Message> {
        self.graph.new_message().map(Message::of).map_err(failed(py))
    }

    /// Messages that wait to be sent.
    fn __len__(&self) -> usize {
        self.target.message_count() + self.target.back_count()
    }

    /// A transmitter is itself, whether it holds messages or not.
    fn __bool__(&self) -> bool {
        true
    }

    #[getter]
    fn capacity(&self) -> usize {
        self.target.capacity()
    }
}
