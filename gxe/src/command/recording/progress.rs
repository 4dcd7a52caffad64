//! Progress of a command, shown only if standard error is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// The unit of progress.
#[derive(Clone, Copy)]
pub enum Unit {
    /// Frames.
    Frames,
    /// Bytes.
    Bytes,
}

/// A bar that disappears when dropped, or a count if the total is unknown.
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
    // The templates above are well-formed; otherwise the bar keeps its default style.
    let bar = match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    };
    bar.with_finish(indicatif::ProgressFinish::AndClear)
}
