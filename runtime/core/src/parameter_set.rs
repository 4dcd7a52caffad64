//! Setting parameters.

use crate::boundary::{Text, elements, text, text_or_empty};
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_runtime::graph::ParameterValue;
use gxf_runtime::{Context, Error, Result};
use std::ffi::c_void;

/// # Safety
/// `key` must be null or a C string.
unsafe fn set(context: &Context, cid: Uid, key: Text, value: ParameterValue) -> Result<()> {
    // SAFETY: `key` is null or a C string.
    context.set_parameter(cid, unsafe { text(key) }?, Some(value))
}

/// # Safety
/// `data` must be null or point to that many elements.
unsafe fn list<T: Copy>(
    data: *const T,
    length: u64,
    element: impl Fn(T) -> ParameterValue,
) -> Result<ParameterValue> {
    // SAFETY: `data` is null or points to that many elements.
    let items = unsafe { elements(data, length, ResultCode::ARGUMENT_NULL) }?;
    Ok(ParameterValue::List(items.iter().map(|item| element(*item)).collect()))
}

macro_rules! numbers {
    ($($name:ident: $type:ty = $variant:ident;)*) => {$(
        api! {
            fn $name(cid: Uid, key: Text, value: $type) |context| {
                set(context, cid, key, ParameterValue::$variant(value))
            }
        }
    )*};
}

numbers! {
    GxfParameterSetInt8: i8 = Int8;
    GxfParameterSetInt16: i16 = Int16;
    GxfParameterSetInt32: i32 = Int32;
    GxfParameterSetInt64: i64 = Int64;
    GxfParameterSetUInt8: u8 = UInt8;
    GxfParameterSetUInt16: u16 = UInt16;
    GxfParameterSetUInt32: u32 = UInt32;
    GxfParameterSetUInt64: u64 = UInt64;
    GxfParameterSetFloat32: f32 = Float32;
    GxfParameterSetFloat64: f64 = Float64;
}

macro_rules! lists {
    ($($one:ident $two:ident: $type:ty = $variant:ident;)*) => {$(
        api! {
            fn $one(cid: Uid, key: Text, value: *const $type, length: u64) |context| {
                set(context, cid, key, list(value, length, ParameterValue::$variant)?)
            }

            fn $two(
                cid: Uid,
                key: Text,
                value: *const *const $type,
                height: u64,
                width: u64,
            ) |context| {
                let rows = elements(value, height, ResultCode::ARGUMENT_NULL)?.iter();
                let rows = rows.map(|row| list(*row, width, ParameterValue::$variant));
                let rows = rows.collect::<Result<_>>()?;
                set(context, cid, key, ParameterValue::List(rows))
            }
        }
    )*};
}

lists! {
    GxfParameterSet1DFloat64Vector GxfParameterSet2DFloat64Vector: f64 = Float64;
    GxfParameterSet1DInt64Vector GxfParameterSet2DInt64Vector: i64 = Int64;
    GxfParameterSet1DUInt64Vector GxfParameterSet2DUInt64Vector: u64 = UInt64;
    GxfParameterSet1DInt32Vector GxfParameterSet2DInt32Vector: i32 = Int32;
}

api! {
    // A byte and not a `bool`, because a caller in C may pass any value.
    fn GxfParameterSetBool(cid: Uid, key: Text, value: u8) |context| {
        set(context, cid, key, ParameterValue::Bool(value != 0))
    }

    fn GxfParameterSetStr(cid: Uid, key: Text, value: Text) |context| {
        set(context, cid, key, ParameterValue::String(text(value)?.to_owned()))
    }

    fn GxfParameterSetPath(cid: Uid, key: Text, value: Text) |context| {
        set(context, cid, key, ParameterValue::File(text(value)?.to_owned()))
    }

    fn GxfParameterSetHandle(cid: Uid, key: Text, target: Uid) |context| {
        match target {
            // kNullUid and kUnspecifiedUid
            0 | -1 => context.set_parameter(cid, text(key)?, None),
            target => set(context, cid, key, ParameterValue::Component(target)),
        }
    }

    fn GxfParameterSet1DStrVector(
        cid: Uid,
        key: Text,
        value: *const Text,
        length: u64,
    ) |context| {
        let items = elements(value, length, ResultCode::ARGUMENT_NULL)?.iter();
        let items = items.map(|item| text(*item).map(|item| ParameterValue::String(item.into())));
        set(context, cid, key, ParameterValue::List(items.collect::<Result<_>>()?))
    }

    fn GxfParameterSetFromYamlText(
        cid: Uid,
        key: Text,
        yaml: Text,
        prefix: Text,
    ) |context| {
        context.set_parameter_yaml(cid, text(key)?, text(yaml)?, text_or_empty(prefix)?)
    }

    fn GxfParameterSetFromYamlNode(
        _cid: Uid,
        _key: Text,
        _node: *const c_void,
        _prefix: Text,
    ) |_context| {
        Err(no_yaml_cpp())
    }
}

/// The error of functions that take an object of a C++ library.
pub(crate) fn no_yaml_cpp() -> Error {
    let text = "the C API cannot read objects of yaml-cpp; pass YAML text, with \
                GxfParameterSetFromYamlText or GxfParameterGetAsYamlText";
    Error::new(ResultCode::NOT_IMPLEMENTED, text)
}
