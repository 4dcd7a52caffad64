//! What environment variables select.

use std::env::var;

/// When work is done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Before the call that enqueues it returns, host functions included.
    Eager,
    /// When it is awaited, by asking often, too, or when a host function is due.
    Lazy,
    /// One piece after another of a random stream.
    Random(u64),
}

/// A call that fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Name of the function; `any` for all.
    pub function: String,
    /// Number of the call, from 1.
    pub call: u64,
    /// The answer.
    pub code: u32,
}

/// `CUDA_STAND_IN_…`.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `MODE`: eager, lazy, random, random:SEED.
    pub mode: Mode,
    /// `FAIL`: FUNCTION:CALL=CODE.
    pub failure: Option<Failure>,
    /// `STICKY`: the number of the kernel that breaks the device.
    pub sticky: Option<u64>,
    /// `INIT`: the answer of cuInit.
    pub init: u32,
    /// `DEVICES`
    pub devices: i32,
    /// `MEMORY`: bytes of each device.
    pub memory: u64,
    /// `SLOW`: milliseconds that each kernel takes, and each fill.
    pub slow: u64,
    /// `REPORT`: the file for the report.
    pub report: Option<String>,
}

fn number<T: std::str::FromStr>(name: &str, default: T) -> T {
    let text = var(format!("CUDA_STAND_IN_{name}"));
    text.ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

impl Settings {
    pub fn read() -> Self {
        let mode = var("CUDA_STAND_IN_MODE").unwrap_or_default();
        let mode = match mode.split_once(':') {
            _ if mode.is_empty() || mode == "eager" => Mode::Eager,
            _ if mode == "lazy" => Mode::Lazy,
            _ if mode == "random" => Mode::Random(1),
            Some(("random", seed)) => Mode::Random(seed.parse().unwrap_or(1)),
            _ => crate::world::fail(&format!("`{mode}` is not a mode")),
        };
        let failure = var("CUDA_STAND_IN_FAIL").ok().map(|text| {
            let parsed = text.split_once(':').and_then(|(function, rest)| {
                let (call, code) = rest.split_once('=')?;
                Some(Failure {
                    function: function.to_owned(),
                    call: call.parse().ok()?,
                    code: code.parse().ok()?,
                })
            });
            parsed.unwrap_or_else(|| crate::world::fail(&format!("`{text}` is no failure")))
        });
        Self {
            mode,
            failure,
            sticky: var("CUDA_STAND_IN_STICKY").ok().and_then(|text| text.parse().ok()),
            init: number("INIT", 0),
            devices: number("DEVICES", 1),
            memory: number("MEMORY", 1 << 30),
            slow: number("SLOW", 0),
            report: var("CUDA_STAND_IN_REPORT").ok(),
        }
    }
}
