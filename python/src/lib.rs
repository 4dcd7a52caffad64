//! The Python module `gxe._gxe`: the engine with its C API in one library, so that a process has one
//! runtime, and the host of codelets written in Python. The package `gxe` around it is Python.
//!
//! A map:
//!
//! - `interpreter.rs`: the interpreter's lock on the engine's threads, and the end of the process;
//! - `crash.rs`: what a program prints when it ends by a fatal signal;
//! - `error.rs`: errors as exceptions, exceptions as errors;
//! - `context.rs`: `Context`, a graph from loading to its end; `value.rs`: parameters as Python
//!   values; `registry.rs`: extensions and types as dictionaries;
//! - `message.rs`: messages, and which Python value stands for one; `tensor.rs`: tensors, and how
//!   array libraries share them; `dlpack.rs`, `numpy.rs`: their two protocols; `fenced.rs`: what
//!   a device has not finished; `multimedia.rs`: video frames and audio;
//! - `port.rs`: receivers, transmitters, clocks, terms, and what other processes
//!   are asked by, by component;
//! - `codelet.rs`, `term.rs`: one codelet, one condition; `bridge.rs`: the table through which
//!   `libgxf_python_codelet.so` executes them; `guest.rs`: whether in this process or in that of `gxe`.
//!
//! It imports the runtime, the SDK and the C API, but no extension.

mod bridge;
mod codelet;
mod context;
mod crash;
mod dlpack;
mod error;
mod fenced;
mod guest;
mod interpreter;
mod message;
mod multimedia;
mod numpy;
mod port;
mod registry;
mod tensor;
mod term;
mod value;

// Its exported functions are part of this library.
use gxf_core as _;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;

// Nothing here counts on the interpreter's lock: what threads share has locks of its own.
#[pymodule(name = "_gxe", gil_used = false)]
fn define(module: &Bound<'_, PyModule>) -> PyResult<()> {
    if !interpreter::is_main(module.py()) {
        return Err(PyImportError::new_err("gxe cannot be imported in a subinterpreter"));
    }
    gxf_runtime::host_table();
    gxf_remote::register();
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add("core_version", gxf_core::CORE_VERSION)?;
    module.add_class::<codelet::CodeletContext>()?;
    module.add_class::<context::Context>()?;
    module.add_class::<dlpack::DLDevice>()?;
    module.add_class::<message::Message>()?;
    module.add_class::<multimedia::Audio>()?;
    module.add_class::<multimedia::VideoFrame>()?;
    module.add_class::<port::Allocator>()?;
    module.add_class::<port::AsynchronousTerm>()?;
    module.add_class::<port::BooleanTerm>()?;
    module.add_class::<port::Clock>()?;
    module.add_class::<port::CudaStream>()?;
    module.add_class::<port::CudaStreamPool>()?;
    module.add_class::<port::IpcClient>()?;
    module.add_class::<port::IpcServer>()?;
    module.add_class::<port::Receiver>()?;
    module.add_class::<port::RealtimeClock>()?;
    module.add_class::<port::SchedulingTerm>()?;
    module.add_class::<port::SyntheticClock>()?;
    module.add_class::<port::TargetTimeTerm>()?;
    module.add_class::<port::Transmitter>()?;
    module.add_class::<port::Vault>()?;
    module.add_class::<tensor::Tensor>()?;
    module.add_function(wrap_pyfunction!(interpreter::close, module)?)?;
    module.add_function(wrap_pyfunction!(interpreter::forked, module)?)?;
    module.add_function(wrap_pyfunction!(interpreter::refuse_runs, module)?)?;
    module.add_function(wrap_pyfunction!(crash::report_crashes, module)?)?;
    module.add_function(wrap_pyfunction!(guest::is_guest, module)?)?;
    module.add_function(wrap_pyfunction!(context::end_if_over, module)?)?;
    module.add_function(wrap_pyfunction!(context::set_severity, module)?)?;
    module.add_function(wrap_pyfunction!(context::result_name, module)?)?;
    module.add_function(wrap_pyfunction!(value::parse_yaml, module)?)?;
    module.add_function(wrap_pyfunction!(value::yaml_of, module)?)?;
    module.add_function(wrap_pyfunction!(tensor::allocate, module)?)?;
    module.add_function(wrap_pyfunction!(message::is_tensor_map, module)?)?;
    module.add_function(wrap_pyfunction!(message::travels_as_tensor, module)?)?;
    module.add_function(wrap_pyfunction!(port::find_component, module)?)?;
    module.add_function(wrap_pyfunction!(port::message_by_id, module)?)?;
    module.add_function(wrap_pyfunction!(port::new_message, module)?)?;
    module.add("bridge", bridge::capsule(module.py())?)?;
    Ok(())
}
