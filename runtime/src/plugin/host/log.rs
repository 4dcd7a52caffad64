//! The log, for extensions.

use super::text;
use gxf_plugin_abi::{CStr, Text};
use tracing::level_filters::LevelFilter;

pub(super) unsafe extern "C" fn log(
    severity: i32,
    module: CStr,
    file: CStr,
    line: u32,
    line_text: Text,
) {
    let c_text = |text: CStr| {
        if text.is_null() {
            return std::borrow::Cow::Borrowed("");
        }
        // SAFETY: the extension's promise.
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy()
    };
    let (module, file) = (c_text(module), c_text(file));
    let (module, file) = (&*module, &*file);
    // SAFETY: the extension's promise.
    let message = unsafe { text(line_text) }.unwrap_or("(the log text is not UTF-8)");
    macro_rules! event {
        ($level:ident) => {
            tracing::event!(
                tracing::Level::$level,
                gxf.module = module,
                gxf.file = file,
                gxf.line = line,
                "{message}"
            )
        };
    }
    match severity {
        ..=0 => tracing::error!(
            gxf.module = module,
            gxf.file = file,
            gxf.line = line,
            gxf.severity = 0u64,
            "{message}"
        ),
        1 => event!(ERROR),
        2 => event!(WARN),
        3 => event!(INFO),
        4 => event!(DEBUG),
        _ => event!(TRACE),
    }
}

pub(super) unsafe extern "C" fn log_severity() -> i32 {
    match LevelFilter::current() {
        LevelFilter::OFF => -1,
        LevelFilter::ERROR => 1,
        LevelFilter::WARN => 2,
        LevelFilter::INFO => 3,
        LevelFilter::DEBUG => 4,
        _ => 5,
    }
}
