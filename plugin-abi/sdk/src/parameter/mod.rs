//! Parameters: the configuration of a component. `value.rs` has the types a parameter can have and
//! their ABI form, `list.rs` the types with several values, `description.rs` the description of a
//! parameter.

mod description;
mod list;
#[cfg(test)]
mod tests;
mod value;

use crate::{ComponentContext, Result, abi};
use abi::Value;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicPtr, Ordering};
pub use description::{Carried, ParameterDescription};
pub use value::{Complex64, Complex128, ParameterEnum, ParameterValue, Yaml};

/// A configuration value of a component: a field `rate: Parameter<f64>` is the parameter `rate` in
/// YAML.
///
/// The host sets it before `initialize`, and may set it again at any time (for a codelet: between
/// two ticks). A mandatory parameter always has a value; `Parameter<Option<T>>` is optional.
/// Reading costs one load, and a reference to a replaced value stays valid.
///
/// Two words, because a graph has more parameters than anything else.
pub struct Parameter<T> {
    /// Made by `Box::into_raw`; null for no value.
    current: AtomicPtr<T>,
    /// Former values that may still have readers, a list that begins with the latest; usually null.
    replaced: AtomicPtr<Replaced<T>>,
    owns: PhantomData<T>,
}

/// A former value.
struct Replaced<T> {
    /// Made by `Box::into_raw`.
    value: *mut T,
    /// The one before it.
    next: *mut Replaced<T>,
}

impl<T> Parameter<T> {
    /// A parameter with a value, for unit tests of a component.
    pub fn new(value: T) -> Self {
        let parameter = Self::default();
        parameter.current.store(Box::into_raw(Box::new(value)), Ordering::Release);
        parameter
    }

    /// The value; `None` before the host sets it.
    #[inline]
    pub fn try_get(&self) -> Option<&T> {
        // Acquire pairs with the swap in `replace`.
        // SAFETY: the pointer is null or owned by this parameter. A replaced value is freed only
        // once it has no references, see `ParameterSlot::drop_replaced`.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }
    }

    /// The value.
    ///
    /// # Panics
    /// If the host has not set it yet, as in the component's `Default::default`.
    #[inline]
    pub fn get(&self) -> &T {
        self.try_get().expect("a parameter is read before the host set it")
    }

    fn replace(&self, value: *mut T) {
        let before = self.current.swap(value, Ordering::AcqRel);
        if before.is_null() {
            return;
        }
        let mut next = self.replaced.load(Ordering::Relaxed);
        let replaced = Box::into_raw(Box::new(Replaced { value: before, next }));
        // Two threads may replace at once.
        while let Err(other) = self.replaced.compare_exchange_weak(
            next,
            replaced,
            Ordering::Release,
            Ordering::Relaxed,
        ) {
            // SAFETY: nobody else has the new entry yet.
            unsafe { (*replaced).next = other };
            next = other;
        }
    }

    /// Frees the former values.
    ///
    /// # Safety
    /// They must have no references.
    unsafe fn free_replaced(&self) {
        // Acquire pairs with the release in `replace`.
        let mut next = self.replaced.swap(core::ptr::null_mut(), Ordering::Acquire);
        while !next.is_null() {
            // SAFETY: the list owns its entries and values, and this thread took the whole list.
            unsafe {
                let replaced = Box::from_raw(next);
                drop(Box::from_raw(replaced.value));
                next = replaced.next;
            }
        }
    }
}

impl<T> Default for Parameter<T> {
    fn default() -> Self {
        Self { current: AtomicPtr::default(), replaced: AtomicPtr::default(), owns: PhantomData }
    }
}

impl<T> Drop for Parameter<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: nobody refers to the values of a parameter that is dropped.
        unsafe {
            if !current.is_null() {
                drop(Box::from_raw(current));
            }
            self.free_replaced();
        }
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

/// A parameter field of any type.
pub trait ParameterSlot {
    /// Stores a value in its ABI form; `None` removes the value.
    fn assign(&self, context: &ComponentContext, value: Option<&Value>) -> Result<()>;
    /// Removes a value that refers to other components, so that components in a cycle do not keep
    /// each other alive. Other values stay, because holders of a handle may still call the
    /// component.
    ///
    /// # Safety
    /// A value that refers to other components must have no references.
    unsafe fn let_go(&self);
    /// Frees replaced values.
    ///
    /// # Safety
    /// Replaced values of this parameter must have no references.
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
            // SAFETY: replaced values have no references, as this function requires.
            unsafe { self.drop_replaced() };
        }
    }

    unsafe fn drop_replaced(&self) {
        // SAFETY: as this function requires.
        unsafe { self.free_replaced() };
    }
}
