//! Parameter values to the border's form and back.

use crate::graph::ParameterValue;
use gxf_plugin_abi::{ParameterType, ResultCode, Text, Tid, Uid, Value};
use std::ffi::c_void;

/// Deepest nesting of lists that is read from the border.
const DEEPEST: u32 = 8;

/// Memory a border value points into.
#[derive(Default)]
struct Buffers {
    /// Rows of elements; 16-byte units, which suit every element type.
    rows: Vec<Vec<[u64; 2]>>,
    texts: Vec<Vec<Text>>,
    values: Vec<Vec<Value>>,
}

/// Calls `use_value` with the border's form of a value of the given type.
pub(crate) fn with_border_value<R>(
    element: ParameterType,
    rank: u32,
    value: &ParameterValue,
    use_value: impl FnOnce(&Value) -> R,
) -> R {
    let mut buffers = Buffers::default();
    let value = buffers.build(element, rank, value);
    use_value(&value)
}

impl Buffers {
    fn build(&mut self, element_type: ParameterType, rank: u32, value: &ParameterValue) -> Value {
        match (value, rank) {
            (ParameterValue::List(items), 2..) => {
                let values: Vec<Value> =
                    items.iter().map(|item| self.build(element_type, rank - 1, item)).collect();
                let data = values.as_ptr().cast();
                self.values.push(values);
                Value { element_type, rank, count: items.len(), data }
            }
            (ParameterValue::List(items), _) => {
                let data = self.row(element_type, items);
                Value { element_type, rank, count: items.len(), data }
            }
            (single, _) => {
                let data = self.row(element_type, std::slice::from_ref(single));
                Value { element_type, rank, count: 1, data }
            }
        }
    }

    /// Writes elements one behind the other.
    fn row(&mut self, element_type: ParameterType, items: &[ParameterValue]) -> *const c_void {
        if is_text(element_type) {
            let texts: Vec<Text> = items.iter().map(text_of).collect();
            let data = texts.as_ptr().cast();
            self.texts.push(texts);
            return data;
        }
        let mut bytes: Vec<u8> = Vec::with_capacity(items.len() * 8);
        for item in items {
            append(item, &mut bytes);
        }
        let mut row = vec![[0u64; 2]; bytes.len().div_ceil(16)];
        // SAFETY: the row has room for all bytes.
        unsafe {
            row.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        let data = row.as_ptr().cast();
        self.rows.push(row);
        data
    }
}

fn is_text(element_type: ParameterType) -> bool {
    matches!(element_type, ParameterType::STRING | ParameterType::FILE | ParameterType::CUSTOM)
}

fn text_of(value: &ParameterValue) -> Text {
    match value {
        ParameterValue::String(text)
        | ParameterValue::File(text)
        | ParameterValue::Custom(text) => gxf::text_of(text),
        _ => gxf::text_of(""),
    }
}

fn append(value: &ParameterValue, bytes: &mut Vec<u8>) {
    match value {
        ParameterValue::Bool(value) => bytes.push(u8::from(*value)),
        ParameterValue::Int8(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::Int16(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::Int32(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::Int64(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::UInt8(value) => bytes.push(*value),
        ParameterValue::UInt16(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::UInt32(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::UInt64(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::Float32(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::Float64(value) => bytes.extend(value.to_ne_bytes()),
        ParameterValue::Complex64(value) => {
            bytes.extend(value.iter().flat_map(|part| part.to_ne_bytes()));
        }
        ParameterValue::Complex128(value) => {
            bytes.extend(value.iter().flat_map(|part| part.to_ne_bytes()));
        }
        ParameterValue::Tid(value) => {
            bytes.extend(value.hash1.to_ne_bytes());
            bytes.extend(value.hash2.to_ne_bytes());
        }
        ParameterValue::Component(uid) => bytes.extend(uid.to_ne_bytes()),
        // Handles are looked up before they get here; texts and lists are handled by the callers.
        ParameterValue::Handle(_)
        | ParameterValue::List(_)
        | ParameterValue::String(_)
        | ParameterValue::File(_)
        | ParameterValue::Custom(_) => bytes.extend(0i64.to_ne_bytes()),
    }
}

/// Reads a value somebody on the other side made.
///
/// # Safety
/// The value's pointers must be valid as the border describes them.
pub(crate) unsafe fn from_border(value: &Value) -> Result<ParameterValue, ResultCode> {
    // SAFETY: the caller's promise.
    unsafe { read(value, DEEPEST) }
}

/// # Safety
/// The value's pointers must be valid as the border describes them.
unsafe fn read(value: &Value, depth: u32) -> Result<ParameterValue, ResultCode> {
    if value.rank > depth || (value.data.is_null() && value.count > 0) {
        return Err(ResultCode::ARGUMENT_INVALID);
    }
    // SAFETY: the caller's promise, for `count` elements or values below.
    unsafe {
        match value.rank {
            0 if value.data.is_null() => Err(ResultCode::ARGUMENT_NULL),
            0 => read_element(value.element_type, value.data, 0),
            1 => (0..value.count)
                .map(|index| read_element(value.element_type, value.data, index))
                .collect::<Result<_, _>>()
                .map(ParameterValue::List),
            _ => (0..value.count)
                .map(|index| {
                    let below = &*value.data.cast::<Value>().add(index);
                    if below.rank + 1 != value.rank || below.element_type != value.element_type {
                        return Err(ResultCode::ARGUMENT_INVALID);
                    }
                    read(below, depth - 1)
                })
                .collect::<Result<_, _>>()
                .map(ParameterValue::List),
        }
    }
}

/// # Safety
/// `data` must point to more than `index` elements of the type.
unsafe fn read_element(
    element: ParameterType,
    data: *const c_void,
    index: usize,
) -> Result<ParameterValue, ResultCode> {
    macro_rules! plain {
        ($type:ty) => {
            // SAFETY: the caller's promise.
            unsafe { data.cast::<$type>().add(index).read() }
        };
    }
    let text = || {
        // SAFETY: the caller's promise.
        let text = unsafe { gxf::text_to_str(plain!(Text)) };
        text.map(str::to_owned).ok_or(ResultCode::ARGUMENT_INVALID)
    };
    Ok(match element {
        ParameterType::BOOL => ParameterValue::Bool(plain!(u8) != 0),
        ParameterType::INT8 => ParameterValue::Int8(plain!(i8)),
        ParameterType::INT16 => ParameterValue::Int16(plain!(i16)),
        ParameterType::INT32 => ParameterValue::Int32(plain!(i32)),
        ParameterType::INT64 => ParameterValue::Int64(plain!(i64)),
        ParameterType::UINT8 => ParameterValue::UInt8(plain!(u8)),
        ParameterType::UINT16 => ParameterValue::UInt16(plain!(u16)),
        ParameterType::UINT32 => ParameterValue::UInt32(plain!(u32)),
        ParameterType::UINT64 => ParameterValue::UInt64(plain!(u64)),
        ParameterType::FLOAT32 => ParameterValue::Float32(plain!(f32)),
        ParameterType::FLOAT64 => ParameterValue::Float64(plain!(f64)),
        ParameterType::COMPLEX64 => ParameterValue::Complex64(plain!([f32; 2])),
        ParameterType::COMPLEX128 => ParameterValue::Complex128(plain!([f64; 2])),
        ParameterType::TID => ParameterValue::Tid(plain!(Tid)),
        ParameterType::HANDLE => ParameterValue::Component(plain!(Uid)),
        ParameterType::STRING => ParameterValue::String(text()?),
        ParameterType::FILE => ParameterValue::File(text()?),
        ParameterType::CUSTOM => ParameterValue::Custom(text()?),
        _ => return Err(ResultCode::PARAMETER_INVALID_TYPE),
    })
}
