//! The C ABI between the `gxe` host and its extensions: types, function tables, version. No logic.
mod parameter;
mod result;
mod tid;

pub use parameter::*;
pub use result::ResultCode;
pub use tid::Tid;

/// Text that ends with a zero byte; null where the field says so.
pub type CStr = *const core::ffi::c_char;
