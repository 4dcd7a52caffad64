//! How Rust types cross the border.

use super::Endpoint;
use crate::{
    AsynchronousEventState, Condition, ConditionType, ControllerStatus, Event, MemoryBuffer,
    Message, Result, ResultCode, StorageType, Tid, Uid, abi,
};
use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// How a Rust type crosses the border.
pub(crate) trait Pass: Sized {
    type Abi;
    fn give(self) -> Self::Abi;
    /// # Safety
    /// `abi` must be what the other side's `give` returned, used once.
    unsafe fn take(abi: Self::Abi) -> Result<Self>;
}

macro_rules! pass_unchanged {
    ($($type:ty),*) => {$(
        impl Pass for $type {
            type Abi = $type;
            fn give(self) -> $type { self }
            unsafe fn take(abi: $type) -> Result<$type> { Ok(abi) }
        }
    )*};
}

pass_unchanged!(
    bool,
    i32,
    i64,
    u64,
    usize,
    f64,
    *mut u8,
    *const u8,
    *mut c_void,
    Tid,
    ResultCode,
    Condition,
    ConditionType,
    ControllerStatus,
    Event,
    AsynchronousEventState,
    StorageType
);

impl Pass for Message {
    type Abi = *mut abi::Message;
    fn give(self) -> *mut abi::Message {
        self.into_raw().as_ptr()
    }
    unsafe fn take(abi: *mut abi::Message) -> Result<Self> {
        // SAFETY: the caller passes on the reference that came with the pointer.
        NonNull::new(abi)
            .map(|raw| unsafe { Message::from_raw(raw) })
            .ok_or_else(|| ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE.into())
    }
}

/// A message somebody else owns, lent for the duration of a call.
pub struct MessageRef(ManuallyDrop<Message>);

impl MessageRef {
    /// Lends a message.
    ///
    /// # Safety
    /// `message` must stay alive while the result is used.
    #[must_use]
    pub unsafe fn new(message: &Message) -> Self {
        // SAFETY: no reference is given back, see `ManuallyDrop`.
        Self(ManuallyDrop::new(unsafe { Message::from_raw(message.as_raw()) }))
    }
}

impl core::ops::Deref for MessageRef {
    type Target = Message;
    fn deref(&self) -> &Message {
        &self.0
    }
}

impl core::ops::DerefMut for MessageRef {
    fn deref_mut(&mut self) -> &mut Message {
        &mut self.0
    }
}

impl Pass for MessageRef {
    type Abi = *mut abi::Message;
    fn give(self) -> *mut abi::Message {
        self.0.as_raw().as_ptr()
    }
    unsafe fn take(abi: *mut abi::Message) -> Result<Self> {
        let raw = NonNull::new(abi).ok_or(ResultCode::ARGUMENT_NULL)?;
        // SAFETY: lent by the caller; the reference is not given back.
        Ok(Self(ManuallyDrop::new(unsafe { Message::from_raw(raw) })))
    }
}

impl Pass for Endpoint {
    type Abi = abi::EndpointRef;
    fn give(self) -> abi::EndpointRef {
        abi::EndpointRef { object: self.object, vtable: self.vtable }
    }
    unsafe fn take(abi: abi::EndpointRef) -> Result<Self> {
        if abi.vtable.is_null() {
            return Err(ResultCode::ARGUMENT_NULL.into());
        }
        // SAFETY: a serializer's caller passes a valid endpoint, lent for the call.
        Ok(unsafe { Self::from_raw(abi.object, abi.vtable.cast()) })
    }
}

/// A text, lent for the duration of a call.
impl Pass for &str {
    type Abi = abi::Text;
    fn give(self) -> abi::Text {
        crate::text_of(self)
    }
    unsafe fn take(abi: abi::Text) -> Result<Self> {
        // SAFETY: the caller passes a valid text, lent for the call.
        unsafe { crate::text_to_str(abi) }.ok_or_else(|| ResultCode::ARGUMENT_INVALID.into())
    }
}

impl Pass for MemoryBuffer {
    type Abi = abi::MemoryBuffer;
    fn give(self) -> abi::MemoryBuffer {
        self.into_raw()
    }
    unsafe fn take(abi: abi::MemoryBuffer) -> Result<Self> {
        // SAFETY: the caller hands the memory over.
        Ok(unsafe { Self::from_raw(abi) })
    }
}

/// Names ids one by one through the border's sink.
pub(super) fn with_sink(call: impl FnOnce(abi::UidSink), add: &mut dyn FnMut(Uid)) {
    unsafe extern "C" fn forward(user: *mut c_void, uid: Uid) {
        // SAFETY: `user` is the closure reference below, alive during the call.
        let add = unsafe { &mut *user.cast::<&mut dyn FnMut(Uid)>() };
        add(uid);
    }
    let mut add: &mut dyn FnMut(Uid) = add;
    call(abi::UidSink { user: (&raw mut add).cast(), add: forward });
}
