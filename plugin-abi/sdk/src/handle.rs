//! Handles: typed references to other components.

use crate::host::{check, host};
use crate::{ComponentContext, Result, Tid, Uid, abi};
use core::ffi::c_void;

/// A target of a [`Handle`]: an interface such as [`crate::Transmitter`], or a component type of
/// the same extension that is not a codelet (listed in [`crate::gxf_ext_factory!`]).
///
/// # Safety
/// `resolve` must return a value for which `get` is valid while its `owner` is kept.
pub unsafe trait HandleTarget: Sized + 'static {
    /// Required type of the component.
    const TID: Tid;
    /// What the handle stores.
    type Stored: Send + Sync;
    /// Finds the component's object. The result includes the token that keeps it alive.
    fn resolve(context: *mut abi::Context, cid: Uid) -> Result<(Self::Stored, *mut c_void)>;
    /// The object.
    fn get(stored: &Self::Stored) -> &Self;
}

/// A reference to another component, used like a reference to its interface. It keeps the
/// component's memory alive.
pub struct Handle<T: HandleTarget> {
    stored: T::Stored,
    owner: *mut c_void,
    cid: Uid,
}

// SAFETY: `owner` is only passed to the host's atomic retain and release; `Stored` is `Send`.
unsafe impl<T: HandleTarget> Send for Handle<T> {}
// SAFETY: as above, `Stored` is `Sync`.
unsafe impl<T: HandleTarget> Sync for Handle<T> {}

impl<T: HandleTarget> Handle<T> {
    /// A handle to the component with this id.
    pub fn resolve(context: &ComponentContext, cid: Uid) -> Result<Self> {
        Self::in_context(context.raw_context(), cid)
    }

    pub(crate) fn in_context(context: *mut abi::Context, cid: Uid) -> Result<Self> {
        let (stored, owner) = T::resolve(context, cid)?;
        Ok(Self { stored, owner, cid })
    }

    /// Id of the component.
    #[must_use]
    pub fn cid(&self) -> Uid {
        self.cid
    }

    /// Adds a reference to the component, which the caller must release.
    pub(crate) fn retained_owner(&self) -> *mut c_void {
        // SAFETY: this handle keeps the owner alive.
        unsafe { (host().component_retain)(self.owner) };
        self.owner
    }
}

impl<T: HandleTarget> Clone for Handle<T>
where
    T::Stored: Clone,
{
    fn clone(&self) -> Self {
        // SAFETY: this handle keeps the owner alive; the clone owns the new reference.
        unsafe { (host().component_retain)(self.owner) };
        Self { stored: self.stored.clone(), owner: self.owner, cid: self.cid }
    }
}

impl<T: HandleTarget> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: this value owns one reference.
        unsafe { (host().component_release)(self.owner) };
    }
}

impl<T: HandleTarget> core::ops::Deref for Handle<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        T::get(&self.stored)
    }
}

impl<T: HandleTarget> core::fmt::Debug for Handle<T> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Handle({})", self.cid)
    }
}

/// A pointer to a component of the same extension, stored in handles to it.
#[doc(hidden)]
pub struct ComponentPointer<T>(*const T);

// SAFETY: `resolve_component` creates it only for `T: Sync`.
unsafe impl<T: Sync> Send for ComponentPointer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ComponentPointer<T> {}

impl<T> Clone for ComponentPointer<T> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<T> ComponentPointer<T> {
    /// The component.
    #[must_use]
    pub fn get(&self) -> &T {
        // SAFETY: the handle around this keeps the component alive, and the host checked its type.
        // No mutable reference exists: the factory macro makes only components that are not
        // codelets handle targets.
        unsafe { &*self.0 }
    }
}

/// Finds a component of the same extension by its type id; the factory macro calls this.
#[doc(hidden)]
pub fn resolve_component<T: Sync>(
    context: *mut abi::Context,
    cid: Uid,
    tid: Tid,
) -> Result<(ComponentPointer<T>, *mut c_void)> {
    let reference = lookup(host().component_pointer, context, cid, tid)?;
    Ok((ComponentPointer(reference.object.cast()), reference.owner))
}

type Lookup =
    unsafe extern "C" fn(*mut abi::Context, Uid, Tid, *mut abi::InterfaceRef) -> crate::ResultCode;

/// Calls one of the host's two look-up functions.
pub(crate) fn lookup(
    function: Lookup,
    context: *mut abi::Context,
    cid: Uid,
    id: Tid,
) -> Result<abi::InterfaceRef> {
    let mut reference = abi::InterfaceRef {
        object: core::ptr::null_mut(),
        vtable: core::ptr::null(),
        owner: core::ptr::null_mut(),
    };
    // SAFETY: `reference` is written on success only.
    check(unsafe { function(context, cid, id, &raw mut reference) })?;
    Ok(reference)
}
