//! Messages and their payloads.

use crate::host::{check, host};
use crate::{
    Complex64, Complex128, EndOfStream, Error, MultiSourceTimestamp, Result, ResultCode, Tid,
    Timestamp, Uid, abi, text_of, text_to_str,
};
use core::ptr::NonNull;

/// A type that messages can carry.
///
/// The primitives of GXF and [`Timestamp`] are payloads. To make one of your own types a payload,
/// list it in [`crate::gxf_ext_factory!`].
///
/// # Safety
/// `TID` must mean a type of exactly this layout in every library that uses it.
pub unsafe trait Payload: Send + Sync + Sized + 'static {
    /// Type id of the payload.
    const TID: Tid;
}

macro_rules! primitive_payloads {
    ($($type:ty: $hash1:literal $hash2:literal;)*) => {$(
        // SAFETY: the ids are GXF's for exactly these C types.
        unsafe impl Payload for $type {
            const TID: Tid = Tid::new($hash1, $hash2);
        }
    )*};
}

primitive_payloads! {
    i8: 0x83905c6aca344f40 0xb474cf2cde8274de;
    u8: 0xd4299e150006d0bf 0x8cbd9b743575e155;
    i16: 0x9e1dde793550307d 0xe81ab864890b3685;
    u16: 0x958cbdefb505bcc7 0x8a43dc4b23f8cead;
    i32: 0xb557ec7f49a508f7 0xa35e086e9d1ea767;
    u32: 0xd5506b685c86fedb 0xa2a2a7bae38ff3ef;
    i64: 0xc611627b6393365f 0xd2341f26bfa8d28f;
    u64: 0xc4385f5b6e2501d9 0xd7b56e7cadc704e8;
    f32: 0xa81bf295421f49ef 0xf24af59e9ea0d5d6;
    f64: 0xd57cee59686fe26d 0x95be659c126b02ea;
    bool: 0xc02f9e93d01b1d29 0xf52378d2a9195128;
    Complex64: 0x97edf9034ea54e59 0x8a44de9754d40b7f;
    Complex128: 0x0a401e6d4ca74d21 0xa6a0fe6a2fcc37ea;
}

// SAFETY: layout and id of `EndOfStream` are GXF's.
unsafe impl Payload for EndOfStream {
    const TID: Tid = abi::tids::END_OF_STREAM;
}

// SAFETY: layout and id of `Timestamp` are GXF's.
unsafe impl Payload for Timestamp {
    const TID: Tid = abi::tids::TIMESTAMP;
}

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for MultiSourceTimestamp {
    const TID: Tid = abi::tids::MULTI_SOURCE_TIMESTAMP;
}

/// A message: a reference-counted set of named payloads. Cloning shares it.
pub struct Message {
    raw: NonNull<abi::Message>,
}

// SAFETY: reference counts are atomic, payloads are `Send + Sync`, and changes require the only
// reference.
unsafe impl Send for Message {}
// SAFETY: as above.
unsafe impl Sync for Message {}

/// Information about one payload of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadInfo<'a> {
    /// Its type.
    pub tid: Tid,
    /// Its name.
    pub name: &'a str,
    /// Its size in bytes.
    pub size: usize,
}

impl Message {
    /// Takes ownership of one reference to a message.
    ///
    /// # Safety
    /// `raw` must be a message with a reference that nothing else releases.
    #[must_use]
    pub unsafe fn from_raw(raw: NonNull<abi::Message>) -> Self {
        Self { raw }
    }

    /// Transfers the reference to the caller.
    #[must_use]
    pub fn into_raw(self) -> NonNull<abi::Message> {
        let raw = self.raw;
        core::mem::forget(self);
        raw
    }

    /// The raw pointer, without a reference.
    #[must_use]
    pub fn as_raw(&self) -> NonNull<abi::Message> {
        self.raw
    }

    /// Adds a payload. `name` may be empty. Fails if the message has other holders.
    pub fn add<T: Payload>(&mut self, name: &str, value: T) -> Result<&mut T> {
        let mut payload = empty_payload();
        // SAFETY: the message is alive; `payload` is written on success only.
        check(unsafe {
            (host().message_add)(self.raw.as_ptr(), T::TID, text_of(name), &raw mut payload)
        })?;
        let mut place = payload_pointer::<T>(&payload)?;
        // SAFETY: the host constructed a `T` there, and this is the message's only reference.
        let place = unsafe { place.as_mut() };
        *place = value;
        Ok(place)
    }

    /// Adds an empty payload of any registered type.
    pub(crate) fn add_untyped(&mut self, tid: Tid, name: &str) -> Result<abi::PayloadRef> {
        let mut payload = empty_payload();
        // SAFETY: the message is alive; `payload` is written on success only.
        check(unsafe {
            (host().message_add)(self.raw.as_ptr(), tid, text_of(name), &raw mut payload)
        })?;
        Ok(payload)
    }

    /// The first payload of type `T` with this name, or with any name if `name` is empty.
    pub fn get<T: Payload>(&self, name: &str) -> Result<&T> {
        let payload = self.find(T::TID, name, 0).ok_or_else(|| self.missing::<T>(name))?;
        // SAFETY: the payload is a `T` and lives as long as the message.
        Ok(unsafe { payload_pointer::<T>(&payload)?.as_ref() })
    }

    /// Like [`Message::get`], but `None` if there is no such payload.
    #[must_use]
    pub fn try_get<T: Payload>(&self, name: &str) -> Option<&T> {
        let payload = self.find(T::TID, name, 0)?;
        // SAFETY: the payload is a `T` and lives as long as the message.
        payload_pointer::<T>(&payload).ok().map(|place| unsafe { place.as_ref() })
    }

    /// Like [`Message::get`], for writing. Fails if the message has other holders.
    pub fn get_mut<T: Payload>(&mut self, name: &str) -> Result<&mut T> {
        // SAFETY: the message is alive.
        if unsafe { (host().message_reference_count)(self.raw.as_ptr()) } != 1 {
            return Err(Error::new(
                ResultCode::CONTRACT_INVALID_SEQUENCE,
                "a message that others hold as well cannot be changed",
            ));
        }
        let payload = self.find(T::TID, name, 0).ok_or_else(|| self.missing::<T>(name))?;
        // SAFETY: the payload is a `T`, and this is the only reference to the message.
        Ok(unsafe { payload_pointer::<T>(&payload)?.as_mut() })
    }

    /// All payloads of type `T`, in the order in which they were added.
    pub fn find_all<T: Payload>(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| {
            let payload = self.at(index)?;
            if payload.tid != T::TID {
                return None;
            }
            // SAFETY: the payload is a `T` and lives as long as the message.
            payload_pointer::<T>(&payload).ok().map(|place| unsafe { place.as_ref() })
        })
    }

    /// Removes the payload at a position. Fails if the message has other holders.
    pub fn remove(&mut self, index: usize) -> Result<()> {
        // SAFETY: the message is alive.
        check(unsafe { (host().message_remove)(self.raw.as_ptr(), index) })
    }

    /// Fills an empty message with the payloads of another one. The two share the payloads; the
    /// timestamp is copied. Fails if the message has other holders.
    pub fn share_payloads(&mut self, source: &Self) -> Result<()> {
        // SAFETY: both messages are alive.
        check(unsafe { (host().message_share)(self.raw.as_ptr(), source.raw.as_ptr()) })
    }

    /// Sets the payload `timestamp` to this acquisition time, in nanoseconds, and publication time
    /// 0. If the message has other holders, the result is a new message that shares the other
    /// payloads.
    pub fn stamped(self, acquisition_time: i64) -> Result<Self> {
        let mut stamped = core::ptr::null_mut();
        // SAFETY: the host consumes the reference; `stamped` is written on success only.
        check(unsafe {
            (host().message_stamp)(self.into_raw().as_ptr(), acquisition_time, &raw mut stamped)
        })?;
        // SAFETY: on success the host returns a message with one reference, which this call owns.
        NonNull::new(stamped)
            .map(|raw| unsafe { Message::from_raw(raw) })
            .ok_or_else(|| ResultCode::NULL_POINTER.into())
    }

    /// Number of payloads.
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: the message is alive.
        unsafe { (host().message_count)(self.raw.as_ptr()) }
    }

    /// Whether the message has no payloads.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Information about every payload.
    pub fn payloads(&self) -> impl Iterator<Item = PayloadInfo<'_>> {
        (0..self.len()).filter_map(|index| self.payload(index))
    }

    /// The types of its payloads.
    pub fn payload_types(&self) -> impl Iterator<Item = Tid> {
        (0..self.len()).map_while(|index| Some(self.at(index)?.tid))
    }

    pub(crate) fn payload(&self, index: usize) -> Option<PayloadInfo<'_>> {
        let payload = self.at(index)?;
        // SAFETY: the name lives as long as the message.
        let name = unsafe { text_to_str(payload.name) }.unwrap_or_default();
        Some(PayloadInfo { tid: payload.tid, name, size: payload.size })
    }

    /// The payload `timestamp`, if any.
    #[must_use]
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.try_get::<Timestamp>("timestamp").copied()
    }

    /// Id of the message in GXF's C API.
    #[must_use]
    pub fn eid(&self) -> Uid {
        // SAFETY: the message is alive.
        unsafe { (host().message_id)(self.raw.as_ptr()) }
    }

    fn find(&self, tid: Tid, name: &str, start: usize) -> Option<abi::PayloadRef> {
        let mut payload = empty_payload();
        let name = if name.is_empty() {
            abi::Text { data: core::ptr::null(), length: 0 }
        } else {
            text_of(name)
        };
        // SAFETY: the message is alive; `payload` is written on success only.
        let code =
            unsafe { (host().message_find)(self.raw.as_ptr(), tid, name, start, &raw mut payload) };
        code.is_success().then_some(payload)
    }

    pub(crate) fn at(&self, index: usize) -> Option<abi::PayloadRef> {
        let mut payload = empty_payload();
        // SAFETY: the message is alive; `payload` is written on success only.
        let code = unsafe { (host().message_at)(self.raw.as_ptr(), index, &raw mut payload) };
        code.is_success().then_some(payload)
    }

    #[cold]
    fn missing<T: Payload>(&self, name: &str) -> Error {
        let there: Vec<_> = self.payloads().map(|p| format!("`{}`", p.name)).collect();
        let there = if there.is_empty() { "nothing".into() } else { there.join(", ") };
        let of = short_type_name::<T>();
        Error::new(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            match name {
                "" => format!("the message has no payload of type `{of}`; it carries {there}"),
                name => {
                    format!(
                        "the message has no payload `{name}` of type `{of}`; it carries {there}"
                    )
                }
            },
        )
    }
}

impl Clone for Message {
    fn clone(&self) -> Self {
        // SAFETY: the message is alive; the new value owns the new reference.
        unsafe { (host().message_retain)(self.raw.as_ptr()) };
        Self { raw: self.raw }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: this value owns one reference.
        unsafe { (host().message_release)(self.raw.as_ptr()) };
    }
}

impl core::fmt::Debug for Message {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.debug_list().entries(self.payloads()).finish()
    }
}

/// The name of a Rust type without its path.
fn short_type_name<T>() -> &'static str {
    let name = core::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}

fn empty_payload() -> abi::PayloadRef {
    abi::PayloadRef {
        tid: Tid::NULL,
        name: text_of(""),
        data: core::ptr::null_mut(),
        size: 0,
        alignment: 0,
    }
}

/// Checks that host and extension agree on the type before the memory is used as a `T`.
fn payload_pointer<T: Payload>(payload: &abi::PayloadRef) -> Result<NonNull<T>> {
    let fits = payload.tid == T::TID
        && payload.size == size_of::<T>()
        && payload.alignment >= align_of::<T>();
    match NonNull::new(payload.data.cast::<T>()) {
        Some(pointer) if fits => Ok(pointer),
        _ => Err(Error::new(
            ResultCode::PARAMETER_INVALID_TYPE,
            format!(
                "payload type {} has {} bytes here but {} in the library that registered it",
                T::TID,
                size_of::<T>(),
                payload.size
            ),
        )),
    }
}
