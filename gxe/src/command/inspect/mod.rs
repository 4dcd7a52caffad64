//! `gxe inspect`: which extensions, components and parameters there are.

mod markdown;
mod selection;
mod table;

use super::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::loading::load_extensions;
use crate::options::GraphOptions;
use clap::{Args, ValueEnum};
use gxf_runtime::Context;
use std::ffi::OsString;

/// Extensions, components and parameters as text.
#[derive(Args, Debug)]
pub struct Inspect {
    /// A component type, an extension library (.so) or a manifest (.yaml); without any, all that
    /// is loaded
    #[arg(value_name = "TYPE|LIBRARY|MANIFEST")]
    targets: Vec<OsString>,

    /// The form of the output
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Only names and what they are for, without parameters
    #[arg(long)]
    brief: bool,

    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// For programs
    Json,
    /// For documentation
    Markdown,
}

impl Inspect {
    /// Prints what was asked for.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { targets, format, brief, extensions, common: _ } = self;
        let environment = |name: &str| std::env::var_os(name);
        let options = GraphOptions::new(GraphArguments::default(), extensions, environment)?;
        let context = Context::new();
        load_extensions(&context, &options, || Ok::<_, CommandError>(()))?;
        let mut selected = selection::select(&context, &targets)?;
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
            Format::Json => format!("{:#}\n", selected.json()),
        };
        Console::print(&text)?;
        Ok(ExitStatus::Success)
    }
}
