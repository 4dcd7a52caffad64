//! What goes through the ports of a type: `gxe::PortTypes`.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::Interface;
use super::tables::text;
use crate::registry::PortType;
use gxf_app::ParameterSpec;
use gxf_plugin_abi::{ParameterType, PortTypes, tids};

/// Most payload types of all ports of one type; a larger number is a mistake.
const MOST_TYPES: usize = 1024;

/// The ports that a type declares; none if it has no such table.
///
/// # Safety
/// The interface with the id of the table must have such a table, of full size, with a list as long
/// as it declares.
pub(super) unsafe fn read_ports(
    interfaces: &[Interface],
    parameters: &[ParameterSpec],
) -> std::result::Result<Vec<PortType>, String> {
    let Some(table) = interfaces.iter().find(|interface| interface.id == tids::PORT_TYPES) else {
        return Ok(Vec::new());
    };
    // SAFETY: `tables.rs` made a copy of full size.
    let table = unsafe { table.vtable.cast::<PortTypes>().as_ref() };
    if table.port_count > MOST_TYPES || (table.ports.is_null() && table.port_count > 0) {
        return Err(format!(
            "it declares {} types of its ports but has no list of them",
            table.port_count
        ));
    }
    let is_queue = interfaces.iter().any(|interface| interface.id == tids::QUEUE);
    let mut ports = Vec::with_capacity(table.port_count);
    for index in 0..table.port_count {
        // SAFETY: the list is as long as declared, and its texts are null or valid.
        let (port, key, name) = unsafe {
            let port = &*table.ports.add(index);
            (port, text(port.parameter), text(port.type_name))
        };
        if port.tid.is_null() && name.is_empty() {
            return Err("a type of its ports has no id and no name".to_owned());
        }
        let parameter = if port.parameter.is_null() {
            if !is_queue {
                return Err("it declares that it carries messages, and is no queue".to_owned());
            }
            None
        } else {
            let place = parameters.iter().position(|parameter| parameter.key == key);
            let place = place.ok_or_else(|| format!("its port `{key}` is no parameter"))?;
            // A component may parse handles itself.
            let element = parameters[place].element;
            if element != ParameterType::HANDLE && element != ParameterType::CUSTOM {
                return Err(format!("its port `{key}` is a parameter that is no handle"));
            }
            Some(place)
        };
        ports.push(PortType { parameter, tid: port.tid, name });
    }
    Ok(ports)
}
