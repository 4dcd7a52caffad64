//! Parameters with several values: options, lists, arrays.

use super::ParameterValue;
use crate::{ComponentContext, Error, Result, ResultCode, Tid, abi};
use abi::Value;
use core::ffi::c_void;
use core::ptr::null;

impl<T: ParameterValue> ParameterValue for Option<T> {
    const ELEMENT: abi::ParameterType = T::ELEMENT;
    const RANK: u32 = T::RANK;
    const HANDLE: Tid = T::HANDLE;
    const OPTIONAL: bool = true;
    fn shape() -> Vec<i32> {
        T::shape()
    }
    fn choices() -> &'static [&'static str] {
        T::choices()
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` and `index` are valid for an `Option<T>`, which has the ABI layout of `T`.
        unsafe { T::read(context, data, index) }.map(Some)
    }
    fn to_abi(&self) -> Value {
        match self {
            Some(value) => value.to_abi(),
            None => Value { element_type: Self::ELEMENT, rank: Self::RANK, count: 0, data: null() },
        }
    }
}

/// # Safety
/// `data` must point to more than `index` values of lists of `T`.
unsafe fn read_list<T: ParameterValue>(
    context: &ComponentContext,
    data: *const c_void,
    index: usize,
) -> Result<Vec<T>> {
    // SAFETY: `data` points to more than `index` values, as required.
    let list = unsafe { &*data.cast::<Value>().add(index) };
    // SAFETY: a list points to `count` elements, or to `count` values if it is a list of lists.
    (0..list.count).map(|index| unsafe { T::read(context, list.data, index) }).collect()
}

fn list_value<T: ParameterValue>(rank: u32, items: &[T]) -> Value {
    let values: Vec<Value> = items.iter().map(T::to_abi).collect();
    let data = if T::RANK > 0 {
        Vec::leak(values).as_ptr().cast()
    } else {
        join_scalars(T::ELEMENT, &values)
    };
    Value { element_type: T::ELEMENT, rank, count: items.len(), data }
}

/// Copies single elements, each behind its own pointer, into one row.
fn join_scalars(element: abi::ParameterType, values: &[Value]) -> *const c_void {
    let size = match element {
        abi::ParameterType::BOOL | abi::ParameterType::INT8 | abi::ParameterType::UINT8 => 1,
        abi::ParameterType::INT16 | abi::ParameterType::UINT16 => 2,
        abi::ParameterType::INT32 | abi::ParameterType::UINT32 | abi::ParameterType::FLOAT32 => 4,
        abi::ParameterType::STRING
        | abi::ParameterType::FILE
        | abi::ParameterType::CUSTOM
        | abi::ParameterType::TID
        | abi::ParameterType::COMPLEX128 => 16,
        _ => 8,
    };
    // Two words each: enough room and alignment for every element type.
    let mut row = vec![[0usize; 2]; (values.len() * size).div_ceil(16)];
    for (index, value) in values.iter().enumerate() {
        // SAFETY: the element has `size` bytes, and the row has room for all of them.
        unsafe {
            let place = row.as_mut_ptr().cast::<u8>().add(index * size);
            place.copy_from_nonoverlapping(value.data.cast(), size);
        }
    }
    Vec::leak(row).as_ptr().cast()
}

impl<T: ParameterValue> ParameterValue for Vec<T> {
    const ELEMENT: abi::ParameterType = T::ELEMENT;
    const RANK: u32 = T::RANK + 1;
    const HANDLE: Tid = T::HANDLE;
    fn shape() -> Vec<i32> {
        [vec![-1], T::shape()].concat()
    }
    fn choices() -> &'static [&'static str] {
        T::choices()
    }
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` values of lists, as `read` requires.
        unsafe { read_list(context, data, index) }
    }
    fn to_abi(&self) -> Value {
        list_value(Self::RANK, self)
    }
}

impl<T: ParameterValue, const N: usize> ParameterValue for [T; N] {
    const ELEMENT: abi::ParameterType = T::ELEMENT;
    const RANK: u32 = T::RANK + 1;
    const HANDLE: Tid = T::HANDLE;
    fn shape() -> Vec<i32> {
        [vec![i32::try_from(N).unwrap_or(i32::MAX)], T::shape()].concat()
    }
    fn choices() -> &'static [&'static str] {
        T::choices()
    }
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` values of lists, as `read` requires.
        let list = unsafe { read_list::<T>(context, data, index)? };
        let length = list.len();
        list.try_into().map_err(|_| {
            Error::new(
                ResultCode::PARAMETER_PARSER_ERROR,
                format!("expected exactly {N} elements, found {length}"),
            )
        })
    }
    fn to_abi(&self) -> Value {
        list_value(Self::RANK, self)
    }
}
