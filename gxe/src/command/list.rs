//! `gxe list`: the installed extensions and their types.

use super::error::CommandError;
use super::inspect::{Selection, table};
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::catalog::Extension;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::loading::{load_extensions, never};
use crate::options::GraphOptions;
use clap::Args;
use gxf_runtime::Context;

/// The extensions that are built in or installed, with their types.
#[derive(Args, Debug)]
#[command(after_help = "`gxe inspect NAME` shows a type or an extension in full.")]
pub struct List {
    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

impl List {
    /// Prints the list, and which library could not be loaded.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let environment = |name: &str| std::env::var_os(name);
        let options = GraphOptions::new(GraphArguments::default(), self.extensions, environment)?;
        let context = Context::new();
        load_extensions(&context, &options, &never)?;
        let mut status = ExitStatus::Success;
        for library in context.installed_libraries() {
            if let Err(error) = context.load_extension(&library) {
                console.error("error", &format!("{:#}", anyhow::Error::from(error)));
                status = ExitStatus::Load;
            }
        }
        let all = context.extensions();
        let extensions = all.iter().map(|info| Extension::new(&context, info)).collect();
        let mut selection = Selection { extensions, types: Vec::new() };
        selection.types_mut().for_each(|known| known.parameters.clear());
        Console::print(&table::render(&selection, console.colors.stdout, true))?;
        Ok(status)
    }
}
