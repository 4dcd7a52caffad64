//! Information about loaded extensions and their types.

use crate::CORE_VERSION;
use crate::boundary::{Text, fill, needed, text};
use crate::texts::{lasting, lasting_value};
use gxf_plugin_abi::{ParameterType, ResultCode, Tid};
use gxf_runtime::extension::TypeInfo;
use gxf_runtime::graph::{Number, ParameterSpec, ParameterValue};
use gxf_runtime::{Context, Error, Result};
use std::ffi::c_void;
use std::sync::Arc;

/// `gxf_runtime_info` of the header.
#[repr(C)]
struct RuntimeInfo {
    version: Text,
    num_extensions: u64,
    extensions: *mut Tid,
}

/// `gxf_extension_info_t` of the header.
#[repr(C)]
struct ExtensionInfo {
    id: Tid,
    name: Text,
    description: Text,
    version: Text,
    runtime_version: Text,
    license: Text,
    author: Text,
    display_name: Text,
    category: Text,
    brief: Text,
    num_components: u64,
    components: *mut Tid,
}

/// `gxf_component_info_t` of the header.
#[repr(C)]
struct ComponentInfo {
    cid: Tid,
    base_name: Text,
    is_abstract: i32,
    type_name: Text,
    display_name: Text,
    brief: Text,
    description: Text,
    num_parameters: u64,
    parameters: *mut Text,
}

/// `gxf_parameter_info_t` of the header.
#[repr(C)]
struct ParameterInfo {
    key: Text,
    headline: Text,
    description: Text,
    flags: u32,
    element: u32,
    handle_tid: Tid,
    default_value: *const c_void,
    numeric_min: *const c_void,
    numeric_max: *const c_void,
    numeric_step: *const c_void,
    platform_information: Text,
    rank: i32,
    shape: [i32; 8],
}

fn type_info(context: &Context, tid: Tid) -> Result<Arc<TypeInfo>> {
    context.type_info_by_id(tid).ok_or_else(|| {
        let text = format!("no loaded extension has a type with id {tid}");
        Error::new(ResultCode::FACTORY_UNKNOWN_TID, text)
    })
}

/// Address of a copy of a value.
fn value_address(value: &ParameterValue) -> *const c_void {
    use ParameterValue as V;
    match value {
        V::Bool(value) => lasting_value(&[u8::from(*value)]),
        V::Int8(value) => lasting_value(&value.to_ne_bytes()),
        V::Int16(value) => lasting_value(&value.to_ne_bytes()),
        V::Int32(value) => lasting_value(&value.to_ne_bytes()),
        V::Int64(value) => lasting_value(&value.to_ne_bytes()),
        V::UInt8(value) => lasting_value(&value.to_ne_bytes()),
        V::UInt16(value) => lasting_value(&value.to_ne_bytes()),
        V::UInt32(value) => lasting_value(&value.to_ne_bytes()),
        V::UInt64(value) => lasting_value(&value.to_ne_bytes()),
        V::Float32(value) => lasting_value(&value.to_ne_bytes()),
        V::Float64(value) => lasting_value(&value.to_ne_bytes()),
        V::Complex64(value) => lasting_value(&value.map(f32::to_ne_bytes).concat()),
        V::Complex128(value) => lasting_value(&value.map(f64::to_ne_bytes).concat()),
        V::String(text) | V::File(text) | V::Custom(text) => lasting(text).cast(),
        V::Handle(_) | V::Component(_) | V::Tid(_) | V::List(_) => std::ptr::null(),
    }
}

/// Address of a copy of a limit, as a number of the parameter's type.
fn limit_address(limit: Option<Number>, element: ParameterType) -> *const c_void {
    let Some(limit) = limit else { return std::ptr::null() };
    let value = match (limit, element) {
        (Number::Float(value), ParameterType::FLOAT32) => ParameterValue::Float32(value as f32),
        (Number::Float(value), _) => ParameterValue::Float64(value),
        // The limits of a type are within the type.
        (Number::Integer(value), ParameterType::UINT64) => ParameterValue::UInt64(value as u64),
        // The lower bytes of a number come first; otherwise the type has eight bytes.
        (Number::Integer(value), element) => narrow(value as i64, element),
    };
    value_address(&value)
}

fn narrow(value: i64, element: ParameterType) -> ParameterValue {
    match element {
        ParameterType::INT8 => ParameterValue::Int8(value as i8),
        ParameterType::INT16 => ParameterValue::Int16(value as i16),
        ParameterType::INT32 => ParameterValue::Int32(value as i32),
        ParameterType::UINT8 => ParameterValue::UInt8(value as u8),
        ParameterType::UINT16 => ParameterValue::UInt16(value as u16),
        ParameterType::UINT32 => ParameterValue::UInt32(value as u32),
        _ => ParameterValue::Int64(value),
    }
}

fn parameter_info(spec: &ParameterSpec) -> ParameterInfo {
    let known = spec.element.0 <= ParameterType::COMPLEX128.0;
    let element = if known { spec.element } else { ParameterType::CUSTOM };
    let default = spec.default.as_ref().filter(|_| spec.rank == 0 && known);
    let mut shape = spec.shape;
    // As in GXF, dimensions beyond the rank have length 1.
    shape.iter_mut().skip(spec.rank as usize).for_each(|length| *length = 1);
    ParameterInfo {
        key: lasting(&spec.key),
        headline: lasting(&spec.headline),
        description: lasting(&spec.description),
        flags: spec.flags,
        element: element.0,
        handle_tid: spec.handle_tid,
        default_value: default.map_or(std::ptr::null(), value_address),
        numeric_min: limit_address(spec.minimum, spec.element),
        numeric_max: limit_address(spec.maximum, spec.element),
        numeric_step: limit_address(spec.step, spec.element),
        platform_information: spec.unit.as_deref().map_or(std::ptr::null(), lasting),
        rank: i32::try_from(spec.rank).unwrap_or(i32::MAX),
        shape,
    }
}

/// # Safety
/// The pointers must be as the header requires.
unsafe fn describe_parameter(
    context: &Context,
    tid: Tid,
    key: Text,
    info: *mut ParameterInfo,
) -> Result<()> {
    needed(info)?;
    // SAFETY: the pointers are as the header says.
    let key = unsafe { text(key) }?;
    let known = type_info(context, tid)?;
    let (_, spec) = known.parameter(key).ok_or_else(|| {
        let text = format!("`{}` has no parameter `{key}`", known.name);
        Error::new(ResultCode::PARAMETER_NOT_FOUND, text)
    })?;
    // SAFETY: the pointers are as the header says.
    unsafe { info.write(parameter_info(spec)) };
    Ok(())
}

const SMALL: ResultCode = ResultCode::QUERY_NOT_ENOUGH_CAPACITY;

api! {
    fn GxfRuntimeInfo(info: *mut RuntimeInfo) |context| {
        needed(info)?;
        let info = &mut *info;
        info.version = lasting(CORE_VERSION);
        let tids: Vec<Tid> = context.extensions().iter().map(|known| known.tid).collect();
        fill(&tids, &raw mut info.num_extensions, info.extensions, SMALL)
    }

    fn GxfExtensionInfo(tid: Tid, info: *mut ExtensionInfo) |context| {
        needed(info)?;
        let all = context.extensions();
        let known = all.iter().find(|known| known.tid == tid).ok_or_else(|| {
            let text = format!("there is no extension with id {tid}");
            Error::new(ResultCode::EXTENSION_NOT_FOUND, text)
        })?;
        let info = &mut *info;
        info.id = known.tid;
        info.name = lasting(&known.name);
        info.description = lasting(&known.description);
        info.version = lasting(&known.version);
        info.runtime_version = lasting(CORE_VERSION);
        info.license = lasting(&known.license);
        info.author = lasting(&known.author);
        info.display_name = lasting(&known.display_name);
        info.category = lasting(&known.category);
        info.brief = lasting(&known.brief);
        fill(&known.types, &raw mut info.num_components, info.components, SMALL)
    }

    fn GxfComponentInfo(tid: Tid, info: *mut ComponentInfo) |context| {
        needed(info)?;
        let known = type_info(context, tid)?;
        let base = context.type_info_by_id(known.base);
        let info = &mut *info;
        info.cid = known.tid;
        info.base_name = lasting(base.as_ref().map_or("", |base| &base.name));
        info.is_abstract = i32::from(known.is_abstract());
        info.type_name = lasting(&known.name);
        info.display_name = lasting(&known.display_name);
        info.brief = lasting(&known.brief);
        info.description = lasting(&known.description);
        let keys: Vec<Text> = known.parameters.iter().map(|spec| lasting(&spec.key)).collect();
        fill(&keys, &raw mut info.num_parameters, info.parameters, SMALL)
    }

    fn GxfGetParameterInfo(tid: Tid, key: Text, info: *mut ParameterInfo) |context| {
        describe_parameter(context, tid, key, info)
    }

    fn GxfParameterInfo(tid: Tid, key: Text, info: *mut ParameterInfo) |context| {
        describe_parameter(context, tid, key, info)
    }
}
