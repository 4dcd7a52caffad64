//! The host's log, with GXF's levels.

use crate::host::host;
use crate::text_of;
use core::ffi::CStr;

/// Severity of a log line; the numbers are GXF's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum Severity {
    /// The process cannot go on.
    Panic = 0,
    /// Something failed.
    Error = 1,
    /// Something looks wrong.
    Warning = 2,
    /// What a user wants to follow.
    Info = 3,
    /// What a developer wants to follow.
    Debug = 4,
    /// Everything.
    Verbose = 5,
}

/// Writes one line; the macros call this.
pub fn log(severity: Severity, module: &CStr, file: &CStr, line: u32, text: core::fmt::Arguments) {
    let host = host();
    // SAFETY: may be called at any time.
    if (severity as i32) > unsafe { (host.log_severity)() } {
        return;
    }
    let text = text.to_string();
    // SAFETY: the host copies what it needs during the call.
    unsafe { (host.log)(severity as i32, module.as_ptr(), file.as_ptr(), line, text_of(&text)) };
}

/// Writes a line with the place it comes from; see [`info!`](crate::info!) for the usual form.
#[macro_export]
macro_rules! log_line {
    ($severity:ident, $($arg:tt)+) => {{
        const MODULE: &str = concat!(module_path!(), "\0");
        const FILE: &str = concat!(file!(), "\0");
        const fn c(text: &'static str) -> &'static ::core::ffi::CStr {
            match ::core::ffi::CStr::from_bytes_with_nul(text.as_bytes()) {
                Ok(text) => text,
                Err(_) => c"?",
            }
        }
        $crate::log($crate::Severity::$severity, c(MODULE), c(FILE), line!(),
            format_args!($($arg)+));
    }};
}

/// Logs what failed.
#[macro_export]
macro_rules! error { ($($arg:tt)+) => { $crate::log_line!(Error, $($arg)+) }; }
/// Logs what looks wrong.
#[macro_export]
macro_rules! warning { ($($arg:tt)+) => { $crate::log_line!(Warning, $($arg)+) }; }
/// Logs what a user wants to follow.
#[macro_export]
macro_rules! info { ($($arg:tt)+) => { $crate::log_line!(Info, $($arg)+) }; }
/// Logs what a developer wants to follow.
#[macro_export]
macro_rules! debug { ($($arg:tt)+) => { $crate::log_line!(Debug, $($arg)+) }; }
/// Logs everything else.
#[macro_export]
macro_rules! verbose { ($($arg:tt)+) => { $crate::log_line!(Verbose, $($arg)+) }; }
