//! The host's log, with GXF's levels.

use crate::host::host;
use crate::text_of;
use core::ffi::CStr;

/// Severity of a log line, with GXF's numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum Severity {
    /// The process cannot continue.
    Panic = 0,
    /// Something failed.
    Error = 1,
    /// Something looks wrong.
    Warning = 2,
    /// Progress, for users.
    Info = 3,
    /// Details, for developers.
    Debug = 4,
    /// Everything.
    Verbose = 5,
}

/// Writes one line. The macros call this.
pub fn log(severity: Severity, module: &CStr, file: &CStr, line: u32, text: core::fmt::Arguments) {
    let host = host();
    // SAFETY: `log_severity` may be called at any time.
    if (severity as i32) > unsafe { (host.log_severity)() } {
        return;
    }
    let text = text.to_string();
    // SAFETY: the texts are valid during the call, and the host copies what it keeps.
    unsafe { (host.log)(severity as i32, module.as_ptr(), file.as_ptr(), line, text_of(&text)) };
}

/// Writes a line with its source location; see [`info!`](crate::info!) for the usual form.
#[macro_export]
macro_rules! log_line {
    ($severity:ident, $($arg:tt)+) => {
        // Items here would hide those of the same name that the arguments mean.
        $crate::log(
            $crate::Severity::$severity,
            const { $crate::log_text(concat!(module_path!(), "\0")) },
            const { $crate::log_text(concat!(file!(), "\0")) },
            line!(),
            format_args!($($arg)+),
        )
    };
}

/// A text that ends with a null byte.
#[doc(hidden)]
#[must_use]
pub const fn log_text(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => c"?",
    }
}

/// Logs a failure.
#[macro_export]
macro_rules! error { ($($arg:tt)+) => { $crate::log_line!(Error, $($arg)+) }; }
/// Logs a likely problem.
#[macro_export]
macro_rules! warning { ($($arg:tt)+) => { $crate::log_line!(Warning, $($arg)+) }; }
/// Logs progress, for users.
#[macro_export]
macro_rules! info { ($($arg:tt)+) => { $crate::log_line!(Info, $($arg)+) }; }
/// Logs details, for developers.
#[macro_export]
macro_rules! debug { ($($arg:tt)+) => { $crate::log_line!(Debug, $($arg)+) }; }
/// Logs everything else.
#[macro_export]
macro_rules! verbose { ($($arg:tt)+) => { $crate::log_line!(Verbose, $($arg)+) }; }

#[cfg(test)]
mod tests {
    #[test]
    fn arguments_mean_what_the_caller_calls_so() {
        const FILE: i32 = 1;
        const MODULE: i32 = 2;
        let _: fn(i32) = |c| crate::info!("{c} {} {}", FILE + c, MODULE + c);
    }
}
