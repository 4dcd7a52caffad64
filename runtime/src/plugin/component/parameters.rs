//! The parameters of a component: kept here, and passed on to the instance.

use super::Component;
use crate::error::{Error, Result};
use crate::graph::{ParameterSpec, ParameterValue};
use crate::plugin::value::with_border_value;
use gxf_plugin_abi as abi;
use std::collections::BTreeMap;

/// The values that were set.
#[derive(Default)]
pub(super) struct Parameters {
    /// By position in the type's list.
    values: Vec<Option<ParameterValue>>,
    /// Values for keys the type does not have, as GXF keeps them.
    unregistered: BTreeMap<String, ParameterValue>,
}

impl Parameters {
    /// No values, for a type with this many parameters.
    pub fn new(count: usize) -> Self {
        Self { values: vec![None; count], unregistered: BTreeMap::new() }
    }
}

impl Component {
    /// Stores a value and passes it on to the instance. `None` takes the value away.
    pub fn set_parameter(
        &self,
        index: usize,
        spec: &ParameterSpec,
        value: Option<ParameterValue>,
    ) -> Result<()> {
        self.pass_parameter(index, spec, value.as_ref())?;
        self.keep_parameter(index, value);
        Ok(())
    }

    /// Stores a value without passing it on.
    pub fn keep_parameter(&self, index: usize, value: Option<ParameterValue>) {
        self.parameters.lock().values[index] = value;
    }

    /// Passes a value on to the instance, which must not be executing.
    pub fn pass_parameter(
        &self,
        index: usize,
        spec: &ParameterSpec,
        value: Option<&ParameterValue>,
    ) -> Result<()> {
        let Some(vtable) = self.vtable() else { return Ok(()) };
        let Some(set) = vtable.set_parameter else { return Ok(()) };
        let pass = |value: *const abi::Value| {
            // SAFETY: the instance, its environment, and a value that is valid or null.
            gxf::host::check(unsafe {
                set(self.object.as_ptr(), &raw const *self.environment, index, value)
            })
        };
        let result = match value {
            Some(value) => with_border_value(spec.element, spec.rank, value, |v| pass(v)),
            None => pass(std::ptr::null()),
        };
        result.map_err(Error::from)
    }

    /// Keeps a value for a key the type does not have.
    pub fn set_unregistered(&self, key: &str, value: ParameterValue) {
        self.parameters.lock().unregistered.insert(key.to_owned(), value);
    }

    /// The values for keys the type does not have.
    pub fn unregistered(&self) -> BTreeMap<String, ParameterValue> {
        self.parameters.lock().unregistered.clone()
    }

    /// The value of a parameter: what was set, or the default.
    pub fn parameter(&self, key: &str) -> Option<ParameterValue> {
        let parameters = self.parameters.lock();
        match self.type_info.parameter(key) {
            Some((index, spec)) => {
                parameters.values[index].clone().or_else(|| spec.default.clone())
            }
            None => parameters.unregistered.get(key).cloned(),
        }
    }

    /// Whether the parameter at this position was set.
    pub fn has_value(&self, index: usize) -> bool {
        self.parameters.lock().values[index].is_some()
    }

    /// Gives every parameter without a value its default, tells the instance of optional ones that
    /// have none, and names the mandatory ones that are missing.
    pub fn complete_parameters(&self) -> Result<Vec<&ParameterSpec>> {
        let mut missing = Vec::new();
        for (index, spec) in self.type_info.parameters.iter().enumerate() {
            if self.has_value(index) {
                continue;
            }
            match &spec.default {
                Some(default) => self.pass_parameter(index, spec, Some(default))?,
                None if spec.flags & abi::PARAMETER_OPTIONAL != 0 => {
                    self.pass_parameter(index, spec, None)?;
                }
                None => missing.push(spec),
            }
        }
        Ok(missing)
    }

    /// Lets go of the components the parameters lead to; those that hold each other are freed that
    /// way. The component itself is not asked to do anything any more.
    pub fn clear_parameters(&self) {
        if let Some(clear) = self.vtable().and_then(|vtable| vtable.clear_parameters) {
            // SAFETY: the instance, which is part of no graph any more.
            unsafe { clear(self.object.as_ptr()) };
        }
    }
}
