//! Converts Rust types at the ABI boundary.

use super::Endpoint;
use crate::{
    AsynchronousEventState, Condition, ConditionType, ControllerStatus, Event, LinkCounts,
    LinkState, LinkStatistics, MemoryBuffer, Message, Result, ResultCode, StorageType, Tid, Uid,
    WakeToken, abi,
};
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// The form of a Rust type at the ABI boundary.
pub(crate) trait Pass: Sized {
    type Abi;
    fn give(self) -> Self::Abi;
    /// # Safety
    /// `abi` must come from the other side's `give`, and be used once.
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
    u32,
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
    StorageType,
    LinkState,
    LinkCounts,
    LinkStatistics
);

impl Pass for Message {
    type Abi = *mut abi::Message;
    fn give(self) -> *mut abi::Message {
        self.into_raw().as_ptr()
    }
    unsafe fn take(abi: *mut abi::Message) -> Result<Self> {
        // SAFETY: the caller transfers the reference along with the pointer.
        NonNull::new(abi)
            .map(|raw| unsafe { Message::from_raw(raw) })
            .ok_or_else(|| ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE.into())
    }
}

/// A borrowed message, valid during a call.
pub struct MessageRef(ManuallyDrop<Message>);

impl MessageRef {
    /// Borrows a message.
    ///
    /// # Safety
    /// `message` must stay alive while the result is used.
    #[must_use]
    pub unsafe fn new(message: &Message) -> Self {
        // SAFETY: `ManuallyDrop` never releases the reference, and the message outlives the result.
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
        // SAFETY: the caller lends the message for the call, and `ManuallyDrop` never releases it.
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
        // SAFETY: callers of a serializer pass an endpoint that is valid during the call.
        Ok(unsafe { Self::from_raw(abi.object, abi.vtable.cast()) })
    }
}

/// Defines a form of a handle of CUDA's driver.
macro_rules! raw_handle {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name<'a>(*mut c_void, PhantomData<&'a ()>);

        impl $name<'_> {
            /// None.
            #[must_use]
            pub const fn null() -> Self {
                Self(core::ptr::null_mut(), PhantomData)
            }

            /// One of the driver's handles.
            ///
            /// # Safety
            /// It must be null, or valid during the lifetime.
            #[must_use]
            pub const unsafe fn new(raw: *mut c_void) -> Self {
                Self(raw, PhantomData)
            }

            /// The driver's handle.
            #[must_use]
            pub const fn as_ptr(self) -> *mut c_void {
                self.0
            }

            /// Whether there is none.
            #[must_use]
            pub const fn is_null(self) -> bool {
                self.0.is_null()
            }
        }

        impl Pass for $name<'_> {
            type Abi = *mut c_void;
            fn give(self) -> *mut c_void {
                self.0
            }
            // Callers pass what is valid during the call.
            unsafe fn take(abi: *mut c_void) -> Result<Self> {
                Ok(Self(abi, PhantomData))
            }
        }
    };
}

raw_handle! {
    /// A stream of CUDA's driver (`CUstream`). Null is the legacy default stream.
    RawStream
}
raw_handle! {
    /// An event of CUDA's driver (`CUevent`), or null.
    RawEvent
}

/// A function that may be called from any thread.
pub struct Callback(abi::Callback);

// SAFETY: the ABI allows `call` and `release` on any thread.
unsafe impl Send for Callback {}
// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Callback {
    /// Takes a function over from its ABI form.
    ///
    /// # Safety
    /// The ABI's rules for callbacks must hold, and nobody else may release it.
    #[must_use]
    pub unsafe fn from_raw(raw: abi::Callback) -> Self {
        Self(raw)
    }

    /// Calls the function.
    pub fn call(&self) {
        if let Some(call) = self.0.call {
            // SAFETY: `user` belongs to the function and is valid until its release, in `drop`.
            unsafe { call(self.0.user) };
        }
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: `self` is the only owner, and the function is not called any more.
            unsafe { release(self.0.user) };
        }
    }
}

impl Pass for Callback {
    type Abi = abi::Callback;
    fn give(self) -> abi::Callback {
        ManuallyDrop::new(self).0
    }
    unsafe fn take(abi: abi::Callback) -> Result<Self> {
        Ok(Self(abi))
    }
}

/// A service that an IPC server offers. Once it is registered it is never released, because requests
/// may come as long as the server exists.
#[derive(Clone, Copy)]
pub struct IpcService(abi::IpcService);

// SAFETY: the ABI allows requests on any thread, and the service's data is never released.
unsafe impl Send for IpcService {}
// SAFETY: as above.
unsafe impl Sync for IpcService {}

/// Answers a request for a resource with a payload.
type Handler = Box<dyn Fn(&str, &str) -> Result<String> + Send + Sync>;

impl IpcService {
    /// A service that answers a request for a resource (first argument), with a payload if it is an
    /// action.
    pub fn new(handler: impl Fn(&str, &str) -> Result<String> + Send + Sync + 'static) -> Self {
        let handler: Handler = Box::new(handler);
        let user = Box::into_raw(Box::new(handler)).cast();
        Self(abi::IpcService { user, handle })
    }

    /// Passes a request to the service.
    pub fn answer(&self, resource: &str, payload: &str) -> Result<String> {
        let (resource, payload) = (crate::text_of(resource), crate::text_of(payload));
        // SAFETY: `user` belongs to the function and is never released; the texts outlive the call.
        with_text_sink(|sink| unsafe { (self.0.handle)(self.0.user, resource, payload, sink) })
    }
}

unsafe extern "C" fn handle(
    user: *mut c_void,
    resource: abi::Text,
    payload: abi::Text,
    answer: abi::TextSink,
) -> ResultCode {
    crate::support::guard(|| {
        // SAFETY: `IpcService::new` leaked the handler, so it is alive.
        let handler = unsafe { &*user.cast::<Handler>() };
        // SAFETY: the caller lends both texts for the call.
        let [resource, payload] =
            [resource, payload].map(|text| unsafe { crate::text_to_str(text) });
        let invalid = ResultCode::ARGUMENT_INVALID;
        let text = handler(resource.ok_or(invalid)?, payload.ok_or(invalid)?)?;
        // SAFETY: the sink is valid during this call.
        unsafe { (answer.write)(answer.user, crate::text_of(&text)) };
        Ok(())
    })
}

impl Pass for IpcService {
    type Abi = abi::IpcService;
    fn give(self) -> abi::IpcService {
        self.0
    }
    unsafe fn take(abi: abi::IpcService) -> Result<Self> {
        Ok(Self(abi))
    }
}

/// A text, borrowed for a call.
impl Pass for &str {
    type Abi = abi::Text;
    fn give(self) -> abi::Text {
        crate::text_of(self)
    }
    unsafe fn take(abi: abi::Text) -> Result<Self> {
        // SAFETY: the caller lends a valid text for the call.
        unsafe { crate::text_to_str(abi) }.ok_or_else(|| ResultCode::ARGUMENT_INVALID.into())
    }
}

impl Pass for MemoryBuffer {
    type Abi = abi::MemoryBuffer;
    fn give(self) -> abi::MemoryBuffer {
        self.into_raw()
    }
    unsafe fn take(abi: abi::MemoryBuffer) -> Result<Self> {
        // SAFETY: the caller transfers ownership of the memory.
        Ok(unsafe { Self::from_raw(abi) })
    }
}

impl Pass for WakeToken {
    type Abi = *mut abi::WakeToken;
    fn give(self) -> *mut abi::WakeToken {
        self.into_raw()
    }
    unsafe fn take(abi: *mut abi::WakeToken) -> Result<Self> {
        // SAFETY: the caller transfers a reference along with the pointer.
        unsafe { Self::from_raw(abi) }
    }
}

/// The text that a function writes to the ABI's sink.
pub(super) fn with_text_sink(call: impl FnOnce(abi::TextSink) -> ResultCode) -> Result<String> {
    unsafe extern "C" fn append(user: *mut c_void, text: abi::Text) {
        // SAFETY: `user` is the string below, which is alive during the call, and so is the text.
        unsafe { (*user.cast::<String>()).push_str(&crate::text_lossy(text)) };
    }
    let mut text = String::new();
    crate::host::check(call(abi::TextSink { user: (&raw mut text).cast(), write: append }))?;
    Ok(text)
}

/// Passes each id from the ABI's sink to `add`.
pub(super) fn with_sink(call: impl FnOnce(abi::UidSink), add: &mut dyn FnMut(Uid)) {
    unsafe extern "C" fn forward(user: *mut c_void, uid: Uid) {
        // SAFETY: `user` is the closure reference below, which is alive during the call.
        let add = unsafe { &mut *user.cast::<&mut dyn FnMut(Uid)>() };
        add(uid);
    }
    let mut add: &mut dyn FnMut(Uid) = add;
    call(abi::UidSink { user: (&raw mut add).cast(), add: forward });
}
