//! `gxe inspect`: lists extensions, components and parameters.

mod cuda;
mod markdown;
mod selection;
pub mod table;

pub use selection::Selection;

use super::error::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failures;
use crate::loading::{load_extensions, never};
use crate::options::GraphOptions;
use clap::{Args, ValueEnum};
use gxf_runtime::Context;
use gxf_runtime::graph::escape;
use std::ffi::OsString;

/// Extensions, components and parameters as text.
#[derive(Args, Debug)]
pub struct Inspect {
    /// Component type or any part of its name, extension library (.so) or manifest (.yaml); or `cuda`:
    /// this machine's driver and devices
    /// [default: what the manifests list and what is built in]
    #[arg(value_name = "TYPE|LIBRARY|MANIFEST")]
    targets: Vec<OsString>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Show names and summaries only, without parameters
    #[arg(long)]
    brief: bool,

    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable
    Table,
    /// JSON
    Json,
    /// Markdown
    Markdown,
}

impl Inspect {
    /// Prints the selection.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { targets, format, brief, extensions, common: _ } = self;
        if let [target] = &*targets
            && target == "cuda"
        {
            Console::print(&match format {
                Format::Json => format!("{:#}\n", escape::json(cuda::json())),
                Format::Table | Format::Markdown => cuda::text(),
            })?;
            return Ok(ExitStatus::Success);
        }
        let environment = |name: &str| std::env::var_os(name);
        let options = GraphOptions::new(GraphArguments::default(), extensions, environment)?;
        let context = Context::new();
        let built_in = context.extensions().len();
        let loaded = match load_extensions(&context, &options, &never) {
            // There is nothing else to show.
            Err(failure) if targets.is_empty() && context.extensions().len() == built_in => {
                return Err(failure.into());
            }
            loaded => loaded,
        };
        let (mut selected, failed) = match selection::select(&context, &targets) {
            Ok(selected) => selected,
            // The library that is missing may have it.
            Err(error) => return Err(loaded.map_or_else(CommandError::from, |()| error)),
        };
        let warnings = context.take_warnings();
        if warnings.warnings() > 0 {
            console.findings(&warnings);
        }
        if brief {
            selected.types_mut().for_each(|known| known.parameters.clear());
        }
        let text = match format {
            Format::Table => table::render(&selected, console.colors.stdout, brief),
            Format::Markdown => markdown::render(&selected),
            Format::Json => format!("{:#}\n", escape::json(selected.json())),
        };
        Console::print(&text)?;
        // One library that is missing hides no other.
        let mut failures = Failures::new(console, false);
        loaded.err().into_iter().chain(failed).for_each(|failure| failures.report(failure));
        Ok(failures.status().unwrap_or(ExitStatus::Success))
    }
}
