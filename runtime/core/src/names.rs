//! The names of numbers.

use crate::boundary::Text;
use gxf_plugin_abi::ResultCode;
use std::ffi::CStr;

/// Name of a number without a name.
const NONE: &CStr = c"N/A";

/// Functions that return the names of numbers, from 0.
macro_rules! names {
    ($($function:ident: $prefix:literal [$($name:literal)*];)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $function(number: u32) -> Text {
            const NAMES: &[&[u8]] = &[$(concat!($prefix, $name, "\0").as_bytes()),*];
            let name = NAMES.get(number as usize);
            let name = name.and_then(|name| CStr::from_bytes_with_nul(name).ok());
            name.unwrap_or(NONE).as_ptr()
        }
    )*};
}

names! {
    GxfEntityStatusStr: "GXF_ENTITY_" [
        "STATUS_NOT_STARTED" "STATUS_START_PENDING" "STATUS_STARTED" "STATUS_TICK_PENDING"
        "STATUS_TICKING" "STATUS_IDLE" "STATUS_STOP_PENDING" "MAX"
    ];
    GxfEventStr: "GXF_EVENT_" [
        "CUSTOM" "EXTERNAL" "MEMORY_FREE" "MESSAGE_SYNC" "TIME_UPDATE" "STATE_UPDATE"
    ];
    GxfParameterTypeStr: "GXF_PARAMETER_TYPE_" [
        "CUSTOM" "HANDLE" "STRING" "INT64" "UINT64" "FLOAT64" "BOOL" "INT32" "FILE" "INT8" "INT16"
        "UINT8" "UINT16" "UINT32" "FLOAT32" "COMPLEX64" "COMPLEX128"
    ];
    GxfParameterFlagTypeStr: "GXF_PARAMETER_FLAGS_" ["NONE" "OPTIONAL" "DYNAMIC"];
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn GxfResultStr(result: i32) -> Text {
    crate::texts::lasting(ResultCode(result).name())
}

#[unsafe(no_mangle)]
extern "C" fn isSuccessful(result: i32) -> bool {
    ResultCode(result).is_success()
}
