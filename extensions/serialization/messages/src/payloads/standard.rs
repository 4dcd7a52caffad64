//! The standard payloads in a stream: tensors, timestamps, numbers and truth values, all little
//! endian.

use super::{Place, tensor};
use gxf::prelude::*;
use gxf::serialization::FixedPayload;
use gxf::{AnyPayload, AnyPayloadMut, Complex64, Complex128, Endpoint, Tid};

/// A payload of fixed size.
trait Plain: Payload + Sized {
    const SIZE: usize;
    fn write(&self, bytes: &mut [u8]);
    fn read(bytes: &[u8]) -> Self;
}

/// The first bytes, of which there are enough.
fn array<const SIZE: usize>(bytes: &[u8]) -> [u8; SIZE] {
    let mut array = [0; SIZE];
    array.copy_from_slice(&bytes[..SIZE]);
    array
}

macro_rules! plain_numbers {
    ($($type:ty),*) => {$(
        impl Plain for $type {
            const SIZE: usize = size_of::<Self>();
            fn write(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(array(bytes))
            }
        }
    )*};
}

plain_numbers!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);

impl Plain for bool {
    const SIZE: usize = 1;
    fn write(&self, bytes: &mut [u8]) {
        bytes[0] = u8::from(*self);
    }
    fn read(bytes: &[u8]) -> Self {
        bytes[0] != 0
    }
}

macro_rules! plain_pairs {
    ($($type:ty { $first:ident, $second:ident: $part:ty })*) => {$(
        impl Plain for $type {
            const SIZE: usize = 2 * size_of::<$part>();
            fn write(&self, bytes: &mut [u8]) {
                let (first, second) = bytes.split_at_mut(size_of::<$part>());
                Plain::write(&self.$first, first);
                Plain::write(&self.$second, second);
            }
            fn read(bytes: &[u8]) -> Self {
                let (first, second) = bytes.split_at(size_of::<$part>());
                Self { $first: Plain::read(first), $second: Plain::read(second) }
            }
        }
    )*};
}

plain_pairs! {
    Timestamp { pubtime, acqtime: i64 }
    Complex64 { re, im: f32 }
    Complex128 { re, im: f64 }
}

const fn plain<T: Plain>() -> (Tid, FixedPayload) {
    fn unexpected() -> Error {
        ResultCode::ARGUMENT_INVALID.into()
    }
    let fixed = FixedPayload {
        size: T::SIZE,
        write: |payload, bytes| {
            payload.get::<T>().ok_or_else(unexpected)?.write(bytes);
            Ok(())
        },
        read: |mut payload, bytes| {
            *payload.get::<T>().ok_or_else(unexpected)? = T::read(bytes);
            Ok(())
        },
    };
    (T::TID, fixed)
}

/// The most bytes of a payload of fixed size.
const LARGEST: usize = Complex128::SIZE;

/// All types except tensors.
static PLAIN: [(Tid, FixedPayload); 14] = [
    plain::<Timestamp>(),
    plain::<i64>(),
    plain::<i8>(),
    plain::<u8>(),
    plain::<i16>(),
    plain::<u16>(),
    plain::<i32>(),
    plain::<u32>(),
    plain::<u64>(),
    plain::<f32>(),
    plain::<f64>(),
    plain::<bool>(),
    plain::<Complex64>(),
    plain::<Complex128>(),
];

/// How payloads of this type are written and read, if all have the same number of bytes.
#[must_use]
pub fn fixed(tid: Tid) -> Option<&'static FixedPayload> {
    PLAIN.iter().find(|(known, _)| *known == tid).map(|(_, fixed)| fixed)
}

fn known(tid: Tid) -> Result<&'static FixedPayload> {
    fixed(tid).ok_or_else(|| {
        Error::new(ResultCode::QUERY_NOT_FOUND, format!("payloads of type {tid} are not supported"))
    })
}

/// Whether the functions below read and write payloads of this type.
#[must_use]
pub fn supports(tid: Tid) -> bool {
    tid == Tensor::TID || fixed(tid).is_some()
}

/// Writes a payload of a supported type and returns the number of bytes.
///
/// # Errors
/// Those of the endpoint; `QUERY_NOT_FOUND` for a type that is not supported.
pub fn write(payload: AnyPayload<'_>, endpoint: &Endpoint, place: Place<'_>) -> Result<u64> {
    match payload.get::<Tensor>() {
        Some(tensor) => tensor::write(tensor, endpoint, place),
        None => {
            let FixedPayload { size, write, .. } = known(payload.tid())?;
            let mut bytes = [0; LARGEST];
            let bytes = &mut bytes[..*size];
            write(payload, bytes)?;
            endpoint.write_all(bytes)?;
            Ok(*size as u64)
        }
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
        None => {
            let FixedPayload { size, read, .. } = known(payload.tid())?;
            let mut bytes = [0; LARGEST];
            let bytes = &mut bytes[..*size];
            endpoint.read_exact(bytes)?;
            read(payload, bytes)
        }
    }
}
