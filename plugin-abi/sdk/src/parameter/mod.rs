//! Parameters: how a component is configured. `value.rs` has the types a parameter can have, with
//! their form on the border, `list.rs` those that consist of several values; `description.rs` is
//! what a component says about each of its parameters.

mod description;
mod list;
#[cfg(test)]
mod tests;
mod value;

use crate::{ComponentContext, Result, abi};
use abi::Value;
use core::sync::atomic::{AtomicPtr, Ordering};
pub use description::ParameterDescription;
pub use value::{Complex64, Complex128, ParameterEnum, ParameterValue, Yaml};

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
