//! Converts parameter values to and from their ABI form.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use gxf_app::ParameterValue;
use gxf_plugin_abi::{ParameterType, ResultCode, Text, Tid, Uid, Value};
use std::ffi::c_void;

/// Deepest nesting of lists to read.
const DEEPEST: u32 = 8;
/// Most elements of one list; a larger number is a mistake.
const MOST_ELEMENTS: usize = 1 << 24;

/// Memory that an ABI value points into.
#[derive(Default)]
struct Buffers {
    /// Rows of elements, in units of 16 bytes, which suit every element type.
    rows: Vec<Vec<[u64; 2]>>,
    texts: Vec<Vec<Text>>,
    values: Vec<Vec<Value>>,
}

/// Calls `use_value` with the ABI form of a value of the given type.
pub fn with_abi_value<R>(
    element: ParameterType,
    rank: u32,
    value: &ParameterValue,
    use_value: impl FnOnce(&Value) -> R,
) -> R {
    let value_at = |data| Value { element_type: element, rank, count: 1, data };
    match value {
        ParameterValue::List(_) => {
            let mut buffers = Buffers::default();
            let value = buffers.build(element, rank, value);
            use_value(&value)
        }
        text if is_text(element) => {
            let text = text_of(text);
            use_value(&value_at((&raw const text).cast()))
        }
        single => {
            let (bytes, _) = bytes_of(single);
            let cell = Cell(bytes);
            use_value(&value_at((&raw const cell).cast()))
        }
    }
}

/// Room for one element, aligned for every type.
#[repr(C, align(16))]
struct Cell([u8; LARGEST]);

/// Bytes of the largest element.
const LARGEST: usize = 16;

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

    /// Writes elements one after the other.
    fn row(&mut self, element_type: ParameterType, items: &[ParameterValue]) -> *const c_void {
        if is_text(element_type) {
            let texts: Vec<Text> = items.iter().map(text_of).collect();
            let data = texts.as_ptr().cast();
            self.texts.push(texts);
            return data;
        }
        let mut bytes: Vec<u8> = Vec::with_capacity(items.len() * 8);
        for item in items {
            let (item, length) = bytes_of(item);
            bytes.extend(&item[..length]);
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

/// The bytes of an element, and how many they are.
fn bytes_of(value: &ParameterValue) -> ([u8; LARGEST], usize) {
    fn padded<const N: usize>(bytes: [u8; N]) -> ([u8; LARGEST], usize) {
        let mut padded = [0; LARGEST];
        padded[..N].copy_from_slice(&bytes);
        (padded, N)
    }
    fn pair<const N: usize>([first, second]: [[u8; N]; 2]) -> ([u8; LARGEST], usize) {
        let mut padded = [0; LARGEST];
        padded[..N].copy_from_slice(&first);
        padded[N..2 * N].copy_from_slice(&second);
        (padded, 2 * N)
    }
    match value {
        ParameterValue::Bool(value) => padded([u8::from(*value)]),
        ParameterValue::Int8(value) => padded(value.to_ne_bytes()),
        ParameterValue::Int16(value) => padded(value.to_ne_bytes()),
        ParameterValue::Int32(value) => padded(value.to_ne_bytes()),
        ParameterValue::Int64(value) => padded(value.to_ne_bytes()),
        ParameterValue::UInt8(value) => padded([*value]),
        ParameterValue::UInt16(value) => padded(value.to_ne_bytes()),
        ParameterValue::UInt32(value) => padded(value.to_ne_bytes()),
        ParameterValue::UInt64(value) => padded(value.to_ne_bytes()),
        ParameterValue::Float32(value) => padded(value.to_ne_bytes()),
        ParameterValue::Float64(value) => padded(value.to_ne_bytes()),
        ParameterValue::Complex64(value) => pair(value.map(f32::to_ne_bytes)),
        ParameterValue::Complex128(value) => pair(value.map(f64::to_ne_bytes)),
        ParameterValue::Tid(value) => pair([value.hash1, value.hash2].map(u64::to_ne_bytes)),
        ParameterValue::Component(uid) => padded(uid.to_ne_bytes()),
        // Handles are resolved before they get here; the callers handle texts and lists.
        ParameterValue::Handle(_)
        | ParameterValue::List(_)
        | ParameterValue::String(_)
        | ParameterValue::File(_)
        | ParameterValue::Custom(_) => padded(0_i64.to_ne_bytes()),
    }
}

/// Reads a value in its ABI form.
///
/// # Safety
/// The value's pointers must be valid as the ABI defines them.
pub unsafe fn from_abi(value: &Value) -> Result<ParameterValue, ResultCode> {
    // SAFETY: the value's pointers are valid as the ABI requires.
    unsafe { read(value, DEEPEST) }
}

/// # Safety
/// The value's pointers must be valid as the ABI defines them.
unsafe fn read(value: &Value, depth: u32) -> Result<ParameterValue, ResultCode> {
    if value.rank > depth
        || value.count > MOST_ELEMENTS
        || (value.data.is_null() && value.count > 0)
    {
        return Err(ResultCode::ARGUMENT_INVALID);
    }
    // SAFETY: the value's pointers are valid as the ABI requires, for `count` elements or
    // values below.
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
            // SAFETY: `data` points to more than `index` elements of the type.
            unsafe { data.cast::<$type>().add(index).read() }
        };
    }
    let text = || {
        let text = plain!(Text);
        // SAFETY: `data` points to more than `index` elements of the type.
        let text = unsafe { gxf::text_to_str(text) };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_is_no_length_is_refused() {
        let number = 5i32;
        let data = (&raw const number).cast();
        let list = |rank, count| Value { element_type: ParameterType::INT32, rank, count, data };
        for rank in [1, 2] {
            for count in [usize::MAX, usize::MAX / 2, MOST_ELEMENTS + 1] {
                // SAFETY: the list is refused before its elements are read.
                let read = unsafe { from_abi(&list(rank, count)) };
                assert!(matches!(read, Err(ResultCode::ARGUMENT_INVALID)), "{rank}: {count}");
            }
        }
        // SAFETY: there is one element.
        let read = unsafe { from_abi(&list(1, 1)) };
        assert!(matches!(read, Ok(ParameterValue::List(items)) if items.len() == 1));
    }
}
