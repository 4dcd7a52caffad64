//! The parameters of a component: stored here, and passed on to the instance.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::Component;
use crate::value::with_abi_value;
use gxf::host::MayThrow as _;
use gxf_app::error::{Error, Result};
use gxf_app::{ParameterSpec, ParameterValue, Span};
use gxf_plugin_abi as abi;
use std::collections::BTreeMap;
use thin_vec::ThinVec;

/// The current values, and what a file says about them.
#[derive(Default)]
pub(super) struct Parameters {
    /// The place in a file that creates the component.
    place: Option<Span>,
    /// The parameters with a value or a place, ordered by position. Most have neither.
    given: ThinVec<Given>,
    /// Which of the first 64 parameters have no value and were passed on as such: their default, or
    /// its absence.
    completed: u64,
    /// Values for keys that the type does not declare, which GXF keeps too.
    #[expect(clippy::box_collection, reason = "nearly no component has any, and a box is a word")]
    unregistered: Option<Box<BTreeMap<String, ParameterValue>>>,
}

/// A parameter that was set.
struct Given {
    /// Position in the type's list of parameters.
    index: usize,
    value: Option<ParameterValue>,
    /// The place of its latest value in a file.
    place: Option<Span>,
}

impl Parameters {
    fn find(&self, index: usize) -> Option<&Given> {
        let at = self.given.binary_search_by_key(&index, |given| given.index);
        at.ok().map(|at| &self.given[at])
    }

    fn find_or_add(&mut self, index: usize) -> &mut Given {
        let at = self.given.binary_search_by_key(&index, |given| given.index);
        let at = at.unwrap_or_else(|at| {
            // A graph has many components with few parameters, which stay as they are.
            self.given.reserve_exact(1);
            self.given.insert(at, Given { index, value: None, place: None });
            at
        });
        &mut self.given[at]
    }

    fn value(&self, index: usize) -> Option<&ParameterValue> {
        self.find(index)?.value.as_ref()
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
        parameters.find_or_add(index).value = value;
        parameters.completed &= !bit_of(index);
    }

    /// Notes the place in a file that creates the component.
    pub fn set_place(&self, place: Span) {
        self.parameters.lock().place = Some(place);
    }

    /// The place in a file that creates the component; `None` if a program did.
    pub fn place(&self) -> Option<Span> {
        self.parameters.lock().place.clone()
    }

    /// Notes the place in a file that sets the parameter at this position.
    pub fn set_parameter_place(&self, index: usize, place: Span) {
        self.parameters.lock().find_or_add(index).place = Some(place);
    }

    /// The place in a file that set a parameter last.
    pub fn parameter_place(&self, key: &str) -> Option<Span> {
        let (index, _) = self.type_info.parameter(key)?;
        self.parameters.lock().find(index)?.place.clone()
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
            let call =
                || unsafe { set.unwinding()(self.object.as_ptr(), environment, index, value) };
            gxf::host::check(self.noted("set_parameter", call))
        };
        let result = match value {
            Some(value) => with_abi_value(spec.element, spec.rank, value, |v| pass(v)),
            None => pass(std::ptr::null()),
        };
        result.map_err(Error::from)
    }

    /// Passes a new value on to the instance while its graph is active. If the values of a dynamic
    /// parameter's component do not fit together then, the instance gets `former` back.
    pub fn change_parameter(
        &self,
        index: usize,
        spec: &ParameterSpec,
        value: Option<&ParameterValue>,
        former: Option<&ParameterValue>,
    ) -> Result<()> {
        self.pass_parameter(index, spec, value)?;
        if spec.flags & abi::PARAMETER_DYNAMIC == 0 {
            return Ok(());
        }
        let checked = self.check_parameters();
        if checked.is_err() {
            self.pass_parameter(index, spec, former)?;
        }
        checked
    }

    /// Stores a value for a key that the type does not declare.
    pub fn set_unregistered(&self, key: &str, value: ParameterValue) {
        let mut parameters = self.parameters.lock();
        parameters.unregistered.get_or_insert_default().insert(key.to_owned(), value);
    }

    /// The values for keys that the type does not declare.
    pub fn unregistered(&self) -> BTreeMap<String, ParameterValue> {
        self.parameters.lock().unregistered.as_deref().cloned().unwrap_or_default()
    }

    /// The current value of a parameter, or its default.
    pub fn parameter(&self, key: &str) -> Option<ParameterValue> {
        let parameters = self.parameters.lock();
        match self.type_info.parameter(key) {
            Some((index, spec)) => parameters.value(index).or(spec.default.as_ref()).cloned(),
            None => parameters.unregistered.as_ref()?.get(key).cloned(),
        }
    }

    /// Whether the parameter at this position has a value.
    pub fn has_value(&self, index: usize) -> bool {
        self.parameters.lock().value(index).is_some()
    }

    /// Whether [`Self::complete_parameters`] has nothing to do.
    pub fn is_complete(&self) -> bool {
        let parameters = self.parameters.lock();
        (0..self.type_info.parameters.len()).all(|index| {
            parameters.completed & bit_of(index) != 0 || parameters.value(index).is_some()
        })
    }

    /// Gives parameters without a value their defaults, passes the absence of optional values on to
    /// the instance, and returns the mandatory parameters that have no value.
    pub fn complete_parameters(&self) -> Result<Vec<&ParameterSpec>> {
        let mut missing = Vec::new();
        for (index, spec) in self.type_info.parameters.iter().enumerate() {
            {
                let parameters = self.parameters.lock();
                if parameters.value(index).is_some() || parameters.completed & bit_of(index) != 0 {
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
            let call = || unsafe { clear.unwinding()(self.object.as_ptr()) };
            self.noted("clear_parameters", call);
        }
    }
}
