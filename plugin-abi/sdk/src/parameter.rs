//! Parameters: how a component is configured.

use crate::handle::HandleTarget;
use crate::{
    ComponentContext, Error, Handle, Result, ResultCode, Tid, Uid, abi, text_of, text_to_str,
};
use abi::{PARAMETER_DYNAMIC, PARAMETER_MAX_RANK, PARAMETER_OPTIONAL, Text, Value};
use core::ffi::{c_char, c_void};
use core::ptr::null;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::ffi::CString;
use std::path::PathBuf;

/// A configuration value of a component: a field `rate: Parameter<f64>` is the parameter `rate`
/// in YAML.
///
/// The host sets it before `initialize` and may set it again at any time (for a codelet: between
/// two ticks). Mandatory parameters always have a value; `Parameter<Option<T>>` is optional.
/// Reading costs one load; a reference to a replaced value stays valid.
pub struct Parameter<T> {
    current: AtomicPtr<T>,
    /// Values somebody may still look at.
    replaced: spin::Mutex<Vec<Owned<T>>>,
}

/// A value made by `Box::into_raw`, freed on drop.
struct Owned<T>(*mut T);

// SAFETY: `Owned` is a box without the aliasing promise.
unsafe impl<T: Send> Send for Owned<T> {}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` and owned by this value alone.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

impl<T> Parameter<T> {
    /// A parameter with a value, for unit tests of a component.
    pub fn new(value: T) -> Self {
        Self {
            current: AtomicPtr::new(Box::into_raw(Box::new(value))),
            replaced: spin::Mutex::new(Vec::new()),
        }
    }

    /// The value, `None` before the host set it.
    #[inline]
    pub fn try_get(&self) -> Option<&T> {
        // Acquire pairs with the swap in `replace`.
        // SAFETY: the pointer is null or owned by this parameter; a replaced value is freed only
        // when nobody can hold a reference, see `ParameterSlot::drop_replaced`.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }
    }

    /// The value.
    ///
    /// # Panics
    /// When the host has not set it yet: in `Default::default` of the component.
    #[inline]
    pub fn get(&self) -> &T {
        self.try_get().expect("a parameter is read before the host set it")
    }

    fn replace(&self, value: *mut T) {
        let before = self.current.swap(value, Ordering::AcqRel);
        if !before.is_null() {
            self.replaced.lock().push(Owned(before));
        }
    }
}

impl<T> Default for Parameter<T> {
    fn default() -> Self {
        Self { current: AtomicPtr::default(), replaced: spin::Mutex::new(Vec::new()) }
    }
}

impl<T> Drop for Parameter<T> {
    fn drop(&mut self) {
        self.replace(core::ptr::null_mut());
    }
}

impl<T> core::ops::Deref for Parameter<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.get()
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for Parameter<T> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.try_get().fmt(formatter)
    }
}

/// A parameter field, whatever its type.
pub trait ParameterSlot {
    /// Stores a value from the border; `None` takes the value away.
    fn assign(&self, context: &ComponentContext, value: Option<&Value>) -> Result<()>;
    /// Takes a value away that leads to other components, so that components that lead to each other
    /// do not keep each other alive. Other values stay as long as the component: whoever has a handle
    /// to it may ask it for them.
    ///
    /// # Safety
    /// Nobody may hold a reference to the value, if it leads to other components.
    unsafe fn let_go(&self);
    /// Frees values that were replaced.
    ///
    /// # Safety
    /// Nobody may hold a reference to a value of this parameter that was replaced.
    unsafe fn drop_replaced(&self);
}

impl<T: ParameterValue> ParameterSlot for Parameter<T> {
    fn assign(&self, context: &ComponentContext, value: Option<&Value>) -> Result<()> {
        match (value, T::absent()) {
            (Some(value), _) => {
                let value = T::from_value(context, value)?;
                self.replace(Box::into_raw(Box::new(value)));
            }
            (None, Some(absent)) => self.replace(Box::into_raw(Box::new(absent))),
            (None, None) => self.replace(core::ptr::null_mut()),
        }
        Ok(())
    }

    unsafe fn let_go(&self) {
        if T::ELEMENT == abi::ParameterType::HANDLE {
            self.replace(core::ptr::null_mut());
            // SAFETY: the caller's promise.
            unsafe { self.drop_replaced() };
        }
    }

    unsafe fn drop_replaced(&self) {
        self.replaced.lock().clear();
    }
}

/// A type a parameter can have.
///
/// Implemented for the integers, floats, `bool`, `String`, [`PathBuf`], [`Handle`], [`Tid`],
/// complex numbers ([`crate::Complex64`], [`crate::Complex128`]), [`Yaml`], for `Vec` and arrays
/// of these (nested too), for `Option` of these, and by `#[derive(ParameterEnum)]`.
pub trait ParameterValue: Sized + Send + Sync + 'static {
    /// Type of the elements on the border.
    const ELEMENT: abi::ParameterType;
    /// 0 for one element, 1 for a list, …
    const RANK: u32 = 0;
    /// Type a handle must have.
    const HANDLE: Tid = Tid::NULL;
    /// Whether the parameter may stay without a value.
    const OPTIONAL: bool = false;

    /// Length of each dimension, -1 for any; the outermost first.
    #[must_use]
    fn shape() -> Vec<i32> {
        Vec::new()
    }

    /// The only texts allowed; empty for any.
    #[must_use]
    fn choices() -> &'static [&'static str] {
        &[]
    }

    /// The value that stands for "none".
    #[must_use]
    fn absent() -> Option<Self> {
        None
    }

    /// Reads the element at `index` of memory laid out as [`Value`] says.
    ///
    /// # Safety
    /// `data` must point to more than `index` elements of [`ParameterValue::ELEMENT`] (of `Value`s
    /// when [`ParameterValue::RANK`] is not 0).
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self>;

    /// Writes the value for a default; the memory is never freed.
    fn to_border(&self) -> Value;

    /// Reads a value from the border.
    fn from_value(context: &ComponentContext, value: &Value) -> Result<Self> {
        if value.element_type != Self::ELEMENT || value.rank != Self::RANK {
            return Err(ResultCode::PARAMETER_INVALID_TYPE.into());
        }
        if Self::RANK == 0 {
            // SAFETY: a value of rank 0 points to one element of its type.
            unsafe { Self::read(context, value.data, 0) }
        } else {
            // SAFETY: a list reads itself from a row of `Value`s, here of one.
            unsafe { Self::read(context, core::ptr::from_ref(value).cast(), 0) }
        }
    }
}

fn leak<T>(value: T) -> *const c_void {
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
                // SAFETY: the caller's promise about `data`.
                Ok(unsafe { *data.cast::<$type>().add(index) })
            }
            fn to_border(&self) -> Value {
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
        // SAFETY: the caller's promise about `data`; read as a byte since any value may be there.
        Ok(unsafe { *data.cast::<u8>().add(index) } != 0)
    }
    fn to_border(&self) -> Value {
        scalar(Self::ELEMENT, u8::from(*self))
    }
}

// Complex numbers are structures and not arrays, because an array of two floats is also a list.
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
                // SAFETY: the caller's promise about `data`.
                Ok(unsafe { *data.cast::<$name>().add(index) })
            }
            fn to_border(&self) -> Value {
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
    // SAFETY: the caller's promise; the text is valid as long as `data`.
    let text = unsafe { text_to_str(*data.cast::<Text>().add(index)) };
    text.map(str::to_owned).ok_or_else(|| ResultCode::PARAMETER_PARSER_ERROR.into())
}

fn text_value(element_type: abi::ParameterType, text: &str) -> Value {
    scalar(element_type, text_of(String::leak(text.to_owned())))
}

impl ParameterValue for String {
    const ELEMENT: abi::ParameterType = abi::ParameterType::STRING;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { read_text(data, index) }
    }
    fn to_border(&self) -> Value {
        text_value(Self::ELEMENT, self)
    }
}

impl ParameterValue for PathBuf {
    const ELEMENT: abi::ParameterType = abi::ParameterType::FILE;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { read_text(data, index) }.map(PathBuf::from)
    }
    fn to_border(&self) -> Value {
        text_value(Self::ELEMENT, &self.to_string_lossy())
    }
}

/// A parameter of any other shape: the YAML text of its value, for the component to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Yaml(pub String);

impl ParameterValue for Yaml {
    const ELEMENT: abi::ParameterType = abi::ParameterType::CUSTOM;
    unsafe fn read(_: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe { read_text(data, index) }.map(Yaml)
    }
    fn to_border(&self) -> Value {
        text_value(Self::ELEMENT, &self.0)
    }
}

impl<T: HandleTarget> ParameterValue for Handle<T> {
    const ELEMENT: abi::ParameterType = abi::ParameterType::HANDLE;
    const HANDLE: Tid = T::TID;
    unsafe fn read(context: &ComponentContext, data: *const c_void, index: usize) -> Result<Self> {
        // SAFETY: the caller's promise about `data`.
        Handle::resolve(context, unsafe { *data.cast::<Uid>().add(index) })
    }
    fn to_border(&self) -> Value {
        scalar(Self::ELEMENT, self.cid())
    }
}

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
        // SAFETY: the caller's promise; an option is laid out as its value.
        unsafe { T::read(context, data, index) }.map(Some)
    }
    fn to_border(&self) -> Value {
        match self {
            Some(value) => value.to_border(),
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
    // SAFETY: the caller's promise.
    let list = unsafe { &*data.cast::<Value>().add(index) };
    // SAFETY: a list points to `count` elements, or to `count` values when it is a list of lists.
    (0..list.count).map(|index| unsafe { T::read(context, list.data, index) }).collect()
}

fn list_value<T: ParameterValue>(rank: u32, items: &[T]) -> Value {
    let values: Vec<Value> = items.iter().map(T::to_border).collect();
    let data = if T::RANK > 0 {
        Vec::leak(values).as_ptr().cast()
    } else {
        join_scalars(T::ELEMENT, &values)
    };
    Value { element_type: T::ELEMENT, rank, count: items.len(), data }
}

/// Puts single elements, each behind its own pointer, into one row.
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
    // Two words each: enough room and the alignment of every element type.
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
        // SAFETY: the caller's promise.
        unsafe { read_list(context, data, index) }
    }
    fn to_border(&self) -> Value {
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
        // SAFETY: the caller's promise.
        let list = unsafe { read_list::<T>(context, data, index)? };
        let length = list.len();
        list.try_into().map_err(|_| {
            Error::new(
                ResultCode::PARAMETER_PARSER_ERROR,
                format!("expected exactly {N} elements, found {length}"),
            )
        })
    }
    fn to_border(&self) -> Value {
        list_value(Self::RANK, self)
    }
}

/// An enumeration whose values are named in YAML; see `#[derive(ParameterEnum)]`.
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
        // SAFETY: the caller's promise.
        let name = unsafe { read_text(data, index)? };
        T::from_name(&name).ok_or_else(|| {
            Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("`{name}` is none of {}", T::NAMES.join(", ")),
            )
        })
    }
    fn to_border(&self) -> Value {
        text_value(Self::ELEMENT, self.name())
    }
}

/// What a component says about one of its parameters.
pub struct ParameterDescription {
    key: &'static str,
    headline: &'static str,
    description: &'static str,
    unit: &'static str,
    flags: u32,
    element: abi::ParameterType,
    rank: u32,
    shape: Vec<i32>,
    handle: Tid,
    default: Option<Value>,
    range: [Option<Value>; 3],
    choices: &'static [&'static str],
}

impl ParameterDescription {
    /// A parameter of type `T`.
    #[must_use]
    pub fn new<T: ParameterValue>(key: &'static str) -> Self {
        Self {
            key,
            headline: "",
            description: "",
            unit: "",
            flags: if T::OPTIONAL { PARAMETER_OPTIONAL } else { 0 },
            element: T::ELEMENT,
            rank: T::RANK,
            shape: T::shape(),
            handle: T::HANDLE,
            default: None,
            range: [None; 3],
            choices: T::choices(),
        }
    }

    /// A short title for tools.
    #[must_use]
    pub fn headline(mut self, text: &'static str) -> Self {
        self.headline = text;
        self
    }

    /// The full description.
    #[must_use]
    pub fn description(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Physical unit, such as `ms`.
    #[must_use]
    pub fn unit(mut self, text: &'static str) -> Self {
        self.unit = text;
        self
    }

    /// Meant to change while the graph runs.
    #[must_use]
    pub fn dynamic(mut self) -> Self {
        self.flags |= PARAMETER_DYNAMIC;
        self
    }

    /// Value when the application gives none.
    #[must_use]
    pub fn default_value<T: ParameterValue>(mut self, value: &T) -> Self {
        self.default = Some(value.to_border());
        self
    }

    /// Smallest allowed number.
    #[must_use]
    pub fn minimum<T: ParameterValue>(mut self, value: &T) -> Self {
        self.range[0] = Some(value.to_border());
        self
    }

    /// Largest allowed number.
    #[must_use]
    pub fn maximum<T: ParameterValue>(mut self, value: &T) -> Self {
        self.range[1] = Some(value.to_border());
        self
    }

    /// Distance of allowed numbers, for editors.
    #[must_use]
    pub fn step<T: ParameterValue>(mut self, value: &T) -> Self {
        self.range[2] = Some(value.to_border());
        self
    }

    /// The border's form; its memory lives as long as the process.
    #[must_use]
    pub fn to_descriptor(&self) -> abi::ParameterDescriptor {
        let text = |text: &str| -> *const c_char {
            if text.is_empty() {
                return null();
            }
            CString::new(text).map_or(null(), |text| text.into_raw().cast_const())
        };
        let value = |value: &Option<Value>| value.map_or(null(), |value| leak(value).cast());
        let choices: Vec<*const c_char> = self.choices.iter().map(|name| text(name)).collect();
        let mut shape = [0; PARAMETER_MAX_RANK];
        for (place, length) in shape.iter_mut().zip(&self.shape) {
            *place = *length;
        }
        abi::ParameterDescriptor {
            size: size_of::<abi::ParameterDescriptor>(),
            key: text(self.key),
            headline: text(self.headline),
            description: text(self.description),
            unit: text(self.unit),
            flags: self.flags,
            element_type: self.element,
            rank: self.rank,
            shape,
            handle_tid: self.handle,
            default_value: value(&self.default),
            minimum: value(&self.range[0]),
            maximum: value(&self.range[1]),
            step: value(&self.range[2]),
            choice_count: choices.len(),
            choices: if choices.is_empty() { null() } else { Vec::leak(choices).as_ptr() },
        }
    }
}

#[cfg(test)]
mod tests {
    //! Values to the border and back; Miri runs these.

    use super::*;
    use core::ptr::NonNull;

    /// A context that is not looked at: only handles need one.
    fn with_context<R>(test: impl FnOnce(&ComponentContext) -> R) -> R {
        let mut environment = abi::ComponentEnvironment {
            size: size_of::<abi::ComponentEnvironment>(),
            context: core::ptr::null_mut(),
            eid: 1,
            cid: 2,
        };
        // SAFETY: the environment outlives the context.
        test(&unsafe { ComponentContext::from_raw(NonNull::from(&mut environment)) })
    }

    #[track_caller]
    fn comes_back<T: ParameterValue + PartialEq + core::fmt::Debug>(value: T) {
        let back = with_context(|context| T::from_value(context, &value.to_border()));
        assert_eq!(back.unwrap(), value);
    }

    #[test]
    fn every_type_comes_back() {
        comes_back(-8i8);
        comes_back(u64::MAX);
        comes_back(2.5f32);
        comes_back(true);
        comes_back("text".to_owned());
        comes_back(PathBuf::from("/a/file"));
        comes_back(Tid::new(1, 2));
        comes_back(Complex128 { re: 1.0, im: -2.0 });
        comes_back(Yaml("[1, {a: b}]".to_owned()));
        comes_back(Some(3usize));
        comes_back(vec![1i16, 2, 3]);
        comes_back(vec![true, false]);
        comes_back(vec!["one".to_owned(), String::new()]);
        comes_back(vec![vec![1.5f64], vec![], vec![2.5, 3.5]]);
        comes_back([[1u8, 2], [3, 4]]);
        comes_back(Vec::<Vec<Tid>>::new());
    }

    #[test]
    fn a_value_of_another_type_or_length_is_refused() {
        with_context(|context| {
            let code = |result: Result<()>| result.unwrap_err().code();
            let number = 5i32.to_border();
            let wrong = ResultCode::PARAMETER_INVALID_TYPE;
            assert_eq!(code(i64::from_value(context, &number).map(drop)), wrong);
            assert_eq!(code(Vec::<i32>::from_value(context, &number).map(drop)), wrong);
            let three = vec![1i32, 2, 3].to_border();
            let error = <[i32; 2]>::from_value(context, &three).unwrap_err();
            assert_eq!(error.message(), "expected exactly 2 elements, found 3");
        });
    }

    #[test]
    fn a_replaced_value_stays_readable() {
        with_context(|context| {
            let parameter: Parameter<String> = Parameter::default();
            assert!(parameter.try_get().is_none());
            for (index, text) in ["first", "second", "third"].iter().enumerate() {
                let before = parameter.try_get();
                parameter.assign(context, Some(&(*text).to_owned().to_border())).unwrap();
                assert_eq!(parameter.get(), text);
                assert_eq!(before.is_some(), index > 0);
                if let Some(before) = before {
                    assert_eq!(before, ["first", "second"][index - 1]);
                }
            }
            // SAFETY: no reference to a replaced value is left.
            unsafe { parameter.drop_replaced() };
        });
    }

    #[test]
    fn a_component_lets_others_go_and_keeps_what_it_knows() {
        let plain = Parameter::new(3_u64);
        let list = Parameter::new(Vec::<Handle<crate::Receiver>>::new());
        // SAFETY: nobody holds a reference to either value.
        unsafe {
            plain.let_go();
            list.let_go();
        }
        assert_eq!(plain.try_get(), Some(&3));
        assert!(list.try_get().is_none());
    }

    #[test]
    fn an_optional_parameter_without_a_value_is_none() {
        with_context(|context| {
            let parameter: Parameter<Option<i64>> = Parameter::default();
            parameter.assign(context, None).unwrap();
            assert_eq!(*parameter.get(), None);
        });
    }
}
