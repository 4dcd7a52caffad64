//! The types a parameter can have, and their ABI form.

use crate::handle::HandleTarget;
use crate::{
    ComponentContext, Error, Handle, Result, ResultCode, Tid, Uid, abi, text_of, text_to_str,
};
use abi::{Text, Value};
use core::ffi::c_void;
use std::path::PathBuf;

/// A type a parameter can have.
///
/// Implemented for the integers, floats, `bool`, `String`, [`PathBuf`], [`Handle`], [`Tid`],
/// complex numbers ([`crate::Complex64`], [`crate::Complex128`]), [`Yaml`], for `Vec` and arrays
/// of these (nested too), for `Option` of these, and by `#[derive(ParameterEnum)]`.
pub trait ParameterValue: Sized + Send + Sync + 'static {
    /// Type of the elements in the ABI form.
    const ELEMENT: abi::ParameterType;
    /// 0 for one element, 1 for a list, …
    const RANK: u32 = 0;
    /// Required type of a handle.
    const HANDLE: Tid = Tid::NULL;
    /// Whether the parameter may have no value.
    const OPTIONAL: bool = false;

    /// Length of each dimension, outermost first; -1 for any length.
    #[must_use]
    fn shape() -> Vec<i32> {
        Vec::new()
    }

    /// The only texts allowed; empty for any.
    #[must_use]
    fn choices() -> &'static [&'static str] {
        &[]
    }

    /// The value that means "none".
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Reads the element at `index` of memory in the layout of [`Value`].
    ///
    /// # Safety
    /// `data` must point to more than `index` elements of [`ParameterValue::ELEMENT`], or of
    /// `Value`s if [`ParameterValue::RANK`] is not 0.
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self>;

    /// The ABI form of a default value; its memory is never freed.
    fn to_abi(&self) -> Value;

    /// Converts a value from its ABI form.
    fn from_value(context: &ComponentContext, value: &Value) -> Result<Self> {
        if value.element_type != Self::ELEMENT || value.rank != Self::RANK {
            return Err(ResultCode::PARAMETER_INVALID_TYPE.into());
        }
        if Self::RANK == 0 {
            // SAFETY: a value of rank 0 points to one element of its type.
            unsafe { Self::read(context, value.data, 0) }
        } else {
            // SAFETY: a list reads itself from a row of `Value`s, which here has one.
            unsafe { Self::read(context, core::ptr::from_ref(value).cast(), 0) }
        }
    }
}

/// Leaks a value of a description, which lives as long as the process.
pub(super) fn leak<T>(value: T) -> *const c_void {
    core::ptr::from_ref(Box::leak(Box::new(value))).cast()
}

fn scalar<T>(element_type: abi::ParameterType, value: T) -> Value {
    Value { element_type, rank: 0, count: 1, data: leak(value) }
}

macro_rules! plain_values {
    ($($type:ty = $element:ident;)*) => {$(
        impl ParameterValue for $type {
            const ELEMENT: abi::ParameterType = abi::ParameterType::$element;
            unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
                // SAFETY: `data` points to more than `index` elements of this type, as `read`
                // requires.
                Ok(unsafe { *data.cast::<$type>().add(index) })
            }
            fn to_abi(&self) -> Value {
                scalar(Self::ELEMENT, *self)
            }
        }
    )*};
}

plain_values! {
    i8 = INT8;
    i16 = INT16;
    i32 = INT32;
    i64 = INT64;
    u8 = UINT8;
    u16 = UINT16;
    u32 = UINT32;
    u64 = UINT64;
    f32 = FLOAT32;
    f64 = FLOAT64;
    Tid = TID;
}

// GXF's `size_t` parameters are 64-bit integers.
const _: () = assert!(size_of::<usize>() == size_of::<u64>());
plain_values! { usize = UINT64; }

impl ParameterValue for bool {
    const ELEMENT: abi::ParameterType = abi::ParameterType::BOOL;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` bytes, as `read` requires. A byte, because
        // foreign code may have written any value.
        Ok(unsafe { *data.cast::<u8>().add(index) } != 0)
    }
    fn to_abi(&self) -> Value {
        scalar(Self::ELEMENT, u8::from(*self))
    }
}

// Complex numbers are structures because an array of two floats would also be a list.
macro_rules! complex_values {
    ($($(#[$doc:meta])* $name:ident($float:ty) = $element:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        #[repr(C)]
        pub struct $name {
            /// Real part.
            pub re: $float,
            /// Imaginary part.
            pub im: $float,
        }

        impl ParameterValue for $name {
            const ELEMENT: abi::ParameterType = abi::ParameterType::$element;
            unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
                // SAFETY: `data` points to more than `index` elements of this type, as `read`
                // requires.
                Ok(unsafe { *data.cast::<$name>().add(index) })
            }
            fn to_abi(&self) -> Value {
                scalar(Self::ELEMENT, *self)
            }
        }
    )*};
}

complex_values! {
    /// A complex number of two 32-bit floats.
    Complex64(f32) = COMPLEX64;
    /// A complex number of two 64-bit floats.
    Complex128(f64) = COMPLEX128;
}

/// # Safety
/// `data` must point to more than `index` texts.
unsafe fn read_text(data: *const c_void, index: usize) -> Result<String> {
    // SAFETY: `data` points to more than `index` texts, which are valid as long as `data`.
    let text = unsafe { text_to_str(*data.cast::<Text>().add(index)) };
    text.map(str::to_owned).ok_or_else(|| ResultCode::PARAMETER_PARSER_ERROR.into())
}

fn text_value(element_type: abi::ParameterType, text: &str) -> Value {
    scalar(element_type, text_of(String::leak(text.to_owned())))
}

impl ParameterValue for String {
    const ELEMENT: abi::ParameterType = abi::ParameterType::STRING;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` texts, as `read` requires.
        unsafe { read_text(data, index) }
    }
    fn to_abi(&self) -> Value {
        text_value(Self::ELEMENT, self)
    }
}

impl ParameterValue for PathBuf {
    const ELEMENT: abi::ParameterType = abi::ParameterType::FILE;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` texts, as `read` requires.
        unsafe { read_text(data, index) }.map(PathBuf::from)
    }
    fn to_abi(&self) -> Value {
        text_value(Self::ELEMENT, &self.to_string_lossy())
    }
}

/// A parameter of any other shape: the YAML text of its value, for the component to parse.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Yaml(pub String);

impl ParameterValue for Yaml {
    const ELEMENT: abi::ParameterType = abi::ParameterType::CUSTOM;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` texts, as `read` requires.
        unsafe { read_text(data, index) }.map(Yaml)
    }
    fn to_abi(&self) -> Value {
        text_value(Self::ELEMENT, &self.0)
    }
}

impl<T: HandleTarget> ParameterValue for Handle<T> {
    const ELEMENT: abi::ParameterType = abi::ParameterType::HANDLE;
    const HANDLE: Tid = T::TID;
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` ids, as `read` requires.
        Handle::resolve(context, unsafe { *data.cast::<Uid>().add(index) })
    }
    fn to_abi(&self) -> Value {
        scalar(Self::ELEMENT, self.cid())
    }
}

/// An enumeration whose values have names in YAML; see `#[derive(ParameterEnum)]`.
pub trait ParameterEnum: Sized + Send + Sync + Copy + 'static {
    /// The names.
    const NAMES: &'static [&'static str];
    /// The value with a name.
    fn from_name(name: &str) -> Option<Self>;
    /// The name of a value.
    fn name(self) -> &'static str;
}

impl<T: ParameterEnum> ParameterValue for T {
    const ELEMENT: abi::ParameterType = abi::ParameterType::STRING;
    fn choices() -> &'static [&'static str] {
        T::NAMES
    }
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: `data` points to more than `index` texts, as `read` requires.
        let name = unsafe { read_text(data, index)? };
        T::from_name(&name).ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("`{name}` is none of {}", T::NAMES.join(", ")),
            )
        })
    }
    fn to_abi(&self) -> Value {
        text_value(Self::ELEMENT, self.name())
    }
}
