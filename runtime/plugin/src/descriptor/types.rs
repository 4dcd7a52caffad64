//! One component or payload type.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::parameters::read_parameter;
use super::ports::read_ports;
use super::tables::{adopt_table, copy_sized, interface_name, stated_size, text};
use super::{Construction, Interface, invalid};
use crate::registry::TypeInfo;
use gxf_app::ParameterSpec;
use gxf_app::error::{Error, Result};
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{ParameterDescriptor, ResultCode, tids};

/// Most interfaces one type may have: more than there are.
const MOST_INTERFACES: usize = 256;
/// Most parameters of one type, as in GXF.
const MOST_PARAMETERS: usize = 1024;

/// The flags that only a codelet may have.
const CODELET_FLAGS: u32 = abi::TYPE_CAPTURABLE | abi::TYPE_IN_PLACE | abi::TYPE_PUBLISHES_INTO;

/// # Safety
/// `entry` must be null or point to a type description.
pub(super) unsafe fn read_type(
    entry: *const abi::ComponentType,
    extension: &str,
) -> Result<TypeInfo> {
    // SAFETY: `entry` is null or points to a type's description, which in this version has the
    // length of 1.0.
    let stated = unsafe { stated_size(entry.cast(), size_of::<abi::ComponentType>()) }
        .map_err(|what| invalid(format!("its description {what}")))?;
    // SAFETY: the copy is complete; every field that the writer did not know may be zero.
    let entry = unsafe { copy_sized::<abi::ComponentType>(entry.cast(), stated).as_ref() };
    // SAFETY: the texts belong to a valid description.
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
    // SAFETY: the lists belong to a valid description.
    let parameters = unsafe { read_parameters(entry, &name) }?;
    // SAFETY: the lists belong to a valid description.
    let interfaces = unsafe { read_interfaces(entry, &name) }?;
    let has = |id| interfaces.iter().any(|interface| interface.id == id);
    if entry.flags & CODELET_FLAGS != 0 && !has(tids::CODELET) {
        return Err(problem("it has flags of codelets, and is none".to_owned()));
    }
    // SAFETY: the type declares that the interfaces have the tables of their ids.
    let ports = unsafe { read_ports(&interfaces, &parameters) }.map_err(problem)?;
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
        ports,
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
/// The list of parameters must be as long as `entry` declares, and each element as long as it
/// declares itself.
unsafe fn read_parameters(entry: &abi::ComponentType, name: &str) -> Result<Vec<ParameterSpec>> {
    let problem = |what: String| invalid_type(name, &what);
    if entry.parameter_count > MOST_PARAMETERS {
        return Err(problem(format!("{} parameters are too many", entry.parameter_count)));
    }
    let mut parameters: Vec<ParameterSpec> = Vec::with_capacity(entry.parameter_count);
    let mut next = entry.parameters.cast::<u8>();
    for number in 1..=entry.parameter_count {
        // SAFETY: the array has another element, as long as its writer declared. In this version
        // the description is as long as in 1.0.
        let stated = unsafe { stated_size(next.cast(), size_of::<ParameterDescriptor>()) }
            .map_err(|what| problem(format!("the description of parameter {number} {what}")))?;
        // SAFETY: the element has the size that it declares.
        let parameter = unsafe { copy_sized::<ParameterDescriptor>(next.cast(), stated) };
        // SAFETY: the copy is complete, see above.
        let parameter = unsafe { read_parameter(parameter.as_ref()) }.map_err(problem)?;
        if parameters.iter().any(|known| known.key == parameter.key) {
            return Err(Error::new(
                ResultCode::PARAMETER_ALREADY_REGISTERED,
                format!("`{name}`: two parameters are called `{}`", parameter.key),
            ));
        }
        parameters.push(parameter);
        // SAFETY: the next element follows after the declared size.
        next = unsafe { next.add(stated) };
    }
    Ok(parameters)
}

/// # Safety
/// The list of interfaces must be as long as `entry` declares, and contain tables of those
/// interfaces.
unsafe fn read_interfaces(entry: &abi::ComponentType, name: &str) -> Result<Vec<Interface>> {
    let problem = |what: String| invalid_type(name, &what);
    if entry.interface_count > MOST_INTERFACES {
        return Err(problem(format!("{} interfaces are too many", entry.interface_count)));
    }
    if entry.interfaces.is_null() && entry.interface_count > 0 {
        return Err(problem("its list of interfaces is a null pointer".to_owned()));
    }
    let mut interfaces = Vec::with_capacity(entry.interface_count);
    for index in 0..entry.interface_count {
        // SAFETY: the array has this many elements.
        let interface = unsafe { &*entry.interfaces.add(index) };
        // SAFETY: the type declares that this is a table of that interface.
        let vtable = unsafe { adopt_table(interface.id, interface.vtable) }.map_err(|what| {
            let name = interface_name(interface.id);
            problem(format!("the function table of its interface {name} {what}"))
        })?;
        interfaces.push(Interface { id: interface.id, offset: interface.offset, vtable });
    }
    Ok(interfaces)
}
