//! The standard payloads in a stream: tensors, timestamps, numbers and truth values, all little
//! endian.

use super::{Place, tensor};
use gxf::prelude::*;
use gxf::{AnyPayload, AnyPayloadMut, Complex64, Complex128, Endpoint, Tid};

/// A payload of fixed size.
trait Plain: Payload {
    fn write(&self, endpoint: &Endpoint) -> Result<u64>;
    fn read(&mut self, endpoint: &Endpoint) -> Result<()>;
}

macro_rules! plain_numbers {
    ($($type:ty),*) => {$(
        impl Plain for $type {
            fn write(&self, endpoint: &Endpoint) -> Result<u64> {
                endpoint.write_all(&self.to_le_bytes())?;
                Ok(size_of::<Self>() as u64)
            }
            fn read(&mut self, endpoint: &Endpoint) -> Result<()> {
                let mut bytes = [0; size_of::<Self>()];
                endpoint.read_exact(&mut bytes)?;
                *self = Self::from_le_bytes(bytes);
                Ok(())
            }
        }
    )*};
}

plain_numbers!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

impl Plain for bool {
    fn write(&self, endpoint: &Endpoint) -> Result<u64> {
        Plain::write(&u8::from(*self), endpoint)
    }
    fn read(&mut self, endpoint: &Endpoint) -> Result<()> {
        let mut byte = 0u8;
        Plain::read(&mut byte, endpoint)?;
        *self = byte != 0;
        Ok(())
    }
}

macro_rules! plain_pairs {
    ($($type:ty { $first:ident, $second:ident: $part:ty })*) => {$(
        impl Plain for $type {
            fn write(&self, endpoint: &Endpoint) -> Result<u64> {
                let bytes = [self.$first.to_le_bytes(), self.$second.to_le_bytes()];
                endpoint.write_all(bytes.as_flattened())?;
                Ok(size_of::<Self>() as u64)
            }
            fn read(&mut self, endpoint: &Endpoint) -> Result<()> {
                let mut bytes = [[0; size_of::<Self>() / 2]; 2];
                endpoint.read_exact(bytes.as_flattened_mut())?;
                let [first, second] = bytes;
                self.$first = <$part>::from_le_bytes(first);
                self.$second = <$part>::from_le_bytes(second);
                Ok(())
            }
        }
    )*};
}

plain_pairs! {
    Timestamp { pubtime, acqtime: i64 }
    Complex64 { re, im: f32 }
    Complex128 { re, im: f64 }
}

/// How to write and read one type.
struct Supported {
    tid: Tid,
    write: fn(AnyPayload<'_>, &Endpoint) -> Result<u64>,
    read: fn(AnyPayloadMut<'_>, &Endpoint) -> Result<()>,
}

const fn supported<T: Plain>() -> Supported {
    fn unexpected() -> Error {
        ResultCode::ARGUMENT_INVALID.into()
    }
    Supported {
        tid: T::TID,
        write: |payload, endpoint| payload.get::<T>().ok_or_else(unexpected)?.write(endpoint),
        read: |mut payload, endpoint| payload.get::<T>().ok_or_else(unexpected)?.read(endpoint),
    }
}

/// All types except tensors.
const PLAIN: [Supported; 14] = [
    supported::<Timestamp>(),
    supported::<i8>(),
    supported::<u8>(),
    supported::<i16>(),
    supported::<u16>(),
    supported::<i32>(),
    supported::<u32>(),
    supported::<i64>(),
    supported::<u64>(),
    supported::<f32>(),
    supported::<f64>(),
    supported::<bool>(),
    supported::<Complex64>(),
    supported::<Complex128>(),
];

fn plain(tid: Tid) -> Result<&'static Supported> {
    PLAIN.iter().find(|plain| plain.tid == tid).ok_or_else(|| {
        Error::new(ResultCode::QUERY_NOT_FOUND, format!("payloads of type {tid} are not supported"))
    })
}

/// Whether the functions below read and write payloads of this type.
#[must_use]
pub fn supports(tid: Tid) -> bool {
    tid == Tensor::TID || plain(tid).is_ok()
}

/// Writes a payload of a supported type and returns the number of bytes.
///
/// # Errors
/// Those of the endpoint; `QUERY_NOT_FOUND` for a type that is not supported.
pub fn write(payload: AnyPayload<'_>, endpoint: &Endpoint, place: Place<'_>) -> Result<u64> {
    match payload.get::<Tensor>() {
        Some(tensor) => tensor::write(tensor, endpoint, place),
        None => (plain(payload.tid())?.write)(payload, endpoint),
    }
}

/// Reads into a payload of a supported type.
///
/// # Errors
/// Those of the endpoint and the allocator; `INVALID_DATA_FORMAT` for what cannot be;
/// `QUERY_NOT_FOUND` for a type that is not supported.
pub fn read(
    mut payload: AnyPayloadMut<'_>,
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
    place: Place<'_>,
) -> Result<()> {
    match payload.get::<Tensor>() {
        Some(target) => {
            *target = tensor::read(endpoint, allocator, place)?;
            Ok(())
        }
        None => (plain(payload.tid())?.read)(payload, endpoint),
    }
}
