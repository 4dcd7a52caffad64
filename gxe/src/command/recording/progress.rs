//! How far a command is. Shown on standard error if that is a terminal, and nowhere else.

use indicatif::{ProgressBar, ProgressStyle};

/// What is counted.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Frames.
    Frames,
    /// Bytes.
    Bytes,
}

/// A bar that disappears when it is dropped; a count where the end is not known.
pub fn bar(total: Option<u64>, unit: Unit) -> ProgressBar {
    let (count, speed) = match unit {
        Unit::Frames => ("{human_pos}/{human_len} frames", "{per_sec}"),
        Unit::Bytes => ("{binary_bytes}/{binary_total_bytes}", "{binary_bytes_per_sec}"),
    };
    let (bar, template) = match total {
        Some(total) => {
            (ProgressBar::new(total), format!("{{wide_bar}} {count}, {speed}, {{eta}} left"))
        }
        None => (ProgressBar::no_length(), format!("{{spinner}} {{human_pos}} frames, {speed}")),
    };
    // The templates above are well-formed; the bar has a style of its own in any case.
    let bar = match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    bar.with_finish(indicatif::ProgressFinish::AndClear)
}
