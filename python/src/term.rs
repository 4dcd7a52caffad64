//! One condition written in Python: an object with `check(now)`, which returns a state and a time, and
//! with `on_execute(now)` and `update_state(now)` if it wants to know.

use crate::codelet::CodeletContext;
use crate::error::{self, Origin};
use gxf::{Condition, ConditionType};
use pyo3::prelude::*;

/// A condition that exists.
pub struct Term {
    address: usize,
    ids: (i64, i64),
    check: Py<PyAny>,
    on_execute: Option<Py<PyAny>>,
    update_state: Option<Py<PyAny>>,
}

/// The condition that `gxe._codelets.create_term` returns: `(check, on_execute, update_state)`.
pub fn create(py: Python<'_>, name: &str, context: CodeletContext) -> PyResult<Term> {
    let (address, ids) = (context.address(), context.ids());
    let module = py.import("gxe._codelets")?;
    let made = module.call_method1("create_term", (name, Py::new(py, context)?))?;
    let (check, on_execute, update_state) = made.extract()?;
    Ok(Term { address, ids, check, on_execute, update_state })
}

impl Term {
    fn failed(&self, py: Python<'_>) -> impl FnOnce(PyErr) -> gxf::Error {
        let origin = Origin { context: self.address, ids: self.ids, is_stop: false };
        move |raised| error::failed(py, origin, &raised)
    }

    /// The condition now.
    pub fn check(&self, py: Python<'_>, now: i64) -> gxf::Result<Condition> {
        let answer = self.check.call1(py, (now,));
        let answer = answer.and_then(|answer| answer.extract::<(i32, Option<i64>)>(py));
        let (kind, target) = answer.map_err(self.failed(py))?;
        Ok(Condition { condition_type: ConditionType(kind), target: target.unwrap_or(now) })
    }

    /// Notes an execution.
    pub fn on_execute(&self, py: Python<'_>, now: i64) -> gxf::Result<()> {
        self.tell(py, self.on_execute.as_ref(), now)
    }

    /// Notes the time before a check.
    pub fn update_state(&self, py: Python<'_>, now: i64) -> gxf::Result<()> {
        self.tell(py, self.update_state.as_ref(), now)
    }

    fn tell(&self, py: Python<'_>, method: Option<&Py<PyAny>>, now: i64) -> gxf::Result<()> {
        let told = method.map_or(Ok(()), |method| method.call1(py, (now,)).map(drop));
        told.map_err(self.failed(py))
    }
}
