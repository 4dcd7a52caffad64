//! `Report`: the last step, from summaries to a table.

use crate::calendar::{DAY, date_of};
use crate::payload::{Totals, Window, Windows};
use gxf::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Prints a table with one row for each window, and the totals at the end of the input. Can write
/// the same numbers to a CSV file.
#[derive(Component, Default)]
pub struct Report {
    /// Receiver for the summaries.
    input: Parameter<Handle<Receiver>>,
    /// CSV file to write, relative to the working directory [default: none].
    output: Parameter<Option<PathBuf>>,
    /// Requests per mark of the bar.
    #[parameter(default = 5, minimum = 1)]
    requests_per_mark: Parameter<u64>,
    csv: Option<Csv>,
    sum: Window,
}

impl Codelet for Report {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.sum = Window::default();
        // Create the file before any work, to report a wrong path at once.
        self.csv = self.output.as_deref().map(Csv::create).transpose()?;
        print(&format!(
            "{:<19}  {:>8}  {:>7}  {:>8}  {:>8}  # = {} requests, ! = the same with errors",
            "window (UTC)", "requests", "errors", "p50 ms", "p95 ms", *self.requests_per_mark
        ))
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        for window in &message.get::<Windows>("windows")?.windows {
            self.sum.requests += window.requests;
            self.sum.errors += window.errors;
            print(&row(window, *self.requests_per_mark))?;
            if let Some(csv) = &mut self.csv {
                csv.write(window)?;
            }
        }
        if let Ok(totals) = message.get::<Totals>("totals") {
            print(&summary(&self.sum, totals))?;
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.csv.take().map_or(Ok(()), Csv::finish)
    }
}

/// Prints a line to standard output. Unlike `println!` it returns an error, for example when the
/// reader of a pipe has gone.
fn print(line: &str) -> Result<()> {
    writeln!(std::io::stdout().lock(), "{line}")
        .map_err(|error| Error::from(error).context("standard output cannot be written"))
}

fn row(window: &Window, requests_per_mark: u64) -> String {
    let marks = |requests: u64| requests.div_ceil(requests_per_mark) as usize;
    let errors = marks(window.errors);
    let others = marks(window.requests).saturating_sub(errors);
    format!(
        "{:<19}  {:>8}  {:>6.1}%  {:>8.1}  {:>8.1}  {}{}",
        time_text(window.start),
        window.requests,
        percent(window.errors, window.requests),
        window.p50_us as f64 / 1e3,
        window.p95_us as f64 / 1e3,
        "#".repeat(others),
        "!".repeat(errors),
    )
}

fn summary(sum: &Window, totals: &Totals) -> String {
    format!(
        "{} lines: {} requests, {} of them failed ({:.1}%), {} lines could not be read",
        totals.lines,
        sum.requests,
        sum.errors,
        percent(sum.errors, sum.requests),
        totals.bad_lines
    )
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 * 100.0 }
}

/// `2026-11-02 09:00:00`.
fn time_text(seconds: i64) -> String {
    let date = date_of(seconds);
    let clock = seconds.rem_euclid(DAY);
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        date.year,
        date.month,
        date.day,
        clock / 3600,
        clock / 60 % 60,
        clock % 60
    )
}

/// A file of comma-separated values.
struct Csv {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Csv {
    fn create(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(|error| Self::failed(path, error))?;
        let mut csv = Self { path: path.to_owned(), file: BufWriter::new(file) };
        csv.line(format_args!("window_start,requests,errors,p50_ms,p95_ms"))?;
        Ok(csv)
    }

    fn write(&mut self, window: &Window) -> Result<()> {
        self.line(format_args!(
            "{},{},{},{:.3},{:.3}",
            time_text(window.start),
            window.requests,
            window.errors,
            window.p50_us as f64 / 1e3,
            window.p95_us as f64 / 1e3
        ))
    }

    fn finish(mut self) -> Result<()> {
        self.file.flush().map_err(|error| Self::failed(&self.path, error))
    }

    fn line(&mut self, text: std::fmt::Arguments) -> Result<()> {
        writeln!(self.file, "{text}").map_err(|error| Self::failed(&self.path, error))
    }

    fn failed(path: &Path, error: std::io::Error) -> Error {
        Error::from(error).context(format!("the file `{}` cannot be written", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_errors_at_the_end_of_the_bar() {
        let window = Window {
            start: 1_793_610_000,
            requests: 50,
            errors: 11,
            p50_us: 43_210,
            p95_us: 1_500_000,
        };
        assert_eq!(
            row(&window, 5),
            "2026-11-02 09:00:00        50    22.0%      43.2    1500.0  #######!!!"
        );
    }
}
