//! The log, for extensions.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use gxf_plugin_abi::{CStr, Text};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
        // SAFETY: `module` and `file` are C strings, or null as tested above.
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy()
    };
    // SAFETY: `line_text` is readable during the call.
    let (module, file, line_text) =
        (c_text(module), c_text(file), unsafe { gxf::text_lossy(line_text) });
    // The program's subscriber may rely on thread-locals that are gone: an extension logs from its
    // destructors, too. A line is then dropped.
    _ = catch_unwind(AssertUnwindSafe(|| write(severity, &module, &file, line, &line_text)));
}

fn write(severity: i32, module: &str, file: &str, line: u32, message: &str) {
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
