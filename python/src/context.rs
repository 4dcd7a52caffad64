//! `Context`: a graph from loading to its end, by ids. The package's `Graph` is made of it.

use crate::error;
use crate::interpreter;
use crate::registry;
use crate::tensor;
use crate::value;
use gxf::{ResultCode, StorageType};
use gxf_runtime::engine::ParameterValue;
use gxf_runtime::graph::{self, Diagnostics, ParameterOverride, Severity};
use gxf_runtime::{Result, Tid, TraceOptions, Uid};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often a wait looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// A run that goes on for so long after Ctrl-C hangs.
const HANG_TIME: Duration = Duration::from_secs(1);

/// A graph: its extensions, entities and its run.
#[pyclass(frozen, module = "gxe._gxe", weakref)]
pub struct Context {
    /// `None` only while it is dropped.
    context: Option<gxf_runtime::Context>,
    /// Whether somebody gave up waiting for the end of its run.
    is_abandoned: AtomicBool,
}

impl Drop for Context {
    fn drop(&mut self) {
        let Some(context) = self.context.take() else { return };
        if interpreter::is_foreign_process() || *self.is_abandoned.get_mut() {
            // The engine's threads, which it would wait for, do not exist here, or do not end.
            std::mem::forget(context);
            return;
        }
        // Its end waits for ticks, which may want the interpreter.
        let mut context = Some(context);
        _ = Python::try_attach(|py| {
            let context = context.take();
            let address = context.as_ref().map(|context| context.as_raw().addr());
            interpreter::detached(py, move || drop(context));
            if let Some(address) = address {
                error::forget_failures(address);
            }
        });
    }
}

impl Context {
    fn get(&self) -> PyResult<&gxf_runtime::Context> {
        interpreter::enter().map_err(error::misuse)?;
        self.context.as_ref().ok_or_else(|| error::misuse("the context is gone"))
    }

    /// Calls the graph without the interpreter's lock.
    fn call<R: Send>(
        &self,
        py: Python<'_>,
        f: impl FnOnce(&gxf_runtime::Context) -> Result<R> + Send,
    ) -> PyResult<R> {
        let context = self.get()?;
        interpreter::detached(py, || f(context))
            .map_err(|error| error::of_graph(py, context, error))
    }

    /// As `call`; an error is one of the component `cid`.
    fn call_of<R: Send>(
        &self,
        py: Python<'_>,
        cid: Uid,
        f: impl FnOnce(&gxf_runtime::Context) -> Result<R> + Send,
    ) -> PyResult<R> {
        let named = |error: gxf_runtime::Error| match error.component() {
            None => error.of_component(cid),
            Some(_) => error,
        };
        self.call(py, |context| f(context).map_err(named))
    }

    /// Loads files with parameters that replace theirs. The mistakes of both are in one error.
    fn load_with(
        &self,
        py: Python<'_>,
        parameters: &[String],
        load: impl Fn(&gxf_runtime::Context, &[ParameterOverride]) -> Result<()> + Send,
    ) -> PyResult<()> {
        self.call(py, move |context| {
            let (found, mut problems) = overrides(parameters);
            if !problems.has_errors() {
                return load(context, &found);
            }
            // Loaded elsewhere, to find the others; what a file adds to a graph would look wrong there.
            if context.entities().is_empty() {
                let other = gxf_runtime::Context::from_shared_raw(context.shared_raw())?;
                let failed = load(&other, &found).err();
                problems.extend(failed.iter().filter_map(|e| e.diagnostics()).flatten().cloned());
            }
            Err(gxf_runtime::Error::from_diagnostics("the parameters are wrong", problems))
        })
    }

    /// Waits for a long call on another thread, so that Ctrl-C can end the run. If it `ends` already, the
    /// first Ctrl-C leaves it.
    fn wait_for(
        &self,
        py: Python<'_>,
        ends: bool,
        f: impl FnOnce(&gxf_runtime::Context) -> Result<()> + Send + 'static,
    ) -> PyResult<()> {
        self.check_may_wait(py)?;
        let context = self.get()?;
        // Between the waits, and while it makes an exception, too.
        let _away = interpreter::Away::begin();
        let (sender, receiver) = mpsc::channel();
        let receiver = parking_lot::Mutex::new(receiver);
        let waiting = context.clone();
        let spawned = std::thread::Builder::new().name("gxe wait".to_owned()).spawn(move || {
            // The receiver is gone after the second Ctrl-C only.
            _ = sender.send(f(&waiting));
        });
        spawned.map_err(|error| error::misuse(format!("no thread can be started: {error}")))?;
        let mut interrupted: Option<PyErr> = None;
        let mut asked_at = ends.then(Instant::now);
        loop {
            let ended =
                interpreter::detached(py, || match receiver.lock().recv_timeout(PATIENCE) {
                    Ok(ended) => Some(Ok(ended)),
                    Err(mpsc::RecvTimeoutError::Timeout) => None,
                    Err(mpsc::RecvTimeoutError::Disconnected) => Some(Err(())),
                });
            if let Err(signal) = py.check_signals() {
                if ends || interrupted.is_some() {
                    self.is_abandoned.store(true, Ordering::Relaxed);
                    return Err(signal);
                }
                interrupted = Some(signal);
                asked_at = Some(Instant::now());
                // Fails if the run has ended meanwhile.
                _ = interpreter::detached(py, || context.interrupt());
            }
            if ended.is_none() && asked_at.take_if(|at| at.elapsed() >= HANG_TIME).is_some() {
                eprintln!("gxe: still not stopped after 1 s{}", executing(context));
                eprintln!("gxe: press Ctrl-C{} to leave it", if ends { "" } else { " again" });
            }
            match (ended, interrupted.take()) {
                (None, signal) => interrupted = signal,
                (Some(_), Some(signal)) => return Err(signal),
                (Some(Ok(ended)), None) => {
                    return ended.map_err(|error| error::of_graph(py, context, error));
                }
                (Some(Err(())), None) => return Err(error::misuse("the wait failed")),
            }
        }
    }
}

/// What entities of a graph are doing, for people.
fn executing(context: &gxf_runtime::Context) -> String {
    let entities = context.status().entities.into_iter();
    let busy = entities.filter_map(|entity| Some((entity.name, entity.inside?)));
    busy.map(|(name, inside)| {
        format!("; `{name}` is in {} of `{}`", inside.function, inside.codelet)
    })
    .collect()
}

/// What texts replace, and what is wrong with them.
fn overrides(texts: &[String]) -> (Vec<ParameterOverride>, Diagnostics) {
    let mut problems = Diagnostics::new();
    let mut found = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match graph::parse_override(text, index + 1) {
            Ok(parsed) => found.push(parsed),
            Err(problem) => problems.push(problem),
        }
    }
    (found, problems)
}

fn tid(text: &str) -> PyResult<Tid> {
    Tid::parse(text).ok_or_else(|| {
        PyValueError::new_err(format!("`{text}` is not a type id of 32 hexadecimal digits"))
    })
}

fn findings<'py>(py: Python<'py>, found: &Diagnostics) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for finding in found {
        let described = PyDict::new(py);
        described.set_item("severity", finding.severity.to_string())?;
        let rule = match (finding.rule, finding.severity) {
            (Some(rule), _) => rule,
            (None, Severity::Error) => finding.code.name(),
            (None, Severity::Warning) => "load-warning",
        };
        described.set_item("rule", rule)?;
        described.set_item("message", &finding.message)?;
        let place = finding.span.as_ref();
        described.set_item("file", place.map(|place| place.source.name.to_string()))?;
        let at = place.map(|place| place.line_column());
        described.set_item("line", at.map(|(line, _)| line))?;
        described.set_item("column", at.map(|(_, column)| column))?;
        described.set_item("help", finding.help.join("\n"))?;
        list.append(described)?;
    }
    Ok(list)
}

#[pymethods]
impl Context {
    /// A context with the standard extension and no entities; with `shared`, one with the
    /// extensions of another context.
    #[new]
    #[pyo3(signature = (shared = None))]
    fn new(py: Python<'_>, shared: Option<&Self>) -> PyResult<Self> {
        if crate::guest::is_guest() {
            return Err(error::misuse(
                "this process is gxe, which runs a graph already; a program of its own starts \
                 with `python3`",
            ));
        }
        interpreter::enter_run().map_err(error::misuse)?;
        let context = match shared {
            None => gxf_runtime::Context::new(),
            Some(other) => {
                let other = other.get()?;
                gxf_runtime::Context::from_shared_raw(other.shared_raw())
                    .map_err(|error| error::of_graph(py, other, error))?
            }
        };
        context.set_extension_path_means("`add_extension_path` of the context, or LD_LIBRARY_PATH");
        gxf_core::log::start();
        Ok(Self { context: Some(context), is_abandoned: AtomicBool::new(false) })
    }

    /// Address of the context, as GXF's C API and its Python module use it.
    #[getter]
    fn address(&self) -> PyResult<usize> {
        Ok(self.get()?.as_raw().addr())
    }

    fn add_extension_path(&self, path: PathBuf) -> PyResult<()> {
        self.get()?.add_extension_path(path);
        Ok(())
    }

    #[pyo3(signature = (path, base_directory = None))]
    fn load_extension(
        &self,
        py: Python<'_>,
        path: PathBuf,
        base_directory: Option<PathBuf>,
    ) -> PyResult<()> {
        self.call(py, |context| context.load_extension_from(&path, base_directory.as_deref()))
    }

    #[pyo3(signature = (path, base_directory = None))]
    fn load_manifest(
        &self,
        py: Python<'_>,
        path: PathBuf,
        base_directory: Option<PathBuf>,
    ) -> PyResult<()> {
        self.call(py, |context| context.load_manifest(&path, base_directory.as_deref()))
    }

    /// Loads app files into one graph. Each override is a text `entity/component/key=value`.
    #[pyo3(signature = (paths, parameters = vec![]))]
    fn load_apps(
        &self,
        py: Python<'_>,
        paths: Vec<PathBuf>,
        parameters: Vec<String>,
    ) -> PyResult<()> {
        self.load_with(py, &parameters, |context, found| context.load_apps(&paths, found))
    }

    #[pyo3(signature = (text, name = "<text>", parameters = vec![]))]
    fn load_app_text(
        &self,
        py: Python<'_>,
        text: &str,
        name: &str,
        parameters: Vec<String>,
    ) -> PyResult<()> {
        self.load_with(py, &parameters, |context, found| context.load_app_text(name, text, found))
    }

    /// Loads an app file as a subgraph; see GXF's `GxfSubgraphLoadFile`.
    #[pyo3(signature = (path, prefix, parent = None, prerequisites = vec![], parameters = vec![]))]
    fn load_app_below(
        &self,
        py: Python<'_>,
        path: PathBuf,
        prefix: &str,
        parent: Option<Uid>,
        prerequisites: Vec<(String, Uid)>,
        parameters: Vec<String>,
    ) -> PyResult<()> {
        let prerequisites: Vec<_> =
            prerequisites.iter().map(|(name, cid)| (name.as_str(), *cid)).collect();
        self.load_with(py, &parameters, |context, found| {
            context.load_app_below(&path, prefix, parent, &prerequisites, found)
        })
    }

    fn set_root_path(&self, path: PathBuf) -> PyResult<()> {
        self.get()?.set_root_path(path);
        Ok(())
    }

    /// The warnings of all loads since the last call, each as a dictionary.
    fn take_warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        findings(py, &self.get()?.take_warnings())
    }

    /// What is wrong with the loaded graph, certainly or probably.
    fn check<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let context = self.get()?;
        let found = interpreter::detached(py, || context.check());
        findings(py, &found)
    }

    fn extensions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let context = self.get()?;
        let all = context.extensions();
        all.iter().map(|info| registry::extension(py, context, info)).collect()
    }

    /// The description of a type by its full name, or `None`.
    fn type_info<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        let context = self.get()?;
        let info = context.type_info(name);
        info.map(|info| registry::component_type(py, context, &info)).transpose()
    }

    /// Id of a type, as 32 hexadecimal digits.
    fn type_id(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.call(py, |context| Ok(context.type_id(name)?.to_string()))
    }

    /// Id of a type that the program needs: the error names the libraries that may have it.
    fn needed_type(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.call(py, |context| Ok(context.needed_type(name)?.to_string()))
    }

    /// Full name of the type with this id.
    fn type_name(&self, py: Python<'_>, id: &str) -> PyResult<String> {
        let tid = tid(id)?;
        let unknown = || {
            let text = format!("no loaded extension has the type {id}");
            gxf_runtime::Error::new(ResultCode::FACTORY_UNKNOWN_TID, text)
        };
        self.call(py, |context| {
            context.type_info_by_id(tid).map(|info| info.name.clone()).ok_or_else(unknown)
        })
    }

    #[pyo3(signature = (name = ""))]
    fn create_entity(&self, py: Python<'_>, name: &str) -> PyResult<Uid> {
        self.call(py, |context| context.create_entity(name))
    }

    /// Creates an entity that is not activated with the graph, or a message if it has no name.
    #[pyo3(signature = (name = ""))]
    fn create_object(&self, py: Python<'_>, name: &str) -> PyResult<Uid> {
        self.call(py, |context| context.create_entity_of(name, false))
    }

    fn find_entity(&self, py: Python<'_>, name: &str) -> PyResult<Uid> {
        self.call(py, |context| context.find_entity(name))
    }

    fn entities(&self) -> PyResult<Vec<Uid>> {
        Ok(self.get()?.entities())
    }

    fn entity_name(&self, py: Python<'_>, eid: Uid) -> PyResult<String> {
        self.call(py, |context| context.entity_name(eid))
    }

    fn entity_status(&self, py: Python<'_>, eid: Uid) -> PyResult<u8> {
        self.call(py, |context| context.entity_status(eid))
    }

    fn entity_state(&self, py: Python<'_>, eid: Uid) -> PyResult<i32> {
        self.call(py, |context| context.entity_behavior(eid))
    }

    fn entity_users(&self, py: Python<'_>, eid: Uid) -> PyResult<i64> {
        self.call(py, |context| context.entity_users(eid))
    }

    fn add_entity_user(&self, py: Python<'_>, eid: Uid) -> PyResult<()> {
        self.call(py, |context| context.add_entity_user(eid))
    }

    fn remove_entity_user(&self, py: Python<'_>, eid: Uid) -> PyResult<()> {
        self.call(py, |context| context.remove_entity_user(eid))
    }

    fn activate_entity(&self, py: Python<'_>, eid: Uid) -> PyResult<()> {
        self.call(py, |context| context.activate_entity(eid))
    }

    fn deactivate_entity(&self, py: Python<'_>, eid: Uid) -> PyResult<()> {
        self.call(py, |context| context.deactivate_entity(eid))
    }

    fn destroy_entity(&self, py: Python<'_>, eid: Uid) -> PyResult<()> {
        self.call(py, |context| context.destroy_entity(eid))
    }

    /// Makes the scheduler check an entity again; the event has a number of GXF's `gxf_event_t`.
    #[pyo3(signature = (eid, event = 1))]
    fn notify_entity(&self, py: Python<'_>, eid: Uid, event: u32) -> PyResult<()> {
        self.call(py, |context| context.notify_entity(eid, gxf::Event(event)))
    }

    fn create_group(&self, py: Python<'_>, name: &str) -> PyResult<Uid> {
        self.call(py, |context| context.create_group(name))
    }

    fn move_to_group(&self, py: Python<'_>, group: Uid, eid: Uid) -> PyResult<()> {
        self.call(py, |context| context.move_to_group(group, eid))
    }

    /// Adds a component of the type with this full name.
    #[pyo3(signature = (eid, type_name, name = ""))]
    fn add_component(
        &self,
        py: Python<'_>,
        eid: Uid,
        type_name: &str,
        name: &str,
    ) -> PyResult<Uid> {
        self.call(py, |context| context.add_component(eid, type_name, name))
    }

    /// Finds a component by entity and name.
    fn find_component(&self, py: Python<'_>, entity: &str, component: &str) -> PyResult<Uid> {
        self.call(py, |context| context.find_component(entity, component))
    }

    fn components(&self, py: Python<'_>, eid: Uid) -> PyResult<Vec<Uid>> {
        self.call(py, |context| context.component_ids(eid))
    }

    fn component_name(&self, py: Python<'_>, cid: Uid) -> PyResult<String> {
        self.call(py, |context| context.component_name(cid))
    }

    fn component_entity(&self, py: Python<'_>, cid: Uid) -> PyResult<Uid> {
        self.call(py, |context| context.component_entity(cid))
    }

    /// Full name of a component's type.
    fn component_type(&self, py: Python<'_>, cid: Uid) -> PyResult<String> {
        self.call(py, |context| {
            let tid = context.component_type(cid)?;
            Ok(context.type_info_by_id(tid).map_or_else(|| tid.to_string(), |i| i.name.clone()))
        })
    }

    /// Sets a parameter to what a file would hold: a Python value, or YAML text if `yaml` is set.
    #[pyo3(signature = (cid, key, value, yaml = false))]
    fn set_parameter(
        &self,
        py: Python<'_>,
        cid: Uid,
        key: &str,
        value: &Bound<'_, PyAny>,
        yaml: bool,
    ) -> PyResult<()> {
        let text = if yaml {
            value.extract()?
        } else {
            let spec = self.call_of(py, cid, |context| context.parameter_spec(cid, key))?;
            if let Some(spec) = spec
                && !value::fits(&spec, value)?
            {
                let kind = value.get_type().name()?.to_string();
                let text = format!("parameter `{key}` takes text, and no `{kind}`");
                let error = gxf_runtime::Error::new(ResultCode::PARAMETER_INVALID_TYPE, text);
                return self.call_of(py, cid, |_| Err(error));
            }
            value::to_yaml(value)?
        };
        self.call_of(py, cid, |context| context.set_parameter_yaml(cid, key, &text, ""))
    }

    /// Sets a parameter that leads to other components, by their ids.
    fn set_handles(
        &self,
        py: Python<'_>,
        cid: Uid,
        key: &str,
        targets: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let value = match targets.extract::<Uid>() {
            Ok(target) => ParameterValue::Component(target),
            Err(_) => {
                let targets: Vec<Uid> = targets.extract()?;
                ParameterValue::List(targets.into_iter().map(ParameterValue::Component).collect())
            }
        };
        self.call_of(py, cid, |context| context.set_parameter(cid, key, Some(value)))
    }

    fn parameter<'py>(&self, py: Python<'py>, cid: Uid, key: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.call_of(py, cid, |context| context.parameter(cid, key))?;
        value::to_python(py, &value)
    }

    /// The description of a parameter; `None` if the component's type has none of this name.
    fn parameter_info<'py>(
        &self,
        py: Python<'py>,
        cid: Uid,
        key: &str,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let spec = self.call(py, |context| context.parameter_spec(cid, key))?;
        spec.map(|spec| value::describe(py, self.get()?, &spec)).transpose()
    }

    /// Lets a `gxe::Variable` use the memory of an array.
    fn bind_variable(&self, py: Python<'_>, cid: Uid, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = tensor::from_any(array)?;
        if !matches!(array.payload.storage_type(), StorageType::HOST | StorageType::SYSTEM) {
            return Err(PyValueError::new_err("the array is not in the memory of the host"));
        }
        if !array.payload.is_contiguous() {
            return Err(PyValueError::new_err("the elements of the array have gaps between them"));
        }
        self.call_of(py, cid, |context| context.give_memory(cid, array.payload.into_memory()))
    }

    /// A copy of the value of a `gxe::Variable`.
    fn read_variable<'py>(&self, py: Python<'py>, cid: Uid) -> PyResult<Bound<'py, PyBytes>> {
        let value = self.call_of(py, cid, |context| context.read_variable(cid))?;
        Ok(PyBytes::new(py, &value))
    }

    fn activate(&self, py: Python<'_>) -> PyResult<()> {
        let staged = |error: gxf_runtime::Error| match error.stage() {
            None => error.in_stage("activate"),
            Some(_) => error,
        };
        interpreter::enter_run().map_err(error::misuse)?;
        self.call(py, |context| context.activate().map_err(staged))
    }

    fn run_async(&self, py: Python<'_>) -> PyResult<()> {
        interpreter::enter_run().map_err(error::misuse)?;
        error::forget_failures(self.get()?.as_raw().addr());
        self.call(py, |context| context.run_async())
    }

    /// Waits for the end of the run. Ctrl-C ends it and raises `KeyboardInterrupt`; a second one
    /// does not wait for it.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        self.wait_for(py, false, gxf_runtime::Context::wait)
    }

    /// Refuses to wait on a thread that the graph waits for.
    fn check_may_wait(&self, py: Python<'_>) -> PyResult<()> {
        let context = self.get()?;
        let reentrant = context.ensure_not_reentrant("wait");
        reentrant.map_err(|error| error::of_graph(py, context, error))
    }

    /// Whether somebody gave up waiting for the end of the run, by a second Ctrl-C.
    #[getter]
    fn is_abandoned(&self) -> bool {
        self.is_abandoned.load(Ordering::Relaxed)
    }

    fn run(&self, py: Python<'_>) -> PyResult<()> {
        interpreter::enter_run().map_err(error::misuse)?;
        error::forget_failures(self.get()?.as_raw().addr());
        self.wait_for(py, false, gxf_runtime::Context::run)
    }

    /// The exception of a codelet that ended the latest run, once.
    fn take_exception(&self) -> PyResult<Option<Py<PyAny>>> {
        Ok(error::take_exception(self.get()?.as_raw().addr()))
    }

    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, |context| context.interrupt())
    }

    fn pause(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, |context| context.pause())
    }

    fn resume(&self, py: Python<'_>) -> PyResult<()> {
        self.call(py, |context| context.resume())
    }

    fn step(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.call(py, |context| context.step())
    }

    fn deactivate(&self, py: Python<'_>) -> PyResult<()> {
        self.wait_for(py, false, gxf_runtime::Context::deactivate)
    }

    /// Like `deactivate`; waits for another thread that activates or deactivates the graph. Ctrl-C leaves a
    /// run that does not end.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.wait_for(py, true, gxf_runtime::Context::end)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.call(py, |context| context.save(&path))
    }

    /// The graph as the text of an app file.
    fn to_yaml(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |context| context.to_yaml())
    }

    fn enable_statistics(&self) -> PyResult<()> {
        self.get()?.enable_statistics();
        Ok(())
    }

    /// The statistics as JSON; `None` unless they were enabled.
    fn statistics(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let context = self.get()?;
        let statistics = interpreter::detached(py, || context.statistics());
        statistics.map(|found| json(&found)).transpose()
    }

    /// What the graph is doing now, as JSON.
    fn status(&self, py: Python<'_>) -> PyResult<String> {
        let context = self.get()?;
        json(&interpreter::detached(py, || context.status()))
    }

    /// How often each entity ticked, by name.
    fn ticks(&self) -> PyResult<Vec<(String, u64)>> {
        let report = self.get()?.run_report();
        Ok(report.entities.into_iter().map(|entity| (entity.name, entity.ticks)).collect())
    }

    #[pyo3(signature = (events_per_thread = 262_144))]
    fn trace_start(&self, py: Python<'_>, events_per_thread: usize) -> PyResult<()> {
        let options = TraceOptions { events_per_thread, ..TraceOptions::default() };
        self.call(py, |context| context.trace_start(&options))
    }

    /// Ends the trace and returns it in the format of ui.perfetto.dev; `None` without a trace.
    fn trace_stop(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let context = self.get()?;
        let written = interpreter::detached(py, || {
            let trace = context.trace_stop()?;
            let mut bytes = Vec::new();
            Some(trace.write_json(&mut bytes).map(|()| bytes))
        });
        let Some(written) = written else { return Ok(None) };
        let bytes = written.map_err(|error| error::misuse(error.to_string()))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| error::misuse(error.to_string()))
}

/// Ends the links of graphs that run and lead to each other in a circle, if nothing will happen in
/// them any more. Returns whether it did.
#[pyfunction]
pub fn end_if_over(py: Python<'_>, contexts: Vec<Py<Context>>) -> PyResult<bool> {
    let graphs = contexts.iter().map(|context| Ok(context.get().get()?.clone()));
    let graphs: Vec<_> = graphs.collect::<PyResult<_>>()?;
    let ended = interpreter::detached(py, || gxf_remote::end_if_over(&graphs));
    ended.map_err(|error| error::misuse(error.to_string()))
}

/// Sets the severity of the log: 0 none, 1 error, 2 warning, 3 info, 4 debug, 5 verbose.
#[pyfunction]
pub fn set_severity(severity: i32) -> PyResult<()> {
    gxf_core::log::start();
    gxf_core::log::set_severity(severity).map_err(|error| error::misuse(error.to_string()))
}

/// GXF's name of a result code.
#[pyfunction]
pub fn result_name(code: i32) -> &'static str {
    ResultCode(code).name()
}
