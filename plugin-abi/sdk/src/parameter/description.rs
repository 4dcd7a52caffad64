//! Description of a parameter.

use super::ParameterValue;
use super::value::leak;
use crate::support::c_text;
use crate::{Payload, Tid, abi};
use abi::{PARAMETER_DYNAMIC, PARAMETER_MAX_RANK, PARAMETER_OPTIONAL, Value};
use core::ffi::c_char;
use core::ptr::null;

/// Description of one parameter of a component.
pub struct ParameterDescription {
    key: &'static str,
    headline: &'static str,
    description: &'static str,
    unit: &'static str,
    flags: u32,
    element: abi::ParameterType,
    rank: u32,
    shape: Vec<i32>,
    handle: Tid,
    default: Option<Value>,
    range: [Option<Value>; 3],
    choices: &'static [&'static str],
    carries: Vec<Carried>,
}

/// A payload type that goes through a port.
#[derive(Clone, Copy)]
pub struct Carried {
    /// Its id; null if only the name is known.
    pub(crate) tid: Tid,
    /// Its full name; empty if the id is known.
    pub(crate) name: &'static str,
}

impl Carried {
    /// A type of this extension or of the SDK.
    #[must_use]
    pub fn of<T: Payload>() -> Self {
        Self { tid: T::TID, name: "" }
    }

    /// A type that another extension registers under this full name.
    #[must_use]
    pub fn named(name: &'static str) -> Self {
        Self { tid: Tid::NULL, name }
    }

    /// The ABI form, whose memory lives as long as the process.
    pub(crate) fn to_port(self, parameter: &str) -> abi::PortType {
        abi::PortType { parameter: c_text(parameter), tid: self.tid, type_name: c_text(self.name) }
    }
}

impl ParameterDescription {
    /// A parameter of type `T`.
    #[must_use]
    pub fn new<T: ParameterValue>(key: &'static str) -> Self {
        Self {
            key,
            headline: "",
            description: "",
            unit: "",
            flags: if T::OPTIONAL { PARAMETER_OPTIONAL } else { 0 },
            element: T::ELEMENT,
            rank: T::RANK,
            shape: T::shape(),
            handle: T::HANDLE,
            default: None,
            range: [None; 3],
            choices: T::choices(),
            carries: Vec::new(),
        }
    }

    /// Declares payload types that go through the receivers or transmitters of this parameter.
    #[must_use]
    pub fn carries(mut self, types: &[Carried]) -> Self {
        self.carries.extend(types);
        self
    }

    /// What goes through the ports of this parameter, in its ABI form.
    pub(crate) fn ports(&self) -> impl Iterator<Item = abi::PortType> {
        self.carries.iter().map(|carried| carried.to_port(self.key))
    }

    /// Sets a short title for tools.
    #[must_use]
    pub fn headline(mut self, text: &'static str) -> Self {
        self.headline = text;
        self
    }

    /// Sets the full description.
    #[must_use]
    pub fn description(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Sets the physical unit, such as `ms`.
    #[must_use]
    pub fn unit(mut self, text: &'static str) -> Self {
        self.unit = text;
        self
    }

    /// Marks the parameter as one that may change while the graph runs.
    #[must_use]
    pub fn dynamic(mut self) -> Self {
        self.flags |= PARAMETER_DYNAMIC;
        self
    }

    /// Sets the value that applies if the application gives none.
    #[must_use]
    pub fn default_value<T: ParameterValue>(mut self, value: &T) -> Self {
        self.default = Some(value.to_abi());
        self
    }

    /// Sets the smallest allowed number.
    #[must_use]
    pub fn minimum<T: ParameterValue>(mut self, value: &T) -> Self {
        self.range[0] = Some(value.to_abi());
        self
    }

    /// Sets the largest allowed number.
    #[must_use]
    pub fn maximum<T: ParameterValue>(mut self, value: &T) -> Self {
        self.range[1] = Some(value.to_abi());
        self
    }

    /// Sets the step between allowed numbers, for editors.
    #[must_use]
    pub fn step<T: ParameterValue>(mut self, value: &T) -> Self {
        self.range[2] = Some(value.to_abi());
        self
    }

    /// The ABI form, whose memory lives as long as the process.
    #[must_use]
    pub fn to_descriptor(&self) -> abi::ParameterDescriptor {
        let value = |value: &Option<Value>| value.map_or(null(), |value| leak(value).cast());
        let choices: Vec<*const c_char> = self.choices.iter().map(|name| c_text(name)).collect();
        let mut shape = [0; PARAMETER_MAX_RANK];
        for (place, length) in shape.iter_mut().zip(&self.shape) {
            *place = *length;
        }
        abi::ParameterDescriptor {
            size: size_of::<abi::ParameterDescriptor>(),
            key: c_text(self.key),
            headline: c_text(self.headline),
            description: c_text(self.description),
            unit: c_text(self.unit),
            flags: self.flags,
            element_type: self.element,
            rank: self.rank,
            shape,
            handle_tid: self.handle,
            default_value: value(&self.default),
            minimum: value(&self.range[0]),
            maximum: value(&self.range[1]),
            step: value(&self.range[2]),
            choice_count: choices.len(),
            choices: if choices.is_empty() { null() } else { Vec::leak(choices).as_ptr() },
        }
    }
}
