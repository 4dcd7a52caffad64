//! Reading parameters.

use crate::boundary::{Text, fill, needed, put, text};
use crate::parameter_set::no_yaml_cpp;
use gxf_plugin_abi::{ParameterType, ResultCode, Uid};
use gxf_runtime::graph::ParameterValue;
use gxf_runtime::{Context, Error, Result};
use std::ffi::{c_char, c_void};

const SMALL: ResultCode = ResultCode::QUERY_NOT_ENOUGH_CAPACITY;

/// An element type that can be read.
trait Element: Copy {
    const TYPE: ParameterType;
    fn of(value: &ParameterValue) -> Option<Self>;
}

macro_rules! elements {
    ($($type:ty: $number:ident = $variant:ident;)*) => {$(
        impl Element for $type {
            const TYPE: ParameterType = ParameterType::$number;

            fn of(value: &ParameterValue) -> Option<Self> {
                match value {
                    ParameterValue::$variant(value) => Some(*value),
                    _ => None,
                }
            }
        }
    )*};
}

elements! {
    f64: FLOAT64 = Float64;
    f32: FLOAT32 = Float32;
    i64: INT64 = Int64;
    u64: UINT64 = UInt64;
    u32: UINT32 = UInt32;
    u16: UINT16 = UInt16;
    u8: UINT8 = UInt8;
    i32: INT32 = Int32;
    i16: INT16 = Int16;
    i8: INT8 = Int8;
    bool: BOOL = Bool;
}

fn wrong_type(key: &str) -> Error {
    let text = format!("parameter `{key}` has another type");
    Error::new(ResultCode::PARAMETER_INVALID_TYPE, text)
}

/// The value of a parameter whose declared type and rank are these.
///
/// # Safety
/// `key` must be null or a C string.
unsafe fn value<'a>(
    context: &Context,
    cid: Uid,
    key: Text,
    element: ParameterType,
    rank: u32,
) -> Result<(&'a str, ParameterValue)> {
    // SAFETY: `key` is null or a C string.
    let key = unsafe { text(key) }?;
    let known = context.type_info_by_id(context.component_type(cid)?);
    match known.as_ref().and_then(|known| known.parameter(key)) {
        Some((_, spec)) if spec.element != element || spec.rank != rank => Err(wrong_type(key)),
        _ => Ok((key, context.parameter(cid, key)?)),
    }
}

/// # Safety
/// `key` must be null or a C string.
unsafe fn single<T: Element>(context: &Context, cid: Uid, key: Text) -> Result<T> {
    // SAFETY: `key` is null or a C string.
    let (key, value) = unsafe { value(context, cid, key, T::TYPE, 0) }?;
    T::of(&value).ok_or_else(|| wrong_type(key))
}

fn elements_of<T: Element>(key: &str, value: &ParameterValue) -> Result<Vec<T>> {
    let ParameterValue::List(items) = value else { return Err(wrong_type(key)) };
    let elements = items.iter().map(|item| T::of(item).ok_or_else(|| wrong_type(key)));
    elements.collect()
}

/// # Safety
/// `key` must be null or a C string.
unsafe fn list<T: Element>(context: &Context, cid: Uid, key: Text) -> Result<Vec<T>> {
    // SAFETY: `key` is null or a C string.
    let (key, value) = unsafe { value(context, cid, key, T::TYPE, 1) }?;
    elements_of(key, &value)
}

/// Rows of equal length, and that length.
///
/// # Safety
/// `key` must be null or a C string.
unsafe fn rows<T: Element>(context: &Context, cid: Uid, key: Text) -> Result<(Vec<Vec<T>>, u64)> {
    // SAFETY: `key` is null or a C string.
    let (key, value) = unsafe { value(context, cid, key, T::TYPE, 2) }?;
    let ParameterValue::List(rows) = &value else { return Err(wrong_type(key)) };
    let rows = rows.iter().map(|row| elements_of(key, row)).collect::<Result<Vec<Vec<T>>>>()?;
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        let text = format!("the rows of parameter `{key}` differ in length");
        return Err(Error::new(ResultCode::INVALID_DATA_FORMAT, text));
    }
    Ok((rows, width as u64))
}

macro_rules! singles {
    ($($name:ident: $type:ty;)*) => {$(
        api! {
            fn $name(cid: Uid, key: Text, place: *mut $type) |context| {
                needed(place)?;
                put(place, single::<$type>(context, cid, key)?)
            }
        }
    )*};
}

singles! {
    GxfParameterGetFloat64: f64;
    GxfParameterGetFloat32: f32;
    GxfParameterGetInt64: i64;
    GxfParameterGetUInt64: u64;
    GxfParameterGetUInt32: u32;
    GxfParameterGetUInt16: u16;
    GxfParameterGetUInt8: u8;
    GxfParameterGetInt32: i32;
    GxfParameterGetInt16: i16;
    GxfParameterGetInt8: i8;
    GxfParameterGetBool: bool;
}

macro_rules! lists {
    ($($info:ident $get:ident: $type:ty;)*) => {$(
        api! {
            fn $info(cid: Uid, key: Text, length: *mut u64) |context| {
                needed(length)?;
                put(length, list::<$type>(context, cid, key)?.len() as u64)
            }

            fn $get(cid: Uid, key: Text, place: *mut $type, length: *mut u64) |context| {
                needed(length)?;
                fill(&list::<$type>(context, cid, key)?, length, place, SMALL)
            }
        }
    )*};
}

lists! {
    GxfParameterGet1DFloat64VectorInfo GxfParameterGet1DFloat64Vector: f64;
    GxfParameterGet1DInt64VectorInfo GxfParameterGet1DInt64Vector: i64;
    GxfParameterGet1DUInt64VectorInfo GxfParameterGet1DUInt64Vector: u64;
    GxfParameterGet1DInt32VectorInfo GxfParameterGet1DInt32Vector: i32;
}

macro_rules! tables {
    ($($info:ident $get:ident: $type:ty;)*) => {$(
        api! {
            fn $info(cid: Uid, key: Text, height: *mut u64, width: *mut u64) |context| {
                needed(height)?;
                needed(width)?;
                let (rows, length) = rows::<$type>(context, cid, key)?;
                put(height, rows.len() as u64)?;
                put(width, length)
            }

            fn $get(
                cid: Uid,
                key: Text,
                place: *mut *mut $type,
                height: *mut u64,
                width: *mut u64,
            ) |context| {
                needed(height)?;
                needed(width)?;
                let (rows, length) = rows::<$type>(context, cid, key)?;
                let room = (height.replace(rows.len() as u64), width.replace(length));
                if room.0 < rows.len() as u64 || room.1 < length {
                    let text = format!("room for {} rows of {} is too little", room.0, room.1);
                    return Err(Error::new(SMALL, text));
                }
                if !rows.is_empty() {
                    needed(place)?;
                }
                for (index, row) in rows.iter().enumerate() {
                    let to = *place.add(index);
                    if length > 0 {
                        needed(to)?;
                        to.copy_from_nonoverlapping(row.as_ptr(), row.len());
                    }
                }
                Ok(())
            }
        }
    )*};
}

tables! {
    GxfParameterGet2DFloat64VectorInfo GxfParameterGet2DFloat64Vector: f64;
    GxfParameterGet2DInt64VectorInfo GxfParameterGet2DInt64Vector: i64;
    GxfParameterGet2DUInt64VectorInfo GxfParameterGet2DUInt64Vector: u64;
    GxfParameterGet2DInt32VectorInfo GxfParameterGet2DInt32Vector: i32;
}

api! {
    fn GxfParameterGetStr(cid: Uid, key: Text, place: *mut Text) |context| {
        needed(place)?;
        match value(context, cid, key, ParameterType::STRING, 0)? {
            (key, ParameterValue::String(found)) => put(place, context.keep_text(cid, key, &found)),
            (key, _) => Err(wrong_type(key)),
        }
    }

    fn GxfParameterGetPath(cid: Uid, key: Text, place: *mut Text) |context| {
        needed(place)?;
        match value(context, cid, key, ParameterType::FILE, 0)? {
            (key, ParameterValue::File(found)) => put(place, context.keep_text(cid, key, &found)),
            (key, _) => Err(wrong_type(key)),
        }
    }

    fn GxfParameterGetHandle(cid: Uid, key: Text, place: *mut Uid) |context| {
        needed(place)?;
        match value(context, cid, key, ParameterType::HANDLE, 0)? {
            (_, ParameterValue::Component(found)) => put(place, found),
            (key, _) => Err(wrong_type(key)),
        }
    }

    fn GxfParameterGet1DStrVector(
        cid: Uid,
        key: Text,
        place: *const *mut c_char,
        count: *mut u64,
        length: *mut u64,
    ) |context| {
        needed(count)?;
        needed(length)?;
        let (key, value) = value(context, cid, key, ParameterType::STRING, 1)?;
        let ParameterValue::List(items) = &value else { return Err(wrong_type(key)) };
        let texts = items.iter().map(|item| match item {
            ParameterValue::String(text) => Ok(text.as_bytes()),
            _ => Err(wrong_type(key)),
        });
        let texts: Vec<&[u8]> = texts.collect::<Result<_>>()?;
        let longest = texts.iter().map(|text| text.len() + 1).max().unwrap_or_default();
        let room = (count.replace(texts.len() as u64), length.replace(longest as u64));
        if room.0 < texts.len() as u64 || room.1 < longest as u64 {
            let text = format!("room for {} texts of {} bytes is too little", room.0, room.1);
            return Err(Error::new(SMALL, text));
        }
        if !texts.is_empty() {
            needed(place)?;
        }
        for (index, text) in texts.iter().enumerate() {
            let to = (*place.add(index)).cast::<u8>();
            needed(to)?;
            to.copy_from_nonoverlapping(text.as_ptr(), text.len());
            to.add(text.len()).write(0);
        }
        Ok(())
    }

    fn GxfParameterGetAsYamlText(cid: Uid, key: Text, place: *mut Text) |context| {
        needed(place)?;
        let key = text(key)?;
        let yaml = context.parameter_yaml(cid, key)?;
        put(place, context.keep_text(cid, &format!("{key}:yaml"), &yaml))
    }

    fn GxfParameterGetAsYamlNode(_cid: Uid, _key: Text, _node: *mut c_void) |_context| {
        Err(no_yaml_cpp())
    }
}
