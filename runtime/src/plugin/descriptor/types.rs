//! One component or payload type.

use super::parameters::read_parameter;
use super::tables::{adopt_table, copy_sized, interface_name, stated_size, text};
use super::{Construction, Interface, invalid};
use crate::error::{Error, Result};
use crate::extension::registry::TypeInfo;
use crate::graph::ParameterSpec;
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{ParameterDescriptor, ResultCode};

/// Most parameters one type may have, as in GXF.
const MOST_PARAMETERS: usize = 1024;

/// # Safety
/// `entry` must be null or point to a type's description.
pub(super) unsafe fn read_type(
    entry: *const abi::ComponentType,
    extension: &str,
) -> Result<TypeInfo> {
    // SAFETY: the caller's promise. In this version the description has the length of 1.0.
    let stated = unsafe { stated_size(entry.cast(), size_of::<abi::ComponentType>()) }
        .map_err(|what| invalid(format!("its description {what}")))?;
    // SAFETY: a complete copy; fields unknown to the writer are zero, which all of them allow.
    let entry = unsafe { copy_sized::<abi::ComponentType>(entry.cast(), stated).as_ref() };
    // SAFETY: texts of a valid description.
    let (name, display_name, brief, description) = unsafe {
        (
            text(entry.type_name),
            text(entry.display_name),
            text(entry.brief),
            text(entry.description),
        )
    };
    if name.is_empty() {
        return Err(invalid("it has no name".to_owned()));
    }
    let problem = |what: String| invalid_type(&name, &what);
    if entry.tid.is_null() {
        return Err(problem("it has no id".to_owned()));
    }
    let is_abstract = entry.flags & abi::TYPE_ABSTRACT != 0;
    if !is_abstract && entry.create.is_none() {
        return Err(problem("it is not abstract and has no function to create it".to_owned()));
    }
    let alignment = entry.instance_alignment.max(1);
    if !alignment.is_power_of_two() || alignment > 4096 || entry.instance_size > 1 << 30 {
        return Err(problem(format!(
            "an instance of {} bytes with alignment {alignment} is not possible",
            entry.instance_size
        )));
    }
    // SAFETY: lists of a valid description.
    let parameters = unsafe { read_parameters(entry, &name) }?;
    // SAFETY: as above.
    let interfaces = unsafe { read_interfaces(entry, &name) }?;
    Ok(TypeInfo {
        tid: entry.tid,
        base: entry.base_tid,
        name,
        display_name,
        brief,
        description,
        flags: entry.flags,
        extension: extension.to_owned(),
        parameters,
        lineage: Vec::new(),
        native: None,
        construction: Construction {
            size: entry.instance_size,
            alignment,
            create: entry.create.filter(|_| !is_abstract),
            destroy: entry.destroy,
            interfaces,
        },
    })
}

fn invalid_type(name: &str, what: &str) -> Error {
    invalid(format!("`{name}`: {what}"))
}

/// # Safety
/// The list of parameters must be as long as `entry` says, each element as long as it states.
unsafe fn read_parameters(entry: &abi::ComponentType, name: &str) -> Result<Vec<ParameterSpec>> {
    let problem = |what: String| invalid_type(name, &what);
    if entry.parameter_count > MOST_PARAMETERS {
        return Err(problem(format!("{} parameters are too many", entry.parameter_count)));
    }
    let mut parameters: Vec<ParameterSpec> = Vec::with_capacity(entry.parameter_count);
    let mut next = entry.parameters.cast::<u8>();
    for number in 1..=entry.parameter_count {
        // SAFETY: the array has one more element; its length is what the writer stated. In this
        // version the description has the length of 1.0.
        let stated = unsafe { stated_size(next.cast(), size_of::<ParameterDescriptor>()) }
            .map_err(|what| problem(format!("the description of parameter {number} {what}")))?;
        // SAFETY: as long as it states.
        let parameter = unsafe { copy_sized::<ParameterDescriptor>(next.cast(), stated) };
        // SAFETY: a complete copy, see above.
        let parameter = unsafe { read_parameter(parameter.as_ref()) }.map_err(problem)?;
        if parameters.iter().any(|known| known.key == parameter.key) {
            return Err(Error::new(
                ResultCode::PARAMETER_ALREADY_REGISTERED,
                format!("`{name}`: two parameters are called `{}`", parameter.key),
            ));
        }
        parameters.push(parameter);
        // SAFETY: the array's elements are as long as the writer stated.
        next = unsafe { next.add(stated) };
    }
    Ok(parameters)
}

/// # Safety
/// The list of interfaces must be as long as `entry` says, and hold tables of those interfaces.
unsafe fn read_interfaces(entry: &abi::ComponentType, name: &str) -> Result<Vec<Interface>> {
    let problem = |what: String| invalid_type(name, &what);
    let mut interfaces = Vec::with_capacity(entry.interface_count.min(64));
    for index in 0..entry.interface_count {
        if entry.interfaces.is_null() {
            return Err(problem("its list of interfaces is a null pointer".to_owned()));
        }
        // SAFETY: the array has this many elements.
        let interface = unsafe { &*entry.interfaces.add(index) };
        // SAFETY: the type states that this is a table of that interface.
        let vtable = unsafe { adopt_table(interface.id, interface.vtable) }.map_err(|what| {
            let name = interface_name(interface.id);
            problem(format!("the function table of its interface {name} {what}"))
        })?;
        interfaces.push(Interface { id: interface.id, offset: interface.offset, vtable });
    }
    Ok(interfaces)
}
