//! The description of a type, and the factory that returns it.

use super::{guard, install_panic_hook};
use crate::implement::Component;
use crate::{ParameterDescription, ResultCode, Tid, abi};
use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;

/// Names and texts of a component type, for [`component_type`] and [`payload_type`].
pub struct TypeTexts {
    /// Type id.
    pub tid: Tid,
    /// Id of the base, null for none.
    pub base: Tid,
    /// Full name.
    pub name: &'static CStr,
    /// Name for tools to show; empty for none.
    pub display_name: &'static str,
    /// One-line summary for tools to show; empty for none.
    pub brief: &'static str,
    /// Full description; empty for none.
    pub description: &'static str,
    /// `TYPE_…` flags of the ABI.
    pub flags: u32,
}

/// A text of a description, which lives as long as the process; null if empty.
pub(crate) fn c_text(text: &str) -> *const c_char {
    if text.is_empty() {
        return core::ptr::null();
    }
    // A zero byte inside ends the text, as in C.
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).map_or(core::ptr::null(), |text| text.into_raw().cast_const())
}

fn leak<T>(values: Vec<T>) -> (*const T, usize) {
    let values = Vec::leak(values);
    (values.as_ptr(), values.len())
}

/// Describes a component type to the host. The description lives as long as the process.
#[must_use]
pub fn component_type<T: Component + Default>(
    texts: TypeTexts,
    mut interfaces: Vec<abi::InterfaceEntry>,
) -> &'static abi::ComponentType {
    let parameters = T::parameters();
    let own = T::carries().into_iter().map(|carried| carried.to_port(""));
    let ports: Vec<_> =
        own.chain(parameters.iter().flat_map(ParameterDescription::ports)).collect();
    if !ports.is_empty() {
        let (ports, port_count) = leak(ports);
        let table = abi::PortTypes { size: size_of::<abi::PortTypes>(), ports, port_count };
        interfaces.push(interface(abi::tids::PORT_TYPES, Box::leak(Box::new(table))));
    }
    let parameters = parameters.iter().map(ParameterDescription::to_descriptor).collect();
    let description = if texts.description.is_empty() { T::DESCRIPTION } else { texts.description };
    describe::<T>(TypeTexts { description, ..texts }, leak(parameters), leak(interfaces))
}

/// Describes a payload type to the host. The description lives as long as the process.
#[must_use]
pub fn payload_type<T: crate::Payload + Default>(texts: TypeTexts) -> &'static abi::ComponentType {
    describe::<T>(texts, (core::ptr::null(), 0), (core::ptr::null(), 0))
}

fn describe<T: Default>(
    texts: TypeTexts,
    parameters: (*const abi::ParameterDescriptor, usize),
    interfaces: (*const abi::InterfaceEntry, usize),
) -> &'static abi::ComponentType {
    Box::leak(Box::new(abi::ComponentType {
        size: size_of::<abi::ComponentType>(),
        tid: texts.tid,
        base_tid: texts.base,
        type_name: texts.name.as_ptr(),
        display_name: c_text(texts.display_name),
        brief: c_text(texts.brief),
        description: c_text(texts.description),
        flags: texts.flags,
        reserved: 0,
        instance_size: size_of::<T>(),
        instance_alignment: align_of::<T>(),
        create: Some(create::<T>),
        // Null for plain data, whose size is then known to be all that it takes.
        destroy: if core::mem::needs_drop::<T>() { Some(destroy::<T>) } else { None },
        parameters: parameters.0,
        parameter_count: parameters.1,
        interfaces: interfaces.0,
        interface_count: interfaces.1,
    }))
}

unsafe extern "C" fn create<T: Default>(
    storage: *mut c_void,
    _environment: *const abi::ComponentEnvironment,
) -> *mut c_void {
    let mut made = core::ptr::null_mut();
    guard(|| {
        let value = T::default();
        // SAFETY: the host provides memory of this type's size and alignment.
        unsafe { storage.cast::<T>().write(value) };
        made = storage;
        Ok(())
    });
    made
}

unsafe extern "C" fn destroy<T>(object: *mut c_void) {
    guard(|| {
        // SAFETY: the host passes an object that `create` returned, once.
        unsafe { object.cast::<T>().drop_in_place() };
        Ok(())
    });
}

/// One entry of a type's interface list.
#[must_use]
pub const fn interface<V>(id: Tid, vtable: &'static V) -> abi::InterfaceEntry {
    abi::InterfaceEntry { id, offset: 0, vtable: core::ptr::from_ref(vtable).cast() }
}

/// Body of the factory function: stores the host's table and returns the types.
///
/// # Safety
/// `table` must be the host's table, valid for the life of the process; `factory` must be writable.
pub unsafe fn create_factory(
    table: *const abi::HostTable,
    factory: *mut abi::ExtensionFactory,
    types: impl FnOnce() -> Vec<&'static abi::ComponentType>,
) -> ResultCode {
    // SAFETY: `table` is null or the host's table, as required.
    let (Some(table), false) = (unsafe { table.as_ref() }, factory.is_null()) else {
        return ResultCode::ARGUMENT_NULL;
    };
    crate::host::set_host(table);
    install_panic_hook();
    guard(|| {
        let types: Vec<*const abi::ComponentType> =
            types().into_iter().map(core::ptr::from_ref).collect();
        let (types, type_count) = leak(types);
        // SAFETY: `factory` is writable, as required.
        unsafe {
            (*factory).types = types;
            (*factory).type_count = type_count;
        }
        Ok(())
    })
}

/// `build_info` of extensions written with this crate.
pub const BUILD_INFO: &CStr = c"Rust, gxf SDK";

/// Converts a text constant that ends with a zero byte; the factory macro passes such literals.
#[must_use]
pub const fn c_literal(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text contains a zero byte"),
    }
}
