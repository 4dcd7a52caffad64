//! Element types of tensors.

use crate::{Complex64, Complex128, PrimitiveType};

/// A Rust type for an element type of tensors.
///
/// # Safety
/// `Self` must have the layout that `TYPE` means, no padding, and no invalid bit patterns.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The element type.
    const TYPE: PrimitiveType;
}

macro_rules! elements {
    ($($type:ty = $name:ident;)*) => {$(
        // SAFETY: the number means exactly this type.
        unsafe impl Element for $type {
            const TYPE: PrimitiveType = PrimitiveType::$name;
        }
        const _: () = assert!(size_of::<$type>() as u64 == PrimitiveType::$name.size());
    )*};
}

elements! {
    i8 = INT8;
    u8 = UNSIGNED8;
    i16 = INT16;
    u16 = UNSIGNED16;
    i32 = INT32;
    u32 = UNSIGNED32;
    i64 = INT64;
    u64 = UNSIGNED64;
    f32 = FLOAT32;
    f64 = FLOAT64;
    Complex64 = COMPLEX64;
    Complex128 = COMPLEX128;
    half::f16 = FLOAT16;
    half::bf16 = BFLOAT16;
}
