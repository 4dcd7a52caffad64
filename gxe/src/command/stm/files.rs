//! Reads the files of a graph, and writes what takes long to make.

use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::outputs::{Unfinished, cannot_write, keep_apart, unwritable};
use crate::usage_error::UsageError;
use clap::Args;
use gxf_runtime::graph::{Diagnostics, Source, read_source};
use gxf_stm::schedule::{Document, Schedule, read_document, read_schedule};
use gxf_stm::{Graph, GraphFiles, read_graph};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a graph.
#[derive(Args, Debug)]
pub struct GraphArguments {
    /// Graph file; further ones are fragments, with clients of the same graph
    #[arg(long, short, value_name = "FILE", required = true)]
    input: Vec<PathBuf>,

    /// File with worst-case execution times, `client.runnable: NANOSECONDS`
    #[arg(long, value_name = "FILE")]
    wcet: Vec<PathBuf>,
}

impl GraphArguments {
    /// Checks that none of these outputs is a file of the graph, nor another output.
    ///
    /// # Errors
    /// One is.
    pub fn keep_apart(
        &self,
        written: impl IntoIterator<Item: AsRef<Path>>,
    ) -> Result<(), UsageError> {
        keep_apart(self.input.iter().chain(&self.wcet), written)
    }

    /// The name of the graph's file.
    pub fn file(&self) -> &Path {
        self.input.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Reads the graph, with the warnings about it.
    ///
    /// # Errors
    /// Everything that is wrong with the files.
    pub fn read(&self) -> Result<(Graph, Diagnostics), Diagnostics> {
        let mut missing = Diagnostics::new();
        let mut read = |paths: &[PathBuf]| -> Vec<_> {
            let sources = paths.iter().map(read_source);
            sources
                .filter_map(|source| source.map_err(|problem| missing.push(problem)).ok())
                .collect()
        };
        let mut inputs = read(&self.input).into_iter();
        let wcets = read(&self.wcet);
        let Some(graph) = inputs.next().filter(|_| !missing.has_errors()) else {
            return Err(missing);
        };
        let files = GraphFiles { graph, fragments: inputs.collect(), wcets };
        let mut warnings = Diagnostics::new();
        let graph = read_graph(&files, &mut warnings)?;
        Ok((graph, warnings))
    }

    /// Reads the graph and shows the warnings about it.
    ///
    /// # Errors
    /// Everything that is wrong with the files.
    pub fn read_for(&self, console: Console) -> Result<Graph, CommandError> {
        let (graph, warnings) = self.read().map_err(|findings| self.failure(findings))?;
        if warnings.warnings() > 0 {
            console.findings(&warnings);
        }
        Ok(graph)
    }

    /// Findings as the failure of a command.
    pub fn failure(&self, findings: Diagnostics) -> Failure {
        let what = format!("cannot read the graph '{}'", self.file().display());
        let error = gxf_runtime::Error::from_diagnostics(what, findings);
        Failure::new(ExitStatus::Load, anyhow::Error::new(error))
    }
}

/// Reads a schedule.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn schedule(path: &Path) -> Result<Schedule, Failure> {
    read_with(path, read_schedule)
}

/// Reads a schedule, or the refutation of one.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn document(path: &Path) -> Result<Document, Failure> {
    read_with(path, read_document)
}

fn read_with<T>(
    path: &Path,
    read: fn(&Arc<Source>) -> Result<T, Diagnostics>,
) -> Result<T, Failure> {
    let failed = |findings: Diagnostics| {
        let what = format!("cannot read the schedule '{}'", path.display());
        let error = gxf_runtime::Error::from_diagnostics(what, findings);
        Failure::new(ExitStatus::Load, anyhow::Error::new(error))
    };
    let source = read_source(path).map_err(|problem| failed(problem.into()))?;
    read(&source).map_err(failed)
}

/// `1 cycle`, `2 cycles`.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// A file whose text comes later, once it is known that it can be written. Until then, what was there
/// stays.
pub struct Output {
    path: PathBuf,
    file: Unfinished,
}

impl Output {
    /// Prepares to write a file.
    ///
    /// # Errors
    /// It cannot be created or written.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let file =
            Unfinished::new(path).map_err(|error| cannot_write(ExitStatus::Usage, path, &error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes it.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        std::fs::write(self.file.path(), text)
            .and_then(|()| self.file.finish())
            .map_err(|error| unwritable(&self.path, &error))
    }
}
