//! Payloads of a type known only at run time, for serializers.

use crate::implement::{ComponentSerializer, Lifecycle};
use crate::{Endpoint, Payload, Result, ResultCode, Tid};
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// A payload of some type.
#[derive(Clone, Copy)]
pub struct AnyPayload<'a> {
    tid: Tid,
    data: NonNull<c_void>,
    lent: PhantomData<&'a c_void>,
}

impl<'a> AnyPayload<'a> {
    /// # Safety
    /// The data must be a payload of this type, which lives for `'a`.
    pub(crate) unsafe fn new(tid: Tid, data: NonNull<c_void>) -> Self {
        Self { tid, data, lent: PhantomData }
    }

    /// Its type.
    #[must_use]
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// The payload, if it is a `T`.
    #[must_use]
    pub fn get<T: Payload>(&self) -> Option<&'a T> {
        // SAFETY: as `new` requires.
        (self.tid == T::TID).then(|| unsafe { self.data.cast::<T>().as_ref() })
    }
}

/// A payload of some type, for writing.
pub struct AnyPayloadMut<'a> {
    tid: Tid,
    data: NonNull<c_void>,
    lent: PhantomData<&'a mut c_void>,
}

impl AnyPayloadMut<'_> {
    /// # Safety
    /// The data must be a payload of this type, borrowed exclusively for the lifetime of the result.
    pub(crate) unsafe fn new(tid: Tid, data: NonNull<c_void>) -> Self {
        Self { tid, data, lent: PhantomData }
    }

    /// Its type.
    #[must_use]
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// The payload, if it is a `T`.
    #[must_use]
    pub fn get<T: Payload>(&mut self) -> Option<&mut T> {
        // SAFETY: as `new` requires.
        (self.tid == T::TID).then(|| unsafe { self.data.cast::<T>().as_mut() })
    }
}

/// A component serializer without raw pointers. In [`crate::gxf_ext_factory!`] it is a
/// `ComponentSerializer`.
pub trait PayloadSerializer: Lifecycle + Sync {
    /// Whether the serializer supports payloads of this type.
    fn supports(&self, tid: Tid) -> bool;

    /// Writes a payload of a supported type and returns the number of bytes.
    fn write(&self, payload: AnyPayload<'_>, endpoint: &Endpoint) -> Result<u64>;

    /// Reads into a payload of a supported type.
    fn read(&self, payload: AnyPayloadMut<'_>, endpoint: &Endpoint) -> Result<()>;
}

impl<S: PayloadSerializer> ComponentSerializer for S {
    fn is_supported(&self, tid: Tid) -> bool {
        self.supports(tid)
    }

    fn serialize(&self, tid: Tid, data: *mut c_void, endpoint: Endpoint) -> Result<u64> {
        let data = NonNull::new(data).ok_or(ResultCode::ARGUMENT_NULL)?;
        // SAFETY: callers of the vtable pass a payload of this type.
        let payload = unsafe { AnyPayload::new(tid, data) };
        self.write(payload, &endpoint)
    }

    fn deserialize(&self, tid: Tid, data: *mut c_void, endpoint: Endpoint) -> Result<()> {
        let data = NonNull::new(data).ok_or(ResultCode::ARGUMENT_NULL)?;
        // SAFETY: callers of the vtable pass a payload of this type, borrowed exclusively.
        let payload = unsafe { AnyPayloadMut::new(tid, data) };
        self.read(payload, &endpoint)
    }
}
