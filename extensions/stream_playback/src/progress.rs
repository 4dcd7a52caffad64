//! `Progress`: the progress of a replay, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// A bar on standard error if that is a terminal. It disappears at the end.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts at 0; `total` is the number of frames, if there is an end.
    pub fn new(total: Option<u64>) -> Self {
        Self(std::io::stderr().is_terminal().then(|| bar(total)))
    }

    /// Shows the number of frames done and their bytes.
    pub fn set(&self, frames: u64, bytes: u64) {
        if let Some(bar) = &self.0 {
            let seconds = bar.elapsed().as_secs_f64().max(1e-3);
            bar.set_message(format!("{:.1} MB/s", bytes as f64 / 1e6 / seconds));
            bar.set_position(frames);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn bar(total: Option<u64>) -> ProgressBar {
    let (bar, template) = match total {
        Some(total) => (
            ProgressBar::new(total),
            "{wide_bar} {human_pos}/{human_len} frames, {msg}, {eta} left",
        ),
        None => (ProgressBar::no_length(), "{spinner} {human_pos} frames, {msg}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
