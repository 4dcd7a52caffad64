//! One parameter of a type.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::tables::text;
use crate::value;
use gxf_app::{ParameterSpec, ParameterValue};
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{PARAMETER_MAX_RANK, ParameterDescriptor, ParameterType};

/// Most choices of one parameter; a larger number is a mistake.
const MOST_CHOICES: usize = 1024;

/// # Safety
/// The descriptor's pointers must be valid.
pub(super) unsafe fn read_parameter(
    parameter: &ParameterDescriptor,
) -> std::result::Result<ParameterSpec, String> {
    // SAFETY: the texts belong to a valid descriptor.
    let key = unsafe { text(parameter.key) };
    if key.is_empty() {
        return Err("one of its parameters has no key".to_owned());
    }
    let rank = parameter.rank as usize;
    if rank > PARAMETER_MAX_RANK {
        return Err(format!("parameter `{key}` has rank {rank}; the highest is 8"));
    }
    let known = parameter.element_type.0 <= ParameterType::COMPLEX128.0
        || parameter.element_type == ParameterType::TID;
    if !known {
        return Err(format!("parameter `{key}` has the unknown type {}", parameter.element_type.0));
    }
    if parameter.choice_count > MOST_CHOICES
        || (parameter.choices.is_null() && parameter.choice_count > 0)
    {
        return Err(format!(
            "parameter `{key}` declares {} choices but has no list of them",
            parameter.choice_count
        ));
    }
    let read = |value: *const abi::Value, rank: u32, what: &str| {
        // SAFETY: the pointers belong to a valid descriptor.
        let Some(value) = (unsafe { value.as_ref() }) else { return Ok(None) };
        // Read as another type, the bytes of a value would mean another value.
        if value.element_type != parameter.element_type || value.rank != rank {
            return Err(format!("parameter `{key}` and its {what} have different types"));
        }
        // SAFETY: the value belongs to a valid descriptor.
        let value = unsafe { value::from_abi(value) };
        value.map(Some).map_err(|_| format!("parameter `{key}` has a {what} that cannot be read"))
    };
    let default = read(parameter.default_value, parameter.rank, "default")?;
    let limit = |value, what| {
        Ok::<_, String>(read(value, 0, what)?.as_ref().and_then(ParameterValue::number))
    };
    let minimum = limit(parameter.minimum, "minimum")?;
    let maximum = limit(parameter.maximum, "maximum")?;
    let step = limit(parameter.step, "step")?;
    // SAFETY: the texts belong to a valid descriptor.
    unsafe {
        Ok(ParameterSpec {
            headline: text(parameter.headline),
            description: text(parameter.description),
            unit: Some(text(parameter.unit)).filter(|unit| !unit.is_empty()),
            flags: parameter.flags,
            shape: parameter.shape,
            handle_tid: parameter.handle_tid,
            default,
            minimum,
            maximum,
            step,
            choices: (0..parameter.choice_count)
                .map(|index| text(*parameter.choices.add(index)))
                .collect(),
            ..ParameterSpec::new(key, parameter.element_type, parameter.rank)
        })
    }
}
