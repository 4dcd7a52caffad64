//! The parameters of a component: stored here, and passed on to the instance.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::Component;
use crate::value::with_abi_value;
use gxf_app::error::{Error, Result};
use gxf_app::{ParameterSpec, ParameterValue};
use gxf_plugin_abi as abi;
use std::collections::BTreeMap;

/// The current values.
#[derive(Default)]
pub(super) struct Parameters {
    /// By position in the type's list of parameters.
    values: Box<[Option<ParameterValue>]>,
    /// Which of the first 64 parameters have no value and were passed on as such: their default, or
    /// its absence.
    completed: u64,
    /// Values for keys that the type does not declare, which GXF keeps too.
    unregistered: BTreeMap<String, ParameterValue>,
}

impl Parameters {
    /// No values, for a type with this many parameters.
    pub fn new(count: usize) -> Self {
        let values = vec![None; count].into_boxed_slice();
        Self { values, completed: 0, unregistered: BTreeMap::new() }
    }
}

/// The bit of a parameter among the completed ones; none for those beyond.
fn bit_of(index: usize) -> u64 {
    u32::try_from(index).ok().and_then(|index| 1_u64.checked_shl(index)).unwrap_or(0)
}

impl Component {
    /// Stores a value and passes it on to the instance. `None` removes the value.
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
        let mut parameters = self.parameters.lock();
        parameters.values[index] = value;
        parameters.completed &= !bit_of(index);
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
            let environment = self.environment.as_ptr();
            // SAFETY: the instance, its environment, and a value that is valid or null.
            let call = || unsafe { set(self.object.as_ptr(), environment, index, value) };
            gxf::host::check(self.noted("set_parameter", call))
        };
        let result = match value {
            Some(value) => with_abi_value(spec.element, spec.rank, value, |v| pass(v)),
            None => pass(std::ptr::null()),
        };
        result.map_err(Error::from)
    }

    /// Stores a value for a key that the type does not declare.
    pub fn set_unregistered(&self, key: &str, value: ParameterValue) {
        self.parameters.lock().unregistered.insert(key.to_owned(), value);
    }

    /// The values for keys that the type does not declare.
    pub fn unregistered(&self) -> BTreeMap<String, ParameterValue> {
        self.parameters.lock().unregistered.clone()
    }

    /// The current value of a parameter, or its default.
    pub fn parameter(&self, key: &str) -> Option<ParameterValue> {
        let parameters = self.parameters.lock();
        match self.type_info.parameter(key) {
            Some((index, spec)) => {
                parameters.values[index].clone().or_else(|| spec.default.clone())
            }
            None => parameters.unregistered.get(key).cloned(),
        }
    }

    /// Whether the parameter at this position has a value.
    pub fn has_value(&self, index: usize) -> bool {
        self.parameters.lock().values[index].is_some()
    }

    /// Gives parameters without a value their defaults, passes the absence of optional values on to
    /// the instance, and returns the mandatory parameters that have no value.
    pub fn complete_parameters(&self) -> Result<Vec<&ParameterSpec>> {
        let mut missing = Vec::new();
        for (index, spec) in self.type_info.parameters.iter().enumerate() {
            {
                let parameters = self.parameters.lock();
                if parameters.values[index].is_some() || parameters.completed & bit_of(index) != 0 {
                    continue;
                }
            }
            match &spec.default {
                Some(default) => self.pass_parameter(index, spec, Some(default))?,
                None if spec.flags & abi::PARAMETER_OPTIONAL != 0 => {
                    self.pass_parameter(index, spec, None)?;
                }
                None => {
                    missing.push(spec);
                    continue;
                }
            }
            self.parameters.lock().completed |= bit_of(index);
        }
        Ok(missing)
    }

    /// Releases the components that the parameters refer to, so that components in a cycle are
    /// freed. This component does no more work afterwards.
    pub fn clear_parameters(&self) {
        if let Some(clear) = self.vtable().and_then(|vtable| vtable.clear_parameters) {
            // SAFETY: the instance, which is part of no graph any more.
            let call = || unsafe { clear(self.object.as_ptr()) };
            self.noted("clear_parameters", call);
        }
    }
}
